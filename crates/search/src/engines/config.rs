//! An engine with all its settings, and its text form: `dfpn:sum=weak,epsilon=1/8`.

use super::{EngineId, Features, Make, Settings};
use crate::engine::Engine;
use crate::options::{OptionError, OptionInfo, OptionValue};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;
use zermelo_game::{Ablation, Knowledge, ParseError, Rules};

/// The name of the setting that says what is left out of the knowledge.
const WITHOUT: &str = "without";
/// Which values it has.
const WITHOUT_VALUES: &str = "nothing, or knowledge, symmetry, order with + between them";

/// An engine with all its settings.
#[derive(Clone, PartialEq, Debug)]
pub struct EngineConfig {
    settings: Settings,
    ablation: Ablation,
}

impl EngineConfig {
    /// An engine with its own settings.
    #[must_use]
    pub fn new(id: EngineId) -> EngineConfig {
        EngineConfig { settings: id.settings(), ablation: id.ablation() }
    }

    /// Which engine.
    #[must_use]
    pub const fn id(&self) -> EngineId {
        self.settings.id()
    }

    /// What is left out of the knowledge.
    #[must_use]
    pub const fn ablation(&self) -> Ablation {
        self.ablation
    }

    /// The same with this left out of the knowledge.
    #[must_use]
    pub fn without(self, ablation: Ablation) -> EngineConfig {
        EngineConfig { ablation, ..self }
    }

    /// All settings that have a name, with the values they have here as defaults.
    #[must_use]
    pub fn options(&self) -> Vec<OptionInfo> {
        let mut all = self.settings.list();
        if self.id().needs().ablation {
            all.push(OptionInfo {
                name: WITHOUT,
                values: WITHOUT_VALUES.into(),
                default: self.get(WITHOUT).unwrap_or_default(),
                help: "what to leave out of the knowledge about the game, to see what it saves",
            });
        }
        all
    }

    /// Whether there is a setting of this name.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// The value of a setting, as text; `None` if there is none of this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<String> {
        match name {
            WITHOUT if self.id().needs().ablation => Some(match self.ablation.words() {
                words if words.is_empty() => "nothing".into(),
                words => words.join("+"),
            }),
            _ => self.settings.get(name),
        }
    }

    /// Sets one. The error says what would be right.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        let set = match name {
            WITHOUT if self.id().needs().ablation => {
                let ablation = read_ablation(value).ok_or_else(|| WITHOUT_VALUES.to_owned());
                Some(ablation.map(|ablation| self.ablation = ablation))
            }
            _ => self.settings.set(name, value),
        };
        let (engine, name) = (self.id().word(), name.to_owned());
        match set {
            Some(set) => set.map_err(|values| {
                let value = value.to_owned();
                OptionError::Value { engine, name, values, value }
            }),
            None => {
                let names: Vec<&str> = self.options().iter().map(|option| option.name).collect();
                Err(OptionError::Unknown { engine, name, names: names.join(", ") })
            }
        }
    }

    /// The same with a setting, for those that are known to be right.
    ///
    /// # Panics
    /// If there is no such setting, or no such value of it.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl fmt::Display) -> EngineConfig {
        self.set(name, &value.to_string()).unwrap_or_else(|error| panic!("{error}"));
        self
    }

    /// The same with a setting, if the engine has one of this name.
    ///
    /// # Panics
    /// If there is no such value of it.
    #[must_use]
    pub fn with_if_any(self, name: &str, value: impl fmt::Display) -> EngineConfig {
        if self.has(name) { self.with(name, value) } else { self }
    }

    /// A setting that is a number; 0 if there is none of this name, or it says none.
    #[must_use]
    pub fn number(&self, name: &str) -> u64 {
        self.get(name).and_then(|text| text.parse().ok()).unwrap_or(0)
    }

    /// Threads that search together.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.number("threads").max(1) as usize
    }

    /// The seed of whatever is drawn at random.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.number("seed")
    }

    /// Whether the engine with these settings can search a game; if not, what is to be changed.
    pub fn fits(&self, game: &str, features: &Features) -> Result<(), String> {
        let (needs, engine) = (self.id().needs(), self.id().word());
        if features.path_dependent && needs.own_values {
            return Err(format!(
                "{engine} cannot search {game}, where the value of a repetition depends on the line of play: it keeps \
                 values by position (dfpn, pns, pn2, pp and minimax do not)"
            ));
        }
        if needs.threats && !features.threats {
            return Err(format!(
                "{engine} cannot search {game}: it needs a game that says what a pass would be, such as atarigo or mnk"
            ));
        }
        if !features.superko {
            return Ok(());
        }
        let engines = "its engine is alphabeta with one thread, which always deepens step by step, and takes no option but \
                       seed and without";
        if !needs.superko {
            return Err(format!(
                "{engine} cannot search {game}, where boards must not be repeated: {engines}"
            ));
        }
        // Cazenave's algorithms are alpha-beta with other settings.
        let own = match self.id() {
            EngineId::Auto | EngineId::Minimax => EngineConfig::new(self.id()),
            _ => EngineConfig::new(EngineId::AlphaBeta),
        };
        let changed = |option: &OptionInfo| {
            ![WITHOUT, "seed"].contains(&option.name)
                && self.get(option.name) != own.get(option.name)
        };
        match self.options().iter().find(|option| changed(option)) {
            Some(option) => Err(format!(
                "{engine} cannot search {game} with {}={}, as boards must not be repeated there: {engines}",
                option.name,
                self.get(option.name).unwrap_or_default()
            )),
            None => Ok(()),
        }
    }

    /// Whether engines with these settings can share tables while they search the same game at the same time.
    #[must_use]
    pub fn shares_tables(&self) -> bool {
        let own = EngineConfig::new(self.id())
            .with_if_any("threads", self.threads())
            .with_if_any("seed", self.seed());
        matches!(self.id(), EngineId::AlphaBeta | EngineId::Auto | EngineId::Dfpn) && *self == own
    }

    /// The engine. What is left out is left to the caller, who chooses the knowledge; here it is only told to engines that learn.
    pub fn engine<'g, R: Rules, K: Knowledge<R>>(
        &self,
        make: Make<'_, 'g, R, K>,
    ) -> Box<dyn Engine<R> + 'g> {
        self.settings.engine(make)
    }

    /// Whether it is one of the engines that are [compiled for each game](super::EngineSettings::PER_GAME).
    #[must_use]
    pub const fn is_per_game(&self) -> bool {
        self.settings.is_per_game()
    }

    /// The engine, if it is one of those that are [compiled for each game](super::EngineSettings::PER_GAME); code of others does not
    /// become part of the program by this.
    pub fn engine_per_game<'g, R: Rules, K: Knowledge<R>>(
        &self,
        make: Make<'_, 'g, R, K>,
    ) -> Option<Box<dyn Engine<R> + 'g>> {
        self.settings.engine_of::<R, K, true>(make)
    }

    /// The engine, if it is one of the others, for boxed games.
    pub fn engine_for_all<'g, R: Rules, K: Knowledge<R>>(
        &self,
        make: Make<'_, 'g, R, K>,
    ) -> Option<Box<dyn Engine<R> + 'g>> {
        self.settings.engine_of::<R, K, false>(make)
    }
}

/// The parts of `knowledge+order`.
fn read_ablation(text: &str) -> Option<Ablation> {
    let mut ablation = Ablation::NOTHING;
    if text == "nothing" {
        return Some(ablation);
    }
    for word in text.split('+') {
        let part = match word {
            "knowledge" => &mut ablation.knowledge,
            "symmetry" => &mut ablation.symmetry,
            "order" => &mut ablation.order,
            _ => return None,
        };
        *part = true;
    }
    Some(ablation)
}

impl Eq for EngineConfig {}

/// By the text: numbers that are no integers have no hash.
impl Hash for EngineConfig {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.to_string().hash(state);
    }
}

impl From<EngineId> for EngineConfig {
    fn from(id: EngineId) -> EngineConfig {
        EngineConfig::new(id)
    }
}

impl Default for EngineConfig {
    fn default() -> EngineConfig {
        EngineConfig::new(EngineId::DEFAULT)
    }
}

impl fmt::Display for EngineConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let own = EngineConfig::new(self.id());
        f.write_str(self.id().word())?;
        let mut between = ':';
        for OptionInfo { name, default: value, .. } in self.options() {
            if own.get(name).as_ref() != Some(&value) {
                write!(f, "{between}{name}={value}")?;
                between = ',';
            }
        }
        Ok(())
    }
}

impl FromStr for EngineConfig {
    type Err = ParseError;

    /// Reads `dfpn:sum=weak,epsilon=1/8`.
    fn from_str(text: &str) -> Result<EngineConfig, ParseError> {
        let error = |part: &str, expected: String| {
            let at = part.as_ptr() as usize - text.as_ptr() as usize;
            ParseError::new("engine", text, text[..at].chars().count(), expected)
        };
        let (word, options) = match text.split_once(':') {
            Some((word, options)) => (word, Some(options)),
            None => (text, None),
        };
        let id = EngineId::named(word);
        let id = id.ok_or_else(|| error(text, format!("an engine: {}", EngineId::words())))?;
        let mut config = EngineConfig::new(id);
        for option in options.into_iter().flat_map(|options| options.split(',')) {
            let Some((name, value)) = option.split_once('=') else {
                return Err(error(option, "NAME=VALUE, such as threads=2".into()));
            };
            let part = if config.has(name) { value } else { name };
            config.set(name, value).map_err(|wrong| error(part, wrong.expected()))?;
        }
        Ok(config)
    }
}

/// An engine by its text form in settings of other programs.
impl OptionValue for EngineConfig {
    fn accepted() -> String {
        format!("an engine with its options, such as dfpn:threads=2 ({})", EngineId::words())
    }

    fn read(text: &str) -> Option<EngineConfig> {
        text.parse().ok()
    }

    fn write(&self) -> String {
        self.to_string()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn texts_are_read_and_written() {
        for text in [
            "auto",
            "dfpn:sum=weak,epsilon=1/8,gc=smalltree",
            "dfpn:threads=2,seed=7",
            "alphabeta:deepening=yes,playouts=1000,without=knowledge+order",
            "pn2:sum=top5-less,size=logistic/1800000/240000",
            "ab-tt:without=knowledge",
            "lambda:sum=weak",
        ] {
            let config: EngineConfig = text.parse().unwrap_or_else(|e| panic!("{e}"));
            let again: EngineConfig = config.to_string().parse().unwrap();
            assert_eq!(again, config, "{text}");
            assert_eq!(config.to_string().split(':').next(), text.split(':').next());
        }
        let config: EngineConfig = "dfpn:epsilon=0.25,threads=1".parse().unwrap();
        assert_eq!(config.to_string(), "dfpn", "what is a default is not written");
    }

    #[test]
    fn errors_name_the_place_and_what_would_be_right() {
        for (text, column, expected) in [
            ("", 1, "an engine: auto, minimax"),
            ("alpha", 1, "an engine"),
            ("dfpn:", 6, "NAME=VALUE"),
            ("dfpn:deepening=yes", 6, "an option of dfpn (threads, seed"),
            ("dfpn:threads=2,sum=most", 20, "a value of sum: sum, weak, topN"),
            ("auto:threads=0", 14, "a value of threads: 1 to 1024"),
            ("pp:sum=weak", 4, "an option of pp (without)"),
            ("minimax:seed=1", 9, "nothing: minimax has no options"),
        ] {
            let error = text.parse::<EngineConfig>().unwrap_err();
            assert!(error.expected.contains(expected), "{text}: {error}");
            assert_eq!(error.column(), column, "{text}: {error}");
        }
    }

    #[test]
    fn every_row_can_be_told_and_set() {
        for &id in EngineId::ALL {
            assert_eq!(EngineId::named(id.word()), Some(id));
            assert!(!id.summary().is_empty());
            let config = EngineConfig::new(id);
            assert_eq!(config.to_string(), id.word());
            for option in config.options() {
                let again = config.clone().with(option.name, &option.default);
                assert_eq!(again, config, "{}", option.name);
                assert!(!option.help.is_empty() && !option.values.is_empty());
                let mut wrong = config.clone();
                let error = wrong.set(option.name, "?").unwrap_err().to_string();
                assert!(error.contains(option.name) && error.contains("'?'"), "{error}");
                assert_eq!(wrong, config);
            }
        }
    }

    #[test]
    fn games_say_what_fits() {
        let plain =
            Features { path_dependent: false, cyclic: false, superko: false, threats: false };
        let fits = |text: &str, features: &Features| {
            text.parse::<EngineConfig>().unwrap().fits("x", features).is_ok()
        };
        for &id in EngineId::ALL {
            assert_eq!(fits(id.word(), &plain), id != EngineId::Lambda, "{}", id.word());
        }
        assert!(fits("lambda", &Features { threats: true, ..plain }));
        let superko = Features { superko: true, ..plain };
        for (text, fit) in [
            ("auto", true),
            ("alphabeta:seed=3,without=order", true),
            ("alphabeta:threads=2", false),
            ("dfpn", false),
            ("minimax", true),
            ("ab-tt", false),
        ] {
            assert_eq!(fits(text, &superko), fit, "{text}");
        }
        let depends = Features { path_dependent: true, ..plain };
        assert!(fits("dfpn:without=order", &depends) && !fits("alphabeta", &depends));
    }
}
