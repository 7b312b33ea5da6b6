//! A game as an AND/OR solver sees it: one question, asked of every position.
//!
//! *Is the value at least t?* The first player wants it to be, the second does not; so each player has
//! a goal, and a position is won for the player to move, lost, or open. The answer carries a value
//! (as alpha-beta's fail-soft does): in a game without draws "not at least 1" is found to be -1.

use super::numbers::Numbers;
use zermelo_game::{
    Bounds, Game, Key, Knowledge, MoveList, Player, Question, Rules, Scored, Value,
};

/// An odd multiplier that spreads the low bits of keys to the top.
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

/// One question about a game.
pub struct QuestionView<'g, R: Rules, K: Knowledge<R>> {
    /// The game.
    pub game: Game<'g, R, K>,
    /// The question.
    pub question: Question,
    /// The values from which on each player has reached its goal, seen by that player.
    goals: [Value; 2],
}

impl<R: Rules, K: Knowledge<R>> Clone for QuestionView<'_, R, K> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R: Rules, K: Knowledge<R>> Copy for QuestionView<'_, R, K> {}

/// A move with what is known of the position behind it.
#[derive(Debug)]
pub struct ChildMove<R: Rules> {
    /// The move.
    pub mv: R::Move,
    /// The position behind it, in canonical form.
    pub position: R::Position,
    /// Its key.
    pub key: R::Key,
    /// Its numbers, seen by the player to move there: solved, or those of a leaf.
    pub numbers: Numbers,
    /// The game's score; larger is tried earlier.
    pub score: i32,
}

impl<R: Rules> Clone for ChildMove<R> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<R: Rules> Copy for ChildMove<R> {}

/// What the moves of a position say about it at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChildrenVerdict {
    /// They decide it.
    Decided(Numbers),
    /// They do not. Moves that are not listed are worth at most this much to the player to move, which
    /// is less than its goal.
    Open {
        /// See there.
        floor: Value,
        /// So many of those that are listed lose.
        lost: usize,
    },
}

impl<'g, R: Rules, K: Knowledge<R>> QuestionView<'g, R, K> {
    /// The view of a question.
    #[must_use]
    pub fn new(game: Game<'g, R, K>, question: Question) -> QuestionView<'g, R, K> {
        let Question { at_least } = question;
        QuestionView { game, question, goals: [at_least, 1 - at_least] }
    }

    /// The least value with which a player has reached its goal, as it sees values.
    #[must_use]
    #[inline(always)]
    pub fn goal(&self, player: Player) -> Value {
        self.goals[player.index()]
    }

    /// What bounds, seen by a player, mean to it.
    #[must_use]
    #[inline(always)]
    pub fn numbers(&self, seen: Bounds, player: Player) -> Option<Numbers> {
        if seen.lo >= self.goal(player) {
            Some(Numbers::won(seen.lo))
        } else if seen.hi < self.goal(player) {
            Some(Numbers::lost(seen.hi))
        } else {
            None
        }
    }

    /// What is known of a position without search.
    #[must_use]
    pub fn judge(&self, p: &R::Position) -> Option<Numbers> {
        let turn = self.game.turn(p);
        self.numbers(self.game.static_bounds(p).seen_by(turn), turn)
    }

    /// The numbers of a line that comes back to `p` after so many plies; `None` if the move may not be
    /// made.
    #[must_use]
    pub fn repeated(&self, p: &R::Position, plies: usize) -> Option<Numbers> {
        let turn = self.game.turn(p);
        let value = self.game.repeated(p, plies)?;
        self.numbers(Bounds::exact(value).seen_by(turn), turn)
    }

    /// The numbers of `p` where no move may be made.
    #[must_use]
    pub fn stuck(&self, p: &R::Position) -> Option<Numbers> {
        let turn = self.game.turn(p);
        let value = self.game.repetition().stuck()?;
        self.numbers(Bounds::exact(value).seen_by(turn), turn)
    }

    /// A move from `p` to a position whose canonical form is `to`.
    #[must_use]
    pub fn way(&self, p: &R::Position, to: &R::Position) -> Option<R::Move> {
        if self.game.outcome(p).is_some() {
            return None;
        }
        let mut list = MoveList::new();
        self.game.moves(p, &mut list);
        list.iter().find(|&m| self.game.canonical(&self.game.play(p, m)) == *to)
    }

    /// The candidate moves of a position that [`judge`](Self::judge) leaves open, most promising first,
    /// each with what is known of the position behind it: what the game's knowledge decides, or the numbers that `leaf`
    /// gives it, told how many stand before it. They are added to `out`; `met` is told the key of each as soon as there
    /// is one, in this order.
    ///
    /// A move that wins, or the lack of any that does not lose, decides the position: then what is added is
    /// the winning move alone, or all moves.
    #[inline]
    pub fn expand(
        &self,
        p: &R::Position,
        out: &mut Vec<ChildMove<R>>,
        mut met: impl FnMut(R::Key),
        leaf: impl Fn(&R::Position, u32) -> Numbers,
    ) -> ChildrenVerdict {
        let game = self.game;
        let turn = game.turn(p);
        let (goal, other) = (self.goal(turn), turn.other());
        let mut list = MoveList::new();
        let floor = game.candidate_moves(p, &mut list);
        let start = out.len();
        if floor >= goal {
            if let Some(mv) = list.iter().next() {
                let position = game.canonical(&game.play(p, mv));
                let (key, numbers) = (game.key(&position), Numbers::lost(-floor));
                out.push(ChildMove { mv, position, key, numbers, score: i32::MAX });
            }
            return ChildrenVerdict::Decided(Numbers::won(floor));
        }
        list.sort();
        // One bit for each key so far: most are seen to be new by it.
        let mut marks = 0u64;
        for &Scored { mv, score } in list.scored() {
            let position = game.canonical(&game.play(p, mv));
            let key = game.key(&position);
            let mark = 1 << ((key.digest() as u64).wrapping_mul(SPREAD) >> 58);
            if marks & mark != 0 && out[start..].iter().any(|r| r.key == key) {
                // An engine without a table would search it anew, and every engine would count it twice.
                continue;
            }
            marks |= mark;
            met(key);
            out.push(ChildMove { mv, position, key, numbers: Numbers::ONE, score });
        }
        let (mut lost, mut best) = (0, floor);
        for place in 0..out.len() - start {
            let reply = &mut out[start + place];
            if !game.prunes_candidates() {
                let seen = game.static_bounds(&reply.position).seen_by(other);
                if seen.hi <= -goal {
                    reply.numbers = Numbers::lost(seen.hi);
                    out[start] = out[start + place];
                    out.truncate(start + 1);
                    return ChildrenVerdict::Decided(Numbers::won(-seen.hi));
                }
                if seen.lo > -goal {
                    best = best.max(-seen.lo);
                    lost += 1;
                    reply.numbers = Numbers::won(seen.lo);
                    continue;
                }
            }
            reply.numbers = leaf(&reply.position, place as u32);
        }
        match out.len() - start == lost {
            true => ChildrenVerdict::Decided(Numbers::lost(best)),
            false => ChildrenVerdict::Open { floor, lost },
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use zermelo_game::Notation;
    use zermelo_games::mnk::{Mnk, MnkKnowledge};

    #[test]
    fn moves_that_mirror_each_other_are_one() {
        let rules = Mnk::<u64>::new(3, 3, 3);
        let knowledge = MnkKnowledge::new(&rules);
        let game = Game::new(&rules, &knowledge);
        let view = QuestionView::new(game, Question { at_least: 1 });
        let mut replies = Vec::new();
        let moves = |position: &str, replies: &mut Vec<_>| {
            let p = game.parse_position(position).unwrap();
            assert_eq!(view.judge(&p), None, "{position}");
            replies.clear();
            view.expand(&p, replies, |_| {}, |_, _| Numbers::ONE);
            replies.len()
        };
        assert_eq!(moves(".../.../... first", &mut replies), 3);
        assert_eq!(moves(".../.x./... second", &mut replies), 2);
        assert_eq!(moves("x../.../... second", &mut replies), 5);
    }
}
