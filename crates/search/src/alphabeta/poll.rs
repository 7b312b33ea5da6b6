//! What a thread does every thousand nodes: report, look at the limits, show itself, and find out
//! whether other threads have made its work superfluous.

use super::worker::{GROW, OUT, PathNode, RUN, Worker};
use std::sync::atomic::Ordering::Relaxed;
use zermelo_game::{Knowledge, MoveList, Progress, Rules, Stats};

impl<R: Rules, K: Knowledge<R>> Worker<'_, R, K> {
    /// Tells watch and table what happened since the last time.
    pub(super) fn report(&mut self) {
        self.quota = self.shared.watch.spend(self.fresh);
        self.shared.table.count(self.filled);
        self.stats.nodes += self.fresh;
        (self.fresh, self.filled) = (0, 0);
    }

    /// Reports, and finds out whether to go on. On `false` the search unwinds.
    #[cold]
    pub(super) fn poll(&mut self) -> bool {
        self.report();
        let shared = self.shared;
        if shared.phase.load(Relaxed) == RUN && shared.table.wants_to_grow() {
            shared.phase.store(GROW, Relaxed);
        }
        if self.quota == 0 || shared.phase.load(Relaxed) != RUN {
            self.unwind = OUT;
            return false;
        }
        if shared.watch.time_to_show() {
            self.show();
        }
        self.polls += 1;
        if !shared.busy.is_empty() && self.polls.is_multiple_of(4) {
            // BusyNodes cost a little: keep them to about one node in fifty.
            match self.marked {
                0..40 => self.marked_ply += 1,
                120.. => self.marked_ply -= 1,
                _ => {}
            }
            self.marked = 0;
            if let Some(ply) = self.settled_ancestor() {
                self.unwind = ply;
                return false;
            }
        }
        true
    }

    /// The first node of the current line that the table has an answer for by now.
    fn settled_ancestor(&self) -> Option<i32> {
        let settled = |s: &PathNode<R::Key>| {
            s.alpha < s.beta
                && self.shared.table.get(s.key).is_some_and(|e| e.lo >= s.beta || e.hi <= s.alpha)
        };
        self.line.iter().position(settled).map(|ply| ply as i32)
    }

    #[cold]
    fn show(&self) {
        let game = self.shared.game;
        let mut line = Vec::new();
        let mut p = self.shared.asked;
        for step in self.line.iter().skip_while(|s| s.alpha >= s.beta).skip(1).take(12) {
            let mut list = MoveList::new();
            if game.outcome(&p).is_none() {
                game.moves(&p, &mut list);
            }
            let next = |m| game.key(&game.canonical(&game.play(&p, m))) == step.key;
            let Some(m) = list.iter().find(|&m| next(m)) else { break };
            line.push(m);
            p = game.play(&p, m);
        }
        let stats = Stats {
            nodes: self.shared.watch.nodes(),
            elapsed: self.shared.watch.elapsed(),
            table_bytes: self.shared.table.bytes(),
            table_permille: self.shared.table.permille(),
            ..self.stats
        };
        (self.shared.observer)(&Progress { bounds: self.shared.known, stats, line, proof: None });
    }
}
