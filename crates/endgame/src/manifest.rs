//! The manifest of a database: which files belong to it, so that a missing or exchanged one is noticed.
//!
//! A file shows by itself that it is whole, and names the files that it was built from; that another file is missing it
//! cannot know. So a build writes a list when all its files are there, as the last thing it does. Reading it is
//! quick: a file is recognised by its name, its length and the digest of its header, which stands for all of
//! it (see [`format`](crate::format)).
//!
//! # The file `manifest.jsonl`, version 1
//!
//! Text in UTF-8, one JSON object a line, every line ended by a line feed; no more than 64 MiB.
//!
//! ```text
//! line 1     {"manifest":1,            version of the format
//!             "game":"checkers 4x4",   the game, as the registry opens it
//!             "rules":1,               version of its rules, as in the files
//!             "pieces":2,              the most pieces; null for a whole game in one file
//!             "distance":false,        whether distances are kept
//!             "files":4}               how many files follow
//! 2 ... n+1  {"name":"m0k1-m0k1.slice",   the name: messages, digits and "-", then ".slice"; or all.positions
//!             "bytes":482,                the length of the file
//!             "digest":"..."}             BLAKE3 of its first bytes, up to the end of the header, in hexadecimal
//! n+2        {"digest":"..."}          BLAKE3 of all lines before this one, line feeds included
//! ```
//!
//! Files come in the ascending order of their names. The content follows from the files and from nothing else (no
//! time, no place), so whoever builds the same database writes the same manifest.
//!
//! # What it means
//!
//! - A listed file that is missing or another one is damage: nothing of the folder is used.
//! - A database without a manifest opens, and is said to be unlisted: it is older than manifests, or its build
//!   was ended before it was finished. The next build adds the manifest, after a look at all checksums.
//! - Files beside those listed are used, and counted: a build that adds pieces was ended before it was finished.

use crate::{Damage, DatabaseFailure, folder, reachable};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use zermelo_game::outside::printable;
use zermelo_game::{Identity, file};

/// The name of the file.
pub const FILE: &str = "manifest.jsonl";
/// The version of the format.
const VERSION: u32 = 1;
/// A manifest of more bytes is refused.
const MAX_BYTES: u64 = 64 << 20;

/// Whether a manifest lists the files of a folder.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Listing {
    /// There is no manifest.
    NoManifest,
    /// There is one, and all files that it lists are there and the same.
    Listed {
        /// So many files are there beside those.
        unlisted: usize,
    },
}

/// What a manifest says of a file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Listed {
    /// Its name.
    pub name: String,
    /// Its length.
    pub bytes: u64,
    /// The BLAKE3 of its first bytes, up to the end of the header.
    pub digest: String,
}

/// Line 1.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct First {
    manifest: u32,
    game: String,
    rules: u32,
    pieces: Option<u32>,
    distance: bool,
    files: usize,
}

/// What every version begins with.
#[derive(Deserialize)]
struct Version {
    manifest: u32,
}

/// The last line.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Last {
    digest: String,
}

/// What a finished build has made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Manifest {
    /// The game, as the registry opens it.
    pub game: String,
    /// The version of its rules.
    pub rules: u32,
    /// The most pieces; `None` for a whole game in one file.
    pub pieces: Option<u32>,
    /// Whether distances are kept.
    pub distance: bool,
    /// The files in the order of their names.
    pub files: Vec<Listed>,
}

impl Manifest {
    /// The file's text.
    #[must_use]
    pub fn to_text(&self) -> String {
        let Manifest { game, rules, pieces, distance, files } = self;
        let first = First {
            manifest: VERSION,
            game: game.clone(),
            rules: *rules,
            pieces: *pieces,
            distance: *distance,
            files: files.len(),
        };
        let mut text = line(&first);
        text.extend(files.iter().map(line));
        let digest = blake3::hash(text.as_bytes()).to_hex().to_string();
        text += &line(&Last { digest });
        text
    }

    /// Reads the file's text; says what is wrong with it.
    pub fn parse(text: &str) -> Result<Manifest, String> {
        let cannot = |n: usize| move |e: serde_json::Error| format!("line {n} cannot be read: {e}");
        let (line_1, _) = text.split_once('\n').ok_or("it ends within its first line")?;
        let Version { manifest } = serde_json::from_str(line_1).map_err(cannot(1))?;
        if manifest != VERSION {
            return Err(format!("version {manifest} of the format, this program reads {VERSION}"));
        }
        let first: First = serde_json::from_str(line_1).map_err(cannot(1))?;
        let whole = text.strip_suffix('\n').ok_or("it does not end with a line feed")?;
        let at = whole.rfind('\n').ok_or("it has a single line")? + 1;
        let (body, last) = whole.split_at(at);
        let lines = body.lines().count();
        let last: Last = serde_json::from_str(last).map_err(cannot(lines + 1))?;
        if blake3::hash(body.as_bytes()).to_hex().as_str() != last.digest {
            return Err("it does not match its own digest".into());
        }
        let mut files: Vec<Listed> = Vec::new();
        for (n, line) in body.lines().enumerate().skip(1) {
            let file: Listed = serde_json::from_str(line).map_err(cannot(n + 1))?;
            if !is_name(&file.name) {
                return Err(format!("line {}: no name of a file of a database", n + 1));
            }
            if files.last().is_some_and(|before| before.name >= file.name) {
                return Err(format!("line {}: the names are not in order", n + 1));
            }
            files.push(file);
        }
        if files.len() != first.files {
            let (said, found) = (first.files, files.len());
            return Err(format!("it says that {said} files follow, there are {found}"));
        }
        let First { game, rules, pieces, distance, .. } = first;
        Ok(Manifest { game, rules, pieces, distance, files })
    }

    /// Reads the manifest of a folder, if there is one.
    pub fn read(dir: &Path) -> Result<Option<Manifest>, DatabaseFailure> {
        let path = path(dir);
        match folder::regular(&path) {
            Err(DatabaseFailure::Io { error, .. }) if error.kind() == ErrorKind::NotFound => {
                Ok(None)
            }
            Err(failure) => Err(failure),
            Ok(open) => {
                let bytes =
                    file::read_from(open, MAX_BYTES).map_err(|e| DatabaseFailure::io(&path, e))?;
                let text = String::from_utf8(bytes).map_err(|_| Damage::new(&path, "no UTF-8"))?;
                let manifest = Manifest::parse(&text).map_err(|why| Damage::new(&path, &why))?;
                Ok(Some(manifest))
            }
        }
    }

    /// Writes the manifest of a folder, unless it is there already.
    pub(crate) fn write(&self, dir: &Path) -> Result<(), DatabaseFailure> {
        if Manifest::read(dir)?.as_ref() == Some(self) {
            return Ok(());
        }
        folder::write(&path(dir), |to| to.write_all(self.to_text().as_bytes()))
    }

    /// What it says of a file.
    #[must_use]
    pub fn file(&self, name: &str) -> Option<&Listed> {
        let at = self.files.binary_search_by(|file| file.name.as_str().cmp(name)).ok()?;
        Some(&self.files[at])
    }

    /// A manifest of this game, by its rules of today?
    pub(crate) fn check_game(&self, dir: &Path, ours: &Identity) -> Result<(), Damage> {
        check_identity(&self.game, self.rules, ours).map_err(|why| Damage::new(&path(dir), &why))
    }

    /// Whether a file that is there is the one that is listed, if it is.
    pub(crate) fn check_file(&self, path: &Path, found: &Listed) -> Result<(), Damage> {
        match self.file(&found.name) {
            Some(listed) if listed != found => {
                Err(Damage::new(path, &format!("it is another file than {FILE} lists")))
            }
            _ => Ok(()),
        }
    }

    /// Compares the list with what is there. `whole`: what is listed must be there.
    pub(crate) fn compare(
        &self,
        dir: &Path,
        found: &BTreeMap<String, Listed>,
        whole: bool,
    ) -> Result<Listing, Damage> {
        for (name, file) in found {
            self.check_file(&dir.join(name), file)?;
        }
        let missing = |file: &&Listed| !found.contains_key(&file.name);
        if whole && let Some(first) = self.files.iter().find(missing) {
            let others = self.files.iter().filter(missing).count() - 1;
            let others =
                if others > 0 { format!(", nor are {others} others") } else { String::new() };
            let why = format!("{FILE} lists it, and it is not there{others}");
            return Err(Damage::new(&dir.join(&first.name), &why));
        }
        let unlisted = found.keys().filter(|name| self.file(name).is_none()).count();
        Ok(Listing::Listed { unlisted })
    }
}

fn line(object: &impl Serialize) -> String {
    serde_json::to_string(object).expect("plain data") + "\n"
}

fn path(dir: &Path) -> PathBuf {
    dir.join(FILE)
}

fn is_name(name: &str) -> bool {
    let plain = |stem: &str| {
        !stem.is_empty() && stem.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
    };
    name == reachable::FILE
        || name.strip_suffix(folder::SLICE).and_then(|s| s.strip_suffix('.')).is_some_and(plain)
}

/// Compares the manifest of a folder with the names, lengths and headers of its files.
pub fn check(dir: &Path) -> Result<Listing, DatabaseFailure> {
    let Some(manifest) = Manifest::read(dir)? else { return Ok(Listing::NoManifest) };
    Ok(manifest.compare(dir, &folder::found(dir)?, true)?)
}

/// Whether a file that names this game and version of its rules is about our game.
pub(crate) fn check_identity(game: &str, rules: u32, ours: &Identity) -> Result<(), String> {
    if game != ours.game {
        return Err(format!("it belongs to {}, not to {}", printable(game), ours.game));
    }
    match ours.rules_version {
        version if version == rules => Ok(()),
        version => Err(format!(
            "made by version {rules} of the rules, this program plays by version {version}: build it anew in \
             another folder, or use a program of version {rules}"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Manifest {
        let file = |name: &str, bytes| {
            let digest = blake3::hash(name.as_bytes()).to_hex().to_string();
            Listed { name: name.into(), bytes, digest }
        };
        Manifest {
            game: "checkers 4x4".into(),
            rules: 1,
            pieces: Some(2),
            distance: true,
            files: vec![file("m0k1-m0k1.slice", 482), file("m1k0-m0k1.slice", 7)],
        }
    }

    /// The text with a digest that fits its other lines.
    fn signed(lines: &str) -> String {
        let digest = blake3::hash(lines.as_bytes()).to_hex().to_string();
        lines.to_owned() + &line(&Last { digest })
    }

    #[test]
    fn comes_back_from_its_text() {
        let text = example().to_text();
        assert_eq!(Manifest::parse(&text), Ok(example()));
        assert_eq!(text.lines().count(), 4);
        let whole = Manifest { pieces: None, files: Vec::new(), ..example() };
        assert_eq!(Manifest::parse(&whole.to_text()), Ok(whole));
    }

    #[test]
    fn no_byte_may_change() {
        let text = example().to_text();
        for at in 0..text.len() {
            for bit in 0..7 {
                let mut bytes = text.clone().into_bytes();
                bytes[at] ^= 1 << bit;
                let bad = String::from_utf8(bytes).unwrap();
                assert!(Manifest::parse(&bad).is_err(), "byte {at}, bit {bit}: {bad}");
            }
            assert!(Manifest::parse(&text[..at]).is_err(), "{at} bytes");
        }
        assert!(Manifest::parse(&(text + "\n")).is_err());
    }

    #[test]
    fn what_makes_no_sense_is_refused_under_a_right_digest() {
        let text = example().to_text();
        let lines: Vec<&str> = text.lines().collect();
        let join = |lines: &[&str]| signed(&(lines.join("\n") + "\n"));
        assert_eq!(Manifest::parse(&join(&lines[..3])), Ok(example()));
        for (bad, word) in [
            (join(&[lines[0], lines[2], lines[1]]), "not in order"),
            (join(&[lines[0], lines[1], lines[1]]), "not in order"),
            (join(&lines[..2]), "2 files follow, there are 1"),
            (join(&[lines[0], lines[1], lines[1], lines[2]]), "not in order"),
            (join(&[lines[1]]), "line 1"),
            (join(&[lines[0], "", lines[1]]), "line 2"),
            (signed(&text.replace("m1k0-m0k1", "../m1k0")), "line"),
            (join(&lines[..3]).replace("\"manifest\":1", "\"manifest\":2"), "version 2"),
            (String::new(), "first line"),
            ("{}\n".into(), "line 1"),
        ] {
            let why = Manifest::parse(&bad).unwrap_err();
            assert!(why.contains(word), "{why}, not {word}: {bad}");
        }
        for name in ["/etc/passwd", "..", ".slice", "a/b.slice", "a.slice.part", "x", "a b.slice"] {
            assert!(!is_name(name), "{name}");
        }
        assert!(is_name("all.positions") && is_name("KR-K.slice"));
    }
}
