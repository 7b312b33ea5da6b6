//! `cargo +nightly fuzz run position`: the first line of the input is the name of a game, the second a
//! position, the third a move. No reader may panic, and what it accepts is written back the same.

#![no_main]

use libfuzzer_sys::fuzz_target;
use zermelo_game::{Game, Knowledge, MoveList, Notation};
use zermelo_games::{Visitor, open};

struct Read<'t> {
    position: &'t str,
    mv: &'t str,
}

impl Visitor for Read<'_> {
    type Output = ();

    fn visit<R: Notation, K: Knowledge<R>>(self, rules: R, knowledge: K) {
        let game = Game::new(&rules, &knowledge);
        let Ok(p) = game.parse_position(self.position) else { return };
        assert_eq!(game.parse_position(&game.position_text(&p)), Ok(p));
        let known = game.static_bounds(&p);
        if game.outcome(&p).is_some() {
            return assert!(known.is_exact());
        }
        let mut list = MoveList::new();
        game.moves(&p, &mut list);
        assert!(!list.is_empty());
        if !known.is_exact() {
            list.clear();
            game.candidate_moves(&p, &mut list);
        }
        if let Ok(m) = game.parse_move(&p, self.mv) {
            let next = game.play(&p, m);
            let _ = (game.static_bounds(&next), game.canonical(&next));
        }
    }
}

fuzz_target!(|text: &str| {
    let mut lines = text.lines();
    let name = lines.next().unwrap_or("");
    let (position, mv) = (lines.next().unwrap_or(""), lines.next().unwrap_or(""));
    // Reading files is not what is tested here.
    if !name.trim_start().to_ascii_lowercase().starts_with("graph") || name.contains([';', '=']) {
        let _ = open(name, Read { position, mv });
    }
});
