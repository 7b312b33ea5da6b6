//! How soon the winner wins: asked after a position is solved, and told in words.

use crate::open::Usage;
use crate::out;
use crate::units::{rounded, time};
use zermelo_erased::{
    AnyGame, AnySession, DistanceAnswer, DistanceObserver, EngineConfig, LineEnd, MoveValue,
    MoveValues,
};
use zermelo_game::{Limits, Player, Plies, Stats, Stop, Tone};

/// Refuses games in which wins have no distances.
pub fn refuse_without(game: &dyn AnyGame) -> Result<(), Usage> {
    if [Player::First, Player::Second].iter().any(|player| game.has_distances(*player)) {
        return Ok(());
    }
    let why = if game.values().lo < -1 || game.values().hi > 1 {
        "it is played for points"
    } else {
        "what a repetition is worth depends on the line of play, or it wins"
    };
    Err(Usage(format!("{} has no distances: {why}; leave out --distance", game.name())))
}

/// Finds out how soon the winner wins, and with the values of moves the same of each; within what the search has left.
pub fn measure(
    session: &mut dyn AnySession,
    found: &mut MoveValues,
    engine: &EngineConfig,
    limits: &Limits,
    observer: DistanceObserver,
) -> Option<DistanceAnswer> {
    let winner = zermelo_game::distance::winner_of(found.report.bounds);
    let left = limits.after(&found.report.stats);
    let open = |stop| DistanceAnswer {
        plies: Plies::UNKNOWN,
        wins: None,
        line: Vec::new(),
        stop,
        stats: Stats::default(),
    };
    let answer = winner.and_then(|winner| match &left {
        Ok(left) => session.distance(winner, engine.threads(), left, observer),
        Err(stop) => Some(open(*stop)),
    });
    let mut used = found.report.stats;
    if let Some(answer) = &answer {
        if answer.stop == Stop::Solved && !answer.line.is_empty() {
            found.report.line.clone_from(&answer.line);
            found.report.best = answer.line.first().cloned();
        }
        used.nodes += answer.stats.nodes;
        used.elapsed += answer.stats.elapsed;
    }
    if !found.moves.is_empty() {
        let left = limits.after(&used).unwrap_or(Limits { nodes: Some(0), ..limits.clone() });
        session.measure_moves(found, engine.threads(), &left, observer);
    }
    answer
}

/// The live line of such a search.
#[must_use]
pub fn progress(plies: Plies, stats: &Stats) -> String {
    let speed = stats.nodes as f64 / stats.elapsed.as_secs_f64().max(1e-3);
    format!(
        "how soon? {}  {} nodes  {}/s  {}",
        time(stats.elapsed),
        rounded(stats.nodes as f64),
        rounded(speed),
        self::plies(plies)
    )
}

/// A distance in words: `in 41 plies`, `in 23 to 41 plies`, `not within 22 plies`.
#[must_use]
pub fn plies(plies: Plies) -> String {
    match (plies.lo, plies.hi) {
        (1, Some(1)) => "in 1 ply".into(),
        (lo, Some(hi)) if lo == hi => format!("in {lo} plies"),
        (lo, Some(hi)) => format!("in {lo} to {hi} plies"),
        (0 | 1, None) => "in how many plies is not known".into(),
        (2, None) => "in at least 2 plies".into(),
        (lo, None) => format!("in at least {lo} plies"),
    }
}

/// What a verdict goes on with.
#[must_use]
pub fn in_plies(distance: Option<Plies>) -> String {
    match distance {
        None => String::new(),
        Some(Plies { lo: 0 | 1, hi: None }) => ", in how many plies is not known".into(),
        Some(known) => format!(" {}", plies(known)),
    }
}

/// Puts quick wins first, and among losses those that take longest.
pub fn best_first(moves: &mut [&MoveValue]) {
    moves.sort_by_key(|value| {
        let plies = value.distance.map_or(i64::MAX, |plies| i64::from(plies.lo));
        if value.tone == Tone::Loss { plies.saturating_neg() } else { plies }
    });
}

/// How a line ends, where it is not with the end of the game.
#[must_use]
pub fn end_field(end: LineEnd) -> String {
    let words = match end {
        LineEnd::GameOver => return String::new(),
        LineEnd::Repetition => "which repeats a position".into(),
        LineEnd::Database(None) => "database from here".into(),
        LineEnd::Database(Some(1)) => "database from here, 1 ply to the end".into(),
        LineEnd::Database(Some(plies)) => format!("database from here, {plies} plies to the end"),
        LineEnd::Knowledge => "from here the game's knowledge tells the value".into(),
        LineEnd::Open => "no further move is proved to keep the value".into(),
    };
    out::field("line end", &words)
}

/// The same for JSON.
#[must_use]
pub const fn end_word(end: LineEnd) -> &'static str {
    match end {
        LineEnd::GameOver => "game over",
        LineEnd::Repetition => "repetition",
        LineEnd::Database(_) => "database",
        LineEnd::Knowledge => "knowledge",
        LineEnd::Open => "open",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_in_words() {
        let words = |lo, hi| in_plies(Some(Plies { lo, hi }));
        assert_eq!(words(41, Some(41)), " in 41 plies");
        assert_eq!(words(1, Some(1)), " in 1 ply");
        assert_eq!(words(23, Some(41)), " in 23 to 41 plies");
        assert_eq!(words(23, None), " in at least 23 plies");
        assert_eq!(words(0, None), ", in how many plies is not known");
        assert_eq!(in_plies(None), "");
    }
}
