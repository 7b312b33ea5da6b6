//! The file, versions 2 and 3. All numbers are little-endian.
//!
//! ```text
//! at       bytes  what
//!  0       8      "zermelo\n"
//!  8       4      version of the format: 2 or 3
//! 12       4      length of the header, H
//! 16       32     SHA-256 of the header
//! 48       H      the header: one JSON object (`CertificateHeader`)
//! 48 + H          the blocks of the first claim, one after the other, then those of the second; the file
//!                 ends with the last
//! ```
//!
//! The header says what is claimed, how large everything is, and for each block its length, its SHA-256,
//! how many bytes it holds and the positions from which it starts. A block is a zlib stream (RFC 1950) of
//! *answers*: numbers, seven bits a byte, low bits first, the top bit set in all bytes but the last
//! (LEB128). What they answer is told in [`check`](mod@crate::check); `docs/certificate.md` says it all in
//! words for those who write a checker of their own.
//!
//! Version 3 is version 2 with one more field that a claim may have: `within`, the plies in which play ends ([`bounded`](crate::bounded)).
//! Files without such a claim are written as version 2, so that checkers that know no other read them.
//!
//! **Why this layout.** The answers in the order in which a walk asks for them need no positions: a
//! position is where the walk stands. The other layout that is known lists the positions in order, each with
//! its move: five times the size (BENCHMARKS.md).

use crate::blocks::{AnswerReader, Packed, PackedBlocks};
use crate::{header, leaf};
use flate2::Compression;
use flate2::write::ZlibEncoder;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::path::Path;
use std::sync::Arc;
use zermelo_game::outside::{printable, printable_lines};
use zermelo_game::{Claim, file};

pub use crate::header::{Base, Block, CertificateHeader, ClaimProof, Provenance};

const MAGIC: &[u8; 8] = b"zermelo\n";
/// The version of the format that files have in which no claim has a length.
pub const VERSION: u32 = 2;
/// The version of files with a claim that has one ([`ClaimProof::within`]).
pub const BOUNDED_VERSION: u32 = 3;
/// The version of the rules of the games: it goes up when a game's rules, order of moves, text or
/// symmetries change.
pub const RULES: u32 = 1;
/// The header starts here.
const HEADER_AT: u64 = 48;
/// A file that does not begin as a certificate does is refused after so many bytes.
const BEGINNING: usize = 16;

/// Why a file is no proof.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Refusal {
    /// It does not begin as a certificate does.
    #[error("not a certificate: the file does not begin with \"zermelo\" and a version")]
    NotACertificate,
    /// Another version of the format.
    #[error(
        "version {0} of the format is not known here; this program reads {VERSION} and {BOUNDED_VERSION}"
    )]
    Version(u32),
    /// Made for another version of the rules.
    #[error("made for version {0} of the rules; this program knows version {RULES}")]
    RulesVersion(u32),
    /// It ends too early.
    #[error("the file is cut short: {0} is missing")]
    Truncated(String),
    /// It goes on after the end.
    #[error("{0} bytes follow the last block")]
    Trailing(u64),
    /// A digest does not match.
    #[error("{0} is damaged: its SHA-256 is not the one stated")]
    Damaged(String),
    /// It is about a game that is not in the catalogue: nothing is known of the proof.
    #[error("the game \"{}\" is not known here", printable(.0))]
    UnknownGame(String),
    /// The header cannot be read.
    #[error("the header cannot be read: {}", printable_lines(.0))]
    Header(String),
    /// The proof does not hold.
    #[error("{place}: {}", printable(why))]
    Wrong {
        /// Claim and block.
        place: String,
        /// What is wrong.
        why: String,
    },
    /// It rests on a database that is not at hand.
    #[error(
        "the proof rests on the database \"{}\" ({}): {}",
        printable(&base.name), printable(&base.digest), printable(why)
    )]
    Database {
        /// The database.
        base: Base,
        /// What is at hand.
        why: String,
    },
    /// More than the limits allow.
    #[error("{0}")]
    Limit(String),
    /// The file cannot be read, which says nothing about the proof.
    #[error("the file cannot be read: {0}")]
    Unreadable(String),
    /// The check was stopped.
    #[error("stopped before the check was done")]
    Stopped,
}

impl Refusal {
    /// Something takes more memory than is allowed.
    #[must_use]
    pub fn needs(what: &str, needed: u64, allowed: u64) -> Refusal {
        let mib = |bytes: u64| bytes.div_ceil(1 << 20);
        let (needed, allowed) = (mib(needed), allowed >> 20);
        Refusal::Limit(format!("{what} needs {needed} MiB of memory, allowed are {allowed} MiB"))
    }

    /// Whether it says nothing about the proof: there was not enough memory, or the check was stopped, or the file could
    /// not be read, or the game is not known.
    #[must_use]
    pub fn is_open(&self) -> bool {
        use Refusal::{Limit, Stopped, UnknownGame, Unreadable};
        matches!(self, Limit(_) | Unreadable(_) | Stopped | UnknownGame(_))
    }
}

/// A certificate: its header in memory, its blocks in memory or in an open file.
#[derive(Clone, Debug)]
pub struct Certificate {
    /// What it says.
    pub header: CertificateHeader,
    blocks: PackedBlocks,
    /// Bytes of memory that it takes.
    held: u64,
    /// Bytes of the file that it was read from.
    size: u64,
}

impl PartialEq for Certificate {
    fn eq(&self, other: &Certificate) -> bool {
        self.header == other.header && self.blocks == other.blocks
    }
}

/// Bytes in hexadecimal digits.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// What stands in a file of version 2 before a header of this text.
#[must_use]
pub fn head(text: &[u8]) -> Vec<u8> {
    head_of(VERSION, text)
}

/// What stands in a file of some version before a header of this text.
#[must_use]
pub fn head_of(version: u32, text: &[u8]) -> Vec<u8> {
    let length = (text.len() as u32).to_le_bytes();
    [&MAGIC[..], &version.to_le_bytes(), &length, &Sha256::digest(text)].concat()
}

/// The SHA-256 of some bytes, in hexadecimal digits.
#[must_use]
pub fn digest(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

impl Certificate {
    /// Reads a file that is in memory. What it says of itself is checked, the proof is not.
    pub fn read(file: &[u8]) -> Result<Certificate, Refusal> {
        let mut rest = file;
        let (header, held, length) = beginning(&mut rest, Some(file.len() as u64), u64::MAX)?;
        let size = HEADER_AT + length + rest.len() as u64;
        let blocks = PackedBlocks::Memory(rest.to_vec());
        Certificate { header, blocks, held, size }.with_its_length()
    }

    /// Opens a file. Its header takes no more than `memory` bytes, its blocks stay on the disk. What is no file (a pipe, a
    /// device) is read into memory to its end, as far as that allows.
    pub fn open(path: &Path, memory: u64) -> Result<Certificate, Refusal> {
        let mut file = File::open(path).map_err(unreadable)?;
        let about = file.metadata().map_err(unreadable)?;
        let on_disk = about.is_file().then_some(about.len());
        let (header, held, length) = beginning(&mut file, on_disk, memory)?;
        let at = HEADER_AT + length;
        let (blocks, held) = match on_disk {
            Some(len) => {
                let len = len.saturating_sub(at);
                (PackedBlocks::File { file: Arc::new(file), at, len }, held)
            }
            None => {
                let left = memory.saturating_sub(held);
                let rest = file::read_from(file, left).map_err(|e| match e.kind() {
                    ErrorKind::FileTooLarge => Refusal::Limit(format!(
                        "what is no file is read into memory, and there are more than {left} bytes"
                    )),
                    _ => unreadable(e),
                })?;
                let held = held + rest.len() as u64;
                (PackedBlocks::Memory(rest), held)
            }
        };
        let size = at + blocks.len();
        Certificate { header, blocks, held, size }.with_its_length()
    }

    /// Bytes of the file that it was read from.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Bytes of memory that it takes as long as it is there.
    #[must_use]
    pub fn held(&self) -> u64 {
        self.held
    }

    /// The version of the format that the file has.
    #[must_use]
    pub fn version(&self) -> u32 {
        match self.header.claims.iter().any(|claim| claim.within.is_some()) {
            true => BOUNDED_VERSION,
            false => VERSION,
        }
    }

    fn with_its_length(self) -> Result<Certificate, Refusal> {
        self.check_lengths()?;
        Ok(self)
    }

    fn check_lengths(&self) -> Result<(), Refusal> {
        let mut end = 0u64;
        for (part, block, name) in self.names() {
            let bytes = self.header.claims[part].blocks[block].bytes;
            end = end.saturating_add(bytes);
            if end > self.blocks.len() {
                return Err(Refusal::Truncated(name));
            }
        }
        match self.blocks.len() - end {
            0 => Ok(()),
            more => Err(Refusal::Trailing(more)),
        }
    }

    /// The numbers and names of all blocks, in the order of the file.
    fn names(&self) -> impl Iterator<Item = (usize, usize, String)> + '_ {
        let parts = self.header.claims.iter().enumerate();
        parts.flat_map(|(i, part)| (0..part.blocks.len()).map(move |j| (i, j, name(part, j))))
    }

    /// The blocks of a claim, still packed.
    pub(crate) fn packed(&self, part: usize) -> Vec<Packed<'_>> {
        let before = self.header.claims[..part].iter().flat_map(|part| &part.blocks);
        let mut at = before.fold(0u64, |at, block| at.saturating_add(block.bytes));
        let place = |block| {
            let packed = Packed { blocks: &self.blocks, at, block };
            at = at.saturating_add(block.bytes);
            packed
        };
        self.header.claims[part].blocks.iter().map(place).collect()
    }

    /// Writes the file, and says how long it is.
    pub fn write_to(&self, out: &mut impl Write) -> io::Result<u64> {
        let text = serde_json::to_vec(&self.header)?;
        if text.len() as u64 > header::MOST_BYTES {
            return Err(ErrorKind::FileTooLarge.into());
        }
        out.write_all(&head_of(self.version(), &text))?;
        out.write_all(&text)?;
        let whole = HEADER_AT + text.len() as u64 + self.blocks.len();
        if let PackedBlocks::Memory(blocks) = &self.blocks {
            out.write_all(blocks)?;
            return Ok(whole);
        }
        let (mut at, mut piece) = (0, vec![0; 1 << 16]);
        loop {
            let most = (self.blocks.len() - at).min(piece.len() as u64) as usize;
            let n = self.blocks.read(at, &mut piece[..most])?;
            if n == 0 {
                return Ok(whole);
            }
            out.write_all(&piece[..n])?;
            at += n as u64;
        }
    }

    /// The bytes of the file.
    ///
    /// # Panics
    /// If the blocks lie in a file that cannot be read any more.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.write_to(&mut out).expect("memory takes all bytes");
        out
    }

    /// A certificate of a position, as yet without a claim. `search`: see [`CertificateHeader`].
    #[must_use]
    pub fn new(game: String, position: String, search: u32, made: Provenance) -> Certificate {
        let (database, claims) = (None, Vec::new());
        let header =
            CertificateHeader { game, rules: RULES, position, search, database, claims, made };
        Certificate { header, blocks: PackedBlocks::Memory(Vec::new()), held: 0, size: 0 }
    }

    /// The answers of a claim, block by block.
    pub fn answers(&self, part: usize) -> Result<Vec<Answers>, Refusal> {
        let claim = &self.header.claims[part];
        let packed = self.packed(part).into_iter().enumerate();
        let answers = |(i, packed): (usize, Packed)| {
            let mut reader = AnswerReader::new(packed, None);
            let symbols = reader.rest();
            let symbols = reader.finish(Ok(symbols), &name(claim, i))?;
            let Block { starts, positions, .. } = packed.block;
            Ok(Answers { starts: starts.clone(), positions: *positions, symbols })
        };
        packed.map(answers).collect()
    }

    /// Adds a claim with its answers, block by block, to a certificate that is in memory.
    ///
    /// # Panics
    /// If its blocks lie in a file.
    pub fn add(&mut self, claim: Claim, answers: Vec<Answers>) {
        self.add_claim(claim, None, answers);
    }

    /// Adds a claim that play ends within so many plies, with the answers that [`write_within`](crate::write_within) gives.
    ///
    /// # Panics
    /// If its blocks lie in a file.
    pub fn add_within(&mut self, claim: Claim, within: u32, answers: Answers) {
        self.add_claim(claim, Some(within), vec![answers]);
    }

    fn add_claim(&mut self, claim: Claim, within: Option<u32>, answers: Vec<Answers>) {
        let PackedBlocks::Memory(bytes) = &mut self.blocks else {
            panic!("its blocks are in a file")
        };
        let mut blocks = Vec::new();
        for Answers { starts, positions, symbols } in answers {
            let packed = pack(&symbols);
            blocks.push(Block {
                starts,
                positions,
                size: symbols.len() as u64,
                bytes: packed.len() as u64,
                sha256: digest(&packed),
            });
            bytes.extend(packed);
        }
        let positions = blocks.iter().map(|b| b.positions).sum();
        let Claim { claimant, value } = claim;
        self.header.claims.push(ClaimProof { claimant, value, within, positions, blocks });
    }
}

fn unreadable(error: io::Error) -> Refusal {
    Refusal::Unreadable(error.to_string())
}

/// Reads a file as far as the end of its header: this, the bytes that it takes in memory, and its length. `size` is the length
/// of the file, where it is known.
fn beginning(
    file: &mut impl Read,
    size: Option<u64>,
    memory: u64,
) -> Result<(CertificateHeader, u64, u64), Refusal> {
    let begin = bytes::<BEGINNING>(file)?.ok_or(Refusal::NotACertificate)?;
    if !begin.starts_with(MAGIC) {
        return Err(Refusal::NotACertificate);
    }
    let number = |at: usize| u32::from_le_bytes([0, 1, 2, 3].map(|i| begin[at + i]));
    let version = number(8);
    if version != VERSION && version != BOUNDED_VERSION {
        return Err(Refusal::Version(version));
    }
    let length = u64::from(number(12));
    if length > header::MOST_BYTES {
        let why = format!("it has {length} bytes, more than {}", header::MOST_BYTES);
        return Err(Refusal::Header(why));
    }
    let cut_short = || Refusal::Truncated("part of the header".into());
    if size.is_some_and(|size| size < HEADER_AT + length) {
        return Err(cut_short());
    }
    // As text, and once more in strings.
    if 2 * length > memory {
        return Err(Refusal::needs("the header", 2 * length, memory));
    }
    let stated = bytes::<32>(file)?.ok_or_else(cut_short)?;
    let mut text = Vec::new();
    file.take(length).read_to_end(&mut text).map_err(unreadable)?;
    if (text.len() as u64) < length {
        return Err(cut_short());
    }
    if Sha256::digest(&text)[..] != stated {
        return Err(Refusal::Damaged("the header".into()));
    }
    let (header, held) = CertificateHeader::read(&text, memory)?;
    if header.rules != RULES {
        return Err(Refusal::RulesVersion(header.rules));
    }
    // One file, one version: so that every byte counts.
    match (version, header.claims.iter().any(|claim| claim.within.is_some())) {
        (VERSION, true) => {
            let why = format!("a claim has the field within, which version {BOUNDED_VERSION} adds");
            return Err(Refusal::Header(why));
        }
        (BOUNDED_VERSION, false) => {
            let why = format!("no claim has the field within: such a file has version {VERSION}");
            return Err(Refusal::Header(why));
        }
        _ => {}
    }
    if header.search > leaf::MOST {
        let why = format!("searches look at {} positions at most", leaf::MOST);
        return Err(Refusal::Header(why));
    }
    Ok((header, held, length))
}

/// The next bytes of a file; `None` if there are not so many.
fn bytes<const N: usize>(file: &mut impl Read) -> Result<Option<[u8; N]>, Refusal> {
    let mut bytes = [0; N];
    match file.read_exact(&mut bytes) {
        Ok(()) => Ok(Some(bytes)),
        Err(e) if e.kind() == ErrorKind::UnexpectedEof => Ok(None),
        Err(e) => Err(unreadable(e)),
    }
}

/// What people call a block.
pub(crate) fn name(part: &ClaimProof, block: usize) -> String {
    let of = part.blocks.len();
    format!("block {} of {of} of \"{}\"", block + 1, part.words())
}

/// The answers of one block.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Answers {
    /// See [`Block`].
    pub starts: Vec<String>,
    /// See [`Block`].
    pub positions: u64,
    /// The answers, as bytes.
    pub symbols: Vec<u8>,
}

impl Answers {
    /// Adds an answer.
    #[inline]
    pub fn push(&mut self, answer: StrategyAnswer) {
        let mut answer = answer.number();
        while answer >= 0x80 {
            self.symbols.push(answer as u8 | 0x80);
            answer >>= 7;
        }
        self.symbols.push(answer as u8);
    }
}

/// What an answer says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StrategyAnswer {
    /// Another block proves this position.
    PutOff,
    /// The checker can find the proof itself.
    Search,
    /// The claimant plays the move at this place of the list.
    Play(usize),
}

impl StrategyAnswer {
    /// The number in the file.
    #[must_use]
    #[inline]
    pub const fn number(self) -> usize {
        match self {
            StrategyAnswer::PutOff => 0,
            StrategyAnswer::Search => 1,
            StrategyAnswer::Play(at) => at + 2,
        }
    }

    /// What a number in the file says.
    #[inline]
    pub(crate) const fn of(number: usize) -> StrategyAnswer {
        match number {
            0 => StrategyAnswer::PutOff,
            1 => StrategyAnswer::Search,
            n => StrategyAnswer::Play(n - 2),
        }
    }
}

/// The zlib stream of some answers.
pub(crate) fn pack(symbols: &[u8]) -> Vec<u8> {
    // Twice as fast as level 4 for files 3 to 16 % larger; the usual level (6) takes three to five times as long as that (BENCHMARKS.md).
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::new(2));
    encoder.write_all(symbols).and_then(|()| encoder.finish()).expect("memory takes all bytes")
}
