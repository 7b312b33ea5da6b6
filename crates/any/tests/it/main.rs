//! The solvers on all games. One program in the crate that compiles every solver for every game anyway, as that
//! is what takes the time.

/// A test for each game that calls `$compare(names of boards)`.
macro_rules! on_every_game {
    ($compare:path) => {
        on_every_game! { $compare;
            mnk: "tictactoe" "mnk 4x4x3" "mnk 4x5x4" "mnk 6x6x4";
            connect4: "connect4 4x4" "connect4 4x5" "connect4 5x6" "connect4";
            domineering: "domineering 3x4" "domineering 4x4" "domineering 5x6 horizontal" "domineering 8x9";
            misere_domineering: "domineering 3x3 misere" "domineering 4x5 misere" "domineering 6x6 misere";
            nogo: "nogo 1x9" "nogo 3x3" "nogo 4x4" "nogo 4x6";
            atarigo: "atarigo 1x9" "atarigo 3x3" "atarigo 4x4" "atarigo 5x6";
            clobber: "clobber 2x7" "clobber 3x4" "clobber 4x5" "clobber 6x6";
            breakthrough: "breakthrough 4x2" "breakthrough 5x3" "breakthrough 6x6";
            misere_breakthrough: "breakthrough 4x3 misere" "breakthrough 5x4 misere" "breakthrough 6x6 misere";
            knightthrough: "knightthrough 4x3" "knightthrough 5x4" "knightthrough 6x6";
            kalah: "kalah 2x2" "kalah 3x2 noempty" "kalah 3x3 noempty" "kalah 6x4";
            misere_knightthrough: "knightthrough 4x4 misere" "knightthrough 5x5 misere";
        }
    };
    ($compare:path; $($test:ident: $($game:literal)+;)+) => {$(
        #[test]
        fn $test() {
            $compare(&[$($game),+]);
        }
    )+};
}

use std::sync::Arc;
use zermelo_game::Game;
use zermelo_search::altered::{Altered, Without};

mod agree;
mod based;
mod databases;
mod graphs;
mod proofnumber;
mod values;

/// The game as the crate has compiled all solvers for it, so that they are not compiled again.
fn compiled<G: Game>(game: G) -> Altered<G> {
    Altered::new(Arc::new(game), Without::NOTHING)
}
