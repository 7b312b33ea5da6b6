//! The perfect player: the move to make in the game that a session plays.
//!
//! A move that keeps the value is not enough where positions can repeat: a player who shuffles keeps every value. Whoever has won
//! makes progress: by distances from a database or from a search, so that the distance falls with every move; else by a
//! strategy that a certificate would contain, which has no cycle, so that play along it ends. Each of the two repeats no position
//! that it has come through itself, but may lead to what was on the board before. So distances are trusted only if this position
//! is nearer to the end than all that the game has met; else a strategy is followed on, if there is one, or a search asks for the
//! fastest win that avoids all of that. Whoever has lost takes a draw by repetition if the opponent allows it, and
//! otherwise resists as long as it can. In a draw the player prefers a move after which the opponent has the most ways to go wrong.

use super::Session;
use super::solving::LinePosition;
use super::text::in_words;
use crate::{AnySession, CertificateRequest, EngineConfig, Observer, PlayReason, PlayedMove};
use std::time::Instant;
use zermelo_certificate::check::CheckLimits;
use zermelo_certificate::write::StrategyLayout;
use zermelo_certificate::{Provenance, Walk, walk};
use zermelo_game::boxed::{BoxShape, ByteMove, BytePosition};
use zermelo_game::distance::winner_of;
use zermelo_game::{
    Bounds, Limits, MoveList, Notation, Player, Plies, Progress, Report, Rules, Stop,
};

/// A strategy that is being followed: from the position after so many moves of the session.
pub(super) struct Followed {
    walk: Box<dyn Walk>,
    claim: usize,
    from: usize,
    /// The position it begins at, as text.
    root: String,
}

/// A move, the distance before it where it is known, and why.
type Choice = (String, Option<Plies>, PlayReason);

impl<S: BoxShape> Session<'_, S> {
    /// The move of the perfect player. The limits hold for each search that it needs: for the value, for distances, for a strategy.
    pub(super) fn best_move(
        &mut self,
        config: &EngineConfig,
        limits: &Limits,
        observer: Observer,
    ) -> Option<PlayedMove> {
        let allowed = self.allowed();
        let report = self.solve_in_game(config, limits, observer);
        let turn = self.turn();
        let (bounds, stop) = (report.bounds, report.stop);
        let mut played = PlayedMove {
            mv: report.best.clone().or_else(|| allowed.first().cloned())?,
            bounds,
            distance: None,
            reason: if bounds.is_exact() { PlayReason::Value } else { PlayReason::Guess },
            stop,
            stats: report.stats,
        };
        let choice = match winner_of(bounds) {
            Some(winner) if winner == turn => {
                self.win(&played.mv, bounds, &allowed, config, limits)
            }
            Some(winner) => self.resist(winner, bounds, &allowed, config, limits),
            None if bounds.is_exact() => {
                Some((self.by_traps(&played.mv, bounds), None, PlayReason::Value))
            }
            None => None,
        };
        if let Some((mv, distance, reason)) = choice.filter(|(mv, ..)| allowed.contains(mv)) {
            (played.mv, played.distance, played.reason) = (mv, distance, reason);
        }
        Some(played)
    }

    /// The move of a player who has won; `favourite` keeps the value.
    fn win(
        &mut self,
        favourite: &str,
        bounds: Bounds,
        allowed: &[String],
        config: &EngineConfig,
        limits: &Limits,
    ) -> Option<Choice> {
        let winner = self.turn();
        let soon = self.by_distance(winner, config, limits);
        if let Some((_, Some(plies), _)) = soon
            && let Some(plies) = plies.value()
            && self.none_is_nearer(winner, plies, config.threads(), limits)
        {
            return soon;
        }
        let by_strategy = |mv| Some((mv, None, PlayReason::Strategy));
        let stays = |mv: &String| allowed.contains(mv);
        if let Some(mv) = self.followed_move().filter(stays) {
            return by_strategy(mv);
        }
        if soon.is_some()
            && let Some(choice) = self.by_new_ways(winner, config, limits)
        {
            return Some(choice);
        }
        if let Some(mv) = self.by_strategy(bounds, config, limits).filter(stays) {
            return by_strategy(mv);
        }
        let value = || (self.without_repetition(favourite, bounds), None, PlayReason::Value);
        S::CYCLIC.then(value)
    }

    /// The move of a player who has lost.
    fn resist(
        &mut self,
        winner: Player,
        bounds: Bounds,
        allowed: &[String],
        config: &EngineConfig,
        limits: &Limits,
    ) -> Option<Choice> {
        match self.by_repetition(bounds, allowed) {
            Some(mv) => Some((mv, None, PlayReason::Value)),
            None => self.by_distance(winner, config, limits),
        }
    }

    /// Solves the position as the game stands: where the value of a repetition depends on the line, this game's line counts.
    fn solve_in_game(
        &mut self,
        config: &EngineConfig,
        limits: &Limits,
        observer: Observer,
    ) -> Report<String> {
        if !crate::game::path_dependent(self.rules()) || S::SUPERKO {
            return self.solve_here(config, None, limits, observer);
        }
        let past: Vec<BytePosition<S>> = self.past.iter().map(|(p, _)| *p).collect();
        let (rules, p, history) = (self.rules(), self.now, self.history.clone());
        let place = LinePosition { past: &past, position: &p, history: &history };
        let report = self.ask(&place, None, config, limits, &|progress| {
            let line = super::text::texts(rules, &p, &progress.line);
            let Progress { bounds, stats, proof, .. } = *progress;
            observer(&Progress { bounds, stats, line, proof });
        });
        in_words(rules, &p, report)
    }

    /// The fastest move of the winner or the most stubborn of the loser, with the distance.
    fn by_distance(
        &mut self,
        winner: Player,
        config: &EngineConfig,
        limits: &Limits,
    ) -> Option<Choice> {
        let p = self.now;
        let from_database = self.look_up(&p).is_ok_and(|known| known.distance.is_some());
        let found = self.distance_at(&p, winner, config.threads(), limits, &|_, _| {})?;
        let m = found.line.first().filter(|_| found.stop == Stop::Solved)?;
        let reason = if from_database { PlayReason::Database } else { PlayReason::Distance };
        Some((self.rules().move_text(&p, *m), Some(found.plies), reason))
    }

    /// The fastest move of the winner in this game, where all that it has come through is no way to the win.
    fn by_new_ways(
        &mut self,
        winner: Player,
        config: &EngineConfig,
        limits: &Limits,
    ) -> Option<Choice> {
        let found = self.distance_without_repetition(winner, config.threads(), limits)?;
        let m = found.line.first().filter(|_| found.stop == Stop::Solved)?;
        Some((self.rules().move_text(&self.now, *m), Some(found.plies), PlayReason::Distance))
    }

    /// A move of the loser that ends the game by a repetition which is worth more to it than the position.
    fn by_repetition(&mut self, bounds: Bounds, allowed: &[String]) -> Option<String> {
        let turn = self.turn();
        let saves = |mv: &&String| {
            self.play(mv).is_ok_and(|_| {
                let value = self.repetition_now().flatten();
                self.take_back();
                value.is_some_and(|value| value * turn.sign() > bounds.seen_by(turn).hi)
            })
        };
        allowed.iter().find(saves).cloned()
    }

    /// The first move of a new strategy without cycles, which is followed from now on.
    fn by_strategy(
        &mut self,
        bounds: Bounds,
        config: &EngineConfig,
        limits: &Limits,
    ) -> Option<String> {
        self.followed = None;
        // A strategy that ends at a database says nothing of the way on from there.
        if self.databases().is_some() || !S::CYCLIC {
            return None;
        }
        let end = limits.time.map(|time| Instant::now() + time);
        let left = || end.map(|end| end.saturating_duration_since(Instant::now()));
        let limits = Limits { time: left(), ..limits.clone() };
        let request = CertificateRequest {
            layout: StrategyLayout::default(),
            within: None,
            limits: &limits,
            written: &|_| {},
            provenance: Provenance::default(),
        };
        let certificate = self.write_certificate(bounds, Some(config), None, request).ok()?;
        let check = CheckLimits { memory: limits.memory, ..CheckLimits::default() };
        let rules = self.game.rules.clone();
        let superko = rules.superko();
        let walk = walk::open(rules, superko, &certificate, &check).ok()?;
        let turn = self.turn();
        let claim = walk.claims().iter().position(|claim| claim.claimant == turn)?;
        let (from, root) = (self.past.len(), self.position());
        self.followed = Some(Followed { walk, claim, from, root });
        self.followed_move()
    }

    /// The next move of the strategy that is being followed, if the game has not left it.
    fn followed_move(&self) -> Option<String> {
        let Followed { walk, claim, from, root } = self.followed.as_ref()?;
        let begun = match self.past.get(*from) {
            Some((p, _)) => self.rules().position_text(p),
            None if self.past.len() == *from => self.position(),
            None => return None,
        };
        if begun != *root {
            return None;
        }
        let since = &self.past[*from..];
        let moves: Vec<String> = since.iter().map(|(p, m)| self.rules().move_text(p, *m)).collect();
        let moves: Vec<&str> = moves.iter().map(String::as_str).collect();
        let place = walk.at(*claim, &moves).ok()??;
        place.steps.into_iter().next().map(|step| step.mv)
    }

    /// A move that keeps the value and does not repeat a position of this game, if one is known; else `favourite`.
    fn without_repetition(&self, favourite: &str, bounds: Bounds) -> String {
        let rules = self.rules();
        let met = |m: ByteMove<S>| {
            let next = rules.play(&self.now, m);
            self.past.iter().any(|(p, _)| *p == next)
        };
        if self.read(favourite).is_ok_and(|m| !met(m)) {
            return favourite.into();
        }
        let turn = rules.turn(&self.now);
        let keeps = |m: &ByteMove<S>| {
            let known = self.known_of(&rules.play(&self.now, *m));
            known.seen_by(turn).lo >= bounds.seen_by(turn).lo && !met(*m)
        };
        let other = self.legal().iter().find(keeps);
        other.map_or_else(|| favourite.into(), |m| rules.move_text(&self.now, m))
    }

    /// Of the moves that are known to keep a draw the one after which most of the opponent's replies lose, as far as that is known
    /// without a search.
    fn by_traps(&self, favourite: &str, bounds: Bounds) -> String {
        let rules = self.rules();
        if !self.game.has_own_values() {
            return favourite.into();
        }
        let turn = rules.turn(&self.now);
        let value = bounds.seen_by(turn).lo;
        // Replies that lose, of all replies.
        let traps = |m: ByteMove<S>| -> (u64, u64) {
            let next = rules.play(&self.now, m);
            let mut replies = MoveList::new();
            if rules.outcome(&next).is_none() {
                rules.moves(&next, &mut replies);
            }
            let loses = |r| self.known_of(&rules.play(&next, r)).seen_by(turn).lo > value;
            let lost = replies.iter().filter(|&r| loses(r)).count() as u64;
            (lost, replies.len().max(1) as u64)
        };
        let more = |one: (u64, u64), other: (u64, u64)| one.0 * other.1 > other.0 * one.1;
        let mut best = match self.read(favourite) {
            Ok(m) => (traps(m), m),
            Err(_) => return favourite.into(),
        };
        for m in self.legal().iter() {
            let known = self.known_of(&rules.play(&self.now, m)).seen_by(turn);
            let found = traps(m);
            if known.lo >= value && more(found, best.0) {
                best = (found, m);
            }
        }
        rules.move_text(&self.now, best.1)
    }

    /// What is known of a position without a search: by the rules, by databases, by the tables of the engine that was asked last.
    fn known_of(&self, p: &BytePosition<S>) -> Bounds {
        let game = self.game.whole();
        let own = game.static_bounds(p);
        let table = self.seat.as_ref().and_then(|seat| seat.engine.known(p));
        match table.filter(|_| self.game.has_own_values()) {
            Some(known) => own.meet(known).unwrap_or(own),
            None => own,
        }
    }
}
