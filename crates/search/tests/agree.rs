use zermelo_game::{Game, Limits};
use zermelo_games::mnk::Mnk;
use zermelo_search::alphabeta::{Config, Solver};

#[test]
fn quick() {
    for (r, c, k) in [(3, 3, 3), (4, 4, 3), (4, 4, 4), (4, 5, 4)] {
        for (threads, deepening) in [(1, false), (2, false), (1, true)] {
            let game = Mnk::<u64>::new(r, c, k);
            let config = Config { threads, deepening, ..Config::default() };
            let mut solver = Solver::new(&game, config, Limits::default());
            let report = solver.solve(&game.start(), &|_| {});
            println!("{r}x{c}x{k} threads {threads} deep {deepening}: {:?} {:?}", report.bounds, report.stats);
        }
    }
}
