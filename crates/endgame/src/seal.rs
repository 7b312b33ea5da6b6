//! The end of a build by slices: when all files are there, the manifest is written.
//!
//! What a build finds in its folder has been written by somebody else, perhaps long ago. Files that a manifest lists were
//! compared with it when the folder was opened. Of all others every block is read and compared with its checksum before
//! they are listed; whether their entries are right only [`verify`](mod@crate::verify) can say.

use crate::build::BuildConfig;
use crate::database::Database;
use crate::format::Coding;
use crate::manifest::{FILE, Listed, Manifest};
use crate::slice_file::SliceFile;
use crate::{Damage, DatabaseFailure};
use rustc_hash::FxHashSet;
use std::path::Path;
use zermelo_game::Sliced;

/// The most pieces of a slice that is built when so many are allowed.
fn most_pieces<R: Sliced>(rules: &R, pieces: u32) -> u32 {
    let slices = rules.groups(pieces).into_iter().flatten();
    slices.map(|slice| rules.pieces(slice).iter().sum()).max().unwrap_or(0)
}

/// Writes the manifest of all that was to be built, and of what it listed before. `fresh` are slices that this run has
/// written.
pub(crate) fn seal<R: Sliced>(
    rules: &R,
    database: &Database<R>,
    config: &BuildConfig,
    fresh: &FxHashSet<R::Slice>,
) -> Result<(), DatabaseFailure> {
    database.check_sources()?;
    let old = database.manifest();
    // What a manifest promises it goes on to promise, also if now fewer pieces were asked for.
    let before = old.and_then(|manifest| manifest.pieces).unwrap_or(0);
    let pieces = most_pieces(rules, config.pieces).max(before);
    let mut files: Vec<Listed> = Vec::new();
    for slice in rules.groups(pieces).into_iter().flatten() {
        let listed = |name: &str| old.and_then(|manifest| manifest.file(name));
        let Some(file) = database.file(slice) else {
            let name = rules.slice_name(slice);
            let kept = listed(&format!("{name}.{}", crate::folder::SLICE)).cloned();
            files.push(
                kept.ok_or_else(|| DatabaseFailure::Refused(format!("{name} was not built")))?,
            );
            continue;
        };
        let found = file.listed();
        if listed(&found.name).is_none() {
            check_all_sources(database, file)?;
            if !fresh.contains(&slice) {
                file.check_blocks(config)?;
            }
        }
        files.push(found);
    }
    let distance = database.files().first().is_some_and(|f| f.header.coding == Coding::Distance);
    let (game, version) = (rules.full_name(), rules.rules_version());
    let manifest = Manifest { game, rules: version, pieces: Some(pieces), distance, files };
    write(manifest, database.dir())
}

/// Writes a manifest, its files by name. (Apart, so that no game has the sort compiled anew.)
fn write(mut manifest: Manifest, dir: &Path) -> Result<(), DatabaseFailure> {
    manifest.files.sort_by(|a, b| a.name.cmp(&b.name));
    manifest.write(dir)
}

/// Every file that a file was built from must be here, and be the same.
pub(crate) fn check_all_sources<R: Sliced>(
    database: &Database<R>,
    file: &SliceFile,
) -> Result<(), Damage> {
    for source in &file.header.sources {
        let found = database.files().iter().find(|f| f.header.slice == source.slice);
        if found.is_none_or(|f| f.digest != source.digest) {
            let slice = zermelo_game::outside::printable(&source.slice);
            let why = format!("the file {slice} that it was built from is not here");
            return Err(Damage::new(&file.path, &why));
        }
    }
    Ok(())
}

/// A file that was missing and is there again must be the one that was listed: others were built from that.
pub(crate) fn check_rebuilt<R: Sliced>(
    database: &Database<R>,
    file: &SliceFile,
) -> Result<(), Damage> {
    let Some(manifest) = database.manifest() else { return Ok(()) };
    manifest.check_file(&file.path, &file.listed()).map_err(|_| {
        let why = format!(
            "it was missing, and is another file than before now that it is built again: remove {FILE} and \
             what was built from it"
        );
        Damage::new(&file.path, &why)
    })
}
