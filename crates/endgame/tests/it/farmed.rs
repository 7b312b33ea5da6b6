//! Groups worked out elsewhere, each from the files that it rests on and from no others, come to the bytes of a build
//! in one place; and files that do not belong are not let in.

use crate::{content, pieces};
use std::fs;
use std::path::Path;
use zermelo_endgame::farmed::{GroupPlan, admit, finish, outline};
use zermelo_endgame::{BuildConfig, build};
use zermelo_game::Sliced;
use zermelo_games::awari::Awari;
use zermelo_games::checkers::Checkers;

/// Works out a group in a folder of its own and returns that folder.
fn elsewhere<R: Sliced>(
    game: &R,
    dir: &Path,
    config: &BuildConfig,
    plan: &[GroupPlan],
    n: usize,
) -> tempfile::TempDir {
    let there = tempfile::tempdir_in(dir.parent().unwrap()).unwrap();
    for name in plan[n].needs.iter().flat_map(|&need| &plan[need].slices) {
        let file = format!("{name}.slice");
        fs::copy(dir.join(&file), there.path().join(&file)).unwrap();
    }
    let config = BuildConfig { only: Some(n), ..pieces(config.pieces, 1, config.distance) };
    let built = build(game, there.path(), &config).unwrap();
    assert_eq!(built.written, plan[n].slices.len());
    there
}

fn same_bytes<R: Sliced>(game: &R, config: &BuildConfig) -> Vec<GroupPlan> {
    let root = tempfile::tempdir().unwrap();
    let (whole, dir) = (root.path().join("whole"), root.path().join("farmed"));
    build(game, &whole, config).unwrap();
    let plan = outline(game, &dir, config).unwrap();
    assert!(plan.iter().all(|piece| !piece.there));
    for n in 0..plan.len() {
        assert!(finish(game, &dir, config).is_err(), "a list of files that are not there");
        let there = elsewhere(game, &dir, config, &plan, n);
        for slice in &plan[n].slices {
            admit(game, &dir, config, &there.path().join(format!("{slice}.slice"))).unwrap();
        }
    }
    finish(game, &dir, config).unwrap();
    assert_eq!(content(&dir), content(&whole));
    assert!(outline(game, &dir, config).unwrap().iter().all(|piece| piece.there));
    plan
}

#[test]
fn the_same_bytes_group_by_group() {
    let plan = same_bytes(&Checkers::new(6, 6), &pieces(3, 1, false));
    // Groups that have nothing to do with each other can be worked out at the same time.
    assert!((1..plan.len()).any(|n| !plan[n].needs.contains(&(n - 1))));
    same_bytes(&Checkers::new(4, 4), &pieces(4, 1, true));
    // Where a game does not say, a group rests on all before it.
    let plan = same_bytes(&Awari::new(6, 4, false), &pieces(4, 1, false));
    assert!(plan.iter().enumerate().all(|(n, piece)| piece.needs.len() == n));
}

#[test]
fn strangers_are_not_let_in() {
    let (game, config) = (Checkers::new(6, 6), pieces(2, 1, false));
    let root = tempfile::tempdir().unwrap();
    let dir = root.path().join("db");
    let plan = outline(&game, &dir, &config).unwrap();
    let admit = |file: &Path, config: &BuildConfig| {
        admit(&game, &dir, config, file).err().map(|e| e.to_string()).unwrap_or_default()
    };
    let there = elsewhere(&game, &dir, &config, &plan, 0);
    let first = there.path().join(format!("{}.slice", plan[0].slices[0]));
    let words = admit(&first, &pieces(2, 1, true));
    assert!(words.contains("other things of positions"), "{words}");
    // Of another board.
    let other = tempfile::tempdir_in(root.path()).unwrap();
    build(&Checkers::new(4, 4), other.path(), &config).unwrap();
    let words = admit(&other.path().join(first.file_name().unwrap()), &config);
    assert!(words.contains("belongs to checkers 4x4"), "{words}");
    // Cut off.
    let bytes = fs::read(&first).unwrap();
    fs::write(&first, &bytes[..bytes.len() - 1]).unwrap();
    let words = admit(&first, &config);
    assert!(words.contains("bytes"), "{words}");
    fs::write(&first, &bytes).unwrap();
    assert_eq!(admit(&first, &config), "");
    assert!(!first.exists() && dir.join(first.file_name().unwrap()).exists());
    // Built from what is not there.
    let whole = tempfile::tempdir_in(root.path()).unwrap();
    build(&game, whole.path(), &config).unwrap();
    let last = plan.last().unwrap();
    let words = admit(&whole.path().join(format!("{}.slice", last.slices[0])), &config);
    assert!(words.contains("No such file"), "{words}");
}
