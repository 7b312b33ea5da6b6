//! Writes the capture problems of `data/captures.txt` anew: `cargo run --release -p zermelo-lab
//! --example captures > crates/lab/data/captures.txt`.

use zermelo_lab::captures::generate;

const COUNT: usize = 48;
const SEED: u64 = 2008;

fn main() {
    println!("# Hunts: the first player captures by force. Size, a stone of the target, position.");
    println!("# Written by the example captures, {COUNT} problems with seed {SEED}.");
    for problem in generate(SEED).take(COUNT) {
        println!("{}", problem.line());
    }
}
