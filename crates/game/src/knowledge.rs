//! The [`Knowledge`] trait: what solvers are told beside the rules, and [`Game`], rules and knowledge together.
//!
//! Knowledge is a value of its own. It can be replaced and left out: `()` is none. A wrong answer in it is a wrong value, so each
//! piece carries the argument why it is safe, and the conformance kit compares it with plain minimax. A checker of
//! proofs never sees any of it.

use crate::{Bounds, DistanceFacts, MoveList, Rules, Soon, Value};
use std::ops::Deref;

/// Advice and lemmas about the positions of a game. Every method is optional and says what is lost without it.
pub trait Knowledge<R: Rules>: Send + Sync + 'static {
    // ---- What kind of knowledge it is: each always gives the same answer ----------------------

    /// Whether [`candidate_moves`](Self::candidate_moves) looks at the children itself, leaves out those that lose
    /// by their static bounds and returns the win where one wins. Solvers then ask for no static
    /// bounds of children, and call it at any position, finished games included. Without
    /// it: each child is judged by [`static_bounds`](Self::static_bounds), which for costly bounds
    /// does again what `candidate_moves` has done to put the moves in order.
    #[inline(always)]
    fn prunes_candidates(&self) -> bool {
        false
    }

    /// Whether the first move that [`candidate_moves`](Self::candidate_moves) lists gives the value that it returns, where
    /// that is a win. Without it, where [candidates are pruned](Self::prunes_candidates): the move may stand for one that nobody
    /// has looked for, so a player who reads moves from a table first checks the position after it.
    #[inline(always)]
    fn first_candidate_wins(&self) -> bool {
        !self.prunes_candidates()
    }

    /// Whether [`evaluate`](Self::evaluate) says anything. Without it: no heuristic search, and proofs in many
    /// pieces are not led by likely values.
    #[inline(always)]
    fn evaluates(&self) -> bool {
        false
    }

    /// What holds of all distances of the game. Without it: the canonical position keeps the distance, and either player may make
    /// the last move of a won game.
    fn distance_facts(&self, rules: &R) -> DistanceFacts {
        let _ = rules;
        DistanceFacts::default()
    }

    // ---- Lemmas: values depend on them ------------------------------------------------------

    /// The one position that stands for all its images. Solvers search it in place of the position.
    /// Without it: the image with the smallest key, which is right but slow; write it by hand where
    /// speed counts.
    ///
    /// It need not be an image: knowledge may also clear away what no longer matters (stones that can
    /// never move, parts that cancel), as long as turn and value stay, all images lead to the same
    /// position, and that one leads to itself. (Knowledge from which symmetry is [left out](crate::Ablation) leaves all
    /// positions as they are.)
    #[inline]
    fn canonical(&self, rules: &R, p: &R::Position) -> R::Position {
        smallest_image(rules, p)
    }

    /// What can be said of the value without search. Must be true and should be cheap; must be
    /// exact where the game is over. Without it: only finished games are known, and every line is
    /// played to its very end.
    #[inline]
    fn static_bounds(&self, rules: &R, p: &R::Position) -> Bounds {
        rules.outcome(p).map_or_else(|| rules.values(), Bounds::exact)
    }

    /// A move that gives the player to move at least `value` (as it sees values), where
    /// [`static_bounds`](Self::static_bounds) know that there is one: the reason why they know it, played. `None` where they do
    /// not, or no such move is at hand. Of several, one that ends the game soon or leaves the opponent few replies, so
    /// that a proof by such moves is small. Only asked where the game is not over. Without it: whoever writes a proof
    /// tries all moves and takes the first that will do.
    #[inline]
    fn proving_move(&self, rules: &R, p: &R::Position, value: Value) -> Option<R::Move> {
        let _ = (rules, p, value);
        None
    }

    /// The moves a solver has to look at, with scores for their order, and what the others are
    /// worth: the value *for the player to move* is exactly the larger of the returned number and
    /// the best listed move. Left out are moves that lose at once (and the loss is returned), moves
    /// that are no better than a listed one (and the worst value is returned), all but one of
    /// equal moves. The list may come out empty.
    ///
    /// Only called where [`static_bounds`](Self::static_bounds) is not exact. Without it: all moves,
    /// no order.
    #[inline]
    fn candidate_moves(&self, rules: &R, p: &R::Position, out: &mut MoveList<R::Move>) -> Value {
        rules.moves(p, out);
        rules.values().seen_by(rules.turn(p)).lo
    }

    /// The moves for a search that asks how soon a win comes, with scores for their order, at a position that is not over: all,
    /// but that moves after which the opponent wins at once may be left out while another is left. What the glance tells of
    /// the distance must be exact. Only called where nothing else has decided; `out` comes empty. `None`: this is not known
    /// of the game. Without it: such a search makes all moves, and looks at the position after each.
    #[inline]
    fn distance_moves(
        &self,
        rules: &R,
        p: &R::Position,
        out: &mut MoveList<R::Move>,
    ) -> Option<Soon> {
        let _ = (rules, p, out);
        None
    }

    /// No line from here is longer than this many plies. Solvers keep positions that are nearly
    /// over out of their tables and grade work by it. Without it: every position is treated alike.
    #[inline]
    fn plies_left(&self, rules: &R, p: &R::Position) -> u32 {
        let _ = (rules, p);
        u32::MAX
    }

    // ---- Advice: only the cost depends on it ------------------------------------------------

    /// How much there is to do to show that the player to move reaches its goal, and to show that it does
    /// not, as far as a glance at an open position tells: the numbers with which a proof-number search begins
    /// there (df-pn+, Nagai 2002). `place` is how many moves stand before the one that led here in the
    /// order of [`candidate_moves`](Self::candidate_moves); 0 where none did. Both numbers are at least 1 and
    /// only guide the search: no value depends on them. Without it: such searches begin with one and one
    /// everywhere, and take up to four times the nodes.
    #[inline]
    fn leaf_numbers(&self, rules: &R, p: &R::Position, place: u32) -> Option<(u32, u32)> {
        let _ = (rules, p, place);
        None
    }

    /// Who stands better, as far as a glance tells: positive where the first player does, in hundredths of the
    /// smallest piece or of what a game has in its place. A hint that says where to look for a proof: no
    /// value depends on it. To be written together with [`evaluates`](Self::evaluates).
    #[inline]
    fn evaluate(&self, rules: &R, p: &R::Position) -> i32 {
        let _ = (rules, p);
        0
    }

    /// Whether the next move changes much by force (a capture that must be made), so that a heuristic search
    /// must not stop to [`evaluate`](Self::evaluate) here. Lines of such positions must be short. Without it: it
    /// stops anywhere.
    #[inline]
    fn forcing(&self, rules: &R, p: &R::Position) -> bool {
        let _ = (rules, p);
        false
    }

    /// A number below [`patterns`](Self::patterns) that says what kind of move `m` is in `p`, for
    /// policies that learn which moves are good: finer than [`Rules::code`] where the
    /// surroundings matter. Different moves of one position may share it. Without it: the code, apart
    /// for each player.
    #[inline]
    fn pattern(&self, rules: &R, p: &R::Position, m: R::Move) -> usize {
        rules.code(m) * 2 + rules.turn(p).index()
    }

    /// One more than the largest pattern. To be written together with [`pattern`](Self::pattern).
    fn patterns(&self, rules: &R) -> usize {
        rules.codes() * 2
    }

    /// Where no more plies than this are left, solvers make the children of a position one at a time
    /// and do not ask their table about all of them before the first is searched: asking finds cut-offs
    /// but costs more than it saves where most moves cut anyway. Without it: the last few plies.
    #[inline]
    fn lazy_expansion_plies(&self, rules: &R) -> u32 {
        let _ = rules;
        6
    }
}

/// No knowledge.
impl<R: Rules> Knowledge<R> for () {}

/// The image with the smallest key.
pub(crate) fn smallest_image<R: Rules>(rules: &R, p: &R::Position) -> R::Position {
    let images = rules.images(p);
    match images.len() {
        1 => *p,
        _ => images.into_iter().min_by_key(|q| rules.key(q)).unwrap_or(*p),
    }
}

/// A game as solvers see it: its rules, and knowledge beside them. It is a pair of references, to be passed around by value;
/// all methods of the rules can be called on it.
///
/// ```
/// # use zermelo_game::*;
/// # struct Heap(u64);
/// # impl Rules for Heap {
/// #     type Position = (u64, Player);
/// #     type Move = u64;
/// #     type Key = u64;
/// #     fn start(&self) -> (u64, Player) { (self.0, Player::First) }
/// #     fn turn(&self, p: &(u64, Player)) -> Player { p.1 }
/// #     fn outcome(&self, p: &(u64, Player)) -> Option<Value> { (p.0 == 0).then_some(-p.1.sign()) }
/// #     fn moves(&self, p: &(u64, Player), out: &mut MoveList<u64>) { (1..=p.0.min(3)).for_each(|n| out.push(n)); }
/// #     fn play(&self, p: &(u64, Player), n: u64) -> (u64, Player) { (p.0 - n, p.1.other()) }
/// #     fn key(&self, p: &(u64, Player)) -> u64 { p.0 * 2 + p.1.index() as u64 }
/// #     fn code(&self, n: u64) -> usize { n as usize }
/// #     fn codes(&self) -> usize { 4 }
/// # }
/// struct Nim; // whoever faces a multiple of four has lost
///
/// impl Knowledge<Heap> for Nim {
///     fn static_bounds(&self, heap: &Heap, p: &(u64, Player)) -> Bounds {
///         Bounds::exact(heap.turn(p).sign() * if p.0 % 4 == 0 { -1 } else { 1 })
///     }
/// }
///
/// let heap = Heap(21);
/// let (bare, wise) = (Game::bare(&heap), Game::new(&heap, &Nim));
/// let start = wise.start();
/// assert_eq!(bare.static_bounds(&start), Bounds::new(-1, 1));
/// assert_eq!(wise.static_bounds(&start), Bounds::exact(1));
/// ```
pub struct Game<'g, R: Rules, K: Knowledge<R> = ()> {
    rules: &'g R,
    knowledge: &'g K,
}

impl<R: Rules, K: Knowledge<R>> Clone for Game<'_, R, K> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<R: Rules, K: Knowledge<R>> Copy for Game<'_, R, K> {}

impl<R: Rules, K: Knowledge<R>> Deref for Game<'_, R, K> {
    type Target = R;

    #[inline(always)]
    fn deref(&self) -> &R {
        self.rules
    }
}

impl<'g, R: Rules> Game<'g, R> {
    /// Rules without knowledge.
    #[must_use]
    pub fn bare(rules: &'g R) -> Game<'g, R> {
        Game { rules, knowledge: &() }
    }
}

impl<'g, R: Rules, K: Knowledge<R>> Game<'g, R, K> {
    /// Rules and what is known about them.
    #[must_use]
    #[inline(always)]
    pub fn new(rules: &'g R, knowledge: &'g K) -> Game<'g, R, K> {
        Game { rules, knowledge }
    }

    /// The rules.
    #[must_use]
    #[inline(always)]
    pub fn rules(&self) -> &'g R {
        self.rules
    }

    /// What is known about them.
    #[must_use]
    #[inline(always)]
    pub fn knowledge(&self) -> &'g K {
        self.knowledge
    }

    /// See [`Knowledge::prunes_candidates`].
    #[must_use]
    #[inline(always)]
    pub fn prunes_candidates(&self) -> bool {
        self.knowledge.prunes_candidates()
    }

    /// See [`Knowledge::first_candidate_wins`].
    #[must_use]
    #[inline(always)]
    pub fn first_candidate_wins(&self) -> bool {
        self.knowledge.first_candidate_wins()
    }

    /// See [`Knowledge::evaluates`].
    #[must_use]
    #[inline(always)]
    pub fn evaluates(&self) -> bool {
        self.knowledge.evaluates()
    }

    /// See [`Knowledge::canonical`].
    #[must_use]
    #[inline(always)]
    pub fn canonical(&self, p: &R::Position) -> R::Position {
        self.knowledge.canonical(self.rules, p)
    }

    /// See [`Knowledge::static_bounds`].
    #[must_use]
    #[inline(always)]
    pub fn static_bounds(&self, p: &R::Position) -> Bounds {
        self.knowledge.static_bounds(self.rules, p)
    }

    /// See [`Knowledge::proving_move`].
    #[must_use]
    #[inline(always)]
    pub fn proving_move(&self, p: &R::Position, value: Value) -> Option<R::Move> {
        self.knowledge.proving_move(self.rules, p, value)
    }

    /// See [`Knowledge::candidate_moves`].
    #[inline(always)]
    pub fn candidate_moves(&self, p: &R::Position, out: &mut MoveList<R::Move>) -> Value {
        self.knowledge.candidate_moves(self.rules, p, out)
    }

    /// See [`Knowledge::distance_facts`].
    #[must_use]
    pub fn distance_facts(&self) -> DistanceFacts {
        self.knowledge.distance_facts(self.rules)
    }

    /// See [`Knowledge::distance_moves`].
    #[inline(always)]
    pub fn distance_moves(&self, p: &R::Position, out: &mut MoveList<R::Move>) -> Option<Soon> {
        self.knowledge.distance_moves(self.rules, p, out)
    }

    /// See [`Knowledge::plies_left`].
    #[must_use]
    #[inline(always)]
    pub fn plies_left(&self, p: &R::Position) -> u32 {
        self.knowledge.plies_left(self.rules, p)
    }

    /// See [`Knowledge::leaf_numbers`].
    #[must_use]
    #[inline(always)]
    pub fn leaf_numbers(&self, p: &R::Position, place: u32) -> Option<(u32, u32)> {
        self.knowledge.leaf_numbers(self.rules, p, place)
    }

    /// See [`Knowledge::evaluate`].
    #[must_use]
    pub fn evaluate(&self, p: &R::Position) -> i32 {
        self.knowledge.evaluate(self.rules, p)
    }

    /// See [`Knowledge::forcing`].
    #[must_use]
    pub fn forcing(&self, p: &R::Position) -> bool {
        self.knowledge.forcing(self.rules, p)
    }

    /// See [`Knowledge::pattern`].
    #[must_use]
    #[inline(always)]
    pub fn pattern(&self, p: &R::Position, m: R::Move) -> usize {
        self.knowledge.pattern(self.rules, p, m)
    }

    /// See [`Knowledge::patterns`].
    #[must_use]
    pub fn patterns(&self) -> usize {
        self.knowledge.patterns(self.rules)
    }

    /// See [`Knowledge::lazy_expansion_plies`].
    #[must_use]
    #[inline(always)]
    pub fn lazy_expansion_plies(&self) -> u32 {
        self.knowledge.lazy_expansion_plies(self.rules)
    }
}
