//! What lies in a folder: one file for each slice, or one with all positions of a small game.

use crate::format::{self, HEADER_AT, SliceHeader};
use crate::manifest::{self, Listed};
use crate::{Damage, DatabaseFailure, reachable};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use zermelo_game::file;
use zermelo_game::outside::printable;

/// The extension of slice files.
pub const SLICE: &str = "slice";
pub(crate) use file::PART;

/// What a folder holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FolderKind {
    /// Slices, with the game's name.
    Slices(String),
    /// All positions that can be reached from the start, with the game's name.
    Reachable(String),
}

/// The files with an extension, in the order of their names.
pub(crate) fn files(dir: &Path, extension: &str) -> Result<Vec<PathBuf>, DatabaseFailure> {
    let mut files = Vec::new();
    for entry in fs::read_dir(dir).map_err(|e| DatabaseFailure::io(dir, e))? {
        let path = entry.map_err(|e| DatabaseFailure::io(dir, e))?.path();
        if path.extension() == Some(OsStr::new(extension)) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// Opens a regular file for reading: a pipe would keep us waiting for ever, and a device has no end.
pub(crate) fn regular(path: &Path) -> Result<File, DatabaseFailure> {
    let io = |e| DatabaseFailure::io(path, e);
    match fs::metadata(path).map_err(io)?.is_file() {
        true => File::open(path).map_err(io),
        false => Err(Damage::new(path, "it is no regular file").into()),
    }
}

/// Says what a folder holds.
pub fn kind(dir: &Path) -> Result<FolderKind, DatabaseFailure> {
    let slices = files(dir, SLICE)?;
    let whole = dir.join(reachable::FILE);
    match slices.first() {
        _ if whole.exists() => Ok(FolderKind::Reachable(reachable::header(dir)?.0.game)),
        Some(first) => Ok(FolderKind::Slices(open(first)?.header.game)),
        None => {
            // Where files are listed, they are missing.
            manifest::check(dir)?;
            Err(DatabaseFailure::Refused(format!(
                "{}: no database here (no file named *.{SLICE} and no {})",
                zermelo_game::outside::path(dir),
                reachable::FILE
            )))
        }
    }
}

/// The headers of all slice files of a folder, with the length of each file.
pub fn slices(dir: &Path) -> Result<Vec<(SliceHeader, u64)>, DatabaseFailure> {
    let files = files(dir, SLICE)?;
    files.iter().map(|path| open(path).map(|head| (head.header, head.bytes))).collect()
}

/// All files of a database that are in a folder, by their names.
pub(crate) fn found(dir: &Path) -> Result<BTreeMap<String, Listed>, DatabaseFailure> {
    let mut found = BTreeMap::new();
    for path in files(dir, SLICE)? {
        let listed = open(&path)?.listed();
        found.insert(listed.name.clone(), listed);
    }
    if dir.join(reachable::FILE).exists() {
        let listed = reachable::listed(dir)?;
        found.insert(listed.name.clone(), listed);
    }
    Ok(found)
}

/// What stands for all that a folder holds: the BLAKE3 of the names and digests of its files. Whoever has the
/// same digest has the same database. The manifest is no part of it.
pub fn digest(dir: &Path) -> Result<String, DatabaseFailure> {
    let mut hasher = blake3::Hasher::new();
    let whole = dir.join(reachable::FILE);
    if whole.exists() {
        hasher.update(reachable::FILE.as_bytes());
        hasher.update_reader(regular(&whole)?).map_err(|e| DatabaseFailure::io(&whole, e))?;
    }
    for path in files(dir, SLICE)? {
        let Head { header, digest, .. } = open(&path)?;
        hasher
            .update(header.slice.as_bytes())
            .update(b"\n")
            .update(digest.as_bytes())
            .update(b"\n");
    }
    Ok(hasher.finalize().to_hex().to_string())
}

/// A slice file whose header has been read.
pub(crate) struct Head {
    /// Its path.
    pub path: PathBuf,
    /// The file.
    pub file: File,
    /// Its header.
    pub header: SliceHeader,
    /// Its digest.
    pub digest: String,
    /// Its length.
    pub bytes: u64,
}

impl Head {
    /// What a manifest says of it.
    pub fn listed(&self) -> Listed {
        listed(&self.header, self.bytes, &self.digest)
    }
}

/// What a manifest says of the file with this header, of so many bytes.
pub(crate) fn listed(header: &SliceHeader, bytes: u64, digest: &str) -> Listed {
    // The name of the file is that of the slice, as its reader makes sure.
    let name = format!("{}.{SLICE}", header.slice);
    Listed { name, bytes, digest: digest.to_owned() }
}

/// Opens a slice file and reads its header.
pub(crate) fn open(path: &Path) -> Result<Head, DatabaseFailure> {
    let io = |e| DatabaseFailure::io(path, e);
    let mut file = regular(path)?;
    let long = file.metadata().map_err(io)?.len();
    let short = || Damage::new(path, "the file is too short");
    let mut preface = [0; HEADER_AT];
    if long < HEADER_AT as u64 {
        return Err(short().into());
    }
    file.read_exact(&mut preface).map_err(io)?;
    let size = format::read_preface(path, &preface)?;
    if long < (HEADER_AT + size) as u64 {
        return Err(short().into());
    }
    let mut text = vec![0; size];
    file.read_exact(&mut text).map_err(io)?;
    let header = format::read_header(path, &preface, &text)?;
    let wanted = ((HEADER_AT + size) as u64).saturating_add(header.rest);
    if long != wanted {
        let why = format!("the file has {long} bytes, it should have {wanted}");
        return Err(Damage::new(path, &why).into());
    }
    if path.file_stem() != Some(OsStr::new(&header.slice)) {
        let why = format!("it holds the slice {}", printable(&header.slice));
        return Err(Damage::new(path, &why).into());
    }
    let digest = format::digest(&preface, &text);
    Ok(Head { path: path.to_owned(), file, header, digest, bytes: long })
}

/// Writes a file in whole or not at all.
pub(crate) fn write(
    path: &Path,
    content: impl FnOnce(&mut File) -> std::io::Result<()>,
) -> Result<(), DatabaseFailure> {
    file::write_whole(path, content).map_err(|e| DatabaseFailure::io(path, e))
}

/// Makes the folder, and removes what an interrupted run has left half written.
pub(crate) fn prepare(dir: &Path) -> Result<(), DatabaseFailure> {
    fs::create_dir_all(dir).map_err(|e| DatabaseFailure::io(dir, e))?;
    for part in files(dir, PART)? {
        fs::remove_file(&part).map_err(|e| DatabaseFailure::io(&part, e))?;
    }
    Ok(())
}
