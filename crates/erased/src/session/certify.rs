//! From a solved position to a certificate: the engine that found the answer supplies the strategy, and what it has lost is
//! searched again.
//!
//! A certificate with length, that play ends within so many plies, needs a strategy of fastest moves: [`certify_within`] takes one from
//! whoever has it.

use super::Session;
use crate::EngineConfig;
use crate::database::CertifiedBase;
use crate::game::Erased;
use std::sync::atomic::Ordering::Relaxed;
use zermelo_certificate::write::{
    StrategyLayout, WriteLimits, has_certificates, write, write_within,
};
use zermelo_certificate::{Certificate, Provenance, WriteFailure};
use zermelo_game::boxed::{BoxShape, BytePosition};
use zermelo_game::{Bounds, Boxed, Claim, Limits, Notation, Player, Rules, StrategySource};
use zermelo_search::engine::{Engine, KnownBounds};

/// What a certificate is to be like.
pub struct CertificateRequest<'r> {
    /// How it is laid out. (With `within` there is one layout only.)
    pub layout: StrategyLayout,
    /// The plies within which it is to say that play ends; it then rests on no database. Only a claim by itself, such as that of
    /// a win, has a length. If the strategy of the engine takes longer, there is no certificate.
    pub within: Option<u32>,
    /// For all searches that are needed, and the memory of the writer.
    pub limits: &'r Limits,
    /// Told now and then how many positions were written.
    pub written: &'r dyn Fn(u64),
    /// Who made it.
    pub provenance: Provenance,
}

/// Writes a certificate that a claim holds at a position and that play ends within so many plies, by the moves of a source. These
/// have to be the fastest that keep the claim, the same ones whenever a position is asked about: where a line of play takes longer it
/// fails and says where.
pub(crate) fn certify_within<S: BoxShape>(
    game: &Erased<S>,
    p: &BytePosition<S>,
    claim: Claim,
    within: u32,
    source: &mut dyn StrategySource<Boxed<S>>,
    request: CertificateRequest,
) -> Result<Certificate, WriteFailure> {
    let CertificateRequest { limits, written, provenance, .. } = request;
    let cancel = limits.cancel.as_deref();
    let keep_going = |positions: u64| {
        written(positions);
        !cancel.is_some_and(|cancel| cancel.load(Relaxed))
    };
    let write_limits = WriteLimits { memory: limits.memory, keep_going: &keep_going };
    let answers = write_within(game.rule_book(), p, claim, within, source, &write_limits);
    let rules = game.whole().rules();
    if let Some((error, at)) = source.contradiction() {
        let at = rules.position_text(&at);
        return Err(WriteFailure::Contradiction(format!("{error}, at {at}")));
    }
    let (name, position) = (rules.full_name(), rules.position_text(p));
    let mut certificate = Certificate::new(name, position, 0, provenance);
    certificate.add_within(claim, within, answers?);
    certificate.header.made.writing_nodes = source.searched();
    Ok(certificate)
}

impl<S: BoxShape> Session<'_, S> {
    /// Writes a certificate of what is known of the position of the session. With `facts`, what others have found out, by the
    /// texts of positions; else by the engine that was asked last, as far as its tables fit into the memory.
    pub(super) fn write_certificate(
        &mut self,
        known: Bounds,
        config: Option<&EngineConfig>,
        facts: Option<&dyn Fn(&str) -> Bounds>,
        request: CertificateRequest,
    ) -> Result<Certificate, WriteFailure> {
        let book = self.game.rule_book();
        has_certificates(book)?;
        let (game, p) = (self.game.whole(), self.now);
        let CertificateRequest { layout, within, limits, written, .. } = request;
        let base =
            self.databases().and_then(|databases| CertifiedBase::of(game.rules(), databases));
        let book = book.with_database(base.as_ref().map(|base| base as _));
        let threads = config.map_or(1, EngineConfig::threads);
        if let Some(plies) = within {
            let [claim] = claims(game.values(), known)[..] else {
                let why = "only a win has a length in plies, and none is known here".into();
                return Err(WriteFailure::Unsupported(why));
            };
            return self.certify_fastest(claim, plies, threads, request);
        }
        let whole = self.game;
        let seat =
            self.seat.as_mut().filter(|seat| facts.is_none() && seat.memory <= limits.memory);
        let told = facts
            .map(|facts| move |p: &BytePosition<S>| facts(&game.position_text(&game.canonical(p))));
        let mut sources = Sources {
            engine: seat.map(|seat| &mut *seat.engine),
            told: told.as_ref().map(|told| told as _),
            all: game.values(),
            searcher: None,
            make: &|| whole.searcher(threads, limits),
        };
        let (name, position) = (game.full_name(), game.position_text(&p));
        let mut certificate = Certificate::new(name, position, layout.search, request.provenance);
        certificate.header.database = base.as_ref().map(|base| base.base.clone());
        let cancel = limits.cancel.as_deref();
        let (mut before, mut searched) = (0, 0);
        for claim in claims(game.values(), known) {
            let mut put = |layout: StrategyLayout| {
                let keep_going = |positions: u64| {
                    written(before + positions);
                    !cancel.is_some_and(|cancel| cancel.load(Relaxed))
                };
                let within = WriteLimits { memory: limits.memory, keep_going: &keep_going };
                let answers = sources.with(claim, limits, |source| {
                    let answers = write(book, &p, claim, layout, source, &within);
                    searched += source.searched();
                    match source.contradiction() {
                        Some((error, at)) => Err(WriteFailure::Contradiction(format!(
                            "{error}, at {}",
                            game.position_text(&at)
                        ))),
                        None => answers,
                    }
                })?;
                let positions = answers.iter().map(|a| a.positions).sum::<u64>();
                before += positions;
                Ok((positions, answers))
            };
            let (plain, mut answers) = put(StrategyLayout { smaller: false, ..layout })?;
            if layout.smaller {
                certificate.header.made.plain += plain;
                let (positions, smaller) = put(layout)?;
                if positions < plain {
                    answers = smaller;
                }
            }
            certificate.add(claim, answers);
        }
        certificate.header.made.writing_nodes = searched;
        Ok(certificate)
    }
}

/// What others have found out of positions.
type Told<'t, R> = dyn Fn(&<R as Rules>::Position) -> Bounds + 't;

/// Where the moves of a certificate come from.
struct Sources<'s, 'g, R: Notation> {
    /// The engine that found the answer.
    engine: Option<&'s mut (dyn Engine<R> + 'g)>,
    /// What others have found out.
    told: Option<&'s Told<'s, R>>,
    /// The range of values.
    all: Bounds,
    /// An engine that searches for what is missing, if one was needed.
    searcher: Option<Box<dyn Engine<R> + 'g>>,
    /// Makes it.
    make: &'s dyn Fn() -> Box<dyn Engine<R> + 'g>,
}

impl<R: Notation> Sources<'_, '_, R> {
    /// Does something with moves that keep a claim: the engine's own, or such as are found by search with the facts of the
    /// engine or of others.
    fn with<T>(
        &mut self,
        claim: Claim,
        limits: &Limits,
        work: impl FnOnce(&mut dyn StrategySource<R>) -> T,
    ) -> T {
        if let Some(engine) = &mut self.engine
            && let Some(mut source) = engine.strategy(claim, limits, None)
        {
            return work(&mut *source);
        }
        let (engine, told, all) = (self.engine.as_deref(), self.told, self.all);
        let facts: Option<KnownBounds<R>> = match (told, engine) {
            (Some(told), _) => Some(Box::new(told)),
            (None, Some(engine)) => Some(Box::new(move |p| engine.known(p).unwrap_or(all))),
            (None, None) => None,
        };
        let searcher = self.searcher.get_or_insert_with(self.make);
        let mut source =
            searcher.strategy(claim, limits, facts).expect("a searcher has strategies");
        work(&mut *source)
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
