//! The inner loops of alpha-beta and df-pn, apart from the engines around them.
//!
//! What an engine does once a question (tables, playouts, lines of play, strategies, reports) is most of its code and takes next
//! to none of its time; what it does at each node is the reverse. So an engine may see its game
//! [boxed](zermelo_game::boxed), and be compiled once for many games, while its inner loop is compiled for the types of the
//! game in the box: [`InnerLoops::inside`]. Positions and moves are then converted once a search; keys are the same, and so all tables are.

use crate::alphabeta::order::Order;
use crate::alphabeta::worker::{self as alphabeta, RootSearch};
use crate::engine::Observer;
use crate::proofnumber::ProverRun;
use crate::proofnumber::dfpn::{self, worker::RootNumbers};
use crate::proofnumber::view::QuestionView;
use std::sync::Arc;
use zermelo_game::boxed::{BoxShape, ByteMove, pack_move};
use zermelo_game::{Boxed, BoxedKnowledge, Game, Knowledge, Progress, Rules, Stats, Value};

/// The inner loops for engines that search a game. A copy costs next to nothing.
pub struct InnerLoops<'g, R: Rules, K: Knowledge<R>>(Arc<dyn Loops<R, K> + 'g>);

impl<R: Rules, K: Knowledge<R>> Clone for InnerLoops<'_, R, K> {
    fn clone(&self) -> Self {
        InnerLoops(self.0.clone())
    }
}

impl<'g, R: Rules, K: Knowledge<R>> InnerLoops<'g, R, K> {
    /// Those compiled for the types that the engine sees.
    #[must_use]
    pub fn own() -> InnerLoops<'g, R, K> {
        InnerLoops(Arc::new(Own))
    }

    /// Alpha-beta for one thread, as [`alphabeta::Worker::run`].
    pub(crate) fn alphabeta(
        &self,
        shared: &alphabeta::Shared<R, K>,
        order: &mut Order,
        task: &RootSearch<R>,
    ) -> (Option<(Value, bool)>, Stats) {
        self.0.alphabeta(shared, order, task)
    }

    /// Df-pn for one of the threads, as [`dfpn::worker::Worker::run`].
    pub(crate) fn dfpn(
        &self,
        shared: &dfpn::Shared<R, K>,
        thread: usize,
        history: &[R::Key],
        root: &R::Position,
    ) -> RootNumbers<R::Move> {
        self.0.dfpn(shared, thread, history, root)
    }
}

impl<'g, S: BoxShape> InnerLoops<'g, Boxed<S>, BoxedKnowledge<S>> {
    /// Those compiled for the game in the box. Its knowledge has to be that which is boxed.
    #[must_use]
    pub fn inside<R: Rules<Key = S::Key>, K: Knowledge<R>>(game: Game<'g, R, K>) -> Self {
        InnerLoops(Arc::new(Inside { game }))
    }
}

/// Why an engine cannot be made.
pub(crate) const NO_LOOPS: &str = "alpha-beta and df-pn are made with inner loops";

/// What [`InnerLoops`] stands for.
trait Loops<R: Rules, K: Knowledge<R>>: Send + Sync {
    fn alphabeta(
        &self,
        shared: &alphabeta::Shared<R, K>,
        order: &mut Order,
        task: &RootSearch<R>,
    ) -> (Option<(Value, bool)>, Stats);

    fn dfpn(
        &self,
        shared: &dfpn::Shared<R, K>,
        thread: usize,
        history: &[R::Key],
        root: &R::Position,
    ) -> RootNumbers<R::Move>;
}

/// Compiled for the types that the engine sees.
struct Own;

impl<R: Rules, K: Knowledge<R>> Loops<R, K> for Own {
    fn alphabeta(
        &self,
        shared: &alphabeta::Shared<R, K>,
        order: &mut Order,
        task: &RootSearch<R>,
    ) -> (Option<(Value, bool)>, Stats) {
        alphabeta::Worker::new(shared, order).run(task)
    }

    fn dfpn(
        &self,
        shared: &dfpn::Shared<R, K>,
        thread: usize,
        history: &[R::Key],
        root: &R::Position,
    ) -> RootNumbers<R::Move> {
        dfpn::worker::Worker::new(shared, thread, history).run(root)
    }
}

/// Compiled for the game in the box.
struct Inside<'g, R: Rules, K: Knowledge<R>> {
    game: Game<'g, R, K>,
}

impl<R, K, S> Loops<Boxed<S>, BoxedKnowledge<S>> for Inside<'_, R, K>
where
    R: Rules,
    K: Knowledge<R>,
    S: BoxShape<Key = R::Key>,
{
    fn alphabeta(
        &self,
        shared: &alphabeta::Shared<Boxed<S>, BoxedKnowledge<S>>,
        order: &mut Order,
        task: &RootSearch<Boxed<S>>,
    ) -> (Option<(Value, bool)>, Stats) {
        let observer = |progress: &Progress<R::Move>| {
            (shared.observer)(&pack_progress::<R, S>(progress));
        };
        let inside = alphabeta::Shared {
            game: self.game,
            table: shared.table,
            horizons: shared.horizons,
            watch: shared.watch,
            observer: &observer,
            asked: *shared.asked.get(),
            known: shared.known,
            prior: shared.prior,
            settings: shared.settings,
            phase: shared.phase,
            busy: shared.busy,
        };
        let RootSearch { history, at_least, alpha, beta, horizon, .. } = *task;
        let root = *task.root.get();
        let task = RootSearch { root, history, at_least, alpha, beta, horizon };
        Own.alphabeta(&inside, order, &task)
    }

    fn dfpn(
        &self,
        shared: &dfpn::Shared<Boxed<S>, BoxedKnowledge<S>>,
        thread: usize,
        history: &[R::Key],
        root: &<Boxed<S> as Rules>::Position,
    ) -> RootNumbers<ByteMove<S>> {
        let observer: Observer<R::Move> =
            &|progress| (shared.run.observer)(&pack_progress::<R, S>(progress));
        let ProverRun { watch, known, facts, .. } = *shared.run;
        let inside = dfpn::Shared {
            view: &QuestionView::new(self.game, shared.view.question),
            run: &ProverRun { watch, observer, known, facts },
            table: shared.table,
            twins: shared.twins,
            fields: shared.fields,
            before: shared.before,
            rule: shared.rule,
            leaf: shared.leaf,
            prior: shared.prior,
            loops: shared.loops,
            room: shared.room,
            epsilon: shared.epsilon,
            simulation: shared.simulation,
            threads: shared.threads,
            patience: shared.patience,
            forgetting: shared.forgetting,
            phase: shared.phase,
            boards: shared.boards,
        };
        let RootNumbers { numbers, best, stats } = Own.dfpn(&inside, thread, history, root.get());
        RootNumbers { numbers, best: best.map(pack_move::<R, S>), stats }
    }
}

/// A report on the way, with its moves as those see them who know the game boxed.
pub(crate) fn pack_progress<R: Rules, S: BoxShape>(
    progress: &Progress<R::Move>,
) -> Progress<ByteMove<S>> {
    let Progress { bounds, stats, proof, .. } = *progress;
    let line = progress.line.iter().map(|&m| pack_move::<R, S>(m)).collect();
    Progress { bounds, stats, line, proof }
}
