//! An engine that was compiled for a game, asked by those who know the game boxed.

use crate::engine::{BoxedStrategy, Engine, KnownBounds, Observer, Task};
use crate::loops::pack_progress;
use zermelo_game::boxed::{BoxShape, ByteMove, BytePosition, pack_move, pack_position};
use zermelo_game::{
    Bounds, Boxed, Claim, Contradiction, History, Limits, MoveList, Progress, Question, Report,
    Rules, StrategySource, SuperkoRule,
};

/// An engine for the game in the box. Positions and moves are copied once a question, never inside a search.
pub struct Unboxed<'g, R: Rules> {
    rules: &'g R,
    superko: SuperkoRule<R>,
    engine: Box<dyn Engine<R> + 'g>,
}

impl<'g, R: Rules> Unboxed<'g, R> {
    /// Wraps an engine for these rules.
    #[must_use]
    pub fn new(
        rules: &'g R,
        superko: SuperkoRule<R>,
        engine: Box<dyn Engine<R> + 'g>,
    ) -> Unboxed<'g, R> {
        Unboxed { rules, superko, engine }
    }
}

impl<R: Rules, S: BoxShape<Key = R::Key>> Engine<Boxed<S>> for Unboxed<'_, R> {
    fn solve(
        &mut self,
        task: &Task<Boxed<S>>,
        observer: Observer<ByteMove<S>>,
    ) -> Report<ByteMove<S>> {
        let past: Vec<R::Position> = task.past.iter().map(|p| *p.get()).collect();
        let history = History::from_boards(self.superko, task.history.boards());
        let task = Task {
            position: task.position.get(),
            past: &past,
            history: &history,
            initial: task.initial,
            limits: task.limits,
        };
        let report = self.engine.solve(&task, &|progress: &Progress<R::Move>| {
            observer(&pack_progress::<R, S>(progress));
        });
        report.map(pack_move::<R, S>)
    }

    fn is_forgetful(&self) -> bool {
        self.engine.is_forgetful()
    }

    fn known(&self, p: &BytePosition<S>) -> Option<Bounds> {
        self.engine.known(p.get())
    }

    fn numbers(&self, p: &BytePosition<S>, question: Question) -> Option<[u32; 2]> {
        self.engine.numbers(p.get(), question)
    }

    fn strategy<'s>(
        &'s mut self,
        claim: Claim,
        limits: &Limits,
        facts: Option<KnownBounds<'s, Boxed<S>>>,
    ) -> Option<BoxedStrategy<'s, Boxed<S>>> {
        let rules = self.rules;
        let facts = facts.map(|facts| -> KnownBounds<'s, R> {
            Box::new(move |p| facts(&pack_position::<R, S>(rules, *p)))
        });
        let source = self.engine.strategy(claim, limits, facts)?;
        Some(Box::new(UnboxedStrategy { rules, source }))
    }
}

/// A strategy for the game in the box.
struct UnboxedStrategy<'s, R: Rules> {
    rules: &'s R,
    source: BoxedStrategy<'s, R>,
}

impl<R: Rules, S: BoxShape<Key = R::Key>> StrategySource<Boxed<S>> for UnboxedStrategy<'_, R> {
    fn choose(
        &mut self,
        p: &BytePosition<S>,
        symmetry_key: R::Key,
        moves: &MoveList<ByteMove<S>>,
    ) -> Option<ByteMove<S>> {
        let mut list = MoveList::new();
        moves.scored().iter().for_each(|s| list.push_scored(*s.mv.get(), s.score));
        self.source.choose(p.get(), symmetry_key, &list).map(pack_move::<R, S>)
    }

    fn choose_after(&mut self, p: &BytePosition<S>, boards: &[R::Key]) -> Option<ByteMove<S>> {
        self.source.choose_after(p.get(), boards).map(pack_move::<R, S>)
    }

    fn alternatives(&mut self, p: &BytePosition<S>, out: &mut Vec<ByteMove<S>>) {
        let mut list = Vec::new();
        self.source.alternatives(p.get(), &mut list);
        out.extend(list.into_iter().map(pack_move::<R, S>));
    }

    fn reprove(&mut self, p: &BytePosition<S>) -> bool {
        self.source.reprove(p.get())
    }

    fn prefetch(&mut self, p: &BytePosition<S>, symmetry_key: R::Key) {
        self.source.prefetch(p.get(), symmetry_key);
    }

    fn is_stopped(&self) -> bool {
        self.source.is_stopped()
    }

    fn searched(&self) -> u64 {
        self.source.searched()
    }

    fn contradiction(&self) -> Option<(Contradiction, BytePosition<S>)> {
        let (error, p) = self.source.contradiction()?;
        Some((error, pack_position::<R, S>(self.rules, p)))
    }
}
