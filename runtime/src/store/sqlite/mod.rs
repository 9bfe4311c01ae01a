//! The store in one SQLite file.
//!
//! One thread writes and commits what has queued as one transaction, so that many tasks share one sync to disk; reads
//! go beside it on their own connections. The file can be opened with the `sqlite3` shell: `select * from overview`.

mod checkup;
mod error;
mod place;
mod reader;
mod row;
mod schema;
mod writer;

#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_file;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use rusqlite::{Connection, OpenFlags, OptionalExtension, params};

use self::{checkup::Checkup, place::Place, reader::Readers, row::Found, writer::Writer};
use super::{Count, Position, StoreError, Swap, TaskStore};
use crate::{
    BoxFuture,
    task::{Principal, Task, Timestamp, WorkerId},
};

/// How long a write waits for another process that writes.
const BUSY: Duration = Duration::from_secs(5);

/// Keeps tasks in an SQLite file, over crashes and restarts. Cheap to clone; all clones are the same store.
///
/// * A task is on disk before its handle leaves the server (write-ahead log, `synchronous=FULL`).
/// * Several processes on one machine may share the file. It must not lie on a network file system, and all must open it in
///   the same directory: through a hard link, or a mount of the file alone, a process has a log of its own that the others do
///   not see. A process that starts after the machine's clock was set forward takes the tasks of the others for abandoned or
///   expired: restart them together then.
/// * The file is made with permissions for its owner only, since tasks hold arguments, answers and results. Next to it
///   lie `-wal` and `-shm` while it is open; all three belong together.
/// * Opening looks through the file, a large one in the background. Once damage to the file's structure is found, then or
///   later, all writes are refused until the file is opened again; what can still be read is.
/// * Writes are refused as well while the file, its `-wal` or its `-shm` is deleted, moved or replaced.
/// * A row that cannot be read does not hold up the others: when its task would be listed, taken up or removed, it is moved
///   to the table `damaged`, and the log names it. From then on the task is as good as gone; until then a get is an error.
///
/// # Memory
/// At most 18 connections (16 that read, one that writes, one that looks through the file) keep up to 2 MiB of pages each, whatever the number of tasks.
/// Readers also map up to 1 GiB of the file. That takes address space, not memory: the pages are the operating system's,
/// which drops them when it needs the room. The price of the map is that a disk that cannot be read any more ends the
/// process instead of giving an error; on the next start the tasks are taken up as after any crash.
///
/// ```no_run
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use std::sync::Arc;
/// use mcp_tasks::{engine::Engine, store::SqliteStore};
///
/// let engine = Engine::new(Arc::new(SqliteStore::open("tasks.db")?))?;
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct SqliteStore {
    shared: Arc<Shared>,
}

struct Shared {
    place: Place,
    _checkup: Checkup,
    readers: Readers,
    writer: Writer,
}

impl std::fmt::Debug for SqliteStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SqliteStore")
            .field("path", &self.path())
            .finish()
    }
}

impl SqliteStore {
    /// Opens the file, or makes it. Reads and writes the disk.
    ///
    /// # Errors
    /// A [`StoreError`] that says what is wrong with the file: locked, read-only, damaged, of a newer release, of another
    /// program, or in no directory.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        let place = Place::new(path.as_ref());
        place.make_private()?;
        let mut connection = touch(&place)?;
        // SQLite is content with a file that it may only read, until the first write.
        if connection
            .is_readonly("main")
            .map_err(|error| place.explain(error))?
        {
            return Err(place.read_only("it may only be read"));
        }
        // Before anything is written: the file may not be ours. In one view of it, since another process may be making it.
        let view = connection
            .transaction()
            .map_err(|error| place.explain(error))?;
        schema::recognise(&view, &place)?;
        drop(view);
        settle(&connection, &place)?;
        schema::prepare(&mut connection, &place)?;
        place.remember(&connection)?;
        Ok(Self {
            shared: Arc::new(Shared {
                _checkup: Checkup::start(&place)?,
                readers: Readers::new(place.clone()),
                writer: Writer::start(connection, place.clone())?,
                place,
            }),
        })
    }

    /// Where the file is.
    pub fn path(&self) -> PathBuf {
        self.shared.place.path().to_owned()
    }

    fn read<T>(
        &self,
        query: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        self.shared.readers.read(query)
    }

    /// A read that may look at many rows, on a thread for such work.
    async fn scan<T: Send + 'static>(
        &self,
        query: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        let store = self.clone();
        let scan = tokio::task::spawn_blocking(move || store.read(query));
        scan.await
            .unwrap_or_else(|error| Err(StoreError::Other(error.to_string())))
    }

    /// The tasks that a query finds. Rows that cannot be read are set aside, and the query is run again.
    async fn find(
        &self,
        query: impl Fn(&Connection) -> rusqlite::Result<Found> + Clone + Send + 'static,
    ) -> Result<Vec<Arc<Task>>, StoreError> {
        loop {
            let Found { tasks, damaged } = self.scan(query.clone()).await?;
            if damaged.is_empty() {
                return Ok(tasks.into_iter().map(Arc::new).collect());
            }
            let place = self.shared.place.clone();
            self.write(move |connection| {
                row::set_aside(connection, &damaged).map_err(|error| place.explain(error))
            })
            .await?;
        }
    }

    async fn write<T: Send + 'static>(
        &self,
        work: impl FnMut(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.shared.writer.write(work).await
    }
}

/// A connection with our settings.
fn connect(place: &Place) -> Result<Connection, StoreError> {
    let connection = touch(place)?;
    settle(&connection, place)?;
    Ok(connection)
}

/// A connection that has changed nothing of the file yet.
fn touch(place: &Place) -> Result<Connection, StoreError> {
    // The file is there already; one that has vanished is not made anew.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection =
        Connection::open_with_flags(place.path(), flags).map_err(|error| place.explain(error))?;
    connection
        .busy_timeout(BUSY)
        .map_err(|error| place.explain(error))?;
    Ok(connection)
}

/// Gives a connection our settings. The first of them is kept in the file.
fn settle(connection: &Connection, place: &Place) -> Result<(), StoreError> {
    let set = || {
        connection.set_prepared_statement_cache_capacity(32);
        connection.pragma_update(None, "journal_mode", "wal")?;
        connection.pragma_update(None, "synchronous", "full")?;
        connection.pragma_update(None, "foreign_keys", false)
    };
    set().map_err(|error| place.explain(error))
}

const GET: &str = concat!(
    "SELECT ",
    row::columns!(),
    " FROM tasks WHERE key = ?1 AND id = ?2"
);

impl TaskStore for SqliteStore {
    fn is_durable(&self) -> bool {
        true
    }

    fn create(&self, task: Arc<Task>) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async move {
            let place = self.shared.place.clone();
            self.write(move |connection| row::insert(connection, &task, &place))
                .await
        })
    }

    fn get<'a>(
        &'a self,
        id: &'a str,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<Option<Arc<Task>>, StoreError>> {
        // One indexed row, so not worth a thread of its own.
        Box::pin(async move {
            let task = self.read(|connection| {
                connection
                    .prepare_cached(GET)?
                    .query_row(params![row::key(id), id], row::read)
                    .optional()
            })?;
            Ok(task.filter(|task| !task.is_expired(now)).map(Arc::new))
        })
    }

    fn update(&self, task: Arc<Task>) -> BoxFuture<'_, Result<Swap, StoreError>> {
        Box::pin(async move {
            let place = self.shared.place.clone();
            self.write(move |connection| {
                let swap = || {
                    if row::replace(connection, &task)? {
                        return Ok(Swap::Done);
                    }
                    let mut get = connection.prepare_cached(GET)?;
                    let id = task.id().as_str();
                    let stored = get
                        .query_row(params![row::key(id), id], row::read)
                        .optional()?;
                    Ok(stored.map_or(Swap::Gone, |stored| Swap::Conflict(Arc::new(stored))))
                };
                swap().map_err(|error| place.explain(error))
            })
            .await
        })
    }

    fn remove<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<bool, StoreError>> {
        let id = id.to_owned();
        Box::pin(async move {
            let place = self.shared.place.clone();
            self.write(move |connection| {
                let remove = || {
                    let mut remove = connection
                        .prepare_cached("DELETE FROM tasks WHERE key = ?1 AND id = ?2")?;
                    Ok(remove.execute(params![row::key(&id), id])? > 0)
                };
                remove().map_err(|error| place.explain(error))
            })
            .await
        })
    }

    fn count<'a>(
        &'a self,
        owner: Option<&'a Principal>,
    ) -> BoxFuture<'a, Result<Count, StoreError>> {
        const COUNT: &str = "SELECT \
             coalesce((SELECT tasks FROM counts WHERE name = ''), 0), \
             coalesce((SELECT tasks FROM counts WHERE name = ?1), 0)";
        Box::pin(async move {
            let name = owner.map_or("-".to_owned(), |owner| format!("+{}", owner.as_str()));
            self.read(|connection| {
                connection.prepare_cached(COUNT)?.query_row([name], |row| {
                    let count = |column| row.get::<_, i64>(column).map(i64::unsigned_abs);
                    Ok(Count {
                        all: count(0)?,
                        of_owner: count(1)?,
                    })
                })
            })
        })
    }

    fn list<'a>(
        &'a self,
        owner: Option<&'a Principal>,
        after: Option<&'a Position>,
        limit: usize,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<Vec<Arc<Task>>, StoreError>> {
        const LIST: &str = concat!(
            "SELECT ",
            row::columns!(),
            ", key FROM tasks WHERE owner IS ?1 AND (created_at, id) > (?2, ?3) AND (expires_at IS NULL OR expires_at > ?4) \
             ORDER BY created_at, id LIMIT ?5"
        );
        let owner = owner.map(|owner| owner.as_str().to_owned());
        let (at, id) = match after {
            Some(position) => (
                position.created_at.as_millis(),
                position.id.as_str().to_owned(),
            ),
            None => (i64::MIN, String::new()),
        };
        Box::pin(self.find(move |connection| {
            let params = params![owner, at, id, now.as_millis(), row::count(limit)];
            Found::of(connection, LIST, params)
        }))
    }

    fn expired(
        &self,
        now: Timestamp,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<Arc<Task>>, StoreError>> {
        const EXPIRED: &str = concat!(
            "SELECT ",
            row::columns!(),
            ", key FROM tasks WHERE expires_at <= ?1 ORDER BY expires_at LIMIT ?2"
        );
        Box::pin(self.find(move |connection| {
            let params = [now.as_millis(), row::count(limit)];
            Found::of(connection, EXPIRED, params)
        }))
    }

    fn next_expiry(&self) -> BoxFuture<'_, Result<Option<Timestamp>, StoreError>> {
        const NEXT: &str = "SELECT min(expires_at) FROM tasks WHERE expires_at IS NOT NULL";
        Box::pin(async move {
            let next = self.read(|connection| {
                connection
                    .prepare_cached(NEXT)?
                    .query_row([], |row| row.get::<_, Option<i64>>(0))
            })?;
            Ok(next.map(Timestamp::from_millis))
        })
    }

    fn heartbeat<'a>(
        &'a self,
        worker: &'a WorkerId,
        until: Timestamp,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        let worker = worker.as_str().to_owned();
        Box::pin(async move {
            let place = self.shared.place.clone();
            self.write(move |connection| {
                let beat = || {
                    connection
                        .prepare_cached(
                            "INSERT INTO workers (id, alive_until) VALUES (?1, ?2) \
                             ON CONFLICT (id) DO UPDATE SET alive_until = excluded.alive_until",
                        )?
                        .execute(params![worker, until.as_millis()])?;
                    connection
                        .prepare_cached("UPDATE clock SET latest = max(latest, ?1)")?
                        .execute([now.as_millis()])?;
                    Ok(())
                };
                beat().map_err(|error| place.explain(error))
            })
            .await
        })
    }

    fn claim<'a>(
        &'a self,
        worker: &'a WorkerId,
        now: Timestamp,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Arc<Task>>, StoreError>> {
        let worker = worker.clone();
        Box::pin(async move {
            let place = self.shared.place.clone();
            self.write(move |connection| {
                row::claim(connection, &worker, now, limit)
                    .map(|tasks| tasks.into_iter().map(Arc::new).collect())
                    .map_err(|error| place.explain(error))
            })
            .await
        })
    }

    fn time_floor(&self) -> BoxFuture<'_, Result<Option<Timestamp>, StoreError>> {
        Box::pin(async move {
            let latest = self.read(|connection| {
                connection.query_row("SELECT latest FROM clock", [], |row| row.get::<_, i64>(0))
            })?;
            Ok((latest > i64::MIN).then(|| Timestamp::from_millis(latest)))
        })
    }
}
