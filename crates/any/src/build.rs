//! Databases made and verified by name: slice by slice where a game numbers its positions, from the start where it
//! does not.

use crate::database::{Unopened, visit};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use zermelo_endgame::reachable::{self, Strong};
use zermelo_endgame::{Config, Estimate, Failure, Verified, verify};
use zermelo_game::{Bounds, Game, Sliced};
use zermelo_games::{SlicedVisitor, Visitor};

/// What was made.
pub struct Built {
    /// The game.
    pub game: String,
    /// Its range of values.
    pub values: Bounds,
    /// What there is of it now.
    pub what: What,
}

/// What there is of a game.
pub enum What {
    /// Slices.
    Slices(zermelo_endgame::build::Built),
    /// Everything that can be reached from the start.
    Whole(reachable::Header),
}

/// How far a build is.
pub enum Building<'a> {
    /// By slices.
    Slices(&'a zermelo_endgame::Progress),
    /// From the start: positions known so far.
    Whole(u64),
}

/// What to make, and with what.
pub struct Order<'a> {
    /// The most pieces; all if not said. Only for games that are built by slices.
    pub pieces: Option<u32>,
    /// Whether to keep distances.
    pub distance: bool,
    /// Threads.
    pub threads: usize,
    /// Bytes.
    pub memory: u64,
    /// Set by others to end the run.
    pub cancel: &'a AtomicBool,
    /// Told how far it is.
    pub progress: &'a (dyn Fn(Building) + Sync),
}

/// Builds the database of a game. What is finished is kept, and not made again.
pub fn build(name: &str, dir: &Path, order: &Order) -> Result<Built, Unopened> {
    let job = Build { dir, order };
    Ok(match zermelo_games::open_sliced(name, job)? {
        Ok(built) => built?,
        Err(job) => zermelo_games::open(name, job)??,
    })
}

/// What a build by slices would take, after the game's name; `None` for games that are built from their start.
pub fn estimate(
    name: &str,
    dir: &Path,
    order: &Order,
) -> Result<Option<(String, Estimate)>, Unopened> {
    match zermelo_games::open_sliced(name, Judge { dir, order })? {
        Ok(estimate) => Ok(Some(estimate?)),
        Err(_) => zermelo_games::open(name, Nothing).map(|()| None).map_err(Unopened::from),
    }
}

struct Build<'a> {
    dir: &'a Path,
    order: &'a Order<'a>,
}

impl SlicedVisitor for Build<'_> {
    type Output = Result<Built, Failure>;

    fn visit<G: Sliced>(self, game: G) -> Self::Output {
        let show = |progress: &zermelo_endgame::Progress| {
            (self.order.progress)(Building::Slices(progress));
        };
        let config = Config { progress: Some(&show), ..self.order.by_slices() };
        let what = What::Slices(zermelo_endgame::build(&game, self.dir, &config)?);
        Ok(Built { game: game.name(), values: game.values(), what })
    }
}

impl Visitor for Build<'_> {
    type Output = Result<Built, Failure>;

    fn visit<G: Game>(self, game: G) -> Self::Output {
        let order = self.order;
        if order.pieces.is_some() {
            let why = "a number of pieces is for games that are built by pieces";
            return Err(Failure::Refused(format!("{}: {why}", game.name())));
        }
        let show = |known: u64| (order.progress)(Building::Whole(known));
        let config = reachable::Config {
            distance: order.distance,
            memory: order.memory,
            cancel: Some(order.cancel),
            progress: Some(&show),
        };
        let what = What::Whole(reachable::build(&game, self.dir, &config)?);
        Ok(Built { game: game.name(), values: game.values(), what })
    }
}

struct Judge<'a> {
    dir: &'a Path,
    order: &'a Order<'a>,
}

impl SlicedVisitor for Judge<'_> {
    type Output = Result<(String, Estimate), Failure>;

    fn visit<G: Sliced>(self, game: G) -> Self::Output {
        let estimate = zermelo_endgame::estimate(&game, self.dir, &self.order.by_slices())?;
        Ok((game.name(), estimate))
    }
}

/// Whether there is such a game.
struct Nothing;

impl Visitor for Nothing {
    type Output = ();

    fn visit<G: Game>(self, _: G) {}
}

impl Order<'_> {
    pub(crate) fn by_slices(&self) -> Config<'_> {
        Config {
            pieces: self.pieces.unwrap_or(u32::MAX),
            distance: self.distance,
            threads: self.threads,
            memory: self.memory,
            only: None,
            cancel: Some(self.cancel),
            progress: None,
        }
    }
}

/// Verifies the database of a folder by forward moves alone.
pub fn verify_folder(dir: &Path, config: &verify::Config) -> Result<Verified, Unopened> {
    visit(dir, Check { dir, config })
}

struct Check<'a> {
    dir: &'a Path,
    config: &'a verify::Config<'a>,
}

impl SlicedVisitor for Check<'_> {
    type Output = Result<Verified, Failure>;

    fn visit<G: Sliced>(self, game: G) -> Self::Output {
        zermelo_endgame::verify(&game, self.dir, self.config)
    }
}

impl Visitor for Check<'_> {
    type Output = Result<Verified, Failure>;

    fn visit<G: Game>(self, game: G) -> Self::Output {
        let config = reachable::Config {
            memory: self.config.memory,
            cancel: self.config.cancel,
            ..reachable::Config::default()
        };
        let positions = Strong::open(&game, self.dir)?.verify(&game, &config)?;
        Ok(Verified { files: 1, positions })
    }
}
