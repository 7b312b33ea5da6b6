//! Boxed games are the games inside: they keep all laws, and searches visit the same nodes.

use zermelo_game::boxed::{
    BoxShape, ByteMove, BytePosition, Medium, Pass, Small, boxed, boxed_with,
};
use zermelo_game::conformance::{Effort, Kit};
use zermelo_game::{
    Ablation, Game, History, Knowledge, Limits, MoveList, Notation, Superko, SuperkoKnowledge,
    Threats, Words,
};
use zermelo_games::Visitor;
use zermelo_games::atarigo::{AtariGo, AtariGoKnowledge};
use zermelo_games::clobber::{Clobber, ClobberKnowledge};
use zermelo_games::domineering::{Domineering, DomineeringKnowledge, Way};
use zermelo_games::loa::{Loa, LoaKnowledge};
use zermelo_games::mnk::{Mnk, MnkKnowledge};
use zermelo_games::nogo::{NoGo, NoGoKnowledge};
use zermelo_search::alphabeta;
use zermelo_search::engine::Task;
use zermelo_search::engines::{Abilities, ByThreats, EngineSettings, Make};
use zermelo_search::loops::InnerLoops;
use zermelo_search::proofnumber::{dfpn, lambda, pns};

// ---- Laws -------------------------------------------------------------------------------------

/// Boxes each game that can be boxed and checks it; says whether it could.
struct Conforms;

/// The largest of shapes holds whatever fits a smaller one, so that all games can be boxed in it.
fn conforms<R: Notation, K: Knowledge<R>>(rules: R, knowledge: K, pass: Option<Pass<R>>) -> bool {
    fn kit<R: Notation, K: Knowledge<R>, S: BoxShape<Key = R::Key>>(
        rules: R,
        knowledge: K,
        pass: Option<Pass<R>>,
    ) -> bool {
        let threats = pass.is_some();
        let (rules, knowledge) = boxed_with::<R, K, S>(rules.into(), knowledge, pass, None);
        let kit = Kit::new(&rules, &knowledge);
        let kit = kit.effort(Effort { games: 8, minimax_nodes: 1000, ..Effort::default() });
        if threats {
            kit.threats().assert()
        } else {
            kit.assert()
        }
        true
    }
    if R::CYCLIC {
        kit::<R, K, Medium<R::Key, true>>(rules, knowledge, pass)
    } else {
        kit::<R, K, Medium<R::Key, false>>(rules, knowledge, pass)
    }
}

impl Visitor for Conforms {
    type Output = bool;

    fn visit<R: Notation, K: Knowledge<R>>(self, rules: R, knowledge: K) -> bool {
        conforms(rules, knowledge, None)
    }

    fn visit_threats<R: Notation + Threats, K: Knowledge<R>>(self, rules: R, knowledge: K) -> bool {
        conforms(rules, knowledge, Some(R::pass))
    }

    fn visit_superko<R: Notation + Superko, K: SuperkoKnowledge<R>>(self, _: R, _: K) -> bool {
        false
    }
}

#[test]
fn boxed_games_keep_the_laws() {
    let small = ["mnk 4x4x3", "nogo 3x4", "atarigo 3x3", "clobber 3x3", "breakthrough 4x3"];
    let more = ["domineering 4x4 misere", "loa 4x4", "kalah 3x2", "awari 2x2", "connect4 4x4"];
    let wide = ["mnk 6x6x4", "nogo 6x6", "atarigo 6x6", "clobber 6x6", "breakthrough 8x7"];
    let wider = ["knightthrough 7x7", "domineering 8x8", "domineering 9x9", "loa 6x6"];
    let examples = zermelo_games::entries().iter().map(|entry| entry.example);
    let mut refused = Vec::new();
    for name in [&small[..], &more, &wide, &wider].concat().into_iter().chain(examples) {
        if !zermelo_games::open(name, Conforms).unwrap_or_else(|e| panic!("{e}")) {
            refused.push(name.split(' ').next().unwrap());
        }
    }
    // The kit asks for the boards themselves, which only the game inside can tell; certificates and sessions of Go test it boxed.
    assert_eq!(refused, ["go"]);
}

// ---- The same nodes ---------------------------------------------------------------------------

/// Counts lines of play, and what is known along them, as one number.
fn perft<R: Notation, K: Knowledge<R>>(game: Game<R, K>, p: &R::Position, plies: u32) -> u64 {
    let mut sum = 1u64;
    let mut mix =
        |x: u64| sum = sum.rotate_left(5).wrapping_add(x).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mut list = MoveList::new();
    let outcome = game.expand(p, &mut list);
    let bounds = game.static_bounds(p);
    let canonical = game.canonical(p);
    mix(outcome.map_or(9, |v| v as u64));
    mix(bounds.lo as u64);
    mix(bounds.hi as u64);
    mix(game.plies_left(p).into());
    mix(game.key(&canonical).word(0));
    mix(game.symmetry_key(p).word(0));
    mix(game.leaf_numbers(p, 1).map_or(0, |(a, b)| u64::from(a) * 1000 + u64::from(b)));
    for m in list.iter() {
        mix(game.code(m) as u64);
        mix(game.pattern(p, m) as u64);
        mix(game.map_move_code(p, game.key(p), game.code(m)).map_or(77, |code| code as u64));
    }
    if plies == 0 || outcome.is_some() {
        return sum;
    }
    let turn = game.turn(p);
    if !bounds.is_exact() || game.prunes_candidates() {
        let mut candidates = MoveList::new();
        mix(game.candidate_moves(p, &mut candidates) as u64);
        for s in candidates.scored() {
            mix(game.code(s.mv) as u64);
            mix(s.score as u64);
        }
    }
    let sure = game.proving_move(p, bounds.seen_by(turn).lo);
    mix(sure.map_or(99, |m| game.code(m) as u64));
    for m in list.iter() {
        mix(perft(game, &game.play(p, m), plies - 1));
    }
    sum
}

/// What an engine answers, and what that costs, in words.
fn solve<R: Notation, K: Knowledge<R>>(
    game: Game<R, K>,
    abilities: Abilities<R, K>,
    settings: &impl EngineSettings,
) -> String {
    let limits = Limits { nodes: Some(30_000), memory: 256 << 20, ..Limits::default() };
    let loops = Some(InnerLoops::own());
    let make =
        Make { game, loops, ablation: Ablation::NOTHING, limits: &limits, abilities, shared: None };
    let p = game.start();
    let history = History::free();
    let task = Task { position: &p, past: &[], history: &history, initial: None, limits: &limits };
    let report = settings.engine(make).solve(&task, &|_| {});
    let mut line = String::new();
    let mut now = p;
    for &m in &report.line {
        line = line + " " + &game.move_text(&now, m);
        now = game.play(&now, m);
    }
    let (stats, stop) = (report.stats, report.stop);
    format!("{} {line} {stop:?} {} {}", report.bounds, stats.nodes, stats.evaluations)
}

/// What all engines answer.
fn all<R: Notation, K: Knowledge<R>>(game: Game<R, K>, abilities: Abilities<R, K>) -> Vec<String> {
    let mut all = vec![
        game.full_name(),
        game.rules_text(),
        game.position_text(&game.start()),
        game.picture(&game.start()).to_text(),
        format!("{:x}", perft(game, &game.start(), 4)),
        solve(game, abilities, &alphabeta::Config::default()),
        solve(game, abilities, &dfpn::Config::default()),
        solve(game, abilities, &pns::Config::default()),
    ];
    if abilities.threats.is_some() {
        all.push(solve(game, abilities, &lambda::Config::default()));
    }
    all
}

/// A game, boxed and not.
fn compare<R, K, S>(rules: R, knowledge: impl Fn(&R) -> K)
where
    R: Notation + Clone,
    K: Knowledge<R>,
    S: BoxShape<Key = R::Key>,
{
    let own = all(Game::new(&rules, &knowledge(&rules)), Abilities::default());
    let kn = knowledge(&rules);
    let (rules, knowledge) = boxed::<R, K, S>(rules.into(), kn);
    assert_eq!(all(Game::new(&rules, &knowledge), Abilities::default()), own);
}

/// The same with threats.
fn compare_threats<R, K>(rules: R, knowledge: impl Fn(&R) -> K)
where
    R: Notation + Threats + Clone,
    K: Knowledge<R>,
{
    let abilities = Abilities { superko: None, threats: Some(&ByThreats) };
    let own = all(Game::new(&rules, &knowledge(&rules)), abilities);
    let kn = knowledge(&rules);
    let (boxed, boxed_knowledge) =
        boxed_with::<R, K, Small<R::Key, false>>(rules.into(), kn, Some(R::pass), None);
    let abilities = Abilities { superko: None, threats: Some(&ByThreats) };
    assert_eq!(all(Game::new(&boxed, &boxed_knowledge), abilities), own);
}

#[test]
fn searches_visit_the_same_nodes() {
    type Line = Small<u64, false>;
    compare::<_, _, Line>(NoGo::<u64>::new(3, 4), NoGoKnowledge::new);
    compare::<_, _, Line>(Clobber::<u64>::new(3, 4), ClobberKnowledge::new);
    let domineering = Domineering::<u64, u64>::new(4, 5, Way::Upright, false);
    compare::<_, _, Medium<u64, false>>(domineering, DomineeringKnowledge::new);
    compare::<_, _, Small<u64, true>>(Loa::<u64>::new(4, 4), |_| LoaKnowledge);
    compare_threats(Mnk::<u64>::new(4, 4, 4), MnkKnowledge::new);
    compare_threats(AtariGo::<u64>::new(3, 4), AtariGoKnowledge::new);
}

/// Trees of positions hold as many as there is memory for.
#[test]
fn positions_are_small() {
    fn sizes<S: BoxShape>() -> (usize, usize) {
        (size_of::<BytePosition<S>>(), size_of::<ByteMove<S>>())
    }
    assert_eq!(sizes::<Small<u64, true>>(), (32, 16));
    assert_eq!(sizes::<Small<u128, false>>(), (64, 16));
}
