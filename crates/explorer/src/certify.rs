//! Making certificates: a position is searched, what was proved is written down, and our checker checks it, in a thread that
//! takes turns with the searches. What is made is kept in memory, the newest so many; a client downloads what it wants to keep.

use crate::library::{CheckState, Making, ServedProof};
use crate::limits::RequestLimits;
use crate::middleware::Permit;
use crate::scheduler::Turns;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::time::{Duration, SystemTime};
use zermelo_certificate::write::StrategyLayout;
use zermelo_certificate::{Certificate, Provenance, check::CheckLimits};
use zermelo_erased::{AnyGame, Catalogue, CertificateRequest, EngineConfig, EngineId, with_room};
use zermelo_game::{Bounds, Limits, Stop};

/// What is to be made.
pub struct CertifyRequest {
    /// The games there are.
    pub catalogue: Catalogue,
    /// The game, without databases: a certificate that rests on one is checked by those who have it.
    pub game: Box<dyn AnyGame>,
    /// The position.
    pub position: String,
    /// How long searching and writing may take.
    pub time: Duration,
    /// Whether bounds say enough to be worth a certificate.
    pub enough: fn(Bounds, Bounds) -> bool,
}

/// Makes a certificate in a thread of its own, and puts it into `proof`. Fails if the system gives no thread.
pub fn start(
    request: CertifyRequest,
    proof: Arc<ServedProof>,
    turns: Turns,
    limits: &RequestLimits,
    permit: Permit,
) -> std::io::Result<()> {
    // A quarter of what all of them may have.
    let (memory, most) = (limits.job_memory, limits.made_bytes / 4);
    std::thread::Builder::new().name("certificate".into()).spawn(move || {
        let _permit = permit;
        let run = Run { request, proof, turns, memory, most, late: false.into() };
        if run.turns.wait(|| run.wanted()) {
            let made = catch_unwind(AssertUnwindSafe(|| with_room(|| run.make())));
            match made {
                Ok(Ok(())) => {}
                Ok(Err(why)) => run.proof.set(CheckState::Failed(why)),
                Err(_) => run.proof.set(CheckState::Failed("a fault of the server".into())),
            }
        }
        run.turns.end();
    })?;
    Ok(())
}

struct Run {
    request: CertifyRequest,
    proof: Arc<ServedProof>,
    turns: Turns,
    memory: u64,
    /// The most bytes of a certificate.
    most: u64,
    late: AtomicBool,
}

impl Run {
    fn wanted(&self) -> bool {
        !self.proof.is_unwanted()
    }

    /// Ends what is at work when its time is over or nobody wants it, and gives the others their turns.
    fn look(&self, making: Making) {
        self.proof.set(CheckState::Making(making));
        if self.turns.ran() >= self.request.time {
            self.late.store(true, SeqCst);
            self.proof.cancel.store(true, SeqCst);
        }
        self.turns.give_way(|| self.wanted());
    }

    fn make(&self) -> Result<(), String> {
        let CertifyRequest { catalogue, game, position, enough, .. } = &self.request;
        let engine = EngineConfig::new(EngineId::Auto);
        let limits = Limits {
            memory: self.memory,
            cancel: Some(self.proof.cancel.clone()),
            ..Limits::default()
        };
        let mut session = game.session();
        session.set_position(position).map_err(|e| e.to_string())?;
        let mut report = session.solve(&engine, &limits, &|progress| {
            self.look(Making::Searching { nodes: progress.stats.nodes });
        });
        if self.late.load(SeqCst) && report.stop == Stop::Interrupted {
            report.stop = Stop::OutOfTime;
        }
        if !enough(report.bounds, game.values()) {
            return Err(format!(
                "nothing that is worth a certificate was proved: {}",
                report.stop.word()
            ));
        }
        let searched = self.turns.ran();
        let nodes = report.stats.nodes;
        self.proof.set(CheckState::Making(Making::Writing { nodes, positions: 0 }));
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let provenance = Provenance {
            by: format!("zermelo {}", env!("CARGO_PKG_VERSION")),
            solver: engine.id().word().into(),
            options: "1 thread, in the explorer".into(),
            nodes,
            seconds: [searched.as_secs_f64(), 0.0],
            seed: engine.seed(),
            time: since.as_secs(),
            ..Provenance::default()
        };
        let written = |positions: u64| self.look(Making::Writing { nodes, positions });
        let request = CertificateRequest {
            layout: StrategyLayout::default(),
            within: None,
            limits: &limits,
            written: &written,
            provenance,
        };
        let mut certificate =
            session.certify(report.bounds, &engine, request).map_err(|failure| {
                match (self.late.load(SeqCst), self.wanted()) {
                    (true, true) => "the time was over before it was written".to_owned(),
                    _ => failure.to_string(),
                }
            })?;
        drop(session);
        certificate.header.made.seconds[1] = (self.turns.ran() - searched).as_secs_f64();
        if certificate.size() > self.most {
            return Err(format!(
                "it has {} bytes, and this server keeps {} at most",
                certificate.size(),
                self.most
            ));
        }
        // What is checked is what is downloaded.
        let bytes = certificate.bytes();
        let again = Certificate::read(&bytes).map_err(|refusal| refusal.to_string())?;
        self.proof.written(bytes, &again);
        let limits =
            CheckLimits { threads: 1, memory: self.memory, cancel: Some(&self.proof.cancel) };
        // The time was for searching and writing.
        if self.wanted() {
            self.proof.cancel.store(false, SeqCst);
        }
        self.proof.set(match catalogue.walk(&again, &limits) {
            Ok(walk) => CheckState::Proved(walk.into()),
            Err(refusal) => CheckState::Refused(refusal.to_string()),
        });
        Ok(())
    }
}
