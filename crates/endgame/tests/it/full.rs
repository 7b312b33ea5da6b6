//! A disk that takes no more: a build ends with the reason and leaves nothing half written, neither of its files nor of
//! those that it works with on the way, and goes on when there is room.
//!
//! The limit is that of a process on the length of a file (`ulimit -f`), at which writes fail as on a full disk.
//! (`zermelo/tests/faults.rs` makes every single write fail.)

use crate::{content, pieces};
use std::path::Path;
use std::process::{Command, Output};
use zermelo_endgame::reachable;
use zermelo_endgame::{BuildConfig, build, verify};
use zermelo_games::checkers::Checkers;
use zermelo_games::mnk::Mnk;

const DIR: &str = "ZERMELO_TEST_FULL_DISK";
const KIND: &str = "ZERMELO_TEST_FULL_DISK_KIND";

/// In memory, in pieces on disk, and a whole game in one file.
const KINDS: [&str; 3] = ["memory", "disk", "whole"];

fn make(kind: &str, dir: &Path) -> Result<(), zermelo_endgame::DatabaseFailure> {
    let memory = if kind == "disk" { (16 << 20) + 2 * 3 * 16_384 } else { 1 << 30 };
    match kind {
        "whole" => {
            reachable::build(&Mnk::<u64>::new(3, 3, 3), None, dir, &Default::default()).map(drop)
        }
        _ => {
            let config = BuildConfig { memory, ..pieces(4, 2, false) };
            build(&Checkers::new(6, 6), dir, &config).map(drop)
        }
    }
}

/// What the process with the limit does: this test, when it is called for that.
#[test]
fn victim() {
    if let (Some(dir), Ok(kind)) = (std::env::var_os(DIR), std::env::var(KIND))
        && let Err(failure) = make(&kind, Path::new(&dir))
    {
        panic!("FAILED: {failure}");
    }
}

/// Builds where a file may have so many blocks of 512 bytes.
fn limited(kind: &str, dir: &Path, blocks: u32) -> Output {
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
    Command::new("sh")
        .args(["-c", &script])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "full::victim", "--nocapture", "--test-threads", "1"])
        .env(DIR, dir)
        .env(KIND, kind)
        .output()
        .unwrap()
}

#[test]
fn nothing_half_written_stays() {
    for kind in KINDS {
        let whole = tempfile::tempdir().unwrap();
        make(kind, whole.path()).unwrap();
        let wanted = content(whole.path());
        let mut failed = 0;
        for blocks in [0, 1, 2, 4, 8, 32, 128, 1 << 20] {
            let dir = tempfile::tempdir().unwrap();
            let output = limited(kind, dir.path(), blocks);
            let said = String::from_utf8_lossy(&output.stderr);
            for (name, bytes) in content(dir.path()) {
                let sound = wanted.get(&name).unwrap_or_else(|| panic!("{kind}: {name} is left"));
                assert!(*sound == bytes, "{kind}: {name} is not whole");
            }
            if !output.status.success() {
                failed += 1;
                assert!(said.contains("FAILED: /") && said.contains("too large"), "{kind}: {said}");
                make(kind, dir.path()).unwrap();
            }
            assert!(content(dir.path()) == wanted, "{kind} after {blocks} blocks: {said}");
        }
        assert!((1..8).contains(&failed), "{kind}: {failed} builds failed");
        if kind != "whole" {
            verify(&Checkers::new(6, 6), whole.path(), &Default::default()).unwrap();
        }
    }
}
