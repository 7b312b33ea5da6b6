//! Prints what a database saves on checkers positions of 8 to 10 pieces: `cargo run --release -p zermelo-lab --example
//! endings -- DIR [NODES [POSITIONS]]`, where DIR comes from `zermelo build checkers 8x8 --pieces 5 --out DIR`.

use std::path::Path;
use zermelo_any::{By, How, open, open_with};
use zermelo_game::Limits;
use zermelo_lab::endings::{compare, markdown, positions};

fn main() -> anyhow::Result<()> {
    let mut args = std::env::args().skip(1);
    let dir = args.next().ok_or_else(|| anyhow::anyhow!("the folder of a database is missing"))?;
    let nodes = args.next().map_or(Ok(1_000_000), |text| text.parse())?;
    let count = args.next().map_or(Ok(20), |text| text.parse())?;
    let name = "checkers 8x8";
    let (plain, asking) = (open(name)?, open_with(name, Path::new(&dir), 1 << 30)?);
    let how = How::new(By::Dfpn);
    let limits = Limits { nodes: Some(nodes), ..Limits::default() };
    let mut rows = Vec::new();
    for pieces in 8..=10 {
        for position in positions(&*plain, pieces, count, 2007) {
            let row = compare([&*plain, &*asking], &position, &how, &limits);
            let [without, with] = row.reports.each_ref();
            eprintln!(
                "{pieces} {position}: {} in {} nodes, with the database {} in {}",
                without.bounds, without.stats.nodes, with.bounds, with.stats.nodes
            );
            anyhow::ensure!(without.bounds.meet(with.bounds).is_ok(), "they contradict each other");
            rows.push(row);
        }
    }
    if let Some(damage) = asking.damage() {
        return Err(damage.into());
    }
    println!("{}", markdown(&rows));
    Ok(())
}
