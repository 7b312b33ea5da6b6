//! Wins, draws and losses of a group that does not fit into memory: the layers of [`retro`](crate::retro), shard by shard.
//!
//! A layer takes the shards one after the other. Each first reads its messages, which decide the cells of this layer, and then
//! sends updates by these cells to the predecessors. As no other shard is in memory to be looked at, every update must be true
//! and come once: a place counts its different ways within the group, predecessors are confirmed by
//! moves before updates are sent, and a place whose count falls to zero is lost without a further look. The cells are the same
//! as in memory.

use crate::DatabaseFailure;
use crate::build::BuildStep;
use crate::group::{Group, Hand, MOST, Segment, To, cell, plies_of, sources, too_long};
use crate::spill::{Message, SpillFiles, Update};
use crate::work;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::AtomicU16;
use std::sync::atomic::Ordering::Relaxed;
use zermelo_game::Sliced;

/// Messages that one thread deals with at a time.
const MESSAGES: usize = 4096;

impl<R: Sliced> Group<'_, R> {
    /// Works out all cells, shard by shard. Returns the slices that the group depends on.
    pub(crate) fn solve_on_disk(
        &self,
        spill: &mut SpillFiles,
    ) -> Result<Vec<R::Slice>, DatabaseFailure> {
        let mut hands = Vec::new();
        self.tell(BuildStep::First);
        for n in 0..spill.shards.len() {
            let shard = &spill.shards[n];
            let (segment, part) = (Segment::new(shard.from, shard.places), shard.part);
            hands.extend(self.each(&segment.chunks(part), |hand, part, _, places| {
                self.first_look(hand, self.parts[part].slice, &segment, places)
            })?);
            if segment.marks.iter().any(|mark| mark.load(Relaxed) == MOST) {
                return Err(DatabaseFailure::Refused(format!(
                    "a position of the slice {} has {MOST} moves or more, too many to count on disk; \
                     with more memory it can be built",
                    self.rules.slice_name(self.parts[part].slice)
                )));
            }
            let due = segment.next.iter().map(|next| next.load(Relaxed)).min();
            spill.shards[n].due = due.unwrap_or(u16::MAX);
            spill.save(n, &segment)?;
        }
        let mut layer = 0u16;
        loop {
            if spill.deliver()? {
                layer = layer.checked_add(1).ok_or_else(too_long)?;
            } else {
                match spill.shards.iter().map(|shard| shard.due).min() {
                    None | Some(u16::MAX) => return Ok(sources(hands)),
                    Some(due) => layer = due,
                }
            }
            self.tell(BuildStep::Layer(layer.into()));
            for n in 0..spill.shards.len() {
                if spill.shards[n].has_messages || spill.shards[n].due == layer {
                    self.one_shard(spill, n, layer)?;
                }
            }
        }
    }

    /// Reads the messages to a shard, and sends what its cells of this layer mean to others.
    fn one_shard(
        &self,
        spill: &mut SpillFiles,
        n: usize,
        layer: u16,
    ) -> Result<(), DatabaseFailure> {
        let (segment, part) = (spill.load(n)?, spill.shards[n].part);
        if spill.shards[n].has_messages {
            spill.read(n, |batch| self.apply(&segment, part, batch, layer - 1))?;
            spill.save(n, &segment)?;
        }
        let least = AtomicU16::new(u16::MAX);
        self.each(&segment.chunks(part), |hand, part, _, places| {
            let mut messages = Vec::new();
            for place in places {
                match segment.cell(place).load(Relaxed) {
                    0 => {}
                    c if plies_of(c) == layer => {
                        let update = if c < 0 { Update::Win } else { Update::Less };
                        self.update_predecessors(hand, part, place, update, spill, &mut messages);
                    }
                    c if plies_of(c) > layer => {
                        least.fetch_min(plies_of(c), Relaxed);
                    }
                    _ => {}
                }
            }
            spill.send(&mut messages)
        })?;
        spill.shards[n].due = least.into_inner();
        Ok(())
    }

    /// Sends an update to all predecessors of a place.
    fn update_predecessors(
        &self,
        hand: &mut Hand<R>,
        part: usize,
        place: u64,
        update: Update,
        spill: &SpillFiles,
        messages: &mut Vec<Message>,
    ) {
        let rules = self.rules;
        let Some(p) = rules.at(self.parts[part].slice, place) else { return };
        let mut before = std::mem::take(&mut hand.before);
        before.clear();
        rules.predecessors(&p, &mut before);
        let mut told = std::mem::take(&mut hand.inside);
        told.clear();
        for q in &before {
            let Some((slice, at)) = rules.place(q) else { continue };
            let Some(n) = self.part(slice) else { continue };
            if !told.contains(&(n, at)) && (R::EXACT || self.leads(hand, q, part, place)) {
                told.push((n, at));
                messages.push(spill.message(n, at, update));
            }
        }
        (hand.before, hand.inside) = (before, told);
    }

    /// Applies a batch of updates of the layer before.
    fn apply(
        &self,
        segment: &Segment,
        part: usize,
        batch: &[(Update, u64)],
        layer: u16,
    ) -> Result<(), DatabaseFailure> {
        let failure: Mutex<Option<DatabaseFailure>> = Mutex::new(None);
        let chunks: Vec<_> = batch.chunks(MESSAGES).collect();
        work::share(self.config.threads, chunks.len(), &self.stop, Hand::new, |hand, n| {
            for &(update, place) in chunks[n] {
                if let Err(e) = self.apply_one(hand, segment, part, update, place, layer) {
                    failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(e);
                }
            }
        });
        failure.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
    }

    fn apply_one(
        &self,
        hand: &mut Hand<R>,
        segment: &Segment,
        part: usize,
        update: Update,
        place: u64,
        layer: u16,
    ) -> Result<(), DatabaseFailure> {
        let known = segment.cell(place).load(Relaxed);
        if update == Update::Win {
            if known == 0 || plies_of(known) > layer + 1 {
                segment.set(place, cell(1, layer + 1)?);
            }
            return Ok(());
        }
        if known != 0 {
            return Ok(());
        }
        let fewer = segment
            .mark(place)
            .fetch_update(Relaxed, Relaxed, |m| (m > 0 && m < MOST).then(|| m - 1));
        if fewer == Ok(1) {
            let longest = self.longest_way_out(hand, part, place)?.max(layer);
            segment.set(place, cell(-1, longest.checked_add(1).ok_or_else(too_long)?)?);
        }
        Ok(())
    }

    /// The plies of the longest way out of the group, all of which lose.
    pub(crate) fn longest_way_out(
        &self,
        hand: &mut Hand<R>,
        part: usize,
        place: u64,
    ) -> Result<u16, DatabaseFailure> {
        if !self.config.distance {
            return Ok(0);
        }
        let rules = self.rules;
        let Some(p) = rules.at(self.parts[part].slice, place) else { return Ok(0) };
        hand.after.clear();
        rules.places_after(&p, &mut hand.moves, &mut hand.after);
        let mut longest = 0;
        for next in &hand.after {
            if let To::Outside(entry) = self.find(*next, None)? {
                longest = longest.max(self.plies(entry)?);
            }
        }
        Ok(longest)
    }
}
