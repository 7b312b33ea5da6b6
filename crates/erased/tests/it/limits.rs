//! Certificates are read within limits: from files and pipes, whatever their headers state, whatever their games are like.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use zermelo_certificate::check::CheckLimits;
use zermelo_certificate::check::CheckSummary;
use zermelo_certificate::explain::Detail;
use zermelo_certificate::explain::Explanation;
use zermelo_certificate::format::{self, Answers, StrategyAnswer};
use zermelo_certificate::{Certificate, Claim, Provenance, Refusal, Walk};
use zermelo_erased::Catalogue;
use zermelo_game::Player;

/// A folder that goes away.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("zermelo-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn file(&self, name: &str, content: &[u8]) -> PathBuf {
        let path = self.0.join(name);
        fs::write(&path, content).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A file with this header, whose digest is right.
fn sealed(header: &str, blocks: &[u8]) -> Vec<u8> {
    [&format::head(header.as_bytes()), header.as_bytes(), blocks].concat()
}

/// The second player wins clobber on a board of 2x3: a certificate of some blocks.
fn small() -> Certificate {
    let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/../../proofcheck/golden/clobber-4x5.proof");
    Certificate::open(Path::new(golden), 1 << 20).unwrap()
}

fn check(certificate: &Certificate, limits: &CheckLimits) -> Result<CheckSummary, Refusal> {
    Catalogue::standard().check(certificate, limits, None)
}

fn explain(
    certificate: &Certificate,
    limits: &CheckLimits,
    telling: &Detail,
) -> Result<Explanation, Refusal> {
    Catalogue::standard().explain(certificate, limits, telling, None)
}

fn walk(certificate: &Certificate, limits: &CheckLimits) -> Result<Box<dyn Walk>, Refusal> {
    Catalogue::standard().walk(certificate, limits)
}

fn within(memory: u64) -> CheckLimits<'static> {
    CheckLimits { memory, ..CheckLimits::default() }
}

#[test]
fn files_stay_on_the_disk() {
    let certificate = small();
    let folder = Folder::new("disk");
    let whole = certificate.bytes();
    assert_eq!(certificate.size(), whole.len() as u64);
    let path = folder.file("a.proof", &whole);
    let opened = Certificate::open(&path, 1 << 20).unwrap();
    assert_eq!(opened.header, certificate.header);
    assert_eq!(opened.bytes(), whole);
    let checked = check(&opened, &CheckLimits::default()).unwrap();
    assert_eq!(
        checked.positions,
        check(&Certificate::read(&whole).unwrap(), &CheckLimits::default()).unwrap().positions
    );
    // What is checked are the bytes that are there while it is checked.
    let mut damaged = whole.clone();
    *damaged.last_mut().unwrap() ^= 1;
    fs::write(&path, &damaged).unwrap();
    assert!(matches!(check(&opened, &CheckLimits::default()), Err(Refusal::Damaged(_))));
    fs::write(&path, &whole[..whole.len() - 1]).unwrap();
    assert!(matches!(check(&opened, &CheckLimits::default()), Err(Refusal::Truncated(_))));
    fs::write(&path, &whole).unwrap();
    assert!(check(&opened, &CheckLimits::default()).is_ok());
}

#[test]
fn what_is_no_certificate_is_refused_at_its_beginning() {
    let open = |path: &str| Certificate::open(Path::new(path), 1 << 20).unwrap_err();
    assert_eq!(open("/dev/zero"), Refusal::NotACertificate);
    assert_eq!(open("/dev/null"), Refusal::NotACertificate);
    assert!(matches!(open("/nowhere"), Refusal::Unreadable(_)));
    assert!(matches!(open("/"), Refusal::Unreadable(_)));
    // A file that has grown to 2 GiB, of which hardly anything is on the disk.
    let folder = Folder::new("beginning");
    let path = folder.file("large", b"something else that is not a certificate");
    fs::File::options().write(true).open(&path).unwrap().set_len(2 << 30).unwrap();
    assert_eq!(open(path.to_str().unwrap()), Refusal::NotACertificate);
    // The same with a header that is as long.
    let mut file = fs::File::create(&path).unwrap();
    file.write_all(b"zermelo\n\x02\0\0\0\xff\xff\xff\x3f").unwrap();
    file.set_len(2 << 30).unwrap();
    assert!(matches!(open(path.to_str().unwrap()), Refusal::Limit(_)));
    let longer = [&b"zermelo\n\x02\0\0\0\x01\0\0\x40"[..], &[0; 100]].concat();
    let path = folder.file("longer", &longer);
    assert!(matches!(open(path.to_str().unwrap()), Refusal::Header(_)));
}

#[test]
fn what_is_no_file_is_read_into_memory_within_its_limit() {
    let folder = Folder::new("pipe");
    let path = folder.0.join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
    let whole = small().bytes();
    let through = |content: Vec<u8>, memory| {
        let to = path.clone();
        let writer = std::thread::spawn(move || {
            // Whoever has read enough goes away.
            let _ = fs::File::options().write(true).open(to).unwrap().write_all(&content);
        });
        let read = Certificate::open(&path, memory);
        writer.join().unwrap();
        read
    };
    let read = through(whole.clone(), 8 << 20).unwrap();
    assert!(check(&read, &CheckLimits::default()).is_ok());
    let endless = [&whole[..], &vec![0; 9 << 20]].concat();
    assert!(matches!(through(endless, 8 << 20), Err(Refusal::Limit(_))));
    assert!(matches!(through(vec![0; 9 << 20], 8 << 20), Err(Refusal::NotACertificate)));
    assert!(matches!(through(whole[..100].to_vec(), 8 << 20), Err(Refusal::Truncated(_))));
}

/// Whatever sizes a header states, nothing is allocated for them and nothing overflows.
#[test]
fn stated_sizes_are_not_believed() {
    let certificate = small();
    let huge = [0, 1 << 31, 1 << 32, 1 << 62, 1 << 63, u64::MAX - 1, u64::MAX];
    for number in huge {
        for field in ["positions", "size", "bytes"] {
            let mut changed = certificate.clone();
            let block = &mut changed.header.claims[0].blocks[0];
            match field {
                "positions" => block.positions = number,
                "size" => block.size = number,
                _ => block.bytes = number,
            }
            // In memory, as somebody changed it, and as a file.
            let found = check(&changed, &within(1 << 30));
            assert!(matches!(&found, Err(e) if !e.is_open()), "{field} {number}: {found:?}");
            let header = serde_json::to_string(&changed.header).unwrap();
            let read = Certificate::read(&sealed(
                &header,
                &certificate.bytes()[certificate.bytes().len() - 100..],
            ));
            let found = read.and_then(|c| check(&c, &within(1 << 30)));
            assert!(matches!(&found, Err(e) if !e.is_open()), "{field} {number}: {found:?}");
        }
        let mut changed = certificate.clone();
        changed.header.claims[0].positions = number;
        let mut block = changed.header.claims[0].blocks[0].clone();
        (block.positions, block.bytes) = (number, u64::MAX);
        changed.header.claims[0].blocks.push(block);
        assert!(check(&changed, &within(64 << 20)).is_err(), "{number}");
    }
}

/// A block that unpacks to a thousand times its length is gone through without being unpacked as a whole.
#[test]
fn a_block_is_unpacked_piece_by_piece() {
    let mut certificate =
        Certificate::new("tictactoe".into(), ".../.../... first".into(), 0, Provenance::default());
    let claim = Claim { claimant: Player::First, value: 0 };
    let starts = vec![".../.../... first".to_owned()];
    let symbols = vec![StrategyAnswer::Play(0).number() as u8; 60 << 20];
    certificate.add(claim, vec![Answers { starts, positions: 1, symbols }]);
    let bytes = certificate.header.claims[0].blocks[0].bytes;
    assert!(bytes < 1 << 20, "{bytes}");
    let found = check(&certificate, &within(8 << 30));
    assert!(matches!(found, Err(Refusal::Wrong { .. })), "{found:?}");
    let found = check(&certificate, &within(64 << 20));
    assert!(matches!(found, Err(Refusal::Limit(_))), "{found:?}");
    // The size that is stated is no more than a statement.
    certificate.header.claims[0].blocks[0].size = 100;
    let found = check(&certificate, &within(64 << 20));
    assert!(matches!(found, Err(Refusal::Wrong { .. })), "{found:?}");
}

#[test]
fn headers_and_strategies_take_what_is_allowed() {
    let certificate = small();
    let folder = Folder::new("memory");
    let path = folder.file("a.proof", &certificate.bytes());
    let Err(Refusal::Limit(words)) = Certificate::open(&path, 100) else { panic!("too large") };
    assert_eq!(words, "the header needs 1 MiB of memory, allowed are 0 MiB");
    let opened = Certificate::open(&path, 1 << 20).unwrap();
    let telling = Detail::default();
    let needs = |memory| {
        let told = explain(&opened, &within(memory), &telling).map(drop);
        assert_eq!(told, walk(&opened, &within(memory)).map(drop));
        matches!(told, Err(Refusal::Limit(_)))
    };
    // The check by itself needs less.
    let enough =
        (12..40).map(|bits| 1 << bits).find(|&memory| check(&opened, &within(memory)).is_ok());
    assert!(needs(enough.unwrap()));
    assert!(!needs(1 << 30));
    // A graph takes memory before anything is known of it.
    let graph = format!("graph a first = 1;{}", " ".repeat(1 << 20));
    let mut graph = Certificate::new(graph, "a".into(), 0, Provenance::default());
    graph.add(Claim { claimant: Player::First, value: 1 }, vec![]);
    assert!(matches!(check(&graph, &within(16 << 20)), Err(Refusal::Limit(_))));
    assert!(matches!(check(&graph, &within(128 << 20)), Err(Refusal::Header(_))));
}

/// A line of 600,000 moves, from which every reply could turn to a node that is met again at each of them, where
/// a strategy must not run in a circle. A step for every position above would make 4.5 * 10^10, and one for every word above a word of the name 10^12.
#[test]
fn long_lines_are_walked_in_a_straight_line() {
    let long = 300_000;
    let mut name = "graph repetition -1; start a0".to_owned();
    name += "; x first: y; y second: x";
    for i in 0..long {
        name += &format!("; a{i} first: b{i}; b{i} second: a{} w", i + 1);
    }
    name += &format!("; a{long} first: e; w first: e; e second = 1");
    let mut certificate = Certificate::new(name, "a0".into(), 0, Provenance::default());
    let claim = Claim { claimant: Player::First, value: 1 };
    let symbols = vec![StrategyAnswer::Play(0).number() as u8; long + 2];
    let (starts, positions) = (vec!["a0".into()], long as u64 + 2);
    certificate.add(claim, vec![Answers { starts, positions, symbols }]);
    let story = explain(&certificate, &CheckLimits::default(), &Detail::default()).unwrap();
    assert_eq!((story.checked.positions, story.checked.depth), (positions, 2 * long as u32 + 1));
    assert_eq!(story.claims[0].line.len(), 2 * long + 1);
    let opened = walk(&certificate, &CheckLimits::default()).unwrap();
    let spot = opened.at(0, &["b0", "a1"]).unwrap().unwrap();
    assert_eq!((spot.longest as usize, spot.steps.len()), (2 * long - 1, 1));
}
