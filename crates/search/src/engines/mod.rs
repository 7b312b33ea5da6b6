//! The table of engines: one row each, with a name, a summary, settings and what makes it.
//!
//! An engine has one text form everywhere: its name, and after a colon the settings that are not the row's own, such as
//! `dfpn:sum=weak,epsilon=1/8`. [`EngineConfig`] is what such a text means. A new engine is a folder whose settings implement
//! [`EngineSettings`] (`making.rs`), and a row below.

mod config;
mod making;

pub use config::EngineConfig;
pub use making::{
    Abilities, ByThreats, EngineSettings, Features, Make, Needs, SuperkoEngines, ThreatEngines,
};

use crate::engine::Engine;
use crate::options::{OptionInfo, Options};
use crate::proofnumber::{dfpn, lambda, pn2, pns, pp};
use crate::{alphabeta, minimax, montecarlo, portfolio};
use zermelo_game::{Ablation, Knowledge, Rules};

/// Writes down the table: the enum of rows, and what is done row by row.
macro_rules! engines {
    ($($(#[$doc:meta])* $id:ident = $word:literal: $config:ty = $settings:expr, $ablation:expr, $summary:literal;)*) => {
        /// A row of the table.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum EngineId {
            $($(#[$doc])* $id,)*
        }

        impl EngineId {
            /// All of them.
            pub const ALL: &[EngineId] = &[$(EngineId::$id),*];

            /// The name for commands, reports and files.
            #[must_use]
            pub const fn word(self) -> &'static str {
                match self {
                    $(EngineId::$id => $word,)*
                }
            }

            /// What it is, in a few words.
            #[must_use]
            pub const fn summary(self) -> &'static str {
                match self {
                    $(EngineId::$id => $summary,)*
                }
            }

            /// What it needs of a game.
            #[must_use]
            pub const fn needs(self) -> Needs {
                match self {
                    $(EngineId::$id => <$config as EngineSettings>::NEEDS,)*
                }
            }

            /// The searches that it is made of.
            const fn methods(self) -> &'static [&'static str] {
                match self {
                    $(EngineId::$id => <$config as EngineSettings>::METHODS,)*
                }
            }

            /// Its own settings.
            fn settings(self) -> Settings {
                match self {
                    $(EngineId::$id => Settings::$id($settings),)*
                }
            }

            /// What it leaves out of the knowledge unless something else is said.
            const fn ablation(self) -> Ablation {
                match self {
                    $(EngineId::$id => $ablation,)*
                }
            }
        }

        /// The settings of each row.
        #[derive(Clone, PartialEq, Debug)]
        enum Settings {
            $($id($config),)*
        }

        impl Settings {
            const fn id(&self) -> EngineId {
                match self {
                    $(Settings::$id(_) => EngineId::$id,)*
                }
            }

            fn list(&self) -> Vec<OptionInfo> {
                match self {
                    $(Settings::$id(config) => config.list(),)*
                }
            }

            fn set(&mut self, name: &str, value: &str) -> Option<Result<(), String>> {
                match self {
                    $(Settings::$id(config) => config.set(name, value),)*
                }
            }

            fn get(&self, name: &str) -> Option<String> {
                match self {
                    $(Settings::$id(config) => config.get(name),)*
                }
            }

            const fn is_per_game(&self) -> bool {
                match self {
                    $(Settings::$id(_) => <$config as EngineSettings>::PER_GAME,)*
                }
            }

            fn engine<'g, R: Rules, K: Knowledge<R>>(
                &self,
                make: Make<'_, 'g, R, K>,
            ) -> Box<dyn Engine<R> + 'g> {
                match self {
                    $(Settings::$id(config) => config.engine(make),)*
                }
            }

            /// The engine, if it is one of those that are compiled for each game, or one of the others. Nothing is compiled
            /// for the rest, as the condition is constant.
            fn engine_of<'g, R: Rules, K: Knowledge<R>, const PER_GAME: bool>(
                &self,
                make: Make<'_, 'g, R, K>,
            ) -> Option<Box<dyn Engine<R> + 'g>> {
                match self {
                    $(Settings::$id(config) => {
                        if const { <$config as EngineSettings>::PER_GAME == PER_GAME } {
                            Some(config.engine(make))
                        } else {
                            None
                        }
                    })*
                }
            }
        }
    };
}

engines! {
    /// Alpha-beta and df-pn by turns.
    Auto = "auto": portfolio::Config = portfolio::Config::default(), Ablation::NOTHING,
        "alpha-beta and df-pn by turns, sharing what they prove: needs no choice";
    /// Plain minimax, without a table or any knowledge.
    Minimax = "minimax": minimax::Config = minimax::Config, Ablation::NOTHING,
        "plain minimax, without a table or any knowledge";
    /// Alpha-beta with a transposition table.
    AlphaBeta = "alphabeta": alphabeta::Config = alphabeta::Config::default(), Ablation::NOTHING,
        "alpha-beta with a transposition table";
    /// Monte-Carlo tree search alone.
    MonteCarlo = "montecarlo": montecarlo::Config = montecarlo::Config::default(), Ablation::NOTHING,
        "Monte-Carlo tree search alone: gives up only when its memory is full";
    /// Proof-number search.
    Pns = "pns": pns::Config = pns::Config::default(), Ablation::NOTHING,
        "proof-number search: best-first on a tree in memory; gives up when that is full";
    /// Proof-number search with a second search at each leaf.
    Pn2 = "pn2": pn2::Config = pn2::Config::default(), Ablation::NOTHING,
        "proof-number search with a second search at each leaf, which is thrown away: lasts much longer";
    /// Product propagation.
    Pp = "pp": pp::Config = pp::Config, Ablation::NOTHING,
        "product propagation: best-first by probabilities on a tree in memory";
    /// Depth-first proof-number search with a transposition table.
    Dfpn = "dfpn": dfpn::Config = dfpn::Config::default(), Ablation::NOTHING,
        "depth-first proof-number search with a transposition table";
    /// Lambda search: wins by threats.
    Lambda = "lambda": lambda::Config = lambda::Config::default(), Ablation::NOTHING,
        "wins by threats, in games where a pass is thinkable; finding none, it says nothing";
    /// Alpha-beta as in Cazenave's Monte Carlo Game Solver (2020).
    AbTt = "ab-tt": alphabeta::Config = alphabeta::Config::source(false, 0), Ablation::ALL,
        "alpha-beta as in Cazenave's Monte Carlo Game Solver: the rules and a small table";
    /// The same with iterative deepening.
    IdAbTt = "id-ab-tt": alphabeta::Config = alphabeta::Config::source(true, 0), Ablation::ALL,
        "the same with iterative deepening";
    /// The same with Monte-Carlo move ordering.
    AbTtMc = "ab-tt-mc": alphabeta::Config = alphabeta::Config::source(false, alphabeta::SOURCE_PLAYOUTS),
        Ablation::ALL, "the same with Monte-Carlo move ordering";
    /// The same with both.
    IdAbTtMc = "id-ab-tt-mc": alphabeta::Config = alphabeta::Config::source(true, alphabeta::SOURCE_PLAYOUTS),
        Ablation::ALL, "the same with both";
}

impl EngineId {
    /// The engine of this name.
    #[must_use]
    pub fn named(word: &str) -> Option<EngineId> {
        EngineId::ALL.iter().copied().find(|id| id.word() == word)
    }

    /// Whether the two have a search in common, so that a defect of one may be a defect of the other.
    #[must_use]
    pub fn is_kin_of(self, other: EngineId) -> bool {
        self.methods().iter().any(|method| other.methods().contains(method))
    }

    /// All names, for messages.
    #[must_use]
    pub fn words() -> String {
        let words: Vec<&str> = EngineId::ALL.iter().map(|id| id.word()).collect();
        words.join(", ")
    }

    /// The engine that is asked unless another one is named. A portfolio needs no choice.
    pub const DEFAULT: EngineId = EngineId::Auto;

    /// The engine for the jobs of a large proof, unless another one is named: df-pn where positions can repeat, where it
    /// is far ahead of alpha-beta and its numbers say where to look next; else the portfolio.
    #[must_use]
    pub const fn for_jobs(features: &Features) -> EngineId {
        if features.cyclic { EngineId::Dfpn } else { EngineId::Auto }
    }
}
