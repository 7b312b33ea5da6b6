//! Who stands better, at a glance: a hint for searches that look for a proof, on which no value depends.
//!
//! Pieces count most, and a lead counts more the fewer are left; then men on the way to the last row (tempo), men that
//! keep the first row shut, moves at hand, and a place in the middle for kings. The weights are those that
//! programs for this game have long agreed on, rounded.

use super::{Checkers, Position};

/// A man; the unit of all.
const MAN: i32 = 100;
const KING: i32 = 140;
/// A man one row further.
const TEMPO: i32 = 2;
/// A man at home while the enemy has men left.
const GUARD: i32 = 5;
/// A square one can step to.
const STEP: i32 = 2;
/// A king that is not on the edge.
const FREE: i32 = 6;
/// A lead of one piece, divided by the pieces left.
const LEAD: i32 = 120;
/// Being the one to move.
const TURN: i32 = 3;

/// How much better the player to move stands.
pub(super) fn judge(checkers: &Checkers, p: &Position) -> i32 {
    let b = &checkers.board;
    let turned = checkers.handed_over(p.own, p.other, p.kings, p.turn);
    let side = |p: &Position| {
        let (men, kings) = (p.own & !p.kings, p.own & p.kings);
        let enemy_men = p.other & !p.kings;
        let mut score = MAN * count(men) + KING * count(kings);
        for row in 0..b.rows {
            score += TEMPO * row as i32 * count(men & b.near << (4 * row));
        }
        if enemy_men != 0 {
            score += GUARD * count(men & b.near);
        }
        let empty = b.all & !(p.own | p.other);
        let steps = [(0, p.own), (1, p.own), (2, kings), (3, kings)];
        score += STEP * steps.iter().map(|&(d, set)| count(b.step(set, d) & empty)).sum::<i32>();
        // Who can step down and up, left and right, stands free.
        let free = b.step(b.step(b.all, 0), 3) & b.step(b.step(b.all, 1), 2);
        let free = free & b.step(b.step(b.all, 3), 0) & b.step(b.step(b.all, 2), 1);
        score + FREE * count(kings & free)
    };
    let all = count(p.own | p.other).max(1);
    let lead = count(p.own) - count(p.other);
    side(p) - side(&turned) + lead * LEAD / all + TURN
}

fn count(set: u32) -> i32 {
    set.count_ones() as i32
}

#[cfg(test)]
mod tests {
    use super::super::{Checkers, CheckersKnowledge};
    use zermelo_game::{Game, Notation, Rules};

    #[test]
    fn pieces_count_most_and_both_sides_alike() {
        let rules = Checkers::new(8, 8);
        let game = Game::new(&rules, &CheckersKnowledge);
        let score = |text: &str| game.evaluate(&game.parse_position(text).unwrap());
        assert_eq!(game.evaluate(&game.start()), super::TURN);
        assert!(score("B:W32,31:B1,2,3") > 90);
        assert!(score("W:W32,31:B1,2,3") > 90);
        assert!(score("B:WK18,31:B1,2") < -30);
        // The same seen from the other side.
        assert_eq!(score("B:W32,30:B1,6"), -score("W:W27,32:B1,3"));
        // A king in the middle is worth more than one in the corner; a lead more with fewer pieces.
        assert!(score("B:W32:BK14") > score("B:W32:BK4"));
        assert!(score("B:W32:BK14,K15") - 140 > score("B:W32:BK14"));
    }
}
