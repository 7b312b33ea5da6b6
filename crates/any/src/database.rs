//! Games with a database beside them: what it knows, every solver knows.

use crate::AnyGame;
use crate::session::Erased;
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

/// A database that is asked during searches.
pub(crate) trait Asked<G: Game>: Send + Sync {
    /// The first damage that was met.
    fn damage(&self) -> Option<Damage>;
    /// What it says of a position, and plies to the end if it tells.
    fn look(&self, game: &G, p: &G::Position) -> (Bounds, Option<u32>);
}

/// Where a file is damaged nothing is known, and the damage is remembered.
struct Careful<P> {
    source: P,
    damage: OnceLock<Damage>,
}

impl<G: Game, P: Probe<G>> Asked<G> for Careful<P> {
    fn damage(&self) -> Option<Damage> {
        self.damage.get().cloned()
    }

    fn look(&self, game: &G, p: &G::Position) -> (Bounds, Option<u32>) {
        let bounds = self.probe(game, p);
        let entry = self.source.entry(game, p).unwrap_or_default();
        (bounds, entry.and_then(|entry| entry.distance))
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

/// A game that asks a database.
fn asking<G: Game, P: Probe<G> + 'static>(game: G, source: P) -> Box<dyn AnyGame> {
    Box::new(Erased::new(game).asking(Careful { source, damage: OnceLock::new() }))
}

struct With<'a> {
    dir: &'a Path,
    memory: u64,
}

/// The value of a position must not hang on how it came about.
fn refuse_lines<G: Game>(game: &G) -> Result<(), Failure> {
    if G::SUPERKO || G::CYCLIC && game.repetition().fixed().is_none() {
        let name = game.name();
        let why = format!("{name}: solvers cannot use a database where values hang on the line");
        return Err(Failure::Refused(why));
    }
    Ok(())
}

impl SlicedVisitor for With<'_> {
    type Output = Result<Box<dyn AnyGame>, Failure>;

    fn visit<G: Sliced>(self, game: G) -> Self::Output {
        refuse_lines(&game)?;
        let database = Database::open(&game, self.dir, self.memory)?;
        Ok(asking(game, database))
    }
}

impl Visitor for With<'_> {
    type Output = Result<Box<dyn AnyGame>, Failure>;

    fn visit<G: Game>(self, game: G) -> Self::Output {
        refuse_lines(&game)?;
        let strong = Strong::open(&game, self.dir)?;
        Ok(asking(game, strong))
    }
}

/// Opens a game with the database of a folder, of which up to `memory` bytes are kept unpacked.
pub fn open_with(name: &str, dir: &Path, memory: u64) -> Result<Box<dyn AnyGame>, Unopened> {
    let with = With { dir, memory };
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
