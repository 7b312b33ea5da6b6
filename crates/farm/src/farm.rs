//! The manager's side: a [`Transport`] whose provers are elsewhere.

use crate::dispatcher::{Dispatcher, Presence, Received};
use crate::wire::{FarmTask, LEASE};
use crate::{Address, FarmFailure};
use std::time::Duration;
use zermelo_game::outside::printable;
use zermelo_proof_tree::source::Giver;
use zermelo_proof_tree::transport::{Desk, Doing, JobAnswer, Transport};
use zermelo_proof_tree::{Job, JobOutcome};

/// What is waited for outcomes when all is to end.
const PARTING: Duration = Duration::from_secs(3);

/// Provers that take their jobs from a farm.
///
/// Nobody can tell for certain who of its workers said what: all that comes from there is of one giver.
pub struct Farm {
    dispatcher: Dispatcher,
    giver: Giver,
}

impl Farm {
    /// Opens the farm for a new run: jobs and outcomes of earlier runs are thrown away.
    pub fn open(address: &Address) -> Result<Farm, FarmFailure> {
        let giver = Giver::Outside("farm".into());
        Ok(Farm { dispatcher: Dispatcher::open(address, false)?, giver })
    }

    /// The next outcome. Groups of slices that somebody has worked out for others are of no use here.
    fn receive(&self, wait: Duration) -> Option<JobOutcome> {
        match self.dispatcher.answers.recv_timeout(wait).ok()? {
            Received::Outcome(outcome) => Some(outcome),
            Received::Made { message, .. } => {
                let ack = async { drop(tokio::time::timeout(LEASE, message.ack()).await) };
                self.dispatcher.runtime.block_on(ack);
                None
            }
        }
    }
}

impl Farm {
    /// The next outcome. What has not come back a moment after all was to end is given up.
    fn next(&self, wait: Duration) -> Option<JobOutcome> {
        let Some(since) = self.dispatcher.shared.state().cancelled else {
            return self.receive(wait);
        };
        let left = PARTING.saturating_sub(since.elapsed());
        if let Some(outcome) = self.receive(left.min(wait)) {
            return Some(outcome);
        }
        if left > wait {
            return None;
        }
        let mut state = self.dispatcher.shared.state();
        let id = *state.flying.keys().next()?;
        match state.flying.remove(&id)?.task {
            FarmTask::Job(job) => Some(JobOutcome::failed(&job, "ended before it was begun")),
            FarmTask::Group(_) => None,
        }
    }
}

impl Transport for Farm {
    fn offer(&mut self, job: Job, _: Desk) {
        self.dispatcher.offer(FarmTask::Job(job));
    }

    /// Workers may be anybody. None of them audits others.
    fn has(&self, desk: Desk) -> bool {
        desk == Desk::Provers
    }

    fn giver(&self) -> Giver {
        self.giver.clone()
    }

    fn take(&mut self, wait: Duration) -> Option<JobAnswer> {
        let outcome = self.next(wait)?;
        Some(JobAnswer { outcome, giver: self.giver.clone() })
    }

    fn withdraw(&mut self) -> Vec<u64> {
        self.dispatcher.shared.state().waiting.drain(..).map(|task| task.id()).collect()
    }

    fn doing(&self) -> Vec<Doing> {
        let mut state = self.dispatcher.shared.state();
        state.present();
        let doing = |prover: &Presence| {
            let (position, millis) = prover.sign.doing.clone()?;
            let since = Duration::from_millis(millis).saturating_add(prover.heard.elapsed());
            Some((printable(&position).into_owned(), since))
        };
        state.provers.values().map(doing).collect()
    }

    fn cancel(&mut self) {
        self.dispatcher.cancel();
    }
}
