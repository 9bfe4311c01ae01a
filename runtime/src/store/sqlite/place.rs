//! The file itself: where it is, whether it is still the one that was opened, and whether it is whole.

use std::{
    fmt, io,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

use rusqlite::Connection;

use super::StoreError;

/// The file, shared by all that use it. Cheap to clone.
#[derive(Clone)]
pub(super) struct Place(Arc<Shared>);

struct Shared {
    path: PathBuf,
    /// The file, its log and the index of its log as they were when they were opened.
    opened: OnceLock<[(PathBuf, Identity); 3]>,
    /// What is wrong with the file. It stays so until the file is opened again.
    damage: OnceLock<String>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.path().display().fmt(f)
    }
}

impl Place {
    pub(super) fn new(path: &Path) -> Self {
        // An error is an empty path, which cannot be opened either.
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        Self(Arc::new(Shared {
            path,
            opened: OnceLock::new(),
            damage: OnceLock::new(),
        }))
    }

    pub(super) fn path(&self) -> &Path {
        &self.0.path
    }

    /// Makes the file, if there is none, readable for its owner only.
    pub(super) fn make_private(&self) -> Result<(), StoreError> {
        self.has_no_log_alone()?;
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        match options.open(self.path()) {
            Ok(_) => Ok(()),
            Err(_) if self.path().is_dir() => {
                Err(self.unusable("it is a directory; give the path of a file in it"))
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            Err(error) => Err(self.cannot_open(&error)),
        }
    }

    /// An error if the file is gone or emptied and its log is left: SQLite would throw the log away.
    fn has_no_log_alone(&self) -> Result<(), StoreError> {
        let length = |path: &Path| std::fs::metadata(path).map_or(0, |found| found.len());
        let log = PathBuf::from(format!("{}-wal", self.path().display()));
        // The log first: whoever makes both begins with the file.
        if length(&log) == 0 || length(self.path()) > 0 {
            return Ok(());
        }
        Err(self.unusable(format!(
            "it is gone or empty, but its log {} has tasks in it; put the file back, or move the log away as well to start empty",
            log.display()
        )))
    }

    /// Remembers which file, which log and which index this connection has open.
    pub(super) fn remember(&self, connection: &Connection) -> Result<(), StoreError> {
        // Beside what a symbolic link leads to.
        let file = connection.path().unwrap_or_default();
        let known = |path: PathBuf| match Identity::of(&path) {
            Ok(identity) => Ok((path, identity)),
            Err(error) => Err(self.cannot_open(&error)),
        };
        // Processes agree by the index on who writes where: with one each, they would write over each other.
        let opened = [
            known(self.path().to_owned())?,
            known(format!("{file}-wal").into())?,
            known(format!("{file}-shm").into())?,
        ];
        // Err is a second call, and the file is opened once.
        let _ = self.0.opened.set(opened);
        Ok(())
    }

    /// Says that the file is damaged. From now on nothing is promised that only this file would keep.
    pub(super) fn note_damage(&self, detail: &str) {
        if self.0.damage.set(detail.to_owned()).is_ok() && self.0.opened.get().is_some() {
            let error = self.corrupt(detail);
            tracing::error!(%error, "no task is stored any more");
        }
    }

    /// An error if what is written now would be lost, because the file is damaged or has no name any more.
    pub(super) fn check(&self) -> Result<(), StoreError> {
        if let Some(detail) = self.0.damage.get() {
            return Err(self.corrupt(detail));
        }
        for (path, opened) in self.0.opened.get().into_iter().flatten() {
            let found = match Identity::of(path) {
                Ok(found) if found == *opened => continue,
                Ok(_) => "is another file now".to_owned(),
                Err(error) => format!("is not there any more ({error})"),
            };
            return Err(StoreError::Moved {
                place: self.to_string(),
                detail: format!("{} {found}", path.display()),
            });
        }
        Ok(())
    }

    /// Whether someone has the file open with another log or another index than ours.
    pub(super) fn log_is_taken(&self) -> bool {
        let Some([file, beside @ ..]) = self.0.opened.get() else {
            return false;
        };
        let is = |(path, opened): &(PathBuf, Identity), same: bool| {
            Identity::of(path).is_ok_and(|found| (found == *opened) == same)
        };
        is(file, true) && beside.iter().any(|one| is(one, false))
    }
}

/// Tells a file from one that took its name.
#[derive(PartialEq)]
struct Identity {
    #[cfg(unix)]
    device_and_inode: (u64, u64),
}

impl Identity {
    #[cfg(unix)]
    fn of(path: &Path) -> io::Result<Self> {
        use std::os::unix::fs::MetadataExt;
        let found = std::fs::metadata(path)?;
        Ok(Self {
            device_and_inode: (found.dev(), found.ino()),
        })
    }

    /// Elsewhere an open file keeps its name.
    #[cfg(not(unix))]
    fn of(path: &Path) -> io::Result<Self> {
        std::fs::metadata(path).map(|_| Self {})
    }
}
