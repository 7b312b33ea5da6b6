//! What is on the shelf: the games, the databases, the certificates and the stores that were given on the command line.
//!
//! A client names a game; it never names a file. The one game whose name may be that of a file is a graph, and such
//! names are refused here.

use crate::Failure;
use crate::limits::Limits;
use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};
use zermelo_any::AnyGame;
use zermelo_game::{Bounds, ParseError};
use zermelo_manager::view::View;
use zermelo_proof::format::Header;
use zermelo_proof::{Certificate, Opened, check, opened};

/// An open game.
pub type Game = Arc<dyn AnyGame>;

/// A database that was given.
pub struct Shelved {
    /// The name of its folder, for people.
    pub name: String,
    /// The game with its databases beside it: all folders of one game share it.
    pub game: Game,
}

/// What a store knows, by position.
pub type Lines = HashMap<String, Bounds>;

/// How far a certificate has come.
#[derive(Clone)]
pub enum Standing {
    /// Its turn to be checked has not come, or has and is not over.
    Unchecked,
    /// It proves what it claims.
    Proved(Arc<dyn Opened>),
    /// It proves nothing, and why.
    Refused(String),
}

/// A certificate that was given.
pub struct Proof {
    /// The name of its file, for people.
    pub name: String,
    /// Bytes of the file.
    pub bytes: u64,
    /// The game it is about, as the game writes its name.
    pub game: String,
    /// What it says of itself.
    pub header: Header,
    standing: RwLock<Standing>,
}

impl Proof {
    /// How far it has come.
    #[must_use]
    pub fn standing(&self) -> Standing {
        self.standing.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// A store of a manager that was given. It is not held open: whoever wants to know looks at the file.
pub struct Kept {
    /// The name of its folder, for people.
    pub name: String,
    /// The folder.
    pub dir: PathBuf,
    glance: Mutex<Option<Glance>>,
}

/// What a store knew at some moment, for boards: they do not open a file for every position.
struct Glance {
    at: Instant,
    /// Its game, and what it knew; `None` where it could not be read.
    known: Option<(String, Arc<Lines>)>,
}

impl Kept {
    /// What it knows of positions of this game, as of a few seconds ago.
    fn lines(&self, game: &str) -> Option<Arc<Lines>> {
        let mut glance = self.glance.lock().unwrap_or_else(PoisonError::into_inner);
        let read = || {
            let view = View::open(&self.dir).ok()?;
            let lines = view.known(STORE_LINES).ok()?;
            Some((view.about().game.clone(), Arc::new(lines.into_iter().collect())))
        };
        let old = glance.take().filter(|glance| glance.at.elapsed() < GLANCE);
        let new = old.unwrap_or_else(|| Glance { at: Instant::now(), known: read() });
        let known = new.known.as_ref().filter(|(name, _)| name == game);
        let lines = known.map(|(_, lines)| lines.clone());
        *glance = Some(new);
        lines
    }
}

/// How long a glance at a store is good for.
const GLANCE: Duration = Duration::from_secs(5);
/// The most positions of a store that boards know of.
const STORE_LINES: usize = 200_000;

/// All of it.
pub struct Library {
    /// The databases, in the order in which they were given.
    pub databases: Vec<Shelved>,
    /// The certificates, in the order in which they were given.
    pub proofs: Vec<Arc<Proof>>,
    /// The stores, in the order in which they were given.
    pub stores: Vec<Kept>,
    /// Games that were asked for, the last one first.
    open: Mutex<VecDeque<(String, Game)>>,
    most: usize,
}

fn file_name(path: &Path) -> String {
    let whole = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    whole.file_name().map_or_else(|| "database".into(), |name| name.to_string_lossy().into_owned())
}

/// Opens the game of a name that came from outside.
fn open(name: &str) -> Result<Game, ParseError> {
    let graph = name.split_whitespace().next().is_some_and(|w| w.eq_ignore_ascii_case("graph"));
    if graph && !name.contains([';', '=']) {
        let expected = "a graph that is written out: graph LINE; LINE; ...";
        return Err(ParseError::new("game", name, name.chars().count(), expected));
    }
    zermelo_any::open(name).map(Arc::from)
}

impl Library {
    /// Opens databases, each with at most `memory` bytes unpacked, and reads certificates. Those are not believed
    /// until [`check`](Self::check) is through.
    pub fn new(
        databases: &[PathBuf],
        proofs: &[PathBuf],
        stores: &[PathBuf],
        memory: u64,
        limits: &Limits,
    ) -> Result<Library, Failure> {
        let mut shelf: Vec<Shelved> = Vec::new();
        let open_all = |dirs: &[&Path]| -> Result<Game, Failure> {
            // The errors of databases name their folder.
            let game = zermelo_any::open_folders(dirs, memory);
            Ok(game.map_err(|e| Failure::Database(e.to_string()))?.into())
        };
        for (n, dir) in databases.iter().enumerate() {
            let mut game = open_all(&[dir])?;
            let name = game.name();
            let same = |shelved: &Shelved| shelved.game.name() == name;
            if shelf.iter().any(same) {
                let before = databases[..n].iter().zip(&shelf).filter(|(_, shelved)| same(shelved));
                let mut dirs: Vec<&Path> = before.map(|(dir, _)| dir.as_path()).collect();
                dirs.push(dir);
                game = open_all(&dirs)?;
                shelf.iter_mut().filter(|other| same(other)).for_each(|o| o.game = game.clone());
            }
            shelf.push(Shelved { name: file_name(dir), game });
        }
        let mut read = Vec::new();
        for file in proofs {
            let failed = |why: String| Failure::Proof { file: file.clone(), why };
            let content = std::fs::read(file).map_err(|e| failed(e.to_string()))?;
            let certificate = Certificate::read(&content).map_err(|e| failed(e.to_string()))?;
            let game = open(&certificate.header.game).map_err(|e| failed(e.to_string()))?;
            let bytes = content.len() as u64;
            let (name, header) = (file_name(file), certificate.header);
            let standing = RwLock::new(Standing::Unchecked);
            read.push(Arc::new(Proof { name, bytes, game: game.name(), header, standing }));
        }
        let mut kept = Vec::new();
        for dir in stores {
            // What is in it may come later, or be repaired; a folder that is not there is a slip of the pen.
            if !dir.is_dir() {
                let why = "no such folder; `zermelo prove --store` makes one".into();
                return Err(Failure::Store { dir: dir.clone(), why });
            }
            kept.push(Kept { name: file_name(dir), dir: dir.clone(), glance: Mutex::default() });
        }
        let open = Mutex::default();
        Ok(Library { databases: shelf, proofs: read, stores: kept, open, most: limits.games })
    }

    /// Checks certificate after certificate, read again from these files.
    pub fn check(&self, files: &[PathBuf], memory: u64, cancel: &AtomicBool) {
        for (proof, file) in self.proofs.iter().zip(files) {
            let limits = check::Limits { threads: 1, memory, cancel: Some(cancel) };
            let content = std::fs::read(file).map_err(|e| e.to_string());
            let opened = content.and_then(|content| {
                let certificate = Certificate::read(&content).map_err(|e| e.to_string())?;
                if certificate.header != proof.header {
                    return Err("the file was changed after it was given".into());
                }
                opened::open(&certificate, &limits).map_err(|e| e.to_string())
            });
            let standing = match opened {
                Ok(opened) => Standing::Proved(opened.into()),
                Err(why) => Standing::Refused(why),
            };
            *proof.standing.write().unwrap_or_else(PoisonError::into_inner) = standing;
        }
    }

    /// The game of this name, with its database if there is one.
    pub fn game(&self, name: &str) -> Result<Game, ParseError> {
        let mut held = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = held.iter().position(|(known, _)| known == name) {
            if at > 0 {
                let found = held.remove(at).expect("it was found there");
                held.push_front(found);
            }
            return Ok(held[0].1.clone());
        }
        drop(held);
        let plain = open(name)?;
        let with = self.databases.iter().find(|shelved| shelved.game.name() == plain.name());
        let game = with.map_or(plain, |shelved| shelved.game.clone());
        held = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        held.push_front((name.to_owned(), game.clone()));
        held.truncate(self.most);
        Ok(game)
    }

    /// The databases of a game with their numbers, in the order in which they are asked.
    pub fn databases_of(&self, game: &str) -> impl Iterator<Item = (usize, &Shelved)> {
        self.databases.iter().enumerate().filter(move |(_, shelved)| shelved.game.name() == game)
    }

    /// What stores know of positions of a game, with their numbers.
    #[must_use]
    pub fn lines_of(&self, game: &str) -> Vec<(usize, Arc<Lines>)> {
        let stores = self.stores.iter().enumerate();
        stores.filter_map(|(n, kept)| Some((n, kept.lines(game)?))).collect()
    }

    /// The certificates about a game that hold, with their numbers.
    pub fn proved(&self, game: &str) -> Vec<(usize, Arc<dyn Opened>)> {
        let about = self.proofs.iter().enumerate().filter(|(_, proof)| proof.game == game);
        let holds = |(n, proof): (usize, &Arc<Proof>)| match proof.standing() {
            Standing::Proved(opened) => Some((n, opened)),
            _ => None,
        };
        about.filter_map(holds).collect()
    }
}
