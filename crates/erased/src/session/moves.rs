//! The values of all moves of a position.

use super::Session;
use super::solving::LinePosition;
use super::text::{in_words, texts};
use crate::{EngineConfig, MoveValue, MoveValues, Observer, tone};
use zermelo_game::boxed::{BoxShape, ByteMove, BytePosition};
use zermelo_game::{
    Bounds, Contradiction, Level, Limits, Notation, Player, Progress, Report, Rules, Stats, Stop,
    best_of_moves,
};

impl<S: BoxShape> Session<'_, S> {
    /// A move is worth what play comes to that goes on from it, the position it is made in being part of the line: only so
    /// is the best move worth what the position is worth. So no board may be repeated that stood before (superko), and
    /// where the value of a repetition depends on the line (it loses, goes by parity, is forbidden, or leaves all as
    /// it stands) it is a repetition to come to this position again. To ask about the position after a move by
    /// itself is another question there, with a line that begins anew. Where a repetition has a fixed value positions have
    /// values of their own, and a move is worth the position after it.
    ///
    /// No move is worth more than the position, to the player who makes it; so after a lost
    /// position is solved its moves need no search, and the best move never does.
    pub(super) fn solve_each_move(
        &mut self,
        config: &EngineConfig,
        limits: &Limits,
        observer: Observer,
    ) -> Result<MoveValues, Contradiction> {
        let (game, p) = (self.game.whole(), self.now);
        let rules = self.rules();
        let turn = rules.turn(&p);
        let mut report = self.solve_here(config, None, limits, observer);
        let (root, all) = (report.bounds, rules.values());
        let cap = match turn {
            Player::First => Bounds::new(all.lo, root.hi),
            Player::Second => Bounds::new(root.lo, all.hi),
        };
        let mut moves = Vec::new();
        for m in self.legal().iter() {
            let after = rules.play(&p, m);
            let mv = rules.move_text(&p, m);
            let mut bounds = game.static_bounds(&after).meet(cap)?;
            if root.is_exact() && report.best.as_ref() == Some(&mv) {
                bounds = bounds.meet(root)?;
            }
            if !bounds.is_exact() {
                match limits.after(&report.stats) {
                    Err(stop) => report.stop = stop,
                    Ok(limits) => {
                        let so_far = report.stats;
                        let found = self.solve_after(m, config, &limits, &|progress| {
                            let mut line = vec![mv.clone()];
                            line.extend_from_slice(&progress.line);
                            let stats = in_sequence(&so_far, &progress.stats);
                            observer(&Progress { bounds: root, stats, line, proof: None });
                        });
                        bounds = bounds.meet(found.bounds)?;
                        if !root.is_exact() {
                            report.rests_on_history |= found.rests_on_history;
                        }
                        report.stats = in_sequence(&so_far, &found.stats);
                        if !bounds.is_exact() {
                            report.stop = found.stop;
                        }
                    }
                }
            }
            let (tone, place) = (tone(bounds, turn), rules.footprint(&p, m));
            moves.push(MoveValue { mv, bounds, distance: None, tone, place });
        }
        conclude(&mut report, &moves, turn, all)?;
        Ok(MoveValues { report, moves })
    }

    /// Asks about the position after a move, this position being part of the line.
    pub(super) fn solve_after(
        &mut self,
        m: ByteMove<S>,
        config: &EngineConfig,
        limits: &Limits,
        observer: Observer,
    ) -> Report<String> {
        let (rules, p) = (self.rules(), self.now);
        let after = rules.play(&p, m);
        // A position with a value of its own is worth that, whatever came before.
        let past: &[BytePosition<S>] = if crate::game::path_dependent(rules) { &[p] } else { &[] };
        let mut history = self.history.clone();
        history.push(rules, &after);
        let place = LinePosition { past, position: &after, history: &history };
        let found = self.ask(&place, None, config, limits, &|progress| {
            let line = texts(rules, &after, &progress.line);
            let Progress { bounds, stats, proof, .. } = *progress;
            observer(&Progress { bounds, stats, line, proof });
        });
        in_words(rules, &after, found)
    }
}

/// What the moves say of a position whose own search left its value open: it is worth its best move.
fn conclude(
    report: &mut Report<String>,
    moves: &[MoveValue],
    turn: Player,
    all: Bounds,
) -> Result<(), Contradiction> {
    let seen = |m: &MoveValue| m.bounds.seen_by(turn);
    let best = best_of_moves(turn, moves.iter().map(|m| m.bounds));
    let (false, Some(bounds)) = (report.bounds.is_exact(), best) else { return Ok(()) };
    report.bounds = report.bounds.meet(bounds)?;
    let proved = report.bounds.seen_by(turn).lo;
    let keeps = |m: &&MoveValue| seen(m).lo >= proved;
    if proved > all.seen_by(turn).lo {
        let favourite = moves.iter().find(|m| keeps(m) && report.best.as_ref() == Some(&m.mv));
        let best = favourite.or_else(|| moves.iter().find(keeps));
        let exact = report.bounds.is_exact();
        if best.is_some() || exact {
            report.best = best.map(|m| m.mv.clone());
            report.line = report.best.iter().cloned().collect();
        }
    }
    if report.bounds.is_exact() {
        report.level = Some(if report.best.is_some() { Level::Weak } else { Level::UltraWeak });
        if moves.iter().all(|m| m.bounds.is_exact()) {
            report.stop = Stop::Solved;
        }
    }
    Ok(())
}

/// The cost of one search after another.
fn in_sequence(first: &Stats, then: &Stats) -> Stats {
    let mut sum = *first;
    sum.merge(then);
    sum.elapsed = first.elapsed + then.elapsed;
    sum
}
