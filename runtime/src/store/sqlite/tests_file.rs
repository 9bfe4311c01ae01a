//! The file's mishaps: what may be in its place, and what may happen to it while it is in use.

use std::io::{Seek, SeekFrom, Write};

use super::{tests::directory, *};
use crate::store::kit::{NOW, task};

#[test]
fn a_file_that_is_no_database_is_named_as_damaged() {
    let directory = directory();
    let path = directory.path().join("tasks.db");
    std::fs::write(
        &path,
        "this is a shopping list, long enough to be looked at as a database header .......",
    )
    .unwrap();
    let error = SqliteStore::open(&path).unwrap_err();
    assert!(matches!(error, StoreError::Corrupt { .. }), "{error:?}");
    assert!(error.to_string().contains("tasks.db"), "{error}");
}

#[test]
fn a_file_of_another_program_is_left_alone() {
    let directory = directory();
    let path = directory.path().join("other.db");
    let other = Connection::open(&path).unwrap();
    other
        .execute_batch("CREATE TABLE recipes (name TEXT)")
        .unwrap();
    let before = std::fs::read(&path).unwrap();
    let error = SqliteStore::open(&path).unwrap_err();
    let said = error.to_string();
    assert!(
        said.contains("another program; give another path"),
        "{said}"
    );
    assert!(!said.contains("backup"), "{said}");
    assert!(before == std::fs::read(&path).unwrap(), "it was changed");
}

#[tokio::test]
async fn a_log_whose_file_is_gone_is_not_thrown_away() {
    let directory = directory();
    let [path, away] = ["tasks.db", "away"].map(|name| directory.path().join(name));
    let store = SqliteStore::open(&path).unwrap();
    store.create(task("a", None, 1)).await.unwrap();
    std::fs::rename(&path, &away).unwrap();
    let refused = || {
        let said = SqliteStore::open(&path).unwrap_err().to_string();
        assert!(said.contains("put the file back"), "{said}");
    };
    refused();
    std::fs::write(&path, "").unwrap();
    refused();
    std::fs::rename(&away, &path).unwrap();
    store.create(task("b", None, 1)).await.unwrap();
    let again = SqliteStore::open(&path).unwrap();
    assert!(again.get("a", NOW).await.unwrap().is_some());
}

#[test]
fn a_file_of_a_newer_release_is_refused() {
    let directory = directory();
    let path = directory.path().join("tasks.db");
    drop(SqliteStore::open(&path).unwrap());
    Connection::open(&path)
        .unwrap()
        .pragma_update(None, "user_version", 99)
        .unwrap();
    let error = SqliteStore::open(&path).unwrap_err();
    assert!(
        matches!(
            error,
            StoreError::Newer {
                found: 99,
                known: 3,
                ..
            }
        ),
        "{error:?}"
    );
}

#[test]
fn a_directory_that_is_not_there_is_named() {
    let directory = directory();
    let error = SqliteStore::open(directory.path().join("none/tasks.db")).unwrap_err();
    let said = error.to_string();
    assert!(said.contains("none/tasks.db"), "{said}");
    assert!(said.contains("make the directory"), "{said}");
}

#[tokio::test]
async fn a_full_store_says_so_and_works_again_when_there_is_room() {
    let directory = directory();
    let store = SqliteStore::open(directory.path().join("tasks.db")).unwrap();
    store.create(task("before", None, 10)).await.unwrap();
    let limit_to = async |pages: i64| {
        let set = move |connection: &Connection| {
            connection
                .pragma_update_and_check(None, "max_page_count", pages, |row| row.get::<_, i64>(0))
                .map_err(|error| StoreError::Other(error.to_string()))
        };
        store.write(set).await.unwrap()
    };
    limit_to(20).await;
    let error = store.create(task("big", None, 1 << 20)).await.unwrap_err();
    assert!(matches!(error, StoreError::Full { .. }), "{error:?}");
    assert!(store.get("big", NOW).await.unwrap().is_none());
    assert!(store.get("before", NOW).await.unwrap().is_some());
    limit_to(1 << 20).await;
    store.create(task("big", None, 1 << 20)).await.unwrap();
}

#[tokio::test]
async fn a_locked_file_is_named_as_locked() {
    let directory = directory();
    let path = directory.path().join("tasks.db");
    let store = SqliteStore::open(&path).unwrap();
    store.create(task("a", None, 1)).await.unwrap();
    let impatient = |connection: &Connection| {
        connection
            .busy_timeout(Duration::ZERO)
            .map_err(|error| StoreError::Other(error.to_string()))
    };
    store.write(impatient).await.unwrap();
    let other = Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let error = store.create(task("b", None, 1)).await.unwrap_err();
    assert!(matches!(error, StoreError::Locked { .. }), "{error:?}");
    assert!(
        store.get("a", NOW).await.unwrap().is_some(),
        "readers do not wait for writers"
    );
    other.execute_batch("COMMIT").unwrap();
    store.create(task("b", None, 1)).await.unwrap();
}

#[cfg(unix)]
#[test]
fn a_directory_that_cannot_be_written_is_named_as_read_only() {
    use std::os::unix::fs::PermissionsExt;
    let directory = directory();
    let path = directory.path().join("tasks.db");
    std::fs::set_permissions(directory.path(), std::fs::Permissions::from_mode(0o500)).unwrap();
    if std::fs::write(directory.path().join("probe"), "").is_ok() {
        // The superuser may write anywhere, so there is nothing to see.
        return;
    }
    let error = SqliteStore::open(&path).unwrap_err();
    assert!(matches!(error, StoreError::ReadOnly { .. }), "{error:?}");
}

#[test]
fn a_directory_in_the_place_of_the_file_is_named() {
    let directory = directory();
    let said = SqliteStore::open(directory.path()).unwrap_err().to_string();
    assert!(
        said.contains("it is a directory; give the path of a file in it"),
        "{said}"
    );
}

#[tokio::test]
async fn a_file_that_loses_its_name_is_not_written_until_it_has_it_back() {
    let directory = directory();
    let store = SqliteStore::open(directory.path().join("tasks.db")).unwrap();
    store.create(task("a", None, 1)).await.unwrap();
    for file in ["tasks.db", "tasks.db-wal", "tasks.db-shm"] {
        let (here, away) = (directory.path().join(file), directory.path().join("away"));
        let refused = async |what: &str| {
            let error = store.create(task("b", None, 1)).await.unwrap_err();
            assert!(matches!(error, StoreError::Moved { .. }), "{error:?}");
            let said = error.to_string();
            let found = format!("{} {what}", here.display());
            assert!(said.contains(&found), "{said}");
        };
        std::fs::rename(&here, &away).unwrap();
        refused("is not there any more").await;
        std::fs::copy(&away, &here).unwrap();
        refused("is another file now").await;
        std::fs::rename(&away, &here).unwrap();
        store.create(task(file, None, 1)).await.unwrap();
    }
    assert!(store.get("a", NOW).await.unwrap().is_some());
}

#[tokio::test]
async fn a_file_that_is_deleted_within_a_batch_has_kept_nothing_of_it() {
    let directory = directory();
    let path = directory.path().join("tasks.db");
    let store = SqliteStore::open(&path).unwrap();
    let deleted = path.clone();
    let write = store.write(move |_| {
        std::fs::remove_file(&deleted).unwrap();
        Ok(())
    });
    let (first, second) = tokio::join!(write, store.create(task("a", None, 1)));
    for error in [first.unwrap_err(), second.unwrap_err()] {
        assert!(matches!(error, StoreError::Moved { .. }), "{error:?}");
    }
    // A reader that is opened now does not make the file anew.
    let reader = store.shared.readers.open();
    assert!(matches!(reader, Err(StoreError::Moved { .. })));
    assert!(!path.exists());
}

/// Overwrites a few pages in the middle of a file that holds many tasks.
fn damage(path: &Path) {
    let mut file = std::fs::OpenOptions::new().write(true).open(path).unwrap();
    let pages = file.metadata().unwrap().len() / 4096;
    assert!(pages > 100, "{pages} pages");
    file.seek(SeekFrom::Start(pages / 2 * 4096)).unwrap();
    file.write_all(&[0xa5; 8 * 4096]).unwrap();
}

async fn many_tasks(store: &SqliteStore) {
    let ids: Vec<String> = (0..1000).map(|n: u32| n.to_string()).collect();
    let writes = ids.iter().map(|id| store.create(task(id, None, 2000)));
    for written in futures_util::future::join_all(writes).await {
        written.unwrap();
    }
}

#[tokio::test]
async fn a_file_that_is_damaged_in_its_middle_is_refused_when_it_is_opened() {
    let directory = directory();
    let path = directory.path().join("tasks.db");
    let store = SqliteStore::open(&path).unwrap();
    many_tasks(&store).await;
    drop(store);
    damage(&path);
    // A machine that is very busy may find it a moment after it was opened.
    let mut opened = (0..100).map(|_| SqliteStore::open(&path));
    let error = opened.find_map(Result::err).unwrap();
    assert!(matches!(error, StoreError::Corrupt { .. }), "{error:?}");
    let said = error.to_string();
    assert!(said.contains("restore a backup"), "{said}");
    // What is in a log that is left would be put into the file that takes the place of this one.
    assert!(said.contains("`-wal` and `-shm`"), "{said}");
}

#[tokio::test]
async fn nothing_is_acknowledged_once_a_read_has_met_damage() {
    let directory = directory();
    let path = directory.path().join("tasks.db");
    let store = SqliteStore::open(&path).unwrap();
    many_tasks(&store).await;
    // What is in the log would hide the damage.
    let shell = Connection::open(&path).unwrap();
    let folded = shell.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| {
        row.get::<_, i64>(0)
    });
    assert_eq!(folded.unwrap(), 0);
    damage(&path);
    let mut met = 0;
    for n in 0..1000 {
        if let Err(error) = store.get(&n.to_string(), NOW).await {
            assert!(matches!(error, StoreError::Corrupt { .. }), "{error:?}");
            met += 1;
        }
    }
    assert!((1..100).contains(&met), "{met} reads met damage");
    let error = store.create(task("new", None, 1)).await.unwrap_err();
    assert!(matches!(error, StoreError::Corrupt { .. }), "{error:?}");
}
