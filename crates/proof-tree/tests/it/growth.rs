//! Jobs that grow with the proof.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use zermelo_erased::{AnyGame, Catalogue, EngineConfig, EngineId};
use zermelo_game::Bounds;
use zermelo_proof_tree::manager::JobGrowth;
use zermelo_proof_tree::prover::{Local, Maker, Prover};
use zermelo_proof_tree::source::Giver;
use zermelo_proof_tree::transport::Threads;
use zermelo_proof_tree::tree::ProofTree;
use zermelo_proof_tree::{Job, JobOutcome, Manager, ManagerConfig};

/// Limits of jobs in nodes, and what they visited, in the order in which they were done.
type Seen = Arc<Mutex<Vec<(Option<u64>, u64)>>>;

/// An engine of ours that notes what its jobs may take.
struct Noting<'g> {
    local: Local<'g>,
    seen: Seen,
}

impl Prover for Noting<'_> {
    fn prove(&mut self, job: &Job, cancel: &Arc<AtomicBool>) -> JobOutcome {
        let outcome = self.local.prove(job, cancel);
        self.seen.lock().unwrap().push((job.nodes, outcome.nodes));
        outcome
    }
}

/// Proves with jobs that grow, or goes on with it, and says what jobs there were.
fn prove(
    dir: &std::path::Path,
    growth: Option<JobGrowth>,
    nodes: Option<u64>,
    ours: bool,
    cancel: Option<Arc<AtomicBool>>,
) -> (Bounds, Vec<(Option<u64>, u64)>) {
    let game: Arc<dyn AnyGame> = Arc::from(Catalogue::standard().open("nogo 4x4").unwrap());
    let tree = ProofTree::open(game.clone(), dir, None).unwrap();
    let seen = Seen::default();
    let noted = seen.clone();
    let make = move |use_it: &mut dyn FnMut(&mut dyn Prover)| {
        let local = Local::new(&*game, EngineConfig::new(EngineId::Dfpn));
        use_it(&mut Noting { local, seen: noted.clone() });
    };
    let maker = match ours {
        true => Maker::engines(make),
        false => Maker::outsiders(Giver::Outside("noting".into()), make),
    };
    let config = ManagerConfig {
        nodes,
        millis: None,
        memory: 1 << 20,
        growth,
        cancel,
        ..ManagerConfig::default()
    };
    let mut provers = Threads::new(1, &maker);
    let found = Manager::new(tree, config, &mut provers, &mut ()).prove(None, &[]).unwrap();
    let seen = seen.lock().unwrap().clone();
    (found.bounds, seen)
}

#[test]
fn limits_follow_what_was_visited() {
    let growth = JobGrowth { first: 50, part: 20 };
    // Which jobs wait when a limit is chosen depends on how the threads run, and so do the limits; what follows holds each time.
    for _ in 0..3 {
        let dir = tempfile::tempdir().unwrap();
        let (bounds, jobs) = prove(dir.path(), Some(growth), None, true, None);
        assert!(bounds.is_exact());
        assert!(jobs.len() > 20, "{jobs:?}");
        // It may lag behind, and never runs ahead.
        let (mut visited, mut last) = (0, 0);
        for &(limit, nodes) in &jobs {
            let limit = limit.unwrap();
            assert!(limit >= 50 && limit <= 50.max(visited / 20), "{limit} after {visited}");
            assert!(limit >= last, "{jobs:?}");
            (last, visited) = (limit, visited + nodes);
        }
        assert!(last > 50, "{jobs:?}");
    }
    // No more than is allowed anyway.
    let other = tempfile::tempdir().unwrap();
    let (_, bounded) = prove(other.path(), Some(growth), Some(60), true, None);
    assert!(bounded.iter().all(|(limit, _)| *limit <= Some(60)));
}

#[test]
fn fixed_limits_and_those_of_others_do_not_grow() {
    for (growth, ours) in [(None, true), (Some(JobGrowth { first: 50, part: 20 }), false)] {
        let dir = tempfile::tempdir().unwrap();
        let (bounds, jobs) = prove(dir.path(), growth, Some(300), ours, None);
        assert!(bounds.is_exact() && jobs.iter().all(|(limit, _)| *limit == Some(300)), "{jobs:?}");
    }
}

#[test]
fn a_proof_that_goes_on_does_not_begin_with_small_jobs_again() {
    let dir = tempfile::tempdir().unwrap();
    let (_, jobs) = prove(dir.path(), None, Some(2_000), true, None);
    let visited: u64 = jobs.iter().map(|(_, nodes)| nodes).sum();
    let game: Arc<dyn AnyGame> = Arc::from(Catalogue::standard().open("nogo 4x4").unwrap());
    let store = ProofTree::open(game, dir.path(), None).unwrap().store().visited().unwrap();
    assert_eq!(store, visited);
}
