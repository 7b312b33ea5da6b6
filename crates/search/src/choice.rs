//! The move that a report names where the value is still open.
//!
//! A search that is stopped says what it would play. What it has proved by then binds that move: where the player to
//! move was shown to get some value, a move that is known to get less is not named, however promising it looked to the
//! question that was asked last.

use zermelo_game::{Bounds, Value};

/// What to play of `moves`, given with what is known of the positions behind them, where at least `lo` is proved (all
/// seen by the player to move, who can get no less than `least` in any case): the favourite, unless it may lose
/// what was proved and another move is known not to, or it is known to lose it.
pub(crate) fn choice<M: Copy + PartialEq>(
    moves: impl Iterator<Item = (M, Bounds)>,
    lo: Value,
    least: Value,
    favourite: Option<M>,
) -> Option<M> {
    if lo <= least {
        return favourite;
    }
    let moves: Vec<(M, Bounds)> = moves.collect();
    let find = |holds: &dyn Fn(Bounds) -> bool| {
        let fits = |(m, known): &(M, Bounds)| holds(*known).then_some(*m);
        let preferred = moves.iter().filter(|(m, _)| Some(*m) == favourite).find_map(fits);
        preferred.or_else(|| moves.iter().find_map(fits))
    };
    find(&|known| known.lo >= lo).or_else(|| find(&|known| known.hi >= lo))
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn what_is_proved_comes_before_what_looks_good() {
        let moves = |lows: [(i16, i16); 3]| {
            lows.into_iter().enumerate().map(|(m, (lo, hi))| (m, Bounds::new(lo, hi)))
        };
        let open = moves([(-1, 1), (-1, 1), (-1, 1)]);
        assert_eq!(choice(open.clone(), -1, -1, Some(2)), Some(2), "nothing is proved");
        assert_eq!(choice(open.clone(), -1, -1, None), None);
        assert_eq!(choice(open.clone(), 0, -1, Some(2)), Some(2), "nothing speaks against it");
        assert_eq!(choice(open, 0, -1, None), Some(0));
        let kept = moves([(-1, 1), (0, 1), (0, 0)]);
        assert_eq!(choice(kept.clone(), 0, -1, Some(0)), Some(1), "another is known to keep it");
        assert_eq!(choice(kept, 0, -1, Some(2)), Some(2));
        let lost = moves([(-1, -1), (-1, 1), (-1, -1)]);
        assert_eq!(choice(lost, 0, -1, Some(0)), Some(1), "it is known to lose");
    }
}
