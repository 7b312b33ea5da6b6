//! Distances: what they are, and when a database keeps them unless somebody says.
//!
//! The *distance* of a won or lost position is the number of plies to the end of the game when the winner plays for speed and the
//! loser resists:
//!
//! - 0 where the game is over;
//! - one more than the least distance of the lost positions that its moves lead to, where the player to move wins;
//! - one more than the greatest distance of the positions that its moves lead to, where the player to move loses.
//!
//! Draws have none. Nor have games with scores, where there is no one thing to be fast at, and games in which a repetition
//! wins, which is no end to which plies could be counted. Both kinds of databases, slices and
//! [all that can be reached](crate::reachable), keep this number and no other; `tests/it/distances.rs` compares them with
//! plain labels. (The longest win in the header of a slice *without* distances counts plies to conversion, which is
//! another thing.)
//!
//! Distances are kept by default where that takes at most [`MOST_FACTOR`] times the bytes. How much it takes is known only when
//! both files are there, so each game that is built by slices says what was measured of it
//! ([`Sliced::distance_factor`]); all that can be reached of a game took at most 1.6 times as many bytes in every game that was
//! measured, as most of such a file are keys. `docs/databases.md` has the figures. A folder that holds a database already, or
//! a part of one, decides for itself: it is gone on with as it was begun.

use crate::database::is_wdl;
use crate::folder::{self, FolderKind};
use crate::format::Coding;
use crate::manifest::Manifest;
use crate::reachable;
use std::path::Path;
use zermelo_game::{Notation, Sliced};

/// Distances are kept by default where they take at most so many times the bytes.
pub const MOST_FACTOR: f32 = 4.0;

/// Whether distances are kept, and why.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct DistanceChoice {
    /// Whether they are kept.
    pub keep: bool,
    /// Why.
    pub reason: DistanceReason,
}

/// Why distances are kept, or are not.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum DistanceReason {
    /// Games with scores have none.
    Scores,
    /// A repetition wins or loses, which is no end to count to.
    RepetitionWins,
    /// What lies in the folder has them, or has none.
    Folder,
    /// The file takes about so many times the bytes with them, by measurement.
    Measured(f32),
    /// Nobody has measured what they take in this game.
    NotMeasured,
}

impl DistanceChoice {
    fn by(factor: Option<f32>) -> DistanceChoice {
        let reason = factor.map_or(DistanceReason::NotMeasured, DistanceReason::Measured);
        DistanceChoice { keep: factor.is_none_or(|factor| factor <= MOST_FACTOR), reason }
    }
}

/// Whether the folder holds a database, or a part of one, with distances. What is damaged says nothing: whoever opens it will
/// complain.
fn there(dir: &Path) -> Option<bool> {
    if let Some(manifest) = Manifest::read(dir).ok()? {
        return Some(manifest.distance);
    }
    match folder::kind(dir).ok()? {
        FolderKind::Reachable(_) => Some(reachable::header(dir).ok()?.0.distance),
        FolderKind::Slices(_) => {
            let slices = folder::slices(dir).ok()?;
            Some(slices.first()?.0.coding == Coding::Distance)
        }
    }
}

fn chosen<R: Notation>(rules: &R, dir: &Path, factor: Option<f32>) -> DistanceChoice {
    let none = |reason| DistanceChoice { keep: false, reason };
    if !is_wdl(rules) {
        return none(DistanceReason::Scores);
    }
    if R::CYCLIC && rules.repetition().fixed().is_some_and(|value| value != 0) {
        return none(DistanceReason::RepetitionWins);
    }
    match there(dir) {
        Some(keep) => DistanceChoice { keep, reason: DistanceReason::Folder },
        None => DistanceChoice::by(factor),
    }
}

/// Whether a build by slices keeps distances unless somebody says.
pub fn for_slices<R: Sliced>(rules: &R, dir: &Path, pieces: u32) -> DistanceChoice {
    chosen(rules, dir, rules.distance_factor(pieces))
}

/// Whether a build of all that can be reached keeps distances unless somebody says.
pub fn for_reachable<R: Notation>(rules: &R, dir: &Path) -> DistanceChoice {
    chosen(rules, dir, Some(REACHABLE_FACTOR))
}

/// The most that was measured of databases of all that can be reached.
const REACHABLE_FACTOR: f32 = 1.6;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_times_the_bytes_at_most() {
        let keep = |factor| DistanceChoice::by(factor).keep;
        assert!(keep(Some(1.1)) && keep(Some(4.0)) && keep(None));
        assert!(!keep(Some(4.9)));
        assert!(keep(Some(REACHABLE_FACTOR)));
    }
}
