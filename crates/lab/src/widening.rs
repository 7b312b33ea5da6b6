//! Dynamic widening (Yoshizoe 2008): df-pn that counts only the most promising children, on positions
//! with many moves of which few matter.
//!
//! The problems of [`captures`](crate::captures) are solved with the bare rules of the game, so that
//! the search finds out by itself which moves matter; without symmetry, so that equal moves come
//! in the order of the board.

use crate::captures::Problem;
use crate::tables::grouped;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use zermelo_game::{Limits, Stop};
use zermelo_search::ablate::{Ablated, Without};
use zermelo_search::proofnumber::dfpn::{Config, Dfpn};
use zermelo_search::proofnumber::numbers::{SumRule, Tie};

/// Nodes a problem may take, as in the source.
pub const NODES: u64 = 200_000;
/// Bytes for a table.
const MEMORY: u64 = 1 << 28;

/// The rules that are compared, with their names.
#[must_use]
pub fn rules() -> Vec<(String, SumRule)> {
    let mut rules = vec![("none".to_owned(), SumRule::Sum)];
    for (tie, name) in [(Tie::Greater, "greater"), (Tie::Less, "less")] {
        for n in [2, 5, 10, 20] {
            rules.push((format!("RATE{n}, {name}"), SumRule::Rate(n, tie)));
        }
        for n in [20, 10, 5, 2, 1] {
            rules.push((format!("TOP{n}, {name}"), SumRule::Top(n, tie)));
        }
    }
    rules
}

/// What came of a problem.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// The win was found, in so many nodes.
    Solved(u64),
    /// Too many nodes.
    Exceeded,
    /// Another value was found.
    Wrong,
}

/// Solves a problem by the bare rules.
#[must_use]
pub fn attempt(problem: &Problem, rule: SumRule, nodes: u64) -> End {
    let bare = Ablated::new(problem.game.clone(), Without::ALL);
    let config = Config { rule, epsilon: 0, ..Config::default() };
    let limits = Limits { nodes: Some(nodes), memory: MEMORY, ..Limits::default() };
    let report = Dfpn::new(&bare, config, limits).solve(&problem.position, &|_| {});
    match report.stop {
        Stop::Solved if report.bounds == problem.value() => End::Solved(report.stats.nodes),
        Stop::Solved => End::Wrong,
        _ => End::Exceeded,
    }
}

/// Solves all problems by all rules with so many threads: for each rule, what came of each problem. The
/// observer is told of each, with the numbers of rule and problem.
#[must_use]
pub fn run(
    problems: &[Problem],
    rules: &[(String, SumRule)],
    nodes: u64,
    threads: usize,
    observer: &(dyn Fn(usize, usize, End) + Sync),
) -> Vec<Vec<End>> {
    let ends = Mutex::new(vec![vec![End::Exceeded; problems.len()]; rules.len()]);
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let job = next.fetch_add(1, Relaxed);
                    let (at, which) = (job / rules.len(), job % rules.len());
                    let Some(problem) = problems.get(at) else { return };
                    let end = attempt(problem, rules[which].1, nodes);
                    observer(which, at, end);
                    ends.lock().unwrap_or_else(|e| e.into_inner())[which][at] = end;
                }
            });
        }
    });
    ends.into_inner().unwrap_or_else(|e| e.into_inner())
}

/// The table in Markdown. The last column counts the nodes on the problems that all rules solved, but
/// for those that solve less than a third of what the best one does.
#[must_use]
pub fn markdown(rules: &[(String, SumRule)], ends: &[Vec<End>]) -> String {
    let count = |ends: &[End], which: fn(&End) -> bool| ends.iter().filter(|e| which(e)).count();
    let solved = |ends: &[End]| count(ends, |e| matches!(e, End::Solved(_)));
    let most = ends.iter().map(|ends| solved(ends)).max().unwrap_or(0);
    let able: Vec<&Vec<End>> = ends.iter().filter(|ends| 3 * solved(ends) >= most).collect();
    let problems = ends.first().map_or(0, Vec::len);
    let by_all = |i: &usize| able.iter().all(|ends| matches!(ends[*i], End::Solved(_)));
    let common: Vec<usize> = (0..problems).filter(by_all).collect();
    let mut text = format!(
        "| rule, tie | solved | exceeded | wrong | nodes on {} solved by all |\n|---|---|---|---|---|\n",
        common.len()
    );
    for ((name, _), ends) in rules.iter().zip(ends) {
        let nodes: Option<u64> = common
            .iter()
            .map(|&i| if let End::Solved(nodes) = ends[i] { Some(nodes) } else { None })
            .sum();
        text += &format!(
            "| {name} | {} | {} | {} | {} |\n",
            solved(ends),
            count(ends, |e| *e == End::Exceeded),
            count(ends, |e| *e == End::Wrong),
            nodes.map_or_else(String::new, grouped),
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::captures::problems;

    #[test]
    fn ends_are_counted() {
        let rules = &rules()[..3];
        let (few, many) = (End::Solved(1_000), End::Solved(2_500));
        let ends =
            [vec![few, many, few], vec![many, End::Exceeded, End::Wrong], vec![End::Exceeded; 3]];
        let text = markdown(rules, &ends);
        // The last rule solves nothing: it has no say in which problems are compared.
        assert!(text.contains("nodes on 1 solved by all"), "{text}");
        assert!(text.contains("| none | 3 | 0 | 0 | 1,000 |"), "{text}");
        assert!(text.contains("| RATE2, greater | 1 | 1 | 1 | 2,500 |"), "{text}");
        assert!(text.contains("| RATE5, greater | 0 | 3 | 0 |  |"), "{text}");
    }

    #[test]
    fn no_rule_is_wrong() {
        let problems: Vec<_> = problems().into_iter().step_by(16).collect();
        let ends = run(&problems, &rules(), 1_000, 2, &|_, _, _| {});
        assert!(ends.iter().flatten().all(|end| *end != End::Wrong));
    }
}
