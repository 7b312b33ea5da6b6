//! What df-pn keeps of a position in the [table](crate::table), in 60 bits at most.
//!
//! ```text
//! used 1 | phi 22 | delta 22 | work 6 | note up to 9
//! ```
//!
//! Where a position is solved one of the numbers is 0 and the other one holds the value. The note is
//! the code of the best move; where positions can repeat it is the least distance from the root at
//! which the position was met, by which df-pn(r) tells old children from new ones.

use crate::proofnumber::numbers::{INF, NUMBER_BITS, Numbers};
use crate::table::{EntryCodec, WORK_BITS};
use zermelo_game::{Game, Knowledge, Rules, Value};

/// Notes are below this.
const NOTES: u32 = 1 << NOTE_BITS;
const NOTE_BITS: u32 = 9;

/// What is known of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NumbersEntry {
    /// Its numbers.
    pub numbers: Numbers,
    /// Logarithm (base 2) of the nodes it took.
    pub work: u32,
    /// See the module; 0 for none.
    pub note: u32,
}

/// How it is written.
#[derive(Clone, Copy, Debug)]
pub struct NumbersCodec {
    /// Added to values, so that they are positive.
    offset: Value,
    note_bits: u32,
    /// See [`lasting`](Self::lasting).
    lasting: bool,
}

impl NumbersCodec {
    /// The fields for a game.
    pub fn new<R: Rules, K: Knowledge<R>>(game: Game<R, K>) -> NumbersCodec {
        let values = game.values();
        let codes = usize::BITS - game.codes().leading_zeros();
        let note_bits = if R::CYCLIC { NOTE_BITS } else { codes.min(NOTE_BITS) };
        let offset = 1 + values.lo.abs().max(values.hi.abs());
        NumbersCodec { offset, note_bits, lasting: false }
    }

    /// Whether the work of an entry is that of its longest visit, not of the last one. Sweeps need that: they
    /// would take a large node after a short visit. Within buckets it makes large nodes stay long after they are of
    /// use.
    pub fn lasting(self, lasting: bool) -> NumbersCodec {
        NumbersCodec { lasting, ..self }
    }

    /// A note that fits; 0 for one that does not.
    #[inline(always)]
    pub fn note(&self, note: u32) -> u32 {
        if note >> self.note_bits == 0 { note } else { 0 }
    }

    /// The largest distance that can be kept.
    pub const MOST_DISTANCE: u32 = NOTES - 1;
}

const PHI_AT: u32 = 1;
const DELTA_AT: u32 = PHI_AT + NUMBER_BITS;
const WORK_AT: u32 = DELTA_AT + NUMBER_BITS;
const NOTE_AT: u32 = WORK_AT + WORK_BITS;

impl EntryCodec for NumbersCodec {
    type Entry = NumbersEntry;

    #[inline(always)]
    fn end(&self) -> u32 {
        NOTE_AT + self.note_bits
    }

    #[inline(always)]
    fn pack(&self, known: &NumbersEntry) -> u64 {
        let Numbers { phi, delta, value } = known.numbers;
        let value = (value + self.offset) as u32;
        let (phi, delta) = match known.numbers.solved() {
            Some(true) => (0, value),
            Some(false) => (value, 0),
            None => (phi, delta),
        };
        debug_assert!(known.note >> self.note_bits == 0 && known.work >> WORK_BITS == 0);
        1 | u64::from(phi) << PHI_AT
            | u64::from(delta) << DELTA_AT
            | u64::from(known.work) << WORK_AT
            | u64::from(known.note) << NOTE_AT
    }

    #[inline(always)]
    fn unpack(&self, data: u64) -> NumbersEntry {
        let take = |at: u32, bits: u32| (data >> at & ((1 << bits) - 1)) as u32;
        let (phi, delta) = (take(PHI_AT, NUMBER_BITS), take(DELTA_AT, NUMBER_BITS));
        let value = |number: u32| number as Value - self.offset;
        let numbers = match (phi, delta) {
            (0, value_kept) => Numbers::won(value(value_kept)),
            (value_kept, 0) => Numbers::lost(value(value_kept)),
            _ => Numbers::open(phi, delta),
        };
        debug_assert!(phi <= INF && delta <= INF);
        NumbersEntry { numbers, work: self.work(data), note: take(NOTE_AT, self.note_bits) }
    }

    #[inline(always)]
    fn over(&self, old: u64, new: u64) -> u64 {
        if !self.lasting {
            return new;
        }
        let work = self.work(old).max(self.work(new));
        new & !(((1 << WORK_BITS) - 1) << WORK_AT) | u64::from(work) << WORK_AT
    }

    #[inline(always)]
    fn work(&self, data: u64) -> u32 {
        (data >> WORK_AT & ((1 << WORK_BITS) - 1)) as u32
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::proofnumber::numbers::MOST;
    use zermelo_games::mnk::Mnk;

    #[test]
    fn what_is_packed_comes_back() {
        let fields = NumbersCodec::new(Game::bare(&Mnk::<u64>::new(3, 3, 3)));
        for numbers in [
            Numbers::ONE,
            Numbers::open(MOST, INF),
            Numbers::won(-1),
            Numbers::won(1),
            Numbers::lost(0),
        ] {
            for (work, note) in [(0, 0), (63, 9)] {
                let known = NumbersEntry { numbers, work, note };
                let rubbish = u64::MAX << fields.end();
                assert_eq!(fields.unpack(fields.pack(&known) | rubbish), known);
            }
        }
        assert_eq!((fields.note(9), fields.note(16)), (9, 0));
        assert!(fields.end() <= 60);
    }
}
