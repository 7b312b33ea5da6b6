//! Claims with length, against the plainest search for distances: what is true is written and checked, one ply less is refused,
//! slow strategies and mutants prove nothing false. And files of all versions are read.

#[path = "common/fastest.rs"]
mod fastest;

use fastest::Fastest;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus as Rng;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use zermelo_certificate::check::{CheckLimits, CheckSummary, check};
use zermelo_certificate::explain::{Detail, explain};
use zermelo_certificate::format::{Answers, BOUNDED_VERSION, StrategyAnswer, VERSION, head_of};
use zermelo_certificate::write::{StrategyLayout, write_within};
use zermelo_certificate::{
    Certificate, Claim, Provenance, Refusal, RuleBook, StrategySource, WriteFailure, WriteLimits,
    write,
};
use zermelo_game::{BySuperko, Knowledge, MoveList, Notation, Player, Rules};
use zermelo_games::Visitor;
use zermelo_games::go::Go;
use zermelo_games::graph::{AnyGraph, GraphGame, Recipe, random_cyclic};
use zermelo_games::mnk::Mnk;

fn checked<R: Notation>(rules: &R, c: &Certificate) -> Result<CheckSummary, Refusal> {
    check(RuleBook::new(rules, None), c, &CheckLimits::default())
}

fn certificate<R: Notation>(rules: &R, p: &R::Position) -> Certificate {
    Certificate::new(rules.full_name(), rules.position_text(p), 0, Provenance::default())
}

/// The strategy of a source as a claim with length.
fn within<R: Notation>(
    rules: &R,
    p: &R::Position,
    claim: Claim,
    plies: u32,
    source: &mut dyn StrategySource<R>,
) -> Result<Certificate, WriteFailure> {
    let book = RuleBook::new(rules, None);
    let answers = write_within(book, p, claim, plies, source, &WriteLimits::NONE)?;
    let mut certificate = certificate(rules, p);
    certificate.add_within(claim, plies, answers);
    Ok(certificate)
}

/// The same proof with another length.
fn restated(certificate: &Certificate, plies: u32) -> Certificate {
    let mut other = certificate.clone();
    other.header.claims[0].within = Some(plies);
    Certificate::read(&other.bytes()).unwrap()
}

fn refusal(found: Result<CheckSummary, Refusal>) -> String {
    found.expect_err("it is no proof").to_string()
}

/// Plays any move.
struct AnyMove(Rng);

impl<R: Notation> StrategySource<R> for AnyMove {
    fn choose(&mut self, _: &R::Position, _: R::Key, list: &MoveList<R::Move>) -> Option<R::Move> {
        Some(list.scored()[self.0.random_range(0..list.len())].mv)
    }
}

/// How much was tried.
#[derive(Default)]
struct Counts {
    proofs: AtomicU32,
    slow: AtomicU32,
    mutants: AtomicU32,
    alive: AtomicU32,
}

impl Counts {
    fn add(count: &AtomicU32) {
        count.fetch_add(1, Relaxed);
    }
}

/// All that is to be said of a position.
fn position<R: Notation>(rules: &R, p: &R::Position, rng: &mut Rng, counts: &Counts) {
    for claimant in [Player::First, Player::Second] {
        for value in -1..=1 {
            let claim = Claim { claimant, value };
            let Some(mut fastest) = Fastest::new(rules, p, claim, 20_000) else { return };
            let what = format!("{} {} {}", rules.name(), rules.position_text(p), claim.words());
            let truth = fastest.plies(p);
            if let Some(plies) = truth {
                let proof = within(rules, p, claim, plies, &mut fastest).expect(&what);
                let bytes = proof.bytes();
                assert_eq!(bytes[8..12], BOUNDED_VERSION.to_le_bytes());
                let read = Certificate::read(&bytes).unwrap();
                assert_eq!(read, proof, "{what}");
                assert_eq!(checked(rules, &read).expect(&what).longest, [Some(plies), None]);
                let limits = CheckLimits::default();
                let detail = Detail::default();
                let told = explain(RuleBook::new(rules, None), &read, &limits, &detail).unwrap();
                let told = &told.claims[0];
                assert_eq!(
                    (told.within, told.longest_play()),
                    (Some(plies), Some(plies)),
                    "{what}"
                );
                assert_eq!(told.line.len() as u32, plies, "{what}");
                // More time than is needed does no harm, less is too little.
                assert_eq!(checked(rules, &restated(&proof, plies + 3)).unwrap().longest[0], truth);
                if let Some(less) = plies.checked_sub(1) {
                    let why = refusal(checked(rules, &restated(&proof, less)));
                    assert!(why.contains(&format!("goes on after {less} plies")), "{what}: {why}");
                    let failed = within(rules, p, claim, less, &mut fastest).unwrap_err();
                    let too_long =
                        matches!(failed, WriteFailure::TooLong { within, .. } if within == less);
                    assert!(too_long, "{what}: {failed}");
                }
                Counts::add(&counts.proofs);
                mutants(rules, p, &proof, plies, rng, counts);
            } else {
                assert!(within(rules, p, claim, 1_000, &mut fastest).is_err(), "{what}");
            }
            // Whatever gets written is true.
            let plies = rng.random_range(0..20);
            let mut any = AnyMove(Rng::from_rng(rng));
            match within(rules, p, claim, plies, &mut any) {
                Ok(proof) => {
                    assert!(checked(rules, &proof).is_ok(), "{what} within {plies}");
                    assert!(truth.is_some_and(|least| least <= plies), "{what} within {plies}");
                }
                Err(_) => Counts::add(&counts.slow),
            }
        }
    }
}

/// A proof with one thing changed is refused, or says something true.
fn mutants<R: Notation>(
    rules: &R,
    p: &R::Position,
    proof: &Certificate,
    plies: u32,
    rng: &mut Rng,
    counts: &Counts,
) {
    let claim = proof.header.claims[0].claim();
    for _ in 0..6 {
        let mut answers = proof.answers(0).unwrap().remove(0);
        let Answers { symbols, positions, starts } = &mut answers;
        let mut stated = plies;
        let at = rng.random_range(0..symbols.len().max(1));
        match rng.random_range(0..6) {
            0 => stated = stated.saturating_sub(rng.random_range(1..3)),
            1 if !symbols.is_empty() => {
                symbols.remove(at);
                *positions -= 1;
            }
            2 => {
                symbols.insert(at, rng.random_range(0..4));
                *positions += 1;
            }
            3 => starts.push(starts[0].clone()),
            _ if !symbols.is_empty() => symbols[at] = rng.random_range(0..6),
            _ => {}
        }
        let mut mutant = certificate(rules, p);
        mutant.add_within(claim, stated, answers);
        Counts::add(&counts.mutants);
        if checked(rules, &Certificate::read(&mutant.bytes()).unwrap()).is_ok() {
            assert!(stated >= plies, "{:?}", mutant.header);
            Counts::add(&counts.alive);
        }
    }
}

/// Positions near the end of random games.
struct Positions<'c>(u64, &'c Counts);

impl Visitor for Positions<'_> {
    type Output = ();

    fn visit<R: Notation, K: Knowledge<R>>(self, rules: R, _: K) {
        let mut rng = Rng::seed_from_u64(self.0);
        for round in 0..20 {
            let (mut line, mut list) = (vec![rules.start()], MoveList::new());
            while let Some(p) = line.last()
                && rules.outcome(p).is_none()
                && line.len() < 60
            {
                list.clear();
                rules.moves(p, &mut list);
                line.push(rules.play(p, list.scored()[rng.random_range(0..list.len())].mv));
            }
            let p = line[line.len().saturating_sub(1 + round % 7)];
            position(&rules, &p, &mut rng, self.1);
        }
    }
}

#[test]
fn games_without_cycles() {
    let counts = Counts::default();
    let games = ["tictactoe", "connect4 4x4", "nogo 3x3", "clobber 3x4", "domineering 4x4 misere"];
    let more = ["breakthrough 4x3", "knightthrough 4x3 misere", "atarigo 3x3", "mnk 3x4x3"];
    for (seed, game) in games.iter().chain(&more).enumerate() {
        zermelo_games::open(game, Positions(seed as u64, &counts)).unwrap();
    }
    let [proofs, slow, mutants, alive] =
        [counts.proofs, counts.slow, counts.mutants, counts.alive].map(AtomicU32::into_inner);
    let tried = format!("{proofs} proofs, {slow} slow, {alive} of {mutants} mutants");
    assert!(proofs > 300 && slow > 300 && mutants > 2_000 && alive < mutants / 2, "{tried}");
}

#[test]
fn graphs_with_cycles() {
    let counts = Counts::default();
    for seed in 0..300 {
        let nodes = 5 + seed as u32 % 40;
        let graph = random_cyclic(&Recipe { seed, nodes, ..Recipe::default() });
        position(&graph, &graph.start(), &mut Rng::seed_from_u64(seed), &counts);
    }
    let proofs = counts.proofs.into_inner();
    assert!(proofs > 300, "{proofs}");
}

fn graph(text: &str) -> GraphGame<true> {
    let Ok(AnyGraph::Cyclic(graph)) = AnyGraph::parse(text) else { panic!("no graph") };
    graph
}

/// Answers that name moves, in one block.
fn answers(start: &str, moves: &[usize]) -> Answers {
    let mut answers = Answers { starts: vec![start.into()], ..Answers::default() };
    for &at in moves {
        answers.push(StrategyAnswer::Play(at));
        answers.positions += 1;
    }
    answers
}

/// A circle that keeps a claim keeps none with a length.
#[test]
fn circles_have_no_length() {
    let ring = graph("repetition 1; a first: b c; b second: a; c second = 1");
    let claim = Claim { claimant: Player::First, value: 1 };
    let root = ring.start();
    let mut plain = certificate(&ring, &root);
    plain.add(claim, vec![answers("a", &[0])]);
    assert!(checked(&ring, &plain).is_ok());
    let told =
        explain(RuleBook::new(&ring, None), &plain, &CheckLimits::default(), &Detail::default());
    assert_eq!(told.unwrap().claims[0].longest_play(), None);
    let mut round = certificate(&ring, &root);
    round.add_within(claim, 1_000, answers("a", &[0]));
    assert!(refusal(checked(&ring, &round)).contains("circle"));
    let mut straight = certificate(&ring, &root);
    straight.add_within(claim, 1, answers("a", &[1]));
    assert_eq!(checked(&ring, &straight).unwrap().longest[0], Some(1));
}

/// A position that is met again on a longer line counts with all that lies below it.
#[test]
fn a_position_that_is_met_again_adds_its_height() {
    // From d it takes 3 plies; it is met after 2, and again after 4.
    let text = "repetition 0; a first: b; b second: d e; e first: f; f second: d; d first: g; \
        g second: h; h first: i; i second = 1; y first: z; z second: y";
    let long = graph(text);
    let claim = Claim { claimant: Player::First, value: 1 };
    let proof = |within| {
        let mut proof = certificate(&long, &long.start());
        proof.add_within(claim, within, answers("a", &[0; 4]));
        proof
    };
    assert_eq!(checked(&long, &proof(7)).unwrap().longest[0], Some(7));
    let why = refusal(checked(&long, &proof(6)));
    assert!(why.contains("goes on after 6 plies: see d"), "{why}");
    // The walk of a plain claim does not go on there.
    let mut plain = certificate(&long, &long.start());
    plain.add(claim, vec![answers("a", &[0; 4])]);
    let found = checked(&long, &plain).unwrap();
    assert_eq!((found.depth, found.longest), (5, [None, None]));
    let told =
        explain(RuleBook::new(&long, None), &plain, &CheckLimits::default(), &Detail::default());
    assert_eq!(told.unwrap().claims[0].longest_play(), Some(7));
}

#[test]
fn what_a_claim_with_length_may_not_have() {
    let game = Mnk::<u64>::new(3, 3, 3);
    let claim = Claim { claimant: Player::First, value: 0 };
    let root = game.parse_position("xo./.../... first").unwrap();
    let mut fastest = Fastest::new(&game, &root, claim, 100_000).unwrap();
    let plies = fastest.plies(&root).unwrap();
    let proof = within(&game, &root, claim, plies, &mut fastest).unwrap();
    assert!(checked(&game, &proof).is_ok());
    let whole = proof.answers(0).unwrap().remove(0);
    let refused = |answers: Vec<Answers>| {
        let mut mutant = certificate(&game, &root);
        mutant.add(claim, answers);
        mutant.header.claims[0].within = Some(plies);
        refusal(checked(&game, &mutant))
    };
    let with_first = |answer: StrategyAnswer| {
        let mut changed = whole.clone();
        changed.symbols[0] = answer.number() as u8;
        refused(vec![changed])
    };
    assert!(with_first(StrategyAnswer::PutOff).contains("there must be a move"));
    assert!(with_first(StrategyAnswer::Search).contains("there must be a move"));
    assert!(with_first(StrategyAnswer::Play(90)).contains("is move 91 of 7"));
    let two = refused(vec![whole.clone(), whole.clone()]);
    assert!(two.contains("has one block"), "{two}");
    let starts = vec![whole.starts[0].clone(); 2];
    assert!(refused(vec![Answers { starts, ..whole.clone() }]).contains("has one start"));
    // A database, which is not even looked at.
    let mut based = proof.clone();
    let base = r#"{"name":"any","digest":"00"}"#;
    based.header.database = Some(serde_json::from_str(base).unwrap());
    assert!(matches!(checked(&game, &based), Err(Refusal::Database { .. })));
    // Memory for heights.
    let small = CheckLimits { memory: 20_000, ..CheckLimits::default() };
    let found = check(RuleBook::new(&game, None), &proof, &small);
    assert!(matches!(found, Err(Refusal::Limit(_))), "{found:?}");
    let limits = WriteLimits { memory: 1_000, ..WriteLimits::NONE };
    let book = RuleBook::new(&game, None);
    let failed = write_within(book, &root, claim, plies, &mut fastest, &limits).unwrap_err();
    assert!(matches!(failed, WriteFailure::Memory(_)), "{failed}");
}

#[test]
fn superko_has_no_length() {
    let game = Go::<u64>::new(1, 3, None);
    let book = RuleBook::new(&game, Some(&BySuperko));
    let claim = Claim { claimant: Player::First, value: -3 };
    let (root, mut any) = (game.start(), AnyMove(Rng::seed_from_u64(1)));
    let failed = write_within(book, &root, claim, 9, &mut any, &WriteLimits::NONE).unwrap_err();
    assert!(matches!(failed, WriteFailure::Unsupported(_)), "{failed}");
    let mut bad = certificate(&game, &root);
    bad.add_within(claim, 9, answers(&game.position_text(&root), &[0; 9]));
    let why = refusal(check(book, &bad, &CheckLimits::default()));
    assert!(why.contains("no claim has a length"), "{why}");
}

/// Files without such a claim are what they were, and a claim with length is not one of version 2.
#[test]
fn versions() {
    let game = Mnk::<u64>::new(3, 3, 3);
    let claim = Claim { claimant: Player::First, value: 0 };
    let root = game.start();
    let mut fastest = Fastest::new(&game, &root, claim, 100_000).unwrap();
    let proof = within(&game, &root, claim, 9, &mut fastest).unwrap();
    let text = serde_json::to_vec(&proof.header).unwrap();
    let blocks = proof.bytes().split_off(48 + text.len());
    let sealed = |version| [head_of(version, &text), text.clone(), blocks.clone()].concat();
    assert_eq!(sealed(BOUNDED_VERSION), proof.bytes());
    assert!(Certificate::read(&sealed(BOUNDED_VERSION)).is_ok());
    let why = Certificate::read(&sealed(VERSION)).unwrap_err().to_string();
    assert!(why.contains("within"), "{why}");
    assert_eq!(Certificate::read(&sealed(4)), Err(Refusal::Version(4)));
    // The same strategy without the length is a proof of version 2, and of no other.
    let mut plain = proof.clone();
    plain.header.claims[0].within = None;
    assert_eq!(plain.bytes()[8..12], VERSION.to_le_bytes());
    assert!(checked(&game, &plain).is_ok());
    let text = serde_json::to_vec(&plain.header).unwrap();
    let third = [head_of(BOUNDED_VERSION, &text), text, blocks].concat();
    let why = Certificate::read(&third).unwrap_err().to_string();
    assert!(why.contains("such a file has version 2"), "{why}");
    // Written in the usual way it is the same file, byte by byte.
    let answers = write(
        RuleBook::new(&game, None),
        &root,
        claim,
        StrategyLayout::default(),
        &mut fastest,
        &WriteLimits::NONE,
    );
    let mut usual = certificate(&game, &root);
    usual.add(claim, answers.unwrap());
    assert_eq!(usual.bytes(), plain.bytes());
}

/// Opens a kept file of some version, checks it, and writes the same bytes again.
fn kept(name: &str, version: u32) -> (Certificate, CheckSummary) {
    let path = format!("{}/tests/files/{name}", env!("CARGO_MANIFEST_DIR"));
    let bytes = std::fs::read(path).unwrap();
    assert_eq!(bytes[8..12], version.to_le_bytes());
    let certificate = Certificate::read(&bytes).unwrap();
    assert_eq!(certificate.bytes(), bytes);

    /// Checks a certificate of whatever game.
    struct Check<'c>(&'c Certificate);

    impl Visitor for Check<'_> {
        type Output = CheckSummary;

        fn visit<R: Notation, K: Knowledge<R>>(self, rules: R, _: K) -> CheckSummary {
            checked(&rules, self.0).unwrap()
        }
    }

    let found = zermelo_games::open(&certificate.header.game, Check(&certificate)).unwrap();
    (certificate, found)
}

/// The file of version 3 was written from the fastest wins of whoever begins at mnk 3x4x3 (`Fastest`, `within`).
#[test]
fn kept_files_of_all_versions_are_read() {
    let (second, found) = kept("version-2.proof", VERSION);
    assert_eq!(second.header.claims.len(), 2);
    assert!(found.searched > 0 && found.longest == [None, None]);
    let (third, found) = kept("version-3.proof", BOUNDED_VERSION);
    assert_eq!(third.header.claims[0].words(), "value >= 1 within 7 plies");
    assert_eq!(found.longest, [Some(7), None]);
}
