//! Games with a database beside them: what it knows, every solver knows.

use crate::session::{Erased, hangs_on_line};
use crate::{AnyGame, Known};
use std::path::Path;
use std::sync::OnceLock;
use zermelo_endgame::folder::{self, Kind};
use zermelo_endgame::reachable::Strong;
use zermelo_endgame::{Damage, Database, Failure, Probe};
use zermelo_game::{Bounds, Game, Oracle, ParseError, Sliced, Value};
use zermelo_games::{SlicedVisitor, Visitor};
use zermelo_proof::format::Base;
use zermelo_proof::rules::{Ends, Library};

/// Why a game was not opened.
#[derive(Debug, thiserror::Error)]
pub enum Unopened {
    /// There is no game of that name.
    #[error(transparent)]
    Name(#[from] ParseError),
    /// The database cannot be used.
    #[error(transparent)]
    Database(#[from] Failure),
}

/// Databases of one game, asked one after the other. Where a file is damaged nothing is known, and the damage is remembered.
pub(crate) struct Databases<G: Game> {
    sources: Vec<Box<dyn Probe<G>>>,
    /// What certificates call it, if there is one and they may rest on it.
    base: Option<Base>,
    damage: OnceLock<Damage>,
}

impl<G: Game> Databases<G> {
    /// The first damage that was met.
    pub(crate) fn damage(&self) -> Option<Damage> {
        self.damage.get().cloned()
    }

    fn ask(&self, source: &dyn Probe<G>, game: &G, p: &G::Position) -> Result<Known, Damage> {
        let bounds = source.probe(game, p)?;
        let distance = source.entry(game, p)?.and_then(|entry| entry.distance);
        Ok(Known { bounds, distance })
    }

    /// What certificates call it, if they may rest on it.
    pub(crate) fn base(&self) -> Option<&Base> {
        self.base.as_ref()
    }

    /// What is kept of a position: the first that knows anything answers.
    pub(crate) fn look(&self, game: &G, p: &G::Position) -> Result<Known, Damage> {
        let (all, mut damage) = (game.values(), None);
        for source in &self.sources {
            match self.ask(&**source, game, p) {
                Ok(known) if known.bounds != all => return Ok(known),
                Ok(_) => {}
                Err(found) => damage = damage.or(Some(found)),
            }
        }
        damage.map_or(Ok(Known { bounds: all, distance: None }), Err)
    }

    /// What each of them keeps of a position, by their numbers; those that know nothing are silent.
    pub(crate) fn each<'a>(
        &'a self,
        game: &'a G,
        p: &'a G::Position,
    ) -> impl Iterator<Item = (usize, Known)> + 'a {
        let all = game.values();
        let known = move |(n, source): (usize, &'a dyn Probe<G>)| {
            let known = self.ask(source, game, p);
            let known = known.map_err(|damage| self.damage.get_or_init(|| damage)).ok()?;
            (known.bounds != all).then_some((n, known))
        };
        self.sources.iter().map(|source| &**source).enumerate().filter_map(known)
    }
}

/// A database that proofs end at.
pub(crate) struct Based<'b, G: Game> {
    pub game: &'b G,
    pub database: &'b Databases<G>,
    pub digest: &'b str,
}

impl<G: Game> Ends<G> for Based<'_, G> {
    fn digest(&self) -> &str {
        self.digest
    }

    fn value(&self, p: &G::Position) -> Option<Value> {
        let bounds = self.database.probe(self.game, p);
        bounds.is_exact().then_some(bounds.lo)
    }
}

/// The database of a folder, for checkers of certificates that rest on it.
pub struct Folder<'f> {
    /// Where it is.
    pub dir: &'f Path,
    /// Bytes of it that are kept unpacked.
    pub memory: u64,
}

impl Library for Folder<'_> {
    fn of<'d, G: Sliced>(&'d self, game: &'d G) -> Result<Box<dyn Ends<G> + 'd>, String> {
        struct Read<'r, G: Sliced> {
            game: &'r G,
            database: Database<G>,
            digest: String,
        }

        impl<G: Sliced> Ends<G> for Read<'_, G> {
            fn digest(&self) -> &str {
                &self.digest
            }

            fn value(&self, p: &G::Position) -> Option<Value> {
                let bounds = self.database.probe(self.game, p).ok()?;
                bounds.is_exact().then_some(bounds.lo)
            }
        }

        let database = Database::open(game, self.dir, self.memory).map_err(|e| e.to_string())?;
        let digest = folder::digest(self.dir).map_err(|e| e.to_string())?;
        Ok(Box::new(Read { game, database, digest }))
    }
}

/// What certificates call the database of a folder, if they may rest on it.
fn base(dir: &Path) -> Result<Option<Base>, Failure> {
    let Kind::Slices(name) = folder::kind(dir)? else { return Ok(None) };
    let name = format!("{name}, {} slices", folder::slices(dir)?.len());
    Ok(Some(Base { name, digest: folder::digest(dir)? }))
}

impl<G: Game> Oracle<G> for Databases<G> {
    fn probe(&self, game: &G, p: &G::Position) -> Bounds {
        let all = game.values();
        for source in &self.sources {
            match source.probe(game, p) {
                Ok(bounds) if bounds != all => return bounds,
                Ok(_) => {}
                Err(damage) => {
                    self.damage.get_or_init(|| damage);
                }
            }
        }
        all
    }
}

/// A game that asks the databases of some folders.
struct With<'a> {
    dirs: &'a [&'a Path],
    memory: u64,
    /// Whether solvers are to use them.
    solvers: bool,
}

impl With<'_> {
    fn asking<G: Game>(
        &self,
        game: G,
        open: impl Fn(&G, &Path) -> Result<Box<dyn Probe<G>>, Failure>,
    ) -> Result<Box<dyn AnyGame>, Failure> {
        if self.solvers && (G::SUPERKO || hangs_on_line(&game)) {
            let name = game.name();
            let why =
                format!("{name}: solvers cannot use a database where values hang on the line");
            return Err(Failure::Refused(why));
        }
        let sources = self.dirs.iter().map(|dir| open(&game, dir)).collect::<Result<_, _>>()?;
        // Only slices are known to hold whatever their positions lead to.
        let base = match self.dirs[..] {
            [dir] => base(dir)?,
            _ => None,
        };
        let damage = OnceLock::new();
        Ok(Box::new(Erased::new(game).asking(Databases { sources, base, damage })))
    }
}

impl SlicedVisitor for With<'_> {
    type Output = Result<Box<dyn AnyGame>, Failure>;

    fn visit<G: Sliced>(self, game: G) -> Self::Output {
        self.asking(game, |game, dir| {
            Ok(match folder::kind(dir)? {
                Kind::Reachable(_) => Box::new(Strong::open(game, dir)?),
                Kind::Slices(_) => Box::new(Database::open(game, dir, self.memory)?),
            })
        })
    }
}

impl Visitor for With<'_> {
    type Output = Result<Box<dyn AnyGame>, Failure>;

    fn visit<G: Game>(self, game: G) -> Self::Output {
        self.asking(game, |game, dir| Ok(Box::new(Strong::open(game, dir)?)))
    }
}

/// Opens a game with the database of a folder, of which up to `memory` bytes are kept unpacked. Solvers will use it;
/// where they cannot, it is refused.
pub fn open_with(name: &str, dir: &Path, memory: u64) -> Result<Box<dyn AnyGame>, Unopened> {
    let with = With { dirs: &[dir], memory, solvers: true };
    Ok(match folder::kind(dir)? {
        Kind::Reachable(_) => zermelo_games::open(name, with)??,
        Kind::Slices(other) => match zermelo_games::open_sliced(name, with)? {
            Ok(opened) => opened?,
            Err(_) => {
                let why = format!("{}: a database of {other}, not of {name}", dir.display());
                return Err(Failure::Refused(why).into());
            }
        },
    })
}

/// Opens the game of a folder's database to look into it. Solvers use it where they can.
pub fn open_folder(dir: &Path, memory: u64) -> Result<Box<dyn AnyGame>, Unopened> {
    open_folders(&[dir], memory)
}

/// The same with several folders of one game: the first that knows a position answers.
///
/// # Panics
/// If there is no folder.
pub fn open_folders(dirs: &[&Path], memory: u64) -> Result<Box<dyn AnyGame>, Unopened> {
    let mut first = dirs[0];
    // A folder by slices says that the game has slices.
    for dir in dirs {
        if matches!(folder::kind(dir)?, Kind::Slices(_)) {
            first = dir;
        }
    }
    visit(first, With { dirs, memory, solvers: false })
}

/// Hands a folder's game to a visitor, by slices or as a whole.
pub(crate) fn visit<T, V>(dir: &Path, visitor: V) -> Result<T, Unopened>
where
    V: SlicedVisitor<Output = Result<T, Failure>> + Visitor<Output = Result<T, Failure>>,
{
    let unknown = |error| Failure::Refused(format!("{}: {error}", dir.display()));
    let done = match folder::kind(dir)? {
        Kind::Reachable(name) => zermelo_games::open(&name, visitor).map_err(unknown)?,
        Kind::Slices(name) => match zermelo_games::open_sliced(&name, visitor).map_err(unknown)? {
            Ok(done) => done,
            Err(_) => Err(Failure::Refused(format!("{name} has no slices"))),
        },
    };
    Ok(done?)
}
