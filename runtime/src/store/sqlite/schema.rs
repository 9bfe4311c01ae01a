//! The file's format: made, recognised and brought up to date.

use rusqlite::{Connection, TransactionBehavior};

use super::{
    StoreError,
    place::Place,
    row::{columns, key},
};

/// Marks the file as ours (`PRAGMA application_id`): "mcpt".
const APPLICATION: i64 = 0x6d63_7074;

/// What brings the format from each version to the next; `PRAGMA user_version` counts them. Only ever append.
const MIGRATIONS: &[fn(&Connection) -> rusqlite::Result<()>] = &[
    |connection| connection.execute_batch(FIRST),
    rows_by_key,
    |connection| connection.execute_batch(COUNTS),
];

pub(super) const FIRST: &str = "
CREATE TABLE tasks (
    id               TEXT PRIMARY KEY NOT NULL,
    owner            TEXT,
    tool             TEXT NOT NULL,
    status           TEXT NOT NULL,
    status_message   TEXT,
    created_at       INTEGER NOT NULL,
    last_updated_at  INTEGER NOT NULL,
    ttl_ms           INTEGER,
    expires_at       INTEGER,
    poll_interval_ms INTEGER,
    version          INTEGER NOT NULL,
    worker           TEXT,
    cancel_requested INTEGER NOT NULL,
    cooperative      INTEGER NOT NULL,
    arguments        TEXT NOT NULL,
    answers          TEXT NOT NULL,
    can_ask          TEXT NOT NULL,
    journal          TEXT,
    result           TEXT,
    is_error         INTEGER NOT NULL,
    error            TEXT
) STRICT;
CREATE TABLE workers (
    id          TEXT PRIMARY KEY NOT NULL,
    alive_until INTEGER NOT NULL
) STRICT;
-- The latest time that the store was told, so that time does not run backwards over a restart.
CREATE TABLE clock (latest INTEGER NOT NULL) STRICT;
INSERT INTO clock VALUES (-9223372036854775808);
";

const BY_KEY: &str = "
CREATE TABLE tasks (
    key              INTEGER PRIMARY KEY, -- made from the id, so that one look finds a task among millions
    id               TEXT NOT NULL,
    owner            TEXT,
    tool             TEXT NOT NULL,
    status           TEXT NOT NULL,
    status_message   TEXT,
    created_at       INTEGER NOT NULL,  -- milliseconds since 1970, as all times here
    last_updated_at  INTEGER NOT NULL,
    ttl_ms           INTEGER,           -- NULL is for ever
    expires_at       INTEGER,
    poll_interval_ms INTEGER,
    version          INTEGER NOT NULL,  -- counts the changes
    worker           TEXT,              -- who runs it, while it is unfinished
    cancel_requested INTEGER NOT NULL,
    cooperative      INTEGER NOT NULL,  -- whether the tool decides what cancelling does
    arguments        TEXT NOT NULL,     -- JSON, as all that follows
    answers          TEXT NOT NULL,     -- given before there was a task
    can_ask          TEXT NOT NULL,
    journal          TEXT,              -- questions, answers, kept values; while it is unfinished
    result           TEXT,
    is_error         INTEGER NOT NULL,
    error            TEXT
) STRICT;
";

pub(super) const INDEXES: &str = "
CREATE INDEX tasks_by_owner ON tasks (owner, created_at, id);
CREATE INDEX tasks_by_expiry ON tasks (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX tasks_unfinished ON tasks (worker) WHERE status IN ('working', 'input_required');
CREATE VIEW overview AS
SELECT id, owner, tool, status, status_message,
       strftime('%Y-%m-%d %H:%M:%f', created_at / 1000.0, 'unixepoch') AS created,
       strftime('%Y-%m-%d %H:%M:%f', last_updated_at / 1000.0, 'unixepoch') AS last_updated,
       strftime('%Y-%m-%d %H:%M:%f', expires_at / 1000.0, 'unixepoch') AS expires,
       coalesce(result, error) AS outcome
FROM tasks ORDER BY created_at;
";

/// Numbers of tasks, kept by the file itself: whoever changes it, they are right. Of an owner `x` under `+x`, of nobody's
/// under `-`, of all under the empty name.
const COUNTS: &str = "
CREATE TABLE counts (name TEXT PRIMARY KEY NOT NULL, tasks INTEGER NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO counts SELECT coalesce('+' || owner, '-'), count(*) FROM tasks GROUP BY owner;
INSERT INTO counts SELECT '', count(*) FROM tasks;
CREATE TRIGGER tasks_in AFTER INSERT ON tasks BEGIN
    INSERT INTO counts VALUES (coalesce('+' || new.owner, '-'), 1) ON CONFLICT (name) DO UPDATE SET tasks = tasks + 1;
    UPDATE counts SET tasks = tasks + 1 WHERE name = '';
END;
CREATE TRIGGER tasks_out AFTER DELETE ON tasks BEGIN
    UPDATE counts SET tasks = tasks - 1 WHERE name IN ('', coalesce('+' || old.owner, '-'));
    DELETE FROM counts WHERE name = coalesce('+' || old.owner, '-') AND tasks = 0;
END;
";

/// Keeps rows in the order of a key made from the id. Before, an index led from the id to the row: two searches, and
/// in a large file two pages that are not in memory.
fn rows_by_key(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch("DROP VIEW IF EXISTS overview; ALTER TABLE tasks RENAME TO old;")?;
    connection.execute_batch(BY_KEY)?;
    {
        let mut rows = connection.prepare("SELECT rowid, id FROM old")?;
        let mut copy = connection.prepare(concat!(
            "INSERT INTO tasks (key, ",
            columns!(),
            ") SELECT ?1, ",
            columns!(),
            " FROM old WHERE rowid = ?2"
        ))?;
        let mut rows = rows.query([])?;
        while let Some(row) = rows.next()? {
            let (number, id): (i64, String) = (row.get(0)?, row.get(1)?);
            copy.execute([key(&id), number])?;
        }
    }
    connection.execute_batch("DROP TABLE old")?;
    connection.execute_batch(INDEXES)
}

/// The number of the format that the migrations lead to.
fn newest() -> i64 {
    i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX)
}

/// Looks whether the file is one of ours, or empty, and gives its format's number.
pub(super) fn recognise(connection: &Connection, place: &Place) -> Result<i64, StoreError> {
    let explain = |error| place.explain(error);
    let number = |name: &str| {
        connection
            .pragma_query_value(None, name, |row| row.get::<_, i64>(0))
            .map_err(explain)
    };
    let (application, found) = (number("application_id")?, number("user_version")?);
    let known = newest();
    let tables: i64 = connection
        .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
        .map_err(explain)?;
    if application != APPLICATION && (tables > 0 || found != 0) {
        return Err(place.unusable("it is an SQLite file of another program; give another path"));
    }
    if found > known {
        return Err(StoreError::Newer {
            place: place.to_string(),
            found,
            known,
        });
    }
    Ok(found)
}

/// Makes sure that the file has the newest format.
pub(super) fn prepare(connection: &mut Connection, place: &Place) -> Result<(), StoreError> {
    let explain = |error| place.explain(error);
    // Under the write lock, so that two processes do not both begin.
    let transaction = connection
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(explain)?;
    let found = recognise(&transaction, place)?;
    let done = usize::try_from(found).unwrap_or(0);
    if done < MIGRATIONS.len() {
        for migration in &MIGRATIONS[done..] {
            migration(&transaction).map_err(explain)?;
        }
        transaction
            .pragma_update(None, "application_id", APPLICATION)
            .map_err(explain)?;
        transaction
            .pragma_update(None, "user_version", newest())
            .map_err(explain)?;
    }
    transaction.commit().map_err(explain)
}
