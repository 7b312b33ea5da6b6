//! What can be said before a long search: that the file which is to hold its proof cannot be written, or that there will
//! be no proof. A search that ran for hours is no place to find that out.

use anyhow::bail;
use std::fs;
use std::path::Path;
use zermelo_certificate::WriteFailure;
use zermelo_erased::AnyGame;
use zermelo_game::outside;

/// Fails if there will be no certificate of a game, or none in this file.
pub fn proof(file: &Path, game: &dyn AnyGame) -> anyhow::Result<()> {
    if game.features().path_dependent {
        return Err(WriteFailure::Unsupported(format!(
            "there are no certificates yet for {}, where values depend on the line of play",
            game.name()
        ))
        .into());
    }
    writable(file)
}

/// Fails if a file cannot be written in its place: it is a folder, or its folder is missing or takes no files. Nothing is
/// changed.
pub fn writable(file: &Path) -> anyhow::Result<()> {
    let shown = outside::path(file);
    let target = match fs::metadata(file) {
        Ok(there) if there.is_dir() => bail!("cannot write {shown}: it is a folder"),
        // A pipe or a device is written as it is.
        Ok(there) if !there.is_file() => return Ok(()),
        // A link is followed.
        Ok(_) => fs::canonicalize(file).unwrap_or_else(|_| file.into()),
        Err(_) => file.into(),
    };
    if file.as_os_str().is_empty() || target.file_name().is_none() {
        bail!("cannot write {shown}: it is no name of a file");
    }
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    match fs::metadata(folder) {
        Ok(there) if !there.is_dir() => {
            bail!("cannot write {shown}: {} is no folder", outside::path(folder))
        }
        Ok(_) => {}
        Err(error) => bail!("cannot write {shown}: the folder {}: {error}", outside::path(folder)),
    }
    takes_files(folder).map_err(|error| {
        anyhow::anyhow!("cannot write {shown}: the folder {}: {error}", outside::path(folder))
    })
}

/// Makes a file without a name in a folder, which is gone when it is closed. File systems that have no such files are
/// not asked any further.
#[cfg(target_os = "linux")]
fn takes_files(folder: &Path) -> std::io::Result<()> {
    use nix::fcntl::OFlag;
    use std::io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem, StorageFull};
    use std::os::unix::fs::OpenOptionsExt;
    let nameless = OFlag::O_TMPFILE.bits();
    match fs::OpenOptions::new().write(true).custom_flags(nameless).open(folder) {
        Err(error)
            if matches!(error.kind(), PermissionDenied | ReadOnlyFilesystem | StorageFull) =>
        {
            Err(error)
        }
        _ => Ok(()),
    }
}

#[cfg(not(target_os = "linux"))]
fn takes_files(_: &Path) -> std::io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_says_why_a_file_cannot_be_written_and_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("file"), "x").unwrap();
        for (name, why) in [
            ("", "is a folder"),
            ("none/a.proof", "the folder"),
            ("file/a.proof", "is no folder"),
            ("..", "is a folder"),
        ] {
            let error = writable(&at(name)).unwrap_err().to_string();
            assert!(error.contains("cannot write") && error.contains(why), "{name}: {error}");
        }
        assert!(writable(Path::new("")).is_err());
        for name in ["a.proof", "file"] {
            writable(&at(name)).unwrap();
        }
        writable(Path::new("a.proof")).unwrap();
        writable(Path::new("/dev/null")).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        assert_eq!(fs::read(at("file")).unwrap(), b"x");
    }
}
