//! Simulation (Kawano 1996): a move that was refuted is often refuted in the same way as others that were.
//! After a child is solved, its open siblings are tried with the moves of that proof, without a search: the
//! most promising first, until one cannot be settled that way.
//!
//! What is proved that way is proved: every move of the losing side has a reply, down to ends that static
//! bounds or the table know. The proof that is followed serves only to name the replies.

use super::Shared;
use super::record::NumbersEntry;
use super::worker::Worker;
use crate::proofnumber::numbers::Numbers;
use crate::proofnumber::view::{ChildMove, ChildrenVerdict};
use zermelo_game::{Knowledge, MoveList, Rules, Value};

impl<R: Rules, K: Knowledge<R>> Worker<'_, R, K> {
    /// Tries the open siblings of a child of `p` that was solved for its player to move. (To try all of
    /// them each time costs more than it saves.)
    #[cold]
    pub(super) fn simulate(&mut self, p: &R::Position, base: usize, solved: usize) {
        let Shared { view, simulation, .. } = *self.shared;
        let model = view.game.play(p, self.children[solved].mv);
        let open = |c: &ChildMove<R>| c.numbers.solved().is_none();
        loop {
            let children = self.children[base..].iter().enumerate();
            let next = children.filter(|(_, c)| open(c)).min_by_key(|(_, c)| c.numbers.delta);
            let Some(i) = next.map(|(i, _)| base + i) else { return };
            let sibling = view.game.play(p, self.children[i].mv);
            let mut left = simulation;
            let Some(value) = self.refute(&sibling, &model, &mut left) else { return };
            self.children[i].numbers = Numbers::won(value);
        }
    }

    /// What the player to move at `q` gets at least by the moves with which it wins at `model`.
    fn refute(&mut self, q: &R::Position, model: &R::Position, left: &mut u32) -> Option<Value> {
        let game = self.shared.view.game;
        let followed = self.winning_move(model)?;
        let mut list = MoveList::new();
        game.moves(q, &mut list);
        let mv = list.iter().find(|&mv| game.code(mv) == game.code(followed))?;
        let value = -self.info(&game.play(q, mv), &game.play(model, followed), left)?;
        self.note_down(q, Numbers::won(value), Some(mv));
        Some(value)
    }

    /// The move that wins at a position which the table knows to be won.
    fn winning_move(&self, p: &R::Position) -> Option<R::Move> {
        let Shared { view, table, .. } = *self.shared;
        let game = view.game;
        let canonical = game.canonical(p);
        let known = table.get(game.key(&canonical))?;
        if known.numbers.solved() != Some(true) || known.note == 0 || game.outcome(p).is_some() {
            return None;
        }
        let mut list = MoveList::new();
        game.moves(&canonical, &mut list);
        let mv = list.iter().find(|&mv| game.code(mv) as u32 + 1 == known.note)?;
        match canonical == *p {
            true => Some(mv),
            false => view.way(p, &game.canonical(&game.play(&canonical, mv))),
        }
    }

    /// What the player to move at `q`, which is to lose, gets at most if its moves are answered as they are
    /// at `model`.
    fn info(&mut self, q: &R::Position, model: &R::Position, left: &mut u32) -> Option<Value> {
        let Shared { view, table, .. } = *self.shared;
        let game = view.game;
        let known = |p: &R::Position, canonical: &R::Position| {
            view.judge(p).or_else(|| Some(table.get(game.key(canonical))?.numbers))
        };
        if let Some(numbers) = known(q, &game.canonical(q))
            && let Some(won) = numbers.solved()
        {
            return (!won).then_some(numbers.value);
        }
        if *left == 0 || self.fresh >= self.quota || game.outcome(model).is_some() {
            return None;
        }
        *left -= 1;
        self.fresh += 1;
        let mut replies = Vec::new();
        let expansion = view.expand(q, &mut replies, |_| {}, |_, _| Numbers::ONE);
        self.stats.evaluations += replies.len() as u64;
        let mut value = match expansion {
            ChildrenVerdict::Decided(numbers) => {
                return (numbers.solved() == Some(false)).then_some(numbers.value);
            }
            ChildrenVerdict::Open { floor, .. } => floor,
        };
        let mut list = MoveList::new();
        game.moves(model, &mut list);
        for reply in &replies {
            let numbers = match reply.numbers.solved() {
                Some(_) => Some(reply.numbers),
                None => known(&reply.position, &reply.position),
            };
            let found = match numbers.and_then(|n| n.solved().map(|won| (won, n.value))) {
                Some((won, value)) => won.then_some(value)?,
                None => {
                    let same = list.iter().find(|&mv| game.code(mv) == game.code(reply.mv))?;
                    self.refute(&game.play(q, reply.mv), &game.play(model, same), left)?
                }
            };
            value = value.max(-found);
        }
        self.note_down(q, Numbers::lost(value), None);
        Some(value)
    }

    /// Writes what was found into the table.
    fn note_down(&mut self, p: &R::Position, numbers: Numbers, best: Option<R::Move>) {
        let Shared { view, table, fields, .. } = *self.shared;
        let canonical = view.game.canonical(p);
        // A move of another image would name another move.
        let best = best.filter(|_| canonical == *p);
        let note = best.map_or(0, |mv| fields.note(view.game.code(mv) as u32 + 1));
        let known = NumbersEntry { numbers, work: 1, note };
        self.stats.stores += 1;
        self.filled += u64::from(table.put(view.game.key(&canonical), &known));
    }
}
