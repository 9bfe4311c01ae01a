//! Streams that outlive their connections.

use http_body_util::BodyExt;

use super::*;

const LONG: Duration = Duration::from_secs(3600);

async fn frame(response: &mut Response<Body>) -> Option<String> {
    let frame = response.body_mut().frame().await?.unwrap();
    Some(String::from_utf8(frame.into_data().unwrap().to_vec()).unwrap())
}

#[tokio::test]
async fn a_client_that_comes_back_gets_what_it_missed_and_the_rest() {
    let log = EventLog::new(7);
    log.push("a".into());
    let mut first = log.response(From::Untaken, true, LONG, CancellationToken::new(), ());
    assert_eq!(
        frame(&mut first).await.unwrap(),
        "id: 7_0\nretry: 500\ndata: \n\n"
    );
    assert!(frame(&mut first).await.unwrap().starts_with("id: 7_1\n"));
    drop(first);
    log.push("b".into());
    let mut second = log.response(From::After(0), false, LONG, CancellationToken::new(), ());
    assert!(frame(&mut second).await.unwrap().contains("data: a\n"));
    assert!(frame(&mut second).await.unwrap().contains("data: b\n"));
    log.push("c".into());
    log.finish();
    assert!(frame(&mut second).await.unwrap().contains("data: c\n"));
    assert_eq!(frame(&mut second).await, None);
}

#[tokio::test]
async fn a_new_connection_takes_the_place_of_the_old() {
    let log = EventLog::new(0);
    let mut old = log.response(From::Untaken, false, LONG, CancellationToken::new(), ());
    let mut new = log.response(From::Untaken, false, LONG, CancellationToken::new(), ());
    log.push("a".into());
    assert_eq!(frame(&mut old).await, None);
    drop(old);
    assert!(log.is_attached());
    assert!(frame(&mut new).await.unwrap().contains("data: a\n"));
}

#[tokio::test]
async fn a_connection_that_is_let_go_leaves_the_rest_for_the_next() {
    let log = EventLog::new(0);
    let mut first = log.response(From::Untaken, true, LONG, CancellationToken::new(), ());
    frame(&mut first).await.unwrap();
    log.let_go();
    assert_eq!(frame(&mut first).await.unwrap(), "retry: 500\n\n");
    assert_eq!(frame(&mut first).await, None);
    drop(first);
    log.push("reply".into());
    log.finish();
    let mut second = log.response(From::After(0), false, LONG, CancellationToken::new(), ());
    assert!(frame(&mut second).await.unwrap().contains("data: reply\n"));
}

#[tokio::test]
async fn a_lone_reply_needs_no_stream() {
    let log = EventLog::new(0);
    log.end("reply".into());
    log.ready().await;
    assert_eq!(log.take_only().as_deref(), Some("reply"));
    let log = EventLog::new(0);
    log.push("progress".into());
    log.end("reply".into());
    assert_eq!(log.take_only(), None);
}

#[tokio::test(start_paused = true)]
async fn a_stream_is_abandoned_when_nobody_is_attached_for_long_enough() {
    let log = EventLog::new(0);
    let mut response = log.response(From::Untaken, true, LONG, CancellationToken::new(), ());
    frame(&mut response).await.unwrap();
    let waiting = log.abandoned(Duration::from_secs(60));
    tokio::pin!(waiting);
    assert!(
        tokio::time::timeout(Duration::from_secs(600), &mut waiting)
            .await
            .is_err()
    );
    drop(response);
    assert!(
        tokio::time::timeout(Duration::from_secs(59), &mut waiting)
            .await
            .is_err()
    );
    assert!(
        tokio::time::timeout(Duration::from_secs(2), &mut waiting)
            .await
            .is_ok()
    );
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_no_client_can_come_back_to_is_abandoned_at_once() {
    let log = EventLog::new(0);
    let response = log.response(From::Untaken, true, LONG, CancellationToken::new(), ());
    drop(response);
    assert!(
        tokio::time::timeout(Duration::from_millis(1), log.abandoned(LONG))
            .await
            .is_ok()
    );
}

async fn is_due(wait: impl Future<Output = ()>) -> bool {
    tokio::time::timeout(Duration::from_millis(1), wait)
        .await
        .is_ok()
}

/// covers: L-INP-2
#[tokio::test(start_paused = true)]
async fn a_message_is_lost_when_its_connection_is_gone_for_long_and_found_when_the_client_resumes()
{
    let log = EventLog::new(0);
    let mut first = log.response(From::Untaken, false, LONG, CancellationToken::new(), ());
    let sent = log.send("question".into()).await;
    frame(&mut first).await.unwrap();
    assert!(!is_due(log.lost(sent)).await);
    drop(first);
    assert!(!is_due(log.lost(sent)).await);
    tokio::time::advance(AWAY).await;
    assert!(is_due(log.lost(sent)).await);
    assert!(!is_due(log.found(sent)).await);
    let _second = log.response(From::After(1), false, LONG, CancellationToken::new(), ());
    assert!(is_due(log.found(sent)).await);
    assert!(!is_due(log.lost(sent)).await);
    log.finish();
    assert!(is_due(log.lost(sent)).await);
}

/// covers: L-INP-2
#[tokio::test(start_paused = true)]
async fn a_message_that_was_taken_is_lost_when_the_client_begins_anew() {
    let log = EventLog::new(0);
    let mut first = log.response(From::Untaken, false, LONG, CancellationToken::new(), ());
    let taken = log.send("taken".into()).await;
    frame(&mut first).await.unwrap();
    let waiting = log.send("waiting".into()).await;
    let mut second = log.response(From::Untaken, false, LONG, CancellationToken::new(), ());
    assert!(is_due(log.lost(taken)).await);
    assert!(!is_due(log.found(taken)).await);
    assert!(!is_due(log.lost(waiting)).await);
    assert!(frame(&mut second).await.unwrap().contains("waiting"));
}

#[tokio::test]
async fn a_client_that_falls_behind_misses_notifications_alone_and_is_told() {
    let log = EventLog::new(0);
    let mut response = log.response(From::Untaken, false, LONG, CancellationToken::new(), ());
    log.notify("first".into()).await;
    let question = log.send("question".into()).await;
    for number in 0..2 * KEPT {
        log.notify(format!("n{number}")).await;
    }
    log.push("reply".into());
    log.finish();
    let mut all = Vec::new();
    while let Some(frame) = frame(&mut response).await {
        all.push(frame);
    }
    assert_eq!(all.len(), KEPT);
    // The first one went for the notifications after it.
    assert!(all[0].starts_with(": 1 messages are missing here\nid: 0_2\n"));
    assert!(all[0].contains("data: question\n"));
    assert_eq!(question.0, 2);
    let missing = KEPT + 2;
    assert!(all[1].starts_with(&format!(": {missing} messages are missing here\n")));
    assert!(all[KEPT - 1].contains("data: reply\n"));
}

#[tokio::test]
async fn what_was_sent_makes_room_for_what_was_not() {
    let log = EventLog::new(0);
    let mut response = log.response(From::Untaken, false, LONG, CancellationToken::new(), ());
    log.push("question".into());
    frame(&mut response).await.unwrap();
    for number in 0..KEPT {
        log.notify(format!("n{number}")).await;
    }
    for number in 0..KEPT {
        let frame = frame(&mut response).await.unwrap();
        assert!(frame.contains(&format!("data: n{number}\n")), "{frame}");
        assert!(!frame.contains("missing"), "{frame}");
    }
}

/// covers: L-INP-2
#[tokio::test]
async fn a_question_that_was_dropped_unsent_is_lost() {
    let log = EventLog::new(0);
    let _response = log.response(From::Untaken, false, LONG, CancellationToken::new(), ());
    let first = log.send("first".into()).await;
    for number in 0..KEPT {
        log.push(format!("q{number}"));
    }
    assert!(is_due(log.lost(first)).await);
    assert!(!is_due(log.found(first)).await);
}

#[tokio::test]
async fn a_new_connection_is_primed_with_where_it_begins() {
    let log = EventLog::new(0);
    let mut first = log.response(From::Untaken, true, LONG, CancellationToken::new(), ());
    frame(&mut first).await.unwrap();
    let old = log.send("old".into()).await;
    frame(&mut first).await.unwrap();
    let mut second = log.response(From::Untaken, true, LONG, CancellationToken::new(), ());
    assert_eq!(
        frame(&mut second).await.unwrap(),
        "id: 0_1\nretry: 500\ndata: \n\n"
    );
    log.push("new".into());
    let mut third = log.response(From::After(1), false, LONG, CancellationToken::new(), ());
    assert_eq!(
        frame(&mut third).await.unwrap(),
        "id: 0_2\nevent: message\ndata: new\n\n"
    );
    // It began after the old message, so that was not found again.
    assert!(is_due(log.lost(old)).await);
}

#[tokio::test]
async fn a_question_that_is_over_is_not_sent_again() {
    let log = EventLog::new(0);
    let mut first = log.response(From::Untaken, true, LONG, CancellationToken::new(), ());
    frame(&mut first).await.unwrap();
    let seen = log.send("seen".into()).await;
    frame(&mut first).await.unwrap();
    let unseen = log.send("unseen".into()).await;
    log.push("reply".into());
    assert!(log.over(seen));
    assert!(!log.over(unseen));
    log.finish();
    let mut second = log.response(From::After(0), false, LONG, CancellationToken::new(), ());
    assert_eq!(
        frame(&mut second).await.unwrap(),
        "id: 0_3\nevent: message\ndata: reply\n\n"
    );
    assert_eq!(frame(&mut second).await, None);
}

#[test]
fn event_ids_are_read_back() {
    assert_eq!(read_event_id("7_12"), Some((7, 12)));
    for wrong in ["", "7", "7_", "_1", "a_b", "7_1_2"] {
        assert_eq!(read_event_id(wrong), None, "{wrong}");
    }
}

#[tokio::test]
async fn what_came_before_the_end_is_sent_before_it() {
    // Often enough to see that it is no matter of luck.
    for _ in 0..50 {
        let log = EventLog::new(0);
        let end = CancellationToken::new();
        let mut response = log.response(From::Untaken, false, LONG, end.clone(), ());
        let mut waiting = Box::pin(frame(&mut response));
        assert!(futures_util::poll!(&mut waiting).is_pending());
        log.push("reply".into());
        end.cancel();
        assert!(waiting.await.unwrap().contains("data: reply\n"));
        assert_eq!(frame(&mut response).await, None);
    }
}
