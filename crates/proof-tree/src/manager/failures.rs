//! Jobs that fail. A position that a prover has failed on three times goes to an engine of ours, if there is one beside the
//! provers; otherwise it is set aside: it is taken apart, and its moves are looked at instead. How often a prover has
//! failed on a position stands in the store, so that neither offering a job again nor a restart begins anew.
//!
//! Provers that fail many times in a row are asked no more. When nobody is left to be asked, the run ends with the
//! reason. Warnings are few: the first ones are told, and then how many there were.

use super::{Manager, Out};
use crate::graph::Id;
use crate::transport::Desk;
use crate::{JobOutcome, ProofTreeFailure};
use rustc_hash::FxHashMap;
use zermelo_game::counted;
use zermelo_game::outside::printable;

/// A position is given to a prover so often.
const TRIES: u32 = 3;
/// When so many jobs in a row have failed, for each prover, nobody there is asked any more.
const IN_A_ROW: u32 = 12;
/// So many failures are told one by one.
const TOLD: u64 = 5;
/// Those who are asked, the first choice first.
const DESKS: [Desk; 2] = [Desk::Provers, Desk::Engines];

/// What failed at one desk.
#[derive(Default)]
pub(super) struct Failures {
    /// The name of the provers there, in the store.
    name: String,
    /// How often, by position; in this run and before.
    tries: FxHashMap<Id, u32>,
    in_a_row: u32,
    /// How many in a row were too many, once they were.
    given_up: Option<u32>,
    /// How many jobs failed in this run, and why the last one did.
    count: u64,
    last: String,
    /// How many positions were set aside.
    aside: u64,
}

fn index(desk: Desk) -> usize {
    usize::from(desk == Desk::Engines)
}

impl Manager<'_> {
    /// Reads how often provers have failed in earlier runs.
    pub(super) fn load_failures(&mut self) -> Result<(), ProofTreeFailure> {
        let names = [self.transport.giver().name().to_owned(), "our engine".into()];
        for (failures, name) in self.failures.iter_mut().zip(names) {
            failures.tries = self.tree.store().tries(&name)?.into_iter().collect();
            failures.name = name;
        }
        Ok(())
    }

    /// Who is to be asked about a position; `None` if all have failed on it.
    pub(super) fn desk(&self, leaf: Id) -> Option<Desk> {
        DESKS.into_iter().find(|&desk| {
            let Failures { tries, given_up, .. } = &self.failures[index(desk)];
            let tries = tries.get(&leaf).copied().unwrap_or(0);
            self.transport.has(desk) && given_up.is_none() && tries < TRIES
        })
    }

    /// Why nobody can be asked any more, if that is so.
    pub(super) fn nobody_left(&self) -> Option<String> {
        let asked = |desk: &Desk| self.transport.has(*desk);
        let mut words = Vec::new();
        for desk in DESKS.into_iter().filter(asked) {
            let Failures { name, given_up, last, .. } = &self.failures[index(desk)];
            let times = (*given_up)?;
            words.push(format!("{name} failed {times} times in a row, at last: {last}"));
        }
        Some(words.join("; "))
    }

    /// How many jobs have failed in this run, and how many positions were set aside.
    pub(super) fn failed_so_far(&self) -> [u64; 2] {
        let [provers, engines] = &self.failures;
        [provers.count + engines.count, provers.aside]
    }

    /// A job did not fail.
    pub(super) fn succeeded(&mut self, desk: Desk) {
        self.failures[index(desk)].in_a_row = 0;
    }

    /// A job failed: somebody else may try.
    pub(super) fn failed(&mut self, out: Out, error: &str) -> Result<(), ProofTreeFailure> {
        // One that was cut short is no prover's failure.
        if self.interrupted() {
            return Ok(());
        }
        if let Some(audit) = out.audits {
            return self.audit_failed(audit, error);
        }
        let position = printable(self.tree.text(out.node)).into_owned();
        let provers = u32::try_from(self.transport.provers()).unwrap_or(u32::MAX);
        let limit = IN_A_ROW.saturating_mul(provers.max(1));
        let failures = &mut self.failures[index(out.desk)];
        let tries = failures.tries.entry(out.node).or_default();
        *tries += 1;
        let tries = *tries;
        failures.count += 1;
        failures.in_a_row += 1;
        failures.last = printable(error).into_owned();
        let Failures { count, in_a_row, .. } = *failures;
        let (last, name) = (failures.last.clone(), failures.name.clone());
        if count <= TOLD {
            let words = format!("a job about {position} failed (try {tries} of {TRIES}): {last}");
            self.observer.warn(&words);
        } else if count.is_power_of_two() {
            self.observer
                .warn(&format!("{} failed so far, the last one: {last}", counted(count, "job")));
        }
        if in_a_row >= limit && failures.given_up.is_none() {
            failures.given_up = Some(limit);
            let goes_on = out.desk == Desk::Provers && self.transport.has(Desk::Engines);
            let then = if goes_on { ": an engine of ours goes on alone" } else { "" };
            let words = format!("{name} failed {limit} times in a row and is asked no more{then}");
            self.observer.warn(&words);
        }
        self.tree.store().set_tries(out.node, &name, tries)
    }

    /// Takes a position apart that nobody can prove.
    pub(super) fn set_aside(&mut self, leaf: Id) -> Result<(), ProofTreeFailure> {
        let aside = &mut self.failures[0].aside;
        *aside += 1;
        if *aside <= TOLD {
            let position = printable(self.tree.text(leaf));
            let words = format!("{position} is set aside: its moves are looked at instead");
            self.observer.warn(&words);
        }
        let outcome = JobOutcome { tried: true, ..JobOutcome::default() };
        self.tree.tried(leaf, &outcome, self.threshold)?;
        self.tree.expand(leaf)
    }

    /// Tells how many failures there were, if not all were told.
    pub(super) fn sum_up_failures(&mut self) {
        let [failed, aside] = self.failed_so_far();
        if failed > TOLD || aside > TOLD {
            let words = format!(
                "failures in all: {}, {} set aside",
                counted(failed, "job"),
                counted(aside, "position")
            );
            self.observer.warn(&words);
        }
    }
}
