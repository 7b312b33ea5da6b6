//! Proof and disproof numbers in negamax form, and the rules by which those of children make up those
//! of their parent.
//!
//! `phi` is how much is still to be done to show that the player to move reaches its goal, `delta` to
//! show that it does not: proof and disproof number where the first player moves, the other way round
//! where the second does (Nagai 2002). With c over the children,
//!
//! ```text
//! phi(n) = min delta(c)        delta(n) = sum phi(c)
//! ```
//!
//! The sum has rivals, chosen by [`SumRule`].

use zermelo_game::{Player, Value};

/// A proof or disproof number: finite, or [`INF`].
pub type Number = u32;

/// Bits of a number, so that two of them fit a slot of the table.
pub const NUMBER_BITS: u32 = 22;

/// More than any finite number.
pub const INF: Number = (1 << NUMBER_BITS) - 1;

/// The largest finite number; sums stop here.
pub const MOST: Number = INF - 1;

/// The sum, at most [`MOST`] if both are finite.
#[must_use]
#[inline(always)]
pub const fn plus(a: Number, b: Number) -> Number {
    if a == INF || b == INF {
        INF
    } else if a + b > MOST {
        MOST
    } else {
        a + b
    }
}

/// What is known of a node, seen by the player to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Numbers {
    /// What is to be done to show that the player to move reaches its goal.
    pub phi: Number,
    /// What is to be done to show that it does not.
    pub delta: Number,
    /// A bound on the value for the player to move, where the node is solved: at least this if it
    /// reaches its goal, at most this if not.
    pub value: Value,
}

impl Numbers {
    /// Nothing done yet.
    pub const ONE: Numbers = Numbers::open(1, 1);

    /// An open node.
    #[must_use]
    #[inline(always)]
    pub const fn open(phi: Number, delta: Number) -> Numbers {
        Numbers { phi, delta, value: 0 }
    }

    /// The player to move reaches its goal: it gets at least `value`.
    #[must_use]
    #[inline(always)]
    pub const fn won(value: Value) -> Numbers {
        Numbers { phi: 0, delta: INF, value }
    }

    /// The player to move does not reach its goal: it gets at most `value`.
    #[must_use]
    #[inline(always)]
    pub const fn lost(value: Value) -> Numbers {
        Numbers { phi: INF, delta: 0, value }
    }

    /// Proof and disproof number for the first player, where it is this player's turn. An infinite one is `None`.
    #[must_use]
    pub fn seen_by_first(self, turn: Player) -> [Option<Number>; 2] {
        let numbers = match turn {
            Player::First => [self.phi, self.delta],
            Player::Second => [self.delta, self.phi],
        };
        numbers.map(|number| (number != INF).then_some(number))
    }

    /// Whether the player to move reaches its goal, if that is settled.
    #[must_use]
    #[inline(always)]
    pub const fn solved(&self) -> Option<bool> {
        if self.phi == 0 {
            Some(true)
        } else if self.delta == 0 {
            Some(false)
        } else {
            None
        }
    }
}

/// Which of two children with equal `delta` comes first, where only some are counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Tie {
    /// The one with the larger `phi`: by far the better choice (Yoshizoe 2008).
    #[default]
    Greater,
    /// The one with the smaller `phi`.
    Less,
    /// The one that the game lists first.
    Order,
}

impl Tie {
    /// The children that count are those with the smallest ranks.
    #[inline(always)]
    fn rank(self, n: &Numbers) -> (Number, Number) {
        match self {
            Tie::Greater => (n.delta, INF - n.phi),
            Tie::Less => (n.delta, n.phi),
            Tie::Order => (n.delta, 0),
        }
    }
}

/// How the `phi` of children make up the `delta` of their parent.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SumRule {
    /// Their sum.
    #[default]
    Sum,
    /// The sum over the so many most promising children; the others come in as these are refuted
    /// (dynamic widening, Yoshizoe 2008: `TOPn`).
    Top(u32, Tie),
    /// The same with one in so many children, at least one (`RATEn`).
    Rate(u32, Tie),
    /// The largest, and one for every other child that is open (weak proof numbers, Ueda and others
    /// 2008): a descendant that is reached in several ways is not counted several times.
    Weak,
}

/// A child as the rules see it.
#[derive(Clone, Copy, Debug)]
pub struct Term {
    /// Its numbers, seen by the player to move there.
    pub numbers: Numbers,
    /// Whether it may lead back to where the search has been: such children are left out of the sum
    /// while others are open, and then the largest counts (df-pn(r), Kishimoto 2005).
    pub old: bool,
}

/// The numbers of a node and the child to go to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ChildChoice {
    /// The numbers of the node. Where it is lost, `value` is the best among the children.
    pub numbers: Numbers,
    /// The child with the smallest `delta`; among equals the first, or as the rule breaks ties.
    pub best: usize,
    /// The second smallest `delta`; [`INF`] if there is no second child.
    pub second: Number,
    /// Whether the `phi` of the best child is part of the node's `delta`.
    pub counted: bool,
}

impl SumRule {
    /// The numbers of a node with at least one child.
    ///
    /// # Panics
    /// If there is no child.
    #[inline]
    pub fn choose(self, terms: impl ExactSizeIterator<Item = Term> + Clone) -> ChildChoice {
        assert!(terms.len() > 0, "a node without children is no inner node");
        if self == SumRule::Sum && terms.clone().all(|t| !t.old) {
            return sum(terms);
        }
        // The child to go to is the first of those that count.
        let tie = match self {
            SumRule::Top(_, tie) | SumRule::Rate(_, tie) => tie,
            SumRule::Sum | SumRule::Weak => Tie::Order,
        };
        let (mut best, mut least, mut second) = (0, Numbers::open(INF, INF), INF);
        let mut all_lost = true;
        let mut value = Value::MIN;
        let (mut sum, mut largest, mut open) = (0, 0, 0);
        let (mut old, mut best_old) = (0, false);
        for (i, term) in terms.clone().enumerate() {
            let n = term.numbers;
            if i == 0 || tie.rank(&n) < tie.rank(&least) {
                second = if i == 0 { INF } else { least.delta };
                (best, least, best_old) = (i, n, term.old);
            } else {
                second = second.min(n.delta);
            }
            if n.phi == 0 {
                value = value.max(-n.value);
                continue;
            }
            all_lost = false;
            open += 1;
            if term.old {
                old = old.max(n.phi);
            } else {
                sum = plus(sum, n.phi);
                largest = largest.max(n.phi);
            }
        }
        if least.delta == 0 {
            let numbers = Numbers::won(-least.value);
            return ChildChoice { numbers, best, second, counted: true };
        }
        if all_lost {
            return ChildChoice { numbers: Numbers::lost(value), best, second, counted: true };
        }
        let fresh = sum > 0;
        let delta = match self {
            _ if !fresh => old,
            SumRule::Sum => sum,
            SumRule::Weak => plus(largest, open - 1),
            SumRule::Top(n, tie) => window(terms, n.max(1) as usize, tie),
            SumRule::Rate(n, tie) => {
                let count = terms.len().div_ceil(n.max(1) as usize);
                window(terms, count, tie)
            }
        };
        let numbers = Numbers::open(least.delta, delta);
        ChildChoice { numbers, best, second, counted: fresh && !best_old }
    }
}

/// The plain sum, which is most of the work of a search: the same as the general rule, in one lean loop.
#[inline(always)]
fn sum(terms: impl Iterator<Item = Term>) -> ChildChoice {
    let (mut best, mut least, mut second) = (0, INF + 1, INF);
    let (mut sum, mut value, mut won) = (0u64, Value::MIN, 0);
    for (i, Term { numbers: n, .. }) in terms.enumerate() {
        if n.delta < least {
            second = least.min(INF);
            (best, least, won) = (i, n.delta, n.value);
        } else {
            second = second.min(n.delta);
        }
        if n.phi == 0 {
            value = value.max(-n.value);
        }
        sum += u64::from(n.phi);
    }
    let numbers = match (least, sum) {
        (0, _) => Numbers::won(-won),
        (_, 0) => Numbers::lost(value),
        _ => Numbers::open(least, sum.min(u64::from(MOST)) as Number),
    };
    ChildChoice { numbers, best, second, counted: true }
}

/// The sum over the `count` most promising open children that are not old.
fn window(terms: impl Iterator<Item = Term>, count: usize, tie: Tie) -> Number {
    let open = terms.filter(|t| t.numbers.phi != 0 && !t.old).map(|t| t.numbers).collect();
    sum_of_first(open, count, tie)
}

/// Apart from the iterator above, so that the sort is compiled once.
fn sum_of_first(mut open: Vec<Numbers>, count: usize, tie: Tie) -> Number {
    open.sort_by_key(|n| tie.rank(n));
    open.iter().take(count).fold(0, |sum, n| plus(sum, n.phi))
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    fn choose(rule: SumRule, children: &[Numbers]) -> ChildChoice {
        rule.choose(children.iter().map(|&numbers| Term { numbers, old: false }))
    }

    #[test]
    fn sums_are_saturated_but_finite() {
        assert_eq!(plus(MOST, MOST), MOST);
        assert_eq!(plus(INF, 1), INF);
        assert_eq!(plus(2, 3), 5);
    }

    #[test]
    fn a_node_by_every_rule() {
        let children = [Numbers::open(2, 7), Numbers::open(5, 3), Numbers::open(4, 3)];
        let top = |n, tie| SumRule::Top(n, tie);
        for (rule, delta) in [
            (SumRule::Sum, 11),
            (SumRule::Weak, 7),
            (top(1, Tie::Greater), 5),
            (top(1, Tie::Less), 4),
            (top(1, Tie::Order), 5),
            (top(2, Tie::Less), 9),
            (top(9, Tie::Less), 11),
            (SumRule::Rate(3, Tie::Less), 4),
            (SumRule::Rate(2, Tie::Less), 9),
        ] {
            let choice = choose(rule, &children);
            assert_eq!(choice.numbers, Numbers::open(3, delta), "{rule:?}");
            let less = matches!(rule, SumRule::Top(_, Tie::Less) | SumRule::Rate(_, Tie::Less));
            let best = if less { 2 } else { 1 };
            assert_eq!((choice.best, choice.second), (best, 3), "{rule:?}");
        }
    }

    #[test]
    fn solved_children() {
        let lost = Numbers::won(2);
        for rule in [SumRule::Sum, SumRule::Weak, SumRule::Top(1, Tie::Less)] {
            let open = choose(rule, &[lost, Numbers::open(4, 6), lost]);
            assert_eq!((open.numbers, open.best), (Numbers::open(6, 4), 1), "{rule:?}");
            let all = choose(rule, &[lost, Numbers::won(1)]);
            assert_eq!(all.numbers, Numbers::lost(-1), "{rule:?}");
            let won = choose(rule, &[lost, Numbers::ONE, Numbers::lost(-3)]);
            assert_eq!((won.numbers, won.best), (Numbers::won(3), 2), "{rule:?}");
        }
    }

    #[test]
    fn old_children_count_only_alone() {
        let term = |phi, delta, old| Term { numbers: Numbers::open(phi, delta), old };
        let both = SumRule::Sum.choose([term(9, 1, true), term(2, 5, false)].into_iter());
        assert_eq!(both.numbers, Numbers::open(1, 2));
        assert!(!both.counted);
        let alone = SumRule::Sum.choose([term(9, 1, true), term(3, 5, true)].into_iter());
        assert_eq!(alone.numbers, Numbers::open(1, 9));
    }

    /// a(i) -> b(i), c(i) -> a(i + 1), and a(n) a leaf: one leaf, which the sum counts 2^n times.
    #[test]
    fn a_chain_of_diamonds_is_counted_over_and_over_by_sums_only() {
        for (rule, number) in [(SumRule::Sum, 1 << 10), (SumRule::Weak, 11)] {
            let mut a = Numbers::ONE;
            for _ in 0..10 {
                let b = choose(rule, &[a]).numbers;
                a = choose(rule, &[b, b]).numbers;
            }
            assert_eq!(a, Numbers::open(1, number), "{rule:?}");
        }
    }
}
