//! What `zermelo check` says of a file, as text and as JSON: the claims, what was found, and how long play can go on.
//!
//! The longest play along a strategy is a number that the check of a claim with length finds out, and that of a plain one
//! does not: it keeps no heights. There it is worked out from the explanation of the certificate, so that `check` and
//! `explain` say the same of the same file.

use crate::units::{bytes, grouped, rounded, time};
use crate::{End, out, settings};
use serde::Serialize;
use std::path::Path;
use std::time::Duration;
use zermelo_certificate::check::CheckSummary;
use zermelo_certificate::explain::Explanation;
use zermelo_certificate::format::{Base, ClaimProof};
use zermelo_certificate::{Certificate, Refusal};
use zermelo_game::counted;
use zermelo_game::outside::{printable, printable_lines};

/// How a check ends that has failed.
pub(crate) fn end_of(refusal: &Refusal) -> End {
    match refusal {
        Refusal::UnknownGame(_) => End::CannotCheck,
        open if open.is_open() => End::Unsolved,
        _ => End::Refused,
    }
}

/// The word for a check that has failed.
pub(crate) fn verdict_of(refusal: &Refusal) -> &'static str {
    match end_of(refusal) {
        End::CannotCheck => "cannot check",
        End::Unsolved => "not checked",
        _ => "refused",
    }
}

/// The longest play along a strategy.
pub(crate) enum LongestPlay {
    /// It has so many plies.
    Plies(u32),
    /// Play can repeat positions for ever.
    Endless,
    /// Nobody has asked, or it cannot be said: why.
    Unknown(String),
}

impl LongestPlay {
    fn words(&self) -> String {
        match self {
            LongestPlay::Plies(1) => "1 ply".into(),
            LongestPlay::Plies(plies) => format!("{plies} plies"),
            LongestPlay::Endless => "without end: positions can repeat".into(),
            LongestPlay::Unknown(why) => format!("not known: {why}"),
        }
    }

    fn plies(&self) -> Option<u32> {
        match self {
            LongestPlay::Plies(plies) => Some(*plies),
            _ => None,
        }
    }
}

/// Positions that a walk looks at, up to which the longest play is worked out unasked; with searches of the checker, which are
/// made again for each position below them.
const SMALL: u64 = 1_000_000;
const SMALL_WITH_SEARCHES: u64 = 50_000;

/// The longest play of each claim: what the check has found out, else what the explanation of the certificate says.
pub(crate) fn longest_plays(
    certificate: &Certificate,
    checked: &CheckSummary,
    asked: bool,
    explain: impl FnOnce() -> Result<Explanation, Refusal>,
) -> Vec<LongestPlay> {
    let claims = certificate.header.claims.len();
    let found = &checked.longest[..claims];
    if found.iter().all(Option::is_some) {
        return found.iter().flatten().map(|&plies| LongestPlay::Plies(plies)).collect();
    }
    let small = if checked.searched > 0 { SMALL_WITH_SEARCHES } else { SMALL };
    let told = match asked || checked.looked_at <= small {
        true => explain().map_err(|why| why.to_string()),
        false => Err("ask with --longest".into()),
    };
    let of = |part: usize| match (&told, found[part]) {
        (_, Some(plies)) => LongestPlay::Plies(plies),
        (Ok(told), None) => {
            told.claims[part].longest_play().map_or(LongestPlay::Endless, LongestPlay::Plies)
        }
        (Err(why), None) => LongestPlay::Unknown(why.clone()),
    };
    (0..claims).map(of).collect()
}

/// What a claim with length says: `The first player wins within 41 plies`. None of others.
pub(crate) fn length_in_words(proof: &ClaimProof) -> Option<String> {
    let ClaimProof { claimant, value, .. } = proof;
    let plies = match proof.within? {
        1 => "1 ply".into(),
        plies => format!("{plies} plies"),
    };
    let outcome = match value * claimant.sign() {
        1.. => "wins".into(),
        0 => "does not lose".into(),
        _ => format!("keeps {}", proof.claim().words()),
    };
    Some(format!("The {claimant} player {outcome} within {plies}"))
}

/// Characters in a line of text from outside: no terminal breaks it.
const WIDTH: usize = 66;
/// So many of its lines are shown.
const MOST_LINES: usize = 10;

/// A line of a table with text that a file has brought along. It is cut when it is long, and every line of it but the first
/// bears a mark, so that it cannot pass for a line of ours.
fn said(word: &str, text: &str) -> String {
    format!("{} {}\n", console::style(format!("{word:<10}")).dim(), marked(text, 11))
}

/// Text from outside in short lines, of which all but the first begin with a mark.
pub(crate) fn marked(text: &str, indent: usize) -> String {
    let text = printable_lines(text);
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        let mut rest: Vec<char> = line.chars().collect();
        while rest.len() > WIDTH {
            let blank = rest[..=WIDTH].iter().rposition(|&c| c == ' ').filter(|&at| at > 0);
            let after = rest.split_off(blank.map_or(WIDTH, |at| at + 1));
            lines.push(String::from_iter(rest).trim_end().to_owned());
            rest = after;
        }
        lines.push(rest.into_iter().collect());
    }
    if lines.len() > MOST_LINES {
        lines.truncate(MOST_LINES);
        lines.push("...".into());
    }
    lines.join(&format!("\n{:indent$}| ", ""))
}

/// What is to be said of a file.
pub(crate) struct CheckReport<'v> {
    pub(crate) file: &'v Path,
    pub(crate) bytes: u64,
    pub(crate) certificate: Option<&'v Certificate>,
    pub(crate) found: &'v Result<CheckSummary, Refusal>,
    /// Of each claim that is proved.
    pub(crate) longest: Vec<LongestPlay>,
    pub(crate) elapsed: Duration,
    pub(crate) cpu: Duration,
}

impl CheckReport<'_> {
    fn claims(&self) -> Vec<String> {
        let claims = self.certificate.iter().flat_map(|c| &c.header.claims);
        claims.map(ClaimProof::words).collect()
    }

    /// The verdict alone.
    fn answer(&self) -> String {
        let file = zermelo_game::outside::path(self.file);
        let verdict = match self.found {
            Ok(_) => self.proved(),
            Err(refusal) => verdict_of(refusal),
        };
        format!("{file}: {verdict}\n")
    }

    fn proved(&self) -> &'static str {
        let rests = self.certificate.is_some_and(|c| c.header.database.is_some());
        if rests { "proved, if the database is right" } else { "proved" }
    }

    pub(crate) fn text(&self) -> String {
        if settings::is_quiet() {
            return self.answer();
        }
        let mut text = format!("{}\n", out::bold(zermelo_game::outside::path(self.file)));
        if let Some(certificate) = self.certificate {
            let header = &certificate.header;
            text += &said("game", &printable(&header.game));
            text += &said("position", &printable(&header.position));
            text += &out::field("claim", &self.claims().join(" and "));
            for words in header.claims.iter().filter_map(length_in_words) {
                text += &out::field("length", &words);
            }
            let made = &header.made;
            let nodes = counted(made.nodes, "node");
            let (by, solver) = (printable(&made.by), printable(&made.solver));
            text += &said("made by", &format!("{by}, {solver}, {nodes}"));
        }
        let checked = match self.found {
            Ok(checked) => checked,
            Err(open) if open.is_open() => {
                return text + &said("verdict", &format!("{}: {open}", verdict_of(open)));
            }
            Err(refusal) => return text + &said("verdict", &format!("REFUSED: {refusal}")),
        };
        let CheckSummary { positions, searched, looked_at, ends, entries, depth, passes, .. } =
            *checked;
        let each = self.bytes as f64 / positions.max(1) as f64;
        text += &out::field("file", &format!("{}, {each:.2} bytes a position", bytes(self.bytes)));
        let size = format!(
            "{} of the claimant, {} of them searched, {} in all, {}, walked {} deep",
            counted(positions, "position"),
            grouped(searched),
            grouped(looked_at),
            counted(ends, "end"),
            counted(depth.into(), "ply")
        );
        text += &out::field("proof", &size);
        let longest: Vec<String> = self.longest.iter().map(LongestPlay::words).collect();
        text += &out::field("longest", &longest.join(" and "));
        if let Some(base) = self.certificate.and_then(|c| c.header.database.as_ref()) {
            let entries = grouped(entries);
            let name = printable(&base.name);
            text += &said("rests on", &format!("{entries} times an entry of {name}"));
            text += &said("", &printable(&base.digest));
        }
        let speed = rounded(
            looked_at as f64 * f64::from(passes.max(1)) / self.elapsed.as_secs_f64().max(1e-6),
        );
        let took = format!("{}, CPU {}, {speed} positions/s", time(self.elapsed), time(self.cpu));
        text += &out::field("time", &took);
        text + &out::field("verdict", self.proved())
    }

    pub(crate) fn json(&self) -> CheckJson<'_> {
        let header = self.certificate.map(|c| &c.header);
        let checked = self.found.as_ref().ok();
        CheckJson {
            file: self.file.display().to_string(),
            game: header.map(|h| h.game.as_str()),
            position: header.map(|h| h.position.as_str()),
            claims: self.claims(),
            verdict: self.found.as_ref().map_or_else(verdict_of, |_| "proved"),
            proved: checked.is_some(),
            refusal: self.found.as_ref().err().map(ToString::to_string),
            bytes: self.bytes,
            positions: checked.map(|c| c.positions),
            searched: checked.map(|c| c.searched),
            looked_at: checked.map(|c| c.looked_at),
            ends: checked.map(|c| c.ends),
            entries: checked.map(|c| c.entries),
            database: header.and_then(|h| h.database.as_ref()),
            depth: checked.map(|c| c.depth),
            within: header.map_or_else(Vec::new, |h| h.claims.iter().map(|c| c.within).collect()),
            longest_play: self.longest.iter().map(LongestPlay::plies).collect(),
            seconds: self.elapsed.as_secs_f64(),
            cpu_seconds: self.cpu.as_secs_f64(),
        }
    }
}

#[derive(Serialize)]
pub(crate) struct CheckJson<'a> {
    file: String,
    game: Option<&'a str>,
    position: Option<&'a str>,
    claims: Vec<String>,
    verdict: &'static str,
    proved: bool,
    refusal: Option<String>,
    bytes: u64,
    positions: Option<u64>,
    searched: Option<u64>,
    looked_at: Option<u64>,
    ends: Option<u64>,
    entries: Option<u64>,
    database: Option<&'a Base>,
    depth: Option<u32>,
    within: Vec<Option<u32>>,
    longest_play: Vec<Option<u32>>,
    seconds: f64,
    cpu_seconds: f64,
}
