//! Certificates of random positions of every game by every solver are accepted, some of them by the checker in Python
//! too; what is changed in them is refused, or is still a proof of something true; solvers that lie get nothing through.
//!
//! Mutants have correct lengths and digests, so that only the walk stands between them and a proof. With
//! `ZERMELO_TORTURE=N` in the environment there are N times as many mutants and forgeries.

mod boards;
#[path = "../../certificate/tests/common/fastest.rs"]
mod fastest;

use fastest::Fastest;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus as Rng;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use zermelo_certificate::check;
use zermelo_certificate::format::{Answers, StrategyAnswer};
use zermelo_certificate::rule_book::RuleBook;
use zermelo_certificate::write::{StrategyLayout, write_within};
use zermelo_certificate::{
    Certificate, Claim, Provenance, Refusal, StrategySource, WriteFailure, WriteLimits, write,
};
use zermelo_erased::{AnyGame, AnySession, Catalogue, CertificateRequest, EngineConfig, EngineId};
use zermelo_game::conformance::rounds;
use zermelo_game::{
    Bounds, BySuperko, History, Knowledge, Limits, MoveList, Notation, ParseError, Player, Rules,
    Stop, Superko, SuperkoKnowledge, SuperkoRule,
};
use zermelo_games::Visitor;
use zermelo_games::graph::{AnyGraph, GraphGame, GraphNode, Recipe, labels, random_cyclic};
use zermelo_search::minimax;

fn open(name: &str) -> Result<Box<dyn AnyGame>, ParseError> {
    Catalogue::standard().open(name)
}

/// Checks a certificate of one of our games.
fn by_name(certificate: &Certificate) -> Result<check::CheckSummary, Refusal> {
    Catalogue::standard().check(certificate, &check::CheckLimits::default(), None)
}

/// Games in which positions have no value of their own, so that there are no certificates by positions.
const LEFT_OUT: [(&str, &str); 1] =
    [("awari", "has no certificates, as values depend on the line of play: a test below says so")];

/// The boards of all other games. (Of graphs with other rules of repetition the same is true as of Awari.)
fn boards_with_certificates() -> Vec<&'static str> {
    let boards = boards::of_every_game(&LEFT_OUT).into_iter();
    boards.filter(|board| !open(board).unwrap().features().path_dependent).collect()
}

const SOLVERS: [EngineId; 8] = [
    EngineId::Auto,
    EngineId::AlphaBeta,
    EngineId::Dfpn,
    EngineId::Pns,
    EngineId::Pn2,
    EngineId::Pp,
    EngineId::MonteCarlo,
    EngineId::AbTtMc,
];

/// Puts up the last but `left` position of a random game.
fn wander(session: &mut dyn AnySession, rng: &mut Rng, left: usize) {
    while session.take_back().is_some() {}
    let mut plies = 0;
    while session.outcome().is_none() && plies < 150 {
        let moves = session.moves();
        session.play(&moves[rng.random_range(0..moves.len())]).unwrap();
        plies += 1;
    }
    for _ in 0..left.min(plies) {
        session.take_back();
    }
}

/// Solves the position of a session, without the line that led there, and writes a certificate. `None` where the game has no
/// such engine, or the engine does not solve it.
fn certify(
    game: &dyn AnyGame,
    position: &str,
    by: EngineId,
    layout: StrategyLayout,
) -> Option<(Bounds, Certificate)> {
    let playouts = if by == EngineId::AbTtMc { 50 } else { 0 };
    let how = EngineConfig::new(by).with_if_any("playouts", playouts);
    game.accepts(&how).ok()?;
    let mut session = game.session();
    session.set_position(position).unwrap();
    let limits = Limits { nodes: Some(20_000), memory: 1 << 20, ..Limits::default() };
    let report = session.solve(&how, &limits, &|_| {});
    if report.stop != Stop::Solved {
        return None;
    }
    let limits = Limits { memory: 1 << 24, ..Limits::default() };
    let provenance = Provenance::default();
    let request =
        CertificateRequest { layout, within: None, limits: &limits, written: &|_| {}, provenance };
    match session.certify(report.bounds, &how, request) {
        // Where knowledge decides a large board at once, the rules alone have far to go.
        Err(WriteFailure::Memory(_) | WriteFailure::Cycles(_)) => None,
        certificate => Some((report.bounds, certificate.unwrap())),
    }
}

/// Layouts of all kinds, one after the other.
fn layout(n: usize) -> StrategyLayout {
    StrategyLayout {
        block: [1 << 18, 3, 50][n % 3],
        search: [0, 1, 20, 500][n % 4],
        smaller: n % 5 > 2,
    }
}

#[test]
fn every_game_by_every_solver() {
    let boards = boards_with_certificates();
    let counts = Mutex::new(BTreeMap::new());
    let some = Mutex::new(Vec::new());
    boards::each(&boards, |name, seed| {
        let game = open(name).unwrap();
        let mut session = game.session();
        let mut rng = Rng::seed_from_u64(seed);
        let mut count = 0;
        let accepted = |by: &&EngineId| game.accepts(&EngineConfig::new(**by)).is_ok();
        let solvers: Vec<EngineId> = SOLVERS.iter().filter(accepted).copied().collect();
        for round in 0..boards::share(&boards, name, rounds(1_000)) {
            wander(&mut *session, &mut rng, 1 + round % 9);
            let by = solvers[round % solvers.len()];
            let layout = layout(round / solvers.len());
            let Some((bounds, certificate)) = certify(&*game, &session.position(), by, layout)
            else {
                continue;
            };
            let what = format!("{name} {} by {}", session.position(), by.word());
            let read = Certificate::read(&certificate.bytes()).unwrap();
            assert_eq!(read, certificate, "{what}");
            let checked = by_name(&read);
            assert!(checked.is_ok(), "{what}: {checked:?}");
            let claims: Vec<Claim> = read.header.claims.iter().map(|part| part.claim()).collect();
            let all = game.values();
            let first = Claim { claimant: Player::First, value: bounds.lo };
            let second = Claim { claimant: Player::Second, value: bounds.hi };
            assert_eq!(claims.contains(&first), bounds.lo > all.lo, "{what}");
            assert_eq!(claims.contains(&second), bounds.hi < all.hi, "{what}");
            if round % 25 == 0 {
                some.lock().unwrap().push(certificate);
            }
            count += 1;
        }
        *counts.lock().unwrap().entry(boards::row_of(name).to_owned()).or_insert(0) += count;
    });
    let some = some.into_inner().unwrap();
    for (certificate, proved) in some.iter().zip(foreign(&some)) {
        assert!(proved, "refused by the other checker: {:?}", certificate.header);
    }
    let counts = counts.into_inner().unwrap();
    println!("{counts:?}");
    let few: Vec<_> = counts.iter().filter(|(_, count)| **count < rounds(300)).collect();
    assert!(few.is_empty(), "few certificates: {few:?}");
    assert!(counts.values().sum::<u64>() > rounds(10_000), "{counts:?}");
}

/// Where the value of a position depends on the line that led there, a certificate is refused in words.
#[test]
fn games_without_certificates_say_so() {
    for (row, _) in LEFT_OUT {
        for example in Catalogue::standard().row(row).unwrap().examples() {
            let game = open(example).unwrap();
            assert!(game.features().path_dependent, "{example}");
            let (how, limits) = (EngineConfig::new(EngineId::Dfpn), Limits::default());
            let (layout, provenance) = (StrategyLayout::default(), Provenance::default());
            let request = CertificateRequest {
                layout,
                within: None,
                limits: &limits,
                written: &|_| {},
                provenance,
            };
            let mut session = game.session();
            let refused = session.certify(game.values(), &how, request).unwrap_err();
            assert!(refused.to_string().contains("no certificates yet"), "{refused}");
        }
    }
}

/// As [`rounds`], and N times as many with `ZERMELO_TORTURE=N`.
fn many(full: u64) -> u64 {
    let times = std::env::var("ZERMELO_TORTURE").map_or(1, |n| n.parse().expect("a number"));
    rounds(full) * times
}

/// Nodes minimax may spend on a position; positions that need more are passed over.
const MINIMAX_NODES: u64 = 5_000;

/// A certificate with one thing changed, digests made to fit.
fn mutant(certificate: &Certificate, rng: &mut Rng) -> Certificate {
    let header = &certificate.header;
    let mut out = Certificate::new(
        header.game.clone(),
        header.position.clone(),
        header.search,
        header.made.clone(),
    );
    let chosen = rng.random_range(0..header.claims.len());
    for (i, part) in header.claims.iter().enumerate() {
        let mut claim = part.claim();
        let mut blocks = certificate.answers(i).unwrap();
        if i == chosen {
            change(&mut claim, &mut blocks, rng);
        }
        out.add(claim, blocks);
    }
    if rng.random_ratio(1, 20) {
        out.header.search = rng.random_range(0..100);
    }
    if rng.random_ratio(1, 20) {
        // Another position of the same moment of the game, where there is one.
        let other = header.claims[chosen].blocks.iter().flat_map(|block| &block.starts).last();
        let text = other.map_or_else(|| header.position.clone(), String::clone);
        if rng.random() {
            out.header.claims.iter_mut().for_each(|p| p.blocks[0].starts[0].clone_from(&text));
        }
        out.header.position = text;
    }
    if rng.random_ratio(1, 20) {
        out.header.game = another_name(&header.game, rng);
    }
    if rng.random_ratio(1, 20) {
        let part = &mut out.header.claims[chosen];
        let block = &mut part.blocks[0];
        match rng.random_range(0..4) {
            0 => block.positions += 1,
            1 => block.size += 1,
            2 => block.size = block.size.saturating_sub(1),
            _ => block
                .sha256
                .replace_range(..1, if block.sha256.starts_with('0') { "1" } else { "0" }),
        }
    }
    out
}

/// The name of a game with other rules or another board that has the same positions, or none at all.
fn another_name(name: &str, rng: &mut Rng) -> String {
    let (kind, rest) = name.split_once(' ').unwrap_or((name, "3x3"));
    let others = ["nogo", "atarigo", "clobber", "breakthrough", "knightthrough", "mnk", "connect4"];
    match rng.random_range(0..4) {
        0 if rest.ends_with(" misere") => name.replace(" misere", ""),
        0 => format!("{name} misere"),
        1 => format!("{kind} {rest}x3"),
        2 => name.to_uppercase(),
        _ => format!("{} {rest}", others[rng.random_range(0..others.len())]),
    }
}

fn change(claim: &mut Claim, blocks: &mut Vec<Answers>, rng: &mut Rng) {
    let block = rng.random_range(0..blocks.len());
    let other = rng.random_range(0..blocks.len());
    let spare = blocks[other].clone();
    let several = blocks.len() > 1;
    let answers = &mut blocks[block];
    let at = rng.random_range(0..answers.symbols.len().max(1));
    match rng.random_range(0..17) {
        0 => claim.value += 1,
        1 => claim.value -= 1,
        2 => claim.claimant = claim.claimant.other(),
        3 if !answers.symbols.is_empty() => {
            answers.symbols.remove(at);
            answers.positions = answers.positions.saturating_sub(1);
        }
        4 => {
            answers.symbols.insert(at, rng.random_range(1..4));
            answers.positions += 1;
        }
        5 if !answers.symbols.is_empty() => {
            answers.symbols[at] = 0;
            answers.positions = answers.positions.saturating_sub(1);
        }
        6 if !answers.symbols.is_empty() => answers.symbols[at] = rng.random(),
        7 => answers.starts[0].replace_range(..1, ["x", "o", ".", "#"][rng.random_range(0..4)]),
        8 => blocks.swap(block, other),
        9 => blocks.insert(block, spare),
        10 if several => drop(blocks.remove(block)),
        11 => {
            answers.starts.extend(spare.starts);
            answers.symbols.extend(spare.symbols);
            answers.positions += spare.positions;
        }
        12 if answers.starts.len() > 1 => drop(answers.starts.pop()),
        13 if !answers.symbols.is_empty() => {
            let cut = answers.symbols.split_off(at);
            answers.positions -= cut.iter().filter(|&&symbol| symbol != 0).count() as u64;
        }
        14 => answers.symbols = spare.symbols,
        15 if at > 0 => answers.symbols.swap(at - 1, at),
        _ if !answers.symbols.is_empty() => {
            answers.symbols[at] = rng.random_range(1..6);
        }
        _ => claim.value += 1,
    }
}

/// The value of what a mutant is about, if minimax finds it out.
fn true_value(certificate: &Certificate) -> Option<i16> {
    let game = open(&certificate.header.game).ok()?;
    let mut session = game.session();
    session.set_position(&certificate.header.position).ok()?;
    let limits = Limits { nodes: Some(20 * MINIMAX_NODES), ..Limits::default() };
    session.solve(&EngineConfig::new(EngineId::Minimax), &limits, &|_| {}).bounds.value()
}

#[test]
fn mutants_are_refused_or_true() {
    let boards = boards_with_certificates();
    let (refused, proofs) = (AtomicU64::new(0), AtomicU64::new(0));
    boards::each(&boards, |name, seed| {
        let game = open(name).unwrap();
        let mut session = game.session();
        let mut rng = Rng::seed_from_u64(100 + seed);
        for round in 0..boards::share(&boards, name, many(90)) {
            wander(&mut *session, &mut rng, 1 + round % 8);
            let limits = Limits { nodes: Some(MINIMAX_NODES), ..Limits::default() };
            // Certificates are about positions without the line that led there.
            let position = session.position();
            let mut here = game.session();
            here.set_position(&position).unwrap();
            let minimax = EngineConfig::new(EngineId::Minimax);
            let Some(value) = here.solve(&minimax, &limits, &|_| {}).bounds.value() else {
                continue;
            };
            let Some((_, certificate)) =
                certify(&*game, &position, EngineId::AlphaBeta, layout(round))
            else {
                continue;
            };
            for _ in 0..20 {
                let mutant = mutant(&certificate, &mut rng);
                let read = Certificate::read(&mutant.bytes());
                if read.and_then(|read| by_name(&read)).is_err() {
                    refused.fetch_add(1, Relaxed);
                    continue;
                }
                let same = (&mutant.header.game, &mutant.header.position)
                    == (&certificate.header.game, &certificate.header.position);
                let Some(value) = (if same { Some(value) } else { true_value(&mutant) }) else {
                    continue;
                };
                for part in &mutant.header.claims {
                    assert!(part.claim().is_kept_by(value), "{name}: {value} {mutant:?}");
                }
                proofs.fetch_add(1, Relaxed);
            }
        }
    });
    let (refused, proofs) = (refused.into_inner(), proofs.into_inner());
    assert!(refused > many(8_000) && proofs > many(100), "{refused} {proofs}");
    assert!(refused + proofs > many(10_000), "{refused} {proofs}");
}

/// Every byte matters: a file with one changed, or cut, or with more, is refused.
#[test]
fn damaged_files_are_refused() {
    let game = open("connect4 4x4").unwrap();
    let mut session = game.session();
    wander(&mut *session, &mut Rng::seed_from_u64(3), 9);
    let (_, certificate) =
        certify(&*game, &session.position(), EngineId::AlphaBeta, StrategyLayout::default())
            .unwrap();
    let bytes = certificate.bytes();
    let accepted = |bytes: &[u8]| Certificate::read(bytes).and_then(|c| by_name(&c)).is_ok();
    assert!(accepted(&bytes));
    for i in 0..bytes.len() {
        for bit in 0..8 {
            let mut damaged = bytes.clone();
            damaged[i] ^= 1 << bit;
            assert!(!accepted(&damaged), "bit {bit} of byte {i}");
        }
        assert!(!accepted(&bytes[..i]), "{i} bytes");
    }
    assert!(!accepted(&[bytes, vec![0]].concat()));
}

/// Gives any move.
struct Liar {
    rng: Rng,
}

impl Liar {
    fn new(seed: u64) -> Liar {
        Liar { rng: Rng::seed_from_u64(seed) }
    }
}

impl<R: Rules> StrategySource<R> for Liar {
    fn choose(&mut self, _: &R::Position, _: R::Key, list: &MoveList<R::Move>) -> Option<R::Move> {
        Some(list.scored()[self.rng.random_range(0..list.len())].mv)
    }
}

/// Lets a liar write certificates of a game, for claims true and false. Returns how many there were, and
/// how many were proofs.
struct Lie {
    seed: u64,
    rounds: usize,
}

impl Visitor for Lie {
    type Output = (usize, usize);

    fn visit<R: Notation, K: Knowledge<R>>(self, rules: R, _: K) -> (usize, usize) {
        self.lie(&rules, None)
    }

    fn visit_superko<R: Notation + Superko, K: SuperkoKnowledge<R>>(
        self,
        rules: R,
        _: K,
    ) -> (usize, usize) {
        self.lie(&rules, Some(&BySuperko))
    }
}

impl Lie {
    fn lie<R: Notation>(self, game: &R, superko: SuperkoRule<R>) -> (usize, usize) {
        let book = RuleBook::new(game, superko);
        let mut rng = Rng::seed_from_u64(self.seed);
        let (mut lies, mut proofs) = (0, 0);
        let Bounds { lo, hi } = game.values();
        for round in 0..self.rounds {
            let mut line = vec![game.start()];
            while let Some(p) = line.last()
                && game.outcome(p).is_none()
                && line.len() < 150
            {
                let mut list = MoveList::new();
                game.moves(p, &mut list);
                line.push(game.play(p, list.scored()[rng.random_range(0..list.len())].mv));
            }
            let p = line[line.len().saturating_sub(1 + round % 5)];
            let claimant = [Player::First, Player::Second][round % 2];
            let claim = Claim { claimant, value: rng.random_range(lo..=hi) };
            let limits = Limits { nodes: Some(MINIMAX_NODES), ..Limits::default() };
            let truth = minimax::solve_along(
                game,
                &History::of(game, superko, &p),
                &[],
                &p,
                &limits,
                &|_| {},
            );
            let Some(value) = truth.bounds.value() else { continue };
            let mut source = Liar::new(rng.random());
            let layout = StrategyLayout { block: 3, ..layout(round) };
            let Ok(answers) = write(book, &p, claim, layout, &mut source, &WriteLimits::NONE)
            else {
                lies += 1;
                continue;
            };
            let mut certificate = Certificate::new(
                game.name(),
                game.position_text(&p),
                layout.search,
                Provenance::default(),
            );
            certificate.add(claim, answers);
            let checked = check::check(book, &certificate, &check::CheckLimits::default());
            assert!(checked.is_err() || claim.is_kept_by(value), "{} {claim:?}", game.name());
            proofs += usize::from(checked.is_ok());
        }
        (lies, proofs)
    }
}

#[test]
fn solvers_that_lie_prove_nothing_false() {
    let boards = boards_with_certificates();
    let (lies, proofs) = (AtomicUsize::new(0), AtomicUsize::new(0));
    boards::each(&boards, |name, seed| {
        let liar = Lie { seed, rounds: boards::share(&boards, name, rounds(250)) };
        let (l, p) = zermelo_games::open(name, liar).unwrap();
        lies.fetch_add(l, Relaxed);
        proofs.fetch_add(p, Relaxed);
    });
    let (lies, proofs) = (lies.into_inner(), proofs.into_inner());
    let least = |full| rounds(full) as usize;
    assert!(lies > least(1_000) && proofs > least(500), "{lies} {proofs}");
}

/// Cyclic graphs, where a win must not rest on a circle, and a draw may.
#[test]
fn claims_on_graphs_with_cycles() {
    let mut proved = 0;
    for seed in 0..rounds(2_000) {
        let graph = random_cyclic(&Recipe { seed, nodes: 12, ..Default::default() });
        let value = labels(&graph)[graph.start().0 as usize];
        let book = RuleBook::new(&graph, None);
        for claimant in [Player::First, Player::Second] {
            for claimed in -1..=1 {
                let claim = Claim { claimant, value: claimed };
                let mut source = Liar::new(seed);
                let search = if seed % 2 == 0 { 0 } else { 6 };
                let layout = StrategyLayout { block: 2, search, smaller: seed % 3 == 0 };
                let Ok(answers) =
                    write(book, &graph.start(), claim, layout, &mut source, &WriteLimits::NONE)
                else {
                    continue;
                };
                let mut certificate = Certificate::new(
                    graph.name(),
                    graph.position_text(&graph.start()),
                    search,
                    Provenance::default(),
                );
                certificate.add(claim, answers);
                let checked = check::check(book, &certificate, &check::CheckLimits::default());
                assert!(checked.is_err() || claim.is_kept_by(value), "{} {claim:?}", graph.name());
                proved += u64::from(checked.is_ok());
            }
        }
    }
    assert!(proved > rounds(2_000), "{proved}");
}

/// A circle: a to b and back for ever, worth a draw. Neither may claim more.
#[test]
fn circles_win_nothing() {
    let text = "repetition 0; a first: b c; b second: a d; d first = 1; c second = -1";
    let Ok(AnyGraph::Cyclic(graph)) = AnyGraph::parse(text) else { panic!("no graph") };
    let certificate = |claim, symbols: Vec<u8>| {
        let mut c = Certificate::new(format!("graph {text}"), "a".into(), 0, Provenance::default());
        let positions = symbols.len() as u64;
        c.add(claim, vec![Answers { starts: vec!["a".into()], positions, symbols }]);
        check::check(RuleBook::new(&graph, None), &c, &check::CheckLimits::default())
    };
    let draw = Claim { claimant: Player::First, value: 0 };
    assert!(certificate(draw, vec![StrategyAnswer::Play(0).number() as u8]).is_ok());
    let win = Claim { claimant: Player::First, value: 1 };
    let Err(Refusal::Wrong { why, .. }) =
        certificate(win, vec![StrategyAnswer::Play(0).number() as u8])
    else {
        panic!("a win")
    };
    assert!(why.contains("circle"), "{why}");
}

/// Positions of a graph from which a claimant need never come to an end that breaks the claim: for ever, if need be.
fn safe(graph: &GraphGame<true>, claim: Claim) -> Vec<bool> {
    let mut safe: Vec<bool> =
        graph.nodes().map(|n| graph.outcome(&n).is_none_or(|v| claim.is_kept_by(v))).collect();
    loop {
        let mut changed = false;
        for node in graph.nodes().filter(|n| graph.outcome(n).is_none()) {
            let mut after = graph.successors(node).map(|n| safe[n.0 as usize]);
            let stays = match graph.turn(&node) == claim.claimant {
                true => after.any(|s| s),
                false => after.all(|s| s),
            };
            changed |= safe[node.0 as usize] && !stays;
            safe[node.0 as usize] &= stays;
        }
        if !changed {
            return safe;
        }
    }
}

/// Answers that a walk would ask for, of a claimant who takes any move that keeps away from bad ends, round in circles if that
/// is what it comes to. (The writer of certificates would not do this.)
fn forge(graph: &GraphGame<true>, claim: Claim, safe: &[bool], rng: &mut Rng) -> Answers {
    let root = graph.start();
    let mut out = Answers { starts: vec![graph.position_text(&root)], ..Answers::default() };
    let (mut met, mut stack) = (vec![false; graph.len()], vec![root]);
    while let Some(node) = stack.pop() {
        if graph.outcome(&node).is_some() {
            continue;
        }
        if graph.turn(&node) != claim.claimant {
            stack.extend(graph.successors(node).collect::<Vec<_>>().into_iter().rev());
        } else if !std::mem::replace(&mut met[node.0 as usize], true) {
            let after: Vec<GraphNode> = graph.successors(node).collect();
            let good: Vec<usize> =
                (0..after.len()).filter(|&i| safe[after[i].0 as usize]).collect();
            let at = match good[..] {
                [] => rng.random_range(0..after.len()),
                _ => good[rng.random_range(0..good.len())],
            };
            out.push(StrategyAnswer::Play(at));
            out.positions += 1;
            stack.push(after[at]);
        }
    }
    out
}

/// What the foreign checker says of certificates: whether each is proved.
fn foreign(certificates: &[Certificate]) -> Vec<bool> {
    const CHECKER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../proofcheck/zermelo_check.py");
    let folder = tempfile::tempdir().unwrap();
    let mut command = std::process::Command::new("python3");
    command.arg(CHECKER).arg("--json");
    for (i, certificate) in certificates.iter().enumerate() {
        let path = folder.path().join(format!("{i}.proof"));
        std::fs::write(&path, certificate.bytes()).unwrap();
        command.arg(path);
    }
    let output = String::from_utf8(command.output().expect("python3 runs").stdout).unwrap();
    let verdicts: Vec<bool> =
        output.lines().map(|line| line.contains(r#""verdict": "proved""#)).collect();
    assert_eq!(verdicts.len(), certificates.len());
    verdicts
}

/// Strategies on random graphs with cycles, for claims true and false, of one who does not mind circles: where the labels say
/// that a claim is wrong both checkers refuse it, most of all where only the circle is wrong with it.
#[test]
fn forged_strategies_on_cyclic_graphs() {
    let (mut forgeries, mut circles, mut proofs) = (0, 0, 0);
    for batch in 0..many(20) {
        let (mut all, mut verdicts) = (Vec::new(), Vec::new());
        for seed in 100 * batch..100 * (batch + 1) {
            let mut rng = Rng::seed_from_u64(seed);
            let nodes = rng.random_range(3..30);
            let graph = random_cyclic(&Recipe { seed, nodes, ..Default::default() });
            let value = labels(&graph)[graph.start().0 as usize];
            for claimant in [Player::First, Player::Second] {
                let claim = Claim { claimant, value: rng.random_range(-1..=1) };
                let safe = safe(&graph, claim);
                for _ in 0..3 {
                    let answers = forge(&graph, claim, &safe, &mut rng);
                    let (name, root) = (graph.full_name(), graph.position_text(&graph.start()));
                    let mut certificate = Certificate::new(name, root, 0, Provenance::default());
                    certificate.add(claim, vec![answers]);
                    let proved = by_name(&certificate).is_ok();
                    let holds = claim.is_kept_by(value);
                    assert!(!proved || holds, "{claim:?} {:?}", certificate.header);
                    forgeries += u64::from(!holds);
                    circles += u64::from(!holds && safe[graph.start().0 as usize]);
                    proofs += u64::from(proved);
                    all.push(certificate);
                    verdicts.push(proved);
                }
            }
        }
        assert_eq!(foreign(&all), verdicts, "batch {batch}");
    }
    assert!(forgeries > many(3_000) && proofs > many(3_000), "{forgeries} {proofs}");
    assert!(circles > many(500), "{circles}");
}

/// Certificates with length of positions near the end of random games: true ones, and such as were changed.
struct Lengths {
    seed: u64,
    rounds: usize,
}

impl Visitor for Lengths {
    type Output = Vec<(Certificate, Option<u32>)>;

    fn visit<R: Notation, K: Knowledge<R>>(self, rules: R, _: K) -> Self::Output {
        let mut rng = Rng::seed_from_u64(self.seed);
        let mut found = Vec::new();
        for round in 0..self.rounds {
            let (mut line, mut list) = (vec![rules.start()], MoveList::new());
            while let Some(p) = line.last()
                && rules.outcome(p).is_none()
                && line.len() < 60
            {
                list.clear();
                rules.moves(p, &mut list);
                line.push(rules.play(p, list.scored()[rng.random_range(0..list.len())].mv));
            }
            let p = line[line.len().saturating_sub(1 + round % 6)];
            let claimant = [Player::First, Player::Second][round % 2];
            let claim = Claim { claimant, value: claimant.sign() * [1, 1, 0][round % 3] };
            let Some(mut source) = Fastest::new(&rules, &p, claim, 5_000) else { continue };
            let Some(plies) = source.plies(&p) else { continue };
            let (book, none) = (RuleBook::new(&rules, None), WriteLimits::NONE);
            let answers = write_within(book, &p, claim, plies, &mut source, &none).unwrap();
            let (name, text) = (rules.full_name(), rules.position_text(&p));
            let make = |within: u32, answers: &Answers| {
                let provenance = Provenance::default();
                let mut made = Certificate::new(name.clone(), text.clone(), 9, provenance);
                made.add_within(claim, within, answers.clone());
                (made, Some(plies))
            };
            found.push(make(plies, &answers));
            found.push(make(plies + 1, &answers));
            if plies > 0 {
                found.push(make(plies - 1, &answers));
            }
            for _ in 0..3 {
                let mut changed = answers.clone();
                if let Some(symbol) = changed.symbols.len().checked_sub(1) {
                    changed.symbols[rng.random_range(0..=symbol)] = rng.random_range(0..6);
                    found.push(make(plies + rng.random_range(0..2), &changed));
                }
            }
        }
        found
    }
}

/// Lengths are verified alike by both checkers: one ply less than the truth is refused, though all else is in order.
#[test]
fn lengths_before_both_checkers() {
    let mut games: Vec<String> = ["tictactoe", "connect4 4x4", "nogo 3x3", "clobber 3x3"]
        .into_iter()
        .chain(["domineering 3x4", "breakthrough 4x3", "knightthrough 4x3 misere", "atarigo 2x4"])
        .map(str::to_owned)
        .collect();
    for seed in 0..rounds(60) {
        let nodes = 4 + seed as u32 % 30;
        games.push(random_cyclic(&Recipe { seed, nodes, ..Recipe::default() }).full_name());
    }
    let (mut all, mut verdicts, mut short) = (Vec::new(), Vec::new(), 0);
    for (seed, game) in games.iter().enumerate() {
        let graph = game.starts_with("graph");
        let lengths = Lengths { seed: seed as u64, rounds: if graph { 2 } else { 40 } };
        for (certificate, least) in zermelo_games::open(game, lengths).unwrap() {
            let found = by_name(&certificate);
            let stated = certificate.header.claims[0].within;
            assert!(found.is_err() || stated >= least, "{:?}", certificate.header);
            short += usize::from(stated < least);
            all.push(certificate);
            verdicts.push(found.is_ok());
        }
    }
    let proved = verdicts.iter().filter(|&&proved| proved).count();
    assert!(short > 60 && proved > 200 && all.len() > proved + 200, "{short} {proved}");
    for (certificates, verdicts) in all.chunks(200).zip(verdicts.chunks(200)) {
        assert_eq!(foreign(certificates), verdicts);
    }
}

/// A session certifies a length by the strategy of its engine, or says that this takes longer. Draws have none.
#[test]
fn sessions_certify_lengths_or_say_why() {
    let game = open("mnk 3x4x3").unwrap();
    let certify = |position: &str, within| {
        let mut session = game.session();
        session.set_position(position).unwrap();
        let (how, limits) = (EngineConfig::new(EngineId::AlphaBeta), Limits::default());
        let report = session.solve(&how, &limits, &|_| {});
        let (layout, provenance) = (StrategyLayout::default(), Provenance::default());
        let request =
            CertificateRequest { layout, within, limits: &limits, written: &|_| {}, provenance };
        session.certify(report.bounds, &how, request)
    };
    let position = "..../oo../xx.. first";
    let proof = certify(position, Some(1)).unwrap();
    assert_eq!(by_name(&proof).unwrap().longest, [Some(1), None]);
    assert_eq!(proof.header.claims[0].words(), "value >= 1 within 1 ply");
    let failed = certify(position, Some(0)).unwrap_err();
    assert!(failed.to_string().contains("takes more than 0 plies"), "{failed}");
    let drawn = certify("xxoo/ooxx/xxoo first", Some(3));
    assert!(drawn.is_err_and(|e| e.to_string().contains("only a win has a length")));
}

/// A game that is not in the catalogue is no reason to refuse a proof: nothing is known of it.
#[test]
fn unknown_games_cannot_be_checked() {
    for (name, unknown) in [("hyperchess 8x8", true), ("", true), ("nogo 3x3 blind", false)] {
        let mut proof = Certificate::new(name.into(), "a".into(), 0, Provenance::default());
        proof.add(Claim { claimant: Player::First, value: 1 }, vec![Answers::default()]);
        let refusal = by_name(&proof).unwrap_err();
        assert_eq!(matches!(refusal, Refusal::UnknownGame(_)), unknown, "{name}: {refusal}");
        assert_eq!(refusal.is_open(), unknown);
    }
}
