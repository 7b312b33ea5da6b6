//! The blocks of a certificate as they lie in a file or in memory, and the answers in them.
//!
//! A block is never in memory as a whole: its bytes are read piece by piece, and what a piece unpacks to is handed on through a
//! small buffer. The digest is taken of the very bytes that are unpacked, as they come; it is known when the block is at
//! its end. So nothing that a [`AnswerReader`] says counts before [`AnswerReader::finish`] has said that the block was what its header
//! states. When a walk fails the rest of its block is read all the same: damage is to be called damage.

use crate::format::{Refusal, StrategyAnswer, hexadecimal};
use crate::header::Block;
use flate2::{Decompress, FlushDecompress, Status};
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// So many bytes are read, and unpacked, at a time.
const PIECE: usize = 1 << 16;

/// Bytes that a reader takes: two pieces, and what the decoder remembers.
pub(crate) const READER_BYTES: u64 = 2 * PIECE as u64 + (1 << 16);

/// The blocks of all claims, one after the other.
#[derive(Clone, Debug)]
pub(crate) enum PackedBlocks {
    /// In memory.
    Memory(Vec<u8>),
    /// In an open file, from a place on.
    File { file: Arc<File>, at: u64, len: u64 },
}

impl PartialEq for PackedBlocks {
    /// Whether they are the same bytes in memory, or the same place of the same open file.
    fn eq(&self, other: &PackedBlocks) -> bool {
        match (self, other) {
            (PackedBlocks::Memory(a), PackedBlocks::Memory(b)) => a == b,
            (
                PackedBlocks::File { file: a, at, len },
                PackedBlocks::File { file: b, at: there, len: long },
            ) => Arc::ptr_eq(a, b) && (at, len) == (there, long),
            _ => false,
        }
    }
}

impl PackedBlocks {
    pub(crate) fn len(&self) -> u64 {
        match self {
            PackedBlocks::Memory(bytes) => bytes.len() as u64,
            PackedBlocks::File { len, .. } => *len,
        }
    }

    /// Bytes from a place on, as many as come at once.
    pub(crate) fn read(&self, from: u64, out: &mut [u8]) -> io::Result<usize> {
        match self {
            PackedBlocks::Memory(bytes) => {
                let there = usize::try_from(from).ok().and_then(|from| bytes.get(from..));
                let there = there.unwrap_or(&[]);
                let n = there.len().min(out.len());
                out[..n].copy_from_slice(&there[..n]);
                Ok(n)
            }
            PackedBlocks::File { file, at, .. } => loop {
                match file.read_at(out, at.saturating_add(from)) {
                    Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                    read => return read,
                }
            },
        }
    }
}

/// A block of a certificate.
#[derive(Clone, Copy)]
pub(crate) struct Packed<'p> {
    pub(crate) blocks: &'p PackedBlocks,
    /// Where it begins.
    pub(crate) at: u64,
    /// What the header says of it.
    pub(crate) block: &'p Block,
}

/// How far a reader has come.
enum State {
    /// There may be more.
    Open,
    /// The zlib stream has come to its end, and the block with it.
    Done,
    /// It is no such block.
    Wrong(&'static str),
    /// It cannot be read.
    Unreadable(Refusal),
}

/// Reads the answers of a block one after the other.
pub(crate) struct AnswerReader<'r> {
    packed: Packed<'r>,
    cancel: Option<&'r AtomicBool>,
    /// Bytes of the block that have been read.
    read: u64,
    digest: Sha256,
    piece: Vec<u8>,
    piece_at: usize,
    decoder: Decompress,
    /// Bytes of answers that have been unpacked.
    unpacked: u64,
    answers: Vec<u8>,
    at: usize,
    end: usize,
    state: State,
}

impl<'r> AnswerReader<'r> {
    pub(crate) fn new(packed: Packed<'r>, cancel: Option<&'r AtomicBool>) -> AnswerReader<'r> {
        // At least one byte, so that the decoder can say that it is done.
        let size = packed.block.most().clamp(1, PIECE as u64) as usize;
        AnswerReader {
            packed,
            cancel,
            read: 0,
            digest: Sha256::new(),
            piece: Vec::new(),
            piece_at: 0,
            decoder: Decompress::new(true),
            unpacked: 0,
            answers: vec![0; size],
            at: 0,
            end: 0,
            state: State::Open,
        }
    }

    /// The next answer; `None` if there is none, or none that makes sense. Most take one byte.
    #[inline(always)]
    pub(crate) fn next(&mut self) -> Option<StrategyAnswer> {
        match self.next_byte()? {
            byte @ 0..0x80 => Some(StrategyAnswer::of(byte.into())),
            byte => self.long_answer(byte),
        }
    }

    #[inline(always)]
    fn next_byte(&mut self) -> Option<u8> {
        if self.at == self.end && !self.fill() {
            return None;
        }
        self.at += 1;
        Some(self.answers[self.at - 1])
    }

    /// An answer of two or three bytes, of which this is the first.
    fn long_answer(&mut self, first: u8) -> Option<StrategyAnswer> {
        let mut answer = usize::from(first & 0x7f);
        for shift in [7, 14] {
            let byte = self.next_byte()?;
            answer |= usize::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(StrategyAnswer::of(answer));
            }
        }
        None
    }

    /// The bytes of all answers that are left. There may be as many as the header says.
    pub(crate) fn rest(&mut self) -> Vec<u8> {
        let mut all = Vec::new();
        while self.at < self.end || self.fill() {
            all.extend(&self.answers[self.at..self.end]);
            self.at = self.end;
        }
        all
    }

    /// Unpacks more answers; false if there are none.
    #[cold]
    fn fill(&mut self) -> bool {
        (self.at, self.end) = (0, 0);
        while matches!(self.state, State::Open) {
            if self.piece_at == self.piece.len()
                && !self.is_read()
                && let Err(refusal) = self.next_piece()
            {
                self.state = State::Unreadable(refusal);
                break;
            }
            let (taken, given) = (self.decoder.total_in(), self.decoder.total_out());
            let packed = &self.piece[self.piece_at..];
            let status = self.decoder.decompress(packed, &mut self.answers, FlushDecompress::None);
            let taken = (self.decoder.total_in() - taken) as usize;
            let given = (self.decoder.total_out() - given) as usize;
            self.piece_at += taken;
            self.unpacked += given as u64;
            let most = self.packed.block.most();
            self.state = match status {
                Err(_) => State::Wrong("it is not a zlib stream"),
                Ok(_) if self.unpacked > most => State::Wrong(OTHER_SIZE),
                Ok(Status::StreamEnd) if self.unpacked != self.packed.block.size => {
                    State::Wrong(OTHER_SIZE)
                }
                Ok(Status::StreamEnd) if self.piece_at < self.piece.len() || !self.is_read() => {
                    State::Wrong("bytes follow the zlib stream")
                }
                Ok(Status::StreamEnd) => State::Done,
                // It would go on, and cannot.
                Ok(_) if taken == 0 && given == 0 => State::Wrong("it is not a zlib stream"),
                Ok(_) => State::Open,
            };
            if matches!(self.state, State::Open | State::Done) && given > 0 {
                self.end = given;
                return true;
            }
        }
        false
    }

    /// Whether all bytes of the block have been read.
    fn is_read(&self) -> bool {
        self.read == self.packed.block.bytes
    }

    /// Reads the next bytes of the block and adds them to the digest.
    fn next_piece(&mut self) -> Result<(), Refusal> {
        let Packed { blocks, at, block } = self.packed;
        self.piece.resize((block.bytes - self.read).min(PIECE as u64) as usize, 0);
        let n = blocks
            .read(at + self.read, &mut self.piece)
            .map_err(|e| Refusal::Unreadable(e.to_string()))?;
        if n == 0 {
            return Err(Refusal::Truncated("what was there when it was opened".into()));
        }
        self.piece.truncate(n);
        self.piece_at = 0;
        self.read += n as u64;
        self.digest.update(&self.piece);
        Ok(())
    }

    /// The result of what was done with the answers, if the block was what its header says and no answer is left. Otherwise
    /// what is wrong with it; `name` is the block.
    pub(crate) fn finish<T>(
        mut self,
        result: Result<T, Refusal>,
        name: &str,
    ) -> Result<T, Refusal> {
        if matches!(result, Err(Refusal::Stopped)) {
            return result;
        }
        let left = result.is_ok() && (self.at < self.end || self.fill());
        if let State::Unreadable(refusal) = self.state {
            return Err(refusal);
        }
        while !self.is_read() {
            if self.cancel.is_some_and(|cancel| cancel.load(Relaxed)) {
                return Err(Refusal::Stopped);
            }
            self.next_piece()?;
        }
        let digest = hexadecimal(&self.digest.finalize());
        if !digest.eq_ignore_ascii_case(&self.packed.block.sha256) {
            return Err(Refusal::Damaged(name.into()));
        }
        let wrong = |why: &str| Refusal::Wrong { place: name.into(), why: why.into() };
        if let State::Wrong(why) = self.state {
            return Err(wrong(why));
        }
        let result = result?;
        match left || !matches!(self.state, State::Done) {
            true => Err(wrong("it holds more answers than its walks ask for")),
            false => Ok(result),
        }
    }
}

const OTHER_SIZE: &str = "it does not hold as many answers as stated";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::{Answers, pack};

    fn block(symbols: &[u8]) -> (PackedBlocks, Block) {
        let packed = pack(symbols);
        let block = Block {
            starts: Vec::new(),
            positions: 0,
            size: symbols.len() as u64,
            bytes: packed.len() as u64,
            sha256: hexadecimal(&Sha256::digest(&packed)),
        };
        (PackedBlocks::Memory(packed), block)
    }

    fn all(blocks: &PackedBlocks, block: &Block) -> Result<Vec<u8>, Refusal> {
        let mut reader = AnswerReader::new(Packed { blocks, at: 0, block }, None);
        let all = reader.rest();
        reader.finish(Ok(all), "it")
    }

    #[test]
    fn numbers_come_back() {
        let mut answers = Answers::default();
        let numbers = [0, 1, 2, 127, 128, 255, 16383, 16384, 100_000].map(StrategyAnswer::of);
        numbers.iter().for_each(|&n| answers.push(n));
        assert_eq!(answers.symbols[..4], [0, 1, 2, 127]);
        let read = |symbols: &[u8]| {
            let (blocks, block) = block(symbols);
            let mut reader =
                AnswerReader::new(Packed { blocks: &blocks, at: 0, block: &block }, None);
            let numbers: Vec<StrategyAnswer> = std::iter::from_fn(|| reader.next()).collect();
            (numbers, reader.finish(Ok(()), "it"))
        };
        assert_eq!(read(&answers.symbols), (numbers.to_vec(), Ok(())));
        assert_eq!(read(&[]), (vec![], Ok(())));
        assert_eq!(read(&[0x80]).0, []);
        assert_eq!(read(&[0x80; 9]).0, []);
    }

    #[test]
    fn what_is_longer_than_a_buffer_comes_piece_by_piece() {
        // Hardly to be packed, so that both buffers are filled several times.
        let mut x = 1u64;
        let mut next = || {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            x as u8
        };
        for long in [0, 1, PIECE - 1, PIECE, PIECE + 1, 5 * PIECE + 17] {
            let symbols: Vec<u8> = (0..long).map(|_| next()).collect();
            let (blocks, block) = block(&symbols);
            assert_eq!(all(&blocks, &block).as_deref(), Ok(&symbols[..]), "{long}");
            let zeros = vec![0; 3 * long];
            let (blocks, block) = self::block(&zeros);
            assert_eq!(all(&blocks, &block).as_deref(), Ok(&zeros[..]), "{long}");
        }
    }

    #[test]
    fn a_block_is_what_its_header_says() {
        let (blocks, good) = block(&[1, 2, 3]);
        let wrong = |why: &str| Err(Refusal::Wrong { place: "it".into(), why: why.into() });
        for size in [0, 2, 4, u64::MAX] {
            assert_eq!(all(&blocks, &Block { size, ..good.clone() }), wrong(OTHER_SIZE), "{size}");
        }
        let sealed = |bytes: Vec<u8>| {
            let sha256 = hexadecimal(&Sha256::digest(&bytes));
            let block = Block { bytes: bytes.len() as u64, sha256, ..good.clone() };
            all(&PackedBlocks::Memory(bytes), &block)
        };
        let PackedBlocks::Memory(bytes) = blocks else { unreachable!() };
        assert_eq!(sealed(bytes.clone()), Ok(vec![1, 2, 3]));
        assert_eq!(sealed([&bytes[..], &[0]].concat()), wrong("bytes follow the zlib stream"));
        assert_eq!(sealed(bytes[..bytes.len() - 1].to_vec()), wrong("it is not a zlib stream"));
        assert_eq!(sealed(vec![]), wrong("it is not a zlib stream"));
        assert_eq!(sealed(vec![7; 40]), wrong("it is not a zlib stream"));
    }

    /// Whatever else is wrong, a digest that does not fit is what is said.
    #[test]
    fn damage_is_called_damage() {
        let (blocks, mut block) = block(&vec![2; 3 * PIECE]);
        block.sha256.replace_range(..1, if block.sha256.starts_with('0') { "1" } else { "0" });
        let damaged = Refusal::Damaged("it".into());
        assert_eq!(all(&blocks, &block), Err(damaged.clone()));
        let walk = Err::<(), _>(Refusal::Header("the walk failed".into()));
        let reader = |block| AnswerReader::new(Packed { blocks: &blocks, at: 0, block }, None);
        assert_eq!(reader(&block).finish(walk.clone(), "it"), Err(damaged.clone()));
        assert_eq!(reader(&block).finish(Ok(()), "it"), Err(damaged));
        assert_eq!(
            reader(&block).finish(Err::<(), _>(Refusal::Stopped), "it"),
            Err(Refusal::Stopped)
        );
        let stop = AtomicBool::new(true);
        let stopped =
            AnswerReader::new(Packed { blocks: &blocks, at: 0, block: &block }, Some(&stop));
        assert_eq!(stopped.finish(walk, "it"), Err(Refusal::Stopped));
    }
}
