//! Positions as those see them who keep trees of positions, in text.

use zermelo_game::{Bounds, Game, Knowledge, MoveList, Notation, Player};

/// What is known of a position without search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NodeInfo {
    /// The position, as one text for all positions that are the same to solvers ([`Knowledge::canonical`]).
    pub position: String,
    /// Whose turn it is there.
    pub turn: Player,
    /// What static bounds, and a database if there is one, say of its value.
    pub bounds: Bounds,
    /// Who stands better ([`Knowledge::evaluate`]), in games that say so.
    pub score: Option<i32>,
    /// How much there seems to be to do to show that the player to move reaches its goal, and that it does not
    /// ([`Knowledge::leaf_numbers`]); one and one in games that do not say.
    pub numbers: (u32, u32),
}

/// A position and where its moves lead. For the player to move, the value of the position is exactly the larger of
/// what its bounds promise it and the best of these moves: others need not be looked at.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expansion {
    /// The position itself.
    pub here: NodeInfo,
    /// The [candidate moves](Knowledge::candidate_moves), the most promising first, and the positions after them: none
    /// where the value is known. Moves that lead to the same position are listed once.
    pub moves: Vec<(String, NodeInfo)>,
}

/// What the tables of an engine hold of a position after a move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChildResult {
    /// The position, written as in [`NodeInfo`].
    pub position: String,
    /// What is proved of its value.
    pub bounds: Bounds,
    /// For the question that was asked about the position above it, how much seems left to be done to show that the
    /// answer is yes here, and that it is no; `None` where the engine does not say.
    pub numbers: Option<[u32; 2]>,
}

/// Expands a position, in place of which the canonical one is taken.
pub(crate) fn expand<R: Notation, K: Knowledge<R>>(game: Game<R, K>, p: &R::Position) -> Expansion {
    let p = game.canonical(p);
    let mut here = info(game, &p, 0);
    let mut moves: Vec<(String, NodeInfo)> = Vec::new();
    if !here.bounds.is_exact() {
        let turn = here.turn;
        let mut list = MoveList::new();
        let floor = game.candidate_moves(&p, &mut list);
        list.sort();
        let seen = here.bounds.seen_by(turn);
        let seen = Bounds { lo: seen.lo.max(floor), hi: seen.hi.max(floor) };
        here.bounds = seen.seen_by(turn);
        if list.is_empty() {
            here.bounds = Bounds::exact(floor).seen_by(turn);
        }
        for (place, m) in list.iter().enumerate() {
            let after = info(game, &game.canonical(&game.play(&p, m)), place as u32);
            if moves.iter().all(|(_, other)| other.position != after.position) {
                moves.push((game.move_text(&p, m), after));
            }
        }
    }
    if here.bounds.is_exact() {
        moves.clear();
    }
    Expansion { here, moves }
}

fn info<R: Notation, K: Knowledge<R>>(game: Game<R, K>, p: &R::Position, place: u32) -> NodeInfo {
    let bounds = game.static_bounds(p);
    let numbers = if bounds.is_exact() { None } else { game.leaf_numbers(p, place) };
    NodeInfo {
        position: game.position_text(p),
        turn: game.turn(p),
        bounds,
        score: game.evaluates().then(|| game.evaluate(p)),
        numbers: numbers.unwrap_or((1, 1)),
    }
}
