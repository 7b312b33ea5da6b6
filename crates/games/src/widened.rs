//! Any game with longer keys, for tests of what stores keys: tables, sets and files.

use zermelo_game::{
    Bits, Bounds, DistanceFacts, Footprint, Guard, GuardedClaim, Images, Knowledge, MoveList,
    Notation, ParseError, Picture, Player, Repetition, Rules, Soon, Superko, SuperkoKnowledge,
    Threats, Value, Wide, Words,
};

/// The same game with keys of `N` words: each bit of a key has a place in the longer one, whose other bits are all set.
pub struct Widened<R, const N: usize> {
    rules: R,
    places: Vec<u32>,
    key_bits: u32,
    others: Wide<N>,
}

impl<R: Rules, const N: usize> Widened<R, N> {
    /// A game with keys of so many bits. `place` says where bits go.
    ///
    /// # Panics
    /// If two bits go to one place, or one beyond the key.
    #[must_use]
    pub fn new(rules: R, key_bits: u32, place: impl Fn(u32) -> u32) -> Widened<R, N> {
        let places: Vec<u32> = (0..rules.key_bits()).map(place).collect();
        let mut others = Wide::first(key_bits);
        for &place in &places {
            assert!(place < key_bits && others.has(place), "bit {place} is not free");
            others ^= Wide::cell(place);
        }
        Widened { rules, places, key_bits, others }
    }

    /// The game itself.
    #[must_use]
    pub fn rules(&self) -> &R {
        &self.rules
    }

    fn widen(&self, key: R::Key) -> Wide<N> {
        let set = |i: usize| key.word(i / 64) >> (i % 64) & 1 == 1;
        let places = self.places.iter().enumerate();
        places.fold(
            self.others,
            |wide, (i, &place)| {
                if set(i) { wide | Wide::cell(place) } else { wide }
            },
        )
    }

    fn narrow(&self, key: Wide<N>) -> R::Key {
        R::Key::from_words(|word| {
            let places = self.places.iter().skip(64 * word).take(64).enumerate();
            places.fold(0, |bits, (i, &place)| bits | u64::from(key.has(place)) << i)
        })
    }
}

impl<R: Rules, const N: usize> Rules for Widened<R, N> {
    type Position = R::Position;
    type Move = R::Move;
    type Key = Wide<N>;

    const CYCLIC: bool = R::CYCLIC;
    const SUPERKO: bool = R::SUPERKO;

    fn start(&self) -> R::Position {
        self.rules.start()
    }

    fn turn(&self, p: &R::Position) -> Player {
        self.rules.turn(p)
    }

    fn outcome(&self, p: &R::Position) -> Option<Value> {
        self.rules.outcome(p)
    }

    fn moves(&self, p: &R::Position, out: &mut MoveList<R::Move>) {
        self.rules.moves(p, out);
    }

    fn play(&self, p: &R::Position, m: R::Move) -> R::Position {
        self.rules.play(p, m)
    }

    fn key(&self, p: &R::Position) -> Wide<N> {
        self.widen(self.rules.key(p))
    }

    fn code(&self, m: R::Move) -> usize {
        self.rules.code(m)
    }

    fn codes(&self) -> usize {
        self.rules.codes()
    }

    fn key_bits(&self) -> u32 {
        self.key_bits
    }

    fn expand(&self, p: &R::Position, out: &mut MoveList<R::Move>) -> Option<Value> {
        self.rules.expand(p, out)
    }

    fn images(&self, p: &R::Position) -> Images<R::Position> {
        self.rules.images(p)
    }

    fn symmetry_key(&self, p: &R::Position) -> Wide<N> {
        self.widen(self.rules.symmetry_key(p))
    }

    fn map_move_code(&self, p: &R::Position, symmetry_key: Wide<N>, code: usize) -> Option<usize> {
        self.rules.map_move_code(p, self.narrow(symmetry_key), code)
    }

    fn values(&self) -> Bounds {
        self.rules.values()
    }

    fn repetition(&self) -> Repetition {
        self.rules.repetition()
    }

    fn standing(&self, p: &R::Position) -> Value {
        self.rules.standing(p)
    }
}

impl<R: Threats, const N: usize> Threats for Widened<R, N> {
    fn pass(&self, p: &R::Position) -> Option<R::Position> {
        self.rules.pass(p)
    }
}

impl<R: Superko, const N: usize> Superko for Widened<R, N> {
    fn board(&self, p: &R::Position) -> Wide<N> {
        widened_board(self.rules.board(p))
    }

    fn board_before(&self, p: &R::Position) -> Option<Wide<N>> {
        self.rules.board_before(p).map(widened_board)
    }
}

/// A board, whose halves lie farther apart in a longer number.
fn widened_board<B: Bits + Words, const N: usize>(board: B) -> Wide<N> {
    let half = B::CELLS / 2;
    let (low, high) = (board & B::first(half), board >> half);
    low.cast::<Wide<N>>() | high.cast::<Wide<N>>() << (32 * N as u32)
}

/// Undoes [`widened_board`].
fn narrowed_board<B: Bits + Words, const N: usize>(board: Wide<N>) -> B {
    let half = 32 * N as u32;
    let (low, high) = (board & Wide::first(half), board >> half);
    low.cast::<B>() | high.cast::<B>() << (B::CELLS / 2)
}

impl<R: Notation, const N: usize> Notation for Widened<R, N> {
    fn name(&self) -> String {
        self.rules.name()
    }

    fn full_name(&self) -> String {
        self.rules.full_name()
    }

    fn rules_version(&self) -> u32 {
        self.rules.rules_version()
    }

    fn rules_text(&self) -> String {
        self.rules.rules_text()
    }

    fn move_text(&self, p: &R::Position, m: R::Move) -> String {
        self.rules.move_text(p, m)
    }

    fn position_text(&self, p: &R::Position) -> String {
        self.rules.position_text(p)
    }

    fn parse_position(&self, text: &str) -> Result<R::Position, ParseError> {
        self.rules.parse_position(text)
    }

    fn parse_move(&self, p: &R::Position, text: &str) -> Result<R::Move, ParseError> {
        self.rules.parse_move(p, text)
    }

    fn why_illegal(&self, p: &R::Position, text: &str) -> Option<String> {
        self.rules.why_illegal(p, text)
    }

    fn split_moves<'t>(&self, text: &'t str) -> Vec<&'t str> {
        self.rules.split_moves(text)
    }

    fn picture(&self, p: &R::Position) -> Picture {
        self.rules.picture(p)
    }

    fn footprint(&self, p: &R::Position, m: R::Move) -> Option<Footprint> {
        self.rules.footprint(p, m)
    }
}

/// What is known about a game, for the same game with longer keys.
pub struct WidenedKnowledge<K>(pub K);

impl<R: Rules, K: Knowledge<R>, const N: usize> Knowledge<Widened<R, N>> for WidenedKnowledge<K> {
    #[inline(always)]
    fn prunes_candidates(&self) -> bool {
        self.0.prunes_candidates()
    }

    #[inline(always)]
    fn first_candidate_wins(&self) -> bool {
        self.0.first_candidate_wins()
    }

    #[inline(always)]
    fn evaluates(&self) -> bool {
        self.0.evaluates()
    }

    fn distance_facts(&self, rules: &Widened<R, N>) -> DistanceFacts {
        self.0.distance_facts(&rules.rules)
    }

    fn distance_moves(
        &self,
        rules: &Widened<R, N>,
        p: &R::Position,
        out: &mut MoveList<R::Move>,
    ) -> Option<Soon> {
        self.0.distance_moves(&rules.rules, p, out)
    }

    fn canonical(&self, rules: &Widened<R, N>, p: &R::Position) -> R::Position {
        self.0.canonical(&rules.rules, p)
    }

    fn static_bounds(&self, rules: &Widened<R, N>, p: &R::Position) -> Bounds {
        self.0.static_bounds(&rules.rules, p)
    }

    fn proving_move(
        &self,
        rules: &Widened<R, N>,
        p: &R::Position,
        value: Value,
    ) -> Option<R::Move> {
        self.0.proving_move(&rules.rules, p, value)
    }

    fn candidate_moves(
        &self,
        rules: &Widened<R, N>,
        p: &R::Position,
        out: &mut MoveList<R::Move>,
    ) -> Value {
        self.0.candidate_moves(&rules.rules, p, out)
    }

    fn plies_left(&self, rules: &Widened<R, N>, p: &R::Position) -> u32 {
        self.0.plies_left(&rules.rules, p)
    }

    fn leaf_numbers(
        &self,
        rules: &Widened<R, N>,
        p: &R::Position,
        place: u32,
    ) -> Option<(u32, u32)> {
        self.0.leaf_numbers(&rules.rules, p, place)
    }

    fn evaluate(&self, rules: &Widened<R, N>, p: &R::Position) -> i32 {
        self.0.evaluate(&rules.rules, p)
    }

    fn forcing(&self, rules: &Widened<R, N>, p: &R::Position) -> bool {
        self.0.forcing(&rules.rules, p)
    }

    fn pattern(&self, rules: &Widened<R, N>, p: &R::Position, m: R::Move) -> usize {
        self.0.pattern(&rules.rules, p, m)
    }

    fn patterns(&self, rules: &Widened<R, N>) -> usize {
        self.0.patterns(&rules.rules)
    }

    fn lazy_expansion_plies(&self, rules: &Widened<R, N>) -> u32 {
        self.0.lazy_expansion_plies(&rules.rules)
    }
}

impl<R: Superko, K: SuperkoKnowledge<R>, const N: usize> SuperkoKnowledge<Widened<R, N>>
    for WidenedKnowledge<K>
{
    fn claim(
        &self,
        rules: &Widened<R, N>,
        p: &R::Position,
        claimant: Player,
    ) -> GuardedClaim<Wide<N>> {
        let GuardedClaim { value, guard } = self.0.claim(&rules.rules, p, claimant);
        let guard = Guard { all: guard.all.cast(), any: guard.any.cast() };
        GuardedClaim { value, guard }
    }

    fn canonical_with_transform(
        &self,
        rules: &Widened<R, N>,
        p: &R::Position,
    ) -> (R::Position, u8) {
        self.0.canonical_with_transform(&rules.rules, p)
    }

    fn canonical_board(&self, rules: &Widened<R, N>, board: Wide<N>) -> Wide<N> {
        widened_board(self.0.canonical_board(&rules.rules, narrowed_board(board)))
    }

    fn map_board(
        &self,
        rules: &Widened<R, N>,
        board: Wide<N>,
        symmetry: u8,
        inverse: bool,
    ) -> Wide<N> {
        let board = narrowed_board(board);
        widened_board(self.0.map_board(&rules.rules, board, symmetry, inverse))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Visitor;
    use zermelo_game::conformance::Kit;

    struct Conforms;

    impl Visitor for Conforms {
        type Output = ();

        fn visit<R: Notation, K: Knowledge<R>>(self, rules: R, knowledge: K) {
            let game = Widened::<R, 9>::new(rules, 527, |bit| 8 * bit + 3);
            Kit::new(&game, &WidenedKnowledge(knowledge)).assert();
            let key = game.key(&game.start());
            assert_eq!(game.widen(game.narrow(key)), key);
        }

        fn visit_superko<R: Notation + Superko, K: SuperkoKnowledge<R>>(
            self,
            rules: R,
            knowledge: K,
        ) {
            let game = Widened::<R, 3>::new(rules, 130, |bit| 129 - bit);
            Kit::new(&game, &WidenedKnowledge(knowledge)).superko().assert();
        }
    }

    #[test]
    fn they_are_the_same_games() {
        for name in ["tictactoe", "nogo 3x4", "domineering 4x4", "clobber 4x4", "go 2x2"] {
            crate::open(name, Conforms).unwrap();
        }
    }
}
