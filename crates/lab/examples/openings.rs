//! Prints checkers positions from our own play along well-known openings, as lines of `data/endings.txt` without values:
//! `cargo run --release -p zermelo-lab --example openings -- [NODES]`, so many nodes a move.

use zermelo_lab::openings::{OPENINGS, play};

fn main() -> anyhow::Result<()> {
    let nodes = std::env::args().nth(1).map_or(Ok(100_000), |text| text.parse())?;
    let game = zermelo_erased::Catalogue::standard().open("checkers 8x8")?;
    for opening in OPENINGS {
        for ending in play(&*game, opening, nodes, [8, 12])? {
            println!("{} ; {nodes} ; {}", ending.opening, ending.position);
        }
    }
    Ok(())
}
