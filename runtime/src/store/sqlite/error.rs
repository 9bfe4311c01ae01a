//! What SQLite says, in words that help.

use std::io;

use rusqlite::{Error, ErrorCode};

use super::{StoreError, place::Place};

impl Place {
    pub(super) fn corrupt(&self, detail: impl Into<String>) -> StoreError {
        StoreError::Corrupt {
            place: self.to_string(),
            detail: detail.into(),
        }
    }

    pub(super) fn read_only(&self, detail: impl Into<String>) -> StoreError {
        StoreError::ReadOnly {
            place: self.to_string(),
            detail: detail.into(),
        }
    }

    /// `detail` says what to do as well.
    pub(super) fn unusable(&self, detail: impl Into<String>) -> StoreError {
        StoreError::Unusable {
            place: self.to_string(),
            detail: detail.into(),
        }
    }

    pub(super) fn cannot_open(&self, error: &io::Error) -> StoreError {
        let (place, detail) = (self.to_string(), error.to_string());
        match error.kind() {
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                StoreError::ReadOnly { place, detail }
            }
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                StoreError::Full { place, detail }
            }
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => self
                .unusable("its directory does not exist; make the directory, or give another path"),
            _ => StoreError::Other(format!("{place} cannot be opened: {detail}")),
        }
    }

    pub(super) fn explain(&self, error: Error) -> StoreError {
        let (place, detail) = (self.to_string(), error.to_string());
        match &error {
            Error::FromSqlConversionFailure(..) | Error::InvalidColumnType(..) => {
                self.corrupt(detail)
            }
            _ => match error.sqlite_error_code() {
                Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                    StoreError::Locked { place, detail }
                }
                Some(ErrorCode::DiskFull) => StoreError::Full { place, detail },
                Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => {
                    StoreError::ReadOnly { place, detail }
                }
                // The file was there a moment ago, so what cannot be made is its log.
                Some(ErrorCode::CannotOpen) => StoreError::ReadOnly { place, detail },
                Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                    self.note_damage(&detail);
                    self.corrupt(detail)
                }
                // SQLite says so of a limit to the file's size, too.
                Some(ErrorCode::SystemIoFailure) => StoreError::Other(format!(
                    "the disk under {place} failed: {detail}; see whether it is full, the file has reached a size limit, or \
                     the device reports errors"
                )),
                _ => StoreError::Other(format!("{place}: {detail}")),
            },
        }
    }
}
