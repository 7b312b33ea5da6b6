//! Databases built, compared with published counts and with another solver, damaged, and interrupted.

mod counts;
mod damage;
mod disk;
mod farmed;
mod kill;
mod reachable;
mod truth;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use zermelo_endgame::Config;

/// A configuration for so many pieces.
fn pieces(pieces: u32, threads: usize, distance: bool) -> Config<'static> {
    Config { pieces, threads, distance, ..Config::default() }
}

/// All files of a folder with their content.
fn content(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(dir).unwrap().map(|e| e.unwrap());
    entries.map(|e| (e.file_name().into_string().unwrap(), fs::read(e.path()).unwrap())).collect()
}
