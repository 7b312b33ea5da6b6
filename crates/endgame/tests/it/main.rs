//! Databases built, compared with published counts and with another solver, damaged, and interrupted.

mod chess;
mod counts;
mod damage;
mod disk;
mod distances;
mod farmed;
mod forecast;
mod full;
mod hostile;
mod kill;
mod manifest;
mod reachable;
mod torn;
mod truth;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use zermelo_endgame::BuildConfig;

/// How many times as much as usual is to be tried.
fn torture() -> usize {
    std::env::var("ZERMELO_TORTURE").ok().and_then(|n| n.parse().ok()).unwrap_or(1)
}

/// A configuration for so many pieces.
fn pieces(pieces: u32, threads: usize, distance: bool) -> BuildConfig<'static> {
    BuildConfig { pieces, threads, distance, ..BuildConfig::default() }
}

/// All files of a folder with their content.
fn content(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(dir).unwrap().map(|e| e.unwrap());
    entries.map(|e| (e.file_name().into_string().unwrap(), fs::read(e.path()).unwrap())).collect()
}
