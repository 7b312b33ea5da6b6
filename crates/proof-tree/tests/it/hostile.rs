//! Programs that lie, die, flood, are silent or talk nonsense as provers. Each ends with the right value, by an engine of ours
//! that took over or by a contradiction that names the liar, or with an honest reason; in bounded memory, with few
//! warnings, and never with a wrong value that nobody has objected to.

use crate::open;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use zermelo_erased::{EngineConfig, EngineId};
use zermelo_game::Bounds;
use zermelo_proof_tree::external::{LINE, Voice, external};
use zermelo_proof_tree::guarded::Guarded;
use zermelo_proof_tree::manager::ManagerObserver;
use zermelo_proof_tree::prover::local;
use zermelo_proof_tree::source::SourceKind;
use zermelo_proof_tree::transport::Threads;
use zermelo_proof_tree::tree::ProofTree;
use zermelo_proof_tree::{
    Manager, ManagerConfig, ProofTreeFailure, RunEnding, Settled, Status, maintenance,
};

/// The honest prover, up to where it begins to answer: `answer(job)` is there.
const HONEST: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/prover.py");

/// What was seen of a run.
struct Seen {
    end: Result<Settled, ProofTreeFailure>,
    warnings: Vec<String>,
    /// Lines of standard error.
    shown: Vec<String>,
    took: Duration,
}

#[derive(Default)]
struct Ears(Vec<String>);

impl ManagerObserver for Ears {
    fn status(&mut self, _: &Status) {}
    fn warn(&mut self, words: &str) {
        self.0.push(words.into());
    }
}

/// Proves tic-tac-toe with a program whose loop over its jobs is `body`, all facts audited; with an engine of ours
/// that may take over, or without.
fn run(folder: &Path, body: &str, engine: bool) -> Seen {
    let game = open("tictactoe");
    let honest = fs::read_to_string(HONEST).unwrap();
    let (answer, _) = honest.split_once("for line in sys.stdin").unwrap();
    let script = folder.join("prover.py");
    let say = "def say(outcome):\n    print(json.dumps(outcome), flush=True)\n";
    fs::write(&script, format!("{answer}\nimport os, time\n{say}{body}\n")).unwrap();
    let shown = Arc::new(Mutex::new(Vec::new()));
    let heard = shown.clone();
    let voice = Voice::new(move |line| heard.lock().unwrap().push(line.to_owned()));
    let command = vec!["python3".into(), script.to_str().unwrap().into()];
    let maker = external(command, Duration::from_secs(60), voice).unwrap();
    let ours = || Threads::new(1, &local(game.clone(), EngineConfig::new(EngineId::Auto), 1));
    let provers = Box::new(Threads::new(1, &maker));
    let mut guarded = Guarded::new(provers, engine.then(ours), (!engine).then(ours));
    let config = ManagerConfig {
        millis: Some(1000),
        memory: 1 << 20,
        audit: 1000,
        ..ManagerConfig::default()
    };
    let tree = ProofTree::open(game.clone(), &folder.join("store"), None).unwrap();
    let (mut ears, since) = (Ears::default(), Instant::now());
    let end = Manager::new(tree, config, &mut guarded, &mut ears).prove(None, &[]);
    let took = since.elapsed();
    drop(guarded);
    let shown = shown.lock().unwrap().clone();
    maintenance::check(&folder.join("store"), &*game).unwrap();
    let seen = Seen { end, warnings: ears.0, shown, took };
    let all: Vec<&String> = seen.warnings.iter().chain(&seen.shown).collect();
    assert!(all.len() < 50, "{all:?}");
    for line in all {
        assert!(line.len() < 5_000 && !line.chars().any(char::is_control), "{line:?}");
    }
    seen
}

/// With an engine of ours that may take over, it comes to the right value.
fn solved(body: &str) -> Seen {
    let folder = tempfile::tempdir().unwrap();
    let seen = run(folder.path(), body, true);
    let found = seen.end.as_ref().unwrap_or_else(|e| panic!("{e}"));
    assert_eq!((found.bounds, &found.ending), (Bounds::exact(0), &RunEnding::Proved));
    assert_eq!(found.status.audited[1..], [0, 0]);
    seen
}

/// Without one, the run ends with this reason.
fn unsolved(body: &str, why: &str) {
    let folder = tempfile::tempdir().unwrap();
    let seen = run(folder.path(), body, false);
    let found = seen.end.unwrap_or_else(|e| panic!("{e}"));
    let RunEnding::ProversFail(reason) = &found.ending else { panic!("{found:?}") };
    assert!(!found.bounds.is_exact() && reason.contains("12 times in a row"), "{reason}");
    assert!(reason.contains(why), "{reason}");
}

/// The lie is found, the liar named, and an honest prover goes on from there to the right value.
fn caught(body: &str) {
    let folder = tempfile::tempdir().unwrap();
    let seen = run(folder.path(), body, true);
    let Err(ProofTreeFailure::Contradiction(found)) = &seen.end else {
        panic!("{:?}", seen.end.map(|settled| settled.bounds))
    };
    let words = found.to_string();
    let liar = found.liar().unwrap_or_else(|| panic!("{words}"));
    assert!(
        liar.kind == SourceKind::Outside && liar.giver.starts_with("program python3"),
        "{words}"
    );
    let kinds: Vec<SourceKind> = found.statements.iter().map(|s| s.source.kind).collect();
    assert!(kinds.contains(&SourceKind::Outside) && kinds.iter().any(|k| k.is_ours()), "{words}");
    assert_eq!(maintenance::info(&folder.path().join("store")).unwrap().withdrawn, liar.facts);
    let seen =
        run(folder.path(), "for line in sys.stdin:\n    say(answer(json.loads(line)))", true);
    let found = seen.end.unwrap_or_else(|e| panic!("{e}"));
    assert_eq!((found.bounds, found.ending), (Bounds::exact(0), RunEnding::Proved));
}

#[test]
fn one_that_always_lies() {
    caught(
        "for line in sys.stdin:
    say(dict(answer(json.loads(line)), lo=1, hi=1))",
    );
}

#[test]
fn one_that_lies_about_audits_too_under_other_names() {
    caught(
        "names = ['rules', 'zermelo 0.1.0 dfpn', 'our engine', '', 'x' * 100000, '\\x1b[2J']
for line in sys.stdin:
    job = json.loads(line)
    assert not job['audit']
    say(dict(answer(job), lo=1, hi=1, solver=names[job['id'] % len(names)]))",
    );
}

#[test]
fn one_that_lies_after_it_was_honest() {
    // Its bounds for the start are true but weak, then it lies about the moves.
    caught(
        "for line in sys.stdin:
    job = json.loads(line)
    start = job['position'].startswith('.../.../...')
    say({'id': job['id'], 'solver': 's', 'lo': -1 if start else 1, 'hi': 1})",
    );
}

#[test]
fn one_that_dies_at_once() {
    let seen = solved("sys.exit(7)");
    assert!(seen.warnings[0].contains("has ended with status 7"), "{:?}", seen.warnings);
    unsolved("sys.exit(7)", "has ended with status 7");
}

/// Dies on two moves of the start (the corner and the centre), and settles only positions three moves before the end.
const MORTAL: &str = "for line in sys.stdin:
    job = json.loads(line)
    board = job['position'].split()[0].replace('/', '')
    if board.count('.') == 8 and board.index('x') % 2 == 0:
        os.kill(os.getpid(), 9)
    outcome = answer(job)
    if job['position'].count('.') > 6:
        outcome.update(lo=job['lo'], hi=job['hi'])
    say(outcome)";

#[test]
fn one_that_dies_on_two_siblings() {
    let seen = solved(MORTAL);
    assert!(
        seen.warnings.iter().any(|w| w.contains("was ended by SIGKILL")),
        "{:?}",
        seen.warnings
    );
    assert_eq!(seen.end.unwrap().status.failed, [6, 0]);
    // Without us the two are set aside, and the proof works around them.
    let folder = tempfile::tempdir().unwrap();
    let seen = run(folder.path(), MORTAL, false);
    let found = seen.end.unwrap();
    assert_eq!((found.bounds, found.status.failed), (Bounds::exact(0), [6, 2]));
}

#[test]
fn tries_are_counted_over_restarts() {
    let folder = tempfile::tempdir().unwrap();
    // It dies on its first job, of which there is one in each run.
    let game = open("tictactoe");
    let store = folder.path().join("store");
    for run in 1..=3 {
        let voice = Voice::new(|_| {});
        let maker = external(vec!["false".into()], Duration::from_secs(60), voice).unwrap();
        let mut threads = Threads::new(1, &maker);
        let tree = ProofTree::open(game.clone(), &store, None).unwrap();
        // The run ends as soon as it hears of a failure.
        let cancel = Arc::<std::sync::atomic::AtomicBool>::default();
        let mut stop = Stop(cancel.clone(), Vec::new());
        let config = ManagerConfig { cancel: Some(cancel), ..ManagerConfig::default() };
        let found = Manager::new(tree, config, &mut threads, &mut stop).prove(None, &[]).unwrap();
        assert_eq!(found.ending, RunEnding::Interrupted);
        assert!(stop.1[0].contains(&format!("try {run} of 3")), "{:?}", stop.1);
    }
}

/// Ends a run at the first warning.
struct Stop(Arc<std::sync::atomic::AtomicBool>, Vec<String>);

impl ManagerObserver for Stop {
    fn status(&mut self, _: &Status) {}
    fn warn(&mut self, words: &str) {
        self.1.push(words.into());
        self.0.store(true, std::sync::atomic::Ordering::Relaxed);
    }
}

#[test]
fn one_that_never_ends_its_line() {
    let body = "while True:\n    sys.stdout.write('x' * 65536)";
    let seen = solved(body);
    let limit = format!("longer than {LINE} bytes");
    assert!(seen.warnings[0].contains(&limit), "{:?}", seen.warnings);
    unsolved(body, &limit);
}

#[test]
fn one_that_floods_with_lines() {
    solved("while True:\n    sys.stdout.write('{}\\n' * 10000)");
    // Also with lines that are outcomes.
    unsolved("while True:\n    say({'id': 0, 'solver': 's', 'lo': 0, 'hi': 0})", "answers job 0");
}

#[test]
fn one_that_floods_standard_error() {
    let seen = solved(
        "for line in sys.stdin:
    sys.stderr.write('\\x1b[2J\\rproved: the first player wins\\n' * 10000)
    sys.stderr.write('\\x9b' * 1000000)
    sys.stderr.flush()
    say(answer(json.loads(line)))",
    );
    assert!(seen.shown[0].starts_with("python3: \\u{1b}[2J\\rproved"), "{:?}", seen.shown);
    assert!(seen.shown.len() <= 21, "{}", seen.shown.len());
}

#[test]
fn one_that_is_silent() {
    // Children of it must not survive: they hold its output.
    let folder = tempfile::tempdir().unwrap();
    let game = open("tictactoe");
    let script = folder.path().join("silent.sh");
    let marks = folder.path().join("marks");
    let body = format!("sleep 1000 & echo $! >>{}; sleep 1000; wait", marks.display());
    fs::write(&script, body).unwrap();
    let command = vec!["sh".into(), script.to_str().unwrap().into()];
    let grace = Duration::from_millis(300);
    let maker = external(command, grace, Voice::new(|_| {})).unwrap();
    let ours = Threads::new(1, &local(game.clone(), EngineConfig::new(EngineId::Auto), 1));
    let mut guarded = Guarded::new(Box::new(Threads::new(1, &maker)), Some(ours), None);
    let config = ManagerConfig { millis: Some(1), memory: 1 << 20, ..ManagerConfig::default() };
    let store = folder.path().join("store");
    let tree = ProofTree::open(game.clone(), &store, None).unwrap();
    let mut ears = Ears::default();
    let found = Manager::new(tree, config, &mut guarded, &mut ears).prove(None, &[]).unwrap();
    assert_eq!(found.bounds, Bounds::exact(0));
    assert!(ears.0[0].contains("has not answered for 304.0ms"), "{:?}", ears.0);
    drop((guarded, maker));
    for id in fs::read_to_string(marks).unwrap().split_whitespace() {
        // It is gone, or waits to be collected; that may take a moment.
        let alive = || {
            let state = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
            let state = state.rsplit(')').next().unwrap().trim_start().to_owned();
            !state.is_empty() && !state.starts_with(['Z', 'X'])
        };
        let since = Instant::now();
        while alive() {
            assert!(since.elapsed() < Duration::from_secs(60), "{id} is alive");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

#[test]
fn ones_that_talk_nonsense() {
    for (outcome, why) in [
        ("{'id': job['id'] + 1, 'solver': 's', 'lo': 0, 'hi': 0}", "answers job"),
        ("{'id': job['id'], 'solver': 's', 'lo': -5, 'hi': 7}", "-5..7, which cannot be"),
        ("{'id': job['id'], 'solver': 's', 'lo': 1, 'hi': -1}", "1..-1, which cannot be"),
        ("{'id': job['id'], 'solver': 's', 'lo': 10**6, 'hi': 10**6}", "which is no outcome"),
        ("{'id': job['id'], 'solver': 's', 'lo': 'x'}", "which is no outcome"),
        (
            "{'id': job['id'], 'solver': 's', 'lo': -1, 'hi': 1, 'moves': [{'position': '\\x1b', 'lo': 9, 'hi': 9}]}",
            "9..9 of \\u{1b}, which cannot be",
        ),
        (
            "{'id': job['id'], 'error': '\\x1b[2Jproved', 'solver': 's', 'lo': 0, 'hi': 0}",
            "u{1b}[2Jproved",
        ),
    ] {
        let body =
            format!("for line in sys.stdin:\n    job = json.loads(line)\n    say({outcome})");
        unsolved(&body, why);
    }
    // Nested as deep as the line is long.
    unsolved("for line in sys.stdin:\n    print('[' * 500000, flush=True)", "which is no outcome");
    let deep = "for line in sys.stdin:
    outcome = json.dumps(answer(json.loads(line)))[:-1]
    print(outcome + ', \"more\": ' + '[' * 400000 + ']' * 400000 + '}', flush=True)";
    let folder = tempfile::tempdir().unwrap();
    let seen = run(folder.path(), deep, true);
    assert_eq!(seen.end.unwrap().bounds, Bounds::exact(0));
    assert!(seen.took < Duration::from_secs(600));
}

#[test]
fn numbers_beyond_all_bounds_do_no_harm() {
    let seen = solved(
        "for line in sys.stdin:
    job = json.loads(line)
    big = 2**64 - 1
    say(dict(answer(job), nodes=big, micros=big, score=-2**31, asked=-32768,
        moves=[{'position': job['position'], 'lo': -1, 'hi': 1, 'yes': 2**32 - 1, 'no': 0}] * 1000))",
    );
    assert!(seen.warnings.is_empty(), "{:?}", seen.warnings);
    assert_eq!(seen.end.unwrap().status.jobs, 1);
}
