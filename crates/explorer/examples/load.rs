//! A load tool: so many clients that each ask for positions at a steady rate, and how long they wait.
//!
//! ```text
//! cargo run --release -p zermelo-explorer --example load -- DIR [CLIENTS [REQUESTS_A_SECOND [SECONDS]]]
//! ```
//!
//! The server runs in this process, with the database of the folder; the clients are threads with a connection each, on
//! the same machine. Each request has its moment: where a client is late because an answer was, the wait counts
//! from that moment, so that a server that stalls cannot look fast.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc;
use std::time::{Duration, Instant};
use zermelo_endgame::folder::{self, FolderKind};
use zermelo_explorer::ServerConfig;

/// Positions of random games, as paths to ask for.
fn paths(game: &str, many: usize) -> Vec<String> {
    let opened =
        zermelo_erased::Catalogue::standard().open(game).expect("the game of the database");
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut random = move |below: usize| {
        // Xorshift: any numbers will do.
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    let mut out = Vec::new();
    let mut session = opened.session();
    while out.len() < many {
        let moves = session.moves();
        if moves.is_empty() {
            session = opened.session();
            continue;
        }
        session.play(&moves[random(moves.len())]).expect("a legal move");
        let escape = |text: &str| -> String {
            let plain = |b: u8| b.is_ascii_alphanumeric() || b"-._".contains(&b);
            let each = |b: u8| if plain(b) { (b as char).to_string() } else { format!("%{b:02X}") };
            text.bytes().map(each).collect()
        };
        let (game, position) = (escape(game), escape(&session.position()));
        out.push(format!("/api/v1/position?game={game}&position={position}"));
    }
    out
}

/// Asks once and reads the whole answer. Returns whether it was a good one.
fn ask(
    stream: &mut BufReader<TcpStream>,
    path: &str,
    buffer: &mut Vec<u8>,
) -> std::io::Result<bool> {
    write!(stream.get_mut(), "GET {path} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n")?;
    let mut line = String::new();
    stream.read_line(&mut line)?;
    let good = line.starts_with("HTTP/1.1 200");
    let mut length = 0;
    loop {
        line.clear();
        stream.read_line(&mut line)?;
        match line.trim_end() {
            "" => break,
            header => {
                if let Some(value) = header.to_ascii_lowercase().strip_prefix("content-length:") {
                    length = value.trim().parse().unwrap_or(0);
                }
            }
        }
    }
    buffer.resize(length, 0);
    stream.read_exact(buffer)?;
    Ok(good)
}

/// What a client saw: the waits, and how many answers were bad.
fn client(
    address: SocketAddr,
    paths: &[String],
    number: usize,
    every: Duration,
    until: Instant,
) -> (Vec<Duration>, usize) {
    let stream = TcpStream::connect(address).expect("the server listens");
    stream.set_nodelay(true).expect("a socket option");
    let (mut stream, mut buffer) = (BufReader::new(stream), Vec::new());
    let (mut waits, mut bad) = (Vec::new(), 0);
    // Clients do not all begin at the same moment.
    let mut due = Instant::now() + every.mul_f64((number * 37 % 101) as f64 / 101.0);
    let mut n = number * 7919;
    while due < until {
        std::thread::sleep(due.saturating_duration_since(Instant::now()));
        n += 1;
        match ask(&mut stream, &paths[n % paths.len()], &mut buffer) {
            Ok(true) => waits.push(due.elapsed()),
            _ => bad += 1,
        }
        due += every;
    }
    (waits, bad)
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let Some(dir) = args.first().map(PathBuf::from) else {
        eprintln!("usage: load DIR [CLIENTS [REQUESTS_A_SECOND [SECONDS]]]");
        std::process::exit(2);
    };
    let number =
        |at: usize, usual: u64| args.get(at).map_or(usual, |a| a.parse().expect("a number"));
    let (clients, rate, seconds) = (number(1, 200), number(2, 5_000), number(3, 10));
    let (FolderKind::Reachable(game) | FolderKind::Slices(game)) =
        folder::kind(&dir).expect("a database");
    let paths = Arc::new(paths(&game, 4_000));
    let stop = Arc::new(AtomicBool::new(false));
    let config = ServerConfig {
        listen: ([127, 0, 0, 1], 0).into(),
        databases: vec![dir],
        stop: stop.clone(),
        ..ServerConfig::default()
    };
    let (sender, receiver) = mpsc::channel();
    let server = std::thread::spawn(move || {
        zermelo_explorer::serve(&config, |address| sender.send(address).expect("somebody waits"))
    });
    let address = receiver.recv().expect("the server listens");
    let every = Duration::from_secs_f64(clients as f64 / rate as f64);
    let start = Instant::now();
    let until = start + Duration::from_secs(seconds);
    let threads: Vec<_> = (0..clients as usize)
        .map(|n| {
            let paths = paths.clone();
            std::thread::spawn(move || client(address, &paths, n, every, until))
        })
        .collect();
    let (mut waits, mut bad) = (Vec::new(), 0);
    for thread in threads {
        let (some, wrong) = thread.join().expect("a client");
        waits.extend(some);
        bad += wrong;
    }
    let took = start.elapsed().as_secs_f64();
    stop.store(true, Relaxed);
    server.join().expect("the server").expect("served");
    waits.sort_unstable();
    let at = |part: f64| {
        let wait =
            waits.get(((waits.len() as f64 * part) as usize).min(waits.len().saturating_sub(1)));
        wait.map_or(f64::NAN, |wait| wait.as_secs_f64() * 1e3)
    };
    println!("{game}: {clients} clients, {} answers in {took:.1} s, {bad} bad", waits.len());
    println!("{:.0} answers a second of {rate} asked for", waits.len() as f64 / took);
    println!(
        "wait in ms: median {:.2}, 90 % {:.2}, 99 % {:.2}, 99.9 % {:.2}, longest {:.2}",
        at(0.5),
        at(0.9),
        at(0.99),
        at(0.999),
        at(1.0)
    );
}
