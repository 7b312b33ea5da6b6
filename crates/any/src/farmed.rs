//! Databases whose groups of slices are worked out by others, by the game's name.

use crate::build::Order;
use crate::database::Unopened;
use std::path::Path;
use zermelo_endgame::farmed::{self, Piece};
use zermelo_endgame::{Config, Failure};
use zermelo_game::Sliced;
use zermelo_games::SlicedVisitor;

/// What there is to do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    /// The game's name, and the one that says all.
    pub game: [String; 2],
    /// Its rules in words.
    pub rules: String,
    /// All groups, in the order of their numbers.
    pub groups: Vec<Piece>,
}

/// What a build by slices takes: see [`farmed::outline`]. `None` for games that are built from their start, as one piece.
pub fn plan(name: &str, dir: &Path, order: &Order) -> Result<Option<Plan>, Unopened> {
    let found = zermelo_games::open_sliced(name, Outline { dir, config: order.by_slices() })?;
    Ok(found.ok().transpose()?)
}

/// Builds one group, from the files that it rests on.
pub fn build_group(name: &str, dir: &Path, order: &Order, group: usize) -> Result<(), Unopened> {
    let config = Config { only: Some(group), ..order.by_slices() };
    by_slices(name, zermelo_games::open_sliced(name, Group { dir, config })?.ok())
}

/// Lets a finished file into a folder: see [`farmed::admit`].
pub fn admit(name: &str, dir: &Path, order: &Order, finished: &Path) -> Result<(), Unopened> {
    let admit = Admit { dir, config: order.by_slices(), finished };
    by_slices(name, zermelo_games::open_sliced(name, admit)?.ok())
}

fn by_slices(name: &str, done: Option<Result<(), Failure>>) -> Result<(), Unopened> {
    let refused = || Failure::Refused(format!("{name} has no slices"));
    Ok(done.unwrap_or_else(|| Err(refused()))?)
}

struct Outline<'a> {
    dir: &'a Path,
    config: Config<'a>,
}

impl SlicedVisitor for Outline<'_> {
    type Output = Result<Plan, Failure>;

    fn visit<G: Sliced>(self, game: G) -> Self::Output {
        let groups = farmed::outline(&game, self.dir, &self.config)?;
        Ok(Plan { game: [game.name(), game.full_name()], rules: game.rules(), groups })
    }
}

struct Group<'a> {
    dir: &'a Path,
    config: Config<'a>,
}

impl SlicedVisitor for Group<'_> {
    type Output = Result<(), Failure>;

    fn visit<G: Sliced>(self, game: G) -> Self::Output {
        zermelo_endgame::build(&game, self.dir, &self.config).map(|_| ())
    }
}

struct Admit<'a> {
    dir: &'a Path,
    config: Config<'a>,
    finished: &'a Path,
}

impl SlicedVisitor for Admit<'_> {
    type Output = Result<(), Failure>;

    fn visit<G: Sliced>(self, game: G) -> Self::Output {
        farmed::admit(&game, self.dir, &self.config, self.finished)
    }
}
