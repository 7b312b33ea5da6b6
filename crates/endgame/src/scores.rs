//! Scores of a group by sweeps.
//!
//! Every place starts with 0, what is worth a line that goes round in circles, and takes the best of
//! its ways out and of what its moves within the group are worth, again and again until nothing changes. This finds the
//! value: for a score `t` above 0, the places known to be worth `t` are at any time places from which the player to move can
//! force `t` in so many plies, and once known they stay so; for a score below 0 the same holds of the
//! other player. So values only ever move away from 0, and what they come to does not depend on the order in which places
//! are looked at, nor on the number of threads.
//!
//! Where memory allows, the first look keeps where the moves within the group lead, and sweeps play no moves.

use crate::DatabaseFailure;
use crate::build::BuildStep;
use crate::group::{CHUNK, EMPTY, Group, Hand, NOISY, PLACE_BYTES, SAFE, SCORE_BYTES, To, sources};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI16, Ordering::Relaxed};
use zermelo_game::{Sliced, Value};

/// Bytes that the moves of a place take, more or less.
const LINK_BYTES: u64 = 64;

/// A move within the group: the place it leads to, and what it is worth by what is kept there.
#[derive(Clone, Copy)]
struct Link {
    place: u64,
    part: u32,
    worth: Worth,
}

/// `plus` and what is kept, or less what is kept.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Worth {
    plus: Value,
    less: bool,
}

impl Worth {
    #[inline(always)]
    fn of(self, kept: Value) -> Value {
        self.plus + if self.less { -kept } else { kept }
    }
}

/// The moves within the group of all places of a chunk.
#[derive(Default)]
struct Links {
    /// Where the moves of each place end.
    ends: Vec<u32>,
    links: Vec<Link>,
}

impl<R: Sliced> Group<'_, R> {
    /// What is kept of a line that repeats a position: every place starts with 0, so it must be that.
    fn rest(&self, p: &R::Position) -> Value {
        let (rules, turn) = (self.rules, self.rules.turn(p));
        rules.repeated(p, 2).map_or(0, |value| rules.kept_for(p, value * turn.sign()))
    }

    /// What is to be kept of `p` for a move that leads to `next`, by what is kept there.
    fn worth(&self, p: &R::Position, next: &R::Position, kept: Value) -> Value {
        self.rules.kept_for(p, -self.rules.value_of(next, kept))
    }

    /// The same for all that may be kept, if it is that simple. Two values suffice to see it: no two that may be kept
    /// are worth the same, and worth rises or falls all along, so it does so by one where it does so on the whole.
    fn simply(&self, p: &R::Position, next: &R::Position, slice: R::Slice) -> Option<Worth> {
        let plus = self.worth(p, next, 0);
        let range = self.rules.kept_values(slice);
        let less = self.worth(p, next, range.hi) < plus;
        let worth = Worth { plus, less };
        let fits = |kept: Value| worth.of(kept) == self.worth(p, next, kept);
        (fits(range.lo) && fits(range.hi)).then_some(worth)
    }

    /// Works out all cells. Returns the slices that the group depends on.
    pub(crate) fn solve_scores(&self) -> Result<Vec<R::Slice>, DatabaseFailure> {
        let chunks = self.chunks();
        let places: u64 = self.parts.iter().map(|part| part.places).sum();
        // The best way out of each place.
        let fresh = |places: u64| (0..places).map(|_| AtomicI16::new(Value::MIN)).collect();
        let ways: Vec<Vec<AtomicI16>> = self.parts.iter().map(|part| fresh(part.places)).collect();
        let links: Vec<Vec<OnceLock<Links>>> = self
            .parts
            .iter()
            .map(|part| (0..part.places.div_ceil(CHUNK)).map(|_| OnceLock::new()).collect())
            .collect();
        let spare = self.config.memory.saturating_sub(places * (PLACE_BYTES + SCORE_BYTES)) / 2;
        let simple = AtomicBool::new(places.saturating_mul(LINK_BYTES) < spare);
        self.tell(BuildStep::First);
        let hands = self.each(&chunks, |hand, part, chunk, places| {
            let mut here = Links::default();
            for place in places {
                self.first_score(hand, &ways, part, place, &simple, &mut here.links)?;
                here.ends.push(here.links.len() as u32);
            }
            let _ = links[part][chunk].set(here);
            Ok(())
        })?;
        let sources = sources(hands);
        let simple = simple.into_inner();
        for sweep in 0.. {
            self.tell(BuildStep::Layer(sweep));
            let changes = AtomicBool::new(false);
            self.each(&chunks, |hand, part, chunk, places| {
                let linked = links[part][chunk].get().filter(|_| simple);
                self.swept.fetch_add(places.end - places.start, Relaxed);
                for (i, place) in places.enumerate() {
                    if self.segments[part].mark(place).load(Relaxed) != 0 {
                        continue;
                    }
                    let way = ways[part][place as usize].load(Relaxed);
                    let best = match linked {
                        Some(Links { ends, links }) => {
                            let from = if i == 0 { 0 } else { ends[i - 1] as usize };
                            links[from..ends[i] as usize].iter().fold(way, |best, link| {
                                let cell = self.segments[link.part as usize].cell(link.place);
                                best.max(link.worth.of(cell.load(Relaxed)))
                            })
                        }
                        None => self.by_moves(hand, part, place, way),
                    };
                    if self.segments[part].cell(place).swap(best, Relaxed) != best {
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

    /// Looks at a place for the first time.
    fn first_score(
        &self,
        hand: &mut Hand<R>,
        ways: &[Vec<AtomicI16>],
        part: usize,
        place: u64,
        simple: &AtomicBool,
        links: &mut Vec<Link>,
    ) -> Result<(), DatabaseFailure> {
        let rules = self.rules;
        let mark = self.segments[part].mark(place);
        let cell = self.segments[part].cell(place);
        let Some(p) = rules.at(self.parts[part].slice, place) else {
            mark.store(EMPTY, Relaxed);
            return Ok(());
        };
        if let Some(value) = rules.outcome(&p) {
            cell.store(rules.kept_for(&p, value * rules.turn(&p).sign()), Relaxed);
            mark.store(SAFE, Relaxed);
            return Ok(());
        }
        if R::CYCLIC && self.rest(&p) != 0 {
            return Err(DatabaseFailure::Refused(format!(
                "coming back to \"{}\" is worth something there, not 0",
                rules.position_text(&p)
            )));
        }
        let Hand { moves, sources, .. } = hand;
        moves.clear();
        rules.moves(&p, moves);
        let (mut best, mut inside) = (None, false);
        for m in moves.iter() {
            let next = rules.play(&p, m);
            match self.find_position(&next, Some(sources))? {
                To::Outside(entry) => best = best.max(Some(rules.kept_for(&p, -entry.value))),
                To::Inside(to, place) => {
                    inside = true;
                    if simple.load(Relaxed) {
                        match self.simply(&p, &next, self.parts[to].slice) {
                            Some(worth) => links.push(Link { place, part: to as u32, worth }),
                            None => simple.store(false, Relaxed),
                        }
                    }
                }
            }
        }
        if let Some(best) = best {
            ways[part][place as usize].store(best, Relaxed);
        }
        if !inside {
            // Nothing of the group can change it.
            cell.store(best.unwrap_or(0), Relaxed);
            mark.store(if rules.noisy(&p) { NOISY } else { SAFE }, Relaxed);
        }
        Ok(())
    }

    /// The best of a way out and of the moves within the group.
    fn by_moves(&self, hand: &mut Hand<R>, part: usize, place: u64, way: Value) -> Value {
        let rules = self.rules;
        let Some(p) = rules.at(self.parts[part].slice, place) else { return way };
        hand.moves.clear();
        rules.moves(&p, &mut hand.moves);
        let mut best = way;
        for m in hand.moves.iter() {
            let next = rules.play(&p, m);
            let Some((slice, at)) = rules.place(&next) else { continue };
            let Some(n) = self.part(slice) else { continue };
            let kept = self.segments[n].cell(at).load(Relaxed);
            best = best.max(self.worth(&p, &next, kept));
        }
        best
    }
}
