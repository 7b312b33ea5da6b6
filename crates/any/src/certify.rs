//! From a solved position to a certificate: the strategy is read from an alpha-beta table, which keeps what
//! its own searches and its partners' have proved; what is not there is searched again.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use zermelo_game::{Bounds, Game, Limits, Player};
use zermelo_proof::write::BLOCK;
use zermelo_proof::{Advisor, Certificate, Claim, Failure, Made};
use zermelo_search::alphabeta::{Keeper, Solver};

/// Called now and then with the number of positions written so far.
pub type Written<'a> = &'a dyn Fn(u64);

/// A keeper, as one who advises.
struct Adviser<'k, 's, 'g, K: Game> {
    keeper: Keeper<'s, 'g, K>,
    cancel: Option<&'k AtomicBool>,
    written: Written<'k>,
    before: u64,
}

impl<G, K> Advisor<G> for Adviser<'_, '_, '_, K>
where
    G: Game,
    K: Game<Position = G::Position, Move = G::Move>,
{
    fn advise(&mut self, p: &G::Position) -> Option<G::Move> {
        self.keeper.keeping_move(p)
    }

    fn others(&mut self, p: &G::Position, out: &mut Vec<G::Move>) {
        self.keeper.keeping_moves(p, out);
    }

    fn goes_on(&mut self, positions: u64) -> bool {
        (self.written)(self.before + positions);
        !self.keeper.is_stopped() && !self.cancel.is_some_and(|c| c.load(Relaxed))
    }
}

/// The claims that tell all that is known.
fn claims(all: Bounds, known: Bounds) -> Vec<Claim> {
    let mut claims = Vec::new();
    if known.lo > all.lo {
        claims.push(Claim { claimant: Player::First, value: known.lo });
    }
    if known.hi < all.hi {
        claims.push(Claim { claimant: Player::Second, value: known.hi });
    }
    if claims.is_empty() && known.is_exact() {
        // A game with one value only.
        claims.push(Claim { claimant: Player::First, value: known.lo });
    }
    claims
}

/// Writes a certificate of what is known of a position. `solver` works on the game or on part of it.
pub(crate) fn certify<G, K>(
    game: &G,
    p: &G::Position,
    known: Bounds,
    solver: &mut Solver<K>,
    limits: &Limits,
    written: Written,
    made: Made,
) -> Result<Certificate, Failure>
where
    G: Game,
    K: Game<Position = G::Position, Move = G::Move>,
{
    let mut certificate = Certificate::new(game.full_name(), game.position_text(p), made);
    let mut before = 0;
    for claim in claims(game.values(), known) {
        let keeper = solver.keeper(claim.value, limits.clone());
        let cancel = limits.cancel.as_deref();
        let mut player = Adviser { keeper, cancel, written, before };
        let answers = zermelo_proof::write(game, p, claim, BLOCK, &mut player)?;
        before += answers.iter().map(|a| a.positions).sum::<u64>();
        certificate.add(claim, answers);
    }
    Ok(certificate)
}
