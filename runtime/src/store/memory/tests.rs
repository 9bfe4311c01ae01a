//! The contract, and what tasks weigh.

use serde_json::{Value, json};

use super::*;
use crate::{
    context::InputRequest,
    store::kit::{NOW, task},
    task::{Answer, Payload, TaskFailure},
    testing::store_contract,
};

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_memory_store_keeps_the_contract() {
    store_contract(|| Arc::new(MemoryStore::new())).await;
}

/// One step of a task that is stored.
fn step(
    store: &MemoryStore,
    id: &str,
    next: impl FnOnce(crate::task::Change) -> Task,
) -> Result<usize, StoreError> {
    let next = next(store.find(id, NOW).unwrap().change(NOW).unwrap());
    let before = store.bytes();
    assert!(matches!(store.swap(Arc::new(next))?, Swap::Done));
    Ok(store.bytes().saturating_sub(before))
}

fn ask(key: &'static str) -> impl FnOnce(crate::task::Change) -> Task {
    move |mut change| {
        let request = InputRequest {
            method: "roots/list".to_owned(),
            params: None,
        };
        change.ask(key, &request, 9).unwrap();
        change.commit().unwrap()
    }
}

fn answer(key: &'static str, value: Value) -> impl FnOnce(crate::task::Change) -> Task {
    move |mut change| {
        assert!(change.answer(key, Answer::Result(value)));
        change.commit().unwrap()
    }
}

#[test]
fn what_a_task_weighs_grows_with_it_and_goes_with_it() {
    let store = MemoryStore::new();
    store.put(task("a", Some("alice"), 5000)).unwrap();
    store.put(task("b", None, 0)).unwrap();
    assert!((7000..9000).contains(&store.bytes()), "{}", store.bytes());
    step(&store, "a", ask("one")).unwrap();
    // Numbers take more memory than text.
    let grown = step(&store, "a", answer("one", json!(vec![0; 1000]))).unwrap();
    assert!(grown >= 1000 * size_of::<Value>(), "{grown}");
    let kept = |mut change: crate::task::Change| {
        assert!(change.keep("k", json!("x".repeat(3000)), 9));
        change.commit().unwrap()
    };
    assert!(step(&store, "a", kept).unwrap() >= 3000);
    let said = |mut change: crate::task::Change| {
        change.message(Some("x".repeat(2000).into()));
        change.commit().unwrap()
    };
    assert_eq!(step(&store, "a", said).unwrap(), 2000);
    // What was asked and kept goes with the end.
    let heavy = store.bytes();
    let end = |change: crate::task::Change| {
        change.complete(Payload::of(&json!({"x": "x".repeat(3000)})).unwrap(), false)
    };
    step(&store, "a", end).unwrap();
    assert!(store.bytes() < heavy - 20_000);
    for id in ["a", "b"] {
        assert!(store.delete(id));
    }
    assert_eq!((store.bytes(), store.len()), (0, 0));
    assert!(store.owners.iter().all(|owners| owners.lock().is_empty()));
}

#[test]
fn what_has_no_room_is_refused_and_a_task_can_end_all_the_same() {
    let store = MemoryStore::limited(20_000, 10_000);
    let refused = |outcome: Result<usize, StoreError>, of_owner: bool| match outcome {
        Err(StoreError::NoRoom {
            max,
            of_owner: each,
        }) => {
            assert_eq!((max, each), (if each { 10_000 } else { 20_000 }, of_owner));
        }
        other => panic!("{other:?}"),
    };
    let put = |id: &str, owner: Option<&str>, bytes| store.put(task(id, owner, bytes)).map(|()| 0);
    put("a", Some("alice"), 5000).unwrap();
    refused(put("b", Some("alice"), 5000), true);
    refused(put("b", Some("bob"), 12_000), true);
    step(&store, "a", ask("one")).unwrap();
    let full = store.bytes();
    refused(
        step(&store, "a", answer("one", json!("x".repeat(4000)))),
        true,
    );
    assert_eq!(store.bytes(), full);
    // Nobody's tasks have the rest.
    put("c", None, 11_000).unwrap();
    refused(put("d", Some("bob"), 2000), false);
    refused(put("d", None, 2000), false);
    let end = |bytes: usize| {
        move |change: crate::task::Change| {
            change.complete(Payload::of(&"x".repeat(bytes)).unwrap(), false)
        }
    };
    refused(step(&store, "a", end(6000)), true);
    refused(step(&store, "c", end(6000)), false);
    let said = |mut change: crate::task::Change| {
        change.message(Some("x".repeat(4000).into()));
        change.commit().unwrap()
    };
    step(&store, "c", said).unwrap();
    let failed = |bytes: usize| {
        move |change: crate::task::Change| change.fail(TaskFailure::internal("x".repeat(bytes)))
    };
    refused(step(&store, "c", failed(30_000)), false);
    step(&store, "c", failed(3000)).unwrap();
    store.delete("c");
    put("d", Some("bob"), 2000).unwrap();
    // A task that was refused leaves nothing behind.
    let bob = Some(Principal::from("bob"));
    assert_eq!(store.owner(bob.as_ref()).lock()[&bob].positions.len(), 1);
    store.delete("d");
    assert!(!store.owner(bob.as_ref()).lock().contains_key(&bob));
}
