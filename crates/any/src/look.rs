//! A position at a glance, in text: what whoever keeps a tree of positions wants to know of one.

use zermelo_game::{Bounds, Game, MoveList, Player};
use zermelo_search::altered::Altered;

/// What is known of a position without search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Glance {
    /// The position, as one text for all positions that are the same to solvers ([`Game::canonical`]).
    pub position: String,
    /// Whose turn it is there.
    pub turn: Player,
    /// What static bounds, and a database if there is one, say of its value.
    pub bounds: Bounds,
    /// Who stands better ([`Game::evaluate`]), in games that say so.
    pub score: Option<i32>,
    /// How much there seems to be to do to show that the player to move reaches its goal, and that it does not
    /// ([`Game::leaf_numbers`]); one and one in games that do not say.
    pub numbers: (u32, u32),
}

/// A position and where its moves lead. For the player to move, the value of the position is exactly the larger of
/// what its bounds promise it and the best of these moves: others are not worth a look.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Look {
    /// The position itself.
    pub here: Glance,
    /// The moves worth a look ([`Game::relevant`]), the most promising first, and the positions after them: none
    /// where the value is known. Moves that lead to the same position are listed once.
    pub moves: Vec<(String, Glance)>,
}

/// What the tables of a solver hold of a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Gleaned {
    /// The position, written as in [`Glance`].
    pub position: String,
    /// What is proved of its value.
    pub bounds: Bounds,
    /// For the question that was asked about the position above it, how much seems left to be done to show that the
    /// answer is yes here, and that it is no; `None` where the solver does not say.
    pub numbers: Option<[u32; 2]>,
}

/// Looks at a position, in place of which the canonical one is looked at.
pub(crate) fn look<G: Game>(game: &Altered<G>, p: &G::Position) -> Look {
    let p = game.canonical(p);
    let mut here = glance(game, &p, 0);
    let mut moves: Vec<(String, Glance)> = Vec::new();
    if !here.bounds.is_exact() {
        let turn = here.turn;
        let mut list = MoveList::new();
        let floor = game.relevant(&p, &mut list);
        list.sort();
        let seen = here.bounds.seen_by(turn);
        let seen = Bounds { lo: seen.lo.max(floor), hi: seen.hi.max(floor) };
        here.bounds = seen.seen_by(turn);
        if list.is_empty() {
            here.bounds = Bounds::exact(floor).seen_by(turn);
        }
        for (place, m) in list.iter().enumerate() {
            let after = glance(game, &game.canonical(&game.play(&p, m)), place as u32);
            if moves.iter().all(|(_, other)| other.position != after.position) {
                moves.push((game.move_text(&p, m), after));
            }
        }
    }
    if here.bounds.is_exact() {
        moves.clear();
    }
    Look { here, moves }
}

fn glance<G: Game>(game: &Altered<G>, p: &G::Position, place: u32) -> Glance {
    let bounds = game.static_bounds(p);
    let numbers = if bounds.is_exact() { None } else { game.leaf_numbers(p, place) };
    Glance {
        position: game.position_text(p),
        turn: game.turn(p),
        bounds,
        score: G::EVALUATED.then(|| game.evaluate(p)),
        numbers: numbers.unwrap_or((1, 1)),
    }
}
