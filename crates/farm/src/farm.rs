//! The manager's side: a [`Transport`] whose provers are elsewhere.

use crate::office::{Office, Said};
use crate::wire::{LEASE, Sign, Task};
use crate::{Address, Trouble};
use std::time::{Duration, Instant};
use zermelo_manager::transport::{Doing, Transport};
use zermelo_manager::{Job, Outcome};

/// What is waited for outcomes when all is to end.
const PARTING: Duration = Duration::from_secs(3);

/// Provers that take their jobs from a farm.
pub struct Farm {
    office: Office,
}

impl Farm {
    /// Opens the farm's gate for a new run: jobs and outcomes of earlier runs are thrown away.
    pub fn open(address: &Address) -> Result<Farm, Trouble> {
        Ok(Farm { office: Office::open(address, false)? })
    }

    /// The next outcome. Groups of slices that somebody has worked out for others are of no use here.
    fn receive(&self, wait: Duration) -> Option<Outcome> {
        match self.office.answers.recv_timeout(wait).ok()? {
            Said::Outcome(outcome) => Some(outcome),
            Said::Made { message, .. } => {
                let ack = async { drop(tokio::time::timeout(LEASE, message.ack()).await) };
                self.office.runtime.block_on(ack);
                None
            }
        }
    }
}

impl Transport for Farm {
    fn offer(&mut self, job: Job) {
        self.office.offer(Task::Job(job));
    }

    /// What has not come back a moment after all was to end is given up.
    fn take(&mut self, wait: Duration) -> Option<Outcome> {
        let Some(since) = self.office.shared.state().cancelled else {
            return self.receive(wait);
        };
        let left = PARTING.saturating_sub(since.elapsed());
        if let Some(outcome) = self.receive(left.min(wait)) {
            return Some(outcome);
        }
        if left > wait {
            return None;
        }
        let mut state = self.office.shared.state();
        let id = *state.flying.keys().next()?;
        match state.flying.remove(&id)?.task {
            Task::Job(job) => Some(Outcome::failed(&job, "ended before it was begun")),
            Task::Group(_) => None,
        }
    }

    fn withdraw(&mut self) -> Vec<u64> {
        self.office.shared.state().waiting.drain(..).map(|task| task.id()).collect()
    }

    fn doing(&self) -> Vec<Doing> {
        let mut state = self.office.shared.state();
        state.present();
        let doing = |(sign, heard): &(Sign, Instant)| {
            let (position, millis) = sign.doing.clone()?;
            Some((position, Duration::from_millis(millis) + heard.elapsed()))
        };
        state.provers.values().map(doing).collect()
    }

    fn cancel(&mut self) {
        self.office.cancel();
    }
}
