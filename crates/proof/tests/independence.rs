//! The checker rests on the rules alone.

use std::process::Command;

/// The crates of ours that this one depends on, however far away.
#[test]
fn no_solver_is_in_reach() {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--package", "zermelo-proof", "--edges", "normal", "--prefix", "none"])
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
    assert_eq!(ours, ["zermelo-game", "zermelo-games", "zermelo-proof"]);
}

/// What the checker and the walk see of a game goes through `Rules`, which shows none of its knowledge.
#[test]
fn no_knowledge_is_asked_for() {
    let sources = [
        include_str!("../src/check.rs"),
        include_str!("../src/leaf.rs"),
        include_str!("../src/line.rs"),
        include_str!("../src/rules.rs"),
        include_str!("../src/write.rs"),
        include_str!("../src/progress.rs"),
    ];
    for word in [
        "static_bounds",
        "sure_move",
        ".relevant",
        "canonical",
        "plies_left",
        "leaf_numbers",
        ".claim(&",
    ] {
        for source in sources {
            assert!(!source.contains(word), "{word}");
        }
    }
}
