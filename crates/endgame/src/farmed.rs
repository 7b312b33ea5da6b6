//! A build in pieces that others work out: what is left to do, what each piece rests on, and how a finished file is let
//! into the folder.
//!
//! A group is worked out from the files of the groups that it rests on, and from nothing else
//! ([`Config::only`](crate::Config::only)); so it may be done anywhere those are at hand, and comes to the same bytes as here.

use crate::build::{Config, coding, plan, refuse_unfit};
use crate::database::{Database, Stored};
use crate::folder::{self, SLICE};
use crate::{Damage, Failure};
use std::fs::{self, File};
use std::path::Path;
use zermelo_game::Sliced;

/// A group of slices.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Piece {
    /// The names of its slices.
    pub slices: Vec<String>,
    /// The numbers of the groups that it rests on, all before its own; what these rest on is among them.
    pub needs: Vec<usize>,
    /// Its places.
    pub places: u64,
    /// Whether its files are there.
    pub there: bool,
}

/// All groups of a build in the order of their numbers. Makes the folder, and removes what an interrupted run has left
/// half written.
pub fn outline<G: Sliced>(game: &G, dir: &Path, config: &Config) -> Result<Vec<Piece>, Failure> {
    refuse_unfit(game, config)?;
    folder::prepare(dir)?;
    let database = Database::open(game, dir, 0)?;
    plan(game, &database, config)?;
    let groups = game.groups(config.pieces);
    let piece = |(n, group): (usize, &Vec<G::Slice>)| {
        let rests = |m: &usize| groups[*m].iter().any(|&earlier| game.rests_on(group, earlier));
        Piece {
            slices: group.iter().map(|&slice| game.slice_name(slice)).collect(),
            needs: (0..n).filter(rests).collect(),
            places: group.iter().map(|&slice| game.places(slice)).sum(),
            there: group.iter().all(|&slice| database.file(slice).is_some()),
        }
    };
    Ok(groups.iter().enumerate().map(piece).collect())
}

/// Lets a finished file into the folder, if it is of this game and coding, of the slice that its name says, and built from
/// the files that are there. It lies in another folder of the same disk, and is complete.
pub fn admit<G: Sliced>(
    game: &G,
    dir: &Path,
    config: &Config,
    finished: &Path,
) -> Result<(), Failure> {
    let stored = Stored::open(finished)?;
    let header = stored.header.clone();
    let damaged = |why: String| Err(Damage::new(finished, &why).into());
    if header.coding != coding(game, config) {
        return damaged("it says other things of positions than were asked for".into());
    }
    let slices = game.groups(config.pieces);
    let slice = slices.into_iter().flatten().find(|s| game.slice_name(*s) == header.slice);
    // The same look as at a file that is found in a folder.
    Database::empty(dir, 0).add(game, slice, stored)?;
    let path = |slice: &str| dir.join(slice).with_extension(SLICE);
    for source in &header.sources {
        let (_, _, digest, _) = folder::open(&path(&source.slice))?;
        if digest != source.digest {
            return damaged(format!("it was built from another file {}", source.slice));
        }
    }
    let (to, io) = (path(&header.slice), |e| Failure::io(finished, e));
    File::open(finished).and_then(|file| file.sync_all()).map_err(io)?;
    fs::rename(finished, &to).map_err(io)?;
    File::open(dir).and_then(|dir| dir.sync_all()).map_err(io)
}
