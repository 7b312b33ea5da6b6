//! What is missing, and which of it goes to provers next.

use super::Manager;
use crate::Failure;
use crate::graph::Id;
use crate::job::Job;
use crate::missing::{Region, State, questions};
use crate::numbers::{Choice, Numbers, Pick};
use zermelo_any::SURE;
use zermelo_game::Bounds;

/// Jobs that wait, for each prover.
const QUEUE: usize = 4;
/// Looking for work may take one part of so many.
const LOOKING: u32 = 25;
/// Looking again although enough jobs wait may take one part of so many.
const AGAIN: u32 = 50;

impl Manager<'_> {
    /// Whether it is time to look: few jobs wait, or what waits was chosen without the latest news and a look costs little.
    pub(super) fn wants_a_look(&self, provers: usize) -> bool {
        self.out.len() < 2 * provers
            || self.news && self.looked_at.is_none_or(|at| self.since(at) >= self.looked * AGAIN)
    }

    /// Says what is missing, and offers it to the provers.
    pub(super) fn look(&mut self, root: Id, provers: usize) -> Result<(), Failure> {
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
                    open.push(Numbers::new(self.tree.graph(), region, self.threshold));
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
        self.looked = self.since(clock);
        self.looked_at = Some(self.transport.now());
        self.commit(false)
    }

    /// Keeps what was settled by facts alone.
    fn conclude(&mut self, region: &Region) -> Result<(), Failure> {
        let (values, t) = (self.tree.graph().values, region.question.at_least);
        let settled = region.ids.iter().zip(&region.state).filter_map(|(&id, state)| match state {
            State::Yes => Some((id, Bounds { lo: t, hi: values.hi })),
            State::No => Some((id, Bounds { lo: values.lo, hi: t - 1 })),
            State::Open => None,
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
        mut open: Vec<Numbers>,
        one: bool,
        provers: usize,
    ) -> Result<bool, Failure> {
        let roots: Vec<[u32; 2]> = open.iter().map(Numbers::root).collect();
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
        let most =
            (QUEUE * provers).max((rate * self.looked.as_secs_f64() * f64::from(LOOKING)) as usize);
        let share = most.div_ceil(open.len());
        let mut picks: Vec<(Pick, i16)> = Vec::new();
        for numbers in &mut open {
            let choice = Choice { most: share, busy: Some(&self.busy), claims: Some(&self.claims) };
            let t = numbers.region.question.at_least;
            picks.extend(numbers.choose(self.tree.graph(), &choice).into_iter().map(|p| (p, t)));
        }
        let mut grown = false;
        for (Pick { leaf, .. }, at_least) in picks {
            if self.tree.graph().node(leaf).tried() {
                self.tree.expand(leaf)?;
                grown = true;
            } else if !self.busy.contains(&leaf) {
                let job = self.job(leaf, at_least);
                self.offer(job, leaf, 0, None);
            }
        }
        Ok(grown)
    }

    /// Numbers for readers: of the root and its children, along the line that would be followed, and of the grandchildren.
    fn write_numbers(&mut self, open: &[Numbers], one: bool) -> Result<(), Failure> {
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

    fn job(&self, leaf: Id, at_least: i16) -> Job {
        let Bounds { lo, hi } = self.tree.graph().node(leaf).bounds;
        Job {
            id: 0,
            game: self.tree.game().full_name(),
            rules: self.rules.clone(),
            database: self.config.database.clone(),
            position: self.tree.text(leaf).to_owned(),
            lo,
            hi,
            first: Some(at_least),
            threshold: self.threshold,
            audit: false,
            nodes: self.config.nodes,
            millis: self.config.millis,
            memory: self.config.memory,
        }
    }
}
