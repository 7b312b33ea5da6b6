//! Files that ask for too much: numbers in headers that are right by their checksums and absurd, files that never end, and
//! what is no file at all. Each is refused by its name, and before memory is taken for it.

use crate::pieces;
use serde_json::{Value as Json, json};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use zermelo_endgame::reachable::{self, Strong};
use zermelo_endgame::{Database, DatabaseFailure, build, folder, manifest, verify};
use zermelo_games::checkers::Checkers;
use zermelo_games::mnk::Mnk;

/// More than a test could read, in a file that takes no room on the disk.
const HUGE: u64 = 1 << 36;

struct Place {
    dir: tempfile::TempDir,
}

impl Place {
    fn slices() -> Place {
        let dir = tempfile::tempdir().unwrap();
        build(&Checkers::new(4, 4), dir.path(), &pieces(2, 1, false)).unwrap();
        fs::remove_file(dir.path().join(manifest::FILE)).unwrap();
        Place { dir }
    }

    fn whole() -> Place {
        let dir = tempfile::tempdir().unwrap();
        reachable::build(&Mnk::<u64>::new(3, 3, 3), None, dir.path(), &Default::default()).unwrap();
        fs::remove_file(dir.path().join(manifest::FILE)).unwrap();
        Place { dir }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Every reader refuses, and names the file.
    #[track_caller]
    fn refused(&self, name: &str, word: &str) {
        let dir = self.dir.path();
        let (checkers, tic) = (Checkers::new(4, 4), Mnk::<u64>::new(3, 3, 3));
        let mut errors: Vec<DatabaseFailure> = Vec::new();
        if name == reachable::FILE {
            errors.extend(Strong::open(&tic, dir).err());
            errors.extend(reachable::build(&tic, None, dir, &Default::default()).err());
        } else {
            errors.extend(Database::open(&checkers, dir, 1 << 20).err());
            errors.extend(verify(&checkers, dir, &Default::default()).err());
            errors.extend(build(&checkers, dir, &pieces(2, 1, false)).err());
        }
        assert!(errors.len() >= 2, "{name} was used");
        for error in errors {
            assert!(
                matches!(error, DatabaseFailure::Damage(_)) || name == manifest::FILE,
                "{error:?}"
            );
            let error = error.to_string();
            assert!(error.contains(name) && error.contains(word), "{error}, not {word}");
        }
    }
}

/// Changes a header and makes its checksum fit; `at` is where the header begins.
fn reheaded(path: &Path, at: usize, change: impl Fn(&mut Json)) -> Vec<u8> {
    let bytes = fs::read(path).unwrap();
    let old = u32::from_le_bytes(bytes[at - 36..at - 32].try_into().unwrap()) as usize;
    let mut header: Json = serde_json::from_slice(&bytes[at..at + old]).unwrap();
    change(&mut header);
    let text = serde_json::to_vec(&header).unwrap();
    let mut new = bytes[..at - 36].to_vec();
    new.extend((text.len() as u32).to_le_bytes());
    new.extend(blake3::hash(&text).as_bytes());
    new.extend(text);
    new.extend(&bytes[at + old..]);
    new
}

/// Writes a file that goes on with zeros to its length.
fn stretched(path: &Path, bytes: &[u8], long: u64) {
    fs::write(path, bytes).unwrap();
    fs::File::options().write(true).open(path).unwrap().set_len(long).unwrap();
}

const SLICE: &str = "m1k0-m1k0.slice";

#[test]
fn absurd_numbers_in_the_header_of_a_slice() {
    let place = Place::slices();
    let path = place.path(SLICE);
    let sound = fs::read(&path).unwrap();
    let cases: [(&str, Json, &str); 9] = [
        ("places", json!(u64::MAX), "size is not that of the slice"),
        ("pieces", json!([u32::MAX, u32::MAX]), "size is not that of the slice"),
        ("rest", json!(u64::MAX), "it should have"),
        ("block", json!(0), "contradicts itself"),
        ("block", json!(u64::MAX), "contradicts itself"),
        ("width", json!(u32::MAX), "contradicts itself"),
        ("wins", json!(u64::MAX), "contradicts itself"),
        ("slice", json!("../../etc/passwd"), "it holds the slice"),
        ("rules", json!(7), "version 7 of the rules"),
    ];
    for (key, value, word) in cases {
        fs::write(&path, reheaded(&path, 48, |header| header[key] = value.clone())).unwrap();
        place.refused(SLICE, word);
        fs::write(&path, &sound).unwrap();
    }
    // As many places as the length of the file allows for: it is no such slice.
    let bytes = reheaded(&path, 48, |header| {
        header["places"] = json!(HUGE / 20 * 16_384);
        header["rest"] = json!(HUGE);
    });
    let long = 48 + u64::from(u32::from_le_bytes(bytes[12..16].try_into().unwrap())) + HUGE;
    stretched(&path, &bytes, long);
    place.refused(SLICE, "size is not that of the slice");
    let why = zermelo_endgame::slice_file::SliceFile::open(&path).unwrap_err().to_string();
    assert!(why.contains(SLICE) && why.contains("1073741824 is the most that is read"), "{why}");
    // A long header.
    let mut bytes = sound.clone();
    bytes[12..16].copy_from_slice(&u32::MAX.to_le_bytes());
    stretched(&path, &bytes, HUGE);
    place.refused(SLICE, "a header of 4294967295 bytes, 67108864 is the most that is read");
    // A long block, under a right checksum of the index.
    let header = 48 + u32::from_le_bytes(sound[12..16].try_into().unwrap()) as usize;
    let index = [&u32::MAX.to_le_bytes()[..], &sound[header + 4..header + 20]].concat();
    let rest = 20 + u64::from(u32::MAX);
    fs::write(&path, &sound).unwrap();
    let mut bytes = reheaded(&path, 48, |header| {
        header["index"] = json!(blake3::hash(&index).to_hex().as_str());
        header["rest"] = json!(rest);
    });
    let header = 48 + u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    bytes.truncate(header);
    bytes.extend(index);
    stretched(&path, &bytes, header as u64 + rest);
    place.refused(SLICE, "block 0 has 4294967295 bytes, 8192 is the most that is read");
}

#[test]
fn absurd_numbers_in_the_header_of_a_whole_game() {
    let place = Place::whole();
    let path = place.path(reachable::FILE);
    let sound = fs::read(&path).unwrap();
    for (key, value, word) in [
        ("kept", json!(u64::MAX), "is the most that is read"),
        ("kept", json!(1_000_000), "the index does not fit the file"),
        ("block", json!(0), "its length is wrong"),
        ("block", json!(u64::MAX), "its length is wrong"),
        ("rest", json!(u64::MAX), "its length is wrong"),
    ] {
        fs::write(&path, reheaded(&path, 44, |header| header[key] = value.clone())).unwrap();
        place.refused(reachable::FILE, word);
        fs::write(&path, &sound).unwrap();
    }
    let mut bytes = sound.clone();
    bytes[8..12].copy_from_slice(&u32::MAX.to_le_bytes());
    stretched(&path, &bytes, HUGE);
    place.refused(reachable::FILE, "is the most that is read");
    // Without an end, and never read as a whole to look at its header.
    stretched(&path, &sound, HUGE);
    place.refused(reachable::FILE, "its length is wrong");
    assert!(folder::kind(place.dir.path()).is_err());
}

#[test]
fn what_is_no_file() {
    for name in [SLICE, reachable::FILE, manifest::FILE] {
        let make = || if name == reachable::FILE { Place::whole() } else { Place::slices() };
        let place = make();
        let path = place.path(name);
        let _ = fs::remove_file(&path);
        nix::unistd::mkfifo(&path, nix::sys::stat::Mode::S_IRWXU).unwrap();
        place.refused(name, "it is no regular file");
        fs::remove_file(&path).unwrap();
        symlink("/dev/zero", &path).unwrap();
        place.refused(name, "it is no regular file");
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        place.refused(name, "it is no regular file");
        if name != manifest::FILE {
            assert!(folder::kind(place.dir.path()).is_err() || name == SLICE);
            assert!(folder::digest(place.dir.path()).is_err());
        }
    }
}

#[test]
fn an_endless_manifest() {
    let place = Place::slices();
    stretched(&place.path(manifest::FILE), b"{", HUGE);
    place.refused(manifest::FILE, "larger than 67108864 bytes");
}
