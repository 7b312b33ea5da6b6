//! `zermelo games`: which games there are, and all there is to know of one before it is solved.

use crate::cli::GamesArgs;
use crate::{End, open, out};
use serde::Serialize;
use zermelo_erased::{AnyGame, Catalogue, EngineId, Features, Row};
use zermelo_game::{Bounds, Value, counted};
use zermelo_lab::results::{self, KnownResult};
use zermelo_lab::tables::seconds;

/// So many moves of a position are shown.
const MOVES: usize = 12;
/// So many of the boards that are known are shown.
const KNOWN: usize = 8;
/// Room for the words on the left.
const WIDTH: usize = 13;

/// Lists the games, or tells what there is to know of one.
pub fn run(catalogue: &Catalogue, args: &GamesArgs) -> anyhow::Result<End> {
    if let Some(name) = args.game.first() {
        let Some(row) = catalogue.row(name) else {
            // It says so, and which games there are.
            open::game(catalogue, &args.game)?;
            return Ok(End::Done);
        };
        let words = args.game.join(" ");
        let opened = if args.game.len() > 1 { &*words } else { row.examples()[0] };
        let game = open::game(catalogue, &[opened.to_owned()])?;
        let page = GameJson::new(row, &*game)?;
        match args.json {
            true => out::print_json(&page)?,
            false => out::print(&page.text())?,
        }
        return Ok(End::Done);
    }
    let rows = catalogue.rows();
    if args.json {
        out::print_json(&rows.iter().map(EntryJson::new).collect::<Vec<_>>())?;
        return Ok(End::Done);
    }
    let mut text = String::new();
    let width = rows.iter().map(|row| row.name().len()).max().unwrap_or(0) + 1;
    for row in rows {
        let usage = Some(row.usage_text()).filter(|usage| *usage != row.name());
        let lines: Vec<&str> = [row.summary_text()].into_iter().chain(usage).collect();
        text += &out::wide_field(row.name(), width, &lines.join("\n"));
    }
    if let [first, ..] = rows {
        let second = &rows[rows.len() / 3];
        text += &format!(
            "\nSizes are ROWSxCOLS. All about one: zermelo games {}\n\
             Try: zermelo show {}\n or: zermelo solve {}\n",
            second.name(),
            quoted(first.examples()[0]),
            quoted(second.examples()[0])
        );
    }
    out::print(&text)?;
    Ok(End::Done)
}

/// A name as it has to be typed in a shell.
fn quoted(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || " ._-,:/=+".contains(c);
    if name.chars().all(is_plain) { name.to_owned() } else { format!("\"{name}\"") }
}

#[derive(Serialize)]
struct EntryJson<'r> {
    name: &'r str,
    usage: &'r str,
    example: &'r str,
    summary: &'r str,
}

impl<'r> EntryJson<'r> {
    fn new(row: &'r Row) -> EntryJson<'r> {
        let (name, usage, summary) = (row.name(), row.usage_text(), row.summary_text());
        EntryJson { name, usage, example: row.examples()[0], summary }
    }
}

/// All about a game, most of it found out by asking the one of the example.
#[derive(Serialize)]
struct GameJson<'r> {
    #[serde(flatten)]
    entry: EntryJson<'r>,
    /// What the words behind the name mean.
    parameters: &'r str,
    /// What must follow, with its limits.
    sizes: Option<String>,
    /// The board that what follows is about.
    game: String,
    rules: String,
    position: String,
    moves: Vec<String>,
    /// The first of the moves, and the position after it.
    after: Option<(String, String)>,
    lo: Value,
    hi: Value,
    repetition: &'static str,
    /// What a repetition is worth, if that is always the same.
    repetition_value: Option<Value>,
    threats: bool,
    certificates: bool,
    databases: &'static str,
    /// Whether engines ask databases.
    databases_for_engines: bool,
    engines: Vec<&'static str>,
    not_by: Vec<&'static str>,
    known: Vec<KnownResult>,
}

impl<'r> GameJson<'r> {
    fn new(row: &'r Row, game: &dyn AnyGame) -> anyhow::Result<GameJson<'r>> {
        let mut session = game.session();
        let (position, moves) = (session.position(), session.moves());
        let after = match moves.first() {
            Some(mv) => Some((session.play(mv)?, session.position())),
            None => None,
        };
        let Features { superko, path_dependent, cyclic, threats } = game.features();
        let repetition = match (superko, path_dependent, cyclic) {
            (true, ..) => "forbidden",
            (_, true, _) => "depends on the line",
            (_, _, true) => "fixed value",
            _ => "none",
        };
        let databases = match (game.is_built_by_slices(), game.has_own_values()) {
            (true, _) => "slices",
            (false, true) => "reachable",
            (false, false) => "none",
        };
        let accepts = |id: &&EngineId| game.accepts(&(**id).into()).is_ok();
        let (engines, not_by): (Vec<&EngineId>, Vec<_>) = EngineId::ALL.iter().partition(accepts);
        let words = |ids: Vec<&EngineId>| ids.iter().map(|id| id.word()).collect();
        let Bounds { lo, hi } = game.values();
        Ok(GameJson {
            entry: EntryJson::new(row),
            parameters: row.help_text(),
            sizes: row.expects(),
            game: game.name(),
            rules: game.rules(),
            position,
            moves,
            after,
            lo,
            hi,
            repetition,
            repetition_value: game.cycle_value().filter(|_| cyclic),
            threats,
            // Both players' strategies would need the moves before.
            certificates: !path_dependent,
            databases,
            databases_for_engines: databases != "none" && game.has_own_values(),
            engines: words(engines),
            not_by: words(not_by),
            known: if is_ours(row) { results::known(row.name())? } else { Vec::new() },
        })
    }

    fn text(&self) -> String {
        let EntryJson { name, usage, example, summary } = &self.entry;
        let field = |word: &str, text: &str| out::wide_field(word, WIDTH, text);
        let mut text = out::paragraph(&format!("{}: {summary}", out::bold(name))) + "\n";
        text += &field("usage", usage);
        if !self.parameters.is_empty() {
            text += &field("parameters", self.parameters);
        }
        if let Some(sizes) = &self.sizes {
            text += &field("sizes", sizes);
        }
        // A command is typed as it stands: it is not broken.
        let label = format!("{:<WIDTH$}", "example");
        text += &format!("{} zermelo solve {}\n", out::dim(label), quoted(example));
        text += &format!("\n{}\n\n{}\n", out::bold(&self.game), out::paragraph(&self.rules));
        text += &field("position", &format!("{}  (the start)", self.position));
        let shown = self.moves.len().min(MOVES);
        let more = if shown < self.moves.len() { " ..." } else { "" };
        let moves = format!("{}{more} ({})", self.moves[..shown].join(" "), self.moves.len());
        text += &field("moves", &moves);
        if let Some((mv, position)) = &self.after {
            text += &field("", &format!("{position}  (after {mv})"));
        }
        text += "\n";
        text += &field("values", &self.values());
        text += &field("repetition", &self.repetition());
        text += &field(
            "threats",
            if self.threats { "yes: it can be searched by threats (lambda)" } else { "no" },
        );
        text += &field(
            "certificates",
            match self.certificates {
                true => "yes (zermelo solve --proof, zermelo check)",
                false => "none: values depend on the line of play",
            },
        );
        text += &field("databases", &self.databases());
        text += &field("engines", &self.engines.join(", "));
        if !self.not_by.is_empty() {
            text += &field(
                "",
                &format!("not {} (zermelo engines tells what they need)", self.not_by.join(", ")),
            );
        }
        text + &self.known()
    }

    fn values(&self) -> String {
        match (self.lo, self.hi) {
            (-1, 1) => "1 if the first player wins, -1 if the second does, 0 for a draw".into(),
            (lo, hi) => format!("scores from {lo} to {hi}, positive where the first player wins"),
        }
    }

    fn repetition(&self) -> String {
        match (self.repetition, self.repetition_value) {
            ("none", _) => "positions cannot repeat".into(),
            ("forbidden", _) => "no board may be repeated (superko)".into(),
            (_, Some(0)) => "a repeated position is a draw".into(),
            (_, Some(value)) => format!("a repeated position is worth {value}"),
            _ => "the value of a repetition depends on the line of play".into(),
        }
    }

    fn databases(&self) -> String {
        let what = match self.databases {
            "slices" => "of endings, for up to so many pieces (zermelo build --pieces)",
            "reachable" => "of all positions that can be reached (zermelo build)",
            _ => return "none: positions have no values of their own".into(),
        };
        let asked = if self.databases_for_engines { "" } else { "; engines cannot ask them" };
        format!("{what}{asked}")
    }

    /// The boards that took most, in the order of the list.
    fn known(&self) -> String {
        let field = |word: &str, text: &str| out::wide_field(word, WIDTH, text);
        if self.known.is_empty() {
            return String::new();
        }
        let mut costs: Vec<u64> = self.known.iter().map(|known| known.nodes).collect();
        costs.sort_unstable_by(|a, b| b.cmp(a));
        let least = costs.get(KNOWN - 1).copied().unwrap_or(0);
        let hardest = if costs.len() > KNOWN { "; those that took most" } else { "" };
        let count = counted(self.known.len() as u64, "result");
        let mut text = field("known", &format!("{count} (RESULTS.md){hardest}:"));
        for known in self.known.iter().filter(|known| known.nodes >= least) {
            let KnownResult { game, position, value, database, nodes, published, .. } = known;
            let position = position.iter().map(|text| format!(" {text}"));
            let rests = database.iter().map(|db| format!(" with a database of {db}"));
            let published = if published.is_some() { ", as published" } else { "" };
            text += &field(
                "",
                &format!(
                    "{game}{}: {value}{published}; {} in {} s{}",
                    String::from_iter(position),
                    counted(*nodes, "node"),
                    seconds(known.seconds),
                    String::from_iter(rests),
                ),
            );
        }
        text
    }
}

/// Whether it is a game of ours: one of other people may have the same name, and other values.
fn is_ours(row: &Row) -> bool {
    let ours = Catalogue::standard();
    let same = |our: &Row| {
        (our.usage_text(), our.summary_text()) == (row.usage_text(), row.summary_text())
    };
    ours.row(row.name()).is_some_and(same)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_quoted_where_a_shell_would_read_them() {
        assert_eq!(quoted("go 3x3 komi 7.5"), "go 3x3 komi 7.5");
        assert_eq!(quoted("graph a first: b; b second = 1"), "\"graph a first: b; b second = 1\"");
    }

    #[test]
    fn results_are_shown_of_our_games_only() {
        let row = |name: &str| Row::new(name, |args| Catalogue::standard().open(args.text()));
        let ours = Catalogue::standard();
        assert!(is_ours(ours.row("nogo").unwrap()));
        assert!(!is_ours(
            &row("nogo").usage("nogo ROWSxCOLS").summary("another game of that name")
        ));
        assert!(!is_ours(&row("heap")));
    }
}
