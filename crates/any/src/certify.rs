//! From a solved position to a certificate: the strategy is read from an alpha-beta table, which keeps what
//! its own searches and its partners' have proved, and from df-pn's; what is not there is searched again.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use zermelo_game::{Bounds, Game, Limits, Player};
use zermelo_proof::write::Layout;
use zermelo_proof::{Advisor, Certificate, Claim, Failure, Made};
use zermelo_search::alphabeta::{Facts, Keeper, Solver};

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

    fn advise_after(&mut self, p: &G::Position, boards: &[u64]) -> Option<G::Move> {
        self.keeper.keeping_move_after(p, boards)
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

/// What a certificate is to be like, and who is told how it goes.
pub(crate) struct Order<'o> {
    pub(crate) layout: Layout,
    pub(crate) limits: &'o Limits,
    pub(crate) written: Written<'o>,
    pub(crate) made: Made,
}

/// Writes a certificate of what is known of a position. `solver` works on the game or on part of it, and
/// goes by the facts of another one if there are any. If it is to be smaller, it is written plainly, too, and
/// the smaller one is taken.
pub(crate) fn certify<G, K>(
    game: &G,
    p: &G::Position,
    known: Bounds,
    solver: &mut Solver<K>,
    facts: Option<Facts<K>>,
    order: Order,
) -> Result<Certificate, Failure>
where
    G: Game,
    K: Game<Position = G::Position, Move = G::Move>,
{
    let Order { layout, limits, written, made } = order;
    let (name, position) = (game.full_name(), game.position_text(p));
    let mut certificate = Certificate::new(name, position, layout.search, made);
    let mut before = 0;
    for claim in claims(game.values(), known) {
        let mut write = |layout: Layout| {
            let keeper = solver.keeper(claim.value, limits.clone()).with(facts);
            let cancel = limits.cancel.as_deref();
            let mut player = Adviser { keeper, cancel, written, before };
            let answers = zermelo_proof::write(game, p, claim, layout, &mut player);
            if let Some(words) = player.keeper.clash() {
                return Err(Failure::Contradiction(words.to_owned()));
            }
            let answers = answers?;
            let positions = answers.iter().map(|a| a.positions).sum::<u64>();
            before += positions;
            Ok((positions, answers))
        };
        let (plain, mut answers) = write(Layout { smaller: false, ..layout })?;
        if layout.smaller {
            certificate.header.made.plain += plain;
            let (positions, smaller) = write(layout)?;
            if positions < plain {
                answers = smaller;
            }
        }
        certificate.add(claim, answers);
    }
    Ok(certificate)
}
