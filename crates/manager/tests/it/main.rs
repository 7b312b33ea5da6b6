//! The manager against minimax, labels of random graphs, liars, kill -9 and damage.

mod audit;
mod cyclic;
mod faults;
mod gleaned;
mod opinions;
mod proofs;

use std::path::Path;
use std::sync::Arc;
use zermelo_any::{AnyGame, By, How};
use zermelo_game::Bounds;
use zermelo_manager::prover::{Maker, local};
use zermelo_manager::transport::Threads;
use zermelo_manager::tree::Tree;
use zermelo_manager::{Config, Failure, Manager, Settled};

/// A game by its name.
fn open(name: &str) -> Arc<dyn AnyGame> {
    Arc::from(zermelo_any::open(name).unwrap_or_else(|e| panic!("{e}")))
}

/// Jobs so small that a tree is needed.
fn small(nodes: u64) -> Config {
    Config { nodes: Some(nodes), millis: None, memory: 1 << 20, ..Config::default() }
}

/// Proves a position with so many provers of a kind.
fn prove_by(
    game: &Arc<dyn AnyGame>,
    dir: &Path,
    config: Config,
    maker: &Maker,
    provers: usize,
    position: Option<&str>,
) -> Result<Settled, Failure> {
    let tree = Tree::open(game.clone(), dir, None)?;
    let mut threads = Threads::new(provers, maker);
    Manager::new(tree, config, &mut threads, &mut ()).prove(position, &[])
}

/// The same by df-pn.
fn prove(
    game: &Arc<dyn AnyGame>,
    dir: &Path,
    config: Config,
    position: Option<&str>,
) -> Result<Settled, Failure> {
    let maker = local(game.clone(), How::new(By::Dfpn), 2);
    prove_by(game, dir, config, &maker, 2, position)
}

/// The value of a position by one search: alpha-beta or, where lines come back often, df-pn.
fn truth(game: &dyn AnyGame, position: Option<&str>) -> Bounds {
    let mut session = game.session();
    if let Some(text) = position {
        session.set_position(text).unwrap_or_else(|e| panic!("{e}"));
    }
    let by = if game.name() == "checkers 4x6" { By::Dfpn } else { By::AlphaBeta };
    session.solve(&How::new(by), &Default::default(), &|_| {}).bounds
}
