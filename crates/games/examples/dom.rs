//! Throw-away search for measuring.
use std::time::Instant;
use zermelo_game::*;
struct Solve;
struct S<G: Game> {
    g: G,
    nodes: u64,
    evals: u64,
    table: Vec<(u128, i8, u32)>,
    hist: Vec<[u32; 256]>,
    killers: Vec<[usize; 2]>,
    etc: bool,
    limit: u64,
    skip: bool,
    stat: Vec<[u64; 6]>,
}
impl<G: Game> S<G> {
    fn slot(&self, k: G::Key) -> usize {
        let h = k.wide();
        let h = (h as u64 ^ ((h >> 64) as u64).wrapping_mul(0x9E3779B97F4A7C15))
            .wrapping_mul(0xBF58476D1CE4E5B9);
        ((h ^ (h >> 29)).wrapping_mul(0x94D049BB133111EB) >> 43) as usize
    }
    fn probe(&self, k: G::Key) -> Option<bool> {
        let i = self.slot(k) * 2;
        for j in 0..2 {
            let e = &self.table[i + j];
            if e.0 == k.wide() && e.1 != 0 {
                return Some(e.1 > 0);
            }
        }
        None
    }
    fn show(&self) {
        for (i, x) in self.stat.iter().enumerate().filter(|x| x.1[0] > 0) {
            println!(
                "{i:3} nodes {:8} cuts {:8} wrong before {:.2} first {:.2}  all-nodes {:8} kids {:.2}",
                x[0],
                x[1],
                x[2] as f64 / x[1] as f64,
                x[3] as f64 / x[1] as f64,
                x[4],
                x[5] as f64 / x[4] as f64
            );
        }
    }
    /// does the mover win
    fn solve(&mut self, p: &G::Position, ply: usize) -> bool {
        let start = self.nodes;
        self.nodes += 1;
        if self.nodes == self.limit {
            self.show();
            std::process::exit(0);
        }
        let turn = self.g.turn(p);
        self.stat[ply][0] += 1;
        let key = self.g.key(p);
        if let Some(v) = self.probe(key) {
            return v;
        }
        let mut list = MoveList::new();
        let rest = self.g.relevant(p, &mut list);
        let mut kids: Vec<(i32, u32, usize, G::Position)> = Vec::new();
        let mut win = rest > 0;
        if !win {
            for s in list.scored() {
                let q = self.g.canonical(&self.g.play(p, s.mv));
                self.evals += 1;
                let b = if self.skip {
                    self.g.outcome(&q).map_or(Bounds::new(-1, 1), Bounds::exact)
                } else {
                    self.g.static_bounds(&q)
                }
                .seen_by(turn);
                if b.lo > 0 {
                    win = true;
                    break;
                }
                if b.hi < 0 {
                    continue;
                }
                let c = self.g.code(s.mv);
                let h = self.hist[turn.index()][c];
                let k = if self.killers[ply][0] == c {
                    1 << 30
                } else if self.killers[ply][1] == c {
                    1 << 29
                } else {
                    0
                };
                kids.push((s.score, h.saturating_add(k), c, q));
            }
        }
        if !win && self.etc {
            let mut kept = Vec::new();
            for k in &kids {
                match self.probe(self.g.key(&k.3)) {
                    Some(false) => {
                        win = true;
                        break;
                    }
                    Some(true) => {}
                    None => kept.push(*k),
                }
            }
            kids = kept;
        }
        if !win {
            kids.sort_by_key(|k| std::cmp::Reverse((k.0, k.1)));
            for i in 0..kids.len() {
                let q = kids[i].3;
                if !self.solve(&q, ply + 1) {
                    win = true;
                    self.stat[ply][1] += 1;
                    self.stat[ply][2] += i as u64;
                    self.stat[ply][3] += u64::from(i == 0);
                    let c = kids[i].2;
                    self.hist[turn.index()][c] += 1;
                    if self.killers[ply][0] != c {
                        self.killers[ply][1] = self.killers[ply][0];
                        self.killers[ply][0] = c;
                    }
                    break;
                }
            }
        }
        if !win {
            self.stat[ply][4] += 1;
            self.stat[ply][5] += kids.len() as u64;
        }
        if std::env::var("SHOW").is_ok() && ply == 8 && self.stat[8][0] % 200 == 0 {
            println!(
                "{} {} kids {} work {}",
                self.g.position_text(p).replace("/", "\n"),
                if win { "wins" } else { "loses" },
                kids.len(),
                self.nodes - start
            );
        }
        let i = self.slot(key) * 2;
        let work = (self.nodes - start) as u32;
        let e = (key.wide(), if win { 1 } else { -1 }, work);
        if work >= self.table[i].2 {
            self.table[i + 1] = self.table[i];
            self.table[i] = e;
        } else {
            self.table[i + 1] = e;
        }
        win
    }
}
impl zermelo_games::Visitor for Solve {
    type Output = ();
    fn visit<G: Game>(self, g: G) {
        let name = g.name();
        let etc = std::env::var("NOETC").is_err();
        let skip = std::env::var("SKIP").is_ok();
        let limit = std::env::var("NODES").map_or(0, |s| s.parse().unwrap());
        let mut s = S {
            limit,
            skip,
            g,
            nodes: 0,
            evals: 0,
            table: vec![(0, 0, 0); 1 << 22],
            hist: vec![[0; 256]; 2],
            killers: vec![[999; 2]; 200],
            etc,
            stat: vec![[0; 6]; 200],
        };
        let t = Instant::now();
        let p = s.g.canonical(&s.g.start());
        let b = s.g.static_bounds(&p);
        let win = if b.is_exact() { b.lo > 0 } else { s.solve(&p, 0) };
        println!(
            "{name}: {} nodes {} evals {} wall {:.3}",
            if win { "first" } else { "second" },
            s.nodes,
            s.evals,
            t.elapsed().as_secs_f64()
        );
        if std::env::var("STAT").is_ok() {
            s.show();
        }
    }
}
fn main() {
    for name in std::env::args().skip(1) {
        let t = Instant::now();
        zermelo_games::open(&name, Solve).unwrap();
        println!("  all {:.3}", t.elapsed().as_secs_f64());
    }
}
