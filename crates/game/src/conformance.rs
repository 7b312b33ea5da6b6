//! The conformance kit: does a game keep the laws of rules, notation and knowledge?
//!
//! [`check`] plays random games and tests every position it meets. A failure names the law, the
//! game and the position. Positions near the end are also solved by the plainest minimax, so that
//! static bounds and left-out moves are compared with true values.

use crate::{
    Bounds, BySuperko, Footprint, Game, History, Key, Knowledge, LastMover, MoveList, Notation,
    Picture, Rules, Superko, SuperkoKnowledge, SuperkoRule, Threats, Value, Words,
};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rustc_hash::FxHashMap;
use std::fmt;

/// How often a test on random positions or graphs goes round: a fifth of `full`, or all of it where the environment
/// has `ZERMELO_TESTS=full`.
#[must_use]
pub fn rounds(full: u64) -> u64 {
    match std::env::var_os("ZERMELO_TESTS") {
        Some(how) if how == "full" => full,
        _ => full.div_ceil(5),
    }
}

/// A law that a game breaks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Broken {
    /// The law.
    pub law: &'static str,
    /// The game.
    pub game: String,
    /// Where and how.
    pub detail: String,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} breaks the law \"{}\": {}", self.game, self.law, self.detail)
    }
}

impl std::error::Error for Broken {}

/// How much to try.
#[derive(Clone, Debug)]
pub struct Effort {
    /// Random games.
    pub games: u32,
    /// Plies a random game may last (games that repeat can go on for ever).
    pub plies: u32,
    /// Nodes plain minimax may spend on a position before it is left alone.
    pub minimax_nodes: u64,
    /// The seed.
    pub seed: u64,
}

impl Default for Effort {
    fn default() -> Effort {
        Effort { games: 100, plies: 400, minimax_nodes: 3_000, seed: 1913 }
    }
}

/// Checks every law of rules, notation and knowledge on random games.
///
/// # Panics
/// If a law is broken; the message names it.
pub fn check<R: Notation, K: Knowledge<R>>(rules: &R, knowledge: &K) {
    Kit::new(rules, knowledge).assert();
}

/// What to check, and how much.
pub struct Kit<'g, R: Notation, K: Knowledge<R>> {
    game: Game<'g, R, K>,
    effort: Effort,
    pass: Option<Pass<R>>,
    superko: SuperkoRule<R>,
    claims: Option<Claims<'g, R, K>>,
    symmetry: bool,
    starts: Vec<R::Position>,
}

/// [`Threats::pass`].
type Pass<R> = fn(&R, &<R as Rules>::Position) -> Option<<R as Rules>::Position>;
/// The laws of [`SuperkoKnowledge`], at a position of this value.
type Claims<'g, R, K> = fn(&Laws<'g, R, K>, &<R as Rules>::Position, Value) -> Result<(), Broken>;

impl<'g, R: Notation, K: Knowledge<R>> Kit<'g, R, K> {
    /// The laws of rules, notation and knowledge.
    #[must_use]
    pub fn new(rules: &'g R, knowledge: &'g K) -> Kit<'g, R, K> {
        let game = Game::new(rules, knowledge);
        let effort = Effort::default();
        let starts = vec![rules.start()];
        Kit { game, effort, pass: None, superko: None, claims: None, symmetry: true, starts }
    }

    /// With random games that begin at these positions in turn, for boards on which a game from the start takes long. There
    /// must be one at least.
    #[must_use]
    pub fn starts(self, starts: Vec<R::Position>) -> Self {
        Kit { starts, ..self }
    }

    /// With a chosen effort.
    #[must_use]
    pub fn effort(self, effort: Effort) -> Self {
        Kit { effort, ..self }
    }

    /// Those of [`Threats`] too.
    #[must_use]
    pub fn threats(self) -> Self
    where
        R: Threats,
    {
        Kit { pass: Some(R::pass), ..self }
    }

    /// Those of [`Superko`] too.
    #[must_use]
    pub fn superko(self) -> Self
    where
        R: Superko,
        K: SuperkoKnowledge<R>,
    {
        Kit { superko: Some(&BySuperko), claims: Some(Laws::claims), ..self }
    }

    /// For knowledge from which symmetry is [left out](crate::Ablation::symmetry): every position is its own canonical
    /// position, so that images have different ones.
    #[must_use]
    pub fn without_symmetry(self) -> Self {
        Kit { symmetry: false, ..self }
    }

    /// Checks all of it.
    ///
    /// # Panics
    /// If a law is broken; the message names it.
    pub fn assert(self) {
        if let Err(broken) = self.check() {
            panic!("{broken}");
        }
    }

    /// Checks all of it and returns the first law that is broken.
    pub fn check(self) -> Result<(), Broken> {
        let Kit { game, effort, pass, superko, claims, symmetry, starts } = self;
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(effort.seed);
        assert_eq!(R::SUPERKO, superko.is_some(), "{}: SUPERKO goes with superko()", game.name());
        let seen = FxHashMap::default();
        let mut laws = Laws { game, seen, effort: effort.clone(), pass, superko, claims, symmetry };
        let law = "versions of rules begin with 1";
        laws.require(game.rules_version() >= 1, law, &game.start(), String::new)?;
        for start in starts.iter().cycle().take(effort.games as usize) {
            let mut p = *start;
            let mut line: Vec<(R::Position, u32)> = Vec::new();
            let mut history = History::of(game.rules(), superko, &p);
            for ply in 0..effort.plies {
                laws.position(&p)?;
                line.push((p, game.plies_left(&p)));
                if game.outcome(&p).is_some() {
                    break;
                }
                let mut list = MoveList::new();
                history.moves(game.rules(), &p, &mut list);
                let m = list.scored()[rng.random_range(0..list.len())].mv;
                let next = game.play(&p, m);
                history.push(game.rules(), &next);
                for (back, &(q, left)) in line.iter().rev().enumerate() {
                    if !R::CYCLIC && next == q {
                        return laws.broken("a game that is not CYCLIC never repeats", &next, "");
                    }
                    if back as u32 + 1 > left {
                        let detail = format!("{left} plies promised at ply {}", ply - back as u32);
                        return laws.broken("no line is longer than plies_left", &next, &detail);
                    }
                }
                p = next;
            }
        }
        Ok(())
    }
}

struct Laws<'g, R: Notation, K: Knowledge<R>> {
    game: Game<'g, R, K>,
    seen: FxHashMap<R::Key, R::Position>,
    effort: Effort,
    pass: Option<Pass<R>>,
    superko: SuperkoRule<R>,
    claims: Option<Claims<'g, R, K>>,
    symmetry: bool,
}

impl<R: Notation, K: Knowledge<R>> Laws<'_, R, K> {
    fn broken(&self, law: &'static str, p: &R::Position, detail: &str) -> Result<(), Broken> {
        let detail = format!("at \"{}\" {detail}", self.game.position_text(p));
        Err(Broken { law, game: self.game.name(), detail })
    }

    fn require(
        &self,
        holds: bool,
        law: &'static str,
        p: &R::Position,
        detail: impl FnOnce() -> String,
    ) -> Result<(), Broken> {
        if holds { Ok(()) } else { self.broken(law, p, &detail()) }
    }

    fn position(&mut self, p: &R::Position) -> Result<(), Broken> {
        self.key(p)?;
        self.text(p)?;
        self.statics(p)?;
        self.moves(p)?;
        self.symmetry(p)?;
        self.pass(p)?;
        self.truth(p)
    }

    fn key(&mut self, p: &R::Position) -> Result<(), Broken> {
        let (key, bits) = (self.game.key(p), self.game.key_bits());
        self.require(
            bits >= 1 && bits <= R::Key::BITS && key.width() <= bits,
            "keys are below 2^key_bits",
            p,
            || format!("key 0x{}, {bits} bits", key.to_hex()),
        )?;
        let other = *self.seen.entry(key).or_insert(*p);
        self.require(other == *p, "different positions have different keys", p, || {
            format!("and \"{}\": key 0x{}", self.game.position_text(&other), key.to_hex())
        })
    }

    fn text(&self, p: &R::Position) -> Result<(), Broken> {
        let text = self.game.position_text(p);
        let back = self.game.parse_position(&text);
        self.require(back.as_ref() == Ok(p), "a position's text is read back", p, || {
            format!("gives {back:?}")
        })?;
        self.require(!text.contains('\n'), "a position's text is one line", p, String::new)?;
        let picture = self.game.picture(p);
        self.require(
            picture.to_svg().starts_with("<svg") && !picture.to_text().is_empty(),
            "a position has a picture",
            p,
            String::new,
        )?;
        self.footprints(p, &picture)
    }

    fn footprints(&self, p: &R::Position, picture: &Picture) -> Result<(), Broken> {
        if self.game.outcome(p).is_some() {
            return Ok(());
        }
        let places = picture.places() as u32;
        let mut list = MoveList::new();
        self.game.moves(p, &mut list);
        for m in list.iter() {
            let Some(Footprint { from, to, takes }) = self.game.footprint(p, m) else { continue };
            let inside = [from, Some(to), takes].into_iter().flatten().all(|at| at < places);
            self.require(inside, "footprints lie in the picture", p, || {
                format!("{}, {places} places", self.game.move_text(p, m))
            })?;
        }
        Ok(())
    }

    fn statics(&self, p: &R::Position) -> Result<(), Broken> {
        let (all, known) = (self.game.values(), self.game.static_bounds(p));
        self.require(
            known.lo <= known.hi && all.contains(known.lo) && all.contains(known.hi),
            "static bounds lie in the range of values",
            p,
            || format!("{known} of {all}"),
        )?;
        if let Some(value) = self.game.outcome(p) {
            self.require(all.contains(value), "outcomes lie in the range of values", p, || {
                format!("{value} of {all}")
            })?;
            let law = "static bounds are exact where the game is over";
            self.require(known == Bounds::exact(value), law, p, || {
                format!("outcome {value}, static bounds {known}")
            })?;
        }
        Ok(())
    }

    fn moves(&self, p: &R::Position) -> Result<(), Broken> {
        let game = self.game;
        let mut expanded = MoveList::new();
        let outcome = game.expand(p, &mut expanded);
        let law = "expanding tells the outcome and the moves";
        self.require(outcome == game.outcome(p), law, p, || format!("gives {outcome:?}"))?;
        if outcome.is_some() {
            return Ok(());
        }
        let mut list = MoveList::new();
        game.moves(p, &mut list);
        self.require(expanded.iter().eq(list.iter()), law, p, String::new)?;
        self.require(!list.is_empty(), "a game that is not over has a move", p, String::new)?;
        let moves: Vec<R::Move> = list.iter().collect();
        let texts: Vec<String> = moves.iter().map(|m| game.move_text(p, *m)).collect();
        if let Some(superko) = self.superko {
            let board = |p: &R::Position| superko.board(game.rules(), p);
            let passes = moves.iter().any(|m| board(&game.play(p, *m)) == board(p));
            let law = "where boards must not be repeated, a move leaves the board as it is";
            self.require(passes, law, p, String::new)?;
        }
        let turn = game.turn(p);
        let sure = game.static_bounds(p).seen_by(turn).lo;
        if let Some(m) = game.proving_move(p, sure) {
            let after = game.static_bounds(&game.play(p, m)).seen_by(turn);
            self.require(
                moves.contains(&m) && after.hi >= sure,
                "a proving move is a move and keeps what is sure",
                p,
                || format!("{}: {sure}, then {after}", game.move_text(p, m)),
            )?;
        }
        for (i, &m) in moves.iter().enumerate() {
            let next = game.play(p, m);
            let text = &texts[i];
            let turns = game.turn(&next) == game.turn(p).other();
            self.require(turns, "turns alternate", p, || format!("after {text}"))?;
            let mover = match game.outcome(&next).map(|value| (value * turn.sign()).signum()) {
                Some(1) => Some(LastMover::Winner),
                Some(-1) => Some(LastMover::Loser),
                _ => None,
            };
            let told = game.distance_facts().last_mover;
            let kept = told == LastMover::Either || mover.is_none_or(|mover| mover == told);
            let law = "distances: who makes the last move of a won game";
            self.require(kept, law, p, || format!("not {told:?} after {text}"))?;
            self.require(game.code(m) < game.codes(), "codes are below codes()", p, || {
                format!("{text}: {} of {}", game.code(m), game.codes())
            })?;
            let (pattern, patterns) = (game.pattern(p, m), game.patterns());
            self.require(pattern < patterns, "patterns are below patterns()", p, || {
                format!("{text}: {pattern} of {patterns}")
            })?;
            for (j, &other) in moves.iter().enumerate().take(i) {
                self.require(m != other, "a move is listed once", p, || text.clone())?;
                self.require(
                    game.code(m) != game.code(other),
                    "codes tell moves apart",
                    p,
                    || format!("{text} and {}", texts[j]),
                )?;
                self.require(*text != texts[j], "texts tell moves apart", p, || text.clone())?;
            }
            let back = game.parse_move(p, text);
            self.require(back.as_ref() == Ok(&m), "a move's text is read back", p, || {
                format!("{text} gives {back:?}")
            })?;
            let list = format!("{text} {text}");
            let split = game.split_moves(&list);
            let law = "a list of moves is split into the texts of moves";
            self.require(split == [text.as_str(); 2], law, p, || {
                format!("{list} gives {split:?}")
            })?;
        }
        if !game.static_bounds(p).is_exact() {
            let mut candidates = MoveList::new();
            game.candidate_moves(p, &mut candidates);
            for (i, m) in candidates.iter().enumerate() {
                let law = "candidate moves are legal and listed once";
                let fine = moves.contains(&m) && !candidates.iter().take(i).any(|o| o == m);
                self.require(fine, law, p, || game.move_text(p, m))?;
            }
            let path_dependent = R::CYCLIC && game.repetition().fixed().is_none();
            let law = "where values depend on the line, all moves are candidates";
            self.require(!path_dependent || candidates.len() == moves.len(), law, p, String::new)?;
        }
        Ok(())
    }

    /// The keys of the canonical positions one move away, sorted.
    fn children(&self, p: &R::Position) -> Vec<R::Key> {
        let mut list = MoveList::new();
        if self.game.outcome(p).is_none() {
            self.game.moves(p, &mut list);
        }
        let mut keys: Vec<R::Key> = list
            .iter()
            .map(|m| self.game.key(&self.game.canonical(&self.game.play(p, m))))
            .collect();
        keys.sort_unstable();
        keys
    }

    fn symmetry(&mut self, p: &R::Position) -> Result<(), Broken> {
        let game = self.game;
        let images = game.images(p);
        self.require(images.contains(p), "a position is among its images", p, String::new)?;
        let canonical = game.canonical(p);
        let show = || format!("canonical \"{}\"", game.position_text(&canonical));
        let law = "the canonical position keeps the turn";
        self.require(game.turn(&canonical) == game.turn(p), law, p, show)?;
        let free = !R::CYCLIC || game.repetition().fixed().is_some() || canonical == *p;
        let law = "where values depend on the line, every position is canonical";
        self.require(free, law, p, show)?;
        let law = "the canonical position is its own";
        self.require(game.canonical(&canonical) == canonical, law, p, show)?;
        let law = "without symmetry every position is canonical";
        self.require(self.symmetry || canonical == *p, law, p, show)?;
        // By induction it then has the same distance.
        let law = "distances: the canonical position has the outcome and the moves of the position";
        let kept = !game.distance_facts().canonical_keeps_distance
            || images.contains(&canonical)
            || game.outcome(&canonical) == game.outcome(p)
                && self.children(&canonical) == self.children(p);
        self.require(kept, law, p, show)?;
        if !images.contains(&canonical) {
            self.key(&canonical)?;
            self.text(&canonical)?;
        }
        let symmetry_key = game.symmetry_key(p);
        let law = "a symmetry key is the key of an image";
        self.require(images.iter().any(|q| game.key(q) == symmetry_key), law, p, String::new)?;
        let compared = self.symmetry && images.len() > 1;
        let children = if compared { self.children(p) } else { Vec::new() };
        for q in &images {
            let show = || format!("image \"{}\"", game.position_text(q));
            self.require(game.turn(q) == game.turn(p), "images keep the turn", p, show)?;
            self.require(game.outcome(q) == game.outcome(p), "images keep the outcome", p, show)?;
            let law = "all images have one canonical position";
            self.require(!self.symmetry || game.canonical(q) == canonical, law, p, show)?;
            self.require(
                game.symmetry_key(q) == symmetry_key,
                "all images have one symmetry key",
                p,
                show,
            )?;
            if compared && q != p {
                let law = "images have the same moves";
                self.require(self.children(q) == children, law, p, show)?;
            }
        }
        let named = images.iter().find(|q| game.key(q) == symmetry_key);
        named.map_or(Ok(()), |image| self.mapped_codes(p, symmetry_key, image))
    }

    /// The moves of the image that gives a position its symmetry key, found again in the position by their codes.
    fn mapped_codes(
        &self,
        p: &R::Position,
        symmetry_key: R::Key,
        image: &R::Position,
    ) -> Result<(), Broken> {
        let game = self.game;
        if game.outcome(p).is_some() {
            return Ok(());
        }
        let (mut here, mut there) = (MoveList::new(), MoveList::new());
        game.moves(p, &mut here);
        game.moves(image, &mut there);
        for m in there.iter() {
            let Some(code) = game.map_move_code(p, symmetry_key, game.code(m)) else { continue };
            let after = |q: &R::Position, m| game.symmetry_key(&game.play(q, m));
            let same = here.iter().find(|&o| game.code(o) == code).map(|o| after(p, o));
            let law = "a move of an image is found by its code";
            let show = || format!("{}: {code}", game.move_text(image, m));
            self.require(same == Some(after(image, m)), law, p, show)?;
        }
        Ok(())
    }

    /// A pass hands over and changes nothing else, whichever way the board is turned. What comes of it
    /// keeps the laws that make a position, though play may never reach it.
    fn pass(&mut self, p: &R::Position) -> Result<(), Broken> {
        let game = self.game;
        let Some(pass) = self.pass.filter(|_| game.outcome(p).is_none()) else { return Ok(()) };
        let law = "a game in which players can pass never repeats";
        self.require(!R::CYCLIC, law, p, String::new)?;
        let Some(passed) = pass(game.rules(), p) else { return Ok(()) };
        let show = || format!("passing gives \"{}\"", game.position_text(&passed));
        let hands_over = game.turn(&passed) == game.turn(p).other();
        self.require(hands_over, "passing changes the turn", p, show)?;
        let law = "passing twice gives the position back";
        self.require(pass(game.rules(), &passed) == Some(*p), law, p, show)?;
        let canonical =
            |q: &R::Position| pass(game.rules(), q).map(|passed| game.canonical(&passed));
        let same = || game.images(p).iter().all(|q| canonical(q) == canonical(p));
        self.require(!self.symmetry || same(), "images pass into images", p, show)?;
        self.key(&passed)?;
        self.text(&passed)?;
        self.statics(&passed)?;
        self.truth(&passed)
    }

    /// Compares knowledge with plain minimax where that is quick.
    fn truth(&self, p: &R::Position) -> Result<(), Broken> {
        let game = self.game;
        let mut budget = self.effort.minimax_nodes;
        let history = || History::of(game.rules(), self.superko, p);
        let Some(value) = minimax(game.rules(), p, &mut Vec::new(), &mut history(), &mut budget)
        else {
            return Ok(());
        };
        let canonical = game.canonical(p);
        let mut budget = self.effort.minimax_nodes;
        let mut past = History::of(game.rules(), self.superko, &canonical);
        if let Some(same) =
            minimax(game.rules(), &canonical, &mut Vec::new(), &mut past, &mut budget)
        {
            self.require(same == value, "the canonical position keeps the value", p, || {
                let text = game.position_text(&canonical);
                format!("value {value}, but {same} for \"{text}\"")
            })?;
        }
        let known = game.static_bounds(p);
        self.require(known.contains(value), "static bounds are true", p, || {
            format!("bounds {known}, value {value}")
        })?;
        if let Some(claims) = self.claims {
            claims(self, p, value)?;
        }
        if known.is_exact() {
            return Ok(());
        }
        let turn = game.turn(p);
        let mut list = MoveList::new();
        let mut best = game.candidate_moves(p, &mut list);
        for m in list.iter() {
            let mut budget = self.effort.minimax_nodes;
            let child = game.play(p, m);
            let mut history = history();
            if !history.allows(game.rules(), p, &child) {
                continue;
            }
            history.push(game.rules(), &child);
            match minimax(game.rules(), &child, &mut vec![*p], &mut history, &mut budget) {
                Some(v) => best = best.max(v * turn.sign()),
                None => return Ok(()),
            }
        }
        self.require(best * turn.sign() == value, "candidate moves keep the value", p, || {
            format!("value {value}, by the candidate moves {}", best * turn.sign())
        })
    }
}

impl<R: Notation + Superko, K: SuperkoKnowledge<R>> Laws<'_, R, K> {
    /// Claims are true, and boards are mapped as positions are.
    fn claims(&self, p: &R::Position, value: Value) -> Result<(), Broken> {
        let game = self.game;
        let claimed = game.bounds_after(&History::of(game.rules(), self.superko, p), p);
        self.require(claimed.contains(value), "claims are true", p, || {
            format!("bounds {claimed}, value {value}")
        })?;
        let (canonical, symmetry) = game.canonical_with_transform(p);
        let board = game.map_board(game.board(p), symmetry, false);
        let back = game.map_board(board, symmetry, true);
        self.require(
            board == game.board(&canonical)
                && back == game.board(p)
                && board == game.canonical_board(back),
            "boards are mapped as positions are",
            p,
            || format!("to \"{}\"", game.position_text(&canonical)),
        )
    }
}

/// Lines that are longer are left alone, as they would not fit the stack.
const MAX_DEPTH: usize = 200;

/// The value by the rules alone; `None` when the budget of nodes runs out. `path` holds the
/// positions of the line before `p`, for games that repeat, and `history` the boards up to `p`.
fn minimax<R: Rules>(
    rules: &R,
    p: &R::Position,
    path: &mut Vec<R::Position>,
    history: &mut History<R>,
    budget: &mut u64,
) -> Option<Value> {
    *budget = budget.checked_sub(1)?;
    if path.len() > MAX_DEPTH {
        return None;
    }
    if let Some(value) = rules.outcome(p) {
        return Some(value);
    }
    let mut list = MoveList::new();
    history.moves(rules, p, &mut list);
    let sign = rules.turn(p).sign();
    let mut best: Option<Value> = None;
    path.push(*p);
    for m in list.iter() {
        let next = rules.play(p, m);
        if let Some(at) = path.iter().position(|q| R::CYCLIC && *q == next) {
            let plies = path.len() - at;
            if let Some(value) = rules.repeated(&next, plies) {
                best = best.max(Some(value * sign));
            }
            continue;
        }
        history.push(rules, &next);
        let value = minimax(rules, &next, path, history, budget)? * sign;
        history.pop();
        best = best.max(Some(value));
    }
    path.pop();
    best.map(|b| b * sign).or(rules.repetition().stuck())
}
