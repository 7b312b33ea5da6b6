//! A program that runs: its process and its pipes, each with a limit.
//!
//! Threads read what it writes, as nothing else would allow to give up waiting. A line of standard output has a limit, and only
//! some lines wait: whoever writes more is held up by the system. Standard error is shown line by line, escaped, with the
//! program's name, and after some lines no more. The program leads a process group of its own, so that its children
//! end with it.

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread;
use std::time::Duration;
use zermelo_game::file::read_line;
use zermelo_game::outside::printable;

/// A line of a prover may have so many bytes.
pub const LINE: usize = 1 << 20;
/// So many lines wait to be read.
const WAITING: usize = 2;
/// So many lines of standard error are shown, and so many bytes of each.
const SHOWN: u64 = 20;
const WIDTH: usize = 300;
/// How long we wait to learn how a program ended that has closed its output.
const PARTING: usize = 50;

/// Where goes what programs write to standard error. All programs of one maker share one, so that a program that is
/// started again and again is not heard again and again.
#[derive(Clone)]
pub struct Voice {
    say: Arc<dyn Fn(&str) + Send + Sync>,
    heard: Arc<AtomicU64>,
}

impl Voice {
    /// Lines go to this function.
    pub fn new(say: impl Fn(&str) + Send + Sync + 'static) -> Voice {
        Voice { say: Arc::new(say), heard: Arc::default() }
    }

    fn line(&self, name: &str, line: &[u8], cut: bool) {
        match self.heard.fetch_add(1, Relaxed) {
            n if n < SHOWN => {
                let text = String::from_utf8_lossy(line);
                let dots = if cut { "..." } else { "" };
                (self.say)(&format!("{name}: {}{dots}", printable(&text)));
            }
            SHOWN => (self.say)(&format!("{name}: more of what it says is not shown")),
            _ => {}
        }
    }

    /// Shows what comes from a pipe.
    fn listen(&self, name: &str, pipe: impl Read) {
        let mut pipe = BufReader::new(pipe);
        let (mut line, mut cut) = (Vec::new(), false);
        while let Ok(buffer) = pipe.fill_buf() {
            if buffer.is_empty() {
                break;
            }
            let end = buffer.iter().position(|&byte| byte == b'\n');
            let part = &buffer[..end.unwrap_or(buffer.len())];
            let room = WIDTH - line.len();
            cut |= part.len() > room;
            line.extend_from_slice(&part[..part.len().min(room)]);
            let used = part.len() + usize::from(end.is_some());
            pipe.consume(used);
            if end.is_some() {
                self.line(name, &line, cut);
                line.clear();
                cut = false;
            }
        }
        if !line.is_empty() {
            self.line(name, &line, cut);
        }
    }
}

/// What a program writes to standard output.
pub enum OutputLine {
    Text(String),
    /// Something that is no line; the last word.
    Bad(String),
}

/// What became of a line for the program.
pub enum Sent {
    Yes,
    /// It has not read the one before.
    Busy,
    Ended,
}

/// A program that runs. It is killed when this is dropped, with its children.
pub struct Running {
    child: Child,
    input: SyncSender<String>,
    pub lines: Receiver<OutputLine>,
}

impl Running {
    pub fn start(command: &[String], voice: &Voice) -> Result<Running, String> {
        let (program, args) = command.split_first().ok_or("no program was named")?;
        let mut child = Command::new(program)
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()
            .map_err(|e| format!("cannot start {program}: {e}"))?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            return Err(format!("{program} has no input or output"));
        };
        let (input, jobs) = sync_channel(1);
        let (send, lines) = sync_channel(WAITING);
        thread::spawn(move || write(stdin, &jobs));
        thread::spawn(move || read(stdout, &send));
        let (name, voice) = (program.clone(), voice.clone());
        thread::spawn(move || voice.listen(&name, stderr));
        Ok(Running { child, input, lines })
    }

    pub fn send(&self, line: String) -> Sent {
        match self.input.try_send(line) {
            Ok(()) => Sent::Yes,
            Err(TrySendError::Full(_)) => Sent::Busy,
            Err(TrySendError::Disconnected(_)) => Sent::Ended,
        }
    }

    /// How it has ended, in words.
    pub fn end(&self) -> String {
        for _ in 0..PARTING {
            match ended(self.child.id()) {
                Some(words) => return words,
                None => thread::sleep(Duration::from_millis(10)),
            }
        }
        "has closed its output".into()
    }
}

/// How a child of ours has ended, if it has. It is not waited for: its group keeps its number.
#[cfg(target_os = "linux")]
fn ended(id: u32) -> Option<String> {
    use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid};
    let flags = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT;
    match waitid(Id::Pid(Pid::from_raw(id.try_into().ok()?)), flags).ok()? {
        WaitStatus::Exited(_, code) => Some(format!("has ended with status {code}")),
        WaitStatus::Signaled(_, signal, _) => Some(format!("was ended by {signal}")),
        _ => None,
    }
}

#[cfg(not(target_os = "linux"))]
fn ended(_: u32) -> Option<String> {
    Some("has ended".into())
}

impl Drop for Running {
    fn drop(&mut self) {
        // The group's number is not given to others while one of its processes is there, or its leader is not waited for.
        if let Ok(id) = i32::try_from(self.child.id()) {
            let _ = killpg(Pid::from_raw(id), Signal::SIGKILL);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn write(mut stdin: ChildStdin, jobs: &Receiver<String>) {
    while let Ok(job) = jobs.recv() {
        if stdin.write_all(job.as_bytes()).and_then(|()| stdin.flush()).is_err() {
            break;
        }
    }
}

fn read(stdout: ChildStdout, send: &SyncSender<OutputLine>) {
    let mut stdout = BufReader::new(stdout);
    loop {
        let (line, last) = match read_line(&mut stdout, LINE) {
            Ok(Some(line)) => (OutputLine::Text(line), false),
            Ok(None) => break,
            Err(error) => (OutputLine::Bad(error.to_string()), true),
        };
        if send.send(line).is_err() || last {
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[test]
    fn what_is_shown_is_escaped_and_bounded() {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let ears = heard.clone();
        let voice = Voice::new(move |line| ears.lock().unwrap().push(line.to_owned()));
        voice.listen("p", &b"one\n\x1b[2Jproved\n\xff\nend"[..]);
        let mut all = heard.lock().unwrap().clone();
        assert_eq!(all, ["p: one", "p: \\u{1b}[2Jproved", "p: \u{fffd}", "p: end"]);
        voice.listen("p", std::io::repeat(b'x').take(10_000_000));
        voice.listen("p", &b"line\n".repeat(100_000)[..]);
        all = heard.lock().unwrap().clone();
        assert_eq!(all.len() as u64, SHOWN + 1);
        assert!(all.iter().all(|line| line.len() < WIDTH + 10), "{all:?}");
        assert!(all.last().unwrap().ends_with("not shown"));
    }
}
