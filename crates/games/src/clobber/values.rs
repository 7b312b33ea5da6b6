//! Values of games, in the sense of Conway, as far as small groups of Clobber stones need them.
//!
//! A value is the number of a canonical form: a game without dominated and reversible options, of
//! which each value has exactly one (Berlekamp, Conway and Guy, *Winning Ways*, chapter 3). Forms are
//! kept once, so equal values are equal numbers. Left is the player to move in [`super::groups`].

use rustc_hash::FxHashMap;

/// The number of a canonical form.
pub type ValueId = u32;

/// The game in which nobody has a move.
pub const ZERO: ValueId = 0;

/// A form: the options of Left and of Right, sorted, each once.
type Form = (Box<[ValueId]>, Box<[ValueId]>);

/// A store of canonical forms.
#[derive(Debug)]
pub struct Values {
    forms: Vec<Form>,
    ids: FxHashMap<Form, ValueId>,
    negatives: FxHashMap<ValueId, ValueId>,
    order: FxHashMap<(ValueId, ValueId), bool>,
    sums: FxHashMap<(ValueId, ValueId), ValueId>,
}

impl Default for Values {
    fn default() -> Values {
        Values::new()
    }
}

impl Values {
    /// A store that knows zero.
    #[must_use]
    pub fn new() -> Values {
        let mut values = Values {
            forms: Vec::new(),
            ids: FxHashMap::default(),
            negatives: FxHashMap::default(),
            order: FxHashMap::default(),
            sums: FxHashMap::default(),
        };
        let zero = values.intern(Vec::new(), Vec::new());
        debug_assert_eq!(zero, ZERO);
        values
    }

    /// Whether `g` is at most `h`: no option of Left in `g` is as good as `h`, and none of Right in
    /// `h` as bad as `g`.
    pub fn at_most(&mut self, g: ValueId, h: ValueId) -> bool {
        if g == h {
            return true;
        }
        if let Some(&known) = self.order.get(&(g, h)) {
            return known;
        }
        let lefts = self.forms[g as usize].0.clone();
        let rights = self.forms[h as usize].1.clone();
        let result = !lefts.iter().any(|&l| self.at_most(h, l))
            && !rights.iter().any(|&r| self.at_most(r, g));
        self.order.insert((g, h), result);
        result
    }

    /// The negative: the sides change places.
    pub fn negative(&mut self, g: ValueId) -> ValueId {
        if let Some(&known) = self.negatives.get(&g) {
            return known;
        }
        let (lefts, rights) = self.forms[g as usize].clone();
        let new_lefts = rights.iter().map(|&r| self.negative(r)).collect();
        let new_rights = lefts.iter().map(|&l| self.negative(l)).collect();
        let negative = self.intern(new_lefts, new_rights);
        self.negatives.insert(g, negative);
        self.negatives.insert(negative, g);
        negative
    }

    /// The sum: a move in one of the two.
    pub fn sum(&mut self, g: ValueId, h: ValueId) -> ValueId {
        if g == ZERO || h == ZERO {
            return g | h;
        }
        let pair = (g.min(h), g.max(h));
        if let Some(&known) = self.sums.get(&pair) {
            return known;
        }
        let (gs, hs) = (self.forms[g as usize].clone(), self.forms[h as usize].clone());
        let mut lefts: Vec<ValueId> = gs.0.iter().map(|&l| self.sum(l, h)).collect();
        lefts.extend(hs.0.iter().map(|&l| self.sum(g, l)));
        let mut rights: Vec<ValueId> = gs.1.iter().map(|&r| self.sum(r, h)).collect();
        rights.extend(hs.1.iter().map(|&r| self.sum(g, r)));
        let sum = self.canonical(lefts, rights);
        self.sums.insert(pair, sum);
        sum
    }

    /// The value of the game with these options.
    pub fn canonical(&mut self, mut lefts: Vec<ValueId>, mut rights: Vec<ValueId>) -> ValueId {
        loop {
            self.undominated(&mut lefts, true);
            self.undominated(&mut rights, false);
            if let Some((i, through)) = self.reversible(&lefts, &lefts, &rights, true) {
                lefts.swap_remove(i);
                lefts.extend_from_slice(&self.forms[through as usize].0);
            } else if let Some((i, through)) = self.reversible(&rights, &lefts, &rights, false) {
                rights.swap_remove(i);
                rights.extend_from_slice(&self.forms[through as usize].1);
            } else {
                return self.intern(lefts, rights);
            }
        }
    }

    fn intern(&mut self, mut lefts: Vec<ValueId>, mut rights: Vec<ValueId>) -> ValueId {
        lefts.sort_unstable();
        rights.sort_unstable();
        let form = (lefts.into_boxed_slice(), rights.into_boxed_slice());
        if let Some(&id) = self.ids.get(&form) {
            return id;
        }
        let id = self.forms.len() as ValueId;
        self.forms.push(form.clone());
        self.ids.insert(form, id);
        id
    }

    /// Leaves out options that are no better for their player than another one.
    fn undominated(&mut self, options: &mut Vec<ValueId>, left: bool) {
        options.sort_unstable();
        options.dedup();
        let mut i = 0;
        while i < options.len() {
            let option = options[i];
            let dominated = options.iter().any(|&other| {
                let (low, high) = if left { (option, other) } else { (other, option) };
                other != option && self.at_most(low, high)
            });
            if dominated {
                options.remove(i);
            } else {
                i += 1;
            }
        }
    }

    /// An option whose answer is at least as good for the answering side as the whole game, and
    /// that answer.
    fn reversible(
        &mut self,
        options: &[ValueId],
        lefts: &[ValueId],
        rights: &[ValueId],
        left: bool,
    ) -> Option<(usize, ValueId)> {
        for (i, &option) in options.iter().enumerate() {
            let form = &self.forms[option as usize];
            let answers = if left { form.1.clone() } else { form.0.clone() };
            for &answer in &answers {
                let reverses = if left {
                    self.below(answer, lefts, rights)
                } else {
                    self.above(answer, lefts, rights)
                };
                if reverses {
                    return Some((i, answer));
                }
            }
        }
        None
    }

    /// Whether `g` is at most the game with these options.
    fn below(&mut self, g: ValueId, lefts: &[ValueId], rights: &[ValueId]) -> bool {
        let options = self.forms[g as usize].0.clone();
        !rights.iter().any(|&r| self.at_most(r, g))
            && !options.iter().any(|&l| self.above(l, lefts, rights))
    }

    /// Whether `g` is at least the game with these options.
    fn above(&mut self, g: ValueId, lefts: &[ValueId], rights: &[ValueId]) -> bool {
        let options = self.forms[g as usize].1.clone();
        !lefts.iter().any(|&l| self.at_most(g, l))
            && !options.iter().any(|&r| self.below(r, lefts, rights))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn star_up_and_the_laws() {
        let mut v = Values::new();
        let star = v.canonical(vec![ZERO], vec![ZERO]);
        let up = v.canonical(vec![ZERO], vec![star]);
        let down = v.negative(up);
        assert_eq!(v.sum(star, star), ZERO);
        assert_eq!(v.sum(up, down), ZERO);
        assert!(v.at_most(ZERO, up) && !v.at_most(up, ZERO));
        assert!(!v.at_most(star, up) && !v.at_most(up, star), "up and star are not comparable");
        let two = v.sum(up, up);
        assert!(v.at_most(star, two), "but two ups are above star");
        let up_star = v.sum(up, star);
        assert_eq!(v.canonical(vec![ZERO, star], vec![ZERO]), up_star);
    }
}
