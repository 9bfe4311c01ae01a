//! Questions and answers.

use std::future::IntoFuture;

use super::*;
use crate::context::AskError;

fn accept(content: Value) -> Value {
    json!({"action": "accept", "content": content})
}

/// Asks two things at once, then one more.
fn inquisitive() -> Tool {
    tool(|ctx| async move {
        let name = ctx.elicit::<String>("Name?").named("name");
        let age = ctx.elicit::<u8>("Age?").named("age");
        let (name, age) = tokio::join!(name.into_future(), age.into_future());
        let (name, age) = (name?.required()?, age?.required()?);
        let again = ctx.elicit::<String>("Name again?").named("name").await?;
        done(&format!("{name} {age} {again:?}"))
    })
}

fn open(task: &Task) -> Vec<String> {
    task.input_requests()
        .map(|question| question.key.clone())
        .collect()
}

/// covers: M-LIFE-2, M-LIFE-3, M-UPD-2
#[tokio::test(start_paused = true)]
async fn several_questions_are_open_at_once_and_answered_in_parts() {
    let engine = engine();
    let id = engine.go(inquisitive()).await;
    assert_eq!(open(&*engine.look(&id).await), ["name", "age"]);

    let answers = [
        ("age".to_owned(), accept(json!({"value": 7}))),
        ("never".to_owned(), json!({"nonsense": true})),
    ];
    let task = engine.answer(&id, None, answers).await.unwrap();
    assert_eq!(
        (task.status(), open(&task)),
        (Status::InputRequired, vec!["name".to_owned()])
    );

    // A second answer to the same key has no effect, whatever it says.
    engine
        .answer(&id, None, [("age".to_owned(), json!("odd"))])
        .await
        .unwrap();
    let task = engine
        .answer(
            &id,
            None,
            [("name".to_owned(), accept(json!({"value": "Ada"})))],
        )
        .await
        .unwrap();
    assert_eq!((task.status(), open(&task)), (Status::Working, vec![]));
    assert_eq!(
        open(&*engine.look(&id).await),
        ["name-2"],
        "the key is not used again"
    );

    engine
        .answer(
            &id,
            None,
            [("name-2".to_owned(), json!({"action": "decline"}))],
        )
        .await
        .unwrap();
    assert_eq!(result(&engine.end(&id).await), text("Ada 7 Declined"));
    // Late answers are ignored too.
    engine
        .answer(
            &id,
            None,
            [("name".to_owned(), accept(json!({"value": "B"})))],
        )
        .await
        .unwrap();
}

#[tokio::test(start_paused = true)]
async fn one_bad_answer_leaves_all_questions_open() {
    let engine = engine();
    let id = engine.go(inquisitive()).await;
    let before = engine.look(&id).await;
    let answers = [
        ("name".to_owned(), accept(json!({"value": "Ada"}))),
        ("age".to_owned(), accept(json!({"value": "seven"}))),
    ];
    let error = engine.answer(&id, None, answers).await.unwrap_err();
    assert!(
        matches!(&error, EngineError::BadAnswer { key, .. } if key == "age"),
        "{error:?}"
    );
    assert!(error.to_string().contains("`value`"), "{error}");
    assert_eq!(engine.look(&id).await, before);
}

/// Asks five things at once.
fn ask_at_once() -> Tool {
    tool(|ctx| async move {
        let ask = |name: &str| ctx.elicit::<String>("?").named(name).into_future();
        let answers = tokio::join!(ask("a"), ask("b"), ask("c"), ask("d"), ask("e"));
        done(&format!("{answers:?}"))
    })
}

#[tokio::test(start_paused = true)]
async fn questions_of_a_call_that_was_no_task_yet_are_asked_in_their_order() {
    let engine = engine();
    let tool = with(ask_at_once(), |options| options.inline_for = Some(SECOND));
    let id = engine.go(tool).await;
    assert_eq!(open(&*engine.look(&id).await), ["a", "b", "c", "d", "e"]);
}

/// Asks, and leaves that question alone when it does not come at once.
#[tokio::test(start_paused = true)]
async fn a_question_that_waits_for_its_task_holds_no_other_up() {
    let engine = engine();
    let distracted = with(
        tool(|ctx| async move {
            let mut first = ctx.elicit::<String>("?").named("first").into_future();
            assert!(futures_util::poll!(&mut first).is_pending());
            let _ = ctx.elicit::<String>("?").named("second").await;
            done("x")
        }),
        |options| options.inline_for = Some(SECOND),
    );
    let id = engine.go(distracted).await;
    let asked = open(&*engine.look(&id).await);
    assert!(asked.contains(&"second".to_owned()), "{asked:?}");
}

/// covers: M-UPD-4, F27
#[tokio::test(start_paused = true)]
async fn what_the_client_did_not_declare_is_not_asked() {
    let engine = engine();
    let asks = tool(|ctx| async move {
        let error = ctx.roots().await.unwrap_err();
        assert_eq!(error, AskError::NotSupported("roots"));
        ctx.elicit_url("Open", "https://example.com").await?;
        done("never")
    });
    let can_ask = InputKinds {
        form: true,
        ..InputKinds::default()
    };
    let task = started(
        engine
            .start(Launch {
                can_ask,
                ..launch(asks)
            })
            .await
            .unwrap(),
    );
    let task = engine.end(task.id().as_str()).await;
    assert!(matches!(
        task.outcome(),
        Some(Outcome::Completed { is_error: true, .. })
    ));
    assert!(
        task.status_message().unwrap().contains("elicitation.url"),
        "{task:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_refused_question_is_an_error_in_the_tool() {
    let engine = engine();
    let asks = tool(|ctx| async move {
        let error = ctx
            .sample(json!({"messages": [], "maxTokens": 1}))
            .await
            .unwrap_err();
        done(&error.to_string())
    });
    let id = engine.go(asks).await;
    assert_eq!(open(&*engine.look(&id).await), ["sampling"]);
    engine
        .refuse(&id, None, "sampling", "no model here")
        .await
        .unwrap();
    assert_eq!(result(&engine.end(&id).await), text("no model here"));
}

#[tokio::test(start_paused = true)]
async fn a_question_that_the_tool_gives_up_is_withdrawn() {
    let engine = engine();
    let impatient = tool(|ctx| async move {
        let name = ctx.elicit::<String>("Name?").named("name").into_future();
        let first = tokio::time::timeout(SECOND, name).await;
        assert!(first.is_err());
        tokio::time::sleep(10 * SECOND).await;
        done("gave up")
    });
    let id = engine.go(impatient).await;
    assert_eq!(engine.look(&id).await.status(), Status::InputRequired);
    tokio::time::sleep(2 * SECOND).await;
    assert_eq!(engine.look(&id).await.status(), Status::Working);
    let late = [("name".to_owned(), accept(json!({"value": "late"})))];
    engine.answer(&id, None, late).await.unwrap();
    assert_eq!(result(&engine.end(&id).await), text("gave up"));
}

/// covers: F23
#[tokio::test(start_paused = true)]
async fn of_two_answers_at_once_one_is_delivered() {
    let engine = engine();
    for _ in 0..20 {
        let id = engine.go(tool(|ctx| async move {
            done(
                &ctx.elicit::<String>("Name?")
                    .named("name")
                    .await?
                    .required()?,
            )
        }));
        let id = id.await;
        engine.look(&id).await;
        let answer = |name: &str| {
            engine.answer(
                &id,
                None,
                [("name".to_owned(), accept(json!({"value": name})))],
            )
        };
        let (a, b) = tokio::join!(answer("a"), answer("b"));
        a.unwrap();
        b.unwrap();
        assert_eq!(result(&engine.end(&id).await), text("a"));
    }
}

#[tokio::test(start_paused = true)]
async fn the_number_of_questions_is_limited() {
    let engine = limited(Limits::default().inputs_per_task(1));
    let asks = tool(|ctx| async move {
        ctx.roots().await?;
        ctx.roots().await?;
        done("never")
    });
    let id = engine.go(asks).await;
    engine.look(&id).await;
    engine
        .answer(&id, None, [("roots".to_owned(), json!({"roots": []}))])
        .await
        .unwrap();
    let task = engine.end(&id).await;
    assert!(
        task.status_message()
            .unwrap()
            .contains("which is the limit"),
        "{task:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn the_number_of_kept_values_is_limited() {
    let engine = limited(Limits::default().inputs_per_task(1));
    let keeps = tool(|ctx| async move {
        ctx.once("one", async { 1 }).await?;
        assert_eq!(ctx.once("one", async { 2 }).await, Ok(1));
        ctx.once("two", async { 2 }).await?;
        done("never")
    });
    let id = engine.go(keeps).await;
    let task = engine.end(&id).await;
    assert!(
        task.status_message().unwrap().contains("at most 1 values"),
        "{task:?}"
    );
}
