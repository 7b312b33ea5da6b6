//! The manager against minimax, labels of random graphs, liars, kill -9 and damage.

mod audit;
mod child_results;
mod cyclic;
mod faults;
mod growth;
mod hostile;
mod identity;
mod opinions;
mod proofs;

use std::path::Path;
use std::sync::Arc;
use zermelo_erased::{AnyGame, EngineConfig, EngineId};
use zermelo_game::Bounds;
use zermelo_proof_tree::guarded::Guarded;
use zermelo_proof_tree::prover::{Maker, local};
use zermelo_proof_tree::transport::Threads;
use zermelo_proof_tree::tree::ProofTree;
use zermelo_proof_tree::{Manager, ManagerConfig, ProofTreeFailure, Settled};

/// A game by its name.
fn open(name: &str) -> Arc<dyn AnyGame> {
    Arc::from(zermelo_erased::Catalogue::standard().open(name).unwrap_or_else(|e| panic!("{e}")))
}

/// Jobs so small that a tree is needed.
fn small(nodes: u64) -> ManagerConfig {
    ManagerConfig { nodes: Some(nodes), millis: None, memory: 1 << 20, ..ManagerConfig::default() }
}

/// Proves a position with so many provers of a kind.
fn prove_by(
    game: &Arc<dyn AnyGame>,
    dir: &Path,
    config: ManagerConfig,
    maker: &Maker,
    provers: usize,
    position: Option<&str>,
) -> Result<Settled, ProofTreeFailure> {
    let tree = ProofTree::open(game.clone(), dir, None)?;
    let mut threads = Threads::new(provers, maker);
    Manager::new(tree, config, &mut threads, &mut ()).prove(position, &[])
}

/// The same with engines of ours beside the provers, which audit.
fn prove_guarded(
    game: &Arc<dyn AnyGame>,
    dir: &Path,
    config: ManagerConfig,
    maker: &Maker,
    provers: usize,
) -> Result<Settled, ProofTreeFailure> {
    let tree = ProofTree::open(game.clone(), dir, None)?;
    let ours = Threads::new(1, &local(game.clone(), EngineConfig::new(EngineId::Dfpn), 1));
    let mut guarded = Guarded::new(Box::new(Threads::new(provers, maker)), Some(ours), None);
    Manager::new(tree, config, &mut guarded, &mut ()).prove(None, &[])
}

/// The same by df-pn.
fn prove(
    game: &Arc<dyn AnyGame>,
    dir: &Path,
    config: ManagerConfig,
    position: Option<&str>,
) -> Result<Settled, ProofTreeFailure> {
    let maker = local(game.clone(), EngineConfig::new(EngineId::Dfpn), 2);
    prove_by(game, dir, config, &maker, 2, position)
}

/// The value of a position by one search: alpha-beta or, where many lines are cycles, df-pn.
fn truth(game: &dyn AnyGame, position: Option<&str>) -> Bounds {
    let mut session = game.session();
    if let Some(text) = position {
        session.set_position(text).unwrap_or_else(|e| panic!("{e}"));
    }
    let engine = if game.name() == "checkers 4x6" { EngineId::Dfpn } else { EngineId::AlphaBeta };
    session.solve(&EngineConfig::new(engine), &Default::default(), &|_| {}).bounds
}
