//! Certificates that rest on endgame databases: accepted with the database they name, refused without it or with another;
//! and certificates of games whose positions come back, wins among them.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus as Rng;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use zermelo_certificate::check::CheckLimits;
use zermelo_certificate::explain::Detail;
use zermelo_certificate::write::StrategyLayout;
use zermelo_certificate::{Certificate, Provenance, Refusal};
use zermelo_erased::{
    AnyGame, BuildOrder, Catalogue, CertificateRequest, EngineConfig, EngineId, Folder,
};
use zermelo_game::{Bounds, Limits, Stop};

fn open(name: &str) -> Box<dyn AnyGame> {
    Catalogue::standard().open(name).unwrap()
}

fn made(name: &str, pieces: u32, dir: &Path) {
    let order = BuildOrder {
        pieces: Some(pieces),
        distance: false,
        threads: 2,
        memory: 1 << 30,
        cancel: &AtomicBool::new(false),
        progress: &|_| {},
    };
    open(name).build(dir, &order).unwrap();
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
        let by = [EngineId::AlphaBeta, EngineId::Dfpn, EngineId::Auto, EngineId::Pn2]
            [round as usize % 4];
        let limits = Limits { nodes: Some(60_000), memory: 1 << 23, ..Limits::default() };
        let report = session.solve(&EngineConfig::new(by), &limits, &|_| {});
        if report.stop != Stop::Solved {
            continue;
        }
        let layout = StrategyLayout { search: round % 3 * 8, ..StrategyLayout::default() };
        let how = EngineConfig::new(by);
        let limits = Limits { nodes: Some(600_000), ..limits };
        let position = session.position();
        let provenance = Provenance::default();
        let request = CertificateRequest {
            layout,
            within: None,
            limits: &limits,
            written: &|_| {},
            provenance,
        };
        match session.certify(report.bounds, &how, request) {
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
    let games = Catalogue::standard();
    let folder = |dir| Folder { dir, memory: 1 << 22 };
    let game = open(name).with_databases(&[large.path()], 1 << 22, true).unwrap();
    let all = certificates(&*game, 40, 7);
    assert!(all.len() >= 30, "{}", all.len());
    let mut entries = 0;
    for (certificate, bounds) in &all {
        let back = Certificate::read(&certificate.bytes()).unwrap();
        let checked = games.check(&back, &limits, Some(&folder(large.path()))).unwrap();
        entries += checked.entries;
        for part in &back.header.claims {
            assert!(part.claim().is_kept_by(bounds.lo) && part.claim().is_kept_by(bounds.hi));
        }
        let story = games.explain(
            &back,
            &limits,
            &Detail { replies: 1, positions: 20 },
            Some(&folder(large.path())),
        );
        assert_eq!(story.unwrap().claims.len(), back.header.claims.len());
        for refused in [
            games.check(&back, &limits, None),
            games.check(&back, &limits, Some(&folder(small.path()))),
        ] {
            assert!(matches!(refused, Err(Refusal::Database { .. })), "{refused:?}");
        }
        // The same without a word about the database: what it knows must be proved then, or found by a search.
        let mut bare = back.clone();
        bare.header.database = None;
        let proved = games.check(&bare, &limits, Some(&folder(large.path()))).is_ok();
        assert!(!proved || checked.entries == 0 || checked.searched > 0);
        // A claim of more than is true.
        let mut more = back.clone();
        let part = &mut more.header.claims[0];
        part.value += part.claimant.sign();
        if game.values().contains(part.value) {
            assert!(games.check(&more, &limits, Some(&folder(large.path()))).is_err());
        }
    }
    assert!(entries > 100, "{entries}");
}

#[test]
fn where_positions_come_back() {
    for (name, games, least) in [("checkers 4x4", 24, 16), ("morris 3", 16, 4), ("loa 4x4", 16, 8)]
    {
        let game = open(name);
        let all = certificates(&*game, games, 3);
        assert!(all.len() >= least, "{name}: {}", all.len());
        for (certificate, _) in &all {
            Catalogue::standard().check(certificate, &CheckLimits::default(), None).unwrap();
        }
    }
}
