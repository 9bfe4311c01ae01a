//! The contract, rows and formats.

use super::*;
use crate::{
    store::kit::{NOW, task},
    testing::store_contract,
};

pub(super) fn directory() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_sqlite_store_keeps_the_contract() {
    let directory = directory();
    let count = std::sync::atomic::AtomicUsize::new(0);
    store_contract(|| {
        let n = count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        Arc::new(SqliteStore::open(directory.path().join(format!("{n}.db"))).unwrap())
    })
    .await;
}

#[tokio::test]
async fn what_was_stored_is_there_after_opening_again() {
    let directory = directory();
    let path = directory.path().join("tasks.db");
    let stored = task("a", None, 10);
    let later = NOW.after_millis(7);
    {
        let store = SqliteStore::open(&path).unwrap();
        store.create(Arc::clone(&stored)).await.unwrap();
        store.heartbeat(&"w".into(), later, later).await.unwrap();
    }
    assert!(
        !directory.path().join("tasks.db-wal").exists(),
        "one file is left"
    );
    let store = SqliteStore::open(&path).unwrap();
    assert_eq!(store.get("a", NOW).await.unwrap(), Some(stored));
    assert_eq!(store.time_floor().await.unwrap(), Some(later));
}

#[tokio::test]
async fn the_file_is_for_people_too() {
    let directory = directory();
    let path = directory.path().join("tasks.db");
    let store = SqliteStore::open(&path).unwrap();
    store.create(task("a", None, 10)).await.unwrap();
    let shell = Connection::open(&path).unwrap();
    let row: (String, String, String) = shell
        .query_row("SELECT id, status, created FROM overview", [], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?))
        })
        .unwrap();
    assert_eq!(
        row,
        (
            "a".into(),
            "working".into(),
            "2027-01-15 08:00:00.000".into()
        )
    );
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "others cannot read it");
    }
}

#[tokio::test]
async fn concurrent_writes_share_commits() {
    let directory = directory();
    let store = SqliteStore::open(directory.path().join("tasks.db")).unwrap();
    // A write that holds the thread until all others have queued.
    let (hold, held) = std::sync::mpsc::channel::<()>();
    let mut held = Some(held);
    let holding = store.write(move |_| {
        if let Some(held) = held.take() {
            // Err is the sender gone, which ends the wait as well.
            let _ = held.recv();
        }
        Ok(())
    });
    let writes = async {
        let mut tasks = Vec::new();
        for n in 0..100 {
            let store = store.clone();
            tasks.push(tokio::spawn(async move {
                store.create(task(&n.to_string(), None, 1)).await
            }));
        }
        tokio::task::yield_now().await;
        hold.send(()).unwrap();
        for task in tasks {
            task.await.unwrap().unwrap();
        }
    };
    let (holding, ()) = tokio::join!(holding, writes);
    holding.unwrap();
    let frames = std::fs::metadata(directory.path().join("tasks.db-wal"))
        .unwrap()
        .len();
    // A commit writes at least the table's and two indexes' pages again.
    assert!(
        frames < 50 * 3 * 4096,
        "{frames} bytes of log for 100 writes"
    );
}

#[tokio::test]
async fn a_damaged_row_is_named_and_does_not_hide_the_others() {
    let directory = directory();
    let path = directory.path().join("tasks.db");
    let store = SqliteStore::open(&path).unwrap();
    for id in ["good", "bad"] {
        store.create(task(id, None, 1)).await.unwrap();
    }
    let shell = Connection::open(&path).unwrap();
    shell
        .execute("UPDATE tasks SET arguments = '{' WHERE id = 'bad'", [])
        .unwrap();
    let error = store.get("bad", NOW).await.unwrap_err();
    assert!(matches!(error, StoreError::Corrupt { .. }), "{error:?}");
    assert!(store.get("good", NOW).await.unwrap().is_some());
}

#[tokio::test]
async fn damaged_rows_do_not_keep_the_others_from_being_taken_up() {
    let directory = directory();
    let path = directory.path().join("tasks.db");
    let store = SqliteStore::open(&path).unwrap();
    store.heartbeat(&"w".into(), NOW, NOW).await.unwrap();
    for id in ["bad", "good", "worse"] {
        store.create(task(id, None, 1)).await.unwrap();
    }
    let shell = Connection::open(&path).unwrap();
    let damaged = shell.execute("UPDATE tasks SET arguments = '{' WHERE id <> 'good'", []);
    assert_eq!(damaged.unwrap(), 2);
    // At least one of the first two rows is damaged, and takes nobody's room.
    let claimed = store.claim(&"v".into(), NOW.after_millis(1), 2).await;
    assert_eq!(ids(&claimed.unwrap()), ["good"]);
    let aside: i64 = shell
        .query_row("SELECT count(*) FROM damaged", [], |row| row.get(0))
        .unwrap();
    assert_eq!(aside, 2);
}

#[tokio::test]
async fn a_damaged_row_holds_up_neither_a_list_nor_what_expires() {
    let directory = directory();
    let path = directory.path().join("tasks.db");
    let store = SqliteStore::open(&path).unwrap();
    let damage = |id: &str| {
        let shell = Connection::open(&path).unwrap();
        let sql = "UPDATE tasks SET journal = '{', expires_at = 5 WHERE id = ?1";
        assert_eq!(shell.execute(sql, [id]).unwrap(), 1);
    };
    let early = Timestamp::from_millis(1);
    for id in ["a", "bad", "c"] {
        store.create(task(id, None, 1)).await.unwrap();
    }
    damage("bad");
    let page = store.list(None, None, 2, early).await.unwrap();
    assert_eq!(ids(&page), ["a", "c"]);
    store.create(task("worse", None, 1)).await.unwrap();
    damage("worse");
    assert!(store.expired(NOW, 10).await.unwrap().is_empty());
    assert_eq!(store.next_expiry().await.unwrap(), None);
    assert!(store.get("worse", early).await.unwrap().is_none());
}

fn ids(tasks: &[Arc<Task>]) -> Vec<String> {
    let mut ids: Vec<String> = tasks.iter().map(|task| task.id().to_string()).collect();
    ids.sort();
    ids
}

#[tokio::test]
async fn a_write_that_fails_halfway_changes_nothing_and_spares_its_batch() {
    let directory = directory();
    let store = SqliteStore::open(directory.path().join("tasks.db")).unwrap();
    let half = store.write(|connection| {
        connection
            .execute(
                "INSERT INTO workers (id, alive_until) VALUES ('half', 1)",
                [],
            )
            .unwrap();
        Err::<(), _>(StoreError::Other("the second half".into()))
    });
    let (half, whole) = tokio::join!(half, store.create(task("a", None, 1)));
    assert!(half.is_err());
    whole.unwrap();
    let workers = store.read(|connection| {
        connection.query_row(
            "SELECT count(*) FROM workers WHERE id = 'half'",
            [],
            |row| row.get::<_, i64>(0),
        )
    });
    assert_eq!(workers.unwrap(), 0);
    assert!(store.get("a", NOW).await.unwrap().is_some());
}

#[tokio::test]
async fn a_file_of_the_first_format_is_brought_up_to_date() {
    let directory = directory();
    let path = directory.path().join("tasks.db");
    let (begun, other) = (task("a", None, 10), task("b", None, 3000));
    {
        // Written as it is now, and taken back to how it was.
        let store = SqliteStore::open(&path).unwrap();
        for task in [&begun, &other] {
            store.create(Arc::clone(task)).await.unwrap();
        }
        drop(store);
        let file = Connection::open(&path).unwrap();
        file.execute_batch(
            "DROP VIEW overview; ALTER TABLE tasks RENAME TO newer; DROP TABLE workers; DROP TABLE clock;
             DROP TABLE counts; DROP INDEX tasks_by_owner; DROP INDEX tasks_by_expiry; DROP INDEX tasks_unfinished;",
        )
        .unwrap();
        file.execute_batch(schema::FIRST).unwrap();
        file.execute_batch(schema::INDEXES).unwrap();
        let copy = concat!("INSERT INTO tasks SELECT ", row::columns!(), " FROM newer");
        assert_eq!(file.execute(copy, []).unwrap(), 2);
        file.execute_batch("DROP TABLE newer; PRAGMA user_version = 1;")
            .unwrap();
    }
    let store = SqliteStore::open(&path).unwrap();
    let shown = store.list(None, None, 9, NOW).await.unwrap();
    assert_eq!(shown, [Arc::clone(&begun), Arc::clone(&other)]);
    assert_eq!(store.get("b", NOW).await.unwrap(), Some(other));
    let count = store.count(None).await.unwrap();
    assert_eq!((count.all, count.of_owner), (2, 2));
    let cancelled = Arc::new(begun.change(NOW).unwrap().cancel("later"));
    let swap = store.update(Arc::clone(&cancelled)).await.unwrap();
    assert!(matches!(swap, Swap::Done));
    drop(store);
    let store = SqliteStore::open(&path).unwrap();
    assert_eq!(store.get("a", NOW).await.unwrap(), Some(cancelled));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_stores_on_one_file_see_each_other() {
    let directory = directory();
    let path = directory.path().join("tasks.db");
    let (one, two) = (
        SqliteStore::open(&path).unwrap(),
        SqliteStore::open(&path).unwrap(),
    );
    for round in 0..20 {
        let id = format!("task-{round}");
        let begun = task(&id, None, 1);
        one.create(Arc::clone(&begun)).await.unwrap();
        assert_eq!(two.get(&id, NOW).await.unwrap().as_ref(), Some(&begun));
        let cancelled = Arc::new(begun.change(NOW).unwrap().cancel("one"));
        let failed = begun
            .change(NOW)
            .unwrap()
            .fail(crate::task::TaskFailure::internal("two"));
        let failed = Arc::new(failed);
        let (a, b) = tokio::join!(
            one.update(Arc::clone(&cancelled)),
            two.update(Arc::clone(&failed))
        );
        let won = [a.unwrap(), b.unwrap()].map(|swap| matches!(swap, Swap::Done));
        assert_eq!(
            won.iter().filter(|won| **won).count(),
            1,
            "exactly one wins"
        );
        let end = if won[0] { cancelled } else { failed };
        assert_eq!(one.get(&id, NOW).await.unwrap(), Some(end));
    }
}
