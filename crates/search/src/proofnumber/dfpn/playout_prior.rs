//! Numbers of leaves and an order of moves from Monte-Carlo playouts.
//!
//! Before the search for the answer to a question, a Monte-Carlo search plays so many games from the root, as it
//! does for alpha-beta (Cazenave, Monte Carlo Game Solver, 2020, who names proof-number search
//! as work to come). What it leaves behind says how likely each move of a position is to be played:
//! by the visits of the positions behind them where it knows them well; elsewhere by the policy that it has
//! learned (softmax of the weights), unless the game has an order of its own, which is the better one. A
//! move that is e times less likely than the likeliest one costs [`UNIT`] in the numbers of the leaf
//! behind it, at most [`MOST_SURPRISE`]. What playouts settle is proved and goes into the table, but for the
//! root, which is left to the search.

use super::Dfpn;
use super::record::NumbersEntry;
use crate::montecarlo::{self, ENOUGH, MovePrior};
use crate::proofnumber::ProverRun;
use crate::proofnumber::view::{ChildMove, QuestionView};
use crate::table::Table;
use zermelo_game::{Game, Knowledge, Progress, Rules, sort_by_score};

/// What a factor of e in likelihood is worth.
const UNIT: f32 = 2.0;
/// The largest cost.
const MOST_SURPRISE: f32 = 40.0;

/// Sorts moves by how likely they are, and gives each a score of minus what its unlikeliness costs. Returns
/// false, and changes nothing, where the game's own order is to be kept.
pub fn rank<R: Rules, K: Knowledge<R>>(
    game: Game<R, K>,
    p: &R::Position,
    prior: &MovePrior<R::Key>,
    replies: &mut [ChildMove<R>],
) -> bool {
    let visits = |r: &ChildMove<R>| prior.visits(r.key);
    let known = replies.iter().map(visits).sum::<u32>() > ENOUGH;
    // The most promising comes first.
    let ordered = replies.first().map(|r| r.score) != replies.last().map(|r| r.score);
    if ordered && !known {
        return false;
    }
    let likelihood = |r: &ChildMove<R>| match known {
        true => (visits(r) as f32 + 1.0).ln(),
        false => prior.weight(game.pattern(p, r.mv)) as f32 / MovePrior::<R::Key>::UNITS,
    };
    let most = replies.iter().map(likelihood).fold(f32::MIN, f32::max);
    for reply in replies.iter_mut() {
        let surprise = UNIT * (most - likelihood(reply));
        reply.score = -(surprise.min(MOST_SURPRISE).round() as i32);
    }
    sort_by_score(replies, |r| r.score);
    true
}

impl<R: Rules, K: Knowledge<R>> Dfpn<'_, R, K> {
    /// Plays for a question that was not played for yet.
    pub(super) fn learn(
        &mut self,
        view: &QuestionView<R, K>,
        run: &ProverRun<R>,
        p: &R::Position,
        table: usize,
    ) {
        let at_least = view.question.at_least;
        if self.config.playouts == 0 || self.priors.iter().any(|(t, _)| *t == at_least) {
            return;
        }
        let start = run.watch.elapsed();
        let bytes: u64 = self.tables.iter().map(|(_, table)| table.bytes()).sum();
        let memory = self.limits.memory.saturating_sub(bytes);
        let config = montecarlo::Config { seed: self.config.seed, ..Default::default() };
        let mut search =
            montecarlo::Search::new(self.game, p, view.question, &config, memory).below(&self.past);
        let before = self.stats;
        search.run(run.watch, self.config.playouts, false, &mut |search| {
            let mut stats = before;
            search.add_to(&mut stats);
            stats.elapsed = run.watch.elapsed();
            let (bounds, line) = (run.known, search.line());
            (run.observer)(&Progress { bounds, stats, line, proof: None });
        });
        self.stats.playouts += search.playouts();
        self.stats.playout_time += run.watch.elapsed() - start;
        let table: &Table<_, _> = &self.tables[table].1;
        let root = self.game.canonical(p);
        for (q, facts) in search.settled() {
            let turn = self.game.turn(q);
            let q = self.game.canonical(q);
            if let Some(numbers) = view.numbers(facts.seen_by(turn), turn)
                && q != root
            {
                let known = NumbersEntry { numbers, work: 0, note: 0 };
                table.count(u64::from(table.put(self.game.key(&q), &known)));
            }
        }
        self.priors.push((at_least, search.prior()));
    }
}
