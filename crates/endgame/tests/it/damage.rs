//! Every kind of damage is found out, by probes or by `verify`.

use crate::{content, pieces};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::fs;
use std::path::Path;
use zermelo_endgame::slice_file::SliceFile;
use zermelo_endgame::{Database, build, manifest, verify};
use zermelo_game::{Notation, Rules, Sliced};
use zermelo_games::checkers::Checkers;

fn built(distance: bool) -> (Checkers, tempfile::TempDir) {
    let (game, dir) = (Checkers::new(6, 6), tempfile::tempdir().unwrap());
    build(&game, dir.path(), &pieces(3, 2, distance)).unwrap();
    (game, dir)
}

/// Asks for all positions of a slice; the first error.
fn ask(game: &Checkers, dir: &Path, name: &str) -> Result<(), String> {
    let database = Database::open(game, dir, 1 << 20).map_err(|e| e.to_string())?;
    for slice in game.groups(3).into_iter().flatten().filter(|s| game.slice_name(*s) == name) {
        for place in 0..game.places(slice) {
            if let Some(p) = game.at(slice, place) {
                database.probe(game, &p).map_err(|e| e.to_string())?;
            }
        }
    }
    Ok(())
}

#[test]
fn no_byte_can_change_unnoticed() {
    let (game, dir) = built(false);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
    for name in ["m1k1-m0k1", "m0k1-m0k1"] {
        let path = dir.path().join(name).with_extension("slice");
        let sound = fs::read(&path).unwrap();
        let header = 48 + u32::from_le_bytes(sound[12..16].try_into().unwrap()) as usize;
        // Each of the first bytes, of the index, of a block, and some of the header.
        let places: Vec<usize> = (0..48)
            .chain((0..40).map(|_| rng.random_range(48..header)))
            .chain(header..(header + 20))
            .chain(header + 20..sound.len())
            .collect();
        for at in places {
            let mut bad = sound.clone();
            bad[at] ^= 1 << rng.random_range(0..8);
            fs::write(&path, &bad).unwrap();
            let error = ask(&game, dir.path(), name).expect_err(&format!("byte {at} of {name}"));
            assert!(error.contains(name), "{error}");
        }
        for bad in [&sound[..sound.len() - 1], &sound[..30], &sound[..60], &[]] {
            fs::write(&path, bad).unwrap();
            assert!(ask(&game, dir.path(), name).is_err());
        }
        fs::write(&path, [&sound[..], b"x"].concat()).unwrap();
        assert!(ask(&game, dir.path(), name).unwrap_err().contains("bytes, it should have"));
        fs::write(&path, &sound).unwrap();
        ask(&game, dir.path(), name).unwrap();
    }
}

#[test]
fn exchanged_and_missing_files() {
    let (game, dir) = built(false);
    let file = |name: &str| dir.path().join(name).with_extension("slice");
    let check = || verify(&game, dir.path(), &Default::default()).map_err(|e| e.to_string());
    check().unwrap();
    // What the files tell by themselves; see `manifest` for the rest.
    fs::remove_file(dir.path().join(manifest::FILE)).unwrap();
    check().unwrap();
    // Under another name.
    fs::copy(file("m0k1-m0k1"), file("m0k1-m0k2")).unwrap();
    assert!(check().unwrap_err().contains("it holds the slice m0k1-m0k1"));
    fs::remove_file(file("m0k1-m0k2")).unwrap();
    assert!(check().unwrap_err().contains("other slices of its group are missing"));
    fs::remove_file(file("m0k2-m0k1")).unwrap();
    assert!(check().unwrap_err().contains("m0k2-m0k1 that it was built from is not here"));
    // Of another game.
    let other = tempfile::tempdir().unwrap();
    build(&Checkers::new(8, 8), other.path(), &pieces(2, 1, false)).unwrap();
    fs::copy(other.path().join("m0k1-m0k1.slice"), file("m0k1-m0k1")).unwrap();
    assert!(check().unwrap_err().contains("it belongs to checkers 8x8"));
    // A file that is not there is unknown, nothing worse.
    fs::remove_file(file("m0k1-m0k1")).unwrap();
    let database = Database::open(&game, dir.path(), 1 << 20).unwrap();
    let p = game.parse_position("B:WK18:BK1").unwrap();
    assert_eq!(database.probe(&game, &p).unwrap(), game.values());
}

/// Writes a file anew with one entry changed: all checksums are right, the content is not.
fn forge(path: &Path, place: u64, to: u16) -> bool {
    let stored = SliceFile::open(path).unwrap();
    zermelo_endgame::format::forge(&stored, place, to)
        .is_some_and(|file| fs::write(path, file).is_ok())
}

#[test]
fn wrong_entries_under_right_checksums() {
    for distance in [false, true] {
        let (game, dir) = built(distance);
        // The manifest would tell at once that the file is another one.
        fs::remove_file(dir.path().join(manifest::FILE)).unwrap();
        let sound = content(dir.path());
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(6);
        let slices: Vec<_> = game.groups(3).into_iter().flatten().collect();
        let (mut forged, mut named) = (0, 0);
        while forged < 150 {
            let slice = slices[rng.random_range(0..slices.len())];
            let place = rng.random_range(0..game.places(slice));
            let Some(p) = game.at(slice, place).filter(|p| !game.noisy(p)) else { continue };
            let name = game.slice_name(slice);
            let path = dir.path().join(&name).with_extension("slice");
            let to = rng.random_range(0..if distance { 40 } else { 3 });
            if forge(&path, place, to) {
                forged += 1;
                let error = verify(&game, dir.path(), &Default::default()).unwrap_err().to_string();
                // Files that rest on this one do not know it any more, unless it is among the last.
                let digest = error.contains("built from");
                assert!(digest || error.contains("wrong entry"), "{error}");
                named += u32::from(error.contains(&format!("\"{}\"", game.position_text(&p))));
            }
            fs::write(&path, &sound[&format!("{name}.slice")]).unwrap();
        }
        assert!(named > 10, "{named}");
        verify(&game, dir.path(), &Default::default()).unwrap();
    }
}
