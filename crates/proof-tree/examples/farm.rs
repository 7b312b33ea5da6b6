//! Where the manager's strength ends: the real manager with a real store, and workers that exist in numbers only.
//!
//! `farm SECONDS WORKERS..` prints one line of JSON for each number of workers, `farm draw FILE` makes a picture of such lines.
//!
//! The clock is virtual. What the manager does takes the time that it really takes; a job takes as long as one of those that were
//! measured (`data/service.txt`), drawn at random among those that ended in the same way, settled or not. Answers are true ones: a
//! search of a few dozen nodes says whether the job is settled, so that the tree of NoGo 6x6 grows as it would with jobs of a
//! second, at another scale. What the network takes is left out: workers keep a job or two in hand.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256StarStar as Rng;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};
use zermelo_erased::{AnyGame, EngineConfig, EngineId};
use zermelo_proof_tree::prover::{Local, Prover};
use zermelo_proof_tree::source::Giver;
use zermelo_proof_tree::transport::{Desk, Doing, JobAnswer, Transport};
use zermelo_proof_tree::tree::ProofTree;
use zermelo_proof_tree::{Job, JobOutcome, Manager, ManagerConfig, ProofTreeFailure};

const GAME: &str = "nogo 6x6";
/// Nodes of a search that stands for a job.
const NODES: u64 = 40;

/// A run in figures.
#[derive(Serialize, Deserialize)]
struct Figures {
    workers: usize,
    /// Virtual seconds.
    seconds: f64,
    jobs: u64,
    jobs_per_second: f64,
    /// The part of their time that workers had nothing to do.
    waiting: f64,
    /// The part of the time that the manager was at work.
    busy: f64,
    /// Positions in the tree at the end.
    positions: u64,
}

/// Workers in virtual time.
struct Simulated<'g> {
    base: Instant,
    /// Virtual time, as of when the manager was last here, and when that was.
    clock: Duration,
    mark: Instant,
    manager: Duration,
    prover: Local<'g>,
    rng: Rng,
    /// Measured jobs: those that failed and those that settled their position.
    times: [Vec<Duration>; 2],
    queue: VecDeque<Job>,
    /// Who is free, and since when.
    idle: Vec<(usize, Duration)>,
    running: BinaryHeap<Reverse<(Duration, usize)>>,
    hands: Vec<Option<(Duration, JobOutcome, String)>>,
    done: VecDeque<JobOutcome>,
    waited: Duration,
    /// Time, workers' waiting and manager's work when the run was over.
    ended: Option<[Duration; 3]>,
}

impl<'g> Simulated<'g> {
    fn new(game: &'g dyn AnyGame, workers: usize) -> Simulated<'g> {
        let mut times = [Vec::new(), Vec::new()];
        for line in include_str!("../data/service.txt").lines().filter(|l| !l.starts_with('#')) {
            let (settled, micros) = line.split_once(' ').expect("two numbers");
            let micros = Duration::from_micros(micros.parse().expect("a number"));
            times[usize::from(settled == "1")].push(micros);
        }
        Simulated {
            base: Instant::now(),
            clock: Duration::ZERO,
            mark: Instant::now(),
            manager: Duration::ZERO,
            prover: Local::new(game, EngineConfig::new(EngineId::Dfpn)),
            rng: Rng::seed_from_u64(1),
            times,
            queue: VecDeque::new(),
            idle: (0..workers).map(|worker| (worker, Duration::ZERO)).collect(),
            running: BinaryHeap::new(),
            hands: (0..workers).map(|_| None).collect(),
            done: VecDeque::new(),
            waited: Duration::ZERO,
            ended: None,
        }
    }

    /// The manager comes in: what it did meanwhile took time, and workers went on.
    fn enter(&mut self) {
        let took = self.mark.elapsed();
        self.manager += took;
        self.clock += took;
        self.advance(self.clock);
    }

    fn start(&mut self, job: &Job, worker: usize, at: Duration) {
        let outcome = self.prover.prove(job, &Arc::new(AtomicBool::new(false)));
        let times = &self.times[usize::from(outcome.lo == outcome.hi)];
        let end = at + times[self.rng.random_range(0..times.len())];
        self.running.push(Reverse((end, worker)));
        self.hands[worker] = Some((at, outcome, job.position.clone()));
    }

    fn advance(&mut self, to: Duration) {
        while let Some(&Reverse((end, worker))) = self.running.peek().filter(|r| r.0.0 <= to) {
            self.running.pop();
            self.done.extend(self.hands[worker].take().map(|(_, outcome, _)| outcome));
            match self.queue.pop_front() {
                Some(job) => self.start(&job, worker, end),
                None => self.idle.push((worker, end)),
            }
        }
    }

    /// Time, workers' waiting and manager's work by now, or when the run was over.
    fn times(&self) -> [Duration; 3] {
        self.ended.unwrap_or_else(|| {
            let waiting: Duration = self.idle.iter().map(|(_, since)| self.clock - *since).sum();
            [self.clock, self.waited + waiting, self.manager]
        })
    }
}

impl Transport for Simulated<'_> {
    fn offer(&mut self, job: Job, _: Desk) {
        self.enter();
        match self.idle.pop() {
            Some((worker, since)) => {
                self.waited += self.clock - since;
                self.start(&job, worker, self.clock);
            }
            None => self.queue.push_back(job),
        }
        self.mark = Instant::now();
    }

    fn has(&self, desk: Desk) -> bool {
        desk != Desk::Engines
    }

    fn giver(&self) -> Giver {
        Giver::Engine
    }

    fn take(&mut self, wait: Duration) -> Option<JobAnswer> {
        self.enter();
        if self.done.is_empty() {
            let next = self.running.peek().map_or(Duration::MAX, |r| r.0.0);
            self.clock = next.min(self.clock + wait);
            self.advance(self.clock);
        }
        self.mark = Instant::now();
        let outcome = self.done.pop_front()?;
        Some(JobAnswer { outcome, giver: Giver::Engine })
    }

    fn withdraw(&mut self) -> Vec<u64> {
        self.enter();
        let all = self.queue.drain(..).map(|job| job.id).collect();
        self.mark = Instant::now();
        all
    }

    fn doing(&self) -> Vec<Doing> {
        let doing = |hand: &Option<(Duration, JobOutcome, String)>| {
            hand.as_ref()
                .map(|(since, _, position)| (position.clone(), self.clock.saturating_sub(*since)))
        };
        self.hands.iter().map(doing).collect()
    }

    fn provers(&self) -> usize {
        self.hands.len()
    }

    /// The run is over: nobody counts what comes now.
    fn cancel(&mut self) {
        self.enter();
        self.ended = Some(self.times());
        self.done.clear();
        self.running.clear();
    }

    fn now(&self) -> Instant {
        self.base + self.clock + self.mark.elapsed()
    }
}

fn simulate(
    game: &Arc<dyn AnyGame>,
    workers: usize,
    seconds: u64,
) -> Result<Figures, ProofTreeFailure> {
    let folder = tempfile::tempdir().expect("a folder");
    let tree = ProofTree::open(game.clone(), folder.path(), None)?;
    let config = ManagerConfig {
        nodes: Some(NODES),
        millis: None,
        memory: 1 << 20,
        time: Some(Duration::from_secs(seconds)),
        ..ManagerConfig::default()
    };
    let mut provers = Simulated::new(&**game, workers);
    let mut nobody = ();
    let found = Manager::new(tree, config, &mut provers, &mut nobody).prove(None, &[])?;
    let [all, waited, manager] = provers.times().map(|time| time.as_secs_f64());
    Ok(Figures {
        workers,
        seconds: all,
        jobs: found.status.jobs,
        jobs_per_second: found.status.jobs as f64 / all,
        waiting: waited / (all * workers as f64),
        busy: manager / all,
        positions: found.status.nodes,
    })
}

/// Jobs a second and the two shares over the number of workers, both axes of the first logarithmic.
fn svg(all: &[Figures]) -> String {
    let (left, top, width, height) = (70.0, 46.0, 560.0, 300.0);
    let x = |workers: f64| left + width * workers.log10() / 3.5;
    let high = |jobs: f64| top + height * (1.0 - jobs.max(1.0).log10() / 4.0);
    let part = |share: f64| top + height * (1.0 - share);
    let (whole, down) = (left + width + 70.0, top + height + 70.0);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {whole} {down}\" font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"{whole}\" height=\"{down}\" fill=\"#fff\"/>\n\
         <text x=\"12\" y=\"22\" font-size=\"15\" font-weight=\"bold\">One manager and its workers (simulated)</text>\n"
    );
    for power in 0..=4 {
        let y = high(10f64.powi(power));
        let _ = writeln!(
            out,
            "<line x1=\"{left}\" y1=\"{y:.1}\" x2=\"{:.1}\" y2=\"{y:.1}\" stroke=\"#ddd\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\" fill=\"#1a7f5a\">{}</text>\
             <text x=\"{:.1}\" y=\"{:.1}\" fill=\"#555\">{} %</text>",
            left + width,
            left - 8.0,
            y + 4.5,
            10u32.pow(power as u32),
            left + width + 8.0,
            y + 4.5,
            25 * power
        );
    }
    type Place<'p> = Box<dyn Fn(&Figures) -> f64 + 'p>;
    let figures: [(&str, &str, Place); 3] = [
        ("jobs a second", "#1a7f5a", Box::new(|f| high(f.jobs_per_second))),
        ("manager at work", "#b3541e", Box::new(|f| part(f.busy.min(1.0)))),
        ("workers waiting", "#3b6ea8", Box::new(|f| part(f.waiting))),
    ];
    for (i, (name, colour, place)) in figures.iter().enumerate() {
        let points: Vec<String> =
            all.iter().map(|f| format!("{:.1},{:.1}", x(f.workers as f64), place(f))).collect();
        let at = left + 180.0 * i as f64;
        let _ = writeln!(
            out,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2.5\"/>\
             <rect x=\"{at}\" y=\"{:.1}\" width=\"12\" height=\"12\" fill=\"{colour}\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\">{name}</text>",
            points.join(" "),
            down - 22.0,
            at + 18.0,
            down - 11.5
        );
    }
    for f in all {
        let _ = writeln!(
            out,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"#555\">{}</text>",
            x(f.workers as f64),
            top + height + 20.0,
            f.workers
        );
    }
    out + "</svg>\n"
}

fn main() -> Result<(), ProofTreeFailure> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if let [word, file] = &args[..]
        && word == "draw"
    {
        let text = std::fs::read_to_string(file).expect("a file");
        let all = text.lines().map(|line| serde_json::from_str(line).expect("a line of figures"));
        print!("{}", svg(&all.collect::<Vec<Figures>>()));
        return Ok(());
    }
    let numbers: Vec<u64> = args.iter().map(|n| n.parse().expect("a number")).collect();
    let Some((&seconds, workers)) = numbers.split_first() else { panic!("SECONDS WORKERS..") };
    let game: Arc<dyn AnyGame> = Arc::from(zermelo_erased::Catalogue::standard().open(GAME)?);
    for &count in workers {
        let figures = simulate(&game, count as usize, seconds)?;
        println!("{}", serde_json::to_string(&figures).unwrap_or_default());
    }
    Ok(())
}
