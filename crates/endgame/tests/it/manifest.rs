//! The manifest: which files belong to a database. Missing, exchanged and additional files, builds that were ended early or
//! go on, and databases that are older than manifests.

use crate::{content, pieces};
use std::fs;
use std::path::Path;
use zermelo_endgame::manifest::{FILE, Manifest, check};
use zermelo_endgame::reachable::{self, Strong};
use zermelo_endgame::{Database, DatabaseFailure, Listing, Verified, build, folder, verify};
use zermelo_game::{Rules, Sliced};
use zermelo_games::checkers::Checkers;
use zermelo_games::mnk::Mnk;
use zermelo_games::morris::Morris;

const ALL: Listing = Listing::Listed { unlisted: 0 };

fn refusal<T>(result: Result<T, DatabaseFailure>) -> String {
    match result {
        Err(DatabaseFailure::Damage(damage)) => damage.to_string(),
        Err(other) => panic!("no damage: {other}"),
        Ok(_) => panic!("not refused"),
    }
}

fn verified<R: Sliced>(game: &R, dir: &Path) -> Verified {
    verify(game, dir, &Default::default()).unwrap()
}

fn tic_tac_toe() -> Mnk<u64> {
    Mnk::new(3, 3, 3)
}

fn slice(dir: &Path, name: &str) -> std::path::PathBuf {
    dir.join(name).with_extension("slice")
}

#[test]
fn a_missing_slice_is_noticed() {
    // Nothing was built from the start slice, so its absence changes no other file.
    let (game, dir) = (Morris::new(3, false), tempfile::tempdir().unwrap());
    build(&game, dir.path(), &pieces(u32::MAX, 2, false)).unwrap();
    assert_eq!(verified(&game, dir.path()).listing, ALL);
    let (start, _) = game.place(&game.start()).unwrap();
    let path = slice(dir.path(), &game.slice_name(start));
    let bytes = fs::read(&path).unwrap();
    fs::remove_file(&path).unwrap();
    let name = path.file_name().unwrap().to_str().unwrap();
    for why in [
        refusal(verify(&game, dir.path(), &Default::default())),
        refusal(Database::open(&game, dir.path(), 1 << 20)),
        refusal(check(dir.path())),
    ] {
        assert!(why.contains(name) && why.contains("not there"), "{why}");
    }
    // Built again it is the same.
    let built = build(&game, dir.path(), &pieces(u32::MAX, 2, false)).unwrap();
    assert_eq!(built.written, 1);
    assert_eq!(fs::read(&path).unwrap(), bytes);
    assert_eq!(verified(&game, dir.path()).listing, ALL);
    // Where all are gone, the folder is no empty one.
    for file in folder::slices(dir.path()).unwrap() {
        fs::remove_file(slice(dir.path(), &file.0.slice)).unwrap();
    }
    let why = refusal(folder::kind(dir.path()));
    assert!(why.contains("nor are 6 others"), "{why}");
}

#[test]
fn exchanged_files_are_noticed() {
    let game = Checkers::new(4, 4);
    let [wdl, distance] = [false, true].map(|distance| {
        let dir = tempfile::tempdir().unwrap();
        build(&game, dir.path(), &pieces(2, 1, distance)).unwrap();
        dir
    });
    let (here, there) = (slice(wdl.path(), "m1k0-m1k0"), slice(distance.path(), "m1k0-m1k0"));
    let sound = fs::read(&here).unwrap();
    fs::copy(there, &here).unwrap();
    let why = refusal(Database::open(&game, wdl.path(), 0));
    assert!(why.contains("m1k0-m1k0.slice: it is another file than manifest.jsonl lists"), "{why}");
    assert_eq!(refusal(build(&game, wdl.path(), &pieces(2, 1, false))), why);
    fs::write(&here, sound).unwrap();
    // The manifest of another game, or of another kind of database.
    let manifest = wdl.path().join(FILE);
    fs::copy(distance.path().join(FILE), &manifest).unwrap();
    assert!(refusal(check(wdl.path())).contains("another file"));
    let other = tempfile::tempdir().unwrap();
    build(&Checkers::new(4, 6), other.path(), &pieces(2, 1, false)).unwrap();
    fs::copy(other.path().join(FILE), &manifest).unwrap();
    let why = refusal(Database::open(&game, wdl.path(), 0));
    assert!(why.contains("it belongs to checkers 4x6, not to checkers 4x4"), "{why}");
    // A manifest whose files are all gone still says what they were.
    for file in content(distance.path()).keys().filter(|name| name.ends_with(".slice")) {
        fs::remove_file(distance.path().join(file)).unwrap();
    }
    let other = build(&game, distance.path(), &pieces(2, 1, false)).unwrap_err().to_string();
    assert!(other.contains("a database with distances"), "{other}");
    build(&game, distance.path(), &pieces(2, 1, true)).unwrap();
}

#[test]
fn a_manifest_that_lists_too_little_is_refused() {
    let (game, dir) = (Checkers::new(4, 4), tempfile::tempdir().unwrap());
    build(&game, dir.path(), &pieces(2, 1, false)).unwrap();
    let mut manifest = Manifest::read(dir.path()).unwrap().unwrap();
    assert_eq!((manifest.files.len(), manifest.pieces), (4, Some(2)));
    let gone = manifest.files.pop().unwrap();
    fs::write(dir.path().join(FILE), manifest.to_text()).unwrap();
    // Its own digest is right, so the file counts as one that was added.
    assert_eq!(check(dir.path()).unwrap(), Listing::Listed { unlisted: 1 });
    let why = refusal(verify(&game, dir.path(), &Default::default()));
    assert!(why.contains(&format!("it does not list {}", gone.name)), "{why}");
}

#[test]
fn without_a_manifest_it_opens_unlisted_until_a_build_adds_one() {
    let (game, dir) = (Checkers::new(6, 6), tempfile::tempdir().unwrap());
    build(&game, dir.path(), &pieces(3, 2, false)).unwrap();
    let whole = content(dir.path());
    fs::remove_file(dir.path().join(FILE)).unwrap();
    assert_eq!(Database::open(&game, dir.path(), 0).unwrap().listing(), Listing::NoManifest);
    assert_eq!(verified(&game, dir.path()).listing, Listing::NoManifest);
    // A damaged block keeps it from being listed.
    let path = slice(dir.path(), "m1k1-m0k1");
    let mut bad = fs::read(&path).unwrap();
    *bad.last_mut().unwrap() ^= 1;
    fs::write(&path, bad).unwrap();
    let why = refusal(build(&game, dir.path(), &pieces(3, 2, false)));
    assert!(why.contains("m1k1-m0k1.slice") && why.contains("checksum"), "{why}");
    assert!(!dir.path().join(FILE).exists());
    fs::write(&path, &whole["m1k1-m0k1.slice"]).unwrap();
    let built = build(&game, dir.path(), &pieces(3, 2, false)).unwrap();
    assert_eq!(built.written, 0);
    assert_eq!(content(dir.path()), whole);
}

#[test]
fn a_build_with_more_pieces_extends_it() {
    let game = Checkers::new(6, 6);
    let [small, large] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    build(&game, large.path(), &pieces(3, 1, false)).unwrap();
    build(&game, small.path(), &pieces(2, 1, false)).unwrap();
    let two = fs::read(small.path().join(FILE)).unwrap();
    // As when the run is ended: some new files, and the manifest of the old ones.
    let (all, old) = (content(large.path()), content(small.path()));
    for (name, bytes) in all.iter().filter(|(name, _)| name.contains("m1k1-m0k1")) {
        fs::write(small.path().join(name), bytes).unwrap();
    }
    for name in ["m0k1-m1k1.slice", "m0k2-m0k1.slice", "m0k1-m0k2.slice"] {
        fs::write(small.path().join(name), &all[name]).unwrap();
    }
    let verified = verified(&game, small.path());
    assert_eq!(verified.listing, Listing::Listed { unlisted: 4 });
    assert_eq!(verified.files, old.len() - 1 + 4);
    // Fewer pieces again: what was listed stays listed, the others stay unlisted.
    build(&game, small.path(), &pieces(2, 1, false)).unwrap();
    assert_eq!(fs::read(small.path().join(FILE)).unwrap(), two);
    let built = build(&game, small.path(), &pieces(3, 1, false)).unwrap();
    assert_eq!(built.kept, old.len() - 1 + 4);
    assert!(content(small.path()) == all);
    build(&game, small.path(), &pieces(2, 1, false)).unwrap();
    assert!(content(small.path()) == all, "a smaller build forgets nothing");
    // A file that is missing stays missed, though the smaller build does not need it.
    fs::remove_file(slice(small.path(), "m1k1-m0k1")).unwrap();
    build(&game, small.path(), &pieces(2, 1, false)).unwrap();
    let why = refusal(Database::open(&game, small.path(), 0));
    assert!(why.contains("m1k1-m0k1.slice"), "{why}");
}

#[test]
fn a_whole_game_is_listed() {
    let (game, dir) = (tic_tac_toe(), tempfile::tempdir().unwrap());
    let config = reachable::ReachableConfig { distance: true, ..Default::default() };
    reachable::build(&game, None, dir.path(), &config).unwrap();
    let whole = content(dir.path());
    assert_eq!(whole.len(), 2);
    assert_eq!(Strong::open(&game, dir.path()).unwrap().listing(), ALL);
    assert_eq!(check(dir.path()).unwrap(), ALL);
    // Older than manifests.
    fs::remove_file(dir.path().join(FILE)).unwrap();
    assert_eq!(Strong::open(&game, dir.path()).unwrap().listing(), Listing::NoManifest);
    let path = dir.path().join(reachable::FILE);
    let mut bad = whole[reachable::FILE].clone();
    *bad.last_mut().unwrap() ^= 1;
    fs::write(&path, bad).unwrap();
    assert!(refusal(reachable::build(&game, None, dir.path(), &config)).contains("checksum"));
    fs::write(&path, &whole[reachable::FILE]).unwrap();
    reachable::build(&game, None, dir.path(), &config).unwrap();
    assert!(content(dir.path()) == whole);
    // Missing, and with other values.
    fs::remove_file(&path).unwrap();
    assert!(refusal(folder::kind(dir.path())).contains("not there"));
    let other = reachable::ReachableConfig { distance: false, ..Default::default() };
    assert!(matches!(
        reachable::build(&game, None, dir.path(), &other),
        Err(DatabaseFailure::Refused(_))
    ));
    let without = tempfile::tempdir().unwrap();
    reachable::build(&game, None, without.path(), &other).unwrap();
    fs::copy(without.path().join(reachable::FILE), &path).unwrap();
    assert!(refusal(Strong::open(&game, dir.path())).contains("another file"));
    fs::remove_file(&path).unwrap();
    reachable::build(&game, None, dir.path(), &config).unwrap();
    assert!(content(dir.path()) == whole);
}

/// Certificates rest on this digest. It does not change with the manifest, nor from one version of the program to the next.
#[test]
fn the_digest_of_a_database_stays() {
    let (game, dir) = (Checkers::new(4, 4), tempfile::tempdir().unwrap());
    build(&game, dir.path(), &pieces(2, 1, false)).unwrap();
    let digest = folder::digest(dir.path()).unwrap();
    assert_eq!(digest, "ab907101816eac2ac090ea9bc38c9de50cd576ffe68c4990809f6317329ad8ee");
    fs::remove_file(dir.path().join(FILE)).unwrap();
    assert_eq!(folder::digest(dir.path()).unwrap(), digest);
    let dir = tempfile::tempdir().unwrap();
    let config = reachable::ReachableConfig { distance: true, ..Default::default() };
    reachable::build(&tic_tac_toe(), None, dir.path(), &config).unwrap();
    assert_eq!(
        folder::digest(dir.path()).unwrap(),
        "137a65aaca815d6f74e318021d54b3aecf874ba8049120eaf055f8e481640ba0"
    );
}
