//! Databases built by a farm: workers, the builder and the server are killed without warning, and the folder is the same to the
//! byte as that of a build on one machine. Workers with other rules are turned away.
#![cfg(feature = "farm")]

mod common;
use common::farm::{Farm, Running, run, serve};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

/// Some seconds of work in 34 groups.
const GAME: [&str; 4] = ["checkers", "6x6", "--pieces", "4"];

/// All files of a folder with their content.
fn content(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(dir).unwrap().map(|e| e.unwrap());
    entries.map(|e| (e.file_name().into_string().unwrap(), fs::read(e.path()).unwrap())).collect()
}

fn slices(dir: &Path) -> usize {
    let slice = |e: &fs::DirEntry| e.path().extension().is_some_and(|e| e == "slice");
    fs::read_dir(dir).map_or(0, |dir| dir.filter_map(Result::ok).filter(slice).count())
}

impl Farm {
    fn build(&self, more: &[&str]) -> Running {
        let out = self.path("farmed");
        let to = ["--out", out.to_str().unwrap(), "--farm", &self.url(), "--json"];
        self.start(&[&["build"], &GAME[..], &to, more].concat(), "builder.log")
    }

    fn build_worker(&self, log: &str) -> Running {
        let scratch = self.path("scratch");
        fs::create_dir_all(&scratch).unwrap();
        self.work(&["--scratch", scratch.to_str().unwrap(), "--memory", "64M"], log)
    }

    /// Waits until the folder has so many slices, or all of them.
    fn wait_for_slices(&self, count: usize, builder: &mut Running) {
        let made = || slices(&self.path("farmed")) as u64;
        self.wait_for("slices", made, count as u64, builder);
    }

    /// The folder is what one machine makes of it.
    fn compare(&self, built: &mut Running) {
        assert_eq!(built.end(), Some(0), "{}", self.all_said());
        let alone = self.path("alone");
        let to = ["--out", alone.to_str().unwrap()];
        assert!(run(&[&["build"], &GAME[..], &to].concat()).status.success());
        let (alone, farmed) = (content(&alone), content(&self.path("farmed")));
        assert!(alone.keys().eq(farmed.keys()), "{:?}", farmed.keys());
        assert!(alone == farmed, "the same to the byte");
    }
}

#[test]
fn the_same_bytes_by_two_workers() {
    let farm = Farm::new();
    let mut workers = [farm.build_worker("w0.log"), farm.build_worker("w1.log")];
    let mut built = farm.build(&[]);
    farm.compare(&mut built);
    let said: serde_json::Value = serde_json::from_str(farm.said("builder.log").trim()).unwrap();
    assert_eq!(said["files"].as_u64(), Some(slices(&farm.path("farmed")) as u64));
    assert_eq!(said["kept"], 0);
    // There is nothing left to do.
    let mut again = farm.build(&[]);
    assert_eq!(again.end(), Some(0), "{}", farm.all_said());
    let said: serde_json::Value = serde_json::from_str(farm.said("builder.log").trim()).unwrap();
    assert_eq!(said["files"], 0);
    // Workers tidy up when they are asked to end.
    for worker in &mut workers {
        let pid = nix::unistd::Pid::from_raw(worker.0.id() as i32);
        nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGINT).unwrap();
        assert_eq!(worker.end(), Some(0));
    }
    assert_eq!(fs::read_dir(farm.path("scratch")).unwrap().count(), 0);
}

#[test]
fn killed_workers_builders_and_servers() {
    let mut farm = Farm::new();
    let mut first = farm.build_worker("w0.log");
    let mut built = farm.build(&[]);
    // A worker dies, and another comes.
    farm.wait_for_slices(3, &mut built);
    first.kill();
    let _second = farm.build_worker("w1.log");
    farm.wait_for_slices(9, &mut built);
    // The builder dies and goes on: what was there stays.
    built.kill();
    let there = slices(&farm.path("farmed"));
    let mut built = farm.build(&[]);
    farm.wait_for_slices(there + 3, &mut built);
    // The server dies and comes back with what it had.
    farm.server.kill();
    sleep(Duration::from_millis(300));
    farm.server = serve(farm.dir.path(), farm.port);
    farm.wait_for_slices(there + 9, &mut built);
    // Builder and server die, and all that the server had is lost.
    built.kill();
    farm.server.kill();
    fs::remove_dir_all(farm.path("js")).unwrap();
    farm.server = serve(farm.dir.path(), farm.port);
    let mut built = farm.build(&[]);
    farm.compare(&mut built);
}

#[test]
fn what_cannot_be_farmed() {
    let farm = Farm::new();
    let out = farm.path("out");
    let build = |more: &[&str]| {
        let url = farm.url();
        let to = ["--out", out.to_str().unwrap(), "--farm", &url];
        let output = run(&[&["build"], more, &to].concat());
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let (code, said) = build(&["tictactoe"]);
    assert!(code == Some(1) && said.contains("in one piece"), "{said}");
    let (code, said) = build(&["checkers", "--estimate"]);
    assert!(code == Some(2) && said.contains("--estimate"), "{said}");
    // A group that no worker can do ends the build with the reason.
    let _worker = farm.work(&["--memory", "16M"], "w.log");
    let (code, said) = build(&["checkers", "4x4", "--pieces", "2"]);
    assert!(code == Some(1) && said.contains("MiB of memory, allowed are 16 MiB"), "{said}");
}
