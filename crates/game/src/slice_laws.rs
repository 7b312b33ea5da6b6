//! Does a game keep the laws of [`Sliced`]? Compares numbers, moves and moves backwards with each other.
//!
//! Forward moves are the truth here: a place must come back from its position, every move must stay in the group or lead
//! into an earlier one, and within the group the moves backwards must find it again. Short cuts must say what the long way does.

use crate::{MoveList, Next, Sliced};
use rustc_hash::{FxHashMap, FxHashSet};

/// What [`check`] has looked at.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct SliceLawCounts {
    /// Positions.
    pub positions: u64,
    /// Moves that stay in their group.
    pub inside: u64,
    /// Moves backwards.
    pub predecessors: u64,
    /// Moves backwards to positions from which no move leads here: allowed, but a builder pays for them.
    pub strays: u64,
}

/// Checks every `stride`-th place of all slices with at most so many pieces.
///
/// # Panics
/// If a law is broken; the message says which, and where.
pub fn check<R: Sliced>(game: &R, pieces: u32, stride: u64) -> SliceLawCounts {
    let mut checked = SliceLawCounts::default();
    let mut names = FxHashSet::default();
    let mut group_of: FxHashMap<R::Slice, usize> = FxHashMap::default();
    let groups = game.groups(pieces);
    for (number, group) in groups.iter().enumerate() {
        for &slice in group {
            let name = game.slice_name(slice);
            let plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
            assert!(name.chars().all(plain) && !name.is_empty(), "{name}: a name good for a file");
            assert!(names.insert(name.clone()), "{name}: two slices of one name");
            assert!(group_of.insert(slice, number).is_none(), "{name}: a slice in two groups");
            assert!(game.places(slice) > 0, "{name}: a slice without places");
            assert!(game.pieces(slice).iter().sum::<u32>() <= pieces, "{name}: too many pieces");
        }
        for &slice in group {
            check_walk(game, slice, stride);
            for place in (0..game.places(slice)).step_by(stride.max(1) as usize) {
                if let Some(p) = game.at(slice, place) {
                    check_place(game, &group_of, slice, place, &p, &mut checked);
                }
            }
        }
    }
    checked
}

fn check_place<R: Sliced>(
    game: &R,
    group_of: &FxHashMap<R::Slice, usize>,
    slice: R::Slice,
    place: u64,
    p: &R::Position,
    checked: &mut SliceLawCounts,
) {
    let here = Some((slice, place));
    let show = |q: &R::Position| {
        format!("{} {} {place}: {}", game.name(), game.slice_name(slice), game.position_text(q))
    };
    checked.positions += 1;
    assert_eq!(game.place(p), here, "{}: a place comes back from its position", show(p));
    // Files name positions of either side to move, and whoever reads them asks for these.
    let read = game.parse_position(&game.position_text(p));
    assert_eq!(read.as_ref(), Ok(p), "{}: a position comes back from its text", show(p));
    for q in game.images(p) {
        assert_eq!(game.place(&q), here, "{}: images share a place", show(&q));
    }
    check_neighbours(game, group_of, slice, place, p);
    let kept = game.kept_values(slice);
    for value in [kept.lo, kept.hi] {
        let back = game.kept_for(p, game.value_of(p, value));
        assert_eq!(back, value, "{}: what is kept comes back from the value", show(p));
    }
    if let Some(value) = game.outcome(p) {
        let value = game.kept_for(p, value * game.turn(p).sign());
        assert!(kept.contains(value), "{}: {value} is kept, not in {kept}", show(p));
    }
    let mut back = Vec::new();
    if R::PREDECESSORS {
        game.predecessors(p, &mut back);
    }
    for q in &back {
        checked.predecessors += 1;
        let from =
            game.place(q).unwrap_or_else(|| panic!("{}: a predecessor without place", show(q)));
        assert_eq!(
            group_of[&from.0],
            group_of[&slice],
            "{}: a predecessor leaves the group",
            show(q)
        );
        assert!(game.at(from.0, from.1).is_some(), "{}: a predecessor to an empty place", show(q));
        let leads_here = children(game, q).iter().any(|c| game.place(c) == here);
        checked.strays += u64::from(!leads_here);
    }
    for next in children(game, p) {
        let Some((to, at)) = game.place(&next) else {
            assert!(game.outcome(&next).is_some(), "{}: a move to no place", show(p));
            continue;
        };
        let there = game.at(to, at);
        let there = there.unwrap_or_else(|| panic!("{}: a move to an empty place", show(p)));
        let group = group_of.get(&to);
        let group = group.unwrap_or_else(|| panic!("{}: a move into a later group", show(p)));
        if *group != group_of[&slice] {
            continue;
        }
        checked.inside += 1;
        if R::PREDECESSORS {
            back.clear();
            game.predecessors(&there, &mut back);
            let found = back.iter().any(|q| game.place(q) == here);
            assert!(found, "{}: no move back from {}", show(p), game.position_text(&there));
        }
    }
}

/// Places shown in a row are those that are shown one by one.
fn check_walk<R: Sliced>(game: &R, slice: R::Slice, stride: u64) {
    let (places, name) = (game.places(slice), game.slice_name(slice));
    for from in (0..places).step_by((64 * stride.max(1)) as usize) {
        let to = (from + 50).min(places);
        let mut next = from;
        let shown = game.walk(slice, from..to, |place, p| {
            let right = place == next && p == game.at(slice, place);
            next += 1;
            if right { Ok(()) } else { Err(place) }
        });
        assert_eq!((shown, next), (Ok(()), to), "{name}: a walk goes astray");
    }
}

/// The places before and after a position are those of the positions before and after it.
fn check_neighbours<R: Sliced>(
    game: &R,
    group_of: &FxHashMap<R::Slice, usize>,
    slice: R::Slice,
    place: u64,
    p: &R::Position,
) {
    let show = || format!("{} {}", game.name(), game.position_text(p));
    let inside = |s: R::Slice| group_of.get(&s) == group_of.get(&slice);
    if game.outcome(p).is_none() {
        let mut after = Vec::new();
        game.places_after(p, &mut MoveList::new(), &mut after);
        let next = |q: &R::Position| match (game.place(q), game.outcome(q)) {
            (Some((s, at)), _) => Next::Place(s, at),
            (None, Some(value)) => Next::Over(value * game.turn(q).sign()),
            (None, None) => Next::Nowhere,
        };
        let mut wanted: Vec<_> = children(game, p).iter().map(next).collect();
        let here = |next: &Next<R::Slice>| matches!(next, Next::Place(s, _) if inside(*s));
        let count = |list: &[Next<R::Slice>]| list.iter().filter(|next| here(next)).count();
        assert_eq!(count(&after), count(&wanted), "{}: places after", show());
        assert!(!game.noisy(p) || count(&wanted) == 0, "{}: noisy, but a move stays", show());
        after.sort_unstable();
        after.dedup();
        wanted.sort_unstable();
        let all = count(&wanted);
        wanted.dedup();
        assert_eq!(after, wanted, "{}: places after", show());
        assert!(!R::EXACT || count(&wanted) == all, "{}: two moves to one place", show());
    }
    if R::PREDECESSORS {
        let (mut back, mut before) = (Vec::new(), Vec::new());
        game.predecessors(p, &mut back);
        let mut wanted: Vec<_> = back.iter().filter_map(|q| game.place(q)).collect();
        game.places_before(p, &mut Vec::new(), &mut before);
        if R::EXACT {
            let leads = |q: &R::Position| {
                children(game, q).iter().any(|c| game.place(c) == Some((slice, place)))
            };
            assert!(back.iter().all(leads), "{}: no move leads back here", show());
            before.retain(|(s, at)| !game.at(*s, *at).is_some_and(|q| game.noisy(&q)));
        }
        wanted.sort_unstable();
        before.sort_unstable();
        assert_eq!(before, wanted, "{}: places before", show());
        let all = before.len();
        before.dedup();
        assert!(!R::EXACT || before.len() == all, "{}: a place before twice", show());
    }
}

fn children<R: Sliced>(game: &R, p: &R::Position) -> Vec<R::Position> {
    let mut list = MoveList::new();
    if game.outcome(p).is_none() {
        game.moves(p, &mut list);
    }
    list.iter().map(|m| game.play(p, m)).collect()
}
