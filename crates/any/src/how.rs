//! Which solver, and how: an algorithm described in full.

use crate::AnyGame;
use zermelo_search::alphabeta;
use zermelo_search::altered::Without;
use zermelo_search::proofnumber::dfpn;

/// The solvers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum By {
    /// Alpha-beta and df-pn by turns.
    Auto,
    /// Plain minimax, without a table or any knowledge.
    Minimax,
    /// Alpha-beta with a transposition table.
    AlphaBeta,
    /// Monte-Carlo tree search alone.
    MonteCarlo,
    /// Proof-number search.
    Pns,
    /// Proof-number search with a second search at each leaf.
    Pn2,
    /// Product propagation.
    Pp,
    /// Depth-first proof-number search with a transposition table.
    Dfpn,
    /// Lambda search: wins by threats.
    Lambda,
    /// Alpha-beta as in Cazenave's Monte Carlo Game Solver (2020).
    AbTt,
    /// The same with iterative deepening.
    IdAbTt,
    /// The same with Monte-Carlo move ordering.
    AbTtMc,
    /// The same with both.
    IdAbTtMc,
}

impl By {
    /// All of them.
    pub const ALL: [By; 13] = [
        By::Auto,
        By::Minimax,
        By::AlphaBeta,
        By::MonteCarlo,
        By::Pns,
        By::Pn2,
        By::Pp,
        By::Dfpn,
        By::Lambda,
        By::AbTt,
        By::IdAbTt,
        By::AbTtMc,
        By::IdAbTtMc,
    ];

    /// The name for commands, reports and files.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            By::Auto => "auto",
            By::Minimax => "minimax",
            By::AlphaBeta => "alphabeta",
            By::MonteCarlo => "montecarlo",
            By::Pns => "pns",
            By::Pn2 => "pn2",
            By::Pp => "pp",
            By::Dfpn => "dfpn",
            By::Lambda => "lambda",
            By::AbTt => "ab-tt",
            By::IdAbTt => "id-ab-tt",
            By::AbTtMc => "ab-tt-mc",
            By::IdAbTtMc => "id-ab-tt-mc",
        }
    }

    /// Whether it leaves the choice of threads, and of playouts and the size of its table; `None` if it
    /// leaves all choices.
    const fn leaves(self) -> Option<(bool, bool)> {
        match self {
            By::Pns | By::Pn2 | By::Pp | By::Lambda => Some((false, false)),
            By::Dfpn => Some((true, true)),
            By::Auto => Some((true, false)),
            _ => None,
        }
    }

    /// The solver of this name.
    #[must_use]
    pub fn named(word: &str) -> Option<By> {
        By::ALL.into_iter().find(|by| by.word() == word)
    }
}

/// Entries of the table in Cazenave's experiments, where a new entry always replaced an old one (he
/// counts one less).
pub const SOURCE_ENTRIES: u64 = 1 << 20;
/// Playouts of the solvers named `-mc` if nothing else is said: what the source used for NoGo 7x3. It
/// used up to 10 million on larger boards.
pub const SOURCE_PLAYOUTS: u64 = 100_000;

/// Which solver to use, and its settings; a solver ignores settings it does not have.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct How {
    /// The solver.
    pub by: By,
    /// Threads that search together.
    pub threads: usize,
    /// The seed of whatever is drawn at random.
    pub seed: u64,
    /// Whether to deepen step by step.
    pub deepening: bool,
    /// Monte-Carlo playouts that teach alpha-beta or df-pn the order of moves.
    pub playouts: u64,
    /// What to leave out of the game's help.
    pub without: Without,
    /// A table of so many entries in which the newer replaces the older, instead of one that grows.
    pub table_entries: Option<u64>,
    /// Whether to do what the source did not: keep near ends out of the table, and look up
    /// children before the first is searched.
    pub tricks: bool,
}

impl How {
    /// A solver with its own settings. Those named after the source's tables are alpha-beta with its
    /// table and, besides the table's move, nothing but the rules: no knowledge, symmetry, order of
    /// the game, killers or history. As our alpha-beta looks at every child before it enters one,
    /// moves that win at once come first there too; the source's other rules of thumb for the order
    /// at Atarigo and in the races are not copied.
    #[must_use]
    pub fn new(by: By) -> How {
        let config = alphabeta::Config::default();
        let how = How {
            by,
            threads: config.threads,
            seed: config.seed,
            deepening: config.deepening,
            playouts: config.playouts,
            without: Without::NOTHING,
            table_entries: config.table_entries,
            tricks: true,
        };
        let source = |deepening, playouts| How {
            deepening,
            playouts,
            without: Without::ALL,
            table_entries: Some(SOURCE_ENTRIES),
            tricks: false,
            ..how
        };
        match by {
            By::Auto | By::Minimax | By::AlphaBeta | By::MonteCarlo => how,
            By::Pns | By::Pn2 | By::Pp | By::Dfpn | By::Lambda => how,
            By::AbTt => source(false, 0),
            By::IdAbTt => source(true, 0),
            By::AbTtMc => source(false, SOURCE_PLAYOUTS),
            By::IdAbTtMc => source(true, SOURCE_PLAYOUTS),
        }
    }

    /// Whether these settings mean anything for a game; if not, what is to be changed. Sessions of a game
    /// are not to be asked otherwise.
    pub fn fits(&self, game: &dyn AnyGame) -> Result<(), String> {
        let own = How::new(self.by);
        if let Some((threads, more)) = self.by.leaves() {
            let refused = [
                (self.threads != own.threads && !threads, "more than one thread"),
                (self.playouts != own.playouts && !more, "playouts"),
                (self.deepening, "deepening"),
                (self.table_entries.is_some() && !more, "a table of fixed size"),
                (self.without != own.without, "part of the game's help left out"),
            ];
            if let Some((_, what)) = refused.iter().find(|(refused, _)| *refused) {
                let by = self.by.word();
                return Err(format!("{what} cannot be had with {by}, which has no such choice"));
            }
        }
        let keeps_values =
            matches!(self.by, By::AlphaBeta | By::AbTt | By::IdAbTt | By::AbTtMc | By::IdAbTtMc);
        if game.hangs_on_line() && keeps_values {
            let (by, name) = (self.by.word(), game.name());
            return Err(format!(
                "{by} cannot be had for {name}, where what a repetition is worth hangs on the line of \
                 play: it keeps values by position (dfpn, pns, pn2, pp and minimax do not)"
            ));
        }
        if self.by == By::Lambda && !game.threats() {
            let name = game.name();
            return Err(format!(
                "lambda cannot be had for {name}: it needs a game that says what a pass would be, such as \
                 atarigo or mnk"
            ));
        }
        let by = if self.by == By::Auto { By::Auto } else { By::AlphaBeta };
        let plain = How { seed: self.seed, without: self.without, ..How::new(by) };
        if !game.superko() || self.by == By::Minimax || *self == plain {
            return Ok(());
        }
        let what = match self.by {
            By::AlphaBeta | By::Auto if self.threads != own.threads => "more than one thread",
            By::AlphaBeta if self.playouts != own.playouts => "playouts",
            By::AlphaBeta if self.deepening => "a choice of deepening",
            By::AlphaBeta => "a table of fixed size",
            by => by.word(),
        };
        let name = game.name();
        Err(format!(
            "{what} cannot be had for {name}, where no board may come back: its solver is alphabeta \
             with one thread, which always deepens step by step"
        ))
    }

    /// Whether it can share tables with others that search the same game at the same time.
    pub(crate) fn shares_tables(&self) -> bool {
        let own = How { threads: self.threads, seed: self.seed, ..How::new(self.by) };
        matches!(self.by, By::AlphaBeta | By::Auto | By::Dfpn) && *self == own
    }

    /// For df-pn.
    pub(crate) fn dfpn_config(&self) -> dfpn::Config {
        let defaults = dfpn::Config::default();
        dfpn::Config {
            threads: self.threads,
            playouts: if self.by == By::Dfpn { self.playouts } else { 0 },
            seed: self.seed,
            table_entries: self.table_entries,
            ..defaults
        }
    }

    pub(crate) fn config(&self) -> alphabeta::Config {
        let defaults = alphabeta::Config::default();
        let (table_plies, cutoff_plies) = match self.tricks {
            true => (defaults.table_plies, defaults.cutoff_plies),
            false => (0, Some(u32::MAX)),
        };
        alphabeta::Config {
            threads: self.threads,
            seed: self.seed,
            deepening: self.deepening,
            playouts: self.playouts,
            learning: !self.without.order,
            table_entries: self.table_entries,
            table_plies,
            cutoff_plies,
        }
    }
}

impl Default for How {
    fn default() -> How {
        How::new(By::AlphaBeta)
    }
}
