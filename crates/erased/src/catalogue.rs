//! The catalogue: which games there are, as a value.
//!
//! A [`Row`] says how a game is listed and what opens it; a [`Catalogue`] is some rows. Whoever works with games by
//! name is given one: the command line, the explorer, the checker, farms, the laboratory, tests. There is no other list, so a
//! game that somebody adds can do whatever ours can:
//!
//! ```
//! use zermelo_erased::{Catalogue, Opened, Row};
//! # use zermelo_game::*;
//! # struct Heap(u64);
//! # impl Rules for Heap {
//! #     type Position = (u64, Player);
//! #     type Move = u64;
//! #     type Key = u64;
//! #     fn start(&self) -> (u64, Player) { (self.0, Player::First) }
//! #     fn turn(&self, p: &(u64, Player)) -> Player { p.1 }
//! #     fn outcome(&self, p: &(u64, Player)) -> Option<Value> { (p.0 == 0).then_some(-p.1.sign()) }
//! #     fn moves(&self, p: &(u64, Player), out: &mut MoveList<u64>) { (1..=p.0.min(3)).for_each(|n| out.push(n)); }
//! #     fn play(&self, p: &(u64, Player), n: u64) -> (u64, Player) { (p.0 - n, p.1.other()) }
//! #     fn key(&self, p: &(u64, Player)) -> u64 { p.0 * 2 + p.1.index() as u64 }
//! #     fn code(&self, n: u64) -> usize { n as usize }
//! #     fn codes(&self) -> usize { 4 }
//! # }
//! # impl Notation for Heap {
//! #     fn name(&self) -> String { format!("heap {}", self.0) }
//! # }
//! let heap = Row::new("heap", |mut args| {
//!     let [counters] = args.need_size("COUNTERS, such as 21", |[n]| (1..=1000).contains(&n))?;
//!     args.end("heap COUNTERS")?;
//!     Ok(Opened::new(Heap(counters.into()), ()))
//! });
//! let catalogue = Catalogue::standard().with(heap.usage("heap COUNTERS").example("heap 21"));
//! assert_eq!(catalogue.open("heap 21").unwrap().name(), "heap 21");
//! assert_eq!(catalogue.open("heap 0").err().unwrap().column(), 6);
//! ```

use crate::AnyGame;
use crate::database::Folder;
use crate::game::Erased;
use crate::native::{Compiled, Native, RowAbilities, Typed};
use crate::slices::BySlices;
use std::fmt;
use std::path::Path;
use std::sync::Arc;
use zermelo_certificate::check::{self, CheckSummary};
use zermelo_certificate::explain::{Detail, Explanation};
use zermelo_certificate::{Certificate, Refusal, Walk};
use zermelo_endgame::folder::{self, FolderKind};
use zermelo_endgame::{DatabaseFailure, Verified, verify};
use zermelo_game::boxed::{BoxShape, Bytes, LARGEST, Large, Medium, Small};
use zermelo_game::outside::{path, printable_lines};
use zermelo_game::{
    Args, BySuperko, GameEntry, Key, Knowledge, Notation, ParseError, Rules, Sliced, Superko,
    SuperkoKnowledge, Threats,
};
use zermelo_games::Visitor;

/// A game that was opened, before its types are forgotten: its rules, what is known about them, and the rare abilities that
/// not every game has.
pub struct Opened<R: Notation, K: Knowledge<R>> {
    rules: Arc<R>,
    knowledge: K,
    abilities: RowAbilities<R, K>,
}

impl<R: Notation, K: Knowledge<R>> Opened<R, K> {
    /// A game. No knowledge is `()`. Positions and moves take at most [`LARGEST`] bytes.
    #[must_use]
    pub fn new(rules: R, knowledge: K) -> Opened<R, K> {
        const {
            let sizes = size_of::<R::Position>() <= LARGEST && size_of::<R::Move>() <= LARGEST;
            let aligned = align_of::<R::Position>() <= 16 && align_of::<R::Move>() <= 16;
            assert!(sizes && aligned, "positions and moves take at most 512 bytes, aligned to 16");
        }
        Opened { rules: Arc::new(rules), knowledge, abilities: RowAbilities::default() }
    }

    /// Its positions are numbered: it has endgame databases slice by slice. Without it: databases of what can be reached
    /// from its start.
    #[must_use]
    pub fn numbered(mut self) -> Opened<R, K>
    where
        R: Sliced,
    {
        self.abilities.slices = Some(Arc::new(BySlices(self.rules.clone())));
        self
    }

    /// It says what a pass would be: it can be searched by threats. Without it: no lambda search.
    #[must_use]
    pub fn threats(mut self) -> Opened<R, K>
    where
        R: Threats,
    {
        self.abilities.pass = Some(R::pass);
        self
    }

    /// Its boards must not be repeated. A game that says so of itself ([`zermelo_game::Rules::SUPERKO`]) cannot be opened
    /// without it.
    #[must_use]
    pub fn superko(mut self) -> Opened<R, K>
    where
        R: Superko,
        K: SuperkoKnowledge<R>,
    {
        self.abilities.superko = Some(&BySuperko);
        self.abilities.superko_engines = Some(&BySuperko);
        self
    }

    /// The game with engines that it shares with all others that are opened so: they take up to a third more time (1.02 to
    /// 1.34 times, measured), and a program with many such games is much smaller and built much sooner. For games that few people search.
    ///
    /// # Panics
    /// If boards must not be repeated: there is no shared engine for that.
    #[must_use]
    pub fn with_shared_engines(self) -> Box<dyn AnyGame> {
        assert!(!R::SUPERKO, "{}: no shared engine knows superko", self.rules.name());
        self.erase::<true>()
    }

    fn erase<const SHARED: bool>(self) -> Box<dyn AnyGame> {
        fn erased<S: BoxShape>(native: impl Native<S> + 'static) -> Box<dyn AnyGame> {
            Box::new(Erased::new(Arc::new(native)))
        }
        // One line for each shape. All conditions are constant, so that nothing is compiled for the lines of other games.
        macro_rules! shapes {
            ($typed:ident: $($layout:ident $cyclic:literal $superko:literal;)*) => {
                $(if const {
                    R::CYCLIC == $cyclic
                        && R::SUPERKO == $superko
                        && matches!(Size::of::<R>(), Size::$layout)
                } {
                    type Shape<K> = $layout<K, $cyclic, $superko>;
                    return erased(Compiled::<R, K, Shape<R::Key>, SHARED>::new($typed));
                })*
            };
        }
        let typed = Typed::new(self.rules, self.knowledge, self.abilities);
        shapes! { typed:
            Small false false;
            Small false true;
            Small true false;
            Small true true;
            Medium false false;
            Medium false true;
            Medium true false;
            Medium true true;
            Large false false;
            Large false true;
            Large true false;
            Large true true;
        }
        unreachable!("every game has a shape")
    }
}

/// How much room positions and moves take.
enum Size {
    Small,
    Medium,
    Large,
}

impl Size {
    const fn of<R: Rules>() -> Size {
        let short = Bytes::<[u64; 1]>::holds::<R::Move>();
        match short {
            true if Bytes::<<R::Key as Key>::Room>::holds::<R::Position>() => Size::Small,
            true if Bytes::<[u128; 8]>::holds::<R::Position>() => Size::Medium,
            _ => Size::Large,
        }
    }
}

impl<R: Notation, K: Knowledge<R>> From<Opened<R, K>> for Box<dyn AnyGame> {
    fn from(opened: Opened<R, K>) -> Box<dyn AnyGame> {
        opened.erase::<false>()
    }
}

/// What opens a game.
type Open = dyn Fn(Args) -> Result<Box<dyn AnyGame>, ParseError> + Send + Sync;

/// What reads the name of a game from one of its positions.
type NameByPosition = dyn Fn(&str) -> Result<String, ParseError> + Send + Sync;

/// A game of the catalogue: how it is listed, and what opens it.
#[derive(Clone)]
pub struct Row {
    name: String,
    usage: String,
    examples: Vec<String>,
    summary: String,
    help: String,
    open: Arc<Open>,
    name_by_position: Option<Arc<NameByPosition>>,
}

impl Row {
    /// A game that this word opens. The function reads the words after it, and refuses what it does not know; if the
    /// name comes from a file or a client ([`Args::is_foreign`]) it must not read files.
    #[must_use]
    pub fn new<T: Into<Box<dyn AnyGame>>>(
        name: &str,
        open: impl Fn(Args) -> Result<T, ParseError> + Send + Sync + 'static,
    ) -> Row {
        Row {
            name: name.to_ascii_lowercase(),
            usage: name.into(),
            examples: Vec::new(),
            summary: String::new(),
            help: String::new(),
            open: Arc::new(move |args| open(args).map(Into::into)),
            name_by_position: None,
        }
    }

    /// The function reads the whole name of the game from a position: the word alone then opens the game of a position that
    /// is given ([`Catalogue::open_at`]). Without it: the name says all.
    #[must_use]
    pub fn named_by_position(
        self,
        name: impl Fn(&str) -> Result<String, ParseError> + Send + Sync + 'static,
    ) -> Row {
        Row { name_by_position: Some(Arc::new(name)), ..self }
    }

    /// The name and what may follow it: `heap COUNTERS`.
    #[must_use]
    pub fn usage(self, usage: &str) -> Row {
        Row { usage: usage.into(), ..self }
    }

    /// A name that works; there may be several.
    #[must_use]
    pub fn example(mut self, example: &str) -> Row {
        self.examples.push(example.into());
        self
    }

    /// The game in a few words.
    #[must_use]
    pub fn summary(self, summary: &str) -> Row {
        Row { summary: summary.into(), ..self }
    }

    /// What each word that may follow the name means, in sentences.
    #[must_use]
    pub fn help(self, help: &str) -> Row {
        Row { help: help.into(), ..self }
    }

    /// The word that opens it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name and what may follow it.
    #[must_use]
    pub fn usage_text(&self) -> &str {
        &self.usage
    }

    /// Names that work, the usual one first; the bare name if the row has none.
    #[must_use]
    pub fn examples(&self) -> Vec<&str> {
        match self.examples.is_empty() {
            true => vec![&self.name],
            false => self.examples.iter().map(String::as_str).collect(),
        }
    }

    /// The game in a few words.
    #[must_use]
    pub fn summary_text(&self) -> &str {
        &self.summary
    }

    /// What each word that may follow the name means; empty if nothing was said.
    #[must_use]
    pub fn help_text(&self) -> &str {
        &self.help
    }

    /// What must follow the name in the words of its error, such as `ROWSxCOLS of at most 361 cells`: the range of sizes.
    /// `None` for a name that stands alone, or whose error says no more than the usage.
    #[must_use]
    pub fn expects(&self) -> Option<String> {
        let bare = (self.open)(Args::new(&self.name)).err();
        let wrong = || (self.open)(Args::foreign(&format!("{} 0", self.name))).err();
        let expected = bare.or_else(wrong)?.expected;
        (!expected.contains(&self.usage) && self.usage != self.name).then_some(expected)
    }

    /// One of our own games. Those that few people search share their engines, and so do all on wide boards, which are many.
    fn ours(entry: &GameEntry) -> Row {
        struct Erase;

        impl Visitor for Erase {
            type Output = Box<dyn AnyGame>;

            fn visit<R: Notation, K: Knowledge<R>>(self, rules: R, knowledge: K) -> Self::Output {
                Opened::new(rules, knowledge).into()
            }

            fn visit_numbered<R: Sliced, K: Knowledge<R>>(
                self,
                rules: R,
                knowledge: K,
            ) -> Self::Output {
                Opened::new(rules, knowledge).numbered().into()
            }

            fn visit_threats<R: Notation + Threats, K: Knowledge<R>>(
                self,
                rules: R,
                knowledge: K,
            ) -> Self::Output {
                Opened::new(rules, knowledge).threats().into()
            }

            fn visit_rare<R: Notation, K: Knowledge<R>>(
                self,
                rules: R,
                knowledge: K,
            ) -> Self::Output {
                Opened::new(rules, knowledge).with_shared_engines()
            }

            fn visit_rare_numbered<R: Sliced, K: Knowledge<R>>(
                self,
                rules: R,
                knowledge: K,
            ) -> Self::Output {
                Opened::new(rules, knowledge).numbered().with_shared_engines()
            }

            fn visit_wide<R: Notation, K: Knowledge<R>>(
                self,
                rules: R,
                knowledge: K,
            ) -> Self::Output {
                Opened::new(rules, knowledge).with_shared_engines()
            }

            fn visit_wide_threats<R: Notation + Threats, K: Knowledge<R>>(
                self,
                rules: R,
                knowledge: K,
            ) -> Self::Output {
                Opened::new(rules, knowledge).threats().with_shared_engines()
            }

            fn visit_superko<R: Notation + Superko, K: SuperkoKnowledge<R>>(
                self,
                rules: R,
                knowledge: K,
            ) -> Self::Output {
                Opened::new(rules, knowledge).superko().into()
            }
        }

        let row = Row::new(entry.name, |args| zermelo_games::open_args(args, Erase))
            .usage(entry.usage)
            .example(entry.example)
            .summary(entry.summary)
            .help(entry.help);
        match zermelo_games::name_by_position(entry.name) {
            Some(name) => row.named_by_position(name),
            None => row,
        }
    }
}

impl fmt::Debug for Row {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_tuple("Row").field(&self.usage).finish()
    }
}

/// Some games, by name. A copy costs next to nothing.
#[derive(Clone, Debug)]
pub struct Catalogue {
    rows: Arc<[Row]>,
}

/// Bytes that may be taken for each byte of a game's name while it is opened: of a graph that is written out, a move of two letters
/// comes as a word, as a token with its place, and as the number of a node, in lists that grow.
const OPENING: u64 = 64;

/// Characters of the word for a game that is not known.
const SHOWN: usize = 60;

impl Catalogue {
    /// No game at all.
    #[must_use]
    pub fn empty() -> Catalogue {
        Catalogue { rows: Arc::new([]) }
    }

    /// All games that Zermelo comes with.
    #[must_use]
    pub fn standard() -> Catalogue {
        Catalogue { rows: zermelo_games::entries().iter().map(Row::ours).collect() }
    }

    /// The same with one more.
    ///
    /// # Panics
    /// If there is a game of that name, as certificates and stores could not tell them apart; or if the name is no single
    /// word.
    #[must_use]
    pub fn with(self, row: Row) -> Catalogue {
        let name = &row.name;
        assert!(self.row(name).is_none(), "two games are called {name}");
        let word = name.split_whitespace().eq([&**name]) && !name.contains(char::is_control);
        assert!(word, "the name of a game is one word, not {name:?}");
        Catalogue { rows: self.rows.iter().cloned().chain([row]).collect() }
    }

    /// The rows, in the order in which they are listed.
    #[must_use]
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The row that a word opens, whatever the case.
    #[must_use]
    pub fn row(&self, name: &str) -> Option<&Row> {
        self.rows.iter().find(|row| row.name.eq_ignore_ascii_case(name))
    }

    fn open_args(&self, args: Args) -> Result<Box<dyn AnyGame>, ParseError> {
        match self.row(args.name()) {
            Some(row) => (row.open)(args),
            None => {
                let names: Vec<&str> = self.rows.iter().map(Row::name).collect();
                Err(args.error_at(0, format!("a game: {}", names.join(", "))))
            }
        }
    }

    /// Opens the game of a name that somebody has typed, such as `nogo 5x5`. It may be the name of a file.
    pub fn open(&self, name: &str) -> Result<Box<dyn AnyGame>, ParseError> {
        self.open_args(Args::new(name))
    }

    /// The same where a position may be given: if the name is a single word that leaves the game open, the position says which it is,
    /// as in `chess` with a FEN.
    pub fn open_at(
        &self,
        name: &str,
        position: Option<&str>,
    ) -> Result<Box<dyn AnyGame>, ParseError> {
        match self.name_at(name, position)? {
            Some(name) => self.open(&name),
            None => self.open(name),
        }
    }

    /// The whole name of the game that a position belongs to, if the name is a single word and its row reads positions.
    pub fn name_at(
        &self,
        name: &str,
        position: Option<&str>,
    ) -> Result<Option<String>, ParseError> {
        let by_position = self.row(name.trim()).and_then(|row| row.name_by_position.as_ref());
        by_position.zip(position).map(|(name_of, position)| name_of(position)).transpose()
    }

    /// Opens the game of a name that stands in a file or comes from a client. No file is read for it.
    pub fn open_foreign(&self, name: &str) -> Result<Box<dyn AnyGame>, ParseError> {
        self.open_args(Args::foreign(name))
    }

    /// The game that a certificate is about, opened within so many bytes, and what is left of these.
    fn of_certificate(
        &self,
        certificate: &Certificate,
        memory: u64,
    ) -> Result<(Box<dyn AnyGame>, u64), Refusal> {
        let name = &certificate.header.game;
        let needed = OPENING.saturating_mul(name.len() as u64);
        let left = memory.saturating_sub(certificate.held());
        if needed > left {
            return Err(Refusal::needs("the game's name", needed, left));
        }
        let kind = Args::foreign(name).name().to_owned();
        if self.row(&kind).is_none() {
            return Err(Refusal::UnknownGame(kind.chars().take(SHOWN).collect()));
        }
        let game = self.open_foreign(name).map_err(|e| Refusal::Header(e.to_string()))?;
        Ok((game, memory - needed))
    }

    /// Checks a certificate. What it claims is true if this returns `Ok`. The folder is the database at hand, for a
    /// certificate that rests on one.
    pub fn check(
        &self,
        certificate: &Certificate,
        limits: &check::CheckLimits,
        folder: Option<&Folder>,
    ) -> Result<CheckSummary, Refusal> {
        let (game, memory) = self.of_certificate(certificate, limits.memory)?;
        game.check(certificate, &check::CheckLimits { memory, ..*limits }, folder)
    }

    /// Checks a certificate and tells its story.
    pub fn explain(
        &self,
        certificate: &Certificate,
        limits: &check::CheckLimits,
        detail: &Detail,
        folder: Option<&Folder>,
    ) -> Result<Explanation, Refusal> {
        let (game, memory) = self.of_certificate(certificate, limits.memory)?;
        game.explain(certificate, &check::CheckLimits { memory, ..*limits }, detail, folder)
    }

    /// Checks a certificate and opens it to be walked through.
    pub fn walk(
        &self,
        certificate: &Certificate,
        limits: &check::CheckLimits,
    ) -> Result<Box<dyn Walk>, Refusal> {
        let (game, memory) = self.of_certificate(certificate, limits.memory)?;
        game.walk(certificate, &check::CheckLimits { memory, ..*limits })
    }

    /// Opens the game of a folder's database, without it.
    fn of_folder(&self, dir: &Path) -> Result<Box<dyn AnyGame>, DatabaseFailure> {
        let (FolderKind::Reachable(name) | FolderKind::Slices(name)) = folder::kind(dir)?;
        let unknown = |error: ParseError| {
            let error = error.to_string();
            DatabaseFailure::Refused(format!("{}: {}", path(dir), printable_lines(&error)))
        };
        self.open_foreign(&name).map_err(unknown)
    }

    /// Opens the game of a folder's database to look into it. Solvers use it where they can. With several folders of one
    /// game the first that knows a position answers.
    ///
    /// # Panics
    /// If there is no folder.
    pub fn open_folders(
        &self,
        dirs: &[&Path],
        memory: u64,
    ) -> Result<Box<dyn AnyGame>, DatabaseFailure> {
        self.of_folder(dirs[0])?.with_databases(dirs, memory, false)
    }

    /// Verifies the database of a folder by forward moves alone.
    pub fn verify_folder(
        &self,
        dir: &Path,
        config: &verify::VerifyConfig,
    ) -> Result<Verified, DatabaseFailure> {
        self.of_folder(dir)?.verify(dir, config)
    }
}
