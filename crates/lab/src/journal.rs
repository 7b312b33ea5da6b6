//! Records on disk: one JSON object a line, each written and synced when its run ends.
//!
//! A run that was killed leaves at most one line that is cut off; it is dropped when the journal is
//! opened again. Any other damage is an error that names the line: figures are not guessed.

use crate::run::RunRecord;
use anyhow::{Context, bail};
use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use zermelo_game::file::read_from;
use zermelo_game::outside;

/// The most bytes of a journal that are read: some 500,000 runs.
const LARGEST: u64 = 256 << 20;

/// An open journal.
#[derive(Debug)]
pub struct Journal {
    file: File,
    path: PathBuf,
    records: Vec<RunRecord>,
}

impl Journal {
    /// Opens a journal, or starts one.
    pub fn open(path: &Path) -> anyhow::Result<Journal> {
        let cannot = || format!("cannot open {}", outside::path(path));
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).with_context(cannot)?;
        }
        let mut options = OpenOptions::new();
        let mut file = options
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .with_context(cannot)?;
        let bytes = read_from(&file, LARGEST).with_context(cannot)?;
        let whole = bytes.iter().rposition(|&b| b == b'\n').map_or(0, |end| end + 1);
        let mut records = Vec::new();
        for (i, line) in bytes[..whole].split(|&b| b == b'\n').enumerate() {
            if line.is_empty() {
                continue;
            }
            match serde_json::from_slice(line) {
                Ok(record) => records.push(record),
                Err(error) => bail!(
                    "{}: line {} is damaged ({error}); mend or remove it, or name another folder",
                    outside::path(path),
                    i + 1
                ),
            }
        }
        file.set_len(whole as u64).with_context(cannot)?;
        file.seek(SeekFrom::End(0)).with_context(cannot)?;
        Ok(Journal { file, path: path.to_owned(), records })
    }

    /// All records, oldest first.
    #[must_use]
    pub fn records(&self) -> &[RunRecord] {
        &self.records
    }

    /// The newest record of a game by a method that makes another run superfluous: it was solved by
    /// this version of the program, or tried with at least this time limit.
    #[must_use]
    pub fn settled(&self, game: &str, method: &str, limit: Option<f64>) -> Option<&RunRecord> {
        let long_enough = |r: &RunRecord| match (r.limit_seconds, limit) {
            (None, _) => true,
            (Some(had), Some(wanted)) => had >= wanted,
            (Some(_), None) => false,
        };
        self.records.iter().rev().find(|r| {
            r.game == game
                && r.method == method
                && r.version == env!("CARGO_PKG_VERSION")
                && (r.solved || r.stop == "out of time" && long_enough(r))
        })
    }

    /// Adds a record; when this returns it is on the disk.
    pub fn add(&mut self, record: RunRecord) -> anyhow::Result<()> {
        let mut line = serde_json::to_vec(&record)?;
        line.push(b'\n');
        let written = self.file.write_all(&line).and_then(|()| self.file.sync_data());
        written.with_context(|| format!("cannot write {}", outside::path(&self.path)))?;
        self.records.push(record);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::example;

    #[test]
    fn a_journal_is_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/er/runs.jsonl");
        let record = example("nogo 3x3", "alphabeta", 1, 0.25);
        Journal::open(&path).unwrap().add(record.clone()).unwrap();
        let journal = Journal::open(&path).unwrap();
        assert_eq!(journal.records(), [record]);
        assert!(journal.settled("nogo 3x3", "alphabeta", None).is_some());
        assert!(journal.settled("nogo 3x3", "ab-tt", None).is_none());
    }

    #[test]
    fn a_line_that_was_cut_off_is_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runs.jsonl");
        let mut journal = Journal::open(&path).unwrap();
        journal.add(example("nogo 3x3", "alphabeta", 1, 0.25)).unwrap();
        journal.add(example("nogo 4x3", "alphabeta", -1, 0.5)).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() - 9]).unwrap();
        let mut journal = Journal::open(&path).unwrap();
        assert_eq!(journal.records().len(), 1);
        journal.add(example("nogo 5x3", "alphabeta", -1, 0.5)).unwrap();
        assert_eq!(Journal::open(&path).unwrap().records().len(), 2);
    }

    #[test]
    fn other_damage_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runs.jsonl");
        Journal::open(&path).unwrap().add(example("nogo 3x3", "alphabeta", 1, 0.25)).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, format!("{text}{{\"game\":3}}\n{text}")).unwrap();
        let error = Journal::open(&path).unwrap_err().to_string();
        assert!(error.contains("line 2 is damaged"), "{error}");
    }

    #[test]
    fn a_longer_limit_runs_again() {
        let folder = tempfile::tempdir().unwrap();
        let mut journal = Journal::open(&folder.path().join("runs.jsonl")).unwrap();
        let stopped = RunRecord {
            solved: false,
            stop: "out of time".into(),
            limit_seconds: Some(10.0),
            ..example("nogo 6x6", "alphabeta", 0, 10.0)
        };
        journal.add(stopped).unwrap();
        let settled = |limit| journal.settled("nogo 6x6", "alphabeta", limit).is_some();
        assert!(settled(Some(10.0)) && settled(Some(1.0)));
        assert!(!settled(Some(11.0)) && !settled(None));
    }
}
