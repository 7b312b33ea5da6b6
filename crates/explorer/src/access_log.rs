//! A line for each request: who asked, when, for what, and how it went.
//!
//! ```text
//! 2026-11-20T00:52:00Z 127.0.0.1 "GET /api/v1/games" 200 0.4ms
//! ```
//!
//! Lines are written by a thread of their own: whoever reads them slowly delays no answer. Where too many wait, lines are left out, and
//! the next one says how many.

use std::fmt::Write as _;
use std::io::Write;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Sender, SyncSender, channel, sync_channel};
use std::time::{Duration, SystemTime};
use zermelo_game::outside::printable;

/// Lines that wait to be written.
const WAITING: usize = 4096;
/// Characters of an address that are told.
const LONGEST: usize = 400;

/// What the writing thread is told.
enum Order {
    /// To write a line.
    Line(String),
    /// To say when all lines before this are written.
    Tell(Sender<()>),
}

/// Where lines are handed over.
pub struct AccessLog {
    lines: SyncSender<Order>,
    lost: AtomicU64,
}

/// What a line is about.
pub struct Access<'a> {
    /// When the answer was there.
    pub at: SystemTime,
    /// Who asked.
    pub client: Option<IpAddr>,
    /// The method.
    pub method: &'a str,
    /// The path and what follows it.
    pub target: &'a str,
    /// The status of the answer.
    pub status: u16,
    /// How long it took until the answer began.
    pub took: Duration,
}

impl AccessLog {
    /// A log that is written there. Fails if the system gives no thread.
    pub fn to(mut file: impl Write + Send + 'static) -> std::io::Result<AccessLog> {
        let (lines, waiting) = sync_channel::<Order>(WAITING);
        std::thread::Builder::new().name("access log".into()).spawn(move || {
            for order in waiting {
                let line = match order {
                    Order::Line(line) => line,
                    Order::Tell(written) => {
                        let _ = written.send(());
                        continue;
                    }
                };
                // Where nobody reads any more there is nobody to be told.
                if file.write_all(line.as_bytes()).and_then(|()| file.flush()).is_err() {
                    break;
                }
            }
        })?;
        Ok(AccessLog { lines, lost: 0.into() })
    }

    /// Hands a line over.
    pub fn put(&self, access: &Access) {
        let lost = self.lost.swap(0, Relaxed);
        let mut line = access.line();
        if lost > 0 {
            let _ = writeln!(line, "{} lines are missing here", lost);
        }
        if self.lines.try_send(Order::Line(line)).is_err() {
            self.lost.fetch_add(lost + 1, Relaxed);
        }
    }

    /// Waits until all lines are written, but no longer than that.
    pub fn finish(&self, patience: Duration) {
        let (tell, written) = channel();
        // Where the queue is full nobody reads.
        if self.lines.try_send(Order::Tell(tell)).is_ok() {
            let _ = written.recv_timeout(patience);
        }
    }
}

impl Access<'_> {
    fn line(&self) -> String {
        let Access { at, client, method, target, status, took } = self;
        let client = client.map_or_else(|| "-".to_owned(), |ip| ip.to_string());
        let short: String = target.chars().take(LONGEST).collect();
        let more = if short.len() < target.len() { "..." } else { "" };
        let (method, short) = (printable(method), printable(&short).replace('"', "%22"));
        let took = took.as_secs_f64() * 1e3;
        format!("{} {client} \"{method} {short}{more}\" {status} {took:.1}ms\n", date(*at))
    }
}

/// A time as ISO 8601 writes it, in UTC.
fn date(at: SystemTime) -> String {
    let seconds = at.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    // Years that begin in March: the leap day is the last one (Richards, 2013, from day 0 = 1 March 0000).
    let day = days + 719_468;
    let (era, of_era) = (day / 146_097, day % 146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let (dom, month) = (of_year - (153 * month + 2) / 5 + 1, (month + 2) % 12 + 1);
    let year = era * 400 + year + u64::from(month <= 2);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{dom:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::Receiver;

    struct Lines(Sender<String>);

    impl Write for Lines {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            let _ = self.0.send(String::from_utf8_lossy(bytes).into_owned());
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    fn log() -> (AccessLog, Receiver<String>) {
        let (send, lines) = channel();
        (AccessLog::to(Lines(send)).unwrap(), lines)
    }

    #[test]
    fn dates() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_767_225_599, "2025-12-31T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            let at = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
            assert_eq!(date(at), text);
        }
    }

    /// Writes nothing before it is told to.
    struct Slow(Receiver<()>, Sender<String>);

    impl Write for Slow {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            let _ = self.0.recv();
            let _ = self.1.send(String::from_utf8_lossy(bytes).into_owned());
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn the_end_waits_for_the_last_line() {
        let (go, gate) = channel();
        let (send, lines) = channel();
        let log = AccessLog::to(Slow(gate, send)).unwrap();
        let access = Access {
            at: SystemTime::UNIX_EPOCH,
            client: None,
            method: "GET",
            target: "/",
            status: 200,
            took: Duration::ZERO,
        };
        log.put(&access);
        // One that nobody reads keeps nobody.
        log.finish(Duration::from_millis(1));
        assert!(lines.try_recv().is_err());
        go.send(()).unwrap();
        log.finish(Duration::from_secs(60));
        assert_eq!(lines.try_recv().as_deref(), Ok("1970-01-01T00:00:00Z - \"GET /\" 200 0.0ms\n"));
    }

    #[test]
    fn nothing_from_outside_is_written_raw() {
        let (log, lines) = log();
        let access = Access {
            at: SystemTime::UNIX_EPOCH,
            client: Some([127, 0, 0, 1].into()),
            method: "GET",
            target: "/\u{1b}[2J\"\n",
            status: 404,
            took: Duration::from_micros(1500),
        };
        log.put(&access);
        let line = lines.recv().unwrap();
        assert!(line.starts_with("1970-01-01T00:00:00Z 127.0.0.1 \"GET /"), "{line}");
        assert!(line.ends_with("\" 404 1.5ms\n"), "{line}");
        assert!(!line.contains('\u{1b}') && line.matches('\n').count() == 1, "{line}");
        let long = "x".repeat(10_000);
        log.put(&Access { target: &long, ..access });
        assert!(lines.recv().unwrap().len() < 500);
    }
}
