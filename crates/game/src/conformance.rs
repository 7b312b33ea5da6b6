//! The conformance kit: does a game keep the laws of [`Game`]?
//!
//! [`check`] plays random games and tests every position it meets. A failure names the law, the
//! game and the position. Positions near the end are also solved by the plainest minimax, so that
//! static bounds and left-out moves are compared with the truth.

use crate::{Bounds, Footprint, Game, History, Key, MoveList, Picture, Value};
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

/// Checks every law on random games.
///
/// # Panics
/// If a law is broken; the message names it.
pub fn check<G: Game>(game: &G) {
    if let Err(broken) = check_with(game, &Effort::default()) {
        panic!("{broken}");
    }
}

/// Checks every law with a chosen effort and returns the first that is broken.
pub fn check_with<G: Game>(game: &G, effort: &Effort) -> Result<(), Broken> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(effort.seed);
    let mut laws = Laws { game, seen: FxHashMap::default(), effort };
    for _ in 0..effort.games {
        let mut p = game.start();
        let mut line: Vec<(G::Position, u32)> = Vec::new();
        let mut history = History::of(game, &p);
        for ply in 0..effort.plies {
            laws.position(&p)?;
            line.push((p, game.plies_left(&p)));
            if game.outcome(&p).is_some() {
                break;
            }
            let mut list = MoveList::new();
            history.moves(game, &p, &mut list);
            let m = list.scored()[rng.random_range(0..list.len())].mv;
            let next = game.play(&p, m);
            history.push(game, &next);
            for (back, &(q, left)) in line.iter().rev().enumerate() {
                if !G::CYCLIC && next == q {
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

struct Laws<'g, G: Game> {
    game: &'g G,
    seen: FxHashMap<G::Key, G::Position>,
    effort: &'g Effort,
}

impl<G: Game> Laws<'_, G> {
    fn broken(&self, law: &'static str, p: &G::Position, detail: &str) -> Result<(), Broken> {
        let detail = format!("at \"{}\" {detail}", self.game.position_text(p));
        Err(Broken { law, game: self.game.name(), detail })
    }

    fn require(
        &self,
        holds: bool,
        law: &'static str,
        p: &G::Position,
        detail: impl FnOnce() -> String,
    ) -> Result<(), Broken> {
        if holds { Ok(()) } else { self.broken(law, p, &detail()) }
    }

    fn position(&mut self, p: &G::Position) -> Result<(), Broken> {
        self.key(p)?;
        self.text(p)?;
        self.statics(p)?;
        self.moves(p)?;
        self.symmetry(p)?;
        self.pass(p)?;
        self.truth(p)
    }

    fn key(&mut self, p: &G::Position) -> Result<(), Broken> {
        let (key, bits) = (self.game.key(p), self.game.key_bits());
        self.require(
            bits >= 1 && bits <= G::Key::BITS && (bits == 128 || key.wide() >> bits == 0),
            "keys are below 2^key_bits",
            p,
            || format!("key {:#x}, {bits} bits", key.wide()),
        )?;
        let other = *self.seen.entry(key).or_insert(*p);
        self.require(other == *p, "different positions have different keys", p, || {
            format!("and \"{}\": key {:#x}", self.game.position_text(&other), key.wide())
        })
    }

    fn text(&self, p: &G::Position) -> Result<(), Broken> {
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

    fn footprints(&self, p: &G::Position, picture: &Picture) -> Result<(), Broken> {
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

    fn statics(&self, p: &G::Position) -> Result<(), Broken> {
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

    fn moves(&self, p: &G::Position) -> Result<(), Broken> {
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
        let moves: Vec<G::Move> = list.iter().collect();
        let texts: Vec<String> = moves.iter().map(|m| game.move_text(p, *m)).collect();
        let passes = |m: &G::Move| game.board(&game.play(p, *m)) == game.board(p);
        let law = "where no board may come back, a move leaves it as it is";
        self.require(!G::SUPERKO || moves.iter().any(passes), law, p, String::new)?;
        let turn = game.turn(p);
        let sure = game.static_bounds(p).seen_by(turn).lo;
        if let Some(m) = game.sure_move(p, sure) {
            let after = game.static_bounds(&game.play(p, m)).seen_by(turn);
            self.require(
                moves.contains(&m) && after.hi >= sure,
                "a sure move is a move and keeps what is sure",
                p,
                || format!("{}: {sure}, then {after}", game.move_text(p, m)),
            )?;
        }
        for (i, &m) in moves.iter().enumerate() {
            let next = game.play(p, m);
            let text = &texts[i];
            let turns = game.turn(&next) == game.turn(p).other();
            self.require(turns, "turns alternate", p, || format!("after {text}"))?;
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
        }
        if !game.static_bounds(p).is_exact() {
            let mut relevant = MoveList::new();
            game.relevant(p, &mut relevant);
            for (i, m) in relevant.iter().enumerate() {
                let law = "relevant moves are legal and listed once";
                let fine = moves.contains(&m) && !relevant.iter().take(i).any(|o| o == m);
                self.require(fine, law, p, || game.move_text(p, m))?;
            }
            let hangs = G::CYCLIC && game.repetition().fixed().is_none();
            let law = "where a value hangs on the line, all moves are relevant";
            self.require(!hangs || relevant.len() == moves.len(), law, p, String::new)?;
        }
        Ok(())
    }

    /// The keys of the canonical positions one move away, sorted.
    fn children(&self, p: &G::Position) -> Vec<G::Key> {
        let mut list = MoveList::new();
        if self.game.outcome(p).is_none() {
            self.game.moves(p, &mut list);
        }
        let mut keys: Vec<G::Key> = list
            .iter()
            .map(|m| self.game.key(&self.game.canonical(&self.game.play(p, m))))
            .collect();
        keys.sort_unstable();
        keys
    }

    fn symmetry(&mut self, p: &G::Position) -> Result<(), Broken> {
        let game = self.game;
        let images = game.images(p);
        self.require(images.contains(p), "a position is among its images", p, String::new)?;
        let canonical = game.canonical(p);
        let show = || format!("canonical \"{}\"", game.position_text(&canonical));
        let law = "the canonical position keeps the turn";
        self.require(game.turn(&canonical) == game.turn(p), law, p, show)?;
        let free = !G::CYCLIC || game.repetition().fixed().is_some() || canonical == *p;
        let law = "where a value hangs on the line, every position is canonical";
        self.require(free, law, p, show)?;
        let law = "the canonical position is its own";
        self.require(game.canonical(&canonical) == canonical, law, p, show)?;
        if !images.contains(&canonical) {
            self.key(&canonical)?;
            self.text(&canonical)?;
        }
        let class = game.class(p);
        let law = "a class is the key of an image";
        self.require(images.iter().any(|q| game.key(q) == class), law, p, String::new)?;
        let children = if images.len() > 1 { self.children(p) } else { Vec::new() };
        for q in &images {
            let show = || format!("image \"{}\"", game.position_text(q));
            self.require(game.turn(q) == game.turn(p), "images keep the turn", p, show)?;
            self.require(game.outcome(q) == game.outcome(p), "images keep the outcome", p, show)?;
            let law = "all images have one canonical position";
            self.require(game.canonical(q) == canonical, law, p, show)?;
            self.require(game.class(q) == class, "all images have one class", p, show)?;
            if q != p {
                let law = "images have the same moves";
                self.require(self.children(q) == children, law, p, show)?;
            }
        }
        let named = images.iter().find(|q| game.key(q) == class);
        named.map_or(Ok(()), |image| self.codes_here(p, class, image))
    }

    /// The moves of the image that gives a position its class, found again in the position by their codes.
    fn codes_here(
        &self,
        p: &G::Position,
        class: G::Key,
        image: &G::Position,
    ) -> Result<(), Broken> {
        let game = self.game;
        if game.outcome(p).is_some() {
            return Ok(());
        }
        let (mut here, mut there) = (MoveList::new(), MoveList::new());
        game.moves(p, &mut here);
        game.moves(image, &mut there);
        for m in there.iter() {
            let Some(code) = game.code_here(p, class, game.code(m)) else { continue };
            let after = |q: &G::Position, m| game.class(&game.play(q, m));
            let same = here.iter().find(|&o| game.code(o) == code).map(|o| after(p, o));
            let law = "a move of an image is found by its code";
            let show = || format!("{}: {code}", game.move_text(image, m));
            self.require(same == Some(after(image, m)), law, p, show)?;
        }
        Ok(())
    }

    /// A pass hands over and changes nothing else, whichever way the board is turned. What comes of it
    /// keeps the laws that make a position, though play may never reach it.
    fn pass(&mut self, p: &G::Position) -> Result<(), Broken> {
        let game = self.game;
        let passed = game.pass(p).filter(|_| game.outcome(p).is_none());
        let law = "a game that can pass says so";
        self.require(passed.is_none() || G::THREATS, law, p, String::new)?;
        let Some(passed) = passed else { return Ok(()) };
        let show = || format!("passing gives \"{}\"", game.position_text(&passed));
        let hands_over = game.turn(&passed) == game.turn(p).other();
        self.require(hands_over, "passing changes the turn", p, show)?;
        let law = "passing twice gives the position back";
        self.require(game.pass(&passed) == Some(*p), law, p, show)?;
        let canonical = |q: &G::Position| game.pass(q).map(|passed| game.canonical(&passed));
        let same = game.images(p).iter().all(|q| canonical(q) == canonical(p));
        self.require(same, "images pass into images", p, show)?;
        self.key(&passed)?;
        self.text(&passed)?;
        self.statics(&passed)?;
        self.truth(&passed)
    }

    /// Compares knowledge with plain minimax where that is quick.
    fn truth(&self, p: &G::Position) -> Result<(), Broken> {
        let game = self.game;
        let mut budget = self.effort.minimax_nodes;
        let history = || History::of(game, p);
        let Some(value) = minimax(game, p, &mut Vec::new(), &mut history(), &mut budget) else {
            return Ok(());
        };
        let canonical = game.canonical(p);
        let mut budget = self.effort.minimax_nodes;
        let mut past = History::of(game, &canonical);
        if let Some(same) = minimax(game, &canonical, &mut Vec::new(), &mut past, &mut budget) {
            self.require(same == value, "the canonical position keeps the value", p, || {
                let text = game.position_text(&canonical);
                format!("value {value}, but {same} for \"{text}\"")
            })?;
        }
        let known = game.static_bounds(p);
        self.require(known.contains(value), "static bounds are true", p, || {
            format!("bounds {known}, value {value}")
        })?;
        if G::SUPERKO {
            let claimed = history().bounds(game, p);
            self.require(claimed.contains(value), "claims are true", p, || {
                format!("bounds {claimed}, value {value}")
            })?;
            let (framed, symmetry) = game.framed(p);
            let board = game.mapped(game.board(p), symmetry, false);
            let back = game.mapped(board, symmetry, true);
            self.require(
                board == game.board(&framed)
                    && back == game.board(p)
                    && board == game.canonical_board(back),
                "boards are mapped as positions are",
                p,
                || format!("to \"{}\"", game.position_text(&framed)),
            )?;
        }
        if known.is_exact() {
            return Ok(());
        }
        let turn = game.turn(p);
        let mut list = MoveList::new();
        let mut best = game.relevant(p, &mut list);
        for m in list.iter() {
            let mut budget = self.effort.minimax_nodes;
            let child = game.play(p, m);
            let mut history = history();
            if !history.allows(game, p, &child) {
                continue;
            }
            history.push(game, &child);
            match minimax(game, &child, &mut vec![*p], &mut history, &mut budget) {
                Some(v) => best = best.max(v * turn.sign()),
                None => return Ok(()),
            }
        }
        self.require(best * turn.sign() == value, "relevant moves keep the value", p, || {
            format!("value {value}, by the relevant moves {}", best * turn.sign())
        })
    }
}

/// Lines that are longer are left alone, as they would not fit the stack.
const MAX_DEPTH: usize = 200;

/// The value by the rules alone; `None` when the budget of nodes runs out. `path` holds the
/// positions of the line before `p`, for games that repeat, and `history` the boards up to `p`.
fn minimax<G: Game>(
    game: &G,
    p: &G::Position,
    path: &mut Vec<G::Position>,
    history: &mut History,
    budget: &mut u64,
) -> Option<Value> {
    *budget = budget.checked_sub(1)?;
    if path.len() > MAX_DEPTH {
        return None;
    }
    if let Some(value) = game.outcome(p) {
        return Some(value);
    }
    let mut list = MoveList::new();
    history.moves(game, p, &mut list);
    let sign = game.turn(p).sign();
    let mut best: Option<Value> = None;
    path.push(*p);
    for m in list.iter() {
        let next = game.play(p, m);
        if let Some(at) = path.iter().position(|q| G::CYCLIC && *q == next) {
            let plies = path.len() - at;
            if let Some(value) = game.repeated(&next, plies) {
                best = best.max(Some(value * sign));
            }
            continue;
        }
        history.push(game, &next);
        let value = minimax(game, &next, path, history, budget)? * sign;
        history.pop();
        best = best.max(Some(value));
    }
    path.pop();
    best.map(|b| b * sign).or(game.repetition().stuck())
}
