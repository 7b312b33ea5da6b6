//! The output of a batch: a line of JSON for each line of the input, in its order, each written at once.
//!
//! **Going on.** A run that was killed leaves complete lines and perhaps a torn last one. Each says which line of the input it
//! answers and what that says, so whoever goes on compares both files line by line, and changes nothing where they
//! do not belong together. What is torn is cut off; so is the first search that was interrupted, with all behind it.

use crate::batch::lines::Lines;
use crate::open::Usage;
use crate::out;
use anyhow::Context;
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use zermelo_game::Stop;
use zermelo_game::outside::{path, printable};

/// Bytes of the longest line of results that is read again.
const LONGEST: u64 = 16 << 20;

/// How a line of the input was answered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// All that was asked for is known.
    Solved,
    /// A limit came first.
    Open,
    /// A signal came first.
    Interrupted,
    /// It could not be read, or the solver failed.
    Bad,
}

/// How many lines were answered, and how.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Tally {
    /// See [`Outcome::Solved`].
    pub solved: u64,
    /// See [`Outcome::Open`].
    pub open: u64,
    /// See [`Outcome::Interrupted`].
    pub interrupted: u64,
    /// See [`Outcome::Bad`].
    pub bad: u64,
}

impl Tally {
    /// One more.
    pub fn add(&mut self, outcome: Outcome) {
        *match outcome {
            Outcome::Solved => &mut self.solved,
            Outcome::Open => &mut self.open,
            Outcome::Interrupted => &mut self.interrupted,
            Outcome::Bad => &mut self.bad,
        } += 1;
    }

    /// All together.
    pub fn all(&self) -> u64 {
        self.solved + self.open + self.interrupted + self.bad
    }
}

/// Where results go.
pub enum Results {
    /// To whoever reads standard output.
    Stdout,
    /// Into a file.
    File(File, PathBuf),
}

impl Results {
    /// A file of its own, which does not exist or is empty.
    pub fn create(file: &Path) -> anyhow::Result<Results> {
        let (opened, regular) = open(file)?;
        if regular && opened.metadata()?.len() > 0 {
            let file = path(file);
            let words =
                format!("{file} is there already: name another file, or go on with it by --resume");
            return Err(Usage(words).into());
        }
        Ok(Results::File(opened, file.to_owned()))
    }

    /// A file that may hold results of the same batch: their lines of the input are read, and they are counted.
    pub fn resume(file: &Path, same: &Same, lines: &mut Lines) -> anyhow::Result<(Results, Tally)> {
        let (mut opened, regular) = open(file)?;
        if !regular {
            return Err(Usage(format!("{} is no file to go on with", path(file))).into());
        }
        let (end, tally) = same
            .kept(BufReader::new(&opened), lines)
            .with_context(|| format!("cannot go on with {}", path(file)))?;
        let cut = opened.set_len(end).and_then(|()| opened.seek(SeekFrom::Start(end)));
        cut.with_context(|| format!("cannot write {}", path(file)))?;
        Ok((Results::File(opened, file.to_owned()), tally))
    }

    /// Writes lines, at once.
    pub fn write(&mut self, lines: &str) -> anyhow::Result<()> {
        match self {
            Results::Stdout => out::document(lines),
            Results::File(file, name) => file
                .write_all(lines.as_bytes())
                .with_context(|| format!("cannot write {}", path(name))),
        }
    }

    /// Waits until all is on the disk.
    pub fn close(self) -> anyhow::Result<()> {
        match self {
            Results::File(file, name) if file.metadata()?.is_file() => {
                file.sync_all().with_context(|| format!("cannot write {}", path(&name)))
            }
            _ => Ok(()),
        }
    }
}

/// Opens a file to write to, for this process alone, and says whether it is a regular one.
fn open(file: &Path) -> anyhow::Result<(File, bool)> {
    let cannot = || format!("cannot write {}", path(file));
    let special = file.metadata().is_ok_and(|there| !there.is_file());
    let mut options = OpenOptions::new();
    let opened = match special {
        true => options.write(true).open(file),
        false => options.read(true).write(true).create(true).truncate(false).open(file),
    };
    let opened = opened.with_context(cannot)?;
    if !special {
        match opened.try_lock() {
            Err(TryLockError::WouldBlock) => {
                anyhow::bail!("{}: another batch is writing to it", cannot());
            }
            // A file system without locks.
            Ok(()) | Err(TryLockError::Error(_)) => {}
        }
    }
    Ok((opened, !special))
}

/// What results have in common that belong together.
pub struct Same {
    /// The game.
    pub game: String,
    /// Whether all moves are solved.
    pub values: bool,
    /// Whether distances are told.
    pub distance: bool,
}

/// What is looked at in a line of results.
#[derive(Deserialize)]
struct Kept {
    input_line: u64,
    input: Option<String>,
    error: Option<IgnoredAny>,
    game: Option<String>,
    values: Option<IgnoredAny>,
    /// It may be null.
    #[serde(default, deserialize_with = "is_there")]
    distance: bool,
    stop: Option<String>,
}

/// A field that is there, whatever it holds.
fn is_there<'de, D: Deserializer<'de>>(field: D) -> Result<bool, D::Error> {
    IgnoredAny::deserialize(field).map(|_| true)
}

impl Same {
    /// The bytes of the results that stay, and their count. Fails if they are not about these lines.
    fn kept(&self, mut results: impl BufRead, lines: &mut Lines) -> anyhow::Result<(u64, Tally)> {
        let (mut end, mut tally) = (0, Tally::default());
        loop {
            let (mut bytes, number) = (Vec::new(), tally.all() + 1);
            (&mut results).take(LONGEST).read_until(b'\n', &mut bytes)?;
            if bytes.last() != Some(&b'\n') {
                if bytes.len() as u64 == LONGEST {
                    anyhow::bail!("line {number} is longer than {LONGEST} bytes");
                }
                return Ok((end, tally));
            }
            let kept: Kept = serde_json::from_slice(&bytes).map_err(|error| {
                anyhow::anyhow!("line {number} is no result of a batch: {error}")
            })?;
            let outcome = match (&kept.error, kept.stop.as_deref()) {
                (Some(_), _) => Outcome::Bad,
                (None, Some(stop)) if stop == Stop::Interrupted.word() => return Ok((end, tally)),
                (None, Some(stop)) if stop == Stop::Solved.word() => Outcome::Solved,
                (None, Some(_)) => Outcome::Open,
                (None, None) => anyhow::bail!("line {number} is no result of a batch"),
            };
            if let Some(game) = kept.game.filter(|game| *game != self.game) {
                anyhow::bail!("line {number} is about {game}, not about {}", self.game);
            }
            if outcome != Outcome::Bad && kept.values.is_some() != self.values {
                let made = if self.values { "without" } else { "with" };
                anyhow::bail!("line {number} was made {made} --values");
            }
            if outcome != Outcome::Bad && kept.distance != self.distance {
                let made = if self.distance { "without" } else { "with" };
                anyhow::bail!("line {number} was made {made} --distance");
            }
            let Some(line) = lines.next()? else {
                anyhow::bail!("line {number} answers a line that the input does not have");
            };
            if (kept.input_line, kept.input.as_deref()) != (line.number, line.input()) {
                let there = kept.input.unwrap_or_default();
                let (there, here) =
                    (printable(&there), printable(line.input().unwrap_or_default()));
                anyhow::bail!(
                    "it belongs to another input: its line {number} answers line {} ({there}), where line {} says: {here}",
                    kept.input_line,
                    line.number
                );
            }
            end += bytes.len() as u64;
            tally.add(outcome);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOLVED: &str = r#"{"input_line":1,"input":"a","game":"g","stop":"solved"}"#;
    const BAD: &str = r#"{"input_line":3,"input":"?","error":{"message":"bad"}}"#;
    const OPEN: &str = r#"{"input_line":4,"input":"b","game":"g","stop":"out of time"}"#;
    const CUT: &str = r#"{"input_line":4,"input":"b","game":"g","stop":"interrupted"}"#;

    fn kept(results: &str) -> Result<(usize, Tally), String> {
        let mut lines = Lines::of(&b"a\n\n?\nb\n"[..]);
        let same = Same { game: "g".into(), values: false, distance: false };
        let kept = same.kept(results.as_bytes(), &mut lines);
        kept.map(|(end, tally)| (end as usize, tally)).map_err(|error| error.to_string())
    }

    #[test]
    fn complete_lines_stay() {
        let whole = format!("{SOLVED}\n{BAD}\n{OPEN}\n");
        let all = Tally { solved: 1, bad: 1, open: 1, interrupted: 0 };
        assert_eq!(kept(&whole), Ok((whole.len(), all)));
        // Torn anywhere, what is complete stays.
        for end in 0..whole.len() {
            let complete = whole[..end].rfind('\n').map_or(0, |at| at + 1);
            let (kept, tally) = kept(&whole[..end]).unwrap();
            assert_eq!(
                (kept, tally.all()),
                (complete, whole[..end].lines().count() as u64 - u64::from(complete < end))
            );
        }
        let (end, tally) = kept(&format!("{SOLVED}\n{BAD}\n{CUT}\n{OPEN}\n")).unwrap();
        assert_eq!(
            (end, tally.all()),
            (SOLVED.len() + BAD.len() + 2, 2),
            "from the interrupted on"
        );
    }

    #[test]
    fn results_of_something_else_are_refused() {
        for (results, why) in [
            (format!("{BAD}\n"), "it belongs to another input: its line 1 answers line 3"),
            (SOLVED.replace("\"a\"", "\"b\"") + "\n", "another input"),
            (SOLVED.replace("\"g\"", "\"h\"") + "\n", "line 1 is about h, not about g"),
            (SOLVED.replace('}', ",\"values\":[]}") + "\n", "line 1 was made with --values"),
            (format!("{SOLVED}\n{{}}\n"), "line 2 is no result of a batch: missing field"),
            ("{\"input_line\":1}\n".into(), "line 1 is no result"),
            ("a1 b1\n".into(), "line 1 is no result of a batch"),
            (format!("{SOLVED}\n{BAD}\n{OPEN}\n{OPEN}\n"), "line 4 answers a line that"),
        ] {
            let error = kept(&results).unwrap_err();
            assert!(error.contains(why), "{error}");
        }
    }
}
