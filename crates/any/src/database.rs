//! Games with a database beside them: what it knows, every solver knows.

use crate::session::{Erased, hangs_on_line};
use crate::{AnyGame, Known};
use std::path::Path;
use std::sync::OnceLock;
use zermelo_endgame::folder::{self, Kind};
use zermelo_endgame::reachable::Strong;
use zermelo_endgame::{Damage, Database, Failure, Probe};
use zermelo_game::{Bounds, Game, Oracle, ParseError, Sliced};
use zermelo_games::{SlicedVisitor, Visitor};

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
    pub(crate) fn each(&self, game: &G, p: &G::Position) -> impl Iterator<Item = (usize, Known)> {
        let all = game.values();
        self.sources.iter().enumerate().filter_map(move |(n, source)| {
            let known = self.ask(&**source, game, p);
            let known = known.map_err(|damage| self.damage.get_or_init(|| damage)).ok()?;
            (known.bounds != all).then_some((n, known))
        })
    }
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
        Ok(Box::new(Erased::new(game).asking(Databases { sources, damage: OnceLock::new() })))
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
