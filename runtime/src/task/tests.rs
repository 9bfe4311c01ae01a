//! The state machine under random steps.

use proptest::{collection::vec, prelude::*};
use serde_json::json;

use super::*;
use crate::context::InputRequest;

#[derive(Clone, Debug)]
enum Step {
    Message(u8),
    Ask(u8),
    Answer(u8),
    Withdraw(u8),
    Keep(u8),
    RequestCancel,
    Complete(bool),
    Fail,
    Cancel,
}

fn step() -> impl Strategy<Value = (Step, i64)> {
    let step = prop_oneof![
        3 => any::<u8>().prop_map(|n| Step::Message(n % 3)),
        6 => any::<u8>().prop_map(|n| Step::Ask(n % 5)),
        6 => any::<u8>().prop_map(|n| Step::Answer(n % 8)),
        2 => any::<u8>().prop_map(|n| Step::Withdraw(n % 8)),
        2 => any::<u8>().prop_map(|n| Step::Keep(n % 3)),
        1 => Just(Step::RequestCancel),
        1 => any::<bool>().prop_map(Step::Complete),
        1 => Just(Step::Fail),
        1 => Just(Step::Cancel),
    ];
    // The wall clock goes on, stands and steps back.
    (step, -2000i64..3000)
}

fn request(n: u8) -> InputRequest {
    InputRequest {
        method: "roots/list".into(),
        params: json!({ "n": n }).as_object().cloned(),
    }
}

fn payload() -> Payload {
    Payload::of(&json!({"content": []})).unwrap()
}

fn begin() -> Task {
    Task::new(NewTask {
        id: TaskId::random().unwrap(),
        owner: Some("alice".into()),
        call: Call {
            tool: "t".into(),
            arguments: Payload::of(&json!({})).unwrap(),
            answers: Payload::of(&json!({})).unwrap(),
            can_ask: Default::default(),
            cooperative: false,
        },
        created_at: Timestamp::from_millis(1_000_000),
        ttl_ms: Some(1000),
        expires_at: Some(Timestamp::from_millis(1_001_000)),
        poll_interval_ms: None,
        worker: Some("w".into()),
        status_message: None,
        kept: Default::default(),
    })
}

fn key(task: &Task, n: u8) -> String {
    // Some keys exist, some never did.
    let keys: Vec<&str> = task
        .journal()
        .unwrap()
        .questions()
        .map(|question| question.key.as_str())
        .collect();
    keys.get(usize::from(n))
        .map_or_else(|| format!("never-{n}"), |key| (*key).to_owned())
}

fn take(task: &Task, step: &Step, wall: Timestamp) -> Option<Task> {
    let mut change = task.change(wall).ok()?;
    match step {
        Step::Message(0) => change.message(None),
        Step::Message(n) => change.message(Some(n.to_string().into())),
        Step::Ask(n) => drop(change.ask(&format!("q{n}"), &request(*n), 10)),
        Step::Answer(n) => {
            let key = key(task, *n);
            let open = task.input_requests().any(|question| question.key == key);
            assert_eq!(change.answer(&key, Answer::Result(json!({}))), open);
            assert!(
                !change.answer(&key, Answer::Result(json!({}))),
                "an answer counts once"
            );
        }
        Step::Withdraw(n) => drop(change.withdraw(&key(task, *n))),
        Step::Keep(n) => drop(change.keep(&format!("k{n}"), json!(n), 9)),
        Step::RequestCancel => change.request_cancel(),
        Step::Complete(is_error) => return Some(change.complete(payload(), *is_error)),
        Step::Fail => return Some(change.fail(TaskFailure::internal("no"))),
        Step::Cancel => return Some(change.cancel("enough")),
    }
    change.commit()
}

proptest! {
    /// covers: M-LIFE-1, M-LIFE-2, M-LIFE-3, M-LIFE-5, M-TIME-1, M-UPD-2, L-LIFE-1
    #[test]
    fn every_walk_keeps_the_rules(steps in vec(step(), 1..60)) {
        let mut task = begin();
        let mut wall = 1_000_000i64;
        let mut issued: Vec<(String, InputRequest)> = Vec::new();
        for (step, passed) in &steps {
            wall += passed;
            let Some(next) = take(&task, step, Timestamp::from_millis(wall)) else {
                if task.is_terminal() {
                    prop_assert!(task.change(Timestamp::from_millis(wall)).is_err());
                }
                continue;
            };
            prop_assert!(!task.is_terminal(), "a terminal task changed");
            prop_assert_eq!(next.version(), task.version() + 1);
            prop_assert!(next.last_updated_at() >= task.last_updated_at());
            prop_assert!(next.last_updated_at() >= next.created_at());
            if !next.looks_like(&task) {
                let latest = Timestamp::from_millis(wall).max(task.last_updated_at());
                prop_assert_eq!(next.last_updated_at(), latest);
            }
            prop_assert_eq!((next.id(), next.owner(), next.created_at(), next.expires_at()),
                (task.id(), task.owner(), task.created_at(), task.expires_at()));
            let open = next.input_requests().count();
            prop_assert_eq!(next.status() == Status::InputRequired, open > 0);
            prop_assert_eq!(next.outcome().is_some(), next.is_terminal());
            if next.status() == Status::Failed {
                prop_assert!(next.status_message().is_some());
            }
            // A key means one question for ever.
            for question in next.input_requests() {
                match issued.iter().find(|(key, _)| *key == question.key) {
                    None => issued.push((question.key.clone(), question.request.clone())),
                    Some((_, request)) => {
                        prop_assert_eq!(request, &question.request);
                        let was_open = task.input_requests().any(|open| open.key == question.key);
                        prop_assert!(was_open, "the key {} came back", question.key);
                    }
                }
            }
            // Nothing is lost on the way to a store and back.
            let json = serde_json::to_string(&next.to_record()).unwrap();
            let back = Task::from_record(serde_json::from_str(&json).unwrap()).unwrap();
            prop_assert_eq!(&back, &next);
            task = next;
        }
    }

    #[test]
    fn a_second_run_finds_what_the_first_was_told(asks in vec((0u8..6, any::<bool>()), 1..12)) {
        let now = Timestamp::from_millis(1_000_001);
        let mut task = begin();
        let mut told = Vec::new();
        let names = crate::context::SlotNames::default();
        for (n, answered) in &asks {
            let slot = names.next(&format!("q{n}"));
            let mut change = task.change(now).unwrap();
            prop_assert_eq!(change.ask(&slot, &request(*n), 99), Ok(Asked::Open(slot.clone())));
            if *answered {
                change.answer(&slot, Answer::Result(json!(told.len())));
                told.push(Asked::Answered(Answer::Result(json!(told.len()))));
            } else {
                told.push(Asked::Open(slot));
            }
            task = change.commit().unwrap();
        }
        let names = crate::context::SlotNames::default();
        let mut again = task.change(now).unwrap();
        for ((n, _), told) in asks.iter().zip(told) {
            prop_assert_eq!(again.ask(&names.next(&format!("q{n}")), &request(*n), 99), Ok(told));
        }
        prop_assert!(again.commit().is_none(), "nothing new was asked");
    }
}

#[test]
fn a_different_question_in_the_same_place_is_refused() {
    let now = Timestamp::from_millis(1);
    let mut change = begin().change(now).unwrap();
    change.ask("q", &request(1), 9).unwrap();
    let task = change.commit().unwrap();
    let refused = task
        .change(now)
        .unwrap()
        .ask("q", &request(2), 9)
        .unwrap_err();
    assert_eq!(refused, AskRefused::Differs { slot: "q".into() });
    assert!(refused.to_string().contains("earlier run"), "{refused}");
}

#[test]
fn questions_are_limited_in_number() {
    let mut change = begin().change(Timestamp::from_millis(1)).unwrap();
    change.ask("a", &request(1), 1).unwrap();
    assert_eq!(
        change.ask("b", &request(1), 1),
        Err(AskRefused::TooMany { limit: 1 })
    );
}

#[test]
fn a_terminal_task_keeps_no_answers() {
    let now = Timestamp::from_millis(1);
    let mut change = begin().change(now).unwrap();
    change.ask("a", &request(1), 9).unwrap();
    change.answer("a", Answer::Result(json!({"secret": 1})));
    let record = change.cancel("enough").to_record();
    assert_eq!(*record.journal, Journal::default());
    assert_eq!(record.worker, None);
}

#[test]
fn contradictory_records_are_refused() {
    let record = begin().to_record();
    for (status, part) in [
        (Status::Completed, "result"),
        (Status::Failed, "error"),
        (Status::InputRequired, "input_required"),
    ] {
        let wrong = TaskRecord {
            status,
            ..record.clone()
        };
        let error = Task::from_record(wrong).unwrap_err();
        assert!(error.to_string().contains(part), "{error}");
    }
    let wrong = TaskRecord {
        result: Some(payload()),
        ..record
    };
    assert!(Task::from_record(wrong).is_err());
}

/// covers: M-TIME-1
#[test]
fn timestamps_are_rfc_3339_in_utc() {
    assert_eq!(
        Timestamp::from_millis(1_767_225_600_007).to_string(),
        "2026-01-01T00:00:00.007Z"
    );
    assert_eq!(
        Timestamp::from_millis(0).to_string(),
        "1970-01-01T00:00:00.000Z"
    );
    assert!(
        Timestamp::from_millis(i64::MAX)
            .to_string()
            .starts_with("9999-")
    );
}

#[test]
fn a_null_in_an_error_is_not_the_same_as_no_data() {
    let error = TaskFailure {
        data: Some(json!(null)),
        ..TaskFailure::internal("x")
    };
    let text = serde_json::to_string(&error).unwrap();
    assert_eq!(text, r#"{"code":-32603,"message":"x","data":null}"#);
    assert_eq!(serde_json::from_str::<TaskFailure>(&text).unwrap(), error);
}
