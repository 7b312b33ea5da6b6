//! Clients that are slow, silent or confusing, over real connections.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;
use zermelo_explorer::{RequestLimits, ServerConfig, serve};

/// No wait here is longer; a test that needs it hangs.
const PATIENCE: Duration = Duration::from_secs(60);

struct Server {
    at: SocketAddr,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    fn new(limits: RequestLimits) -> Server {
        let stop = Arc::new(AtomicBool::new(false));
        let listen = ([127, 0, 0, 1], 0).into();
        let config = ServerConfig { listen, limits, stop: stop.clone(), ..ServerConfig::default() };
        let (send, ready) = std::sync::mpsc::channel();
        let thread = std::thread::spawn(move || {
            serve(&config, |at| send.send(at).unwrap()).unwrap();
        });
        let at = ready.recv_timeout(PATIENCE).unwrap();
        Server { at, stop, thread: Some(thread) }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.at).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// Sends some bytes and reads until the server closes the connection.
    fn says(&self, request: &[u8]) -> String {
        let mut stream = self.connect();
        stream.write_all(request).unwrap();
        rest(&mut stream)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        let ended = self.thread.take().unwrap().join();
        assert!(ended.is_ok() || std::thread::panicking());
    }
}

/// All that comes until the connection is closed; a connection that stays open fails the test.
fn rest(stream: &mut TcpStream) -> String {
    let mut said = Vec::new();
    match stream.read_to_end(&mut said) {
        Ok(_) => {}
        Err(e) if e.kind() == ErrorKind::ConnectionReset => {}
        Err(e) => panic!("the connection is still open: {e}"),
    }
    String::from_utf8_lossy(&said).into_owned()
}

fn hasty() -> RequestLimits {
    let soon = Duration::from_millis(300);
    RequestLimits { headers: soon, answer: soon, unread: soon, ..RequestLimits::default() }
}

#[test]
fn half_open_connections_are_closed() {
    let server = Server::new(hasty());
    let host = format!("host: {}\r\n", server.at);
    for begun in ["", "G", "GET / HTTP/1.1\r\n", &format!("GET / HTTP/1.1\r\n{host}x: y")] {
        let said = server.says(begun.as_bytes());
        assert!(said.is_empty() || said.starts_with("HTTP/1.1 4"), "{begun:?}: {said}");
    }
    // Between two requests as well.
    let said = server.says(format!("GET /api/v1/games HTTP/1.1\r\n{host}\r\n").as_bytes());
    assert!(said.starts_with("HTTP/1.1 200"), "{said}");
    // A body that never comes.
    let head = format!("POST /api/v1/probe HTTP/1.1\r\n{host}content-type: application/json\r\n");
    let said = server.says(format!("{head}content-length: 100\r\n\r\n{{").as_bytes());
    assert!(said.starts_with("HTTP/1.1 408"), "{said}");
}

#[test]
fn an_answer_that_nobody_reads_is_given_up() {
    let server = Server::new(RequestLimits { connections: 1, ..hasty() });
    let mut lazy = server.connect();
    let ask = format!("GET /api/v1/openapi.json HTTP/1.1\r\nhost: {}\r\n\r\n", server.at);
    lazy.set_write_timeout(Some(Duration::from_millis(100))).unwrap();
    // Until both sides' buffers are full.
    while lazy.write_all(ask.as_bytes()).is_ok() {}
    // There is room for one connection only: the next client is served when that one is given up.
    let said = server.says(ask.replace("\r\n\r\n", "\r\nconnection: close\r\n\r\n").as_bytes());
    assert!(said.starts_with("HTTP/1.1 200"), "{said}");
}

#[test]
fn a_request_must_name_one_host() {
    let server = Server::new(hasty());
    let host = format!("host: {}\r\n", server.at);
    let asked = |target: &str, hosts: &str| {
        server.says(format!("GET {target} HTTP/1.1\r\n{hosts}connection: close\r\n\r\n").as_bytes())
    };
    assert!(asked("/api/v1/games", &host).starts_with("HTTP/1.1 200"));
    for hosts in ["", &host.repeat(2), &format!("{host}host: example.org\r\n")] {
        assert!(asked("/api/v1/games", hosts).starts_with("HTTP/1.1 400"), "{hosts:?}");
    }
    let other = "http://example.org/api/v1/games";
    assert!(asked(other, &host).starts_with("HTTP/1.1 400"));
    assert!(asked(other, "host: example.org\r\n").starts_with("HTTP/1.1 421"));
}

#[test]
fn more_connections_than_there_is_room_for_wait_their_turn() {
    let server = Server::new(RequestLimits { connections: 4, ..hasty() });
    let silent: Vec<TcpStream> = (0..40).map(|_| server.connect()).collect();
    let ask =
        format!("GET /api/v1/games HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n\r\n", server.at);
    assert!(server.says(ask.as_bytes()).starts_with("HTTP/1.1 200"));
    drop(silent);
}

#[test]
fn one_client_does_not_take_all_connections() {
    let limits = RequestLimits { connections_of_client: Some(2), ..RequestLimits::default() };
    let server = Server::new(limits);
    let ask = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    let (first, second) = (server.connect(), server.connect());
    assert_eq!(server.says(ask), "", "a third one is closed at once");
    drop((first, second));
    // The server has seen that they are gone when it answers again.
    while !server.says(ask).starts_with("HTTP/1.1 200") {
        std::thread::yield_now();
    }
}

#[test]
fn a_request_that_has_begun_is_answered_when_the_server_ends() {
    let server = Server::new(RequestLimits::default());
    let mut stream = server.connect();
    let body = r#"{"game":"tictactoe","positions":[".../.../... first"]}"#;
    let head = format!(
        "POST /api/v1/probe HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\nExpect: 100-continue\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    // The server waits for the body: the request has begun.
    let mut begun = [0; 25];
    stream.read_exact(&mut begun).unwrap();
    assert!(begun.starts_with(b"HTTP/1.1 100"), "{begun:?}");
    server.stop.store(true, Ordering::Relaxed);
    while TcpStream::connect(server.at).is_ok() {
        std::thread::sleep(Duration::from_millis(5));
    }
    stream.write_all(body.as_bytes()).unwrap();
    let answer = rest(&mut stream);
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("answers"), "{answer}");
}
