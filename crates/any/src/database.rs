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
use zermelo_proof::rules::{Databases, Ends};

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

/// A database that is asked during searches.
pub(crate) trait Asked<G: Game>: Oracle<G> {
    /// The first damage that was met.
    fn damage(&self) -> Option<Damage>;
    /// What is kept of a position.
    fn look(&self, game: &G, p: &G::Position) -> Result<Known, Damage>;
    /// What certificates call it, if they may rest on it.
    fn base(&self) -> Option<&Base>;
}

/// Where a file is damaged nothing is known, and the damage is remembered.
struct Careful<P> {
    source: P,
    base: Option<Base>,
    damage: OnceLock<Damage>,
}

impl<G: Game, P: Probe<G>> Asked<G> for Careful<P> {
    fn damage(&self) -> Option<Damage> {
        self.damage.get().cloned()
    }

    fn look(&self, game: &G, p: &G::Position) -> Result<Known, Damage> {
        let bounds = self.source.probe(game, p)?;
        let distance = self.source.entry(game, p)?.and_then(|entry| entry.distance);
        Ok(Known { bounds, distance })
    }

    fn base(&self) -> Option<&Base> {
        self.base.as_ref()
    }
}

/// A database that proofs end at.
pub(crate) struct Based<'b, G: Game> {
    pub game: &'b G,
    pub database: &'b dyn Asked<G>,
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

impl Databases for Folder<'_> {
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

impl<G: Game, P: Probe<G>> Oracle<G> for Careful<P> {
    fn probe(&self, game: &G, p: &G::Position) -> Bounds {
        self.source.probe(game, p).unwrap_or_else(|damage| {
            self.damage.get_or_init(|| damage);
            game.values()
        })
    }
}

struct With<'a> {
    dir: &'a Path,
    memory: u64,
    /// Whether solvers are to use it.
    solvers: bool,
}

impl With<'_> {
    /// A game that asks a database.
    fn asking<G: Game, P: Probe<G> + 'static>(
        &self,
        game: G,
        open: impl FnOnce(&G) -> Result<P, Failure>,
    ) -> Result<Box<dyn AnyGame>, Failure> {
        if self.solvers && (G::SUPERKO || hangs_on_line(&game)) {
            let name = game.name();
            let why =
                format!("{name}: solvers cannot use a database where values hang on the line");
            return Err(Failure::Refused(why));
        }
        let source = open(&game)?;
        // Only slices are known to hold whatever their positions lead to.
        let base = match folder::kind(self.dir)? {
            Kind::Reachable(_) => None,
            Kind::Slices(name) => {
                let name = format!("{name}, {} slices", folder::slices(self.dir)?.len());
                Some(Base { name, digest: folder::digest(self.dir)? })
            }
        };
        let damage = OnceLock::new();
        Ok(Box::new(Erased::new(game).asking(Careful { source, base, damage })))
    }
}

impl SlicedVisitor for With<'_> {
    type Output = Result<Box<dyn AnyGame>, Failure>;

    fn visit<G: Sliced>(self, game: G) -> Self::Output {
        self.asking(game, |game| Database::open(game, self.dir, self.memory))
    }
}

impl Visitor for With<'_> {
    type Output = Result<Box<dyn AnyGame>, Failure>;

    fn visit<G: Game>(self, game: G) -> Self::Output {
        self.asking(game, |game| Strong::open(game, self.dir))
    }
}

/// Opens a game with the database of a folder, of which up to `memory` bytes are kept unpacked. Solvers will use it;
/// where they cannot, it is refused.
pub fn open_with(name: &str, dir: &Path, memory: u64) -> Result<Box<dyn AnyGame>, Unopened> {
    let with = With { dir, memory, solvers: true };
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
    visit(dir, With { dir, memory, solvers: false })
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
