//! What can be typed: the commands and the arguments that several of them share. Those of one command stand with it.

use crate::batch::{self, BatchArgs};
use crate::bench::Bench;
use crate::build::BuildArgs;
use crate::databases::{ProbeArgs, StatsArgs, VerifyArgs};
use crate::engines::{EngineParser, EnginesArgs};
use crate::explore::ExploreArgs;
use crate::machine;
use crate::perft::PerftArgs;
use crate::play::PlayArgs;
use crate::proof::{CheckArgs, ExplainArgs};
use crate::settings::Color;
use crate::tree::TreeArgs;
use crate::units::{self, Count, Memory, Time};
use crate::work::WorkArgs;
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use std::path::PathBuf;
use zermelo_erased::EngineConfig;
use zermelo_game::Player;

const ABOUT: &str = "Who wins a game, how, and why anyone should believe it";

const EXAMPLES: &str = "\
Examples:
  zermelo games                                 what can be solved
  zermelo engines                               by what
  zermelo solve domineering 8x8                 who wins, and how
  zermelo solve connect4 5x6 --values           the value of every move
  zermelo solve connect4 --moves \"d d d\"        after these moves
  zermelo solve nogo 6x6 --time 10s --json      for other programs
  zermelo solve nogo 4x4 --proof nogo.proof     ... with a proof that can be checked
  zermelo check nogo.proof                      by the rules alone, without any search
  zermelo explain nogo.proof --out nogo.html    the strategy, with pictures
  zermelo build checkers 8x8 --pieces 4 --out db    an endgame database
  zermelo probe db B:WK14:BK1,K2                what it says of a position
  zermelo prove nogo 5x5 --store nogo.tree      a proof in many pieces, kept on disk
  zermelo certify --store nogo.tree --proof nogo.proof
  zermelo play breakthrough 5x5 --as second     against the perfect player
  zermelo tree tictactoe --steps 40             a page that shows a search tree grow
  zermelo explore connect4 5x5                  a page with the value of every move
  zermelo bench tables --rows breakthrough      beside published figures

Sizes are ROWSxCOLS. The first player's stones are x, the second player's o.";

/// The exit codes, for help and manual.
pub const EXIT_CODES: &str = "\
Exit codes:
  0  solved, or the command is done
  1  failure, such as a file that cannot be written
  2  wrong usage: no such game, option, position or move
  3  stopped before everything asked for was known (time, nodes, memory, Ctrl-C, SIGTERM)
  4  a certificate or a database was refused: it proves nothing
  5  a certificate is about a game that is not known here: it was not checked
A second Ctrl-C ends the program at once, with 130 (128 and the number of the signal).
With --json an error is one JSON object in the last line of standard error: error (in words) and, where a text cannot be \
read, what (game, position, move, engine), column (from 1) and expected.";

/// The whole command line.
#[derive(Parser, Debug)]
#[command(name = "zermelo", version, about = ABOUT, after_help = format!("{EXAMPLES}\n\n{EXIT_CODES}"))]
#[command(max_term_width = 100, subcommand_required = true, arg_required_else_help = true)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,

    /// Show no progress and no remarks, only the answer
    #[arg(long, global = true)]
    pub quiet: bool,

    /// Print in colour: on a terminal without NO_COLOR, always, or never
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t = Color::Auto)]
    #[arg(hide_possible_values = true)]
    pub color: Color,
}

/// The commands.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// List the games, or tell all about one
    Games(GamesArgs),
    /// List the engines, or the options of one
    Engines(EnginesArgs),
    /// Show a game: its rules, a position and its moves
    Show(ShowArgs),
    /// Find out who wins
    Solve(SolveArgs),
    /// Check certificates: proofs that need not be believed
    Check(CheckArgs),
    /// Tell the strategy of a certificate as people read it
    Explain(ExplainArgs),
    /// Work out all positions of an endgame, or of a whole small game, and keep them
    Build(BuildArgs),
    /// Check every entry of a database by forward moves
    Verify(VerifyArgs),
    /// Say what is in a database
    Stats(StatsArgs),
    /// Look positions up in a database
    Probe(ProbeArgs),
    /// Prove a position too hard for one search: a tree on disk, and many small searches
    Prove(crate::prove::ProveArgs),
    /// Look after the store of a proof
    Store(crate::store::StoreArgs),
    /// Write the certificate of a proof from its store
    Certify(crate::store::CertifyArgs),
    /// Prove positions, or build slices, for others elsewhere
    Work(WorkArgs),
    /// Count lines of play, ply by ply
    Perft(PerftArgs),
    /// Play against the perfect player
    Play(PlayArgs),
    /// Write a page that steps through the growth of a search tree
    Tree(TreeArgs),
    /// Open a page to look at games, databases and proofs, and to play
    Explore(ExploreArgs),
    /// Measure: published tables, ablations, the list of solved boards
    Bench {
        /// What to measure
        #[command(subcommand)]
        what: Bench,
    },
    /// Print completions for a shell
    #[command(after_help = "Example:\n  zermelo completions bash > \
                            ~/.local/share/bash-completion/completions/zermelo")]
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print the manual page, or write one for each command
    #[command(after_help = "Examples:\n  zermelo man | man -l -\n  zermelo man --out man/man1")]
    Man {
        /// Write the pages of all commands into this folder
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
    },
}

/// `zermelo games`
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  zermelo games                                 all games
  zermelo games breakthrough                    rules, sizes, notation, what it can, what is known
  zermelo games nogo 5x5                        the same with the notation of this board
  zermelo games graph                           how to write a game down node by node

With --json, an array of objects with name, usage, example, summary. Of one game, one object on one line: these and \
parameters and sizes (what may follow the name), game (the board that the rest is about), rules, position and moves (of the start), \
after (a move and the position after it), lo and hi (the values it can have), repetition (none, forbidden, fixed value, depends on the line), \
repetition_value, threats, certificates, databases (slices, reachable, none), databases_for_engines, engines, not_by, \
and known, an array of game, position, value, by (search or prove), database, nodes, seconds, published.")]
pub struct GamesArgs {
    /// The game, perhaps with its parameters: nogo, nogo 5x5 [default: a list of all]
    #[arg(value_name = "GAME", allow_negative_numbers = true)]
    pub game: Vec<String>,

    /// Print JSON on one line
    #[arg(long)]
    pub json: bool,
}

/// A game and one of its positions.
#[derive(Args, Debug)]
pub struct PositionArgs {
    /// The game and its parameters, without quotes: nogo 5x5, breakthrough 4x5 misere (see `zermelo games`)
    #[arg(required = true, value_name = "GAME", allow_negative_numbers = true)]
    pub game: Vec<String>,

    /// Start from this position, in the form in which `zermelo show` prints it. Chess reads FEN, which also names the
    /// material: `chess --position FEN`. A FEN tag of PGN or PDN is read, too
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub position: Option<String>,

    /// Play these moves first, from the start or from --position; blanks or commas stand between them. Connect Four reads
    /// columns as 444 or ddd, too, chess SAN and PGN (1. Kd4 Kb7 2. Qxb7#), checkers PDN (1. 11-15 23-19)
    #[arg(long, value_name = "MOVES", allow_hyphen_values = true)]
    pub moves: Option<String>,
}

/// `zermelo show`
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  zermelo show nogo 5x5\n  \
                        zermelo show tictactoe --moves \"b2 a1\" --svg board.svg\n  \
                        zermelo show connect4 --moves 4453\n  \
                        zermelo show chess --position \"8/8/8/8/8/1k6/8/K1Q5 w - - 0 1\" --moves \"Qh1 Kc4\"\n  \
                        zermelo show checkers --moves \"1. 11-15 23-19 2. 8-11 22-17\"")]
pub struct ShowArgs {
    /// The game and the position.
    #[command(flatten)]
    pub start: PositionArgs,

    /// Write the picture as SVG; - for standard output, and nothing else there
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,

    /// Print one JSON object on one line
    #[arg(long, conflicts_with = "svg")]
    pub json: bool,
}

/// What work may take that is no search.
#[derive(Args, Debug)]
pub struct ResourceArgs {
    /// Threads that work together
    #[arg(long, value_name = "N", default_value_t = 1)]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: u16,

    /// Memory: 512M, 4G [default: half of what is free, 4G at most]
    #[arg(long, value_name = "SIZE", value_parser = units::parse_memory)]
    memory: Option<Memory>,
}

impl ResourceArgs {
    /// Bytes.
    #[must_use]
    pub fn memory(&self) -> u64 {
        self.memory.unwrap_or_else(machine::default_memory)
    }
}

/// Which engine, and how much it may spend.
#[derive(Args, Debug)]
pub struct SearchArgs {
    /// A folder made by `zermelo build`: what it knows of positions is not searched
    #[arg(long, value_name = "DIR")]
    pub db: Option<PathBuf>,

    /// The engine, perhaps with options: dfpn, dfpn:sum=weak,epsilon=1/8 (see `zermelo engines`)
    /// [default: auto; alphabeta where an option below asks for it]
    #[arg(long, value_name = "ENGINE", value_parser = EngineParser)]
    pub by: Option<EngineConfig>,

    /// Threads that search together. One gives the same search every time [default: 1]
    #[arg(long, value_name = "N")]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,

    /// Memory for tables: 512M, 4G, 1.5GiB [default: half of what is free, 4G at most]
    #[arg(long, value_name = "SIZE", value_parser = units::parse_memory)]
    pub memory: Option<Memory>,

    /// Stop after so many positions: 1000, 500k, 10M
    #[arg(long, value_name = "N", value_parser = units::parse_count)]
    pub nodes: Option<Count>,

    /// The seed of whatever is drawn at random [default: 0]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,

    /// Deepen step by step: slower, but finds short wins first
    #[arg(long)]
    pub deepening: bool,

    /// Run so many Monte-Carlo playouts first, to learn the order of moves: 10k, 1M
    /// [default: none; 100k for the engines named -mc]
    #[arg(long, value_name = "N", value_parser = units::parse_count)]
    pub playouts: Option<Count>,

    /// Leave out of the game's help, to see what it saves; separated by commas
    #[arg(long, value_enum, value_name = "PARTS", value_delimiter = ',')]
    pub without: Vec<Part>,

    /// A table of so many entries in which the newer always replaces the older: 1M
    /// [default: a table that grows; 2^20 entries for the engines of Cazenave's paper]
    #[arg(long, value_name = "N", value_parser = units::parse_count)]
    pub table_entries: Option<Count>,
}

/// `zermelo solve`
#[derive(Args, Debug)]
#[command(after_help = format!("\
Examples:
  zermelo solve breakthrough 4x5 misere
  zermelo solve connect4 --moves \"d d\" --threads 2
  zermelo solve connect4 5x5 --moves \"c c c\" --distance     in how many plies?
  zermelo solve tictactoe --moves \"a1 b1\" --values
  zermelo solve tictactoe --position \"x.o/.../... first\"
  zermelo solve connect4 5x6 --moves 3344
  zermelo solve chess --position \"8/8/8/8/8/1k6/8/K1Q5 w - - 0 1\"
  zermelo solve nogo 6x6 --time 30s --memory 2G --threads 2 --json
  zermelo solve atarigo 5x5 --playouts 10k      Monte-Carlo playouts teach the order of moves
  zermelo solve nogo 4x4 --without knowledge,symmetry     what do these save?
  zermelo solve nogo 5x4 --by ab-tt-mc --playouts 1M      as in Cazenave's paper
  zermelo solve atarigo 4x4 --by pn2            work where the least is left to be proved
  zermelo solve mnk 5x6x4 --by lambda           look for a win by threats alone
  zermelo solve clobber 4x5 --by dfpn:sum=weak,epsilon=1/8     an engine with options
  zermelo solve atarigo 4x5 --by dfpn --playouts 10k      playouts teach df-pn
  zermelo solve connect4 5x6 --proof draw.proof     with a proof, for `zermelo check`
  zermelo solve nogo 5x4 --proof a.proof --smaller --leaves 64     ... as small as can be
  zermelo solve connect4 --batch games.txt --threads 2 --out results.jsonl     many positions

--threads, --seed, --deepening, --playouts, --table-entries and --without set the option of that name of the
engine, if it has one (zermelo engines NAME), and count more than the text of --by; --without adds to it.

With --json, one object on one line: game, position, winner (first, second, draw or null), lo and hi
(the value lies between them; 1: the first player wins, -1: the second), best_move, line, solver, engine (the
same with its options, as --by takes it), solved_by (by auto), level (null while the value is open), nodes,
evaluations, seconds, cpu_seconds (user), table_bytes, threads, seed, stop; and with --values also values, a
list of move, lo, hi; with --distance also distance (plies, null while it is open or nobody wins) and
distance_bounds (at least, at most or null), for the values of moves too, and distance_nodes; with playouts also playouts and playout_seconds (wall time, part of seconds; nodes
count none of them); with --without also without, a list; with --proof also proof: file, positions, plain
(with --smaller, what there was without), bytes, cpu_seconds.

With --values, a move is worth what play comes to that goes on from it, the position it is made in being part of the line
of play. Where repeating a position loses, goes by parity, is forbidden or leaves all as it stands, that can
differ from what --moves says: a line begins with the position that is asked about, and --moves forgets those before
it. Where a repetition has a fixed value both are the same. Where boards must not be repeated, as in Go, all boards count.

Every move of line is proved to keep the value, so it may end before the game does; line_end says how it ends (game over,
repetition, database, knowledge, open). While the value is open it is one move, what the solver would play
next, and best_proved is false.

{}

Ctrl-C ends the search and prints what is known.

{EXIT_CODES}", batch::HELP))]
pub struct SolveArgs {
    /// The game and the position.
    #[command(flatten)]
    pub start: PositionArgs,

    /// Stop after this time: 500ms, 90s, 10m, 1h30m; a bare number is seconds
    #[arg(long, value_name = "TIME", value_parser = units::parse_time)]
    pub time: Option<Time>,

    /// The engine and its limits.
    #[command(flatten)]
    pub search: SearchArgs,

    /// Write a certificate of what was found, for `zermelo check`; with --distance of the distance, too
    #[arg(long, value_name = "FILE")]
    pub proof: Option<PathBuf>,

    /// With --proof: write over a file that is there
    #[arg(long, requires = "proof")]
    pub force: bool,

    /// With --proof: choose moves that make it smaller, which takes up to four times as long to write
    #[arg(long, requires = "proof")]
    pub smaller: bool,

    /// With --proof: leave positions to the checker that it can search by looking at so many at most
    #[arg(long, value_name = "N", default_value_t = 0, requires = "proof")]
    #[arg(value_parser = clap::value_parser!(u32).range(0..=i64::from(zermelo_certificate::leaf::MOST)))]
    pub leaves: u32,

    /// Also find the value of every move, on the picture and as a list (exit code 3 if one stays open)
    #[arg(long)]
    pub values: bool,

    /// Also find out in how many plies the winner wins, playing for speed against the longest resistance; with --values for every
    /// move (exit code 3 if a distance stays open)
    #[arg(long)]
    pub distance: bool,

    /// Write the picture as SVG, with the best move or with --values all of them marked
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,

    /// Print one JSON object on one line
    #[arg(long)]
    pub json: bool,

    /// Many positions.
    #[command(flatten)]
    pub batch: BatchArgs,
}

/// What can be left out, as options.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Part {
    /// Static bounds, and the choice of moves worth a look
    Knowledge,
    /// Positions that look the same are different
    Symmetry,
    /// The game's own order of moves, and the order learned on the way
    Order,
}

impl Part {
    /// Its name as a value of the option of engines.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Part::Knowledge => "knowledge",
            Part::Symmetry => "symmetry",
            Part::Order => "order",
        }
    }
}

/// The players, as options.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum PlayerSide {
    /// You move first from the start
    First,
    /// You move second
    Second,
}

impl From<PlayerSide> for Player {
    fn from(side: PlayerSide) -> Player {
        match side {
            PlayerSide::First => Player::First,
            PlayerSide::Second => Player::Second,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;
    use zermelo_erased::EngineId;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn the_games_words_need_no_quotes() {
        let line = "zermelo solve breakthrough 5x5 misere --by minimax --threads 2";
        let Ok(Cli { command: Command::Solve(args), .. }) = Cli::try_parse_from(line.split(' '))
        else {
            panic!("does not parse");
        };
        assert_eq!(args.start.game, ["breakthrough", "5x5", "misere"]);
        assert_eq!(
            (args.search.by, args.search.threads),
            (Some(EngineId::Minimax.into()), Some(2))
        );
    }
}
