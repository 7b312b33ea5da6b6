//! A build whose groups others work out: what is left to do, what each group depends on, and how a finished file is admitted
//! to the folder.
//!
//! A group is worked out from the files of the groups that it depends on, and from nothing else
//! ([`BuildConfig::only`](crate::BuildConfig::only)); so it may be done anywhere those are at hand, and comes to the same bytes as here.

use crate::build::{BuildConfig, coding, plan, refuse_unfit};
use crate::database::{Database, fit};
use crate::folder::{self, SLICE};
use crate::manifest::Manifest;
use crate::slice_file::SliceFile;
use crate::{Damage, DatabaseFailure, seal};
use rustc_hash::FxHashSet;
use std::fs::{self, File};
use std::path::Path;
use zermelo_game::Sliced;
use zermelo_game::outside::printable;

/// A group of slices that can be worked out somewhere else.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GroupPlan {
    /// The names of its slices.
    pub slices: Vec<String>,
    /// The numbers of the groups that it depends on, all before its own; what these depend on is among them.
    pub needs: Vec<usize>,
    /// Its places.
    pub places: u64,
    /// Whether its files are there.
    pub there: bool,
}

/// All groups of a build in the order of their numbers. Makes the folder, and removes what an interrupted run has left
/// half written.
pub fn outline<R: Sliced>(
    rules: &R,
    dir: &Path,
    config: &BuildConfig,
) -> Result<Vec<GroupPlan>, DatabaseFailure> {
    refuse_unfit(rules, config)?;
    folder::prepare(dir)?;
    let database = Database::open_unfinished(rules, dir, 0)?;
    plan(rules, &database, config)?;
    let groups = rules.groups(config.pieces);
    let plan = |(n, group): (usize, &Vec<R::Slice>)| {
        let rests = |m: &usize| groups[*m].iter().any(|&earlier| rules.rests_on(group, earlier));
        GroupPlan {
            slices: group.iter().map(|&slice| rules.slice_name(slice)).collect(),
            needs: (0..n).filter(rests).collect(),
            places: group.iter().map(|&slice| rules.places(slice)).sum(),
            there: group.iter().all(|&slice| database.file(slice).is_some()),
        }
    };
    Ok(groups.iter().enumerate().map(plan).collect())
}

/// Admits a finished file to the folder, if it is of this game and coding, of the slice that its name says, and built from
/// the files that are there. It lies in another folder of the same disk, and is complete.
pub fn admit<R: Sliced>(
    rules: &R,
    dir: &Path,
    config: &BuildConfig,
    finished: &Path,
) -> Result<(), DatabaseFailure> {
    let head = folder::open(finished)?;
    let header = head.header.clone();
    let damaged = |why: String| Err(Damage::new(finished, &why).into());
    if header.coding != coding(rules, config) {
        return damaged("it says other things of positions than were asked for".into());
    }
    let slices: Vec<R::Slice> = rules.groups(config.pieces).into_iter().flatten().collect();
    let named = |name: &str| slices.iter().copied().find(|s| rules.slice_name(*s) == name);
    // The same look as at a file that is found in a folder.
    let slice = fit(rules, named(&header.slice), &header, finished)?;
    let stored = SliceFile::with_head(head)?;
    let path = |slice: R::Slice| dir.join(rules.slice_name(slice)).with_extension(SLICE);
    for source in &header.sources {
        // A name out of the file is no path yet.
        let Some(known) = named(&source.slice) else {
            return damaged(format!(
                "it was built from {}, no slice of the game",
                printable(&source.slice)
            ));
        };
        if folder::open(&path(known))?.digest != source.digest {
            return damaged(format!("it was built from another file {}", source.slice));
        }
    }
    if let Some(manifest) = Manifest::read(dir)? {
        manifest.check_file(finished, &stored.listed())?;
    }
    let (to, io) = (path(slice), |e| DatabaseFailure::io(finished, e));
    File::open(finished).and_then(|file| file.sync_all()).map_err(io)?;
    fs::rename(finished, &to).map_err(io)?;
    File::open(dir).and_then(|dir| dir.sync_all()).map_err(io)
}

/// Lists all files in the manifest when they are there, as [`build`](fn@crate::build) does at its end.
pub fn finish<R: Sliced>(
    rules: &R,
    dir: &Path,
    config: &BuildConfig,
) -> Result<(), DatabaseFailure> {
    let database = Database::open_unfinished(rules, dir, 0)?;
    plan(rules, &database, config)?;
    seal::seal(rules, &database, config, &FxHashSet::default())
}
