//! Groups that do not fit into memory are worked out in pieces on disk: the same files come out.

use crate::{content, pieces};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use zermelo_endgame::{BuildConfig, BuildProgress, DatabaseFailure, build, estimate};
use zermelo_game::Sliced;
use zermelo_games::awari::Awari;
use zermelo_games::checkers::Checkers;
use zermelo_games::chess::Chess;

/// What every build takes beside its cells, and one piece of the smallest size.
const LITTLE: u64 = (16 << 20) + 2 * 3 * 16_384;

fn same<R: Sliced>(game: &R, most: u32, distance: bool) {
    let whole = tempfile::tempdir().unwrap();
    build(game, whole.path(), &pieces(most, 2, distance)).unwrap();
    let wanted = content(whole.path());
    for threads in [1, 2] {
        let dir = tempfile::tempdir().unwrap();
        let config = BuildConfig { memory: LITTLE, ..pieces(most, threads, distance) };
        let needs = estimate(game, dir.path(), &config).unwrap();
        assert!(needs.memory > LITTLE && needs.scratch > 0, "{needs:?}");
        build(game, dir.path(), &config).unwrap();
        // Nothing else is left behind.
        assert!(content(dir.path()) == wanted, "{} {distance}", game.name());
    }
}

#[test]
fn checkers_and_chess() {
    same(&Checkers::new(6, 6), 4, false);
    same(&Checkers::new(6, 6), 4, true);
    same(&Chess::any(3), 3, true);
}

#[test]
fn what_cannot_be_cut_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let refused = |result: Result<_, DatabaseFailure>, word: &str| {
        let Err(DatabaseFailure::Refused(why)) = result else { panic!("not refused") };
        assert!(why.contains(word), "{why}");
    };
    // No moves backwards, so every place must be at hand.
    let config = BuildConfig { memory: 16 << 20, ..pieces(9, 1, false) };
    refused(build(&Awari::new(6, 4, false), dir.path(), &config), "MiB");
    // Too many pieces, or not even one.
    let little = BuildConfig { memory: LITTLE, ..pieces(9, 1, false) };
    refused(build(&Checkers::new(8, 8), dir.path(), &little), "MiB of memory, allowed are 17 MiB");
    let config = BuildConfig { memory: LITTLE - 1, ..pieces(4, 1, false) };
    refused(build(&Checkers::new(6, 6), dir.path(), &config), "MiB");
    assert!(content(dir.path()).is_empty());
}

#[test]
fn interrupted_on_disk_it_leaves_nothing_half_done() {
    let dir = tempfile::tempdir().unwrap();
    let (cancel, most) = (AtomicBool::new(false), Mutex::new(0));
    let told = |progress: &BuildProgress| {
        *most.lock().unwrap() = progress.group[0];
        if progress.group[0] * 2 > progress.group[1] {
            cancel.store(true, Ordering::Relaxed);
        }
    };
    let config = BuildConfig {
        memory: LITTLE,
        cancel: Some(&cancel),
        progress: Some(&told),
        ..pieces(4, 2, false)
    };
    let game = Checkers::new(6, 6);
    assert!(matches!(build(&game, dir.path(), &config), Err(DatabaseFailure::Interrupted)));
    let left = content(dir.path());
    assert!(!left.is_empty() && left.keys().all(|name| name.ends_with(".slice")), "{left:?}");
    let config = BuildConfig { memory: LITTLE, ..pieces(4, 2, false) };
    let built = build(&game, dir.path(), &config).unwrap();
    assert_eq!(built.kept, left.len());
}
