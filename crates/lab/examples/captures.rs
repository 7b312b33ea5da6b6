//! Writes the capture problems of `data/captures.txt` anew: `cargo run --release -p zermelo-lab
//! --example captures > crates/lab/data/captures.txt`.

use zermelo_lab::captures::generate;

const COUNT: usize = 80;
const SEED: u64 = 2008;

fn main() {
    println!(
        "# Atarigo: the player to move captures by force. Size, order of the attack, position."
    );
    println!("# Written by the example captures, {COUNT} problems with seed {SEED}.");
    for problem in generate(SEED).take(COUNT) {
        println!("{}", problem.line());
    }
}
