//! Certificates of random positions of every game by every solver are accepted; what is changed in them is
//! refused, or is still a proof of something true; solvers that lie get nothing through.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus as Rng;
use zermelo_any::{AnySession, By, How, open};
use zermelo_game::conformance::rounds;
use zermelo_game::{Bounds, Game, Limits, MoveList, Player, Stop};
use zermelo_games::Visitor;
use zermelo_games::graph::{AnyGraph, Recipe, labels, random_cyclic};
use zermelo_proof::check::{self, check, check_game};
use zermelo_proof::format::{Answer, Answers};
use zermelo_proof::rules::Rules;
use zermelo_proof::write::Layout;
use zermelo_proof::{Advisor, Certificate, Claim, Made, Refusal, write};

const GAMES: [&str; 18] = [
    "tictactoe",
    "mnk 4x4x3",
    "mnk 3x5x3",
    "connect4 4x4",
    "connect4 4x5",
    "connect4 5x5",
    "domineering 4x4",
    "domineering 5x5",
    "domineering 4x5 horizontal",
    "domineering 4x5 misere",
    "nogo 3x4",
    "nogo 4x4",
    "atarigo 3x4",
    "atarigo 4x4",
    "breakthrough 5x3",
    "breakthrough 4x4 misere",
    "knightthrough 5x4",
    "clobber 3x5",
];

const SOLVERS: [By; 8] =
    [By::Auto, By::AlphaBeta, By::Dfpn, By::Pns, By::Pn2, By::Pp, By::MonteCarlo, By::AbTtMc];

/// Puts up the last but `left` position of a random game.
fn wander(session: &mut dyn AnySession, rng: &mut Rng, left: usize) {
    while session.take_back().is_some() {}
    let mut plies = 0;
    while session.outcome().is_none() {
        let moves = session.moves();
        session.play(&moves[rng.random_range(0..moves.len())]).unwrap();
        plies += 1;
    }
    for _ in 0..left.min(plies) {
        session.take_back();
    }
}

/// Solves the position and writes a certificate.
fn certify(session: &mut dyn AnySession, by: By, layout: Layout) -> Option<(Bounds, Certificate)> {
    let how = How { playouts: if by == By::AbTtMc { 50 } else { 0 }, ..How::new(by) };
    let limits = Limits { nodes: Some(20_000), memory: 1 << 20, ..Limits::default() };
    let report = session.solve(&how, &limits, &|_| {});
    if report.stop != Stop::Solved {
        return None;
    }
    let limits = Limits { memory: 1 << 20, ..Limits::default() };
    let made = Made::default();
    let certificate = session.certify(report.bounds, &how, layout, &limits, &|_| {}, made);
    Some((report.bounds, certificate.unwrap()))
}

/// Layouts of all kinds, one after the other.
fn layout(n: usize) -> Layout {
    Layout { block: [1 << 18, 3, 50][n % 3], search: [0, 1, 20, 500][n % 4], smaller: n % 5 > 2 }
}

#[test]
fn every_game_by_every_solver() {
    let mut count = 0;
    for (seed, name) in GAMES.iter().enumerate() {
        let game = open(name).unwrap();
        let mut session = game.session();
        let mut rng = Rng::seed_from_u64(seed as u64);
        for round in 0..rounds(620) as usize {
            wander(&mut *session, &mut rng, 1 + round % 9);
            let by = SOLVERS[round % SOLVERS.len()];
            let layout = layout(round / SOLVERS.len());
            let Some((bounds, certificate)) = certify(&mut *session, by, layout) else { continue };
            let what = format!("{name} {} by {}", session.position(), by.word());
            let read = Certificate::read(&certificate.bytes()).unwrap();
            assert_eq!(read, certificate, "{what}");
            let checked = check(&read, &check::Limits::default());
            assert!(checked.is_ok(), "{what}: {checked:?}");
            let claims: Vec<Claim> = read.header.claims.iter().map(|part| part.claim()).collect();
            let all = game.values();
            let first = Claim { claimant: Player::First, value: bounds.lo };
            let second = Claim { claimant: Player::Second, value: bounds.hi };
            assert_eq!(claims.contains(&first), bounds.lo > all.lo, "{what}");
            assert_eq!(claims.contains(&second), bounds.hi < all.hi, "{what}");
            count += 1;
        }
    }
    assert!(count > rounds(10_000), "{count}");
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

fn change(claim: &mut Claim, blocks: &mut [Answers], rng: &mut Rng) {
    let block = rng.random_range(0..blocks.len());
    let answers = &mut blocks[block];
    let at = rng.random_range(0..answers.symbols.len().max(1));
    match rng.random_range(0..9) {
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
        _ if !answers.symbols.is_empty() => {
            answers.symbols[at] = rng.random_range(1..6);
        }
        _ => claim.value += 1,
    }
}

#[test]
fn mutants_are_refused_or_true() {
    let (mut refused, mut proofs) = (0, 0);
    for (seed, name) in GAMES.iter().enumerate() {
        let game = open(name).unwrap();
        let mut session = game.session();
        let mut rng = Rng::seed_from_u64(100 + seed as u64);
        for round in 0..rounds(75) as usize {
            wander(&mut *session, &mut rng, 1 + round % 8);
            let limits = Limits { nodes: Some(MINIMAX_NODES), ..Limits::default() };
            let truth = session.solve(&How::new(By::Minimax), &limits, &|_| {}).bounds;
            let Some(value) = truth.value() else { continue };
            let Some((_, certificate)) = certify(&mut *session, By::AlphaBeta, layout(round))
            else {
                continue;
            };
            for _ in 0..20 {
                let mutant = mutant(&certificate, &mut rng);
                match check(&mutant, &check::Limits::default()) {
                    Err(_) => refused += 1,
                    Ok(_) => {
                        for part in &mutant.header.claims {
                            let claim = part.claim();
                            assert!(claim.is_kept_by(value), "{name}: {value} {mutant:?}");
                        }
                        proofs += 1;
                    }
                }
            }
        }
    }
    assert!(refused > rounds(8_000) && proofs > rounds(100), "{refused} {proofs}");
    assert!(refused + proofs > rounds(10_000), "{refused} {proofs}");
}

/// Every byte matters: a file with one changed, or cut, or with more, is refused.
#[test]
fn damaged_files_are_refused() {
    let game = open("connect4 4x4").unwrap();
    let mut session = game.session();
    wander(&mut *session, &mut Rng::seed_from_u64(3), 9);
    let (_, certificate) = certify(&mut *session, By::AlphaBeta, Layout::default()).unwrap();
    let bytes = certificate.bytes();
    let accepted = |bytes: &[u8]| {
        Certificate::read(bytes).and_then(|c| check(&c, &check::Limits::default())).is_ok()
    };
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

impl<G: Game> Advisor<G> for Liar {
    fn advise(&mut self, _: &G::Position, _: G::Key, list: &MoveList<G::Move>) -> Option<G::Move> {
        Some(list.scored()[self.rng.random_range(0..list.len())].mv)
    }
}

/// Lets a liar write certificates of a game, for claims true and false. Returns how many there were, and
/// how many were proofs.
struct Lie(u64);

impl Visitor for Lie {
    type Output = (usize, usize);

    fn visit<G: Game>(self, game: G) -> (usize, usize) {
        let mut rng = Rng::seed_from_u64(self.0);
        let (mut lies, mut proofs) = (0, 0);
        for round in 0..rounds(200) as usize {
            let mut line = vec![game.start()];
            while let Some(p) = line.last()
                && game.outcome(p).is_none()
            {
                let mut list = MoveList::new();
                game.moves(p, &mut list);
                line.push(game.play(p, list.scored()[rng.random_range(0..list.len())].mv));
            }
            let p = line[line.len().saturating_sub(1 + round % 5)];
            let claimant = [Player::First, Player::Second][round % 2];
            let claim = Claim { claimant, value: rng.random_range(-1..=1) };
            let limits = Limits { nodes: Some(MINIMAX_NODES), ..Limits::default() };
            let truth = zermelo_search::minimax::solve(&game, &p, &limits, &|_| {});
            let Some(value) = truth.bounds.value() else { continue };
            let mut advisor = Liar::new(rng.random());
            let layout = Layout { block: 3, ..layout(round) };
            let Ok(answers) = write(Rules::of(&game), &p, claim, layout, &mut advisor) else {
                lies += 1;
                continue;
            };
            let mut certificate = Certificate::new(
                game.name(),
                game.position_text(&p),
                layout.search,
                Made::default(),
            );
            certificate.add(claim, answers);
            let checked = check_game(&game, &certificate, &check::Limits::default(), None);
            assert!(checked.is_err() || claim.is_kept_by(value), "{} {claim:?}", game.name());
            proofs += usize::from(checked.is_ok());
        }
        (lies, proofs)
    }
}

#[test]
fn solvers_that_lie_prove_nothing_false() {
    let (mut lies, mut proofs) = (0, 0);
    for (seed, name) in GAMES.iter().enumerate() {
        let (l, p) = zermelo_games::open(name, Lie(seed as u64)).unwrap();
        (lies, proofs) = (lies + l, proofs + p);
    }
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
        for claimant in [Player::First, Player::Second] {
            for claimed in -1..=1 {
                let claim = Claim { claimant, value: claimed };
                let mut advisor = Liar::new(seed);
                let search = if seed % 2 == 0 { 0 } else { 6 };
                let layout = Layout { block: 2, search, smaller: seed % 3 == 0 };
                let Ok(answers) =
                    write(Rules::of(&graph), &graph.start(), claim, layout, &mut advisor)
                else {
                    continue;
                };
                let mut certificate = Certificate::new(
                    graph.name(),
                    graph.position_text(&graph.start()),
                    search,
                    Made::default(),
                );
                certificate.add(claim, answers);
                let checked = check_game(&graph, &certificate, &check::Limits::default(), None);
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
        let mut c = Certificate::new(format!("graph {text}"), "a".into(), 0, Made::default());
        let positions = symbols.len() as u64;
        c.add(claim, vec![Answers { starts: vec!["a".into()], positions, symbols }]);
        check_game(&graph, &c, &check::Limits::default(), None)
    };
    let draw = Claim { claimant: Player::First, value: 0 };
    assert!(certificate(draw, vec![Answer::Play(0).number() as u8]).is_ok());
    let win = Claim { claimant: Player::First, value: 1 };
    let Err(Refusal::Wrong { why, .. }) = certificate(win, vec![Answer::Play(0).number() as u8])
    else {
        panic!("a win")
    };
    assert!(why.contains("circle"), "{why}");
}
