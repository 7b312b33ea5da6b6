//! A build on trial, to say what one would take: nothing is written.

use super::ReachableConfig;
use super::file::Contents;
use super::graph::explore_up_to;
use crate::DatabaseFailure;
use std::path::Path;
use zermelo_game::{Identity, Notation, Value};

/// What a trial has found.
pub(crate) struct Trial {
    /// Positions that are known, one for all their images.
    pub found: u64,
    /// Those whose moves were played, and these moves.
    pub looked: u64,
    /// See there.
    pub moves: u64,
    /// What a build would make, if these are all positions.
    pub whole: Option<WholeTrial>,
}

/// What a build would make.
pub(crate) struct WholeTrial {
    /// Positions, and those that are kept.
    pub positions: u64,
    /// See there.
    pub kept: u64,
    /// Moves.
    pub moves: u64,
    /// Bytes without distances and with them.
    pub bytes: [u64; 2],
}

/// Explores so many positions at most, and works everything out if these are all. `rest` is what a repetition is worth.
pub(crate) fn trial<R: Notation>(
    rules: &R,
    rest: Value,
    config: &ReachableConfig,
    most: usize,
) -> Result<Trial, DatabaseFailure> {
    let config = ReachableConfig { memory: u64::MAX, ..*config };
    let (explored, graph) = explore_up_to(rules, &config, most)?;
    let (found, moves) = (explored.len() as u64, graph.moves_in_all() as u64);
    let mut trial = Trial { found, looked: graph.len() as u64, moves, whole: None };
    if trial.looked == found {
        let back = graph.back();
        let values = graph.values(rest, &back);
        let plies = graph.distances(&values, &back);
        let mut contents = Contents {
            identity: Identity::of(rules),
            key_bits: rules.key_bits(),
            positions: &explored,
            graph: &graph,
            values,
            plies: None,
        };
        // Nothing is written, so nothing can fail but the memory of the compressor.
        let io = |e| DatabaseFailure::io(Path::new("a trial"), e);
        let (header, plain) = contents.encode().map_err(io)?;
        contents.plies = Some(plies);
        let (_, distances) = contents.encode().map_err(io)?;
        trial.whole = Some(WholeTrial {
            positions: header.positions,
            kept: header.kept,
            moves,
            bytes: [plain.len() as u64, distances.len() as u64],
        });
    }
    Ok(trial)
}
