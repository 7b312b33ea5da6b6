//! Published and computed values, one a line in `values.txt`, solved anew.

use crate::tuned;
use zermelo_game::{
    Bounds, BySuperko, Game, History, Knowledge, Limits, Notation, ParseError, Superko,
    SuperkoKnowledge,
};
use zermelo_games::Visitor;
use zermelo_search::alphabeta::{Config, Solver};
use zermelo_search::superko;

/// Solves a position of a game and says who wins, and by how much where the value is a score.
struct Solve<'a> {
    position: Option<&'a str>,
    threads: usize,
}

impl Visitor for Solve<'_> {
    type Output = Result<String, ParseError>;

    fn visit<R: Notation, K: Knowledge<R>>(self, rules: R, knowledge: K) -> Self::Output {
        let tuned = tuned(knowledge);
        let game = Game::new(&rules, &tuned);
        let p = self.position(&rules)?;
        let config = Config { threads: self.threads, ..Config::default() };
        let report = Solver::new(game, config, Limits::default()).solve(&p, &|_| {});
        Ok(words(rules.values(), report.bounds))
    }

    fn visit_superko<R: Notation + Superko, K: SuperkoKnowledge<R>>(
        self,
        rules: R,
        knowledge: K,
    ) -> Self::Output {
        let tuned = tuned(knowledge);
        let game = Game::new(&rules, &tuned);
        let p = self.position(&rules)?;
        let history = History::of(&rules, Some(&BySuperko), &p);
        let mut solver = superko::Solver::new(game, 0, Limits::default());
        Ok(words(rules.values(), solver.solve(&history, &p, &|_| {}).bounds))
    }
}

impl Solve<'_> {
    fn position<R: Notation>(&self, rules: &R) -> Result<R::Position, ParseError> {
        self.position.map_or_else(|| Ok(rules.start()), |text| rules.parse_position(text))
    }
}

/// Who wins, and by how much where the value is a score.
fn words(all: Bounds, found: Bounds) -> String {
    let Some(value) = found.value() else { return "not solved".into() };
    let by = if all.hi > 1 { format!(" by {}", value.abs()) } else { String::new() };
    match value {
        0 => "draw".into(),
        1.. => format!("first player wins{by}"),
        _ => format!("second player wins{by}"),
    }
}

/// Whether a line tells the truth; an error says what is wrong with it.
fn check(line: &str, threads: usize) -> Result<(), String> {
    let (what, value) = line.rsplit_once(':').ok_or("no colon")?;
    let (name, position) = match what.split_once('|') {
        Some((name, position)) => (name, Some(position.trim())),
        None => (what, None),
    };
    let solve = Solve { position, threads };
    let found =
        zermelo_games::open(name.trim(), solve).and_then(|r| r).map_err(|e| e.to_string())?;
    if found == value.trim() { Ok(()) } else { Err(format!("found: {found}")) }
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#'))
}

#[test]
fn values_hold() {
    let mut wrong = Vec::new();
    for line in lines(include_str!("values.txt")) {
        if let Err(error) = check(line, 1) {
            wrong.push(format!("{line} -- {error}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The runner itself must be able to fail.
#[test]
fn wrong_lines_are_found_out() {
    for line in [
        "tictactoe : first player wins",
        "tictactoe | xx./oo./... first : draw",
        "tictactoe | xx/oo./... first : first player wins",
        "go 3x3 : first player wins",
        "go 3x3 : first player wins by 8",
        "nosuchgame : draw",
        "tictactoe draw",
    ] {
        assert!(check(line, 1).is_err(), "{line}");
    }
    assert_eq!(check("tictactoe | xx./oo./... first : first player wins", 2), Ok(()));
}
