//! A line of play, read from the table after a proof. What the table has lost is searched again.

use super::Dfpn;
use crate::proofnumber::ProverRun;
use crate::proofnumber::numbers::Numbers;
use crate::proofnumber::view::QuestionView;
use zermelo_game::{Bounds, Knowledge, MoveList, Question, Rules};

/// The longest line that is written out.
const MAX_LINE: usize = 1000;

/// A move with what is known of the position behind it.
struct Candidate<R: Rules> {
    mv: R::Move,
    position: R::Position,
    key: R::Key,
    /// What the rules, the game's knowledge or the table say.
    numbers: Numbers,
    work: u32,
    over: bool,
}

impl<R: Rules, K: Knowledge<R>> Dfpn<'_, R, K> {
    /// A line from `p`, solved with these numbers. The side that was shown to reach its goal keeps to
    /// the proof; the other makes the moves that were hardest to refute. `best` is the winning move
    /// of the canonical position.
    pub(super) fn line(
        &mut self,
        view: &QuestionView<R, K>,
        run: &ProverRun<R>,
        p: &R::Position,
        numbers: Numbers,
        best: Option<R::Move>,
    ) -> Vec<R::Move> {
        let game = self.game;
        let (mut line, mut history) = (Vec::new(), self.behind());
        let (mut p, mut won) = (*p, numbers.solved() == Some(true));
        let mut best = best;
        // What the winner keeps; the loser has no say in it.
        let wanted = if won { numbers.value } else { -numbers.value };
        while game.outcome(&p).is_none() && line.len() < MAX_LINE {
            let canonical = game.canonical(&p);
            let key = game.key(&canonical);
            if R::CYCLIC && history.contains(&key) {
                break;
            }
            let mut candidates = self.candidates(view, &p);
            if R::CYCLIC {
                // Moves that keep a fact need not get anywhere: a line that comes back may be worth something else.
                let plies = history.len() + 1;
                candidates.retain_mut(|c| {
                    let mut behind = history.iter().chain([&key]);
                    let Some(at) = behind.position(|k| *k == c.key) else { return true };
                    let Some(back) = view.repeated(&c.position, plies - at) else { return false };
                    c.numbers = back;
                    let winners = if won { -back.value } else { back.value };
                    back.solved() == Some(!won) && winners >= wanted
                });
            }
            let next = match won {
                false => hardest(&candidates),
                true => {
                    // The bound of a loss is at most what was proved for the winner.
                    let keeps = |n: Numbers| n.solved() == Some(false) && -n.value >= wanted;
                    let winning = |c: &&Candidate<R>| keeps(c.numbers);
                    let ends = candidates.iter().filter(winning).find(|c| c.over);
                    let known = candidates.iter().filter(winning).min_by_key(|c| c.work);
                    let proved = || {
                        let searched = || {
                            let (numbers, best) = self.search(view, run, &p, &history)?;
                            // Another proof may be for less, as the question is for less.
                            best.filter(|_| numbers.value >= wanted)
                        };
                        let best = best.or_else(searched)?;
                        let wanted = game.key(&game.canonical(&game.play(&canonical, best)));
                        candidates.iter().find(|c| c.key == wanted)
                    };
                    ends.or(known).or_else(proved)
                }
            };
            let Some(Candidate { mv, position, .. }) = next else { break };
            line.push(*mv);
            // Facts hold below the root. After it, where values depend on the line, they may not.
            if self.path_dependent() {
                break;
            }
            history.push(key);
            (p, won, best) = (*position, !won, None);
        }
        line
    }

    /// The move that the search would go to next, if the table still knows it.
    pub(super) fn favourite(&self, view: &QuestionView<R, K>, p: &R::Position) -> Option<R::Move> {
        let game = self.game;
        let table = self.tables.iter().find(|(t, _)| *t == view.question.at_least);
        let canonical = game.canonical(p);
        let note = table.and_then(|(_, table)| table.get(game.key(&canonical)))?.note;
        if R::CYCLIC || note == 0 {
            return None;
        }
        let mut list = MoveList::new();
        game.moves(&canonical, &mut list);
        let best = list.iter().find(|&mv| game.code(mv) as u32 + 1 == note)?;
        view.way(p, &game.canonical(&game.play(&canonical, best)))
    }

    /// Whether nothing was asked yet.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        self.tables.is_empty()
    }

    /// What the tables know of a position, for what they were asked; nothing where values depend on the line.
    #[must_use]
    pub fn known(&self, p: &R::Position) -> Bounds {
        let game = self.game;
        let all = game.values();
        if self.path_dependent() {
            return all;
        }
        let turn = game.turn(p);
        let key = game.key(&game.canonical(p));
        let solved = self.tables.iter().filter_map(|(_, table)| table.get(key)).map(|k| k.numbers);
        let seen = solved.fold(all.seen_by(turn), |seen, numbers| match numbers.solved() {
            Some(true) => Bounds { lo: seen.lo.max(numbers.value), ..seen },
            Some(false) => Bounds { hi: seen.hi.min(numbers.value), ..seen },
            None => seen,
        });
        seen.seen_by(turn)
    }

    /// The numbers that the table holds of a position for a question that was asked, seen by the player to move there.
    #[must_use]
    pub fn numbers(&self, p: &R::Position, question: Question) -> Option<Numbers> {
        let (_, table) = self.tables.iter().find(|(t, _)| *t == question.at_least)?;
        Some(table.get(self.game.key(&self.game.canonical(p)))?.numbers)
    }

    fn candidates(&self, view: &QuestionView<R, K>, p: &R::Position) -> Vec<Candidate<R>> {
        let game = self.game;
        let at_least = view.question.at_least;
        let table = self.tables.iter().find(|(t, _)| *t == at_least).map(|(_, table)| table);
        let mut list = MoveList::new();
        game.moves(p, &mut list);
        let candidate = |mv| {
            let position = game.play(p, mv);
            let canonical = game.canonical(&position);
            let key = game.key(&canonical);
            let known = table.and_then(|t| t.get(key));
            Candidate {
                mv,
                position,
                key,
                numbers: view
                    .judge(&canonical)
                    .or(known.map(|k| k.numbers))
                    .unwrap_or(Numbers::ONE),
                work: known.map_or(0, |k| k.work),
                over: game.outcome(&position).is_some(),
            }
        };
        list.iter().map(candidate).collect()
    }
}

/// The move that was hardest to refute; one that ends the game only if there is no other.
fn hardest<R: Rules>(candidates: &[Candidate<R>]) -> Option<&Candidate<R>> {
    candidates.iter().rev().max_by_key(|c| (!c.over, c.work))
}
