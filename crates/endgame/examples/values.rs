//! Values of checkers positions, for comparing with another program: `values ROWS COLS PIECES DIR` builds what is missing in
//! the folder, reads positions from standard input, one a line, and prints the value of each for the player to move.

use std::io::{self, BufRead};
use std::path::Path;
use zermelo_endgame::{BuildConfig, Database, build};
use zermelo_game::Notation;
use zermelo_games::checkers::Checkers;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |n: usize| words[n].parse::<u32>().expect("a number");
    let (game, dir) = (Checkers::new(number(0), number(1)), Path::new(&words[3]));
    let config = BuildConfig { pieces: number(2), ..BuildConfig::default() };
    build(&game, dir, &config).unwrap_or_else(|e| panic!("{e}"));
    let database = Database::open(&game, dir, 1 << 30).unwrap_or_else(|e| panic!("{e}"));
    for line in io::stdin().lock().lines() {
        let line = line.expect("standard input can be read");
        let p = game.parse_position(&line).unwrap_or_else(|e| panic!("{e}"));
        let entry = database.entry(&game, &p).unwrap_or_else(|e| panic!("{e}"));
        println!("{}", entry.expect("few pieces").value);
    }
}
