//! `zermelo play` at a terminal: lines are edited and recalled, and however one leaves, the terminal is as it was.

use nix::pty::openpty;
use nix::sys::signal::{Signal, kill};
use nix::sys::termios::{Termios, tcgetattr};
use nix::unistd::Pid;
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

/// Nothing here takes long; what takes this long hangs.
const PATIENCE: Duration = Duration::from_secs(120);

/// A game at a terminal.
struct Terminal {
    keys: File,
    /// Holds the terminal open, and says how it is set.
    inside: OwnedFd,
    before: Termios,
    shown: Receiver<Vec<u8>>,
    text: String,
    child: Child,
}

impl Terminal {
    fn play(words: &str) -> Terminal {
        let pty = openpty(None, None).unwrap();
        let before = tcgetattr(&pty.slave).unwrap();
        let inside = || Stdio::from(pty.slave.try_clone().unwrap());
        let child = Command::new(env!("CARGO_BIN_EXE_zermelo"))
            .arg("play")
            .args(words.split(' ').map(|word| word.replace('|', " ")))
            .env("TERM", "xterm")
            .stdin(inside())
            .stdout(inside())
            .stderr(inside())
            .spawn()
            .unwrap();
        let keys = File::from(pty.master);
        let mut screen = keys.try_clone().unwrap();
        let (send, shown) = channel();
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(n @ 1..) = screen.read(&mut bytes) {
                if send.send(bytes[..n].to_vec()).is_err() {
                    break;
                }
            }
        });
        Terminal { keys, inside: pty.slave, before, shown, text: String::new(), child }
    }

    fn type_keys(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
    }

    /// Waits until the terminal has shown this, after what was waited for before.
    #[track_caller]
    fn wait_for(&mut self, part: &str) {
        let since = Instant::now();
        loop {
            if let Some(at) = self.text.find(part) {
                self.text.drain(..at + part.len());
                return;
            }
            let left = PATIENCE.saturating_sub(since.elapsed());
            match self.shown.recv_timeout(left) {
                Ok(bytes) => self.text += &String::from_utf8_lossy(&bytes),
                Err(_) => panic!("{part:?} does not come:\n{}", self.text),
            }
        }
    }

    /// The exit code, or the signal's number and 128. The terminal is as it was.
    #[track_caller]
    fn end(mut self) -> Option<i32> {
        let code = self.child.wait().unwrap().code();
        let after = tcgetattr(&self.inside).unwrap();
        assert_eq!(after.local_flags, self.before.local_flags, "the terminal is as it was");
        assert_eq!(after.input_flags, self.before.input_flags);
        code
    }
}

const PROMPT: &str = "your move>";
const UP: &str = "\u{1b}[A";
const LEFT: &str = "\u{1b}[D";
const BACKSPACE: &str = "\u{7f}";

#[test]
fn lines_are_edited_and_recalled() {
    let mut terminal = Terminal::play("tictactoe");
    terminal.wait_for(PROMPT);
    // b9, without the 9, with a 2, and an x before it that is taken away again.
    terminal.type_keys(&format!("b9{BACKSPACE}2{LEFT}{LEFT}x{BACKSPACE}\r"));
    terminal.wait_for("I play ");
    terminal.wait_for(PROMPT);
    terminal.type_keys("moves\r");
    terminal.wait_for("moves ");
    terminal.wait_for(PROMPT);
    // The line before the last one, which is no legal move any more.
    terminal.type_keys(&format!("{UP}{UP}\r"));
    terminal.wait_for("bad move at column 1");
    terminal.wait_for(PROMPT);
    terminal.type_keys("quit\r");
    terminal.wait_for("Bye. To go on from here: zermelo play tictactoe --as first --position");
    assert_eq!(terminal.end(), Some(0));
}

/// Ctrl-C leaves as `quit` does, and Ctrl-D, too.
#[test]
fn leaving_tells_how_to_go_on() {
    for key in ["\u{3}", "\u{4}"] {
        let mut terminal = Terminal::play("tictactoe --as second --position x../.../...|second");
        terminal.wait_for(PROMPT);
        terminal.type_keys(key);
        terminal.wait_for("Bye. To go on from here: zermelo play tictactoe --as second --position");
        assert_eq!(terminal.end(), Some(0));
    }
}

#[test]
fn a_signal_leaves_the_terminal_as_it_was() {
    let mut terminal = Terminal::play("tictactoe");
    terminal.wait_for(PROMPT);
    terminal.type_keys("b");
    // The letter is shown by the editor: the terminal is set for it.
    terminal.wait_for("b");
    kill(Pid::from_raw(terminal.child.id() as i32), Signal::SIGTERM).unwrap();
    terminal.wait_for("interrupted, ended at once");
    assert_eq!(terminal.end(), Some(128 + Signal::SIGTERM as i32));
}
