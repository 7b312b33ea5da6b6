//! The checker depends on the rules alone. (That it asks for no knowledge is the type system's task: see the documentation of
//! `rule_book`.)

use std::process::Command;

/// The crates of ours that this one depends on, however far away.
#[test]
fn no_solver_and_no_game_is_in_reach() {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--package", "zermelo-certificate", "--edges", "normal", "--prefix", "none"])
        .args(["--offline", "--manifest-path", concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")])
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout);
    let mut ours: Vec<&str> = text
        .lines()
        .filter_map(|l| l.split(' ').next())
        .filter(|n| n.starts_with("zermelo"))
        .collect();
    ours.sort_unstable();
    ours.dedup();
    assert_eq!(ours, ["zermelo-certificate", "zermelo-game"]);
}
