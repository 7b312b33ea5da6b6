//! The file, version 2. All numbers are little-endian.
//!
//! ```text
//! at       bytes  what
//!  0       8      "zermelo\n"
//!  8       4      version of the format: 2
//! 12       4      length of the header, H
//! 16       32     SHA-256 of the header
//! 48       H      the header: one JSON object (`Header`)
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
//! **Why this layout.** The answers in the order in which a walk asks for them need no positions: a
//! position is where the walk stands. The other layout that is known lists the positions in order, each with
//! its move: five times the size (BENCHMARKS.md).

use crate::leaf;
use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use serde::{Deserialize, Deserializer, Serialize};
use sha2::{Digest, Sha256};
use std::io::{Read, Write};
use std::ops::Range;
use zermelo_game::{Player, Repetition, Value};

const MAGIC: &[u8; 8] = b"zermelo\n";
/// The version of the format.
pub const VERSION: u32 = 2;
/// The version of the rules of the games: it goes up when a game's rules, order of moves, text or
/// symmetries change.
pub const RULES: u32 = 1;
/// The header starts here.
const HEADER_AT: usize = 48;
/// A header of more than this is refused.
const MAX_HEADER: usize = 1 << 30;

/// What is claimed of the value of a position.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Claim {
    /// Who keeps the claim: the first player that the value is at least `value`, the second that it is
    /// at most that.
    pub claimant: Player,
    /// See there.
    pub value: Value,
}

impl Claim {
    /// Whether play that ends with this value keeps the claim.
    #[inline]
    #[must_use]
    pub fn is_kept_by(&self, value: Value) -> bool {
        match self.claimant {
            Player::First => value >= self.value,
            Player::Second => value <= self.value,
        }
    }

    /// Whether a strategy that keeps the claim may come back to a position for ever; `None` if that cannot
    /// be said of a position by itself.
    #[must_use]
    pub fn allows_circles(&self, repetition: Option<Repetition>) -> Option<bool> {
        repetition.map_or(Some(true), |rule| rule.fixed().map(|value| self.is_kept_by(value)))
    }

    /// In words: `value >= 1`.
    #[must_use]
    pub fn words(&self) -> String {
        match self.claimant {
            Player::First => format!("value >= {}", self.value),
            Player::Second => format!("value <= {}", self.value),
        }
    }
}

/// Players in JSON: "first" and "second".
mod player {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};
    use zermelo_game::Player;

    pub fn serialize<S: Serializer>(player: &Player, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(match player {
            Player::First => "first",
            Player::Second => "second",
        })
    }

    pub fn deserialize<'d, D: Deserializer<'d>>(d: D) -> Result<Player, D::Error> {
        match String::deserialize(d)?.as_str() {
            "first" => Ok(Player::First),
            "second" => Ok(Player::Second),
            other => Err(D::Error::custom(format!("\"first\" or \"second\", not \"{other}\""))),
        }
    }
}

/// Who made a certificate, and at what cost. The checker does not care.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Made {
    /// The program and its version.
    pub by: String,
    /// The solver.
    pub solver: String,
    /// Its settings, in words.
    pub options: String,
    /// The positions it looked at.
    pub nodes: u64,
    /// User CPU seconds for solving and for writing.
    pub seconds: [f64; 2],
    /// The seed of whatever was drawn at random.
    pub seed: u64,
    /// Positions of the strategy before it was made smaller; 0 if that was not tried.
    pub plain: u64,
    /// When, in seconds since 1970.
    pub time: u64,
}

/// A block of answers.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Block {
    /// Positions from which walks start, as text.
    pub starts: Vec<String>,
    /// Positions of the claimant that it proves: by a move, or by a search of the checker.
    pub positions: u64,
    /// Bytes of answers.
    pub size: u64,
    /// Bytes in the file.
    pub bytes: u64,
    /// SHA-256 of the bytes in the file.
    pub sha256: String,
}

/// A claim with its proof.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// See [`Claim`].
    #[serde(with = "player")]
    pub claimant: Player,
    /// See [`Claim`].
    pub value: Value,
    /// Positions of the claimant, all blocks together.
    pub positions: u64,
    /// The proof. The first start of the first block is the position of the claim.
    pub blocks: Vec<Block>,
}

impl Part {
    /// The claim.
    #[must_use]
    pub fn claim(&self) -> Claim {
        Claim { claimant: self.claimant, value: self.value }
    }
}

/// A database that a proof rests on.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Base {
    /// What it is, for people.
    pub name: String,
    /// BLAKE3 of the names and digests of its files.
    pub digest: String,
}

/// What the file says of itself.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// The game with all parameters, as the registry opens it.
    pub game: String,
    /// See [`RULES`].
    pub rules: u32,
    /// The position the claims are about.
    pub position: String,
    /// The most positions that a checker looks at where it searches itself ([`leaf`]).
    pub search: u32,
    /// The database that the proof rests on, if it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub database: Option<Base>,
    /// The claims, one or two.
    pub claims: Vec<Part>,
    /// Where it comes from, if that can be read.
    #[serde(default, deserialize_with = "readable")]
    pub made: Made,
}

/// Whatever stands there is no reason to refuse a proof.
fn readable<'d, D: Deserializer<'d>>(d: D) -> Result<Made, D::Error> {
    let made = serde_json::Value::deserialize(d)?;
    Ok(serde_json::from_value(made).unwrap_or_default())
}

/// Why a file is no proof.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Refusal {
    /// It does not begin as a certificate does.
    #[error("not a certificate: the file does not begin with \"zermelo\" and a version")]
    NotACertificate,
    /// Another version of the format.
    #[error("version {0} of the format is not known here; this program reads version {VERSION}")]
    Version(u32),
    /// Other rules.
    #[error("made for version {0} of the rules; this program knows version {RULES}")]
    Rules(u32),
    /// It ends too early.
    #[error("the file is cut short: {0} is missing")]
    Truncated(String),
    /// It goes on after the end.
    #[error("{0} bytes follow the last block")]
    Trailing(u64),
    /// A digest does not match.
    #[error("{0} is damaged: its SHA-256 is not the one stated")]
    Damaged(String),
    /// The header cannot be read.
    #[error("the header cannot be read: {0}")]
    Header(String),
    /// The proof does not hold.
    #[error("{place}: {why}")]
    Wrong {
        /// Claim and block.
        place: String,
        /// What is wrong.
        why: String,
    },
    /// It rests on a database that is not at hand.
    #[error("the proof rests on the database \"{}\" ({}): {why}", base.name, base.digest)]
    Database {
        /// The database.
        base: Base,
        /// What is at hand.
        why: String,
    },
    /// More than the limits allow.
    #[error("{0}")]
    Limit(String),
    /// The check was stopped.
    #[error("stopped before the check was done")]
    Stopped,
}

/// A certificate in memory: the header, and the blocks as they are in the file.
#[derive(Clone, PartialEq, Debug)]
pub struct Certificate {
    /// What it says.
    pub header: Header,
    blocks: Vec<u8>,
}

/// The SHA-256 of some bytes, in hexadecimal digits.
#[must_use]
pub fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Certificate {
    /// Reads a file. What it says of itself is checked, the proof is not.
    pub fn read(file: &[u8]) -> Result<Certificate, Refusal> {
        if file.len() < HEADER_AT || !file.starts_with(MAGIC) {
            return Err(Refusal::NotACertificate);
        }
        let number = |at: usize| u32::from_le_bytes([0, 1, 2, 3].map(|i| file[at + i]));
        if number(8) != VERSION {
            return Err(Refusal::Version(number(8)));
        }
        let length = number(12) as usize;
        let rest = &file[HEADER_AT..];
        if length > rest.len().min(MAX_HEADER) {
            return Err(Refusal::Truncated("part of the header".into()));
        }
        let (text, blocks) = rest.split_at(length);
        if Sha256::digest(text)[..] != file[16..HEADER_AT] {
            return Err(Refusal::Damaged("the header".into()));
        }
        let header: Header =
            serde_json::from_slice(text).map_err(|e| Refusal::Header(e.to_string()))?;
        if header.rules != RULES {
            return Err(Refusal::Rules(header.rules));
        }
        if header.search > leaf::MOST {
            let why = format!("searches look at {} positions at most", leaf::MOST);
            return Err(Refusal::Header(why));
        }
        let certificate = Certificate { header, blocks: blocks.to_vec() };
        certificate.check_lengths()?;
        Ok(certificate)
    }

    fn check_lengths(&self) -> Result<(), Refusal> {
        let mut end = 0u64;
        for (part, block, name) in self.names() {
            let bytes = self.header.claims[part].blocks[block].bytes;
            end = end.saturating_add(bytes);
            if end > self.blocks.len() as u64 {
                return Err(Refusal::Truncated(name));
            }
        }
        match self.blocks.len() as u64 - end {
            0 => Ok(()),
            more => Err(Refusal::Trailing(more)),
        }
    }

    /// The numbers and names of all blocks, in the order of the file.
    fn names(&self) -> impl Iterator<Item = (usize, usize, String)> + '_ {
        let parts = self.header.claims.iter().enumerate();
        parts.flat_map(|(i, part)| (0..part.blocks.len()).map(move |j| (i, j, name(part, j))))
    }

    /// Where the bytes of the blocks of a claim lie.
    fn places(&self, part: usize) -> Vec<Range<usize>> {
        let bytes = |part: &Part| part.blocks.iter().map(|b| b.bytes as usize).sum::<usize>();
        let mut end = self.header.claims[..part].iter().map(bytes).sum();
        let blocks = self.header.claims[part].blocks.iter();
        let place = |block: &Block| {
            let start = end;
            end += block.bytes as usize;
            start..end
        };
        blocks.map(place).collect()
    }

    /// The answers of the blocks of a claim, still packed.
    pub(crate) fn packed(&self, part: usize) -> Vec<&[u8]> {
        self.places(part).into_iter().map(|place| &self.blocks[place]).collect()
    }

    /// The bytes of the file.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        let text = serde_json::to_vec(&self.header).expect("a header is plain data");
        let mut out = MAGIC.to_vec();
        out.extend(VERSION.to_le_bytes());
        out.extend((text.len() as u32).to_le_bytes());
        out.extend(Sha256::digest(&text));
        out.extend(text);
        out.extend(&self.blocks);
        out
    }

    /// A certificate of a position, as yet without a claim. `search`: see [`Header`].
    #[must_use]
    pub fn new(game: String, position: String, search: u32, made: Made) -> Certificate {
        let (database, claims) = (None, Vec::new());
        let header = Header { game, rules: RULES, position, search, database, claims, made };
        Certificate { header, blocks: Vec::new() }
    }

    /// The answers of a claim, block by block.
    pub fn answers(&self, part: usize) -> Result<Vec<Answers>, Refusal> {
        let claim = &self.header.claims[part];
        let packed = self.packed(part).into_iter().enumerate();
        let answers = |(i, packed)| {
            let block = &claim.blocks[i];
            let symbols = unpack(block, packed, &name(claim, i))?;
            Ok(Answers { starts: block.starts.clone(), positions: block.positions, symbols })
        };
        packed.map(answers).collect()
    }

    /// Adds a claim with its answers, block by block.
    pub fn add(&mut self, claim: Claim, answers: Vec<Answers>) {
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
            self.blocks.extend(packed);
        }
        let positions = blocks.iter().map(|b| b.positions).sum();
        let Claim { claimant, value } = claim;
        self.header.claims.push(Part { claimant, value, positions, blocks });
    }
}

/// What people call a block.
pub(crate) fn name(part: &Part, block: usize) -> String {
    let of = part.blocks.len();
    format!("block {} of {of} of \"{}\"", block + 1, part.claim().words())
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
    pub fn push(&mut self, answer: Answer) {
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
pub enum Answer {
    /// Another block proves this position.
    PutOff,
    /// The checker can find the proof itself.
    Search,
    /// The claimant plays the move at this place of the list.
    Play(usize),
}

impl Answer {
    /// The number in the file.
    #[must_use]
    #[inline]
    pub const fn number(self) -> usize {
        match self {
            Answer::PutOff => 0,
            Answer::Search => 1,
            Answer::Play(at) => at + 2,
        }
    }

    #[inline]
    const fn of(number: usize) -> Answer {
        match number {
            0 => Answer::PutOff,
            1 => Answer::Search,
            n => Answer::Play(n - 2),
        }
    }
}

fn pack(symbols: &[u8]) -> Vec<u8> {
    // Twice as fast as level 4 for files 3 to 16 % larger; the usual level (6) takes three to five times as long as that (BENCHMARKS.md).
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::new(2));
    encoder.write_all(symbols).and_then(|()| encoder.finish()).expect("memory takes all bytes")
}

/// The answers of a block, whose digest is right and whose size is as stated.
pub(crate) fn unpack(block: &Block, packed: &[u8], name: &str) -> Result<Vec<u8>, Refusal> {
    if !digest(packed).eq_ignore_ascii_case(&block.sha256) {
        return Err(Refusal::Damaged(name.into()));
    }
    let wrong = |why: &str| Refusal::Wrong { place: name.into(), why: why.into() };
    let mut decoder = ZlibDecoder::new(packed).take(block.size.saturating_add(1));
    let mut symbols = Vec::new();
    decoder.read_to_end(&mut symbols).map_err(|_| wrong("it is not a zlib stream"))?;
    if symbols.len() as u64 != block.size {
        return Err(wrong("it does not hold as many answers as stated"));
    }
    if decoder.into_inner().total_in() != packed.len() as u64 {
        return Err(wrong("bytes follow the zlib stream"));
    }
    Ok(symbols)
}

/// Reads answers one after the other.
pub(crate) struct Reader<'a> {
    symbols: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(symbols: &'a [u8]) -> Reader<'a> {
        Reader { symbols, at: 0 }
    }

    /// The next answer; `None` if there is none, or none that makes sense.
    #[inline]
    pub(crate) fn next(&mut self) -> Option<Answer> {
        let mut answer = 0;
        for shift in [0, 7, 14] {
            let byte = *self.symbols.get(self.at)?;
            self.at += 1;
            answer |= usize::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(Answer::of(answer));
            }
        }
        None
    }

    pub(crate) fn is_at_end(&self) -> bool {
        self.at == self.symbols.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        let mut answers = Answers::default();
        let numbers = [0, 1, 2, 127, 128, 255, 16383, 16384, 100_000].map(Answer::of);
        numbers.iter().for_each(|&n| answers.push(n));
        assert_eq!(answers.symbols[..4], [0, 1, 2, 127]);
        let mut reader = Reader::new(&answers.symbols);
        numbers.iter().for_each(|&n| assert_eq!(reader.next(), Some(n)));
        assert!(reader.is_at_end());
        assert_eq!(reader.next(), None);
        assert_eq!(Reader::new(&[0x80]).next(), None);
        assert_eq!(Reader::new(&[0x80; 9]).next(), None);
    }
}
