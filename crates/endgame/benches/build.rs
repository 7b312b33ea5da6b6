//! Builds
use std::time::Instant;
use zermelo_endgame::*;
use zermelo_games::checkers::Checkers;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let pieces: u32 = args.iter().filter_map(|a| a.parse().ok()).next().unwrap_or(4);
    let threads: usize = args.iter().filter_map(|a| a.parse().ok()).nth(1).unwrap_or(2);
    let dir = std::path::PathBuf::from(format!("/tmp/endgame-bench-{pieces}"));
    let _ = std::fs::remove_dir_all(&dir);
    let game = Checkers::new(8, 8);
    let config = Config {
        pieces,
        threads,
        distance: args.iter().any(|a| a == "distance"),
        ..Config::default()
    };
    println!("{:?}", estimate(&game, &dir, &config).unwrap());
    let t = Instant::now();
    let built = build(&game, &dir, &config).unwrap();
    println!("{built:?} {:?}", t.elapsed());
    let (mut bytes, mut pos) = (0, 0);
    for (h, b) in folder::slices(&dir).unwrap() {
        if h.pieces.iter().sum::<u32>() <= 3 || pieces > 4 && h.pieces.iter().sum::<u32>() == 5 {
            println!(
                "{} {:?} {} {} {} {} {:?} {}",
                h.slice, h.pieces, h.positions, h.wins, h.draws, h.losses, h.longest, b
            );
        }
        bytes += b;
        pos += h.positions;
    }
    println!("{bytes} bytes {pos} positions {:.4}", bytes as f64 / pos as f64);
}
