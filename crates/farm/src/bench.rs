//! Where a worker builds slices: a folder of its own with the files that its groups rest on, fetched when they are first
//! needed.

use crate::objects;
use crate::wire::{Group, Slice, Wire};
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use tokio::runtime::Handle;
use zermelo_any::{Building, Order, Unopened, build_group, open};
use zermelo_endgame::Failure;
use zermelo_manager::job::rules_digest;

/// What a worker builds with.
pub struct Bench {
    dir: PathBuf,
    threads: usize,
    memory: u64,
    /// The database at hand: rules, and whether with distances.
    at: Option<(String, bool)>,
    /// Digests of the files in the folder, by their slices.
    files: HashMap<String, String>,
}

/// Why a group was not worked out.
pub enum Unmade {
    /// The worker is to end.
    Interrupted,
    Failed(String),
}

impl From<String> for Unmade {
    fn from(words: String) -> Unmade {
        Unmade::Failed(words)
    }
}

/// Whether this program works out groups as the one does that has sent this one.
pub fn fits(group: &Group) -> Result<(), String> {
    let game = open(&group.game).map_err(|e| e.to_string())?;
    let ours = rules_digest(&game.full_name(), &game.rules());
    if ours != group.rules {
        let Group { game, rules, .. } = group;
        return Err(format!("their rules of {game} are {rules}, ours {ours}"));
    }
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

impl Bench {
    /// In a folder that is removed when the worker ends.
    pub fn new(dir: PathBuf, threads: usize, memory: u64) -> Bench {
        Bench { dir, threads, memory, at: None, files: HashMap::new() }
    }

    /// Works out a group, and puts its files on the server.
    pub fn make(
        &mut self,
        group: &Group,
        wire: &Wire,
        runtime: &Handle,
        cancel: &AtomicBool,
    ) -> Result<Vec<Slice>, Unmade> {
        let io = |e: std::io::Error| format!("{}: {e}", self.dir.display());
        let at = Some((group.rules.clone(), group.distance));
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
        let order = Order {
            pieces: group.pieces,
            distance: group.distance,
            threads: self.threads,
            memory: self.memory,
            cancel,
            progress: &|_: Building| {},
        };
        build_group(&group.game, &self.dir, &order, group.number).map_err(|e| match e {
            Unopened::Database(Failure::Interrupted) => Unmade::Interrupted,
            other => Unmade::Failed(other.to_string()),
        })?;
        let mut made = Vec::new();
        for name in &group.slices {
            let path = file(&self.dir, name);
            let digest = objects::digest(&path).map_err(io)?;
            runtime.block_on(wire.put(&path, &digest));
            self.files.insert(name.clone(), digest.clone());
            made.push(Slice { name: name.clone(), digest });
        }
        Ok(made)
    }
}

fn file(dir: &Path, slice: &str) -> PathBuf {
    dir.join(slice).with_extension("slice")
}

impl Drop for Bench {
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
        let game = open("checkers 4x4").unwrap();
        let group = Group {
            id: 1,
            game: game.full_name(),
            rules: rules_digest(&game.full_name(), &game.rules()),
            version: env!("CARGO_PKG_VERSION").into(),
            pieces: Some(2),
            distance: false,
            number: 0,
            slices: vec!["m0k1-m0k1".into()],
            needs: Vec::new(),
        };
        assert_eq!(fits(&group), Ok(()));
        let refused = |group: Group, word: &str| {
            let why = fits(&group).unwrap_err();
            assert!(why.contains(word), "{why}");
        };
        refused(Group { rules: "another".into(), ..group.clone() }, "their rules of checkers 4x4");
        refused(Group { version: "0.0.0".into(), ..group.clone() }, "version 0.0.0");
        refused(Group { game: "chequers".into(), ..group.clone() }, "chequers");
        refused(Group { slices: vec!["../../x".into()], ..group.clone() }, "no name of a slice");
        let needs = vec![Slice { name: "/x".into(), digest: String::new() }];
        refused(Group { needs, ..group }, "no name of a slice");
    }
}
