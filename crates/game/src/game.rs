//! The [`Game`] trait: what a game must say, and what it may offer.

use crate::{
    Bounds, Claim, Footprint, Guard, Key, MoveList, ParseError, Picture, Player, Repetition, Value,
};
use arrayvec::ArrayVec;
use std::fmt::Debug;

/// The symmetric images of a position, itself first.
pub type Images<P> = ArrayVec<P, 8>;

/// A two-player game of perfect information, with turns that alternate.
///
/// The value that implements this trait is the game with its parameters (board size, variant);
/// positions are small `Copy` values. Everything a solver needs beyond the bare rules is optional,
/// and each optional method says what is lost without it. Values are always from the *first*
/// player's point of view unless a method says "for the player to move".
///
/// A whole game, one heap of counters from which the players take one to three in turn and the one
/// who takes the last wins:
///
/// ```
/// use zermelo_game::*;
///
/// struct Heap(u64);
///
/// impl Game for Heap {
///     type Position = (u64, Player);
///     type Move = u64;
///     type Key = u64;
///
///     fn name(&self) -> String { format!("heap {}", self.0) }
///     fn rules(&self) -> String { "Take one to three; who takes the last wins.".into() }
///     fn start(&self) -> (u64, Player) { (self.0, Player::First) }
///     fn turn(&self, p: &(u64, Player)) -> Player { p.1 }
///     fn outcome(&self, p: &(u64, Player)) -> Option<Value> {
///         (p.0 == 0).then_some(-p.1.sign()) // the player to move has lost
///     }
///     fn moves(&self, p: &(u64, Player), out: &mut MoveList<u64>) {
///         (1..=p.0.min(3)).for_each(|n| out.push(n));
///     }
///     fn play(&self, p: &(u64, Player), n: u64) -> (u64, Player) { (p.0 - n, p.1.other()) }
///
///     fn key(&self, p: &(u64, Player)) -> u64 { p.0 * 2 + p.1.index() as u64 }
///     fn key_bits(&self) -> u32 { 65 - self.0.leading_zeros() }
///     fn code(&self, n: u64) -> usize { n as usize }
///     fn codes(&self) -> usize { 4 }
///
///     fn move_text(&self, _: &(u64, Player), n: u64) -> String { n.to_string() }
///     fn position_text(&self, p: &(u64, Player)) -> String { format!("{} {}", p.0, p.1) }
///     fn parse_position(&self, text: &str) -> Result<(u64, Player), ParseError> {
///         let (n, turn) = text.split_once(' ').unwrap_or((text, ""));
///         let n = n.parse().ok().filter(|n| *n <= self.0)
///             .ok_or_else(|| ParseError::new("position", text, 0, format!("0 to {}", self.0)))?;
///         match turn {
///             "first" => Ok((n, Player::First)),
///             "second" => Ok((n, Player::Second)),
///             _ => Err(ParseError::new("position", text, text.len() - turn.len(), "first or second")),
///         }
///     }
/// }
///
/// conformance::check(&Heap(21)); // every law of the trait, on random games
/// ```
pub trait Game: Send + Sync + 'static {
    /// A position, with whose turn it is. Small and `Copy`: a few machine words.
    type Position: Copy + Eq + Debug + Send + Sync + 'static;
    /// A move. Often a cell number.
    type Move: Copy + Eq + Debug + Send + Sync + 'static;
    /// The integer that holds a key: `u64` where [`key_bits`](Self::key_bits) allows it.
    type Key: Key;

    /// Whether a position can come back along a line of play. If so,
    /// [`repetition`](Self::repetition) says what becomes of a line that does so.
    const CYCLIC: bool = false;

    /// Whether no board may come back (positional superko): a move that changes the board to one that
    /// stood earlier in the line, whoever was to move, is forbidden. [`moves`](Self::moves) lists such
    /// moves all the same, as a position does not know its line; [`History`](crate::History) does.
    /// One listed move leaves the board as it is (a pass), so that a player is never without a move.
    /// Needs [`board`](Self::board).
    const SUPERKO: bool = false;

    /// Whether [`pass`](Self::pass) is there, and no position ever comes back. Without it: no lambda search.
    const THREATS: bool = false;

    /// Whether [`relevant`](Self::relevant) looks at the children itself, leaves out those that lose
    /// by their static bounds and returns the win where one wins. Solvers then ask for no static
    /// bounds of children, and call `relevant` at any position, finished games included. Without
    /// it: each child is judged by [`static_bounds`](Self::static_bounds), which for costly bounds
    /// does again what `relevant` has done to put the moves in order.
    const SIFTED: bool = false;

    /// Whether the first move that [`relevant`](Self::relevant) lists gives the value that it returns, where that is a win. Without
    /// it, in a game that is [`SIFTED`](Self::SIFTED): the move may stand for one that nobody has looked for, and whoever
    /// plays by a solver's table looks first what comes after it.
    const NAMED_WINS: bool = !Self::SIFTED;

    /// Whether [`evaluate`](Self::evaluate) says anything. Without it: no heuristic search, and proofs in many
    /// pieces are not led by likely values.
    const EVALUATED: bool = false;

    // ---- Required: the rules ---------------------------------------------------------------

    /// The name with all parameters, as the registry opens it: `nogo 5x5`.
    fn name(&self) -> String;

    /// The name under which the registry opens the same game anywhere. Without it: the name, which will do
    /// unless the game was read from a file.
    fn full_name(&self) -> String {
        self.name()
    }

    /// The rules in a few sentences, and every choice the literature leaves open.
    fn rules(&self) -> String;

    /// The starting position.
    fn start(&self) -> Self::Position;

    /// Whose turn it is. Turns alternate: [`play`](Self::play) always hands over.
    fn turn(&self, p: &Self::Position) -> Player;

    /// The value of a position where the game is over, `None` where it goes on. A player who
    /// cannot move has lost (or whatever the rules say), so that is an outcome too.
    fn outcome(&self, p: &Self::Position) -> Option<Value>;

    /// Adds all legal moves of a position that is not over, each once; there is at least one.
    /// `out` comes empty.
    fn moves(&self, p: &Self::Position, out: &mut MoveList<Self::Move>);

    /// The position after a legal move.
    #[must_use]
    fn play(&self, p: &Self::Position, m: Self::Move) -> Self::Position;

    // ---- Required: identity ----------------------------------------------------------------

    /// An injective encoding of the position, turn included. Two positions that a search can meet
    /// never share a key: proofs rest on it.
    fn key(&self, p: &Self::Position) -> Self::Key;

    /// Keys are below 2 to this power. Fewer bits make smaller table entries.
    fn key_bits(&self) -> u32;

    /// A number below [`codes`](Self::codes) that tells the moves of one position apart and is the
    /// same for "the same" move in other positions. Tables of history, killers and stored best
    /// moves use it.
    fn code(&self, m: Self::Move) -> usize;

    /// One more than the largest code.
    fn codes(&self) -> usize;

    // ---- Required: notation ----------------------------------------------------------------

    /// A move as people write it; the moves of one position all differ.
    fn move_text(&self, p: &Self::Position, m: Self::Move) -> String;

    /// A position as text on one line, read back by [`parse_position`](Self::parse_position).
    fn position_text(&self, p: &Self::Position) -> String;

    /// Reads a position. Accepts every position the rules can handle, reachable or not, and
    /// nothing else: bad text gets an error that shows where and what would be right.
    fn parse_position(&self, text: &str) -> Result<Self::Position, ParseError>;

    // ---- Optional: rules and identity, faster ---------------------------------------------

    /// [`outcome`](Self::outcome), and where the game is not over [`moves`](Self::moves) too. Without it: one
    /// after the other, which finds out twice what both need.
    #[inline]
    fn expand(&self, p: &Self::Position, out: &mut MoveList<Self::Move>) -> Option<Value> {
        let outcome = self.outcome(p);
        if outcome.is_none() {
            self.moves(p, out);
        }
        outcome
    }

    /// The key of one of the [`images`](Self::images), the same for all of them: what a checker of proofs
    /// remembers of a position. Without it: the smallest, which is right but slow.
    #[inline]
    fn class(&self, p: &Self::Position) -> Self::Key {
        let own = self.key(p);
        self.images(p).iter().map(|image| self.key(image)).fold(own, Ord::min)
    }

    /// The code of the move of `p` that is, in the image with the key `class` (that of [`class`](Self::class)), the one
    /// with this code. `None` where it is not at hand: who reads a strategy from a table then tries all moves.
    /// Without it: known where `p` is that image.
    #[inline]
    fn code_here(&self, p: &Self::Position, class: Self::Key, code: usize) -> Option<usize> {
        (self.key(p) == class).then_some(code)
    }

    // ---- Optional: values and repetition ---------------------------------------------------

    /// The range of possible values. Without it: -1 (second wins) to +1 (first wins).
    fn values(&self) -> Bounds {
        Bounds::new(-1, 1)
    }

    /// The rule for a line that comes back to one of its own positions. Only asked where
    /// [`CYCLIC`](Self::CYCLIC) says that this can happen. Without it: a draw.
    ///
    /// Where it is not a fixed value, positions have no value of their own: then
    /// [`static_bounds`](Self::static_bounds) must hold after every line of play,
    /// [`relevant`](Self::relevant) list all moves, [`canonical`](Self::canonical) leave every
    /// position as it is, and only solvers that know their line can be asked.
    fn repetition(&self) -> Repetition {
        Repetition::Worth(0)
    }

    /// What a position is worth as it stands, where [`Repetition::Stands`] is the rule; the same for all positions
    /// of a cycle. Without it: nothing for either player.
    fn standing(&self, p: &Self::Position) -> Value {
        let _ = p;
        0
    }

    /// The value of a line that comes back to `p` after so many plies; `None` if the last move is not allowed.
    /// Follows from the methods above.
    fn repeated(&self, p: &Self::Position, plies: usize) -> Option<Value> {
        self.repetition().value(self.values(), self.turn(p), plies, || self.standing(p))
    }

    // ---- Optional: boards that may not come back -------------------------------------------

    /// The board without turn and the like: what may not come back where [`SUPERKO`](Self::SUPERKO)
    /// holds. The stones of the first player in the low half, those of the second in the high half.
    #[inline]
    fn board(&self, p: &Self::Position) -> u64 {
        let _ = p;
        0
    }

    /// The board before this one, where the position tells it. Without it: a position by itself has no
    /// past.
    fn board_before(&self, p: &Self::Position) -> Option<u64> {
        let _ = p;
        None
    }

    /// What a player gets at least from here, without search: true unless a board of the history meets
    /// the guard. Without it: what [`static_bounds`](Self::static_bounds) says, which must hold after
    /// every history.
    #[inline]
    fn claim(&self, p: &Self::Position, claimant: Player) -> Claim {
        let value = self.static_bounds(p).seen_by(claimant).lo;
        Claim { value, guard: Guard::default() }
    }

    /// The canonical position, and the number of the symmetry that leads to it, by which
    /// [`mapped`](Self::mapped) maps boards. Without it: no symmetry is used where boards may not come
    /// back.
    #[inline]
    fn framed(&self, p: &Self::Position) -> (Self::Position, u8) {
        (*p, 0)
    }

    /// The same board for all images of a board: that of the canonical position.
    #[inline]
    fn canonical_board(&self, board: u64) -> u64 {
        board
    }

    /// The image of a board, or of two sets of points in its halves, under a symmetry named by
    /// [`framed`](Self::framed), or under its inverse.
    #[inline]
    fn mapped(&self, board: u64, symmetry: u8, inverse: bool) -> u64 {
        let _ = (symmetry, inverse);
        board
    }

    // ---- Optional: notation and pictures ---------------------------------------------------

    /// Reads a move. Without it: compares the text with every legal move's, whatever the case.
    fn parse_move(&self, p: &Self::Position, text: &str) -> Result<Self::Move, ParseError> {
        let mut list = MoveList::new();
        if self.outcome(p).is_none() {
            self.moves(p, &mut list);
        }
        let texts: Vec<String> = list.iter().map(|m| self.move_text(p, m)).collect();
        match texts.iter().position(|t| t.eq_ignore_ascii_case(text)) {
            Some(i) => Ok(list.scored()[i].mv),
            None if texts.is_empty() => {
                Err(ParseError::new("move", text, 0, "no move: the game is over"))
            }
            None => {
                let at = texts.iter().map(|t| common_prefix(t, text)).max().unwrap_or(0);
                let expected = format!("a legal move ({})", texts.join(" "));
                Err(ParseError::new("move", text, at, expected))
            }
        }
    }

    /// A picture of the position. Without it: the text form.
    fn picture(&self, p: &Self::Position) -> Picture {
        Picture::Text(self.position_text(p))
    }

    /// Where a move happens in the picture. Without it: marks are listed, not drawn.
    fn footprint(&self, p: &Self::Position, m: Self::Move) -> Option<Footprint> {
        let _ = (p, m);
        None
    }

    // ---- Optional: knowledge for solvers ---------------------------------------------------

    /// The position and its images under the symmetries that keep turn, moves and value.
    /// Without it: no symmetry is used; with all eight of a square, up to eight times fewer
    /// positions.
    fn images(&self, p: &Self::Position) -> Images<Self::Position> {
        let mut images = Images::new();
        images.push(*p);
        images
    }

    /// The one position that stands for all its images. Solvers search it in place of the position.
    /// Without it: the image with the smallest key, which is right but slow; write it by hand where
    /// speed counts.
    ///
    /// It need not be an image: a game may also clear away what no longer matters (stones that can
    /// never move, parts that cancel), as long as turn and value stay, all images lead to the same
    /// position, and that one leads to itself.
    #[inline]
    fn canonical(&self, p: &Self::Position) -> Self::Position {
        let images = self.images(p);
        match images.len() {
            1 => *p,
            _ => images.into_iter().min_by_key(|q| self.key(q)).unwrap_or(*p),
        }
    }

    /// What can be said of the value without search. Must be true and should be cheap; must be
    /// exact where the game is over. Without it: only finished games are known, and every line is
    /// played to its very end.
    #[inline]
    fn static_bounds(&self, p: &Self::Position) -> Bounds {
        self.outcome(p).map_or_else(|| self.values(), Bounds::exact)
    }

    /// A move that gives the player to move at least `value` (as it sees values), where
    /// [`static_bounds`](Self::static_bounds) know that there is one: the reason why they know it, played. `None` where they do
    /// not, or no such move is at hand. Of several, one that ends the game soon or leaves the opponent few replies, so
    /// that a proof by such moves is small. Only asked where the game is not over. Without it: whoever writes a proof
    /// tries all moves and takes the first that will do.
    #[inline]
    fn sure_move(&self, p: &Self::Position, value: Value) -> Option<Self::Move> {
        let _ = (p, value);
        None
    }

    /// The moves a solver has to look at, with scores for their order, and what the others are
    /// worth: the value *for the player to move* is exactly the larger of the returned number and
    /// the best listed move. A game leaves out moves that lose at once (and returns the loss), moves
    /// that are no better than a listed one (and returns the worst value), all but one of
    /// equal moves. The list may come out empty.
    ///
    /// Only called where [`static_bounds`](Self::static_bounds) is not exact. Without it: all moves,
    /// no order.
    #[inline]
    fn relevant(&self, p: &Self::Position, out: &mut MoveList<Self::Move>) -> Value {
        self.moves(p, out);
        self.values().seen_by(self.turn(p)).lo
    }

    /// The same board with the other player to move, as if the player to move had passed: what moves
    /// threaten is found out that way. It may be a position that play never reaches, but one that all
    /// methods can handle; passing twice gives the position back. Only asked where the game is not
    /// over. Where it is there, so is [`THREATS`](Self::THREATS).
    #[inline]
    fn pass(&self, p: &Self::Position) -> Option<Self::Position> {
        let _ = p;
        None
    }

    /// How much there is to do to show that the player to move reaches its goal, and to show that it does
    /// not, as far as a glance at an open position tells: the numbers with which a proof-number search begins
    /// there (df-pn+, Nagai 2002). `place` is how many moves stand before the one that led here in the
    /// order of [`relevant`](Self::relevant); 0 where none did. Both numbers are at least 1 and
    /// only guide the search: no value depends on them. Without it: such searches begin with one and one
    /// everywhere, and take up to four times the nodes.
    #[inline]
    fn leaf_numbers(&self, p: &Self::Position, place: u32) -> Option<(u32, u32)> {
        let _ = (p, place);
        None
    }

    /// Who stands better, as far as a glance tells: positive where the first player does, in hundredths of the
    /// smallest piece or of what a game has in its place. A hint that says where to look for a proof: no
    /// value depends on it. To be written together with [`EVALUATED`](Self::EVALUATED).
    #[inline]
    fn evaluate(&self, p: &Self::Position) -> i32 {
        let _ = p;
        0
    }

    /// Whether the next move changes much by force (a capture that must be made), so that a heuristic search
    /// must not stop to [`evaluate`](Self::evaluate) here. Lines of such positions must be short. Without it: it
    /// stops anywhere.
    #[inline]
    fn forcing(&self, p: &Self::Position) -> bool {
        let _ = p;
        false
    }

    /// A number below [`patterns`](Self::patterns) that says what kind of move `m` is in `p`, for
    /// policies that learn which moves are good: finer than [`code`](Self::code) where the
    /// surroundings matter. Different moves of one position may share it. Without it: the code, apart
    /// for each player.
    #[inline]
    fn pattern(&self, p: &Self::Position, m: Self::Move) -> usize {
        self.code(m) * 2 + self.turn(p).index()
    }

    /// One more than the largest pattern. To be overridden together with
    /// [`pattern`](Self::pattern).
    fn patterns(&self) -> usize {
        self.codes() * 2
    }

    /// No line from here is longer than this many plies. Solvers keep positions that are nearly
    /// over out of their tables and grade work by it. Without it: every position is treated alike.
    #[inline]
    fn plies_left(&self, p: &Self::Position) -> u32 {
        let _ = p;
        u32::MAX
    }

    /// Where no more plies than this are left, solvers make the children of a position one at a time
    /// and do not ask their table about all of them before the first is searched: asking finds cut-offs
    /// but costs more than it saves where most moves cut anyway. Without it: the last few plies.
    #[inline]
    fn hasty_plies(&self) -> u32 {
        6
    }
}

/// How many characters the two texts share at the start, whatever the case.
fn common_prefix(a: &str, b: &str) -> usize {
    a.chars().zip(b.chars()).take_while(|(x, y)| x.eq_ignore_ascii_case(y)).count()
}
