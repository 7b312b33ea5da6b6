//! The header of a certificate: what the file says of itself, as one JSON object.
//!
//! Whoever reads it does not trust it. It is read to the letter of `docs/certificate.md`, so that all checkers agree on
//! which files are certificates: objects are objects, no field is missing, added or there twice, numbers are whole. Only
//! `made` may hold anything that is JSON. What the header takes in memory is worked out before it is read.

use crate::format::Refusal;
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeOwned, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;
use std::marker::PhantomData;
use zermelo_game::Claim;
use zermelo_game::outside::printable;
use zermelo_game::{Player, Value};

/// A header of more bytes than this is refused.
pub const MOST_BYTES: u64 = 1 << 30;
/// Objects and lists lie in each other to this depth at most.
pub const MOST_NESTED: usize = 64;

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
pub struct Provenance {
    /// The program and its version.
    pub by: String,
    /// The solver.
    pub solver: String,
    /// Its settings, in words.
    pub options: String,
    /// The positions it looked at to solve the game.
    pub nodes: u64,
    /// The positions it looked at afterwards, where its tables did not tell which move keeps the claim. Left out where there
    /// are none: so older files keep their bytes when they are read and written.
    #[serde(skip_serializing_if = "is_zero")]
    pub writing_nodes: u64,
    /// User CPU seconds for solving and for writing.
    pub seconds: [f64; 2],
    /// The seed of whatever was drawn at random.
    pub seed: u64,
    /// Positions of the strategy before it was made smaller; 0 if that was not tried.
    pub plain: u64,
    /// When, in seconds since 1970.
    pub time: u64,
}

fn is_zero(n: &u64) -> bool {
    *n == 0
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

impl Block {
    /// Bytes of answers that there can be, whatever is stated: a byte of a zlib stream unpacks to 1,032 at most.
    pub(crate) fn most(&self) -> u64 {
        self.size.min(self.bytes.saturating_mul(1032))
    }
}

/// A claim with its proof.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClaimProof {
    /// See [`Claim`].
    #[serde(with = "player")]
    pub claimant: Player,
    /// See [`Claim`].
    pub value: Value,
    /// The plies in which play ends, counted from the position of the claim, if that is claimed
    /// ([`bounded`](crate::bounded)).
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "number")]
    pub within: Option<u32>,
    /// Positions of the claimant, all blocks together.
    pub positions: u64,
    /// The proof. The first start of the first block is the position of the claim.
    #[serde(deserialize_with = "objects")]
    pub blocks: Vec<Block>,
}

impl ClaimProof {
    /// The claim.
    #[must_use]
    pub fn claim(&self) -> Claim {
        Claim { claimant: self.claimant, value: self.value }
    }

    /// The claim in words: `value >= 1`, `value >= 1 within 41 plies`.
    #[must_use]
    pub fn words(&self) -> String {
        let words = self.claim().words();
        match self.within {
            Some(1) => format!("{words} within 1 ply"),
            Some(plies) => format!("{words} within {plies} plies"),
            None => words,
        }
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
pub struct CertificateHeader {
    /// The game with all parameters, as the registry opens it.
    pub game: String,
    /// See [`RULES`](crate::format::RULES).
    pub rules: u32,
    /// The position the claims are about.
    pub position: String,
    /// The most positions that a checker looks at where it searches itself ([`leaf`](crate::leaf)).
    pub search: u32,
    /// The database that the proof rests on, if it does.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub database: Option<Base>,
    /// The claims, one or two.
    #[serde(deserialize_with = "objects")]
    pub claims: Vec<ClaimProof>,
    /// Where it comes from, if that can be read.
    #[serde(default, deserialize_with = "passed_over")]
    pub made: Provenance,
}

/// What is an object in JSON. (Serde would take a list of the fields' values, too.)
struct Object<T>(T);

impl<'d, T: Deserialize<'d>> Deserialize<'d> for Object<T> {
    fn deserialize<D: Deserializer<'d>>(d: D) -> Result<Self, D::Error> {
        struct Fields<T>(PhantomData<T>);

        impl<'d, T: Deserialize<'d>> Visitor<'d> for Fields<T> {
            type Value = Object<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'d>>(self, map: A) -> Result<Object<T>, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(Object)
            }
        }

        d.deserialize_map(Fields(PhantomData))
    }
}

/// A list of objects.
fn objects<'d, D: Deserializer<'d>, T: Deserialize<'d>>(d: D) -> Result<Vec<T>, D::Error> {
    let list = Vec::<Object<T>>::deserialize(d)?;
    Ok(list.into_iter().map(|object| object.0).collect())
}

/// An object that is there (`null` is not one).
fn present<'d, D: Deserializer<'d>, T: Deserialize<'d>>(d: D) -> Result<Option<T>, D::Error> {
    Object::deserialize(d).map(|object| Some(object.0))
}

/// A number that is there (`null` is none).
fn number<'d, D: Deserializer<'d>>(d: D) -> Result<Option<u32>, D::Error> {
    u32::deserialize(d).map(Some)
}

/// Whatever JSON stands there is no reason to refuse a proof, and takes no memory.
fn passed_over<'d, D: Deserializer<'d>>(d: D) -> Result<Provenance, D::Error> {
    IgnoredAny::deserialize(d).map(|_| Provenance::default())
}

/// How deep objects and lists lie in each other, and how many commas there are outside strings.
fn measure(text: &[u8]) -> (usize, u64) {
    let (mut depth, mut deepest, mut commas) = (0usize, 0, 0);
    let (mut within, mut escaped) = (false, false);
    for &byte in text {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if within => escaped = true,
            b'"' => within = !within,
            _ if within => {}
            b'[' | b'{' => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            b',' => commas += 1,
            _ => {}
        }
    }
    (deepest, commas)
}

/// Bytes that may be taken for each item of a list and each field of an object while lists grow.
const ITEM: u64 = 128;

fn parse<T: DeserializeOwned>(text: &str) -> Result<T, Refusal> {
    let read = serde_json::from_str::<Object<T>>(text);
    read.map(|object| object.0).map_err(|e| unreadable(&e.to_string()))
}

fn unreadable(why: &str) -> Refusal {
    Refusal::Header(printable(why).into_owned())
}

impl CertificateHeader {
    /// Reads a header, which takes so many bytes of memory, no more than are allowed.
    pub(crate) fn read(text: &[u8], memory: u64) -> Result<(CertificateHeader, u64), Refusal> {
        let (deepest, commas) = measure(text);
        if deepest > MOST_NESTED {
            return Err(unreadable(&format!("it is nested more than {MOST_NESTED} deep")));
        }
        let needed = 2 * text.len() as u64 + ITEM * (commas + 1);
        if needed > memory {
            return Err(Refusal::needs("the header", needed, memory));
        }
        let text = std::str::from_utf8(text).map_err(|e| unreadable(&e.to_string()))?;
        let mut header: CertificateHeader = parse(text)?;
        /// All but the name of the maker is passed over this time.
        #[derive(Deserialize)]
        struct Maker {
            #[serde(default)]
            made: Provenance,
        }
        header.made = parse(text).map_or_else(|_| Provenance::default(), |maker: Maker| maker.made);
        Ok((header, needed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = r#"{"game":"g","rules":1,"position":"p","search":0,"claims":[{"claimant":"first","value":1,
        "positions":3,"blocks":[{"starts":["p"],"positions":3,"size":3,"bytes":9,"sha256":"00"}]}]"#;

    fn read(text: &str) -> Result<CertificateHeader, Refusal> {
        CertificateHeader::read(text.as_bytes(), 1 << 20).map(|read| read.0)
    }

    #[test]
    fn made_may_be_anything() {
        let plain = read(&format!("{START}}}")).unwrap();
        let deep = format!("{}{}", "[".repeat(63), "]".repeat(63));
        for made in ["1e999", "null", "-0", "[[],{}]", r#"{"a":1,"a":2}"#, r#""\ud800""#, &deep] {
            assert_eq!(read(&format!("{START},\"made\":{made}}}")).as_ref(), Ok(&plain), "{made}");
        }
        let made = r#"{"by":"x","seed":7,"more":[1e999]}"#;
        let read_back = read(&format!("{START},\"made\":{made}}}")).unwrap().made;
        assert_eq!((&*read_back.by, read_back.seed), ("x", 7));
    }

    #[test]
    fn all_else_is_taken_to_the_letter() {
        let deep = format!("{}{}", "[".repeat(64), "]".repeat(64));
        for made in ["NaN", "01", "\"\n\"", "[1,]", "1,\"made\":1", &deep, "\"\\x\""] {
            assert!(read(&format!("{START},\"made\":{made}}}")).is_err(), "{made}");
        }
        for (old, new) in [
            ("\"search\":0", "\"search\":-0"),
            ("\"search\":0", "\"search\":0.0"),
            ("\"search\":0", "\"search\":1e0"),
            ("\"search\":0", "\"search\":null"),
            ("\"search\":0", "\"search\":0,\"search\":0"),
            ("\"search\":0", "\"search\":0,\"database\":null"),
            ("\"search\":0", "\"search\":0,\"database\":[\"a\",\"b\"]"),
            ("\"search\":0", "\"search\":0,\"more\":0"),
            ("\"search\":0,", ""),
            (
                "{\"starts\":[\"p\"],\"positions\":3,\"size\":3,\"bytes\":9,\"sha256\":\"00\"}",
                "[[\"p\"],3,3,9,\"00\"]",
            ),
            ("\"game\":\"g\"", "\"game\":\"\\ud800\""),
        ] {
            assert!(START.contains(old), "{old}");
            assert!(read(&format!("{}}}", START.replacen(old, new, 1))).is_err(), "{new}");
        }
        assert!(read(r#"["g",1,"p",0,[]]"#).is_err());
        assert!(read(&format!("\u{feff}{START}}}")).is_err());
        assert!(read(&format!("{START}}} x")).is_err());
        assert!(read(&format!(" {START}}}\r\n")).is_ok());
    }

    #[test]
    fn a_claim_may_have_a_length() {
        let with = |within: &str| {
            let value = format!("\"value\":1,\"within\":{within}");
            read(&format!("{}}}", START.replace("\"value\":1", &value)))
        };
        for (text, within) in [("0", 0), ("41", 41), ("4294967295", u32::MAX)] {
            assert_eq!(with(text).unwrap().claims[0].within, Some(within));
        }
        for text in ["null", "-0", "-1", "4294967296", "1.0", "\"1\"", "1,\"within\":1"] {
            assert!(with(text).is_err(), "{text}");
        }
        let words = |text: &str| with(text).unwrap().claims[0].words();
        assert_eq!(words("41"), "value >= 1 within 41 plies");
        assert_eq!(words("1"), "value >= 1 within 1 ply");
    }

    #[test]
    fn memory_is_counted_first() {
        let many = START.replace("[\"p\"]", &format!("[{}\"p\"]", "\"\",".repeat(10_000)));
        assert!(read(&format!("{many}}}")).is_err_and(|e| matches!(e, Refusal::Limit(_))));
        let read = CertificateHeader::read(format!("{many}}}").as_bytes(), 1 << 21).unwrap();
        assert_eq!(read.0.claims[0].blocks[0].starts.len(), 10_001);
        assert!(read.1 > 10_000 * 72);
    }
}
