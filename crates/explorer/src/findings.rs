//! What is known of a position and of its moves from all sources together, without a search.
//!
//! Where positions have values of their own, the position is worth its best move and no move is worth more than the position. Elsewhere
//! a value belongs to a line of play, and there are two that a board may mean: play that begins here, and the moves that led here.

use crate::SharedApp;
use crate::facts::Subject;
use crate::library::OpenGame;
use crate::sources::{EvidenceSource, Sources};
use zermelo_erased::{AnySession, SurveyedMove};
use zermelo_game::{Bounds, Conflict, Evidence, Finding, Player, best_of_moves};

/// Where a position is: a position to begin with, and the moves from there as the game writes them.
pub struct Place<'a, 'g> {
    /// The game.
    pub game: &'a OpenGame,
    /// At the position.
    pub session: &'a (dyn AnySession + 'g),
    /// The position to begin with.
    pub start: &'a str,
    /// The moves from there.
    pub played: &'a [String],
}

/// Two sources that cannot both be right.
#[derive(Clone, Copy, Debug)]
pub struct Contradiction {
    /// What they say.
    pub both: Conflict<EvidenceSource>,
    /// Whether the second one speaks of the moves.
    pub of_moves: bool,
}

/// What is known of a position.
pub struct Findings {
    /// Of the position.
    pub here: Finding<EvidenceSource>,
    /// What is wrong about it.
    pub contradiction: Option<Contradiction>,
    /// Of its moves.
    pub moves: Vec<(SurveyedMove, Finding<EvidenceSource>)>,
    /// The moves that are known to keep the value, the best first.
    pub best: Vec<String>,
}

impl Findings {
    /// Asks all sources.
    #[must_use]
    pub fn of(app: &SharedApp, place: &Place) -> Findings {
        let Place { game, session, start, played } = *place;
        let sources = Sources::of(app, game);
        let survey = session.survey();
        let position = session.position();
        let keeps = game.canonical_keeps_distance();
        let own = || {
            let after = |m: &SurveyedMove| Subject::position(keeps, &m.after, &m.canonical);
            let here = Subject::position(keeps, &position, &survey.canonical);
            std::iter::once(here).chain(survey.moves.iter().map(after)).collect()
        };
        let line = |start: &str, played: &[String]| {
            let words = || played.iter().map(String::as_str);
            let after = |m: &SurveyedMove| Subject::line(start, words().chain([m.mv.as_str()]));
            let here = Subject::line(start, words());
            std::iter::once(here).chain(survey.moves.iter().map(after)).collect()
        };
        let views: Vec<Vec<Subject>> = match (sources.own_values, game.features().superko) {
            (true, _) => vec![own()],
            (false, true) => vec![line(start, played)],
            // Searches begin a line at the position.
            (false, false) if played.is_empty() => vec![line(&position, &[])],
            (false, false) => vec![line(&position, &[]), line(start, played)],
        };
        let look = |view: &Vec<Subject>| {
            let searched = sources.searched(view.iter());
            let texts = std::iter::once((survey.known, &position))
                .chain(survey.moves.iter().map(|m| (m.known, &m.after)));
            let found = texts.zip(view).zip(searched);
            found
                .map(|(((known, text), subject), searched)| {
                    sources.ledger(known, text, subject, &searched)
                })
                .collect::<Vec<_>>()
        };
        let exact = |ledgers: &Vec<_>| {
            ledgers
                .iter()
                .filter(|l: &&zermelo_game::Ledger<_>| l.finding().bounds.is_exact())
                .count()
        };
        let mut told = views.iter().map(look);
        let mut ledgers = told.next().expect("there is a view");
        for other in told {
            if exact(&other) > exact(&ledgers) {
                ledgers = other;
            }
        }
        let turn = session.turn();
        let mut here = ledgers.remove(0);
        let by_itself = here.finding();
        let known: Vec<_> = ledgers.iter().map(|ledger| ledger.finding()).collect();
        if sources.own_values {
            by_moves(turn, &known).into_iter().for_each(|evidence| here.enter(evidence));
        }
        let mut found = here.finding();
        let contradiction = match by_itself.conflict {
            Some(both) => Some(Contradiction { both, of_moves: false }),
            None => found.conflict.map(|both| Contradiction { both, of_moves: true }),
        };
        if let (Some(source), true) = (found.source, sources.own_values) {
            let cap = at_most(turn, found.bounds, sources.all);
            for ledger in &mut ledgers {
                if ledger.finding().conflict.is_none() {
                    ledger.enter(Evidence::new(cap, source));
                }
            }
        }
        let moves: Vec<_> =
            survey.moves.into_iter().zip(ledgers.iter().map(|ledger| ledger.finding())).collect();
        if found.distance.is_none() {
            found.distance = distance(turn, found.bounds, &moves);
        }
        let best = best(&moves, found.bounds, turn);
        Findings { here: found, contradiction, moves, best }
    }

    /// Whether a search could tell more than is known: of values, or of distances where wins have them.
    #[must_use]
    pub fn is_complete(&self, game: &OpenGame) -> bool {
        let complete = |finding: &Finding<EvidenceSource>| {
            let measured = || match zermelo_game::distance::winner_of(finding.bounds) {
                Some(winner) => !game.has_distances(winner) || finding.distance.is_some(),
                None => true,
            };
            finding.bounds.is_exact() && measured()
        };
        complete(&self.here) && self.moves.iter().all(|(_, finding)| complete(finding))
    }
}

/// The bounds of a move in a position with these: it is worth no more to the player who makes it.
#[must_use]
pub fn at_most(turn: Player, position: Bounds, all: Bounds) -> Bounds {
    match turn {
        Player::First => Bounds::new(all.lo, position.hi),
        Player::Second => Bounds::new(position.lo, all.hi),
    }
}

/// What is known of the moves, as evidence about the position. The source is one that says it of a best move.
fn by_moves(turn: Player, moves: &[Finding<EvidenceSource>]) -> Option<Evidence<EvidenceSource>> {
    let bounds = best_of_moves(turn, moves.iter().map(|m| m.bounds))?;
    let least = |bounds: Bounds| bounds.seen_by(turn).lo;
    let best = moves.iter().filter(|m| least(m.bounds) == least(bounds));
    // Where there is none, the moves say nothing of the position.
    let source = best.filter_map(|m| m.source).next()?;
    Some(Evidence::new(bounds, source))
}

/// The plies to the end by those of the moves: a win is as long as the shortest, a loss as the longest.
fn distance(
    turn: Player,
    bounds: Bounds,
    moves: &[(SurveyedMove, Finding<EvidenceSource>)],
) -> Option<u32> {
    let winner = zermelo_game::distance::winner_of(bounds)?;
    let wins = moves
        .iter()
        .filter(|(_, found)| zermelo_game::distance::winner_of(found.bounds) == Some(winner));
    let mut plies = wins.map(|(_, found)| found.distance);
    // A move whose value is open may win sooner.
    let settled = moves.iter().all(|(_, found)| found.bounds.is_exact());
    let first = plies.next().flatten().filter(|_| settled)?;
    let better =
        |one: u32, other: u32| if winner == turn { one.min(other) } else { one.max(other) };
    let all = plies.try_fold(first, |sum, next| Some(better(sum, next?)))?;
    Some(all + 1)
}

/// The moves that are known to keep what the player to move is sure of, the best first: short wins, long losses.
fn best(
    moves: &[(SurveyedMove, Finding<EvidenceSource>)],
    bounds: Bounds,
    turn: Player,
) -> Vec<String> {
    let value = bounds.seen_by(turn);
    if !value.is_exact() {
        return Vec::new();
    }
    let keeps =
        |(_, found): &&(SurveyedMove, Finding<_>)| found.bounds.seen_by(turn).lo >= value.lo;
    let mut keep: Vec<_> = moves.iter().filter(keeps).collect();
    keep.sort_by_key(|(_, found)| {
        let plies = i64::from(found.distance.unwrap_or(u32::MAX));
        if value.lo > 0 { plies } else { -plies }
    });
    keep.into_iter().map(|(m, _)| m.mv.clone()).collect()
}
