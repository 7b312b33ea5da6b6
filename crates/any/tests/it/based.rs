//! Certificates that rest on endgame databases: accepted with the database they name, refused without it or with another;
//! and certificates of games whose positions come back, wins among them.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus as Rng;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use zermelo_any::{AnyGame, By, Folder, How, Order, build, open, open_with};
use zermelo_game::{Bounds, Limits, Stop};
use zermelo_proof::check::{Limits as CheckLimits, check, check_with};
use zermelo_proof::explain::{Telling, explain_with};
use zermelo_proof::write::Layout;
use zermelo_proof::{Certificate, Made, Refusal};

fn made(name: &str, pieces: u32, dir: &Path) {
    let order = Order {
        pieces: Some(pieces),
        distance: false,
        threads: 2,
        memory: 1 << 30,
        cancel: &AtomicBool::new(false),
        progress: &|_| {},
    };
    build(name, dir, &order).unwrap();
}

/// Solves what random play comes to and writes certificates; those that are finished in time are returned, with the
/// values.
fn certificates(game: &dyn AnyGame, games: u32, seed: u64) -> Vec<(Certificate, Bounds)> {
    let mut rng = Rng::seed_from_u64(seed);
    let mut all = Vec::new();
    for round in 0..games {
        let mut session = game.session();
        for _ in 0..rng.random_range(0..14) {
            let moves = session.moves();
            if moves.is_empty() {
                break;
            }
            session.play(&moves[rng.random_range(0..moves.len())]).unwrap();
        }
        let by = [By::AlphaBeta, By::Dfpn, By::Auto, By::Pn2][round as usize % 4];
        let limits = Limits { nodes: Some(60_000), memory: 1 << 23, ..Limits::default() };
        let report = session.solve(&How::new(by), &limits, &|_| {});
        if report.stop != Stop::Solved {
            continue;
        }
        let layout = Layout { search: round % 3 * 8, ..Layout::default() };
        let how = How::new(by);
        let limits = Limits { nodes: Some(600_000), ..limits };
        let position = session.position();
        match session.certify(report.bounds, &how, layout, &limits, &|_| {}, Made::default()) {
            Ok(certificate) => all.push((certificate, report.bounds)),
            Err(failure) => eprintln!("{} {position} by {by:?}: {failure}", game.name()),
        }
    }
    all
}

#[test]
fn accepted_with_their_database_only() {
    let (name, limits) = ("checkers 6x4", CheckLimits::default());
    let [small, large] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    made(name, 2, small.path());
    made(name, 4, large.path());
    let folder = |dir| Folder { dir, memory: 1 << 22 };
    let game = open_with(name, large.path(), 1 << 22).unwrap();
    let all = certificates(&*game, 40, 7);
    assert!(all.len() >= 30, "{}", all.len());
    let mut entries = 0;
    for (certificate, bounds) in &all {
        let back = Certificate::read(&certificate.bytes()).unwrap();
        let checked = check_with(&back, &limits, &folder(large.path())).unwrap();
        entries += checked.entries;
        for part in &back.header.claims {
            assert!(part.claim().is_kept_by(bounds.lo) && part.claim().is_kept_by(bounds.hi));
        }
        let story = explain_with(
            &back,
            &limits,
            &Telling { replies: 1, positions: 20 },
            &folder(large.path()),
        );
        assert_eq!(story.unwrap().chapters.len(), back.header.claims.len());
        for refused in [check(&back, &limits), check_with(&back, &limits, &folder(small.path()))] {
            assert!(matches!(refused, Err(Refusal::Database { .. })), "{refused:?}");
        }
        // The same without a word about the database: what it knows must be proved then, or found by a search.
        let mut bare = back.clone();
        bare.header.database = None;
        let proved = check_with(&bare, &limits, &folder(large.path())).is_ok();
        assert!(!proved || checked.entries == 0 || checked.searched > 0);
        // A claim of more than is true.
        let mut more = back.clone();
        let part = &mut more.header.claims[0];
        part.value += part.claimant.sign();
        if game.values().contains(part.value) {
            assert!(check_with(&more, &limits, &folder(large.path())).is_err());
        }
    }
    assert!(entries > 100, "{entries}");
}

#[test]
fn where_positions_come_back() {
    for (name, games, least) in [("checkers 4x4", 24, 16), ("morris 3", 16, 4), ("loa 4x4", 16, 8)]
    {
        let game = open(name).unwrap();
        let all = certificates(&*game, games, 3);
        assert!(all.len() >= least, "{name}: {}", all.len());
        for (certificate, _) in &all {
            check(certificate, &CheckLimits::default()).unwrap();
        }
    }
}
