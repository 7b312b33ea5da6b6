//! What the server has done since it began, in the text format of Prometheus (version 0.0.4), for `/metrics`.

use crate::SharedApp;
use crate::jobs::JobState;
use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// The upper ends of the classes of the time until an answer begins, in microseconds.
const CLASSES: [u64; 9] = [100, 500, 1_000, 5_000, 10_000, 50_000, 100_000, 1_000_000, 10_000_000];

/// Counters of requests.
pub struct Metrics {
    begun: Instant,
    /// By the first figure of the status.
    answers: [AtomicU64; 6],
    /// Answers that took no longer than the class, and longer than the one before.
    times: [AtomicU64; CLASSES.len() + 1],
    micros: AtomicU64,
    /// Requests that were refused because there were too many.
    refused: AtomicU64,
}

impl Default for Metrics {
    fn default() -> Metrics {
        Metrics {
            begun: Instant::now(),
            answers: Default::default(),
            times: Default::default(),
            micros: AtomicU64::default(),
            refused: AtomicU64::default(),
        }
    }
}

impl Metrics {
    /// Counts an answer.
    pub fn answered(&self, status: u16, took: Duration) {
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        let class = CLASSES.iter().position(|end| micros <= *end).unwrap_or(CLASSES.len());
        self.times[class].fetch_add(1, Relaxed);
        self.micros.fetch_add(micros, Relaxed);
        self.answers[usize::from(status / 100).min(5)].fetch_add(1, Relaxed);
        if status == 503 || status == 429 {
            self.refused.fetch_add(1, Relaxed);
        }
    }

    /// All of it as text.
    #[must_use]
    pub fn text(&self, app: &SharedApp) -> String {
        let mut text = String::new();
        let mut head = |name: &str, kind: &str, help: &str, values: &[(String, f64)]| {
            let _ = writeln!(text, "# HELP zermelo_{name} {help}\n# TYPE zermelo_{name} {kind}");
            for (labels, value) in values {
                let _ = writeln!(text, "zermelo_{name}{labels} {value}");
            }
        };
        let one = |value: f64| vec![(String::new(), value)];
        let count = |counter: &AtomicU64| counter.load(Relaxed) as f64;
        head(
            "up_seconds",
            "gauge",
            "Seconds since the server began.",
            &one(self.begun.elapsed().as_secs_f64()),
        );
        let answers =
            (1..6).map(|class| (format!("{{status=\"{class}xx\"}}"), count(&self.answers[class])));
        head("answers_total", "counter", "Answers by their status.", &answers.collect::<Vec<_>>());
        head(
            "refused_total",
            "counter",
            "Requests refused because there were too many.",
            &one(count(&self.refused)),
        );
        let mut sum = 0.0;
        let mut classes: Vec<(String, f64)> = Vec::new();
        for (n, times) in self.times.iter().enumerate() {
            sum += count(times);
            let end =
                CLASSES.get(n).map_or("+Inf".to_owned(), |end| (*end as f64 / 1e6).to_string());
            classes.push((format!("_bucket{{le=\"{end}\"}}"), sum));
        }
        classes.push(("_sum".into(), count(&self.micros) / 1e6));
        classes.push(("_count".into(), sum));
        head("answer_seconds", "histogram", "Time until an answer begins.", &classes);
        for (name, help, held) in [
            ("requests", "Requests that are worked on.", app.requests.held()),
            ("streams", "Streams that are open.", app.streams.held()),
            ("batches", "Batches that wait or run.", app.batches.held()),
        ] {
            head(name, "gauge", help, &one(held as f64));
        }
        let jobs = app.jobs.all();
        let states = [
            JobState::Waiting,
            JobState::Running,
            JobState::Paused,
            JobState::Done,
            JobState::Failed,
        ];
        let states = states.map(|state| {
            let found = jobs.iter().filter(|job| job.now().state == state).count();
            (format!("{{state=\"{}\"}}", state.word()), found as f64)
        });
        head("jobs", "gauge", "Searches that can be looked at, by their state.", &states);
        head(
            "jobs_started_total",
            "counter",
            "Searches that were begun.",
            &one(app.jobs.started() as f64),
        );
        head(
            "facts",
            "gauge",
            "Results of searches that are remembered.",
            &one(app.facts.len() as f64),
        );
        text
    }
}
