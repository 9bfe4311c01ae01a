//! Connections that read. They never wait for the writer.

use parking_lot::Mutex;
use rusqlite::Connection;

use super::{StoreError, connect, place::Place};

/// Connections kept open; more are opened for a moment when all are in use.
const KEPT: usize = 16;

/// Bytes of the file that are read through the operating system's memory, without a call and a copy for each page.
/// Large files are read the usual way beyond it. The writer maps nothing.
const MAPPED: i64 = 1 << 30;

pub(super) struct Readers {
    place: Place,
    free: Mutex<Vec<Connection>>,
}

impl Readers {
    pub(super) fn new(place: Place) -> Self {
        Self {
            place,
            free: Mutex::default(),
        }
    }

    pub(super) fn read<T>(
        &self,
        query: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let free = self.free.lock().pop();
        let connection = match free {
            Some(connection) => connection,
            None => self.open()?,
        };
        let result = query(&connection);
        let mut free = self.free.lock();
        if free.len() < KEPT {
            free.push(connection);
        }
        drop(free);
        result.map_err(|error| self.place.explain(error))
    }

    pub(super) fn open(&self) -> Result<Connection, StoreError> {
        // Not to answer from a file that took the name of ours.
        self.place.check()?;
        let connection = connect(&self.place)?;
        let set = || {
            connection.pragma_update(None, "query_only", true)?;
            // Answers with what was granted, which may be less.
            connection.pragma_update_and_check(None, "mmap_size", MAPPED, |_| Ok(()))
        };
        set().map_err(|error| self.place.explain(error))?;
        Ok(connection)
    }
}
