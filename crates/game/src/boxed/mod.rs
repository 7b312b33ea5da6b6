//! Games behind a pointer: one type for many games, so that whatever is generic over rules is compiled once for all of them.
//!
//! Solvers, checkers and the like are compiled for each type of rules, which is what makes them fast, and what makes
//! programs large. A [`Boxed`] game is slower (every question goes through a pointer) but shares its code with all other
//! boxed games of the same [`BoxShape`]: good for work that is done once a question, for engines that few people use, and for games
//! that few people search. Positions and moves are the bytes of those of the game inside ([`Bytes`]). All answers are those of the game inside, word for word and in the
//! same order, so searches visit the same positions.
//!
//! What does not depend on a position (the range of values, the number of codes) is asked once, when a game is boxed.
//!
//! ```
//! # use zermelo_game::*;
//! # struct Heap(u64);
//! # impl Rules for Heap {
//! #     type Position = (u64, Player);
//! #     type Move = u64;
//! #     type Key = u64;
//! #     fn start(&self) -> (u64, Player) { (self.0, Player::First) }
//! #     fn turn(&self, p: &(u64, Player)) -> Player { p.1 }
//! #     fn outcome(&self, p: &(u64, Player)) -> Option<Value> { (p.0 == 0).then_some(-p.1.sign()) }
//! #     fn moves(&self, p: &(u64, Player), out: &mut MoveList<u64>) { (1..=p.0.min(3)).for_each(|n| out.push(n)); }
//! #     fn play(&self, p: &(u64, Player), n: u64) -> (u64, Player) { (p.0 - n, p.1.other()) }
//! #     fn key(&self, p: &(u64, Player)) -> u64 { p.0 * 2 + p.1.index() as u64 }
//! #     fn code(&self, n: u64) -> usize { n as usize }
//! #     fn codes(&self) -> usize { 4 }
//! # }
//! # impl Notation for Heap {}
//! let (rules, knowledge) = boxed::boxed::<_, _, boxed::Small<u64, false>>(Heap(21).into(), ());
//! conformance::check(&rules, &knowledge);
//! assert_eq!(rules.name(), "heap");
//! ```

mod bytes;
mod inside;

pub use bytes::{BoxStorage, Bytes, Item};

use crate::{
    Boards, Bounds, DistanceFacts, Footprint, Images, Key, Knowledge, MoveList, Notation,
    ParseError, Picture, Player, Repetition, Rules, Soon, SuperkoRule, Threats, Value,
};
use inside::{Inside, Pair};
use std::marker::PhantomData;
use std::sync::Arc;

// ---- Shapes -----------------------------------------------------------------------------------

/// What is known of a boxed game at compile time. Games of one shape share all code.
pub trait BoxShape: Copy + Send + Sync + 'static {
    /// Its keys.
    type Key: Key;
    /// Memory for its positions.
    type Room: BoxStorage;
    /// Memory for its moves.
    type MoveRoom: BoxStorage;
    /// [`Rules::CYCLIC`].
    const CYCLIC: bool;
    /// [`Rules::SUPERKO`].
    const SUPERKO: bool;

    /// Whether games with such rules can have this shape.
    #[must_use]
    fn fits<R: Rules>() -> bool {
        Bytes::<Self::Room>::holds::<R::Position>()
            && Bytes::<Self::MoveRoom>::holds::<R::Move>()
            && (Self::CYCLIC, Self::SUPERKO) == (R::CYCLIC, R::SUPERKO)
    }
}

/// A shape.
pub struct BoxLayout<K, W, M, const CYCLIC: bool, const SUPERKO: bool>(PhantomData<Types<K, W, M>>);

type Types<K, W, M> = fn() -> (K, W, M);

impl<K, W, M, const CYCLIC: bool, const SUPERKO: bool> Clone
    for BoxLayout<K, W, M, CYCLIC, SUPERKO>
{
    fn clone(&self) -> Self {
        *self
    }
}

impl<K, W, M, const CYCLIC: bool, const SUPERKO: bool> Copy
    for BoxLayout<K, W, M, CYCLIC, SUPERKO>
{
}

impl<K: Key, W: BoxStorage, M: BoxStorage, const CYCLIC: bool, const SUPERKO: bool> BoxShape
    for BoxLayout<K, W, M, CYCLIC, SUPERKO>
{
    type Key = K;
    type Room = W;
    type MoveRoom = M;
    const CYCLIC: bool = CYCLIC;
    const SUPERKO: bool = SUPERKO;
}

/// The shape of most games: positions of a few words, and moves of one.
pub type Small<K, const CYCLIC: bool, const SUPERKO: bool = false> =
    BoxLayout<K, <K as Key>::Room, [u64; 1], CYCLIC, SUPERKO>;
/// The shape of games with larger positions.
pub type Medium<K, const CYCLIC: bool, const SUPERKO: bool = false> =
    BoxLayout<K, [u128; 8], [u64; 1], CYCLIC, SUPERKO>;
/// The shape of games with still larger positions or moves.
pub type Large<K, const CYCLIC: bool, const SUPERKO: bool = false> =
    BoxLayout<K, [u128; 32], [u128; 32], CYCLIC, SUPERKO>;
/// The most bytes of a position or a move, in the [largest](Large) shape.
pub const LARGEST: usize = size_of::<[u128; 32]>();

/// A position of a boxed game, with whose turn it is.
pub type BytePosition<S> = Bytes<<S as BoxShape>::Room>;
/// A move of a boxed game.
pub type ByteMove<S> = Bytes<<S as BoxShape>::MoveRoom>;

/// The same position of the boxed game.
#[must_use]
#[inline(always)]
pub fn pack_position<R: Rules, S: BoxShape>(rules: &R, p: R::Position) -> BytePosition<S> {
    Bytes::new(p, rules.turn(&p))
}

/// The same move of the boxed game.
#[must_use]
#[inline(always)]
pub fn pack_move<R: Rules, S: BoxShape>(m: R::Move) -> ByteMove<S> {
    Bytes::new(m, Player::First)
}

// ---- The game outside -------------------------------------------------------------------------

/// The rules of a game behind a pointer. A copy costs next to nothing.
#[derive(Clone)]
pub struct Boxed<S: BoxShape> {
    inside: Arc<dyn Inside<S>>,
    start: BytePosition<S>,
    values: Bounds,
    repetition: Repetition,
    key_bits: u32,
    codes: usize,
    names: Arc<GameNames>,
}

/// What notation says of the game itself.
struct GameNames {
    name: String,
    full_name: String,
    rules_version: u32,
    rules_text: String,
}

/// The knowledge about a game behind a pointer.
#[derive(Clone)]
pub struct BoxedKnowledge<S: BoxShape> {
    inside: Arc<dyn Inside<S>>,
    prunes_candidates: bool,
    first_candidate_wins: bool,
    evaluates: bool,
    distance_facts: DistanceFacts,
    patterns: usize,
    lazy_expansion_plies: u32,
}

/// A game behind a pointer: its rules, and the knowledge about it.
pub type BoxedGame<S> = (Boxed<S>, BoxedKnowledge<S>);

/// [`Threats::pass`] of some rules.
pub type Pass<R> = fn(&R, &<R as Rules>::Position) -> Option<<R as Rules>::Position>;

/// Puts a game behind a pointer.
///
/// # Panics
/// If it does not [fit](BoxShape::fits) into the shape, or boards must not be repeated, which is to be [said](boxed_with).
#[must_use]
pub fn boxed<R, Kn, S>(rules: Arc<R>, knowledge: Kn) -> BoxedGame<S>
where
    R: Notation,
    Kn: Knowledge<R>,
    S: BoxShape<Key = R::Key>,
{
    boxed_with(rules, knowledge, None, None)
}

/// The same for a game that says what a pass would be ([`Threats::pass`]), or in which boards must not be repeated.
///
/// # Panics
/// If the game does not [fit](BoxShape::fits) into the shape, or if there is no superko rule for one that needs it.
#[must_use]
pub fn boxed_with<R, Kn, S>(
    rules: Arc<R>,
    knowledge: Kn,
    pass: Option<Pass<R>>,
    superko: SuperkoRule<R>,
) -> BoxedGame<S>
where
    R: Notation,
    Kn: Knowledge<R>,
    S: BoxShape<Key = R::Key>,
{
    assert_eq!(R::SUPERKO, superko.is_some(), "{}: superko must be told", rules.name());
    let knowledge = boxed_knowledge(rules.clone(), knowledge, pass, superko);
    let start = pack_position::<R, S>(&rules, rules.start());
    let (values, repetition) = (rules.values(), rules.repetition());
    let (key_bits, codes) = (rules.key_bits(), rules.codes());
    let names = Arc::new(GameNames {
        name: rules.name(),
        full_name: rules.full_name(),
        rules_version: rules.rules_version(),
        rules_text: rules.rules_text(),
    });
    let inside = knowledge.inside.clone();
    (Boxed { inside, start, values, repetition, key_bits, codes, names }, knowledge)
}

/// The knowledge alone, for rules that were [boxed](boxed_with) with other knowledge.
///
/// # Panics
/// If the game does not [fit](BoxShape::fits) into the shape.
#[must_use]
pub fn boxed_knowledge<R, Kn, S>(
    rules: Arc<R>,
    knowledge: Kn,
    pass: Option<Pass<R>>,
    superko: SuperkoRule<R>,
) -> BoxedKnowledge<S>
where
    R: Notation,
    Kn: Knowledge<R>,
    S: BoxShape<Key = R::Key>,
{
    assert!(S::fits::<R>(), "{}: boxed in another shape than its own", rules.name());
    let (prunes_candidates, evaluates) = (knowledge.prunes_candidates(), knowledge.evaluates());
    let first_candidate_wins = knowledge.first_candidate_wins();
    let (patterns, distance_facts) = (knowledge.patterns(&rules), knowledge.distance_facts(&rules));
    let lazy_expansion_plies = knowledge.lazy_expansion_plies(&rules);
    let inside = Arc::new(Pair { rules, knowledge, pass, superko });
    BoxedKnowledge {
        inside,
        prunes_candidates,
        first_candidate_wins,
        evaluates,
        distance_facts,
        patterns,
        lazy_expansion_plies,
    }
}

impl<S: BoxShape> Boxed<S> {
    /// Which boards must not be repeated.
    #[must_use]
    pub fn superko(&self) -> SuperkoRule<Boxed<S>> {
        if S::SUPERKO { Some(&BoxedBoards) } else { None }
    }
}

/// The boards of boxed games.
struct BoxedBoards;

impl<S: BoxShape> Boards<Boxed<S>> for BoxedBoards {
    fn board(&self, rules: &Boxed<S>, p: &BytePosition<S>) -> S::Key {
        rules.inside.board(p)
    }

    fn board_before(&self, rules: &Boxed<S>, p: &BytePosition<S>) -> Option<S::Key> {
        rules.inside.board_before(p)
    }
}

impl<S: BoxShape> Rules for Boxed<S> {
    type Position = BytePosition<S>;
    type Move = ByteMove<S>;
    type Key = S::Key;

    const CYCLIC: bool = S::CYCLIC;
    const SUPERKO: bool = S::SUPERKO;

    fn start(&self) -> BytePosition<S> {
        self.start
    }

    #[inline(always)]
    fn turn(&self, p: &BytePosition<S>) -> Player {
        p.player()
    }

    fn outcome(&self, p: &BytePosition<S>) -> Option<Value> {
        self.inside.outcome(p)
    }

    fn moves(&self, p: &BytePosition<S>, out: &mut MoveList<ByteMove<S>>) {
        self.inside.moves(p, out);
    }

    #[inline(always)]
    fn play(&self, p: &BytePosition<S>, m: ByteMove<S>) -> BytePosition<S> {
        self.inside.play(p, m)
    }

    #[inline(always)]
    fn key(&self, p: &BytePosition<S>) -> S::Key {
        self.inside.key(p)
    }

    #[inline(always)]
    fn code(&self, m: ByteMove<S>) -> usize {
        self.inside.code(m)
    }

    #[inline(always)]
    fn codes(&self) -> usize {
        self.codes
    }

    #[inline(always)]
    fn key_bits(&self) -> u32 {
        self.key_bits
    }

    fn expand(&self, p: &BytePosition<S>, out: &mut MoveList<ByteMove<S>>) -> Option<Value> {
        self.inside.expand(p, out)
    }

    fn images(&self, p: &BytePosition<S>) -> Images<BytePosition<S>> {
        self.inside.images(p)
    }

    fn symmetry_key(&self, p: &BytePosition<S>) -> S::Key {
        self.inside.symmetry_key(p)
    }

    fn map_move_code(
        &self,
        p: &BytePosition<S>,
        symmetry_key: S::Key,
        code: usize,
    ) -> Option<usize> {
        self.inside.map_move_code(p, symmetry_key, code)
    }

    #[inline(always)]
    fn values(&self) -> Bounds {
        self.values
    }

    #[inline(always)]
    fn repetition(&self) -> Repetition {
        self.repetition
    }

    fn standing(&self, p: &BytePosition<S>) -> Value {
        self.inside.standing(p)
    }

    fn repeated(&self, p: &BytePosition<S>, plies: usize) -> Option<Value> {
        self.inside.repeated(p, plies)
    }
}

/// Nothing is known of a pass unless the game was boxed [with threats](boxed_with).
impl<S: BoxShape> Threats for Boxed<S> {
    fn pass(&self, p: &BytePosition<S>) -> Option<BytePosition<S>> {
        self.inside.pass(p)
    }
}

impl<S: BoxShape> Notation for Boxed<S> {
    fn name(&self) -> String {
        self.names.name.clone()
    }

    fn full_name(&self) -> String {
        self.names.full_name.clone()
    }

    fn rules_version(&self) -> u32 {
        self.names.rules_version
    }

    fn rules_text(&self) -> String {
        self.names.rules_text.clone()
    }

    fn move_text(&self, p: &BytePosition<S>, m: ByteMove<S>) -> String {
        self.inside.move_text(p, m)
    }

    fn position_text(&self, p: &BytePosition<S>) -> String {
        self.inside.position_text(p)
    }

    fn parse_position(&self, text: &str) -> Result<BytePosition<S>, ParseError> {
        self.inside.parse_position(text)
    }

    fn parse_move(&self, p: &BytePosition<S>, text: &str) -> Result<ByteMove<S>, ParseError> {
        self.inside.parse_move(p, text)
    }

    fn why_illegal(&self, p: &BytePosition<S>, text: &str) -> Option<String> {
        self.inside.why_illegal(p, text)
    }

    fn split_moves<'t>(&self, text: &'t str) -> Vec<&'t str> {
        self.inside.split_moves(text)
    }

    fn picture(&self, p: &BytePosition<S>) -> Picture {
        self.inside.picture(p)
    }

    fn footprint(&self, p: &BytePosition<S>, m: ByteMove<S>) -> Option<Footprint> {
        self.inside.footprint(p, m)
    }
}

impl<S: BoxShape> Knowledge<Boxed<S>> for BoxedKnowledge<S> {
    #[inline(always)]
    fn prunes_candidates(&self) -> bool {
        self.prunes_candidates
    }

    #[inline(always)]
    fn first_candidate_wins(&self) -> bool {
        self.first_candidate_wins
    }

    #[inline(always)]
    fn evaluates(&self) -> bool {
        self.evaluates
    }

    fn distance_facts(&self, _: &Boxed<S>) -> DistanceFacts {
        self.distance_facts
    }

    #[inline(always)]
    fn distance_moves(
        &self,
        _: &Boxed<S>,
        p: &BytePosition<S>,
        out: &mut MoveList<ByteMove<S>>,
    ) -> Option<Soon> {
        self.inside.distance_moves(p, out)
    }

    #[inline(always)]
    fn canonical(&self, _: &Boxed<S>, p: &BytePosition<S>) -> BytePosition<S> {
        self.inside.canonical(p)
    }

    #[inline(always)]
    fn static_bounds(&self, _: &Boxed<S>, p: &BytePosition<S>) -> Bounds {
        self.inside.static_bounds(p)
    }

    fn proving_move(&self, _: &Boxed<S>, p: &BytePosition<S>, value: Value) -> Option<ByteMove<S>> {
        self.inside.proving_move(p, value)
    }

    #[inline(always)]
    fn candidate_moves(
        &self,
        _: &Boxed<S>,
        p: &BytePosition<S>,
        out: &mut MoveList<ByteMove<S>>,
    ) -> Value {
        self.inside.candidate_moves(p, out)
    }

    #[inline(always)]
    fn plies_left(&self, _: &Boxed<S>, p: &BytePosition<S>) -> u32 {
        self.inside.plies_left(p)
    }

    fn leaf_numbers(&self, _: &Boxed<S>, p: &BytePosition<S>, place: u32) -> Option<(u32, u32)> {
        self.inside.leaf_numbers(p, place)
    }

    fn evaluate(&self, _: &Boxed<S>, p: &BytePosition<S>) -> i32 {
        self.inside.evaluate(p)
    }

    fn forcing(&self, _: &Boxed<S>, p: &BytePosition<S>) -> bool {
        self.inside.forcing(p)
    }

    fn pattern(&self, _: &Boxed<S>, p: &BytePosition<S>, m: ByteMove<S>) -> usize {
        self.inside.pattern(p, m)
    }

    fn patterns(&self, _: &Boxed<S>) -> usize {
        self.patterns
    }

    #[inline(always)]
    fn lazy_expansion_plies(&self, _: &Boxed<S>) -> u32 {
        self.lazy_expansion_plies
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scored;
    use crate::conformance::{Effort, Kit};

    /// A heap from which one takes a counter or a third; positions and moves have padding, which nobody may read.
    struct Heap(u8);

    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    struct Place {
        turn: Player,
        counters: u64,
        odd: bool,
    }

    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    struct Take {
        third: bool,
        counters: u32,
    }

    impl Heap {
        fn place(&self, counters: u64, turn: Player) -> Place {
            Place { turn, counters, odd: counters % 2 == 1 }
        }
    }

    impl Rules for Heap {
        type Position = Place;
        type Move = Take;
        type Key = u64;

        fn start(&self) -> Place {
            self.place(self.0.into(), Player::First)
        }

        fn turn(&self, p: &Place) -> Player {
            p.turn
        }

        fn outcome(&self, p: &Place) -> Option<Value> {
            (p.counters == 0).then_some(-p.turn.sign())
        }

        fn moves(&self, p: &Place, out: &mut MoveList<Take>) {
            out.push_scored(Take { third: false, counters: 1 }, 3);
            if p.counters >= 3 {
                out.push_scored(Take { third: true, counters: p.counters as u32 / 3 }, 7);
            }
        }

        fn play(&self, p: &Place, m: Take) -> Place {
            self.place(p.counters - u64::from(m.counters), p.turn.other())
        }

        fn key(&self, p: &Place) -> u64 {
            p.counters * 2 + p.turn.index() as u64
        }

        fn code(&self, m: Take) -> usize {
            m.third.into()
        }

        fn codes(&self) -> usize {
            2
        }
    }

    impl Notation for Heap {
        fn name(&self) -> String {
            format!("heap {}", self.0)
        }

        fn parse_position(&self, text: &str) -> Result<Place, ParseError> {
            let key = u64::from_str_radix(text, 16)
                .map_err(|_| ParseError::new("position", text, 0, "a number"))?;
            Ok(self.place(key / 2, Player::from_index((key % 2) as usize)))
        }
    }

    impl Threats for Heap {
        fn pass(&self, p: &Place) -> Option<Place> {
            Some(Place { turn: p.turn.other(), ..*p })
        }
    }

    type Shape64 = Small<u64, false>;

    #[test]
    fn a_boxed_game_keeps_the_laws() {
        let (rules, knowledge) =
            boxed_with::<_, _, Shape64>(Heap(19).into(), (), Some(Heap::pass), None);
        let effort = Effort { games: 3, minimax_nodes: 100, ..Effort::default() };
        Kit::new(&rules, &knowledge).effort(effort).threats().assert();
        assert_eq!(rules.name(), "heap 19");
        assert_eq!((rules.codes(), rules.key_bits(), rules.values()), (2, 64, Bounds::new(-1, 1)));
        let (rules, _) = boxed::<_, _, Shape64>(Heap(19).into(), ());
        assert_eq!(rules.pass(&rules.start()), None, "nobody has said that it knows passes");
    }

    /// All lines of play, with scores and texts, are those of the game inside.
    #[test]
    fn the_answers_are_those_of_the_game_inside() {
        let (rules, knowledge) = boxed::<_, _, Shape64>(Heap(12).into(), ());
        let mut all = vec![(Heap(12).start(), rules.start())];
        let mut seen = 0;
        while let Some((p, bytes)) = all.pop() {
            seen += 1;
            assert_eq!(format!("{bytes:?}"), format!("{p:?}"));
            assert_eq!((rules.key(&bytes), rules.turn(&bytes)), (Heap(12).key(&p), p.turn));
            let take = Take { third: false, counters: 1 };
            assert_eq!(
                knowledge.pattern(&rules, &bytes, pack_move::<Heap, Shape64>(take)),
                p.turn.index()
            );
            let (mut own, mut boxed) = (MoveList::new(), MoveList::new());
            let outcome = Heap(12).expand(&p, &mut own);
            assert_eq!(rules.expand(&bytes, &mut boxed), outcome);
            assert_eq!(own.len(), boxed.len());
            for (&Scored { mv: m, score }, inside) in own.scored().iter().zip(boxed.scored()) {
                let b = inside.mv;
                assert_eq!((*b.get::<Take>(), inside.score), (m, score));
                assert_eq!(rules.move_text(&bytes, b), Heap(12).move_text(&p, m));
                let next = rules.play(&bytes, b);
                assert!(next == next && next != bytes);
                all.push((Heap(12).play(&p, m), next));
            }
        }
        assert!(seen > 100);
    }

    #[test]
    #[should_panic(expected = "heap 9: boxed in another shape")]
    fn constants_must_be_those_of_the_game() {
        let _ = boxed::<_, _, Small<u64, true>>(Heap(9).into(), ());
    }
}
