//! What is missing, and which of it goes to provers next.

use super::Manager;
use crate::ProofTreeFailure;
use crate::graph::Id;
use crate::job::Job;
use crate::missing::{AnswerState, Region, questions};
use crate::numbers::{LeafSelection, Pick, RegionNumbers};
use crate::source::Giver;
use crate::transport::Desk;
use zermelo_erased::SURE;
use zermelo_game::Bounds;

/// Jobs that wait, for each prover.
const QUEUE: usize = 4;
/// The share of the time that scheduling may take is one part of so many.
const SCHEDULING: u32 = 25;
/// The same for scheduling again although enough jobs wait.
const AGAIN: u32 = 50;

impl Manager<'_> {
    /// Whether it is time to schedule: few jobs wait, or what waits was chosen without the latest outcomes and choosing again
    /// costs little.
    pub(super) fn is_schedule_due(&self, provers: usize) -> bool {
        self.busy.len() < 2 * provers
            || self.news
                && self.scheduled_at.is_none_or(|at| self.since(at) >= self.scheduling * AGAIN)
    }

    /// Says what is missing, and offers it to the provers.
    pub(super) fn schedule(&mut self, root: Id, provers: usize) -> Result<(), ProofTreeFailure> {
        self.news = false;
        let clock = self.transport.now();
        loop {
            let bounds = self.tree.graph().node(root).bounds;
            if bounds.is_exact() {
                break;
            }
            let mut open = Vec::new();
            (self.region, self.numbers) = ([0; 2], [None; 2]);
            let mut asked = questions(self.tree.graph().values, bounds);
            // Where nothing was ever found to be between a win and a loss, the two questions are one as far as is known.
            let one = asked.len() > 1 && self.threshold.is_none() && !self.tree.graph().between();
            if one {
                asked.truncate(1);
            }
            for question in asked {
                let region = Region::new(self.tree.graph(), root, question, self.threshold);
                if self.threshold.is_none() {
                    self.conclude(&region)?;
                }
                if region.answer().is_none() {
                    self.region[0] = self.region[0].max(region.len() as u64);
                    self.region[1] = self.region[1].max(region.frontier() as u64);
                    open.push(RegionNumbers::new(self.tree.graph(), region, self.threshold));
                }
            }
            if self.tree.graph().node(root).bounds.is_exact() {
                break;
            }
            if open.is_empty() {
                self.grow();
                continue;
            }
            self.calm();
            let grown = self.choose(open, one, provers)?;
            if !grown {
                break;
            }
        }
        self.scheduling = self.since(clock);
        self.scheduled_at = Some(self.transport.now());
        self.commit(false)
    }

    /// Keeps what was settled by facts alone.
    fn conclude(&mut self, region: &Region) -> Result<(), ProofTreeFailure> {
        let (values, t) = (self.tree.graph().values, region.question.at_least);
        let settled = region.ids.iter().zip(&region.state).filter_map(|(&id, state)| match state {
            AnswerState::Yes => Some((id, Bounds { lo: t, hi: values.hi })),
            AnswerState::No => Some((id, Bounds { lo: values.lo, hi: t - 1 })),
            AnswerState::Open => None,
        });
        self.tree.conclude(settled)
    }

    /// All questions are answered within the threshold: the next one.
    fn grow(&mut self) {
        let [_, step, last] = self.config.thresholds;
        self.threshold = self.threshold.and_then(|t| {
            let next = (2 * t).max(t + step.max(1));
            (next <= last.min(SURE)).then_some(next)
        });
    }

    /// Chooses leaves of the open questions and makes jobs of them. True if positions were taken apart instead, so that
    /// there is more to choose from. `one`: the answer to one question is taken for that of the other.
    fn choose(
        &mut self,
        mut open: Vec<RegionNumbers>,
        one: bool,
        provers: usize,
    ) -> Result<bool, ProofTreeFailure> {
        let roots: Vec<[u32; 2]> = open.iter().map(RegionNumbers::root).collect();
        for (numbers, &root) in open.iter().zip(&roots) {
            let wins = numbers.region.question.at_least == 1;
            if wins {
                self.numbers[0] = Some(root);
            }
            // That the second player wins is shown by no.
            if !wins || one {
                self.numbers[1] = Some([root[1], root[0]]);
            }
        }
        self.write_numbers(&open, one)?;
        // A win of one player answers both questions: where that looks nearer, the other can wait.
        if let [win, draw] = roots[..] {
            if win[0] < win[1] {
                open.truncate(1);
            } else if draw[1] < draw[0] {
                open.remove(0);
            }
        }
        let rate = self.done[0] as f64 / self.since(self.start).as_secs_f64().max(0.1);
        let most = (QUEUE * provers)
            .max((rate * self.scheduling.as_secs_f64() * f64::from(SCHEDULING)) as usize);
        let share = most.div_ceil(open.len());
        let mut picks: Vec<(Pick, i16)> = Vec::new();
        for numbers in &mut open {
            let choice =
                LeafSelection { most: share, busy: Some(&self.busy), claims: Some(&self.claims) };
            let t = numbers.region.question.at_least;
            picks.extend(numbers.choose(self.tree.graph(), &choice).into_iter().map(|p| (p, t)));
        }
        let mut grown = false;
        for (Pick { leaf, .. }, at_least) in picks {
            if self.tree.graph().node(leaf).tried() {
                self.tree.expand(leaf)?;
                grown = true;
            } else if self.busy.contains(&leaf) {
                // It was chosen for another question already.
            } else if let Some(desk) = self.desk(leaf) {
                let mut job = self.job(leaf, at_least);
                job.nodes = self.nodes_now(desk);
                self.offer(job, leaf, desk, None);
            } else if self.nobody_left().is_none() {
                self.set_aside(leaf)?;
                grown = true;
            }
        }
        Ok(grown)
    }

    /// Numbers for readers: of the root and its children, along the line that would be followed, and of the grandchildren.
    fn write_numbers(&mut self, open: &[RegionNumbers], one: bool) -> Result<(), ProofTreeFailure> {
        for all in open {
            let region = &all.region;
            let mut shown = vec![0u32];
            for at in all.line() {
                shown.extend(region.children(at));
            }
            for &child in region.children(0) {
                shown.extend(region.children(child as usize));
            }
            for at in shown.into_iter().map(|at| at as usize).take(1000) {
                let [yes, no] = all.numbers[at];
                let (id, store) = (region.ids[at], self.tree.store());
                let wins = region.question.at_least == 1;
                if wins {
                    store.set_numbers(id, true, [yes, no])?;
                }
                if !wins || one {
                    store.set_numbers(id, false, [no, yes])?;
                }
            }
        }
        Ok(())
    }

    /// Positions that a job for this desk may visit now. Those of others do not grow: they count positions in their own way,
    /// or not at all, and on a farm a small job costs more than it saves.
    fn nodes_now(&self, desk: Desk) -> Option<u64> {
        let ours = desk == Desk::Provers && self.transport.giver() == Giver::Engine;
        let Some(growth) = self.config.growth.filter(|_| ours) else { return self.config.nodes };
        let grown = growth.nodes(self.visited_before.saturating_add(self.done[2]));
        Some(self.config.nodes.map_or(grown, |most| most.min(grown)))
    }

    pub(super) fn job(&self, leaf: Id, at_least: i16) -> Job {
        let Bounds { lo, hi } = self.tree.graph().node(leaf).bounds;
        Job {
            id: 0,
            game: self.identity.game.clone(),
            rules_version: self.identity.rules_version,
            rules: self.rules.clone(),
            database: self.config.database.clone(),
            position: self.tree.text(leaf).to_owned(),
            lo,
            hi,
            first: Some(at_least),
            threshold: self.threshold,
            audit: false,
            audited: None,
            nodes: self.config.nodes,
            millis: self.config.millis,
            memory: self.config.memory,
        }
    }
}
