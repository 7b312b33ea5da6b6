//! Dynamic widening (Yoshizoe 2008) on capture problems. `cargo run --release -p zermelo-search --example widening --
//! table NODES THREADS [PICTURE.svg]` prints a table of what each rule solves, and draws it; `... -- problems COUNT
//! SEED` prints new problems.

mod captures;
mod hunt;
mod table;

use captures::{generate, problems};
use std::error::Error;
use table::{markdown, rules, run, svg};

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args[..] {
        ["problems", count, seed] => {
            println!(
                "# Hunts: the first player captures by force. Size, a stone of the target, board."
            );
            println!("# Written by the example widening: problems {count} {seed}.");
            for problem in generate(seed.parse()?).take(count.parse()?) {
                println!("{}", problem.line());
            }
        }
        ["table", nodes, threads, ref picture @ ..] => {
            let rules = rules();
            let show = |rule: usize, problem: usize, end| {
                eprintln!("{problem} {}: {end:?}", rules[rule].0);
            };
            let nodes = nodes.parse()?;
            let ends = run(&problems(), &rules, nodes, threads.parse()?, &show);
            println!("{}", markdown(&rules, &ends, nodes));
            if let [file] = picture {
                std::fs::write(file, svg(&rules, &ends))?;
            }
        }
        _ => return Err("usage: table NODES THREADS [PICTURE.svg] | problems COUNT SEED".into()),
    }
    Ok(())
}
