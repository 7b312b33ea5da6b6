//! Games with some of what they offer left out, or with more known than they know themselves.
//!
//! [`Altered`] is the same game under the same rules for every solver: with less to help it, to see what each
//! ingredient saves, or with an [`Oracle`], such as an endgame database, whose answers count as static bounds. The values
//! stay, whatever is left out or added; only the cost changes. A game that is as it was costs a
//! branch here and there; so solvers are compiled for altered games only.

use std::sync::Arc;
use zermelo_game::{
    Bounds, Claim, Footprint, Game, Guard, Images, MoveList, Oracle, ParseError, Picture, Player,
    Repetition, Value,
};

/// What is left out.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Without {
    /// Static bounds, relevant moves, and canonical positions that are more than an image: every
    /// line is played to its end by the rules.
    pub knowledge: bool,
    /// Symmetry, and whatever else makes different positions one.
    pub symmetry: bool,
    /// The game's order of moves. (Solvers that learn an order by themselves leave that out too.)
    pub order: bool,
}

impl Without {
    /// Nothing is left out.
    pub const NOTHING: Without = Without { knowledge: false, symmetry: false, order: false };
    /// The bare rules.
    pub const ALL: Without = Without { knowledge: true, symmetry: true, order: true };

    /// Every combination, by its number.
    #[must_use]
    pub const fn numbered(number: usize) -> Without {
        Without { knowledge: number & 1 != 0, symmetry: number & 2 != 0, order: number & 4 != 0 }
    }

    /// The number of the combination, 0 to 7.
    #[must_use]
    pub const fn number(self) -> usize {
        self.knowledge as usize + 2 * self.symmetry as usize + 4 * self.order as usize
    }

    /// What is left out, in words.
    #[must_use]
    pub fn words(self) -> Vec<&'static str> {
        let all =
            [(self.knowledge, "knowledge"), (self.symmetry, "symmetry"), (self.order, "order")];
        all.into_iter().filter_map(|(left_out, word)| left_out.then_some(word)).collect()
    }
}

/// What moves get that the game's own list leaves out.
const LAST: i32 = -0x3FFF;

/// A game as it is, or without some of its parts, or with an oracle.
pub struct Altered<G: Game> {
    game: Arc<G>,
    without: Without,
    oracle: Option<Arc<dyn Oracle<G>>>,
    /// Nothing is left out, nothing added.
    as_it_was: bool,
}

impl<G: Game> Altered<G> {
    /// The game without these parts.
    #[must_use]
    pub fn new(game: Arc<G>, without: Without) -> Altered<G> {
        Altered { game, without, oracle: None, as_it_was: without == Without::NOTHING }
    }

    /// The same, with somebody to ask.
    ///
    /// # Panics
    /// If values hang on the line of play: then no position has a value that an oracle could know.
    #[must_use]
    pub fn with_oracle(self, oracle: Arc<dyn Oracle<G>>) -> Altered<G> {
        let fixed = !G::CYCLIC || self.game.repetition().fixed().is_some();
        assert!(fixed && !G::SUPERKO, "positions of {} have no value of their own", self.name());
        Altered { oracle: Some(oracle), as_it_was: false, ..self }
    }

    /// What the oracle says of a position, if there is one.
    fn told(&self, p: &G::Position) -> Bounds {
        self.oracle
            .as_ref()
            .map_or_else(|| self.game.values(), |oracle| oracle.probe(&self.game, p))
    }

    #[cold]
    #[inline(never)]
    fn altered_canonical(&self, p: &G::Position) -> G::Position {
        match self.without {
            Without { symmetry: true, .. } => *p,
            Without { knowledge: true, .. } => {
                let images = self.game.images(p);
                images.into_iter().min_by_key(|q| self.game.key(q)).unwrap_or(*p)
            }
            _ => self.game.canonical(p),
        }
    }

    #[cold]
    #[inline(never)]
    fn altered_bounds(&self, p: &G::Position) -> Bounds {
        let own = match self.without.knowledge {
            true => self.game.outcome(p).map_or_else(|| self.game.values(), Bounds::exact),
            false => self.game.static_bounds(p),
        };
        if own.is_exact() || self.oracle.is_none() {
            return own;
        }
        match own.meet(self.told(p)) {
            Ok(both) => both,
            Err(error) => {
                panic!("an oracle contradicts the game: {error}, at {}", self.position_text(p))
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn altered_relevant(&self, p: &G::Position, out: &mut MoveList<G::Move>) -> Value {
        let Without { knowledge, order, .. } = self.without;
        if G::SIFTED
            && let Some(value) = self.told(p).value()
        {
            return value * self.game.turn(p).sign();
        }
        let floor = if !knowledge {
            self.game.relevant(p, out)
        } else if G::SIFTED {
            self.sift(p, out)
        } else {
            self.game.moves(p, out);
            self.game.values().seen_by(self.game.turn(p)).lo
        };
        if order {
            out.rescore(|_, _| 0);
        } else if knowledge && out.len() > 1 {
            self.borrow_order(p, out);
        }
        floor
    }

    /// What a game that is [`SIFTED`](Game::SIFTED) promises, by the rules alone: moves that end the
    /// game are not listed but counted in the returned value, and one that wins stands alone.
    fn sift(&self, p: &G::Position, out: &mut MoveList<G::Move>) -> Value {
        let game = &*self.game;
        let (turn, range) = (game.turn(p), game.values().seen_by(game.turn(p)));
        if let Some(value) = game.outcome(p) {
            return value * turn.sign();
        }
        let mut all = MoveList::new();
        game.moves(p, &mut all);
        let mut floor = range.lo;
        for m in all.iter() {
            match game.outcome(&game.play(p, m)) {
                None => out.push(m),
                Some(value) => floor = floor.max(value * turn.sign()),
            }
            if floor == range.hi {
                out.clear();
                out.push(m);
                return floor;
            }
        }
        floor
    }

    /// Gives the moves of `out` the scores of the game's own list, where there is one.
    fn borrow_order(&self, p: &G::Position, out: &mut MoveList<G::Move>) {
        if self.game.static_bounds(p).is_exact() {
            return;
        }
        let mut own = MoveList::new();
        self.game.relevant(p, &mut own);
        let score = |m| own.scored().iter().find(|s| s.mv == m).map_or(LAST, |s| s.score);
        out.rescore(|m, _| score(m));
    }
}

impl<G: Game> Game for Altered<G> {
    type Position = G::Position;
    type Move = G::Move;
    type Key = G::Key;

    const CYCLIC: bool = G::CYCLIC;
    const SIFTED: bool = G::SIFTED;
    const NAMED_WINS: bool = G::NAMED_WINS;
    const SUPERKO: bool = G::SUPERKO;
    const THREATS: bool = G::THREATS;
    const EVALUATED: bool = G::EVALUATED;

    fn name(&self) -> String {
        self.game.name()
    }

    fn full_name(&self) -> String {
        self.game.full_name()
    }

    fn rules(&self) -> String {
        self.game.rules()
    }

    fn start(&self) -> G::Position {
        self.game.start()
    }

    #[inline(always)]
    fn turn(&self, p: &G::Position) -> Player {
        self.game.turn(p)
    }

    #[inline(always)]
    fn outcome(&self, p: &G::Position) -> Option<Value> {
        self.game.outcome(p)
    }

    #[inline(always)]
    fn moves(&self, p: &G::Position, out: &mut MoveList<G::Move>) {
        self.game.moves(p, out);
    }

    #[inline(always)]
    fn play(&self, p: &G::Position, m: G::Move) -> G::Position {
        self.game.play(p, m)
    }

    #[inline(always)]
    fn key(&self, p: &G::Position) -> G::Key {
        self.game.key(p)
    }

    #[inline(always)]
    fn key_bits(&self) -> u32 {
        self.game.key_bits()
    }

    #[inline(always)]
    fn code(&self, m: G::Move) -> usize {
        self.game.code(m)
    }

    fn codes(&self) -> usize {
        self.game.codes()
    }

    fn move_text(&self, p: &G::Position, m: G::Move) -> String {
        self.game.move_text(p, m)
    }

    fn position_text(&self, p: &G::Position) -> String {
        self.game.position_text(p)
    }

    fn parse_position(&self, text: &str) -> Result<G::Position, ParseError> {
        self.game.parse_position(text)
    }

    #[inline(always)]
    fn values(&self) -> Bounds {
        self.game.values()
    }

    fn repetition(&self) -> Repetition {
        self.game.repetition()
    }

    fn standing(&self, p: &G::Position) -> Value {
        self.game.standing(p)
    }

    fn repeated(&self, p: &G::Position, plies: usize) -> Option<Value> {
        self.game.repeated(p, plies)
    }

    #[inline(always)]
    fn board(&self, p: &G::Position) -> u64 {
        self.game.board(p)
    }

    fn board_before(&self, p: &G::Position) -> Option<u64> {
        self.game.board_before(p)
    }

    #[inline(always)]
    fn claim(&self, p: &G::Position, claimant: Player) -> Claim {
        match self.without.knowledge {
            false => self.game.claim(p, claimant),
            true => {
                Claim { value: self.static_bounds(p).seen_by(claimant).lo, guard: Guard::default() }
            }
        }
    }

    #[inline(always)]
    fn framed(&self, p: &G::Position) -> (G::Position, u8) {
        if self.without.symmetry { (*p, 0) } else { self.game.framed(p) }
    }

    #[inline(always)]
    fn canonical_board(&self, board: u64) -> u64 {
        if self.without.symmetry { board } else { self.game.canonical_board(board) }
    }

    #[inline(always)]
    fn mapped(&self, board: u64, symmetry: u8, inverse: bool) -> u64 {
        if self.without.symmetry { board } else { self.game.mapped(board, symmetry, inverse) }
    }

    fn parse_move(&self, p: &G::Position, text: &str) -> Result<G::Move, ParseError> {
        self.game.parse_move(p, text)
    }

    fn picture(&self, p: &G::Position) -> Picture {
        self.game.picture(p)
    }

    fn footprint(&self, p: &G::Position, m: G::Move) -> Option<Footprint> {
        self.game.footprint(p, m)
    }

    fn images(&self, p: &G::Position) -> Images<G::Position> {
        if self.without.symmetry { [*p].into_iter().collect() } else { self.game.images(p) }
    }

    #[inline(always)]
    fn canonical(&self, p: &G::Position) -> G::Position {
        if self.as_it_was { self.game.canonical(p) } else { self.altered_canonical(p) }
    }

    #[inline(always)]
    fn code_here(&self, p: &G::Position, class: G::Key, code: usize) -> Option<usize> {
        self.game.code_here(p, class, code)
    }

    #[inline(always)]
    fn static_bounds(&self, p: &G::Position) -> Bounds {
        if self.as_it_was { self.game.static_bounds(p) } else { self.altered_bounds(p) }
    }

    #[inline(always)]
    fn sure_move(&self, p: &G::Position, value: Value) -> Option<G::Move> {
        if self.without.knowledge { None } else { self.game.sure_move(p, value) }
    }

    #[inline(always)]
    fn relevant(&self, p: &G::Position, out: &mut MoveList<G::Move>) -> Value {
        if self.as_it_was { self.game.relevant(p, out) } else { self.altered_relevant(p, out) }
    }

    fn pass(&self, p: &G::Position) -> Option<G::Position> {
        self.game.pass(p)
    }

    /// They count relevant moves, and rest on their order.
    #[inline(always)]
    fn leaf_numbers(&self, p: &G::Position, place: u32) -> Option<(u32, u32)> {
        match self.without {
            Without { knowledge: false, order: false, .. } => self.game.leaf_numbers(p, place),
            _ => None,
        }
    }

    fn evaluate(&self, p: &G::Position) -> i32 {
        self.game.evaluate(p)
    }

    fn forcing(&self, p: &G::Position) -> bool {
        self.game.forcing(p)
    }

    #[inline(always)]
    fn pattern(&self, p: &G::Position, m: G::Move) -> usize {
        self.game.pattern(p, m)
    }

    fn patterns(&self) -> usize {
        self.game.patterns()
    }

    #[inline(always)]
    fn plies_left(&self, p: &G::Position) -> u32 {
        self.game.plies_left(p)
    }

    #[inline(always)]
    fn hasty_plies(&self) -> u32 {
        self.game.hasty_plies()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::alphabeta::{Config, Solver};
    use zermelo_game::Limits;
    use zermelo_game::conformance::{Effort, check_with};
    use zermelo_games::Visitor;

    struct Conforms(Without);

    impl Visitor for Conforms {
        type Output = ();
        fn visit<G: Game>(self, game: G) {
            let effort = Effort { games: 15, ..Effort::default() };
            let game = Altered::new(Arc::new(game), self.0);
            if let Err(broken) = check_with(&game, &effort) {
                panic!("without {:?}: {broken}", self.0.words());
            }
        }
    }

    #[test]
    fn what_is_left_is_still_a_game() {
        for game in [
            "nogo 3x4",
            "domineering 4x5",
            "domineering 4x4 misere",
            "connect4 4x4",
            "clobber 3x3",
            "go 2x2",
        ] {
            for number in 0..8 {
                let visitor = Conforms(Without::numbered(number));
                zermelo_games::open(game, visitor).unwrap_or_else(|e| panic!("{e}"));
            }
        }
    }

    /// Knows all positions of at most so many plies.
    struct Late(u32);

    impl<G: Game> Oracle<G> for Late {
        fn probe(&self, game: &G, p: &G::Position) -> Bounds {
            match game.plies_left(p) <= self.0 {
                true => crate::minimax::solve(game, p, &Limits::default(), &|_| {}).bounds,
                false => game.values(),
            }
        }
    }

    struct Asked;

    impl Visitor for Asked {
        type Output = [u64; 2];
        fn visit<G: Game>(self, game: G) -> [u64; 2] {
            let game = Arc::new(game);
            let nodes = |game: &Altered<G>| {
                let mut solver = Solver::new(game, Config::default(), Limits::default());
                let report = solver.solve(&game.start(), &|_| {});
                (report.bounds, report.stats.nodes)
            };
            let (value, alone) = nodes(&Altered::new(game.clone(), Without::NOTHING));
            let asking =
                Altered::new(game.clone(), Without::NOTHING).with_oracle(Arc::new(Late(7)));
            let (same, fewer) = nodes(&asking);
            assert_eq!(value, same, "{}", game.name());
            assert!(fewer <= alone, "{}: {fewer} nodes, {alone} without", game.name());
            [fewer, alone]
        }
    }

    #[test]
    fn what_an_oracle_knows_is_not_searched() {
        // In some games the oracle knows only what static bounds know, too.
        let mut saved = 0;
        for game in
            ["mnk 4x4x4", "connect4 4x5", "nogo 4x4", "domineering 5x5", "domineering 5x5 misere"]
        {
            let [fewer, alone] = zermelo_games::open(game, Asked).unwrap_or_else(|e| panic!("{e}"));
            saved += alone - fewer;
        }
        assert!(saved > 0);
    }

    #[test]
    fn combinations_are_numbered() {
        for number in 0..8 {
            assert_eq!(Without::numbered(number).number(), number);
        }
        assert_eq!(Without::NOTHING.number(), 0);
        assert_eq!(Without::ALL.words(), ["knowledge", "symmetry", "order"]);
    }
}
