//! Distances of both kinds of databases against plain labels, which are worked out here from the definition: layer by layer,
//! with moves played forward only.

use std::collections::HashMap;
use std::path::Path;
use zermelo_endgame::reachable::{self, ReachableConfig, Strong};
use zermelo_endgame::{
    BuildConfig, Database, DatabaseEntry, DistanceChoice, DistanceReason, Probe, build, distances,
};
use zermelo_game::{Knowledge, MoveList, Notation, Sliced, Value};
use zermelo_games::{SlicedVisitor, Visitor, entries};

/// Positions by number, and where their moves lead.
struct Positions<R: Notation> {
    all: Vec<R::Position>,
    moves: Vec<Vec<usize>>,
}

impl<R: Notation> Positions<R> {
    /// These positions and all that can be reached from them.
    fn from(rules: &R, first: Vec<R::Position>) -> Positions<R> {
        let mut found = Positions::<R> { all: Vec::new(), moves: Vec::new() };
        let mut numbers: HashMap<R::Key, usize> = HashMap::new();
        let mut number = |p: &R::Position, all: &mut Vec<R::Position>| {
            *numbers.entry(rules.key(p)).or_insert_with(|| {
                all.push(*p);
                all.len() - 1
            })
        };
        for p in &first {
            number(p, &mut found.all);
        }
        while found.moves.len() < found.all.len() {
            let p = found.all[found.moves.len()];
            let mut list = MoveList::new();
            if rules.outcome(&p).is_none() {
                rules.moves(&p, &mut list);
            }
            let to = list.iter().map(|m| number(&rules.play(&p, m), &mut found.all)).collect();
            found.moves.push(to);
        }
        found
    }

    /// For the player to move: whether he wins (1) or loses (-1), and in how many plies. Nothing for draws.
    fn labels(&self, rules: &R) -> Vec<Option<(Value, u32)>> {
        let end = |p: &R::Position| match rules.outcome(p)? * rules.turn(p).sign() {
            0 => None,
            value => Some((value, 0)),
        };
        let mut labels: Vec<Option<(Value, u32)>> = self.all.iter().map(end).collect();
        for layer in 1.. {
            let mut next = Vec::new();
            for (n, moves) in self.moves.iter().enumerate() {
                if labels[n].is_some() || moves.is_empty() {
                    continue;
                }
                let after = |value| move |label: &Option<(Value, u32)>| matches!(label, Some((v, _)) if *v == value);
                let mut known = moves.iter().map(|&to| labels[to]);
                if known.clone().any(|label| after(-1)(&label)) {
                    next.push((n, 1));
                } else if known.all(|label| after(1)(&label)) {
                    next.push((n, -1));
                }
            }
            if next.is_empty() {
                return labels;
            }
            next.into_iter().for_each(|(n, value)| labels[n] = Some((value, layer)));
        }
        unreachable!("some layer is empty")
    }

    /// Compares all entries, and says how many are decided.
    fn compare(&self, rules: &R, database: &dyn Probe<R>) -> usize {
        let labels = self.labels(rules);
        for (p, label) in self.all.iter().zip(&labels) {
            let wanted = match *label {
                Some((value, plies)) => DatabaseEntry { value, distance: Some(plies) },
                None => DatabaseEntry { value: 0, distance: None },
            };
            let found = database.entry(rules, p).unwrap();
            let text = rules.position_text(p);
            assert_eq!(found, Some(wanted), "{}: {text}", rules.name());
        }
        labels.iter().flatten().count()
    }
}

/// All that can be reached.
struct Reachable;

impl Visitor for Reachable {
    type Output = Result<usize, String>;

    fn visit<R: Notation, K: Knowledge<R>>(self, rules: R, _: K) -> Self::Output {
        let dir = tempfile::tempdir().unwrap();
        let DistanceChoice { keep, reason } = distances::for_reachable(&rules, dir.path());
        if !keep {
            return Err(format!("{reason:?}"));
        }
        assert!(matches!(reason, DistanceReason::Measured(factor) if factor <= 4.0));
        let config = ReachableConfig { distance: true, ..ReachableConfig::default() };
        reachable::build(&rules, None, dir.path(), &config).map_err(|e| e.to_string())?;
        let strong = Strong::open(&rules, dir.path()).unwrap();
        Ok(Positions::from(&rules, vec![rules.start()]).compare(&rules, &strong))
    }
}

#[test]
fn all_that_can_be_reached_against_plain_labels() {
    let names = [
        "tictactoe",
        "mnk 3x4x3",
        "connect4 4x4",
        "domineering 4x4",
        "domineering 3x4 misere",
        "nogo 3x3",
        "atarigo 3x3",
        "clobber 3x4",
        "checkers 4x4",
        "breakthrough 4x3",
        "breakthrough 4x3 misere",
        "knightthrough 4x3",
        "loa 3x3",
        "graph repetition 0; a first: b c; b second: a d; c second: e; d first = 1; e first: g f; f second = -1; g second = 0",
    ];
    for name in names {
        let decided = zermelo_games::open(name, Reachable).unwrap().unwrap();
        assert!(decided > 0, "{name}");
    }
    // Every game is here, or has another kind of database, or none.
    let here = |name: &str| names.iter().any(|n| n.split(' ').next() == Some(name));
    for entry in entries() {
        let other = ["go", "chess", "kalah", "awari", "morris"].contains(&entry.name);
        assert!(here(entry.name) != other, "{}", entry.name);
    }
    // Scores have no distances, and a repetition that wins is no end.
    assert_eq!(zermelo_games::open("awari 3x2", Reachable).unwrap(), Err("Scores".into()));
    let wins = "graph repetition 1; a first: b; b second: a c; c first = -1";
    assert_eq!(zermelo_games::open(wins, Reachable).unwrap(), Err("RepetitionWins".into()));
}

/// Slices of so many pieces.
struct Slices(u32);

impl SlicedVisitor for Slices {
    type Output = usize;

    fn visit<R: Sliced>(self, rules: R) -> usize {
        let dir = tempfile::tempdir().unwrap();
        let config = BuildConfig { pieces: self.0, distance: true, ..BuildConfig::default() };
        build(&rules, dir.path(), &config).unwrap();
        let slices = rules.groups(self.0).into_iter().flatten();
        let places = slices.flat_map(|slice| (0..rules.places(slice)).map(move |at| (slice, at)));
        let first = places.filter_map(|(slice, at)| rules.at(slice, at)).collect();
        let database = Database::open(&rules, dir.path(), 1 << 30).unwrap();
        Positions::from(&rules, first).compare(&rules, &database)
    }
}

#[test]
fn slices_against_plain_labels() {
    for (name, pieces) in [
        ("checkers 4x4", 4),
        ("checkers 4x6", 3),
        ("morris 3", u32::MAX),
        ("chess KRK", 3),
        ("chess KPK", 3),
    ] {
        let Ok(decided) = zermelo_games::open_sliced(name, Slices(pieces)).unwrap() else {
            panic!("{name} has no slices");
        };
        assert!(decided > 100, "{name}");
    }
}

/// What is chosen for slices of so many pieces in this folder.
struct Choice<'a>(u32, &'a Path);

impl SlicedVisitor for Choice<'_> {
    type Output = DistanceChoice;

    fn visit<R: Sliced>(self, rules: R) -> DistanceChoice {
        let choice = distances::for_slices(&rules, self.1, self.0);
        let config =
            BuildConfig { pieces: self.0, distance: choice.keep, ..BuildConfig::default() };
        if self.0 <= 3 {
            build(&rules, self.1, &config).unwrap();
        }
        choice
    }
}

#[test]
fn defaults_are_what_was_measured_and_folders_are_gone_on_with() {
    let choose = |name: &str, pieces, dir: &Path| {
        let found = zermelo_games::open_sliced(name, Choice(pieces, dir)).unwrap();
        found.unwrap_or_else(|_| panic!("{name} has no slices"))
    };
    let none = Path::new("/nowhere/at/all");
    for (name, pieces, keep) in [
        ("checkers 4x4", 8, true),
        ("checkers 6x6", 4, true),
        ("checkers 6x6", 5, false),
        ("checkers 8x8", u32::MAX, false),
        ("chess KRKR", 4, false),
        ("morris 6", u32::MAX, true),
        ("kalah 3x2", u32::MAX, false),
    ] {
        assert_eq!(choose(name, pieces, none).keep, keep, "{name}");
    }
    // Two pieces have distances, three have none; a folder with two goes on as it was begun, also when the manifest is gone.
    let dir = tempfile::tempdir().unwrap();
    assert!(choose("checkers 8x8", 2, dir.path()).keep);
    let folder = DistanceChoice { keep: true, reason: DistanceReason::Folder };
    assert_eq!(choose("checkers 8x8", 3, dir.path()), folder);
    std::fs::remove_file(dir.path().join(zermelo_endgame::manifest::FILE)).unwrap();
    assert_eq!(choose("checkers 8x8", 5, dir.path()), folder);
}

/// The bytes of the file of all that can be reached, without distances and with them.
struct Bytes;

impl Visitor for Bytes {
    type Output = [u64; 2];

    fn visit<R: Notation, K: Knowledge<R>>(self, rules: R, _: K) -> [u64; 2] {
        [false, true].map(|distance| {
            let dir = tempfile::tempdir().unwrap();
            let config = ReachableConfig { distance, ..ReachableConfig::default() };
            reachable::build(&rules, None, dir.path(), &config).unwrap();
            reachable::header(dir.path()).unwrap().1
        })
    }
}

#[test]
fn distances_of_all_that_can_be_reached_are_cheap() {
    for name in
        ["tictactoe", "connect4 4x4", "domineering 4x5", "nogo 3x4", "clobber 3x4", "loa 3x3"]
    {
        let [plain, with] = zermelo_games::open(name, Bytes).unwrap();
        assert!(with > plain && 10 * with <= 16 * plain, "{name}: {plain}, {with}");
    }
}
