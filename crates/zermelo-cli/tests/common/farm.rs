//! A farm for tests: a real nats-server, and processes that do not outlive their test.

use std::fs::File;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::Mutex;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Nobody waits longer than this for anything.
pub const PATIENCE: Duration = Duration::from_secs(240);

/// A process that does not outlive its test.
pub struct Running(pub Child);

impl Running {
    pub fn kill(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }

    /// Whether it has ended.
    pub fn has_ended(&mut self) -> bool {
        self.0.try_wait().expect("a child").is_some()
    }

    /// Its exit code, if it ends by itself.
    pub fn end(&mut self) -> Option<i32> {
        let since = Instant::now();
        while since.elapsed() < PATIENCE {
            if let Some(status) = self.0.try_wait().expect("a child") {
                return status.code();
            }
            sleep(Duration::from_millis(20));
        }
        None
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A farm in a folder of its own.
pub struct Farm {
    pub dir: tempfile::TempDir,
    pub port: u16,
    pub server: Running,
}

/// Starts a server; `server.conf` in the folder says who may enter.
pub fn serve(dir: &Path, port: u16) -> Running {
    let log = File::create(dir.join("server.log")).unwrap();
    let mut command = Command::new("nats-server");
    command.args(["-js", "-a", "127.0.0.1", "-p", &port.to_string(), "-sd"]).arg(dir.join("js"));
    let conf = dir.join("server.conf");
    if conf.exists() {
        command.arg("-c").arg(conf);
    }
    let child =
        command.stderr(log).spawn().expect("nats-server is installed (Debian: nats-server)");
    let since = Instant::now();
    while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(since.elapsed() < PATIENCE, "the server does not answer");
        sleep(Duration::from_millis(20));
    }
    Running(child)
}

/// A port that no other farm of this program has: the system may give one twice, and two tests would share a server.
fn free_port() -> u16 {
    static GIVEN: Mutex<Vec<u16>> = Mutex::new(Vec::new());
    loop {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut given = GIVEN.lock().unwrap();
        if !given.contains(&port) {
            given.push(port);
            return port;
        }
    }
}

pub fn zermelo(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_zermelo"));
    command.args(args).stdin(Stdio::null());
    command
}

pub fn run(args: &[&str]) -> Output {
    zermelo(args).output().unwrap()
}

impl Farm {
    pub fn new() -> Farm {
        let dir = tempfile::tempdir().unwrap();
        let port = free_port();
        let server = serve(dir.path(), port);
        Farm { dir, port, server }
    }

    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}/test", self.port)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// What a process has said.
    pub fn said(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    /// What everyone has said, for a test that fails.
    pub fn all_said(&self) -> String {
        let logs = std::fs::read_dir(self.dir.path()).unwrap().filter_map(Result::ok);
        let logs = logs.filter(|entry| entry.path().extension().is_some_and(|e| e == "log"));
        logs.map(|entry| {
            let name = entry.file_name().into_string().unwrap();
            format!("\n-- {name}:\n{}", self.said(&name))
        })
        .collect()
    }

    pub fn start(&self, args: &[&str], log: &str) -> Running {
        let log = File::create(self.path(log)).unwrap();
        Running(zermelo(args).stdout(log.try_clone().unwrap()).stderr(log).spawn().unwrap())
    }

    pub fn work(&self, more: &[&str], log: &str) -> Running {
        self.start(&[&["work", "--farm", &self.url()], more].concat(), log)
    }

    pub fn manage(&self, game: &[&str], store: &str, more: &[&str]) -> Running {
        let store = self.path(store);
        let args = ["--store", store.to_str().unwrap(), "--farm", &self.url(), "--json"];
        let small = ["--nodes-per-job", "100", "--memory-per-job", "4M"];
        self.start(&[&["prove"], game, &args, &small, more].concat(), "manager.log")
    }

    /// Waits until there is so much of something, or until the process that makes it has ended: on a quick machine it may be
    /// done before anyone has looked.
    pub fn wait_for(&self, what: &str, count: impl Fn() -> u64, least: u64, by: &mut Running) {
        let since = Instant::now();
        while !by.has_ended() && count() < least {
            assert!(since.elapsed() < PATIENCE, "too few {what}:{}", self.all_said());
            sleep(Duration::from_millis(5));
        }
    }
}

pub fn json(output: &Output) -> serde_json::Value {
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(&text).unwrap_or(serde_json::Value::Null)
}

pub fn facts_of(store: &Path) -> u64 {
    let info = run(&["store", store.to_str().unwrap(), "info", "--json"]);
    json(&info)["facts"].as_u64().unwrap_or(0)
}
