//! Files: reading within a stated limit, and writing so that nobody ever finds half a file.
//!
//! Whatever comes from outside may be endless (`/dev/zero`, a pipe, a prover that never ends its line), so every reader
//! says how much it is willing to hold. And whatever is written under a name is complete under that name, also
//! after a power failure or on a full disk; what could not be completed is removed again.

use std::fs::{self, File};
use std::io::{self, BufRead, Read, Write};
use std::path::Path;

/// The extension of files that are being written.
pub const PART: &str = "part";

fn too_large(most: u64) -> io::Error {
    io::Error::new(
        io::ErrorKind::FileTooLarge,
        format!("it is larger than {most} bytes, the most that is read here"),
    )
}

/// Reads a whole file of at most `most` bytes.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    read_from(File::open(path)?, most)
}

/// Reads a whole file of text in UTF-8 of at most `most` bytes.
pub fn read_text(path: &Path, most: u64) -> io::Result<String> {
    String::from_utf8(read(path, most)?)
        .map_err(|e| io::Error::new(io::ErrorKind::InvalidData, e.utf8_error()))
}

/// Reads to the end, `most` bytes at most.
pub fn read_from(source: impl Read, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > most {
        true => Err(too_large(most)),
        false => Ok(bytes),
    }
}

/// Reads a line without its line feed; `None` at the end. A line of more than `most` bytes is an error, and no more than
/// that is held.
pub fn read_line(source: &mut impl BufRead, most: usize) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    source.take(most as u64 + 1).read_until(b'\n', &mut line)?;
    if line.is_empty() {
        return Ok(None);
    }
    if line.last() == Some(&b'\n') {
        line.pop();
    } else if line.len() > most {
        let words = format!("a line is longer than {most} bytes, the most that is read here");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, words));
    }
    if line.last() == Some(&b'\r') {
        line.pop();
    }
    String::from_utf8(line)
        .map(Some)
        .map_err(|e| io::Error::new(io::ErrorKind::InvalidData, e.utf8_error()))
}

/// Writes a file in whole or not at all. It appears under its name when it is complete and on the disk; when that fails,
/// nothing is left behind and a file that was there before stays as it was. A process that is killed leaves
/// `NAME.part`, which nobody reads and the next write replaces.
///
/// A link is followed, and what is no file (a pipe, `/dev/null`) is written as it is: to replace it would be a surprise.
pub fn write_whole(
    path: &Path,
    content: impl FnOnce(&mut File) -> io::Result<()>,
) -> io::Result<()> {
    match fs::metadata(path) {
        Ok(there) if there.is_file() => replace(&fs::canonicalize(path)?, content),
        Ok(there) if !there.is_dir() => content(&mut File::create(path)?),
        _ => replace(path, content),
    }
}

fn replace(path: &Path, content: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    let part = path.with_added_extension(PART);
    let save = || -> io::Result<()> {
        let mut file = File::create(&part)?;
        content(&mut file)?;
        file.flush()?;
        file.sync_all()?;
        fs::rename(&part, path)?;
        // The name itself is on the disk only when the folder is.
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
    };
    save().inspect_err(|_| {
        let _ = fs::remove_file(&part);
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endless_input_is_refused_at_its_limit() {
        let endless = || io::repeat(b'x');
        let error = read_from(endless(), 1000).unwrap_err();
        assert_eq!(error.to_string(), "it is larger than 1000 bytes, the most that is read here");
        assert_eq!(read_from(endless().take(1000), 1000).unwrap().len(), 1000);
        let mut lines = io::BufReader::new(endless());
        assert_eq!(read_line(&mut lines, 10).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
    }

    #[test]
    fn lines_are_read_one_by_one() {
        let mut text = &b"one\ntwo\r\n\nfour"[..];
        for expected in [Some("one"), Some("two"), Some(""), Some("four"), None, None] {
            assert_eq!(read_line(&mut text, 4).unwrap().as_deref(), expected);
        }
        assert!(read_line(&mut &b"\xff\n"[..], 4).is_err());
    }

    #[test]
    fn a_failed_write_leaves_nothing_behind() {
        let folder = std::env::temp_dir().join(format!("zermelo-file-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("a.txt");
        write_whole(&path, |file| file.write_all(b"old")).unwrap();
        let failed = write_whole(&path, |file| {
            file.write_all(b"half of the n")?;
            Err(io::ErrorKind::StorageFull.into())
        });
        assert_eq!(failed.unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert_eq!(read_text(&path, 10).unwrap(), "old");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        let link = folder.join("link");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        write_whole(&link, |file| file.write_all(b"new")).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(read_text(&path, 10).unwrap(), "new");
        write_whole(Path::new("/dev/null"), |file| file.write_all(b"x")).unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
        fs::remove_dir_all(&folder).unwrap();
    }
}
