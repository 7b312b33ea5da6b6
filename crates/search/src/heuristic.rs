//! Alpha-beta to a limited depth with the game's evaluation at its leaves: an opinion on a position, for those who
//! must choose where to look for proofs. No value depends on it.
//!
//! Iterative deepening, principal variation first, captures that are forced are played to their end (quiescence,
//! [`Game::forcing`]), and one small table in which the deeper and the newer replaces the older. Certain values (static
//! bounds, with a database if there is one) count [`CERTAIN`], less the plies that lead there; draws that are
//! certain count nothing. Only of use in games whose knowledge evaluates ([`Knowledge::evaluates`]).

use crate::watch::{Meter, Watch};
use zermelo_game::{Game, Key, Knowledge, Limits, MoveList, Player, Rules};

/// Scores of certain wins lie above [`SURE`], those of certain losses below its negative.
pub const CERTAIN: i32 = 1_000_000;
/// See [`CERTAIN`].
pub const SURE: i32 = CERTAIN - 10_000;
/// No search is deeper, forced captures not counted.
pub const DEEPEST: u32 = 64;
/// Entries of the table.
const ENTRIES: usize = 1 << 16;

/// An opinion on a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Opinion<M> {
    /// Positive where the first player stands better, in units of [`Game::evaluate`].
    pub score: i32,
    /// The move it would play.
    pub best: Option<M>,
    /// Plies that were searched in full.
    pub depth: u32,
    /// Positions the search entered.
    pub nodes: u64,
}

#[derive(Clone, Copy)]
struct Entry<K> {
    key: K,
    depth: u32,
    score: i32,
    /// -1: at most the score, 0: the score, 1: at least the score.
    kind: i8,
    code: u32,
}

struct Search<'s, R: Rules, K: Knowledge<R>> {
    game: Game<'s, R, K>,
    meter: Meter<'s>,
    table: Vec<Option<Entry<R::Key>>>,
    line: Vec<R::Key>,
    nodes: u64,
}

/// An opinion on a position, by a search of at most so many plies within the limits. The first ply is always searched.
pub fn search<R: Rules, K: Knowledge<R>>(
    game: Game<R, K>,
    p: &R::Position,
    depth: u32,
    limits: &Limits,
) -> Opinion<R::Move> {
    let watch = Watch::new(Limits { nodes: limits.nodes.map(|n| n.max(2)), ..limits.clone() });
    let sign = i32::from(game.turn(p).sign());
    let mut opinion = Opinion { score: game.evaluate(p), best: None, depth: 0, nodes: 0 };
    let mut search = Search {
        game,
        meter: Meter::new(&watch),
        table: vec![None; ENTRIES],
        line: Vec::new(),
        nodes: 0,
    };
    for depth in 1..=depth.min(DEEPEST) {
        let Some((score, best)) = search.value(p, depth, -CERTAIN, CERTAIN) else { break };
        opinion = Opinion { score: score * sign, best, depth, nodes: search.nodes };
        if score.abs() > SURE || best.is_none() {
            break;
        }
    }
    opinion.nodes = search.nodes;
    opinion
}

impl<R: Rules, K: Knowledge<R>> Search<'_, R, K> {
    /// The score for the player to move, and its move; `None` when the limits strike.
    fn value(
        &mut self,
        p: &R::Position,
        depth: u32,
        mut alpha: i32,
        beta: i32,
    ) -> Option<(i32, Option<R::Move>)> {
        let (game, ply) = (self.game, self.line.len() as i32);
        let turn = game.turn(p);
        if let Some(value) = game.static_bounds(p).seen_by(turn).value() {
            return Some((i32::from(value.signum()) * (CERTAIN - ply), None));
        }
        let own = || game.evaluate(p) * i32::from(turn.sign());
        let loud = game.forcing(p);
        if depth == 0 && !loud || ply as u32 >= 2 * DEEPEST {
            return Some((own(), None));
        }
        let key = game.key(&game.canonical(p));
        if self.line.contains(&key) {
            return Some((0, None));
        }
        if !self.meter.enter() {
            return None;
        }
        self.nodes += 1;
        let bits = game.key_bits();
        let at = key.mix(bits).split(bits.saturating_sub(ENTRIES.ilog2())).0 % ENTRIES;
        let known = self.table[at].filter(|e| e.key == key);
        if let Some(e) = known.filter(|e| e.depth >= depth && ply > 0)
            && (e.kind == 0 || e.kind > 0 && e.score >= beta || e.kind < 0 && e.score <= alpha)
        {
            return Some((e.score, None));
        }
        let mut list = MoveList::new();
        let floor = i32::from(game.candidate_moves(p, &mut list).signum());
        let first = known.map(|e| e.code);
        list.rescore(|m, score| if Some(game.code(m) as u32) == first { i32::MAX } else { score });
        list.sort();
        // What the moves that are not listed are worth: a certain value, or less than any other.
        let (mut best, mut found, asked) = (floor.min(0) * CERTAIN, None, alpha);
        if floor > 0 {
            return Some((CERTAIN - ply, None));
        }
        self.line.push(key);
        for (i, m) in list.iter().enumerate() {
            let child = game.play(p, m);
            // Forced captures do not count, or a search could end in the middle of an exchange.
            let less = if loud { depth } else { depth - 1 };
            let window = if i == 0 { beta } else { alpha + 1 };
            let mut score = -self.value(&child, less, -window, -alpha)?.0;
            if score > alpha && score < beta && i > 0 {
                score = -self.value(&child, less, -beta, -alpha)?.0;
            }
            if score > best || found.is_none() {
                (best, found) = (score.max(best), Some(m));
            }
            alpha = alpha.max(best);
            if alpha >= beta {
                break;
            }
        }
        self.line.pop();
        let kind = i8::from(best >= beta) - i8::from(best <= asked);
        let code = found.map_or(u32::MAX, |m| game.code(m) as u32);
        self.table[at] = Some(Entry { key, depth, score: best, kind, code });
        Some((best, found))
    }
}

/// The player who stands better by so much.
#[must_use]
pub fn ahead(score: i32, by: i32) -> Option<Player> {
    match score {
        s if s >= by => Some(Player::First),
        s if s <= -by => Some(Player::Second),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zermelo_game::Notation;
    use zermelo_games::checkers::{Checkers, CheckersKnowledge};

    #[test]
    fn captures_are_played_to_their_end() {
        let rules = Checkers::new(8, 8);
        let game = Game::new(&rules, &CheckersKnowledge);
        // Black takes two men by force, though a glance says that it is one behind.
        let p = game.parse_position("B:W10,19,30:B6,1").unwrap();
        let seen = search(game, &p, 1, &Limits::default());
        assert!(game.evaluate(&p) < 0 && seen.score > 50, "{seen:?}");
        let start = search(game, &game.start(), 6, &Limits::default());
        assert!(start.score.abs() < 60 && start.depth == 6 && start.best.is_some(), "{start:?}");
    }

    #[test]
    fn certain_wins_are_found_and_limits_obeyed() {
        let rules = Checkers::new(8, 8);
        let game = Game::new(&rules, &CheckersKnowledge);
        let p = game.parse_position("B:W13:B9,K6").unwrap();
        let seen = search(game, &p, 20, &Limits::default());
        assert!(seen.score > SURE, "{seen:?}");
        let limits = Limits { nodes: Some(1000), ..Limits::default() };
        let seen = search(game, &game.start(), 60, &limits);
        assert!(seen.nodes <= 1000 && seen.depth >= 3, "{seen:?}");
        let mirror = game.parse_position("W:WK27,24:B20").unwrap();
        assert!(search(game, &mirror, 20, &Limits::default()).score < -SURE);
        assert_eq!(ahead(-50, 40), Some(Player::Second));
        assert_eq!(ahead(39, 40), None);
    }
}
