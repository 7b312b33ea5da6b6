//! Wins, draws and losses of a group by retrograde analysis (Stroehlein 1970, Thompson 1986), in layers of plies.
//!
//! 1. Every place is looked at once. What the ways out of the group decide is decided: a way out to a lost position
//!    wins, a way out to a draw makes the place safe, and a place with only lost ways out is lost. The other places
//!    get the number of different places inside the group that their moves lead to.
//! 2. Layer after layer, the positions that are decided in `n` plies are taken back by one move. Before a
//!    loss stands a win; before a win stands a place with one way less, and one that has none left is lost.
//!    Predecessors may say too much, so a place is decided only after its moves have been played and
//!    confirm it, unless the game vouches for them. They may not say too little; `verify` would find out, as it does not use them.
//! 3. What is open at the end is a draw: neither player can force anything, so both can go round in circles.
//!
//! Ways out that take longer than the present layer are in their cells already, and count from their layer on:
//! a cell of more plies than the present layer is a bound that may still shrink. Every cell depends on cells of
//! earlier layers only, so the result is the same for any number of threads.
//!
//! Without predecessors, each layer looks at all places that are open.

use crate::DatabaseFailure;
use crate::build::BuildStep;
use crate::group::{
    BATCH, EMPTY, Group, Hand, MOST, NOISY, SAFE, Segment, To, cell, plies_of, sources, too_long,
};
use std::ops::Range;
use std::sync::atomic::Ordering::{AcqRel, Relaxed};
use zermelo_game::{Next, Sliced};

/// So few batches of places are not worth a second thread.
const FEW: usize = 128;

/// What the moves of a position say at some layer.
enum Verdict {
    Win(u16),
    Loss(u16),
    Open,
}

impl<R: Sliced> Group<'_, R> {
    /// Works out all cells. Returns the slices that the group depends on.
    pub(crate) fn solve_wdl(&self) -> Result<Vec<R::Slice>, DatabaseFailure> {
        let chunks = self.chunks();
        self.tell(BuildStep::First);
        let hands = self.each(&chunks, |hand, part, _, places| {
            self.first_look(hand, self.parts[part].slice, &self.segments[part], places)
        })?;
        if R::PREDECESSORS {
            self.layers(&chunks)?
        } else {
            self.sweeps(&chunks)?
        }
        Ok(sources(hands))
    }

    /// Looks at places for the first time.
    pub(crate) fn first_look(
        &self,
        hand: &mut Hand<R>,
        slice: R::Slice,
        segment: &Segment,
        places: Range<u64>,
    ) -> Result<(), DatabaseFailure> {
        let rules = self.rules;
        rules.walk(slice, places, |place, p| {
            let mark = segment.mark(place);
            let Some(p) = p else {
                mark.store(EMPTY, Relaxed);
                return Ok(());
            };
            if let Some(value) = rules.outcome(&p) {
                match value * rules.turn(&p).sign() {
                    0 => mark.store(SAFE, Relaxed),
                    value => segment.set(place, cell(value, 0)?),
                }
                return Ok(());
            }
            let Hand { moves, inside, after, sources, .. } = hand;
            after.clear();
            inside.clear();
            rules.places_after(&p, moves, after);
            let (mut win, mut drawn, mut lost) = (None, false, None);
            for next in after {
                // Without distances one win will do, but files list all that moves lead to.
                if win.is_some()
                    && !self.config.distance
                    && let Next::Place(slice, _) = *next
                    && self.inside(slice, Some(sources)).is_none()
                {
                    continue;
                }
                match self.find(*next, Some(sources))? {
                    To::Inside(part, place) => inside.push((part, place)),
                    To::Outside(entry) => {
                        let plies = self.plies(entry)?.checked_add(1).ok_or_else(too_long)?;
                        match entry.value {
                            v if v < 0 => win = Some(win.map_or(plies, |w: u16| w.min(plies))),
                            0 => drawn = true,
                            _ => lost = lost.max(Some(plies)),
                        }
                    }
                }
            }
            if let Some(plies) = win {
                segment.set(place, cell(1, plies)?);
            } else if drawn {
                mark.store(SAFE, Relaxed);
            } else if inside.is_empty() {
                segment.set(place, cell(-1, lost.unwrap_or(0))?);
            } else {
                if !R::EXACT {
                    inside.sort_unstable();
                    inside.dedup();
                } else if inside.len() >= MOST.into() {
                    return Err(DatabaseFailure::Refused("too many moves to be counted".into()));
                }
                mark.store(inside.len().min(MOST.into()) as u8, Relaxed);
            }
            if inside.is_empty() && rules.noisy(&p) {
                mark.store(NOISY, Relaxed);
            }
            Ok(())
        })
    }

    /// Takes moves back, layer by layer.
    fn layers(&self, chunks: &[(usize, usize)]) -> Result<(), DatabaseFailure> {
        loop {
            let due = |&(part, chunk): &(usize, usize)| self.segments[part].due(chunk);
            let dues: Vec<(u16, usize)> = chunks.iter().map(due).collect();
            let layer = dues.iter().map(|due| due.0).min();
            let Some(layer) = layer.filter(|layer| *layer < u16::MAX) else {
                return Ok(());
            };
            let now = || chunks.iter().zip(&dues).filter(|(_, due)| due.0 == layer);
            // Most layers are small, and threads take time to start.
            let batches: usize = now().map(|(_, due)| due.1).sum();
            let threads = if batches < FEW { 1 } else { self.config.threads };
            let now: Vec<_> = now().map(|(chunk, _)| *chunk).collect();
            self.tell(BuildStep::Layer(layer.into()));
            self.each_by(threads, &now, |hand, part, chunk, places| {
                let segment = &self.segments[part];
                for (n, later) in segment.next_in(chunk).iter().enumerate() {
                    if later.load(Relaxed) != layer {
                        continue;
                    }
                    // Whoever decides a cell here from now on says so after this.
                    later.swap(u16::MAX, AcqRel);
                    let mut least = u16::MAX;
                    let from = places.start + n as u64 * BATCH;
                    for place in from..(from + BATCH).min(places.end) {
                        match segment.cell(place).load(Relaxed) {
                            0 => {}
                            c if plies_of(c) == layer => {
                                self.take_back(hand, part, place, c, layer)?;
                            }
                            c if plies_of(c) > layer => least = least.min(plies_of(c)),
                            _ => {}
                        }
                    }
                    if least < u16::MAX {
                        later.fetch_min(least, AcqRel);
                    }
                }
                self.tell_waiting(hand, layer)
            })?;
        }
    }

    /// Decides what stands before a place that is decided in `layer` plies.
    fn take_back(
        &self,
        hand: &mut Hand<R>,
        part: usize,
        place: u64,
        decided: i16,
        layer: u16,
    ) -> Result<(), DatabaseFailure> {
        let rules = self.rules;
        let Some(p) = rules.at(self.parts[part].slice, place) else { return Ok(()) };
        if R::EXACT {
            return self.take_back_exactly(hand, &p, decided, layer);
        }
        let mut before = std::mem::take(&mut hand.before);
        before.clear();
        rules.predecessors(&p, &mut before);
        let mut seen: arrayvec::ArrayVec<(usize, u64), 64> = arrayvec::ArrayVec::new();
        for q in &before {
            let Some((slice, at)) = rules.place(q) else { continue };
            let Some(n) = self.part(slice) else { continue };
            let known = self.segments[n].cell(at).load(Relaxed);
            if decided < 0 {
                // A loss: who moved there wins, unless it did so sooner anyway.
                if (known == 0 || plies_of(known) > layer + 1) && self.leads(hand, q, part, place) {
                    self.segments[n].set(at, cell(1, layer + 1)?);
                }
                continue;
            }
            if known != 0 {
                continue;
            }
            // A win: one way less, once for this place.
            if seen.contains(&(n, at)) {
                continue;
            }
            if seen.try_push((n, at)).is_err() {
                seen.clear();
            }
            let mark = self.segments[n].mark(at);
            let fewer =
                mark.fetch_update(Relaxed, Relaxed, |m| (m <= MOST).then_some(m.saturating_sub(1)));
            if fewer.is_ok_and(|m| m <= 1)
                && let Verdict::Loss(plies) = self.judge(hand, q, layer)?
            {
                self.segments[n].set(at, cell(-1, plies)?);
            }
        }
        hand.before = before;
        Ok(())
    }

    /// The same where moves backwards are exact: nothing is played again, nothing comes twice. Memory is slow, so update is
    /// told when the next place has been found.
    #[inline(always)]
    fn take_back_exactly(
        &self,
        hand: &mut Hand<R>,
        p: &R::Position,
        decided: i16,
        layer: u16,
    ) -> Result<(), DatabaseFailure> {
        let mut places = std::mem::take(&mut hand.places);
        places.clear();
        self.rules.places_before(p, &mut hand.before, &mut places);
        for &(slice, at) in &places {
            if let Some(n) = self.part(slice) {
                self.segments[n].fetch(at, decided < 0);
            }
        }
        hand.places = places;
        self.tell_waiting(hand, layer)?;
        hand.waiting.0 = decided;
        std::mem::swap(&mut hand.places, &mut hand.waiting.1);
        Ok(())
    }

    /// Tells those who wait.
    #[inline(always)]
    fn tell_waiting(&self, hand: &mut Hand<R>, layer: u16) -> Result<(), DatabaseFailure> {
        let (decided, mut waiting) = std::mem::take(&mut hand.waiting);
        for &(slice, at) in &waiting {
            let Some(n) = self.part(slice) else { continue };
            let (segment, mark) = (&self.segments[n], self.segments[n].mark(at));
            if decided < 0 {
                // The moves of noisy places leave the group.
                if mark.load(Relaxed) == NOISY {
                    continue;
                }
                let known = segment.cell(at).load(Relaxed);
                if known == 0 || plies_of(known) > layer + 1 {
                    segment.set(at, cell(1, layer + 1)?);
                }
            } else if (1..=MOST).contains(&mark.load(Relaxed)) && mark.fetch_sub(1, Relaxed) == 1 {
                // The last way is gone, and none has won: those that do are not counted.
                let longest = self.longest_way_out(hand, n, at)?.max(layer);
                segment.set(at, cell(-1, longest.checked_add(1).ok_or_else(too_long)?)?);
            }
        }
        waiting.clear();
        hand.waiting.1 = waiting;
        Ok(())
    }

    /// Whether a move leads from `q` to this place.
    pub(crate) fn leads(
        &self,
        hand: &mut Hand<R>,
        q: &R::Position,
        part: usize,
        place: u64,
    ) -> bool {
        let rules = self.rules;
        if rules.outcome(q).is_some() {
            return false;
        }
        hand.moves.clear();
        rules.moves(q, &mut hand.moves);
        let wanted = Some((self.parts[part].slice, place));
        hand.moves.iter().any(|m| rules.place(&rules.play(q, m)) == wanted)
    }

    /// What the moves say, if only cells of at most `layer` plies count.
    fn judge(
        &self,
        hand: &mut Hand<R>,
        q: &R::Position,
        layer: u16,
    ) -> Result<Verdict, DatabaseFailure> {
        let rules = self.rules;
        if rules.outcome(q).is_some() {
            return Ok(Verdict::Open);
        }
        hand.after.clear();
        rules.places_after(q, &mut hand.moves, &mut hand.after);
        let (mut all, mut longest, mut shortest) = (true, 0, None);
        for next in &hand.after {
            let (value, plies) = match self.find(*next, None)? {
                To::Outside(entry) => (entry.value, self.plies(entry)?),
                To::Inside(part, place) => {
                    let known = self.segments[part].cell(place).load(Relaxed);
                    match known {
                        0 => (0, 0),
                        c if plies_of(c) > layer => (0, 0),
                        c => (c.signum(), plies_of(c)),
                    }
                }
            };
            match value {
                v if v > 0 => longest = longest.max(plies),
                0 => all = false,
                _ => {
                    all = false;
                    shortest = Some(shortest.map_or(plies, |s: u16| s.min(plies)));
                }
            }
        }
        let more = |plies: u16| plies.checked_add(1).ok_or_else(too_long);
        Ok(match shortest {
            Some(plies) => Verdict::Win(more(plies)?),
            None if all => Verdict::Loss(more(longest)?),
            None => Verdict::Open,
        })
    }

    /// Looks at all open places again and again.
    fn sweeps(&self, chunks: &[(usize, usize)]) -> Result<(), DatabaseFailure> {
        let mut layer = 0u16;
        loop {
            self.tell(BuildStep::Layer(layer.into()));
            let changes = std::sync::atomic::AtomicBool::new(false);
            let later = std::sync::atomic::AtomicU16::new(u16::MAX);
            self.each(chunks, |hand, part, _, places| {
                self.swept.fetch_add(places.end - places.start, Relaxed);
                for place in places {
                    let known = self.segments[part].cell(place).load(Relaxed);
                    let mark = self.segments[part].mark(place).load(Relaxed);
                    if known != 0 && plies_of(known) > layer {
                        later.fetch_min(plies_of(known), Relaxed);
                    }
                    if mark == EMPTY
                        || mark == NOISY
                        || (known != 0 && plies_of(known) <= layer + 1)
                    {
                        continue;
                    }
                    let Some(p) = self.rules.at(self.parts[part].slice, place) else { continue };
                    let found = match self.judge(hand, &p, layer)? {
                        Verdict::Win(plies) => cell(1, plies)?,
                        Verdict::Loss(plies) => cell(-1, plies)?,
                        Verdict::Open => continue,
                    };
                    if found != known {
                        self.segments[part].set(place, found);
                        changes.store(true, Relaxed);
                        later.fetch_min(plies_of(found), Relaxed);
                    }
                }
                Ok(())
            })?;
            if !changes.into_inner() && later.load(Relaxed) == u16::MAX {
                return Ok(());
            }
            layer = layer.checked_add(1).ok_or_else(too_long)?;
        }
    }
}
