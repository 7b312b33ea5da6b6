//! Scores of a group by sweeps.
//!
//! Every place starts with 0, what is worth a line that goes round in circles, and takes the best of
//! its ways out and of what its moves within the group are worth, again and again until nothing changes. This finds the
//! value: for a score `t` above 0, the places known to be worth `t` are at any time places from which the player to move can
//! force `t` in so many plies, and once known they stay so; for a score below 0 the same holds of the
//! other player. So values only ever move away from 0, and what they come to does not depend on the order in which places
//! are looked at, nor on the number of threads.

use crate::Failure;
use crate::build::Step;
use crate::group::{EMPTY, Group, Hand, LOUD, SAFE, To};
use std::sync::atomic::{AtomicBool, AtomicI16, Ordering::Relaxed};
use zermelo_game::{Sliced, Value};

impl<G: Sliced> Group<'_, G> {
    /// What is kept of a line that comes back to a position: every place starts with 0, so it must be that.
    fn rest(&self, p: &G::Position) -> Value {
        let (game, turn) = (self.game, self.game.turn(p));
        game.repeated(p, 2).map_or(0, |value| game.kept_for(p, value * turn.sign()))
    }

    /// Works out all cells. Returns the slices that the group rests on.
    pub(crate) fn solve_scores(&self) -> Result<Vec<G::Slice>, Failure> {
        let (game, chunks) = (self.game, self.chunks());
        // The best way out of each place.
        let ways: Vec<Vec<AtomicI16>> = self
            .parts
            .iter()
            .map(|part| (0..part.places).map(|_| AtomicI16::new(Value::MIN)).collect())
            .collect();
        self.tell(Step::First);
        let hands = self.each(&chunks, |hand, part, _, places| {
            for place in places {
                let (way, mark) =
                    (&ways[part][place as usize], &self.parts[part].marks[place as usize]);
                let cell = &self.parts[part].cells[place as usize];
                let Some(p) = game.at(self.parts[part].slice, place) else {
                    mark.store(EMPTY, Relaxed);
                    continue;
                };
                if let Some(value) = game.outcome(&p) {
                    cell.store(game.kept_for(&p, value * game.turn(&p).sign()), Relaxed);
                    mark.store(SAFE, Relaxed);
                    continue;
                }
                if G::CYCLIC && self.rest(&p) != 0 {
                    return Err(Failure::Refused(format!(
                        "coming back to \"{}\" is worth something there, not 0",
                        game.position_text(&p)
                    )));
                }
                let Hand { moves, sources, .. } = hand;
                moves.clear();
                game.moves(&p, moves);
                let (mut best, mut inside) = (None, false);
                for m in moves.iter() {
                    match self.find(&game.play(&p, m), Some(sources))? {
                        To::Inside(..) => inside = true,
                        To::Outside(entry) => best = best.max(Some(-entry.value)),
                    }
                }
                if let Some(best) = best {
                    way.store(best, Relaxed);
                }
                if !inside {
                    // Nothing of the group can change it.
                    cell.store(game.kept_for(&p, best.unwrap_or(0)), Relaxed);
                    mark.store(if game.loud(&p) { LOUD } else { SAFE }, Relaxed);
                }
            }
            Ok(())
        })?;
        let mut sources: Vec<G::Slice> = hands.into_iter().flat_map(|h| h.sources).collect();
        sources.sort();
        sources.dedup();
        for sweep in 0.. {
            self.tell(Step::Layer(sweep));
            let changes = AtomicBool::new(false);
            self.each(&chunks, |hand, part, _, places| {
                for place in places {
                    if self.parts[part].marks[place as usize].load(Relaxed) != 0 {
                        continue;
                    }
                    let Some(p) = game.at(self.parts[part].slice, place) else { continue };
                    hand.moves.clear();
                    game.moves(&p, &mut hand.moves);
                    let mut best = ways[part][place as usize].load(Relaxed);
                    for m in hand.moves.iter() {
                        let next = game.play(&p, m);
                        let Some((slice, at)) = game.place(&next) else { continue };
                        let Some(n) = self.part(slice) else { continue };
                        let stored = self.parts[n].cells[at as usize].load(Relaxed);
                        best = best.max(-game.value_of(&next, stored));
                    }
                    let (best, cell) =
                        (game.kept_for(&p, best), &self.parts[part].cells[place as usize]);
                    if cell.swap(best, Relaxed) != best {
                        changes.store(true, Relaxed);
                    }
                }
                Ok(())
            })?;
            if !changes.into_inner() {
                break;
            }
        }
        Ok(sources)
    }
}
