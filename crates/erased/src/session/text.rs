//! Moves as text.

use zermelo_game::{MoveList, Notation, Report};

/// Moves from `p` as text, up to the first that is not legal there: a look at a running search may
/// be blurred.
pub(super) fn texts<R: Notation>(rules: &R, p: &R::Position, line: &[R::Move]) -> Vec<String> {
    let mut p = *p;
    let mut out = Vec::new();
    for &m in line {
        let mut list = MoveList::new();
        if rules.outcome(&p).is_none() {
            rules.moves(&p, &mut list);
        }
        if !list.iter().any(|legal| legal == m) {
            break;
        }
        out.push(rules.move_text(&p, m));
        p = rules.play(&p, m);
    }
    out
}

/// A report with its moves as text.
pub(super) fn in_words<R: Notation>(
    rules: &R,
    p: &R::Position,
    report: Report<R::Move>,
) -> Report<String> {
    Report {
        bounds: report.bounds,
        best: report.best.map(|m| rules.move_text(p, m)),
        line: texts(rules, p, &report.line),
        stop: report.stop,
        level: report.level,
        rests_on_history: report.rests_on_history,
        by: report.by,
        stats: report.stats,
    }
}
