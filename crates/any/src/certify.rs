//! From a solved position to a certificate: the strategy is read from the tables of solvers, and what is not there
//! is searched again.
//!
//! Alpha-beta's table keeps what its own searches and its partners' have proved. Where positions can come back it forgets
//! whatever hangs on the line, which may be nearly all: there df-pn is asked, whose results stand.

use std::cell::OnceCell;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};
use zermelo_game::{Bounds, Game, Limits, MoveList, Player, Question, Stats, Value};
use zermelo_proof::format::Base;
use zermelo_proof::rules::Rules;
use zermelo_proof::write::Layout;
use zermelo_proof::{Advisor, Certificate, Claim, Failure, Made};
use zermelo_search::alphabeta::{self, Facts, Keeper};
use zermelo_search::proofnumber::Opening;
use zermelo_search::proofnumber::dfpn::{self, Dfpn};

/// Called now and then with the number of positions written so far.
pub type Written<'a> = &'a dyn Fn(u64);

/// Knows moves that keep a claim.
pub(crate) trait Mind<G: Game> {
    fn keeping_move(
        &mut self,
        p: &G::Position,
        class: G::Key,
        moves: &MoveList<G::Move>,
    ) -> Option<G::Move>;
    fn keeping_move_after(&mut self, p: &G::Position, boards: &[u64]) -> Option<G::Move>;
    fn keeping_moves(&self, p: &G::Position, out: &mut Vec<G::Move>);
    fn renew(&mut self, p: &G::Position) -> bool {
        let _ = p;
        false
    }
    fn ahead(&self, p: &G::Position, class: G::Key) {
        let _ = (p, class);
    }
    fn is_stopped(&self) -> bool;
    /// Where facts contradict what was proved, if they do.
    fn clash(&self) -> Option<&str>;
}

/// Has a mind for every claim.
pub(crate) trait Minds<G: Game> {
    fn mind(&mut self, claim: Claim) -> Box<dyn Mind<G> + '_>;
}

/// Alpha-beta, and what somebody else has proved.
pub(crate) struct ByAlphaBeta<'s, 'g, K: Game> {
    pub(crate) solver: &'s mut alphabeta::Solver<'g, K>,
    pub(crate) facts: Option<Facts<'s, K>>,
    pub(crate) limits: &'s Limits,
}

impl<G, K> Minds<G> for ByAlphaBeta<'_, '_, K>
where
    G: Game,
    K: Game<Position = G::Position, Move = G::Move, Key = G::Key>,
{
    fn mind(&mut self, claim: Claim) -> Box<dyn Mind<G> + '_> {
        Box::new(self.solver.keeper(claim.value, self.limits.clone()).with(self.facts))
    }
}

impl<G, K> Mind<G> for Keeper<'_, '_, K>
where
    G: Game,
    K: Game<Position = G::Position, Move = G::Move, Key = G::Key>,
{
    fn keeping_move(
        &mut self,
        p: &G::Position,
        class: G::Key,
        moves: &MoveList<G::Move>,
    ) -> Option<G::Move> {
        Keeper::keeping_move(self, p, class, moves)
    }

    fn keeping_move_after(&mut self, p: &G::Position, boards: &[u64]) -> Option<G::Move> {
        Keeper::keeping_move_after(self, p, boards)
    }

    fn keeping_moves(&self, p: &G::Position, out: &mut Vec<G::Move>) {
        Keeper::keeping_moves(self, p, out);
    }

    fn ahead(&self, p: &G::Position, class: G::Key) {
        Keeper::ahead(self, p, class);
    }

    fn is_stopped(&self) -> bool {
        Keeper::is_stopped(self)
    }

    fn clash(&self) -> Option<&str> {
        Keeper::clash(self)
    }
}

/// Df-pn, and what somebody else has proved.
pub(crate) struct ByDfpn<'s, 'g, K: Game> {
    pub(crate) game: &'g K,
    pub(crate) dfpn: &'s mut Dfpn<'g, K>,
    pub(crate) facts: Option<Facts<'s, K>>,
    pub(crate) limits: &'s Limits,
}

impl<G, K> Minds<G> for ByDfpn<'_, '_, K>
where
    G: Game,
    K: Game<Position = G::Position, Move = G::Move>,
{
    fn mind(&mut self, claim: Claim) -> Box<dyn Mind<G> + '_> {
        Box::new(Asking {
            game: self.game,
            dfpn: &mut *self.dfpn,
            facts: self.facts,
            limits: self.limits,
            claim,
            anew: {
                let limits = Limits { memory: self.limits.memory / 4, ..self.limits.clone() };
                Dfpn::new(self.game, dfpn::Config::default(), limits)
            },
            spent: Stats::default(),
            since: Instant::now(),
            stopped: false,
            clash: OnceCell::new(),
        })
    }
}

/// Df-pn asked about one claim, within limits for all searches together.
struct Asking<'m, 'g, K: Game> {
    game: &'g K,
    dfpn: &'m mut Dfpn<'g, K>,
    facts: Option<Facts<'m, K>>,
    limits: &'m Limits,
    claim: Claim,
    /// Proves again from nothing.
    anew: Dfpn<'g, K>,
    spent: Stats,
    since: Instant,
    stopped: bool,
    clash: OnceCell<String>,
}

impl<K: Game> Asking<'_, '_, K> {
    /// Whether it is known without search that a position keeps the claim.
    fn keeps(&self, p: &K::Position) -> bool {
        let stated = self.game.static_bounds(p);
        let solved = [self.dfpn.known(p), self.anew.known(p)].map(Some);
        let told = solved.into_iter().chain([self.facts.map(|facts| facts(p))]);
        let known = told.flatten().fold(stated, |sum, told| match sum.meet(told) {
            Ok(both) => both,
            Err(error) => {
                self.clash.get_or_init(|| format!("{error}, at {}", self.game.position_text(p)));
                sum
            }
        });
        self.is_kept(known)
    }

    fn is_kept(&self, bounds: Bounds) -> bool {
        let worst = if self.claim.claimant == Player::First { bounds.lo } else { bounds.hi };
        self.claim.is_kept_by(worst)
    }

    fn moves(&self, p: &K::Position) -> MoveList<K::Move> {
        let mut list = MoveList::new();
        self.game.moves(p, &mut list);
        list
    }

    /// Asks df-pn, or a second one that has not heard of the first one's facts, whether the claim is kept at a position of the
    /// claimant, and how.
    fn ask(&mut self, p: &K::Position, anew: bool) -> Option<K::Move> {
        let Ok(limits) = self.limits.after(&self.spent) else {
            self.stopped = true;
            return None;
        };
        // At least the value, or less than one more: what lies beyond is of no interest here.
        let (all, value) = (self.game.values(), self.claim.value);
        let at_least = if self.claim.claimant == Player::First { value } else { value + 1 };
        let beside = |value: Value| value.clamp(all.lo, all.hi);
        let known = Bounds::new(beside(at_least - 1), beside(at_least));
        let opening = Opening { known, first: Some(Question { at_least }) };
        let dfpn = match anew {
            true => &mut self.anew,
            false => &mut *self.dfpn,
        };
        dfpn.set_limits(limits);
        let report = dfpn.solve_from(p, &opening, &|_| {}, None);
        let elapsed = self.spent.elapsed + report.stats.elapsed;
        self.spent.merge(&report.stats);
        self.spent.elapsed = elapsed;
        self.stopped |= report.bounds.lo < report.bounds.hi;
        report.best.filter(|_| self.is_kept(report.bounds))
    }
}

impl<G, K> Mind<G> for Asking<'_, '_, K>
where
    G: Game,
    K: Game<Position = G::Position, Move = G::Move>,
{
    fn keeping_move(
        &mut self,
        p: &G::Position,
        _: G::Key,
        moves: &MoveList<G::Move>,
    ) -> Option<G::Move> {
        let known = moves.iter().find(|&m| self.keeps(&self.game.play(p, m)));
        known.or_else(|| self.ask(p, false))
    }

    fn keeping_move_after(&mut self, _: &G::Position, _: &[u64]) -> Option<G::Move> {
        None
    }

    fn keeping_moves(&self, p: &G::Position, out: &mut Vec<G::Move>) {
        out.extend(self.moves(p).iter().filter(|&m| self.keeps(&self.game.play(p, m))));
    }

    fn renew(&mut self, p: &G::Position) -> bool {
        self.ask(p, true).is_some()
    }

    fn is_stopped(&self) -> bool {
        let late = |time: Duration| self.since.elapsed() >= time;
        self.stopped || self.limits.time.is_some_and(late)
    }

    fn clash(&self) -> Option<&str> {
        self.clash.get().map(String::as_str)
    }
}

/// A mind, as one who advises.
struct Adviser<'k, G: Game> {
    mind: Box<dyn Mind<G> + 'k>,
    cancel: Option<&'k AtomicBool>,
    written: Written<'k>,
    before: u64,
    room: u64,
}

impl<G: Game> Advisor<G> for Adviser<'_, G> {
    fn advise(
        &mut self,
        p: &G::Position,
        class: G::Key,
        moves: &MoveList<G::Move>,
    ) -> Option<G::Move> {
        self.mind.keeping_move(p, class, moves)
    }

    fn advise_after(&mut self, p: &G::Position, boards: &[u64]) -> Option<G::Move> {
        self.mind.keeping_move_after(p, boards)
    }

    fn others(&mut self, p: &G::Position, out: &mut Vec<G::Move>) {
        self.mind.keeping_moves(p, out);
    }

    fn renew(&mut self, p: &G::Position) -> bool {
        self.mind.renew(p)
    }

    fn ahead(&mut self, p: &G::Position, class: G::Key) {
        self.mind.ahead(p, class);
    }

    fn room(&self) -> u64 {
        self.room
    }

    fn goes_on(&mut self, positions: u64) -> bool {
        (self.written)(self.before + positions);
        !self.mind.is_stopped() && !self.cancel.is_some_and(|c| c.load(Relaxed))
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
    /// The database that the rules end at.
    pub(crate) database: Option<Base>,
}

/// Writes a certificate of what is known of a position. If it is to be smaller, it is written plainly, too, and
/// the smaller one is taken.
pub(crate) fn certify<G: Game>(
    game: &G,
    rules: Rules<G>,
    p: &G::Position,
    known: Bounds,
    minds: &mut dyn Minds<G>,
    order: Order,
) -> Result<Certificate, Failure> {
    let Order { layout, limits, written, made, database } = order;
    let (name, position) = (game.full_name(), game.position_text(p));
    let mut certificate = Certificate::new(name, position, layout.search, made);
    certificate.header.database = database;
    let mut before = 0;
    for claim in claims(game.values(), known) {
        let mut write = |layout: Layout| {
            let cancel = limits.cancel.as_deref();
            let (mind, room) = (minds.mind(claim), limits.memory);
            let mut player = Adviser { mind, cancel, written, before, room };
            let answers = zermelo_proof::write(rules, p, claim, layout, &mut player);
            if let Some(words) = player.mind.clash() {
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
