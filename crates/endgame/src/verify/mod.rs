//! Verifying: every entry again from its successors, by forward moves alone.
//!
//! A database is right if its files are what they say, and if for each group of slices, after those that it depends on:
//!
//! 1. every entry is the best of what its moves lead to, and so are the counts in the header;
//! 2. wins and losses are well-founded: each can be worked out from ends of the game and other groups in finitely many
//!    steps. Without this, positions could be called won because of each other for ever.
//!
//! With distances one look at each entry shows both, as a win in `d` plies must have a loss in `d - 1` behind it. Without,
//! values are worked out once more: everything starts as a draw (as 0), and entries whose value is not yet
//! what the file says are looked at again until nothing changes. What then differs from the file is not well-founded. Draws
//! (zeros) need no foundation: by the first rule both players can keep to them for ever.
//!
//! Nothing here takes a move back. Every entry is compared with what its moves lead to, played one by one; only the sweeps of
//! the second rule ask for the places after a position, as the builder does. The number of plies of the longest win is compared where files hold distances; in
//! others its position must be a win.

mod group;

use crate::database::Database;
use crate::folder::SLICE;
use crate::manifest::{self, Listing, Manifest};
use crate::seal::check_all_sources;
use crate::slice_file::SliceFile;
use crate::{Damage, DatabaseFailure};
use group::{CheckedPart, GroupCheck, whole};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use zermelo_game::Sliced;

/// How to verify.
pub struct VerifyConfig<'a> {
    /// Threads.
    pub threads: usize,
    /// Bytes for values and blocks.
    pub memory: u64,
    /// Set by others to end the run.
    pub cancel: Option<&'a AtomicBool>,
    /// Told before each group how far it is.
    pub progress: Option<&'a (dyn Fn(&VerifyProgress) + Sync)>,
}

impl Default for VerifyConfig<'_> {
    fn default() -> Self {
        VerifyConfig { threads: 1, memory: 4 << 30, cancel: None, progress: None }
    }
}

/// How far it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VerifyProgress {
    /// The slices of the group that comes next.
    pub slices: Vec<String>,
    /// Places that are verified, and all.
    pub places: [u64; 2],
}

/// What was found to be right.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Verified {
    /// Files.
    pub files: usize,
    /// Entries, one for each position.
    pub positions: u64,
    /// Whether a manifest says that these are all files.
    pub listing: Listing,
}

/// Verifies all files of a folder. The first thing that is wrong is a [`DatabaseFailure::Damage`].
pub fn verify<R: Sliced>(
    rules: &R,
    dir: &Path,
    config: &VerifyConfig,
) -> Result<Verified, DatabaseFailure> {
    let database = Database::open(rules, dir, config.memory / 16)?;
    if database.files().is_empty() {
        let why = format!("{}: no file named *.{SLICE} here", zermelo_game::outside::path(dir));
        return Err(DatabaseFailure::Refused(why));
    }
    let all = database.files().iter().map(|f| f.header.places).sum();
    if let Some(manifest) = database.manifest() {
        check_manifest(rules, dir, manifest)?;
    }
    let mut verified = Verified { files: 0, positions: 0, listing: database.listing() };
    let mut places = 0;
    let mut value_memory = config.memory / 16 * 3;
    for group in rules.groups(database.most_pieces()) {
        let files: Vec<(R::Slice, &SliceFile)> =
            group.iter().filter_map(|s| Some((*s, database.file(*s)?))).collect();
        if let Some((_, file)) = files.first().filter(|_| files.len() < group.len()) {
            return Err(Damage::new(&file.path, "other slices of its group are missing").into());
        }
        if files.is_empty() {
            continue;
        }
        if let Some(progress) = config.progress {
            let slices = group.iter().map(|s| rules.slice_name(*s)).collect();
            progress(&VerifyProgress { slices, places: [places, all] });
        }
        for (_, file) in &files {
            check_all_sources(&database, file)?;
        }
        let here: u64 = files.iter().map(|(_, f)| f.header.places).sum();
        let (need, mib) = (here * 4 + config.memory / 4, |bytes: u64| bytes.div_ceil(1 << 20));
        if need > config.memory {
            let (need, allowed) = (mib(here * 4 * 4 / 3), mib(config.memory));
            let why = format!("verifying takes {need} MiB of memory, allowed are {allowed} MiB");
            return Err(DatabaseFailure::Refused(why));
        }
        let check = GroupCheck::new(rules, &database, config, &files)?;
        check.run()?;
        // What is verified is looked up by later groups.
        for CheckedPart { file, said, .. } in check.parts {
            let bytes = file.header.packed_bytes(file.header.places) as u64;
            if bytes <= value_memory {
                value_memory -= bytes;
                file.set_whole(whole(&file.header, &said));
            }
        }
        verified.files += files.len();
        verified.positions += files.iter().map(|(_, f)| f.header.positions).sum::<u64>();
        places += here;
    }
    Ok(verified)
}

/// A manifest must list all slices of as many pieces as it says.
fn check_manifest<R: Sliced>(rules: &R, dir: &Path, manifest: &Manifest) -> Result<(), Damage> {
    let damaged = |why: &str| Err(Damage::new(&dir.join(manifest::FILE), why));
    let Some(pieces) = manifest.pieces else {
        return damaged("it does not say how many pieces there are");
    };
    for slice in rules.groups(pieces).into_iter().flatten() {
        let name = format!("{}.{SLICE}", rules.slice_name(slice));
        if manifest.file(&name).is_none() {
            return damaged(&format!("it does not list {name}"));
        }
    }
    Ok(())
}
