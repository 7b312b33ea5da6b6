//! Counts of lines of play from the start, one game a line in `perft.txt`.

use zermelo_game::{
    BySuperko, History, Knowledge, MoveList, Notation, Rules, Superko, SuperkoKnowledge,
};
use zermelo_games::Visitor;

/// Counts lines of so many plies.
struct Perft(u32);

fn count<R: Rules>(rules: &R, p: &R::Position, history: &mut History<R>, plies: u32) -> u64 {
    if plies == 0 {
        return 1;
    }
    if rules.outcome(p).is_some() {
        return 0;
    }
    let mut list = MoveList::new();
    history.moves(rules, p, &mut list);
    let mut sum = 0;
    for m in list.iter() {
        let next = rules.play(p, m);
        history.push(rules, &next);
        sum += count(rules, &next, history, plies - 1);
        history.pop();
    }
    sum
}

impl Visitor for Perft {
    type Output = u64;

    fn visit<R: Notation, K: Knowledge<R>>(self, rules: R, _: K) -> u64 {
        count(&rules, &rules.start(), &mut History::free(), self.0)
    }

    fn visit_superko<R: Notation + Superko, K: SuperkoKnowledge<R>>(self, rules: R, _: K) -> u64 {
        let mut history = History::of(&rules, Some(&BySuperko), &rules.start());
        count(&rules, &rules.start(), &mut history, self.0)
    }
}

#[test]
fn counts_hold() {
    let mut wrong = Vec::new();
    for line in include_str!("perft.txt").lines().filter(|l| !l.is_empty() && !l.starts_with('#')) {
        let (name, counts) = line.split_once(':').unwrap_or_else(|| panic!("{line}: no colon"));
        for (plies, wanted) in (1..).zip(counts.split_whitespace()) {
            let wanted: u64 = wanted.parse().unwrap_or_else(|_| panic!("{line}: {wanted}"));
            let found =
                zermelo_games::open(name.trim(), Perft(plies)).unwrap_or_else(|e| panic!("{e}"));
            if found != wanted {
                wrong.push(format!("{name}: {found} lines of {plies} plies, not {wanted}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
