//! Published counts of checkers, and builds that must not differ.

use crate::{content, pieces};
use zermelo_endgame::format::SliceHeader;
use zermelo_endgame::{Database, build, estimate, folder, verify};
use zermelo_game::{Bounds, Notation, Sliced, Value};
use zermelo_games::SlicedVisitor;
use zermelo_games::checkers::Checkers;

/// The sums of wins, draws and losses over some slices.
fn sums(headers: &[(SliceHeader, u64)], which: impl Fn(&SliceHeader) -> bool) -> [u64; 3] {
    let mut sums = [0; 3];
    for (h, _) in headers.iter().filter(|(h, _)| which(h)) {
        sums = [sums[0] + h.wins, sums[1] + h.draws, sums[2] + h.losses];
    }
    sums
}

#[test]
fn checkers_up_to_three_pieces() {
    let dir = tempfile::tempdir().unwrap();
    let game = Checkers::new(8, 8);
    let wanted = estimate(&game, dir.path(), &pieces(3, 2, false)).unwrap();
    let built = build(&game, dir.path(), &pieces(3, 2, false)).unwrap();
    assert_eq!((built.written, built.kept), (16, 0));
    assert_eq!((wanted.files, wanted.places), ([16, 0], built.places));
    let headers = folder::slices(dir.path()).unwrap();
    let of = |n: [u32; 2]| move |h: &SliceHeader| h.pieces == n;
    assert_eq!(sums(&headers, of([1, 1])), [716, 2_370, 402]);
    assert_eq!(sums(&headers, |h| h.slice == "m0k1-m0k1"), [230, 654, 108]);
    assert_eq!(sums(&headers, of([1, 2])), [2_510, 8_216, 87_290]);
    let total = |n: u32| {
        let here = headers.iter().filter(|(h, _)| h.pieces.iter().sum::<u32>() == n);
        here.map(|(h, _)| h.positions).sum::<u64>()
    };
    assert_eq!([total(2), total(3)], [3_488, 196_032]);
    let verified = verify(&game, dir.path(), &Default::default()).unwrap();
    assert_eq!((verified.files, verified.positions), (16, 3_488 + 196_032));

    // Nothing is left to do, and more pieces go on from here.
    let again = build(&game, dir.path(), &pieces(3, 1, false)).unwrap();
    assert_eq!((again.written, again.kept), (0, 16));
    let refusal = build(&game, dir.path(), &pieces(3, 1, true)).unwrap_err().to_string();
    assert!(refusal.contains("no distances"), "{refusal}");

    // Unknown is unknown.
    let database = Database::open(&game, dir.path(), 1 << 20).unwrap();
    let probe = |text: &str| database.probe(&game, &game.parse_position(text).unwrap()).unwrap();
    assert_eq!(probe("B:WK14:BK1,K2"), Bounds::exact(1));
    assert_eq!(probe("W:WK14:BK1,K2"), Bounds::exact(1));
    assert_eq!(probe("B:WK32:BK1"), Bounds::exact(0));
    assert_eq!(probe("B:WK32,K31:BK1,K2"), Bounds::new(-1, 1));
    // Four pieces, but the capture leads to three.
    assert_eq!(probe("B:WK6,K32:BK1,K3"), Bounds::new(-1, 1));
    assert_eq!(probe("W:W:BK1"), Bounds::exact(1));
}

/// Builds and verifies; what the start is worth, and the headers.
struct Solve;

impl SlicedVisitor for Solve {
    type Output = (Option<Value>, Vec<(SliceHeader, u64)>);

    fn visit<R: Sliced>(self, game: R) -> Self::Output {
        let dir = tempfile::tempdir().unwrap();
        let wdl = game.values() == Bounds::new(-1, 1);
        build(&game, dir.path(), &pieces(u32::MAX, 2, wdl)).unwrap();
        verify(&game, dir.path(), &Default::default()).unwrap();
        let database = Database::open(&game, dir.path(), 1 << 30).unwrap();
        let start = database.probe(&game, &game.start()).unwrap();
        (start.value(), folder::slices(dir.path()).unwrap())
    }
}

fn solve(name: &str) -> (Option<Value>, Vec<(SliceHeader, u64)>) {
    zermelo_games::open_sliced(name, Solve).unwrap().unwrap_or_else(|_| panic!("{name}: no slices"))
}

#[test]
fn chess_of_three_men() {
    // Draws with black to move, and the longest mate in moves of white.
    for (name, slices, draws, moves) in
        [("chess KRK", ["K-KR", "KR-K"], 2_796, 16), ("chess KQK", ["K-KQ", "KQ-K"], 2_896, 10)]
    {
        let (value, headers) = solve(name);
        let slice = |name: &str| &headers.iter().find(|(h, _)| h.slice == name).unwrap().0;
        assert_eq!((slice(slices[0]).positions, slice(slices[0]).draws), (28_056, draws));
        let longest = slice(slices[1]).longest.as_ref().unwrap();
        assert_eq!((longest.plies, value), (2 * moves - 1, Some(1)), "{name}");
    }
}

#[test]
fn scores_of_sowing_games() {
    for (name, wanted) in [
        ("kalah 3x3", 2),
        ("kalah 2x4", -12),
        ("kalah 2x4 noempty", -10),
        ("kalah 2x5", 6),
        ("awari 1x1", 2),
        ("awari 1x1 noslam", 0),
    ] {
        assert_eq!(solve(name).0, Some(wanted), "{name}");
    }
    assert_eq!(solve("morris 3").0, Some(1));
}

#[test]
fn the_same_to_the_byte() {
    let game = Checkers::new(6, 6);
    for distance in [false, true] {
        let [one, two, bit] = [(); 3].map(|()| tempfile::tempdir().unwrap());
        build(&game, one.path(), &pieces(4, 1, distance)).unwrap();
        build(&game, two.path(), &pieces(4, 2, distance)).unwrap();
        // Bit by bit, by three threads and in little memory.
        for n in 2..=4 {
            let config =
                zermelo_endgame::BuildConfig { memory: 20 << 20, ..pieces(n, 3, distance) };
            build(&game, bit.path(), &config).unwrap();
        }
        assert_eq!(content(one.path()), content(two.path()));
        assert_eq!(content(one.path()), content(bit.path()));
        verify(&game, one.path(), &Default::default()).unwrap();
    }
}
