//! Dynamic widening: df-pn that counts only the most promising children, on positions with many moves of
//! which few matter.
//!
//! Settings are the source's: leaves start by the category of the move (df-pn+), moves are listed in the order of the board,
//! which also breaks ties in the main part of the table, and nothing is added to thresholds.

use crate::captures::Problem;
use crate::hunt::HuntKnowledge;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use zermelo_game::{Game, Limits, Rules, Stop};
use zermelo_search::options::Thousandths;
use zermelo_search::proofnumber::dfpn::{Config, Dfpn};
use zermelo_search::proofnumber::leaf::Leaf;
use zermelo_search::proofnumber::numbers::{SumRule, Tie};

/// Bytes for a table.
const MEMORY: u64 = 1 << 26;

/// The rules that are compared, with their names.
#[must_use]
pub fn rules() -> Vec<(String, SumRule)> {
    let mut rules = vec![("none".to_owned(), SumRule::Sum)];
    for n in [2, 5, 10, 20] {
        rules.push((format!("RATE{n}"), SumRule::Rate(n, Tie::Order)));
    }
    for n in [20, 10, 5, 3, 2, 1] {
        rules.push((format!("TOP{n}"), SumRule::Top(n, Tie::Order)));
    }
    for (name, tie) in [("greater", Tie::Greater), ("less", Tie::Less)] {
        rules.push((format!("TOP5, {name}"), SumRule::Top(5, tie)));
    }
    rules
}

/// How to search by a rule.
#[must_use]
pub fn config(rule: SumRule) -> Config {
    Config { rule, epsilon: Thousandths(0), leaf: Leaf::Own, ..Config::default() }
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

impl End {
    /// Whether the win was found in so many nodes.
    #[must_use]
    pub fn within(self, most: u64) -> bool {
        matches!(self, End::Solved(nodes) if nodes <= most)
    }
}

/// Solves a problem.
#[must_use]
pub fn attempt(problem: &Problem, rule: SumRule, nodes: u64) -> End {
    let limits = Limits { nodes: Some(nodes), memory: MEMORY, ..Limits::default() };
    let game = Game::new(&problem.game, &HuntKnowledge::ALL_MOVES);
    let report = Dfpn::new(game, config(rule), limits).solve(&game.start(), &|_| {});
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

/// The table in Markdown: what is solved within a fifth, half and all of the nodes, and the nodes on the problems that
/// all rules solved, but for those that solve less than a third of what the best one does.
#[must_use]
pub fn markdown(rules: &[(String, SumRule)], ends: &[Vec<End>], nodes: u64) -> String {
    let count = |ends: &[End], nodes: u64| ends.iter().filter(|e| e.within(nodes)).count();
    let most = ends.iter().map(|ends| count(ends, nodes)).max().unwrap_or(0);
    let able: Vec<&Vec<End>> = ends.iter().filter(|e| 3 * count(e, nodes) >= most).collect();
    let problems = ends.first().map_or(0, Vec::len);
    let by_all = |i: &usize| able.iter().all(|ends| ends[*i].within(nodes));
    let common: Vec<usize> = (0..problems).filter(by_all).collect();
    let [fifth, half] = [nodes / 5, nodes / 2];
    let mut text = format!(
        "| rule, tie | solved in {} | in {} | in {} | exceeded | wrong | nodes on {} solved by all |\n\
         |---|---|---|---|---|---|---|\n",
        grouped(fifth),
        grouped(half),
        grouped(nodes),
        common.len()
    );
    for ((name, _), ends) in rules.iter().zip(ends) {
        let all: Option<u64> = common
            .iter()
            .map(|&i| if let End::Solved(nodes) = ends[i] { Some(nodes) } else { None })
            .sum();
        text += &format!(
            "| {name} | {} | {} | {} | {} | {} | {} |\n",
            count(ends, fifth),
            count(ends, half),
            count(ends, nodes),
            ends.iter().filter(|e| **e == End::Exceeded).count(),
            ends.iter().filter(|e| **e == End::Wrong).count(),
            all.map_or_else(String::new, grouped),
        );
    }
    text
}

/// A number in groups of three digits.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups = digits.as_bytes().rchunks(3).rev();
    groups.map(|g| String::from_utf8_lossy(g)).collect::<Vec<_>>().join(",")
}

/// The problems solved by each rule as bars, in SVG.
#[must_use]
pub fn svg(rules: &[(String, SumRule)], ends: &[Vec<End>]) -> String {
    let problems = ends.first().map_or(1, Vec::len).max(1);
    let (left, width, step) = (130.0, 480.0, 20.0);
    let height = 40.0 + step * rules.len() as f64 + 12.0;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 660 {height}\" font-family=\"sans-serif\" \
         font-size=\"13\">\n<rect width=\"660\" height=\"{height}\" fill=\"#fff\"/>\n<text x=\"12\" y=\"22\" \
         font-size=\"15\" font-weight=\"bold\">Capture problems solved, of {problems}, by rule and tie-break</text>\n"
    );
    for (i, ((name, _), ends)) in rules.iter().zip(ends).enumerate() {
        let solved = ends.iter().filter(|e| matches!(e, End::Solved(_))).count();
        let (y, long) = (40.0 + step * i as f64, width * solved as f64 / problems as f64);
        out += &format!(
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{name}</text><rect x=\"{left}\" y=\"{y}\" \
             width=\"{long:.1}\" height=\"14\" fill=\"#1a7f5a\"/><text x=\"{:.1}\" y=\"{:.1}\">{solved}</text>\n",
            left - 8.0,
            y + 12.0,
            left + long + 6.0,
            y + 12.0,
        );
    }
    out + "</svg>\n"
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
        let text = markdown(rules, &ends, 5_000);
        // The last rule solves nothing: it has no say in which problems are compared.
        assert!(text.contains("nodes on 1 solved by all"), "{text}");
        assert!(text.contains("| none | 2 | 3 | 3 | 0 | 0 | 1,000 |"), "{text}");
        assert!(text.contains("| RATE2 | 0 | 1 | 1 | 1 | 1 | 2,500 |"), "{text}");
        assert!(text.contains("| RATE5 | 0 | 0 | 0 | 3 | 0 |  |"), "{text}");
    }

    #[test]
    fn every_rule_has_its_bar() {
        let rules = &rules()[..2];
        let picture = svg(rules, &[vec![End::Solved(1), End::Exceeded], vec![End::Exceeded; 2]]);
        assert!(picture.contains("width=\"240.0\"") && picture.contains("width=\"0.0\""));
    }

    /// The shape of the published table, on the first problems: the sum solves little, a window of five much, and one of two
    /// is too narrow. No rule is wrong.
    #[test]
    fn windows_help_until_they_are_too_narrow() {
        let problems: Vec<_> = problems().into_iter().take(6).collect();
        let top = |n| (format!("TOP{n}"), SumRule::Top(n, Tie::Order));
        let rules = [("none".to_owned(), SumRule::Sum), top(5), top(2)];
        let ends = run(&problems, &rules, 7_000, 1, &|_, _, _| {});
        assert!(ends.iter().flatten().all(|end| *end != End::Wrong));
        let solved = |ends: &Vec<End>| ends.iter().filter(|e| e.within(7_000)).count();
        assert_eq!(ends.iter().map(solved).collect::<Vec<_>>(), [0, 5, 2]);
    }
}
