//! A build that is killed at random moments ends with the same files.

use crate::{content, pieces};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use zermelo_endgame::{build, verify};
use zermelo_games::checkers::Checkers;

const DIR: &str = "ZERMELO_TEST_KILLED_BUILD";

/// What the killed process does: this test, when it is called for that.
#[test]
fn victim() {
    if let Some(dir) = std::env::var_os(DIR) {
        build(&Checkers::new(6, 6), Path::new(&dir), &pieces(4, 2, false)).unwrap();
    }
}

fn start(dir: &Path) -> std::process::Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "kill::victim", "--test-threads", "1"])
        .env(DIR, dir)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
fn killed_twenty_times() {
    let whole = tempfile::tempdir().unwrap();
    let since = Instant::now();
    assert!(start(whole.path()).wait().unwrap().success());
    let time = since.elapsed();
    let wanted = content(whole.path());
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(20);
    let (mut dir, mut killed) = (tempfile::tempdir().unwrap(), 0);
    while killed < 20 {
        let mut child = start(dir.path());
        thread::sleep(Duration::from_secs_f64(time.as_secs_f64() * rng.random_range(0.0..0.4)));
        if child.try_wait().unwrap().is_some() {
            // It was through: begin again.
            assert_eq!(content(dir.path()), wanted);
            dir = tempfile::tempdir().unwrap();
            continue;
        }
        child.kill().unwrap();
        child.wait().unwrap();
        killed += 1;
        // What is there under its name is whole.
        for (name, bytes) in content(dir.path()) {
            assert!(name.ends_with(".part") || wanted[&name] == bytes, "{name}");
        }
    }
    assert!(start(dir.path()).wait().unwrap().success());
    assert_eq!(content(dir.path()), wanted);
    verify(&Checkers::new(6, 6), dir.path(), &Default::default()).unwrap();
}
