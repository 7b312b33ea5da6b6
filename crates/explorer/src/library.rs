//! What is served: the games, the databases, the certificates and the stores that were given on the command line.
//!
//! A client names a game; it never names a file. The one game whose name may be that of a file is a graph, and such
//! names are refused here.

use crate::book::{self, Book};
use crate::{ServeFailure, ServerConfig};
use axum::body::Bytes;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};
use zermelo_certificate::format::CertificateHeader;
use zermelo_certificate::{Certificate, Walk, check};
use zermelo_erased::{AnyGame, Catalogue};
use zermelo_game::{Bounds, Identity, ParseError};
use zermelo_proof_tree::ProofTreeFailure;
use zermelo_proof_tree::view::StoreSnapshot;

/// An open game.
pub type OpenGame = Arc<dyn AnyGame>;

/// A database that was given.
pub struct ServedDatabase {
    /// The name of its folder, for people.
    pub name: String,
    /// The game with its databases beside it: all folders of one game share it.
    pub game: OpenGame,
}

/// What a store knows, by position.
pub type StoreValues = HashMap<String, Bounds>;

/// How far a certificate has come that is being made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Making {
    /// The position is searched.
    Searching {
        /// Positions so far.
        nodes: u64,
    },
    /// What was proved is written.
    Writing {
        /// Positions that were searched.
        nodes: u64,
        /// Positions of the strategy so far.
        positions: u64,
    },
}

/// How far a certificate has come.
#[derive(Clone)]
pub enum CheckState {
    /// It is being made here.
    Making(Making),
    /// Its turn to be checked has not come, or has and is not over.
    Unchecked,
    /// It proves what it claims.
    Proved(Arc<dyn Walk>),
    /// It proves nothing, and why.
    Refused(String),
    /// It could not be made, and why.
    Failed(String),
}

/// What is known of a certificate.
#[derive(Clone)]
struct Contents {
    state: CheckState,
    /// What it says of itself, once it is written.
    header: Option<Arc<CertificateHeader>>,
    bytes: u64,
    /// All of it, if it was made here.
    file: Option<Bytes>,
}

/// A certificate that was given, or made here.
pub struct ServedProof {
    /// The name of its file, for people.
    pub name: String,
    /// The game it is about, as the game writes its name.
    pub game: String,
    /// The position.
    pub position: String,
    /// Whether it was made here.
    pub made_here: bool,
    /// Ends what is at work on it.
    pub(crate) cancel: Arc<AtomicBool>,
    unwanted: AtomicBool,
    contents: RwLock<Contents>,
}

impl ServedProof {
    /// One that is about to be made.
    fn to_be_made(name: String, game: String, position: String) -> ServedProof {
        ServedProof {
            name,
            game,
            position,
            made_here: true,
            cancel: Arc::default(),
            unwanted: false.into(),
            contents: RwLock::new(Contents {
                state: CheckState::Making(Making::Searching { nodes: 0 }),
                header: None,
                bytes: 0,
                file: None,
            }),
        }
    }

    fn contents(&self) -> Contents {
        self.contents.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// How far it has come.
    #[must_use]
    pub fn check_state(&self) -> CheckState {
        self.contents().state
    }

    /// What it says of itself, once it is written.
    #[must_use]
    pub fn header(&self) -> Option<Arc<CertificateHeader>> {
        self.contents().header
    }

    /// Bytes of the file.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.contents().bytes
    }

    /// The file, if it was made here and is written.
    #[must_use]
    pub fn file(&self) -> Option<Bytes> {
        self.contents().file
    }

    /// Says how far it has come.
    pub(crate) fn set(&self, state: CheckState) {
        self.contents.write().unwrap_or_else(PoisonError::into_inner).state = state;
    }

    /// It is written, and about to be checked.
    pub(crate) fn written(&self, file: Vec<u8>, certificate: &Certificate) {
        *self.contents.write().unwrap_or_else(PoisonError::into_inner) = Contents {
            state: CheckState::Unchecked,
            header: Some(Arc::new(certificate.header.clone())),
            bytes: file.len() as u64,
            file: Some(file.into()),
        };
    }

    /// Whether work on it is to end.
    #[must_use]
    pub fn is_unwanted(&self) -> bool {
        self.unwanted.load(SeqCst)
    }

    /// Ends work on it.
    fn forget(&self) {
        self.unwanted.store(true, SeqCst);
        self.cancel.store(true, SeqCst);
    }

    /// Whether it is of use, or may be.
    fn is_good(&self) -> bool {
        !matches!(self.check_state(), CheckState::Refused(_) | CheckState::Failed(_))
    }
}

/// The certificates by their numbers: those that were given, then those that were made here, which may be forgotten. A
/// number means one certificate for ever.
#[derive(Default)]
struct Proofs {
    numbered: BTreeMap<usize, Arc<ServedProof>>,
    next: usize,
}

impl Proofs {
    fn add(&mut self, proof: ServedProof) -> (usize, Arc<ServedProof>) {
        let (id, proof) = (self.next, Arc::new(proof));
        self.next += 1;
        self.numbered.insert(id, proof.clone());
        (id, proof)
    }
}

/// A store of a manager that was given. It is not held open: whoever wants to know looks at the file.
pub struct ServedStore {
    /// The name of its folder, for people.
    pub name: String,
    /// The folder.
    pub dir: PathBuf,
    cached: Mutex<Option<CachedValues>>,
}

/// What a store knew at some moment, for boards: they do not open a file for every position.
struct CachedValues {
    at: Instant,
    /// Its game, and what it knew; `None` where it could not be read.
    known: Option<(Identity, Arc<StoreValues>)>,
}

impl ServedStore {
    /// What it knows of positions of this game, by these rules, as of a few seconds ago.
    fn values(&self, game: &Identity) -> Option<Arc<StoreValues>> {
        let mut cached = self.cached.lock().unwrap_or_else(PoisonError::into_inner);
        let read = || {
            let snapshot = StoreSnapshot::open(&self.dir).ok()?;
            let values = snapshot.known(MOST_VALUES).ok()?;
            Some((snapshot.about().identity.clone(), Arc::new(values.into_iter().collect())))
        };
        let old = cached.take().filter(|cached| cached.at.elapsed() < FRESH);
        let new = old.unwrap_or_else(|| CachedValues { at: Instant::now(), known: read() });
        let known = new.known.as_ref().filter(|(about, _)| about == game);
        let values = known.map(|(_, values)| values.clone());
        *cached = Some(new);
        values
    }
}

/// How long values of a store are used before they are read again.
const FRESH: Duration = Duration::from_secs(5);
/// The most positions of a store that boards know of.
const MOST_VALUES: usize = 200_000;

/// All of it.
pub struct Library {
    /// The games there are.
    pub catalogue: Catalogue,
    /// The databases, in the order in which they were given.
    pub databases: Vec<ServedDatabase>,
    proofs: RwLock<Proofs>,
    /// The stores, in the order in which they were given.
    pub stores: Vec<ServedStore>,
    /// What comes with the program.
    pub book: Book,
    /// Games that were asked for, the last one first.
    open: Mutex<VecDeque<(String, OpenGame)>>,
    most: usize,
}

fn file_name(path: &Path) -> String {
    let whole = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    whole.file_name().map_or_else(|| "database".into(), |name| name.to_string_lossy().into_owned())
}

impl Library {
    /// Opens databases, each with at most `memory` bytes unpacked, and reads the headers of certificates, each in as much. Those are not believed
    /// until [`check`](Self::check) is through.
    pub fn new(config: &ServerConfig) -> Result<Library, ServeFailure> {
        let ServerConfig { catalogue, databases, proofs, stores, memory, limits, .. } = config;
        let memory = *memory;
        let mut served: Vec<ServedDatabase> = Vec::new();
        let open_all = |dirs: &[&Path]| -> Result<OpenGame, ServeFailure> {
            // The errors of databases name their folder.
            let game = catalogue.open_folders(dirs, memory);
            Ok(game.map_err(|e| ServeFailure::Database(e.to_string()))?.into())
        };
        for (n, dir) in databases.iter().enumerate() {
            let mut game = open_all(&[dir])?;
            let name = game.name();
            let same = |other: &ServedDatabase| other.game.name() == name;
            if served.iter().any(same) {
                let before = databases[..n].iter().zip(&served).filter(|(_, other)| same(other));
                let mut dirs: Vec<&Path> = before.map(|(dir, _)| dir.as_path()).collect();
                dirs.push(dir);
                game = open_all(&dirs)?;
                served.iter_mut().filter(|other| same(other)).for_each(|o| o.game = game.clone());
            }
            served.push(ServedDatabase { name: file_name(dir), game });
        }
        let mut read = Proofs::default();
        for file in proofs {
            let failed = |why: String| ServeFailure::Proof { file: file.clone(), why };
            let certificate = Certificate::open(file, memory).map_err(|e| failed(e.to_string()))?;
            let game = catalogue
                .open_foreign(&certificate.header.game)
                .map_err(|e| failed(e.to_string()))?;
            let bytes = certificate.size();
            let (position, header) = (certificate.header.position.clone(), certificate.header);
            let contents = Contents {
                state: CheckState::Unchecked,
                header: Some(Arc::new(header)),
                bytes,
                file: None,
            };
            read.add(ServedProof {
                name: file_name(file),
                game: game.name(),
                position,
                made_here: false,
                cancel: Arc::default(),
                unwanted: false.into(),
                contents: RwLock::new(contents),
            });
        }
        let mut opened_stores = Vec::new();
        for dir in stores {
            // What is in it may come later, or be repaired; a folder that is not there is a slip of the pen.
            if !dir.is_dir() {
                let why = "no such folder; `zermelo prove --store` makes one".into();
                return Err(ServeFailure::Store { dir: dir.clone(), why });
            }
            opened_stores.push(ServedStore {
                name: file_name(dir),
                dir: dir.clone(),
                cached: Mutex::default(),
            });
        }
        let open = Mutex::default();
        let catalogue = catalogue.clone();
        Ok(Library {
            catalogue,
            databases: served,
            proofs: RwLock::new(read),
            stores: opened_stores,
            book: Book::new(book::ours()),
            open,
            most: limits.games,
        })
    }

    /// Checks certificate after certificate, read again from these files.
    pub fn check(&self, files: &[PathBuf], memory: u64, cancel: &AtomicBool) {
        for ((_, proof), file) in self.proofs().into_iter().zip(files) {
            let limits = check::CheckLimits { threads: 1, memory, cancel: Some(cancel) };
            let certificate = Certificate::open(file, memory).map_err(|e| e.to_string());
            let opened = certificate.and_then(|certificate| {
                if proof.header().as_deref() != Some(&certificate.header) {
                    return Err("the file was changed after it was given".into());
                }
                self.catalogue.walk(&certificate, &limits).map_err(|e| e.to_string())
            });
            proof.set(match opened {
                Ok(opened) => CheckState::Proved(opened.into()),
                Err(why) => CheckState::Refused(why),
            });
        }
    }

    /// The certificates with their numbers: those that were given, in that order, then those made here.
    #[must_use]
    pub fn proofs(&self) -> Vec<(usize, Arc<ServedProof>)> {
        let proofs = self.proofs.read().unwrap_or_else(PoisonError::into_inner);
        proofs.numbered.iter().map(|(id, proof)| (*id, proof.clone())).collect()
    }

    /// The certificate of this number.
    #[must_use]
    pub fn proof(&self, id: usize) -> Option<Arc<ServedProof>> {
        let proofs = self.proofs.read().unwrap_or_else(PoisonError::into_inner);
        proofs.numbered.get(&id).cloned()
    }

    /// The certificate of a position: one that is there or being made, or a new one, which `start` begins to make. So many that
    /// are made here are kept, with so many bytes; the oldest are forgotten.
    pub fn make_proof<E>(
        &self,
        game: &str,
        position: &str,
        most: usize,
        bytes: u64,
        start: impl FnOnce(&Arc<ServedProof>) -> Result<(), E>,
    ) -> Result<(usize, Arc<ServedProof>), E> {
        let mut proofs = self.proofs.write().unwrap_or_else(PoisonError::into_inner);
        let same = |proof: &ServedProof| {
            proof.game == game && proof.position == position && proof.is_good()
        };
        if let Some((id, proof)) = proofs.numbered.iter().find(|(_, proof)| same(proof)) {
            return Ok((*id, proof.clone()));
        }
        let name = format!("{}-{}.proof", game.replace(' ', "-"), proofs.next);
        let proof = ServedProof::to_be_made(name, game.to_owned(), position.to_owned());
        let (id, proof) = proofs.add(proof);
        if let Err(why) = start(&proof) {
            proofs.numbered.remove(&id);
            return Err(why);
        }
        loop {
            let made: Vec<_> = proofs.numbered.iter().filter(|(_, p)| p.made_here).collect();
            let held: u64 = made.iter().map(|(_, proof)| proof.size()).sum();
            let oldest = made.first().map(|(id, _)| **id).filter(|oldest| *oldest != id);
            let Some(oldest) = oldest.filter(|_| made.len() > most.max(1) || held > bytes) else {
                break;
            };
            proofs.numbered.remove(&oldest).into_iter().for_each(|proof| proof.forget());
        }
        Ok((id, proof))
    }

    /// Forgets a certificate that was made here, or ends the work on it; `false` if it was given.
    pub fn forget_proof(&self, id: usize) -> bool {
        let mut proofs = self.proofs.write().unwrap_or_else(PoisonError::into_inner);
        if !proofs.numbered.get(&id).is_some_and(|proof| proof.made_here) {
            return false;
        }
        proofs.numbered.remove(&id).into_iter().for_each(|proof| proof.forget());
        true
    }

    /// Ends all work on certificates that are made here.
    pub fn stop_making(&self) {
        self.proofs().iter().filter(|(_, p)| p.made_here).for_each(|(_, proof)| proof.forget());
    }

    /// The game of this name, with its database if there is one.
    pub fn game(&self, name: &str) -> Result<OpenGame, ParseError> {
        let mut held = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = held.iter().position(|(known, _)| known == name) {
            if at > 0 {
                let found = held.remove(at).expect("it was found there");
                held.push_front(found);
            }
            return Ok(held[0].1.clone());
        }
        drop(held);
        let plain: OpenGame = self.catalogue.open_foreign(name)?.into();
        let with = self.databases.iter().find(|served| served.game.name() == plain.name());
        let game = with.map_or(plain, |served| served.game.clone());
        held = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        held.push_front((name.to_owned(), game.clone()));
        held.truncate(self.most);
        Ok(game)
    }

    /// The databases of a game with their numbers, in the order in which they are asked.
    pub fn databases_of(&self, game: &str) -> impl Iterator<Item = (usize, &ServedDatabase)> {
        self.databases.iter().enumerate().filter(move |(_, served)| served.game.name() == game)
    }

    /// Opens a store to look at it. One by another version of its game's rules is refused; of a game that is not in the
    /// catalogue all is shown but the boards.
    pub fn snapshot(&self, store: &ServedStore) -> Result<StoreSnapshot, ProofTreeFailure> {
        let snapshot = StoreSnapshot::open(&store.dir)?;
        if let Ok(game) = self.game(&snapshot.about().identity.game) {
            snapshot.expect(&*game)?;
        }
        Ok(snapshot)
    }

    /// What stores know of positions of a game, with their numbers.
    #[must_use]
    pub fn store_values(&self, game: &Identity) -> Vec<(usize, Arc<StoreValues>)> {
        let stores = self.stores.iter().enumerate();
        stores.filter_map(|(n, store)| Some((n, store.values(game)?))).collect()
    }

    /// The certificates about a game that hold, with their numbers.
    pub fn proved(&self, game: &str) -> Vec<(usize, Arc<dyn Walk>)> {
        let about = self.proofs().into_iter().filter(|(_, proof)| proof.game == game);
        let holds = |(n, proof): (usize, Arc<ServedProof>)| match proof.check_state() {
            CheckState::Proved(opened) => Some((n, opened)),
            _ => None,
        };
        about.filter_map(holds).collect()
    }
}
