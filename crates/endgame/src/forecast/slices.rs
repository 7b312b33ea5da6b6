//! What a build by slices would take.

use super::{Basis, Dice, Forecast};
use crate::build::{self, BuildConfig};
use crate::database::is_wdl;
use crate::format::{HEADER_AT, SliceHeader};
use crate::{DatabaseFailure, folder};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;
use zermelo_game::Sliced;

/// The most places that are built on trial.
pub const TRIAL: u64 = 300_000;
/// So few places of a trial say nothing of others.
const FEW: u64 = 1_000;
/// Bytes a place takes where no trial says: without distances, with them, and scores.
const EACH: [f64; 3] = [0.05, 0.3, 0.5];
/// Places that are looked at to see how many hold a position.
const SAMPLE: u64 = 50_000;
/// Memory for a trial, if less is allowed.
const MEMORY: u64 = 64 << 20;

/// Says what [`build`](fn@crate::build) would take. `trial`: so many places are built on trial at most, in a folder of their own
/// (in the system's folder for such files); usually [`TRIAL`].
pub fn forecast<R: Sliced>(
    rules: &R,
    dir: &Path,
    config: &BuildConfig,
    trial: u64,
) -> Result<Forecast, DatabaseFailure> {
    let quick = build::estimate(rules, dir, config)?;
    let left: Vec<R::Slice> = build::left(rules, dir, config)?;
    let mut trials = [None, None];
    let mut seconds = quick.seconds;
    for (n, distance) in [false, true].into_iter().enumerate() {
        if distance && !is_wdl(rules) {
            continue;
        }
        let made = Trial::make(rules, &BuildConfig { distance, ..*config }, trial)?;
        if distance == config.distance && made.holds(rules, &left) {
            seconds = made.seconds;
        }
        trials[n] = Some(made);
    }
    let all = trials.iter().flatten().all(|made| made.holds(rules, &left));
    let bytes = |n: usize, coding: usize| {
        trials[n].as_ref().map(|made| made.bytes(rules, &left, EACH[coding]))
    };
    let built = trials[0].as_ref().map_or(0, |made| made.places);
    Ok(Forecast {
        files: quick.files,
        places: Some(quick.places),
        positions: match &trials[0] {
            Some(made) if all => made.positions(rules, &left),
            _ => positions(rules, &left, quick.places),
        },
        kept: None,
        bytes: [bytes(0, if is_wdl(rules) { 0 } else { 2 }), bytes(1, 1)],
        memory: quick.memory,
        scratch: quick.scratch,
        seconds,
        basis: if all { Basis::Trial } else { Basis::PartialTrial([built, quick.places]) },
    })
}

/// How many of the places of some slices hold a position, by a sample.
fn positions<R: Sliced>(rules: &R, slices: &[R::Slice], places: u64) -> u64 {
    let (mut found, mut looked) = (0u64, 0u64);
    let mut dice = Dice(1);
    for &slice in slices {
        let here = rules.places(slice);
        let share = (u128::from(here) * u128::from(SAMPLE) / u128::from(places.max(1))) as u64;
        for _ in 0..share.min(here) {
            found += u64::from(rules.at(slice, dice.below(here)).is_some());
            looked += 1;
        }
    }
    match looked {
        0 => places,
        _ => (places as f64 * found as f64 / looked as f64) as u64,
    }
}

/// The groups with the fewest pieces, built on trial.
struct Trial {
    /// By the name of a slice: what its file says of it, and the file's bytes.
    files: BTreeMap<String, (SliceHeader, u64)>,
    places: u64,
    seconds: f64,
}

impl Trial {
    fn make<R: Sliced>(
        rules: &R,
        config: &BuildConfig,
        most: u64,
    ) -> Result<Trial, DatabaseFailure> {
        let folder = TrialFolder::new()?;
        let (since, mut places) = (Instant::now(), 0u64);
        for (n, group) in rules.groups(config.pieces).iter().enumerate() {
            let here = group.iter().fold(0u64, |sum, s| sum.saturating_add(rules.places(*s)));
            if places.saturating_add(here) > most {
                break;
            }
            let memory = config.memory.max(MEMORY);
            let config = BuildConfig { only: Some(n), memory, progress: None, ..*config };
            build::build(rules, &folder.0, &config)?;
            places += here;
        }
        let headers = folder::slices(&folder.0)?.into_iter();
        let files = headers.map(|(h, bytes)| (h.slice.clone(), (h, bytes))).collect();
        Ok(Trial { files, places, seconds: since.elapsed().as_secs_f64() })
    }

    /// Whether all of these slices were built.
    fn holds<R: Sliced>(&self, rules: &R, slices: &[R::Slice]) -> bool {
        slices.iter().all(|slice| self.files.contains_key(&rules.slice_name(*slice)))
    }

    fn positions<R: Sliced>(&self, rules: &R, slices: &[R::Slice]) -> u64 {
        let here = |slice: &R::Slice| Some(self.files.get(&rules.slice_name(*slice))?.0.positions);
        slices.iter().filter_map(here).sum()
    }

    /// Bytes that files of these slices take. `each`: what a place takes, if the trial is too small to say.
    fn bytes<R: Sliced>(&self, rules: &R, slices: &[R::Slice], each: f64) -> u64 {
        let bodies: u64 = self.files.values().map(|(h, _)| h.rest).sum();
        let heads: u64 = self.files.values().map(|(h, bytes)| bytes.saturating_sub(h.rest)).sum();
        let each = match self.places {
            ..FEW => each,
            places => bodies as f64 / places as f64,
        };
        let head = match self.files.len() {
            0 => 10.0 * HEADER_AT as f64,
            files => heads as f64 / files as f64,
        };
        let bytes = |slice: &R::Slice| match self.files.get(&rules.slice_name(*slice)) {
            Some((_, bytes)) => *bytes as f64,
            None => head + each * rules.places(*slice) as f64,
        };
        slices.iter().map(bytes).sum::<f64>() as u64
    }
}

/// A folder for files that nobody wants to keep.
struct TrialFolder(PathBuf);

impl TrialFolder {
    fn new() -> Result<TrialFolder, DatabaseFailure> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("zermelo-estimate-{}-{number}", std::process::id());
        let dir = std::env::temp_dir().join(name);
        fs::create_dir(&dir).map_err(|e| DatabaseFailure::io(&dir, e))?;
        Ok(TrialFolder(dir))
    }
}

impl Drop for TrialFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
