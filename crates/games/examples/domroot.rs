//! Shows scores.
use zermelo_game::*;
struct Show;
impl zermelo_games::Visitor for Show {
    type Output = ();
    fn visit<G: Game>(self, g: G) {
        let mut p = g.start();
        for _ in 0..8 {
            let mut l = MoveList::new();
            let v = g.relevant(&p, &mut l);
            let mut s: Vec<_> = l.scored().iter().map(|s| (-s.score, g.move_text(&p, s.mv), s.mv)).collect();
            s.sort_by_key(|s| s.0);
            println!("{v} {}\n  {:?}", g.position_text(&p), s.iter().take(14).map(|s| (&s.1, -s.0)).collect::<Vec<_>>());
            if s.is_empty() { break; }
            p = g.play(&p, s[0].2);
        }
        println!("{}", g.picture(&p).to_text());
    }
}
fn main() {
    for name in std::env::args().skip(1) {
        zermelo_games::open(&name, Show).unwrap();
    }
}
