//! What lies in a folder: one file for each slice, or one with all positions of a small game.

use crate::format::{self, HEADER_AT, Header};
use crate::{Damage, Failure, reachable};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

/// The extension of slice files.
pub const SLICE: &str = "slice";
/// The extension of files that are being written.
pub(crate) const PART: &str = "part";

/// What a folder holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Slices, with the game's name.
    Slices(String),
    /// All positions that can be reached from the start, with the game's name.
    Reachable(String),
}

/// The files with an extension, in the order of their names.
pub(crate) fn files(dir: &Path, extension: &str) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for entry in fs::read_dir(dir).map_err(|e| Failure::io(dir, e))? {
        let path = entry.map_err(|e| Failure::io(dir, e))?.path();
        if path.extension() == Some(OsStr::new(extension)) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// Says what a folder holds.
pub fn kind(dir: &Path) -> Result<Kind, Failure> {
    let slices = files(dir, SLICE)?;
    let whole = dir.join(reachable::FILE);
    match slices.first() {
        _ if whole.exists() => Ok(Kind::Reachable(reachable::game_of(&whole)?)),
        Some(first) => Ok(Kind::Slices(headers(std::slice::from_ref(first))?.remove(0).0.game)),
        None => Err(Failure::Refused(format!(
            "{}: no database here (no file named *.{SLICE} and no {})",
            dir.display(),
            reachable::FILE
        ))),
    }
}

/// The headers of all slice files of a folder, with the length of each file.
pub fn slices(dir: &Path) -> Result<Vec<(Header, u64)>, Failure> {
    headers(&files(dir, SLICE)?)
}

fn headers(files: &[PathBuf]) -> Result<Vec<(Header, u64)>, Failure> {
    files.iter().map(|path| open(path).map(|(_, header, _, bytes)| (header, bytes))).collect()
}

/// What stands for all that a folder holds: the BLAKE3 of the names and digests of its files. Whoever has the
/// same digest has the same database.
pub fn digest(dir: &Path) -> Result<String, Failure> {
    let mut hasher = blake3::Hasher::new();
    let whole = dir.join(reachable::FILE);
    if whole.exists() {
        let bytes = fs::read(&whole).map_err(|e| Failure::io(&whole, e))?;
        hasher.update(reachable::FILE.as_bytes()).update(&bytes);
    }
    for path in files(dir, SLICE)? {
        let (_, header, digest, _) = open(&path)?;
        hasher
            .update(header.slice.as_bytes())
            .update(b"\n")
            .update(digest.as_bytes())
            .update(b"\n");
    }
    Ok(hasher.finalize().to_hex().to_string())
}

/// Opens a slice file: the file, its header, its digest and its length.
pub(crate) fn open(path: &Path) -> Result<(File, Header, String, u64), Failure> {
    let io = |e| Failure::io(path, e);
    let mut file = File::open(path).map_err(io)?;
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
    let wanted = (HEADER_AT + size) as u64 + header.rest;
    if long != wanted {
        let why = format!("the file has {long} bytes, it should have {wanted}");
        return Err(Damage::new(path, &why).into());
    }
    if path.file_stem() != Some(OsStr::new(&header.slice)) {
        let why = format!("it holds the slice {}", header.slice);
        return Err(Damage::new(path, &why).into());
    }
    Ok((file, header, format::digest(&preface, &text), long))
}

/// Writes a file so that whoever finds it under its name finds all of it, also after a power failure.
pub(crate) fn write(
    path: &Path,
    content: impl FnOnce(&mut File) -> std::io::Result<()>,
) -> Result<(), Failure> {
    let part = path.with_added_extension(PART);
    let save = move || -> std::io::Result<()> {
        let mut file = File::create(&part)?;
        content(&mut file)?;
        file.sync_all()?;
        fs::rename(&part, path)?;
        // The name itself is on disk only when the folder is.
        File::open(path.parent().unwrap_or(Path::new(".")))?.sync_all()
    };
    save().map_err(|e| Failure::io(path, e))
}

/// Makes the folder, and removes what an interrupted run has left half written.
pub(crate) fn prepare(dir: &Path) -> Result<(), Failure> {
    fs::create_dir_all(dir).map_err(|e| Failure::io(dir, e))?;
    for part in files(dir, PART)? {
        fs::remove_file(&part).map_err(|e| Failure::io(&part, e))?;
    }
    Ok(())
}
