//! Prints the table of dynamic widening: `cargo run --release -p zermelo-lab --example widening --
//! [NODES [THREADS [PICTURE.svg]]]`.

use zermelo_lab::captures::problems;
use zermelo_lab::widening::{NODES, markdown, rules, run, svg};

fn main() -> anyhow::Result<()> {
    let mut args = std::env::args().skip(1);
    let nodes = args.next().map_or(Ok(NODES), |text| text.parse())?;
    let threads = args.next().map_or(Ok(2), |text| text.parse())?;
    let rules = rules();
    let show = |rule: usize, problem: usize, end| eprintln!("{problem} {}: {end:?}", rules[rule].0);
    let ends = run(&problems(), &rules, nodes, threads, &show);
    println!("{}", markdown(&rules, &ends));
    if let Some(file) = args.next() {
        std::fs::write(file, svg(&rules, &ends))?;
    }
    Ok(())
}
