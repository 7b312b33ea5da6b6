//! What each ingredient of the search saves: the same boards without it.

use crate::run::{Case, RunRecord};
use crate::tables::{grouped, seconds};
use zermelo_erased::EngineConfig;

/// Boards that are small enough to be solved by the bare rules, one or two of each kind.
pub const BOARDS: [&str; 12] = [
    "atarigo 4x4",
    "breakthrough 5x4",
    "breakthrough 4x4 misere",
    "clobber 4x4",
    "connect4 4x6",
    "domineering 5x6",
    "domineering 5x5 misere",
    "knightthrough 5x4",
    "knightthrough 5x4 misere",
    "mnk 4x4x4",
    "nogo 4x4",
    "nogo 5x3",
];

/// The ways to search, each with a name for the table; the first is the whole.
const VARIANTS: [(&str, &str); 7] = [
    ("everything", "alphabeta"),
    ("no knowledge", "alphabeta:without=knowledge"),
    ("no symmetry", "alphabeta:without=symmetry"),
    ("no order", "alphabeta:without=order"),
    ("Monte-Carlo order instead", "alphabeta:without=order,playouts=10k"),
    ("Monte-Carlo order added", "alphabeta:playouts=10k"),
    ("table of 4,096 entries", "alphabeta:table-entries=4096"),
];

/// A way to search, by name; the first is the whole.
#[must_use]
pub fn variants() -> Vec<(&'static str, EngineConfig)> {
    let engine = |text: &str| text.parse().unwrap_or_else(|error| panic!("{error}"));
    VARIANTS.iter().map(|&(name, text)| (name, engine(text))).collect()
}

/// All runs, board by board.
#[must_use]
pub fn cases(boards: &[&str]) -> Vec<Case> {
    let case = |board: &str, engine| Case { game: board.to_owned(), engine };
    boards.iter().flat_map(|b| variants().into_iter().map(|(_, engine)| case(b, engine))).collect()
}

/// The records as a table in Markdown: nodes of the whole, and for each variant how many times the
/// nodes and the CPU seconds. `find` gives the record of a case.
#[must_use]
pub fn markdown<'r>(boards: &[&str], find: impl Fn(&Case) -> Option<&'r RunRecord>) -> String {
    let variants = variants();
    let mut text = String::from("| game | nodes | user s |");
    variants[1..].iter().for_each(|(name, _)| text += &format!(" {name} |"));
    text += &format!("\n|{}\n", "---|".repeat(variants.len() + 2));
    for board in boards {
        let records: Vec<Option<&RunRecord>> = variants
            .iter()
            .map(|(_, engine)| find(&Case { game: (*board).to_owned(), engine: engine.clone() }))
            .collect();
        let Some(whole) = records[0] else { continue };
        text += &format!("| {board} | {} | {} |", grouped(whole.nodes), seconds(whole.cpu_seconds));
        for record in &records[1..] {
            text += &match record {
                None => " |".into(),
                Some(r) if r.nodes == 0 && r.playouts > 0 => {
                    format!(" playouts settle it ({} s) |", seconds(r.cpu_seconds))
                }
                Some(r) => {
                    let times = r.nodes as f64 / whole.nodes.max(1) as f64;
                    let over = if r.solved { "" } else { "> " };
                    format!(" {over}{} ({} s) |", ratio(times), seconds(r.cpu_seconds))
                }
            };
        }
        text.push('\n');
    }
    text
}

fn ratio(times: f64) -> String {
    match times {
        t if t >= 100.0 => format!("x {}", grouped(t.round() as u64)),
        t if t >= 10.0 => format!("x {t:.0}"),
        t => format!("x {t:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::example;
    use std::collections::HashSet;

    #[test]
    fn boards_open_and_methods_differ() {
        for board in BOARDS {
            assert_eq!(zermelo_erased::Catalogue::standard().open(board).unwrap().name(), board);
        }
        let methods: HashSet<String> = cases(&BOARDS[..1]).iter().map(Case::method).collect();
        assert_eq!(methods.len(), variants().len());
    }

    #[test]
    fn ratios_are_to_the_whole() {
        let whole = example("nogo 4x4", "alphabeta", -1, 0.5);
        let bare = RunRecord { nodes: 250_000, solved: false, ..whole.clone() };
        let text = markdown(&["nogo 4x4", "nogo 5x3"], |case| match case.method().as_str() {
            _ if case.game == "nogo 5x3" => None,
            "alphabeta" => Some(&whole),
            "alphabeta, without knowledge" => Some(&bare),
            _ => None,
        });
        assert!(text.contains("| nogo 4x4 | 1,000 | 0.50 | > x 250 (0.50 s) | |"), "{text}");
        assert!(!text.contains("5x3"));
    }
}
