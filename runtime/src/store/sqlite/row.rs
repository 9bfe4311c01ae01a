//! A task as a row, and back.

use std::sync::Arc;

use rusqlite::{Connection, Params, Row, params, types::Type};
use serde::de::DeserializeOwned;

use super::{StoreError, place::Place};
use crate::task::{
    Call, InvalidRecord, Payload, Status, Task, TaskFailure, TaskId, TaskRecord, Timestamp,
    WorkerId,
};

/// The columns in the order in which [`read`] reads them.
macro_rules! columns {
    () => {
        "id, owner, tool, status, status_message, created_at, last_updated_at, ttl_ms, expires_at, poll_interval_ms, \
         version, worker, cancel_requested, cooperative, arguments, answers, can_ask, journal, result, is_error, error"
    };
}
pub(super) use columns;

/// The row that a task is kept in: FNV-1a of its id. Part of the file's format.
///
/// Two ids that share a key cannot be stored together; the second is as good as taken. With random ids that happens to
/// one pair in 2^64.
pub(super) fn key(id: &str) -> i64 {
    let fold = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let hash = id.bytes().fold(0xcbf2_9ce4_8422_2325, fold);
    hash.cast_signed()
}

/// A number of rows as SQL takes it.
pub(super) fn count(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

fn wide(number: Option<u64>) -> Option<i64> {
    number.map(|number| i64::try_from(number).unwrap_or(i64::MAX))
}

fn invalid(
    column: usize,
    error: impl std::error::Error + Send + Sync + 'static,
) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, Type::Text, Box::new(error))
}

fn json<T: DeserializeOwned>(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<T>> {
    match row.get_ref(column)?.as_str_or_null()? {
        None => Ok(None),
        Some(text) => serde_json::from_str(text)
            .map(Some)
            .map_err(|error| invalid(column, error)),
    }
}

fn payload(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Payload>> {
    let text: Option<String> = row.get(column)?;
    let read = |text| Payload::from_text(text).map_err(|error| invalid(column, error));
    text.map(read).transpose()
}

/// For JSON that a row must have.
fn must<T>(row: &Row<'_>, column: usize, value: Option<T>) -> rusqlite::Result<T> {
    value.ok_or_else(|| {
        let id = row.get::<_, String>(0).unwrap_or_default();
        let reason = format!("column {column} is empty");
        invalid(
            column,
            InvalidRecord {
                id: TaskId::from(id),
                reason,
            },
        )
    })
}

fn unsigned(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<u64>> {
    let number: Option<i64> = row.get(column)?;
    number
        .map(|number| u64::try_from(number).map_err(|error| invalid(column, error)))
        .transpose()
}

/// Reads a row of all [`columns`].
pub(super) fn read(row: &Row<'_>) -> rusqlite::Result<Task> {
    let text = |column: usize| row.get::<_, String>(column);
    let maybe = |column: usize| row.get::<_, Option<String>>(column);
    let time = |column: usize| row.get::<_, i64>(column).map(Timestamp::from_millis);
    let status: Status = text(3)?.parse().map_err(|reason| {
        invalid(
            3,
            InvalidRecord {
                id: TaskId::new(""),
                reason,
            },
        )
    })?;
    let record = TaskRecord {
        id: TaskId::from(text(0)?),
        owner: maybe(1)?.map(Into::into),
        call: Arc::new(Call {
            tool: text(2)?,
            arguments: must(row, 14, payload(row, 14)?)?,
            answers: must(row, 15, payload(row, 15)?)?,
            can_ask: must(row, 16, json(row, 16)?)?,
            cooperative: row.get(13)?,
        }),
        status,
        status_message: maybe(4)?.map(Into::into),
        created_at: time(5)?,
        last_updated_at: time(6)?,
        ttl_ms: unsigned(row, 7)?,
        expires_at: row.get::<_, Option<i64>>(8)?.map(Timestamp::from_millis),
        poll_interval_ms: unsigned(row, 9)?,
        version: must(row, 10, unsigned(row, 10)?)?,
        worker: maybe(11)?.map(Into::into),
        cancel_requested: row.get(12)?,
        journal: json(row, 17)?.unwrap_or_default(),
        result: payload(row, 18)?,
        is_error: row.get(19)?,
        error: json::<TaskFailure>(row, 20)?,
    };
    Task::from_record(record).map_err(|error| invalid(3, error))
}

/// The columns that change, as JSON.
struct Changing {
    journal: Option<String>,
    error: Option<String>,
}

fn changing(record: &TaskRecord) -> rusqlite::Result<Changing> {
    let write = |json: serde_json::Result<String>| json.map_err(|error| invalid(0, error));
    let journal = (!record.status.is_terminal()).then(|| serde_json::to_string(&record.journal));
    let error = record.error.as_ref().map(serde_json::to_string);
    Ok(Changing {
        journal: journal.map(write).transpose()?,
        error: error.map(write).transpose()?,
    })
}

/// Stores a new task.
pub(super) fn insert(
    connection: &Connection,
    task: &Task,
    place: &Place,
) -> Result<(), StoreError> {
    const WORKER: &str =
        "INSERT INTO workers (id, alive_until) VALUES (?1, 0) ON CONFLICT DO NOTHING";
    const INSERT: &str = concat!(
        "INSERT INTO tasks (key, ",
        columns!(),
        ") VALUES (?22, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21) \
         ON CONFLICT DO NOTHING"
    );
    let record = task.to_record();
    let insert = || {
        if let Some(worker) = &record.worker {
            connection
                .prepare_cached(WORKER)?
                .execute([worker.as_str()])?;
        }
        let parts = changing(&record)?;
        let can_ask =
            serde_json::to_string(&record.call.can_ask).map_err(|error| invalid(16, error))?;
        connection.prepare_cached(INSERT)?.execute(params![
            record.id.as_str(),
            record.owner.as_ref().map(AsRef::<str>::as_ref),
            record.call.tool,
            record.status.as_str(),
            record.status_message.as_deref(),
            record.created_at.as_millis(),
            record.last_updated_at.as_millis(),
            wide(record.ttl_ms),
            record.expires_at.map(Timestamp::as_millis),
            wide(record.poll_interval_ms),
            wide(Some(record.version)),
            record.worker.as_ref().map(AsRef::<str>::as_ref),
            record.cancel_requested,
            record.call.cooperative,
            record.call.arguments.text(),
            record.call.answers.text(),
            can_ask,
            parts.journal,
            record.result.as_ref().map(Payload::text),
            record.is_error,
            parts.error,
            key(record.id.as_str()),
        ])
    };
    match insert() {
        Ok(1) => Ok(()),
        Ok(_) => Err(StoreError::Exists(record.id)),
        Err(error) => Err(place.explain(error)),
    }
}

/// Puts a task in the place of its direct predecessor; false if that is not what is stored. What never changes is not
/// even written.
pub(super) fn replace(connection: &Connection, task: &Task) -> rusqlite::Result<bool> {
    const REPLACE: &str = "UPDATE tasks SET status = ?3, status_message = ?4, last_updated_at = ?5, ttl_ms = ?6, \
         expires_at = ?7, poll_interval_ms = ?8, version = ?2 + 1, worker = ?9, cancel_requested = ?10, journal = ?11, \
         result = ?12, is_error = ?13, error = ?14 \
         WHERE key = ?15 AND id = ?1 AND version = ?2 AND status IN ('working', 'input_required')";
    let record = task.to_record();
    let parts = changing(&record)?;
    let changed = connection.prepare_cached(REPLACE)?.execute(params![
        record.id.as_str(),
        wide(Some(record.version.saturating_sub(1))),
        record.status.as_str(),
        record.status_message.as_deref(),
        record.last_updated_at.as_millis(),
        wide(record.ttl_ms),
        record.expires_at.map(Timestamp::as_millis),
        wide(record.poll_interval_ms),
        record.worker.as_ref().map(AsRef::<str>::as_ref),
        record.cancel_requested,
        parts.journal,
        record.result.as_ref().map(Payload::text),
        record.is_error,
        parts.error,
        key(record.id.as_str()),
    ])?;
    Ok(changed == 1)
}

/// What a query found.
#[derive(Default)]
pub(super) struct Found {
    pub(super) tasks: Vec<Task>,
    /// The keys of rows that cannot be read.
    pub(super) damaged: Vec<i64>,
}

impl Found {
    /// Runs a query for all [`columns`] and the key.
    pub(super) fn of(
        connection: &Connection,
        sql: &str,
        params: impl Params,
    ) -> rusqlite::Result<Self> {
        let mut found = Self::default();
        let mut statement = connection.prepare_cached(sql)?;
        let mut rows = statement.query(params)?;
        while let Some(row) = rows.next()? {
            match read(row) {
                Ok(task) => found.tasks.push(task),
                Err(error) if is_damage(&error) => {
                    let id = row.get::<_, String>(0).unwrap_or_default();
                    tracing::error!(task = id, %error, "a task cannot be read; its row is moved to the table `damaged`");
                    found.damaged.push(row.get(KEY)?);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(found)
    }
}

/// Where the key stands behind all [`columns`].
const KEY: &str = "key";

/// Whether the row is at fault, and not the file or the disk.
fn is_damage(error: &rusqlite::Error) -> bool {
    use rusqlite::Error::{FromSqlConversionFailure, IntegralValueOutOfRange, InvalidColumnType};
    matches!(
        error,
        FromSqlConversionFailure(..) | IntegralValueOutOfRange(..) | InvalidColumnType(..)
    )
}

/// Moves rows that cannot be read out of the way of the others, to where an operator can look at them.
pub(super) fn set_aside(connection: &Connection, damaged: &[i64]) -> rusqlite::Result<()> {
    if damaged.is_empty() {
        return Ok(());
    }
    connection
        .execute_batch("CREATE TABLE IF NOT EXISTS damaged AS SELECT * FROM tasks LIMIT 0")?;
    for key in damaged {
        connection.execute(
            "INSERT INTO damaged SELECT * FROM tasks WHERE key = ?1",
            [key],
        )?;
        connection.execute("DELETE FROM tasks WHERE key = ?1", [key])?;
    }
    Ok(())
}

/// Gives abandoned tasks to a worker.
pub(super) fn claim(
    connection: &Connection,
    worker: &WorkerId,
    now: Timestamp,
    limit: usize,
) -> rusqlite::Result<Vec<Task>> {
    const DEAD: &str = "SELECT id FROM workers WHERE alive_until <= ?1 AND id <> ?2";
    // Repeats the index's condition word by word, so that the index serves.
    const CLAIM: &str = concat!(
        "UPDATE tasks SET worker = ?1, version = version + 1 WHERE key IN (SELECT key FROM tasks \
         WHERE worker IS ?2 AND status IN ('working', 'input_required') AND (expires_at IS NULL OR expires_at > ?3) \
         LIMIT ?4) RETURNING ",
        columns!(),
        ", key"
    );
    const FORGET: &str = "DELETE FROM workers WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM tasks \
         WHERE worker = ?1 AND status IN ('working', 'input_required'))";
    let mut dead: Vec<Option<String>> = connection
        .prepare_cached(DEAD)?
        .query_map(params![now.as_millis(), worker.as_str()], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    // Tasks that nobody ever held.
    dead.push(None);
    connection
        .prepare_cached(
            "INSERT INTO workers (id, alive_until) VALUES (?1, 0) ON CONFLICT DO NOTHING",
        )?
        .execute([worker.as_str()])?;
    let mut tasks = Vec::new();
    for holder in dead {
        loop {
            let room = limit - tasks.len();
            let params = params![worker.as_str(), holder, now.as_millis(), count(room)];
            let found = Found::of(connection, CLAIM, params)?;
            set_aside(connection, &found.damaged)?;
            tasks.extend(found.tasks);
            // What was damaged took the room of others.
            if found.damaged.is_empty() {
                break;
            }
        }
        if tasks.len() == limit {
            break;
        }
        if let Some(holder) = holder {
            connection.prepare_cached(FORGET)?.execute([holder])?;
        }
    }
    Ok(tasks)
}
