//! How soon a won position of a session is won, and lines of play that get there.

use super::Session;
use super::certify::certify_within;
use super::text::texts;
use crate::database::Databases;
use crate::{AnySession, CertificateRequest, DistanceObserver, LineEnd, MoveValues};
use zermelo_certificate::{Certificate, WriteFailure};
use zermelo_game::boxed::{BoxShape, ByteMove, BytePosition};
use zermelo_game::distance::winner_of;
use zermelo_game::{
    Boxed, BoxedKnowledge, Claim, Limits, Notation, Player, Plies, Report, Rules, Stop,
};
use zermelo_search::distance::{DistanceReport, DistanceSolver, KnownDistance, has_distances};

/// A searcher of distances with its tables, and what it was made for.
pub(super) struct DistanceSeat<'g, S: BoxShape> {
    threads: usize,
    memory: u64,
    pub(super) solver: DistanceSolver<'g, Boxed<S>, BoxedKnowledge<S>>,
}

/// A searcher of distances for which what a game has come through is no way to a win.
pub(super) struct Avoiding<'g, S: BoxShape> {
    met: Vec<BytePosition<S>>,
    winner: Player,
    solver: DistanceSolver<'g, Boxed<S>, BoxedKnowledge<S>>,
}

/// Whether a player needs more than so many plies from each of these positions, or does not win; false where a limit struck first.
fn all_take_more<S: BoxShape>(
    solver: &mut DistanceSolver<Boxed<S>, BoxedKnowledge<S>>,
    positions: &[BytePosition<S>],
    winner: Player,
    within: u32,
    limits: &Limits,
    known: Option<KnownDistance<Boxed<S>>>,
) -> bool {
    // The last ones first: where distances have fallen before, the table knows them.
    let more = |p| solver.takes_more(p, winner, within, limits, known).unwrap_or(false);
    positions.iter().rev().all(more)
}

/// What databases tell of the distance of a position.
fn told_by<'d, S: BoxShape>(
    rules: &'d Boxed<S>,
    databases: Option<&'d Databases<S>>,
) -> Option<impl Fn(&BytePosition<S>) -> Option<u32> + Sync + 'd> {
    let databases = databases?;
    Some(move |p: &BytePosition<S>| databases.look_up(rules, p).ok()?.distance)
}

/// The shortest search that is made for a line: nodes.
const LEAST_NODES: u64 = 20_000;

impl<'g, S: BoxShape> Session<'g, S> {
    /// How soon a player wins at a position; `None` if wins have no distances in this game.
    pub(super) fn distance_at(
        &mut self,
        p: &BytePosition<S>,
        winner: Player,
        threads: usize,
        limits: &Limits,
        observer: DistanceObserver,
    ) -> Option<DistanceReport<ByteMove<S>>> {
        let (game, databases) = (self.game.whole(), self.databases());
        if !has_distances(game.rules(), winner) {
            return None;
        }
        let known = told_by(game.rules(), databases);
        let known = known.as_ref().map(|known| known as _);
        let seat = self.distance_seat(threads, limits.memory);
        Some(seat.solver.solve(p, winner, limits, known, observer))
    }

    /// Whether no position of this game is nearer to the win than so many plies: then play by falling distances, from a position
    /// that is so far from it, repeats none of them. False also where a limit struck first.
    pub(super) fn none_is_nearer(
        &mut self,
        winner: Player,
        plies: u32,
        threads: usize,
        limits: &Limits,
    ) -> bool {
        let Some(nearer) = plies.checked_sub(1).filter(|_| S::CYCLIC) else { return true };
        let (game, databases) = (self.game.whole(), self.databases());
        let known = told_by(game.rules(), databases);
        let known = known.as_ref().map(|known| known as _);
        let met: Vec<BytePosition<S>> = self.met().collect();
        let solver = &mut self.distance_seat(threads, limits.memory).solver;
        all_take_more(solver, &met, winner, nearer, limits, known)
    }

    /// How soon a player wins in the game that this session plays, where all that was on the board is no way to a win as a repetition
    /// would end the game.
    pub(super) fn distance_without_repetition(
        &mut self,
        winner: Player,
        threads: usize,
        limits: &Limits,
    ) -> Option<DistanceReport<ByteMove<S>>> {
        let (game, databases, now) = (self.game.whole(), self.databases(), self.now);
        if !has_distances(game.rules(), winner) {
            return None;
        }
        let known = told_by(game.rules(), databases);
        let known = known.as_ref().map(|known| known as _);
        let met: Vec<BytePosition<S>> = self.met().collect();
        // What the game has come through since the searcher was made is farther from the end, if the moves were its own.
        if let Some(avoiding) = &mut self.avoiding
            && met.starts_with(&avoiding.met)
            && avoiding.winner == winner
        {
            let solver = &mut avoiding.solver;
            let found = solver.solve(&now, winner, limits, known, &|_, _| {});
            let since = &met[avoiding.met.len()..];
            if found.plies.value().is_some_and(|plies| {
                let nearer = plies.saturating_sub(1);
                all_take_more(solver, since, winner, nearer, limits, known)
            }) {
                return Some(found);
            }
        }
        let solver = DistanceSolver::new(game, threads, limits.memory / 2).avoiding(&met);
        let avoiding = self.avoiding.insert(Avoiding { met, winner, solver });
        Some(avoiding.solver.solve(&now, winner, limits, known, &|_, _| {}))
    }

    /// The positions that this game has come through.
    fn met(&self) -> impl Iterator<Item = BytePosition<S>> {
        self.past.iter().map(|(p, _)| *p)
    }

    /// The searcher of distances with these settings; it keeps its tables while they stay the same.
    fn distance_seat(&mut self, threads: usize, memory: u64) -> &mut DistanceSeat<'g, S> {
        // One table for each player who may win.
        let memory = memory / 2;
        let fits = |seat: &DistanceSeat<S>| (seat.threads, seat.memory) == (threads, memory);
        let kept = self.distances.take().filter(fits);
        let game = self.game.whole();
        self.distances.insert(kept.unwrap_or_else(|| {
            let solver = DistanceSolver::new(game, threads, memory);
            DistanceSeat { threads, memory, solver }
        }))
    }

    /// A certificate that a claim holds and play ends within so many plies, by the fastest wins. It rests on no database, though one
    /// may say which moves are fastest.
    pub(super) fn certify_fastest(
        &mut self,
        claim: Claim,
        plies: u32,
        threads: usize,
        request: CertificateRequest,
    ) -> Result<Certificate, WriteFailure> {
        let (erased, p, databases) = (self.game, self.now, self.databases());
        if !has_distances(&*erased.rules, claim.claimant) {
            let why = format!("wins have no distances in {}", erased.rules.name());
            return Err(WriteFailure::Unsupported(why));
        }
        let known = told_by(&erased.rules, databases);
        let known = known.as_ref().map(|known| known as _);
        let limits = request.limits;
        let seat = self.distance_seat(threads, limits.memory);
        let mut source = seat.solver.strategy(claim.claimant, limits, known);
        certify_within(erased, &p, claim, plies, &mut source, request)
    }

    /// The distances of moves whose values are known, in `found`: the plies from the position that the session is at.
    pub(super) fn measure_each_move(
        &mut self,
        found: &mut MoveValues,
        threads: usize,
        limits: &Limits,
        observer: DistanceObserver,
    ) {
        let rules = self.rules();
        let start = std::time::Instant::now();
        let mut nodes = 0;
        for value in &mut found.moves {
            let Some(winner) = winner_of(value.bounds) else { continue };
            let Ok(m) = self.read(&value.mv) else { continue };
            let after = rules.play(&self.now, m);
            let left = Limits {
                time: limits.time.map(|time| time.saturating_sub(start.elapsed())),
                nodes: limits.nodes.map(|limit| limit.saturating_sub(nodes)),
                ..limits.clone()
            };
            let told = |plies: Plies, stats: &_| observer(plies.before(), stats);
            let report = self.distance_at(&after, winner, threads, &left, &told);
            let Some(report) = report else { continue };
            nodes += report.stats.nodes;
            value.distance = Some(report.plies.before());
        }
    }

    /// Makes the line of a report one that never repeats a position, and in a won game where positions can repeat the
    /// shortest, if a search of little more work finds it. Where values depend on the line of play it stays as it is.
    pub(super) fn complete(&mut self, report: &mut Report<String>, limits: &Limits) -> LineEnd {
        let repeats = S::CYCLIC && self.game.has_own_values();
        if let (Some(winner), true) = (winner_of(report.bounds), repeats) {
            let nodes = LEAST_NODES.max(report.stats.nodes / 4);
            let nodes = Some(limits.nodes.map_or(nodes, |limit| limit.min(nodes)));
            let (p, few) = (self.now, Limits { nodes, ..limits.clone() });
            let found = self.distance_at(&p, winner, 1, &few, &|_, _| {});
            match found.filter(|found| found.stop == Stop::Solved && !found.line.is_empty()) {
                Some(found) => report.line = texts(self.rules(), &p, &found.line),
                None => self.cut_cycles(&mut report.line),
            }
            if report.line.is_empty() {
                report.line.extend(report.best.clone());
            }
            report.best = report.line.first().cloned();
        }
        self.end_of(&report.line)
    }

    /// Takes out of a line what leads from a position back to it: the rest is play as good as before.
    fn cut_cycles(&self, line: &mut Vec<String>) {
        let rules = self.rules();
        let (mut p, mut kept) = (self.now, vec![(self.now, String::new())]);
        for mv in line.drain(..) {
            let Ok(m) = rules.parse_move(&p, &mv) else { break };
            p = rules.play(&p, m);
            match kept.iter().position(|(q, _)| *q == p) {
                Some(at) => kept.truncate(at + 1),
                None => kept.push((p, mv)),
            }
        }
        line.extend(kept.into_iter().skip(1).map(|(_, mv)| mv));
    }

    /// How a line ends that begins here.
    fn end_of(&self, line: &[String]) -> LineEnd {
        let rules = self.rules();
        let (mut p, mut before) = (self.now, Vec::new());
        for mv in line {
            let Ok(m) = rules.parse_move(&p, mv) else { return LineEnd::Open };
            before.push(p);
            p = rules.play(&p, m);
        }
        if rules.outcome(&p).is_some() {
            return LineEnd::GameOver;
        }
        if S::CYCLIC && before.contains(&p) {
            return LineEnd::Repetition;
        }
        match self.look_up(&p) {
            Ok(known) if known.bounds.is_exact() => LineEnd::Database(known.distance),
            _ if self.game.whole().static_bounds(&p).is_exact() => LineEnd::Knowledge,
            _ => LineEnd::Open,
        }
    }

    /// The repetition that the moves of this session have come to, if they have: its value, `None` if the last move was
    /// not allowed.
    pub(super) fn repetition_now(&self) -> Option<Option<i16>> {
        if !S::CYCLIC {
            return None;
        }
        let before = self.past.iter().rposition(|(p, _)| *p == self.now)?;
        Some(self.rules().repeated(&self.now, self.past.len() - before))
    }

    /// The moves as text that do not bring a forbidden repetition.
    pub(super) fn allowed(&mut self) -> Vec<String> {
        let moves = self.moves();
        if self.rules().repetition().stuck().is_none() {
            return moves;
        }
        let allowed = |mv: &String| {
            self.play(mv).is_ok_and(|_| {
                let allowed = self.repetition_now() != Some(None);
                self.take_back();
                allowed
            })
        };
        moves.into_iter().filter(allowed).collect()
    }
}
