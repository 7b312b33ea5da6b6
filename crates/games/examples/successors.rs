//! Where moves lead, for comparing rules with another program: reads positions from standard input, one a line, and
//! prints for each the positions one move away, sorted and separated by tabs.
//!
//! ```text
//! echo B:WK14:BK1 | cargo run -p zermelo-games --example successors -- checkers 8x8
//! ```

use std::io::{self, BufRead};
use zermelo_game::{Knowledge, MoveList, Notation};
use zermelo_games::Visitor;

struct Successors;

impl Visitor for Successors {
    type Output = ();

    fn visit<R: Notation, K: Knowledge<R>>(self, game: R, _: K) {
        for line in io::stdin().lock().lines() {
            let line = line.expect("standard input can be read");
            let p = game.parse_position(&line).unwrap_or_else(|e| panic!("{e}"));
            let mut list = MoveList::new();
            if game.outcome(&p).is_none() {
                game.moves(&p, &mut list);
            }
            let mut next: Vec<String> =
                list.iter().map(|m| game.position_text(&game.play(&p, m))).collect();
            next.sort();
            println!("{}", next.join("\t"));
        }
    }
}

fn main() {
    let name = std::env::args().skip(1).collect::<Vec<_>>().join(" ");
    zermelo_games::open(&name, Successors).unwrap_or_else(|e| panic!("{e}"));
}
