//! The workspace of a worker, where it builds slices: a folder of its own with the files that its groups rest on, fetched when they are first
//! needed.

use crate::objects;
use crate::wire::{GroupTask, SliceObject, Wire};
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use tokio::runtime::Handle;
use zermelo_endgame::DatabaseFailure;
use zermelo_erased::{BuildOrder, Building, Catalogue};
use zermelo_game::Identity;
use zermelo_proof_tree::job::same_game;

/// What a worker builds with.
pub struct Workspace {
    dir: PathBuf,
    threads: usize,
    memory: u64,
    /// The database at hand: the game, and whether with distances.
    at: Option<(Identity, bool)>,
    /// Digests of the files in the folder, by their slices.
    files: HashMap<String, String>,
}

/// Why a group was not worked out.
pub enum GroupFailure {
    /// The worker is to end.
    Interrupted,
    Failed(String),
}

impl From<String> for GroupFailure {
    fn from(words: String) -> GroupFailure {
        GroupFailure::Failed(words)
    }
}

/// Whether this program works out groups as the one does that has sent this one.
pub fn fits(catalogue: &Catalogue, group: &GroupTask) -> Result<(), String> {
    let game = catalogue.open_foreign(&group.game).map_err(|e| e.to_string())?;
    same_game(&group.identity(), &game.identity())?;
    let names = group.needs.iter().map(|slice| &slice.name).chain(&group.slices);
    let plain = |name: &String| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    if let Some(name) = names.into_iter().find(|name| !plain(name)) {
        return Err(format!("{name} is no name of a slice"));
    }
    match env!("CARGO_PKG_VERSION") {
        ours if ours == group.version => Ok(()),
        ours => Err(format!("they build by version {}, this is {ours}", group.version)),
    }
}

impl Workspace {
    /// In a folder that is removed when the worker ends.
    pub fn new(dir: PathBuf, threads: usize, memory: u64) -> Workspace {
        Workspace { dir, threads, memory, at: None, files: HashMap::new() }
    }

    /// Works out a group, and puts its files on the server.
    pub fn make(
        &mut self,
        catalogue: &Catalogue,
        group: &GroupTask,
        wire: &Wire,
        runtime: &Handle,
        cancel: &AtomicBool,
    ) -> Result<Vec<SliceObject>, GroupFailure> {
        let io = |e: std::io::Error| format!("{}: {e}", zermelo_game::outside::path(&self.dir));
        let at = Some((group.identity(), group.distance));
        if self.at != at {
            let _ = fs::remove_dir_all(&self.dir);
            fs::create_dir_all(&self.dir).map_err(io)?;
            self.files.clear();
            self.at = at;
        }
        for slice in &group.needs {
            if self.files.get(&slice.name) != Some(&slice.digest) {
                runtime.block_on(wire.fetch(slice, &file(&self.dir, &slice.name)))?;
                self.files.insert(slice.name.clone(), slice.digest.clone());
            }
        }
        let order = BuildOrder {
            pieces: group.pieces,
            distance: group.distance,
            threads: self.threads,
            memory: self.memory,
            cancel,
            progress: &|_: Building| {},
        };
        let game = catalogue.open_foreign(&group.game).map_err(|e| e.to_string())?;
        game.build_group(&self.dir, &order, group.number).map_err(|e| match e {
            DatabaseFailure::Interrupted => GroupFailure::Interrupted,
            other => GroupFailure::Failed(other.to_string()),
        })?;
        let mut made = Vec::new();
        for name in &group.slices {
            let path = file(&self.dir, name);
            let digest = objects::digest(&path).map_err(io)?;
            runtime.block_on(wire.put(&path, &digest));
            self.files.insert(name.clone(), digest.clone());
            made.push(SliceObject { name: name.clone(), digest });
        }
        Ok(made)
    }
}

fn file(dir: &Path, slice: &str) -> PathBuf {
    dir.join(slice).with_extension("slice")
}

impl Drop for Workspace {
    fn drop(&mut self) {
        if self.at.is_some() {
            let _ = fs::remove_dir_all(&self.dir);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_other_rules_or_programs_are_refused() {
        let game = Catalogue::standard().open("checkers 4x4").unwrap();
        let group = GroupTask {
            id: 1,
            game: game.full_name(),
            rules_version: 1,
            rules: "in words that were changed since".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            pieces: Some(2),
            distance: false,
            number: 0,
            slices: vec!["m0k1-m0k1".into()],
            needs: Vec::new(),
        };
        assert_eq!(fits(&Catalogue::standard(), &group), Ok(()));
        let refused = |group: GroupTask, word: &str| {
            let why = fits(&Catalogue::standard(), &group).unwrap_err();
            assert!(why.contains(word), "{why}");
        };
        let other = "their rules of checkers 4x4 are version 2, ours version 1";
        refused(GroupTask { rules_version: 2, ..group.clone() }, other);
        refused(GroupTask { version: "0.0.0".into(), ..group.clone() }, "version 0.0.0");
        refused(GroupTask { game: "chequers".into(), ..group.clone() }, "chequers");
        refused(
            GroupTask { slices: vec!["../../x".into()], ..group.clone() },
            "no name of a slice",
        );
        let needs = vec![SliceObject { name: "/x".into(), digest: String::new() }];
        refused(GroupTask { needs, ..group }, "no name of a slice");
    }
}
