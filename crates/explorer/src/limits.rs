//! What a client may ask for. Whoever asks for more is told the limit (400), and where too much is asked at once, the
//! answer is 503, at once.

use std::time::Duration;

/// The limits of a server.
#[derive(Clone, Debug)]
pub struct RequestLimits {
    /// Bytes of a request's body.
    pub body: usize,
    /// Characters of a game's name, a position or a list of moves.
    pub text: usize,
    /// Moves played from the position that is given.
    pub plies: usize,
    /// Positions of one probe, or of one batch.
    pub batch: usize,
    /// Batches that wait or run.
    pub batches: usize,
    /// Requests that are worked on at the same time.
    pub requests: usize,
    /// Connections that are open at the same time.
    pub connections: usize,
    /// Of these, so many of one client.
    pub connections_of_client: Option<usize>,
    /// How long a client may take to send the headers of a request, or to begin another one.
    pub headers: Duration,
    /// How long it may take until a request is answered, its body included.
    pub answer: Duration,
    /// How long a client may leave an answer unread.
    pub unread: Duration,
    /// Streams of progress that are open at the same time.
    pub streams: usize,
    /// Jobs that wait or run.
    pub jobs: usize,
    /// Jobs that run at the same time; others take turns with them.
    pub running: usize,
    /// How long a turn is while others wait.
    pub turn: Duration,
    /// Jobs that are over and can still be looked at; and a quarter as many that nobody ordered: analyses of boards and moves of the
    /// perfect player.
    pub kept: usize,
    /// The longest a job or a batch may run.
    pub job_time: Duration,
    /// Bytes for the tables of a job or a batch.
    pub job_memory: u64,
    /// Jobs a client may have that wait or run, without analyses of boards.
    pub jobs_of_client: Option<usize>,
    /// Analyses of boards that wait or run; one that nobody looks at makes room for a new one.
    pub analyses: usize,
    /// The first step of an analysis; each is four times as long as the one before.
    pub analysis_step: Duration,
    /// The longest an analysis may run if nobody says so.
    pub analysis_time: Duration,
    /// How long an analysis goes on that nobody watches or looks at.
    pub alone: Duration,
    /// How long a job may be paused.
    pub paused: Duration,
    /// Certificates that are made at the same time.
    pub making: usize,
    /// Certificates that were made here and are kept, and the bytes of all of them.
    pub made_proofs: usize,
    /// See there.
    pub made_bytes: u64,
    /// Positions of a game that are counted at most, and games whose numbers are remembered.
    pub census: usize,
    /// See there.
    pub censuses: usize,
    /// Games that stay open beside those with a database.
    pub games: usize,
    /// Results of searches that are remembered.
    pub facts: usize,
    /// Levels of a treemap, and its cells.
    pub map_depth: usize,
    /// See there.
    pub map_cells: usize,
}

impl Default for RequestLimits {
    fn default() -> RequestLimits {
        RequestLimits {
            body: 256 << 10,
            text: 8 << 10,
            plies: 1_000,
            batch: 1_000,
            batches: 4,
            requests: 1_024,
            connections: 512,
            connections_of_client: None,
            headers: Duration::from_secs(10),
            answer: Duration::from_secs(60),
            unread: Duration::from_secs(20),
            streams: 128,
            jobs: 16,
            running: std::thread::available_parallelism().map_or(1, |n| n.get()),
            turn: Duration::from_millis(500),
            kept: 64,
            job_time: Duration::from_secs(600),
            job_memory: 256 << 20,
            jobs_of_client: None,
            analyses: 4,
            analysis_step: Duration::from_secs(1),
            analysis_time: Duration::from_secs(300),
            alone: Duration::from_secs(60),
            paused: Duration::from_secs(600),
            making: 2,
            made_proofs: 16,
            made_bytes: 64 << 20,
            census: 300_000,
            censuses: 32,
            games: 64,
            facts: 100_000,
            map_depth: 4,
            map_cells: 600,
        }
    }
}

impl RequestLimits {
    /// Those of a server that everybody may use: no client takes all of it, and what a search may cost is little.
    #[must_use]
    pub fn public() -> RequestLimits {
        RequestLimits {
            jobs_of_client: Some(4),
            connections_of_client: Some(64),
            jobs: 24,
            analyses: 16,
            batches: 2,
            batch: 200,
            job_time: Duration::from_secs(60),
            analysis_time: Duration::from_secs(30),
            alone: Duration::from_secs(20),
            paused: Duration::from_secs(60),
            ..RequestLimits::default()
        }
    }
}
