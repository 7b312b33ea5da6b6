//! Games with some of what they offer left out: what does each ingredient save?
//!
//! [`Ablated`] is the same game under the same rules for every solver, with less to help it. The values
//! stay, whatever is left out; only the cost changes. Compare nodes rather than seconds: the methods here are
//! kept out of line, because every solver is compiled for every game a second time with them.

use std::sync::Arc;
use zermelo_game::{
    Bounds, Claim, Footprint, Game, Guard, Images, MoveList, ParseError, Picture, Player,
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

/// A game without some of its parts.
#[derive(Debug)]
pub struct Ablated<G> {
    game: Arc<G>,
    without: Without,
}

impl<G: Game> Ablated<G> {
    /// The game without these parts.
    #[must_use]
    pub fn new(game: Arc<G>, without: Without) -> Ablated<G> {
        Ablated { game, without }
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

impl<G: Game> Game for Ablated<G> {
    type Position = G::Position;
    type Move = G::Move;
    type Key = G::Key;

    const CYCLIC: bool = G::CYCLIC;
    const SIFTED: bool = G::SIFTED;
    const SUPERKO: bool = G::SUPERKO;

    fn name(&self) -> String {
        self.game.name()
    }

    fn rules(&self) -> String {
        self.game.rules()
    }

    fn start(&self) -> G::Position {
        self.game.start()
    }

    fn turn(&self, p: &G::Position) -> Player {
        self.game.turn(p)
    }

    #[inline(never)]
    fn outcome(&self, p: &G::Position) -> Option<Value> {
        self.game.outcome(p)
    }

    #[inline(never)]
    fn moves(&self, p: &G::Position, out: &mut MoveList<G::Move>) {
        self.game.moves(p, out);
    }

    #[inline(never)]
    fn play(&self, p: &G::Position, m: G::Move) -> G::Position {
        self.game.play(p, m)
    }

    #[inline(never)]
    fn key(&self, p: &G::Position) -> G::Key {
        self.game.key(p)
    }

    fn key_bits(&self) -> u32 {
        self.game.key_bits()
    }

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

    fn values(&self) -> Bounds {
        self.game.values()
    }

    fn repetition(&self) -> Repetition {
        self.game.repetition()
    }

    fn standing(&self, p: &G::Position) -> Value {
        self.game.standing(p)
    }

    fn board(&self, p: &G::Position) -> u64 {
        self.game.board(p)
    }

    fn board_before(&self, p: &G::Position) -> Option<u64> {
        self.game.board_before(p)
    }

    #[inline(never)]
    fn claim(&self, p: &G::Position, claimant: Player) -> Claim {
        match self.without.knowledge {
            false => self.game.claim(p, claimant),
            true => {
                Claim { value: self.static_bounds(p).seen_by(claimant).lo, guard: Guard::default() }
            }
        }
    }

    fn framed(&self, p: &G::Position) -> (G::Position, u8) {
        if self.without.symmetry { (*p, 0) } else { self.game.framed(p) }
    }

    fn canonical_board(&self, board: u64) -> u64 {
        if self.without.symmetry { board } else { self.game.canonical_board(board) }
    }

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

    #[inline(never)]
    fn canonical(&self, p: &G::Position) -> G::Position {
        match self.without {
            Without { symmetry: true, .. } => *p,
            Without { knowledge: true, .. } => {
                let images = self.game.images(p);
                images.into_iter().min_by_key(|q| self.game.key(q)).unwrap_or(*p)
            }
            _ => self.game.canonical(p),
        }
    }

    #[inline(never)]
    fn static_bounds(&self, p: &G::Position) -> Bounds {
        if self.without.knowledge {
            self.game.outcome(p).map_or_else(|| self.game.values(), Bounds::exact)
        } else {
            self.game.static_bounds(p)
        }
    }

    #[inline(never)]
    fn relevant(&self, p: &G::Position, out: &mut MoveList<G::Move>) -> Value {
        let Without { knowledge, order, .. } = self.without;
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

    fn pass(&self, p: &G::Position) -> Option<G::Position> {
        self.game.pass(p)
    }

    /// They count relevant moves, and rest on their order.
    fn leaf_numbers(&self, p: &G::Position, place: u32) -> Option<(u32, u32)> {
        match self.without {
            Without { knowledge: false, order: false, .. } => self.game.leaf_numbers(p, place),
            _ => None,
        }
    }

    fn pattern(&self, p: &G::Position, m: G::Move) -> usize {
        self.game.pattern(p, m)
    }

    fn patterns(&self) -> usize {
        self.game.patterns()
    }

    fn plies_left(&self, p: &G::Position) -> u32 {
        self.game.plies_left(p)
    }

    fn hasty_plies(&self) -> u32 {
        self.game.hasty_plies()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zermelo_game::conformance::{Effort, check_with};
    use zermelo_games::Visitor;

    struct Conforms(Without);

    impl Visitor for Conforms {
        type Output = ();
        fn visit<G: Game>(self, game: G) {
            let effort = Effort { games: 15, ..Effort::default() };
            let game = Ablated::new(Arc::new(game), self.0);
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

    #[test]
    fn combinations_are_numbered() {
        for number in 0..8 {
            assert_eq!(Without::numbered(number).number(), number);
        }
        assert_eq!(Without::NOTHING.number(), 0);
        assert_eq!(Without::ALL.words(), ["knowledge", "symmetry", "order"]);
    }
}
