//! Whichever engine found the answer supplies the strategy of the certificate: what it has proved is not searched again.
//! All in nodes, which are the same on every machine.

use zermelo_certificate::write::StrategyLayout;
use zermelo_certificate::{Provenance, check};
use zermelo_erased::{AnySession, Catalogue, CertificateRequest, EngineConfig, EngineId};
use zermelo_game::{Limits, Report, Stop};

fn how(by: EngineId) -> EngineConfig {
    let own = EngineConfig::new(by);
    let playouts = own.number("playouts").min(200);
    own.with_if_any("playouts", playouts)
}

fn limits() -> Limits {
    Limits { nodes: Some(600_000), memory: 64 << 20, ..Limits::default() }
}

fn solve(session: &mut dyn AnySession, by: EngineId) -> Report<String> {
    session.solve(&how(by), &limits(), &|_| {})
}

/// Writes a certificate, has it checked, and says how many nodes were searched for it.
fn write(session: &mut dyn AnySession, report: &Report<String>, by: EngineId) -> u64 {
    assert_eq!(report.stop, Stop::Solved, "{}", by.word());
    let (limits, provenance) = (limits(), Provenance::default());
    let layout = StrategyLayout::default();
    let request =
        CertificateRequest { layout, within: None, limits: &limits, written: &|_| {}, provenance };
    let certificate = session.certify(report.bounds, &how(by), request).unwrap();
    Catalogue::standard().check(&certificate, &check::CheckLimits::default(), None).unwrap();
    certificate.header.made.writing_nodes
}

/// The nodes for solving and for writing.
fn cost(name: &str, position: Option<&str>, by: EngineId) -> (u64, u64) {
    let game = Catalogue::standard().open(name).unwrap();
    let mut session = game.session();
    position.into_iter().for_each(|p| session.set_position(p).unwrap());
    let report = solve(&mut *session, by);
    (report.stats.nodes, write(&mut *session, &report, by))
}

/// Positions can be repeated in the first six. Df-pn alone solves four of these; it and alpha-beta both take part in the
/// other two, so that its proof rests on facts of alpha-beta.
const BOARDS: [(&str, Option<&str>); 9] = [
    ("loa 5x5", None),
    ("loa 5x5", Some(".xxxo/o...o/.x.xo/o..../..o.. first")),
    ("morris 3", None),
    ("chess KRK", None),
    ("morris 3 fly", None),
    ("checkers 6x4", None),
    ("connect4 4x5", None),
    ("mnk 5x5x4", Some("...../...../.oxx./..o.x/.oxo. first")),
    ("nogo 4x4", None),
];

#[test]
fn after_auto_and_dfpn_next_to_nothing_is_searched_again() {
    for (at, (name, position)) in BOARDS.into_iter().enumerate() {
        for by in [EngineId::Auto, EngineId::Dfpn] {
            let (solving, writing) = cost(name, position, by);
            // Alpha-beta, which solves the last three, stores nothing of positions close to the end.
            let allowed = 50 + solving / if at < 6 { 100 } else { 5 };
            assert!(writing <= allowed, "{name}, {}: {solving}, {writing}", by.word());
        }
    }
}

/// Pns gives back what is solved, so all is searched again; the others keep what they have proved.
#[test]
fn other_engines_supply_what_they_have_proved() {
    for (by, name) in [
        (EngineId::AlphaBeta, "morris 3"),
        (EngineId::AlphaBeta, "morris 3 fly"),
        (EngineId::AlphaBeta, "loa 4x5"),
        (EngineId::IdAbTt, "loa 4x5"),
        (EngineId::MonteCarlo, "loa 4x5"),
        (EngineId::MonteCarlo, "nogo 4x4"),
        (EngineId::MonteCarlo, "connect4 4x5"),
        (EngineId::Lambda, "mnk 4x4x3"),
        (EngineId::Lambda, "atarigo 3x4"),
    ] {
        let ((_, without), (_, with)) = (cost(name, None, EngineId::Pns), cost(name, None, by));
        assert!(without > 0 && with <= without / 10, "{name}, {}: {with} of {without}", by.word());
    }
}

/// What a session has proved holds, whichever engine it was asked for.
#[test]
fn an_engine_that_was_asked_before_helps() {
    for name in ["loa 5x5", "nogo 4x4"] {
        let game = Catalogue::standard().open(name).unwrap();
        let mut session = game.session();
        let report = solve(&mut *session, EngineId::Pns);
        let alone = write(&mut *session, &report, EngineId::Pns);
        solve(&mut *session, EngineId::Dfpn);
        let report = solve(&mut *session, EngineId::Pns);
        let helped = write(&mut *session, &report, EngineId::Pns);
        assert!(alone > 10_000 && helped < 200, "{name}: {helped} after {alone}");
    }
}
