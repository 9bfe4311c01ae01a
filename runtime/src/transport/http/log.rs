//! An event stream of a legacy session that outlives its connections.
//!
//! Each message gets an id. A client whose connection was lost asks for what came after the last id that it saw. One
//! connection at a time is attached; a new one takes the place of the old.
//!
//! A stream keeps a bounded number of messages. Those that were sent go first, then notifications that were not: requests
//! and replies are kept for a client that falls behind. Where messages are missing, a comment in the stream says so.

#[cfg(test)]
mod tests;

use std::{collections::VecDeque, convert::Infallible, sync::Arc, time::Duration};

use axum::body::Body;
use bytes::Bytes;
use futures_util::stream;
use http::Response;
use parking_lot::Mutex;
use tokio::{
    sync::watch,
    time::{Instant, sleep_until},
};
use tokio_util::sync::CancellationToken;

use crate::{
    BoxFuture,
    protocol::legacy::{Sent, Wire},
};

use super::reply;

/// Messages kept for a client that comes back or falls behind, at most.
const KEPT: usize = 256;
/// Milliseconds that a client should wait before it comes back.
const RETRY: u64 = 500;
/// How long a client may stay away before what it was asked is asked elsewhere.
const AWAY: Duration = Duration::from_millis(2 * RETRY);

/// The messages of one stream, and who is attached to it.
pub(super) struct EventLog {
    /// The stream's number in its session, the first half of event ids.
    number: u64,
    state: Mutex<State>,
    /// Ticks on every change of `state`.
    changed: watch::Sender<()>,
}

#[derive(Default)]
struct State {
    events: VecDeque<Event>,
    /// Number of the next event. They begin at 1; 0 primes the first connection.
    next: u64,
    /// The first event that no connection has taken yet.
    untaken: u64,
    /// Events before this one went to a connection that is gone, and the client began anew instead of resuming.
    forgotten: u64,
    done: bool,
    /// The connection that is attached, if any. Numbers grow.
    attached: Option<u64>,
    attachments: u64,
    /// The attached connection is to be closed; the client may come back.
    let_go: bool,
    /// When the last connection went.
    alone_since: Option<Instant>,
    /// A connection was given an id to come back with.
    resumable: bool,
    /// It was said that the client falls behind.
    warned: bool,
}

/// A message of a stream.
#[derive(Clone)]
struct Event {
    number: u64,
    message: Arc<str>,
    /// A notification: the client can do without it.
    spare: bool,
    /// A question that waits for no answer any more: it is not sent again.
    over: bool,
}

impl State {
    /// Drops a message when there are too many.
    fn make_room(&mut self) {
        if self.events.len() <= KEPT {
            return;
        }
        let taken = |event: &Event| event.number < self.untaken;
        // They are in order, so this is the oldest if any was sent.
        let surplus = self
            .events
            .iter()
            .position(|event| taken(event) || event.spare)
            .unwrap_or_default();
        let dropped = self.events.remove(surplus);
        let unsent = dropped.is_some_and(|event| event.number >= self.untaken && !event.over);
        if unsent && !self.warned {
            self.warned = true;
            tracing::warn!(
                kept = KEPT,
                "a client of a legacy session does not keep up; notifications for it are dropped"
            );
        }
    }

    /// Whether a message was dropped before any connection took it.
    fn dropped(&self, number: u64) -> bool {
        number >= self.untaken && self.events.iter().all(|event| event.number != number)
    }
}

/// Where a new connection begins.
#[derive(Clone, Copy, Debug)]
pub(super) enum From {
    /// At the first event that no connection has taken.
    Untaken,
    /// After an event that the client has seen.
    After(u64),
}

impl EventLog {
    pub(super) fn new(number: u64) -> Arc<Self> {
        let state = State {
            next: 1,
            untaken: 1,
            alone_since: Some(Instant::now()),
            ..State::default()
        };
        Arc::new(Self {
            number,
            state: Mutex::new(state),
            changed: watch::Sender::new(()),
        })
    }

    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// Adds a message that must arrive, unless the stream has ended.
    pub(super) fn push(&self, message: String) -> u64 {
        self.add(message, false, false)
    }

    /// Adds the last message. Whoever sees it sees that the stream has ended, so that a lone reply is never taken for the
    /// first message of several.
    pub(super) fn end(&self, message: String) {
        self.add(message, false, true);
    }

    fn add(&self, message: String, spare: bool, last: bool) -> u64 {
        let mut state = self.state.lock();
        let number = state.next;
        if state.done {
            return number;
        }
        state.done = last;
        state.next += 1;
        state.events.push_back(Event {
            number,
            message: message.into(),
            spare,
            over: false,
        });
        state.make_room();
        drop(state);
        self.changed.send_replace(());
        number
    }

    /// Says that nothing more will come.
    pub(super) fn finish(&self) {
        self.state.lock().done = true;
        self.changed.send_replace(());
    }

    /// Closes the attached connection. The client comes back for the rest.
    pub(super) fn let_go(&self) {
        self.state.lock().let_go = true;
        self.changed.send_replace(());
    }

    pub(super) fn is_done(&self) -> bool {
        self.state.lock().done
    }

    /// Whether this stream has had an event of this number, which may be the one that primes.
    pub(super) fn has_had(&self, event: u64) -> bool {
        event < self.state.lock().next
    }

    #[cfg(test)]
    fn is_attached(&self) -> bool {
        self.state.lock().attached.is_some()
    }

    /// Takes the only message if that is the last one, so that it can be sent without a stream.
    pub(super) fn take_only(&self) -> Option<Arc<str>> {
        let mut state = self.state.lock();
        if !state.done || state.let_go || state.events.len() != 1 || state.untaken != 1 {
            return None;
        }
        state.untaken = state.next;
        state.events.pop_front().map(|event| event.message)
    }

    /// Waits until there is something to send, or the stream is to be closed or has ended.
    pub(super) async fn ready(&self) {
        let mut changed = self.changed.subscribe();
        loop {
            {
                let state = self.state.lock();
                if state.done || state.let_go || !state.events.is_empty() {
                    return;
                }
            }
            if changed.changed().await.is_err() {
                return;
            }
        }
    }

    /// Waits until no connection has been attached for as long as this; not at all when no client can come back.
    pub(super) async fn abandoned(&self, patience: Duration) {
        self.until(|state| match state.alone_since {
            None => Due::Later,
            Some(since) if state.resumable => Due::At(since + patience),
            Some(_) => Due::Now,
        })
        .await;
    }

    /// Waits until a connection is attached.
    pub(super) async fn attached(&self) {
        self.until(|state| match state.attached {
            Some(_) => Due::Now,
            None => Due::Later,
        })
        .await;
    }

    /// Waits until the stream has ended.
    pub(super) async fn ended(&self) {
        self.until(|state| if state.done { Due::Now } else { Due::Later })
            .await;
    }

    /// Bytes of the messages that are kept.
    pub(super) fn bytes(&self) -> usize {
        let state = self.state.lock();
        state.events.iter().map(|event| event.message.len()).sum()
    }

    /// Waits until something is due.
    async fn until(&self, due: impl Fn(&State) -> Due) {
        let mut changed = self.changed.subscribe();
        loop {
            changed.mark_unchanged();
            let due = due(&self.state.lock());
            let closed = match due {
                Due::Now => return,
                Due::At(time) => tokio::select! {
                    () = sleep_until(time) => return,
                    changed = changed.changed() => changed.is_err(),
                },
                Due::Later => changed.changed().await.is_err(),
            };
            if closed {
                return;
            }
        }
    }

    /// Attaches a connection.
    fn attach(self: &Arc<Self>, from: From) -> Attachment {
        let mut state = self.state.lock();
        state.attachments += 1;
        let number = state.attachments;
        state.attached = Some(number);
        state.alone_since = None;
        state.let_go &= state.untaken == 1 && matches!(from, From::Untaken);
        let next = match from {
            From::Untaken => {
                state.forgotten = state.untaken;
                state.untaken
            }
            From::After(seen) => {
                // What came before was seen, the rest comes now; unless the id is from after the new beginning.
                if seen + 1 < state.forgotten {
                    state.forgotten = 0;
                }
                seen + 1
            }
        };
        drop(state);
        self.changed.send_replace(());
        Attachment {
            log: Arc::clone(self),
            number,
            next,
            changed: self.changed.subscribe(),
        }
    }

    /// A response that sends what is there and what comes, until the stream ends or `end` fires. With `prime` it begins
    /// with an event that holds nothing but an id, so that the client can come back from where this response begins.
    pub(super) fn response(
        self: &Arc<Self>,
        from: From,
        prime: bool,
        keep_alive: Duration,
        end: CancellationToken,
        guard: impl Send + 'static,
    ) -> Response<Body> {
        let reader = Reader {
            attachment: self.attach(from),
            prime,
            keep_alive,
            end,
            over: false,
            _guard: guard,
        };
        let body = stream::unfold(reader, |mut reader| async move {
            let chunk = reader.next().await?;
            Some((Ok::<_, Infallible>(chunk), reader))
        });
        reply::event_stream(Body::from_stream(body))
    }
}

/// When something happens, as far as is known now.
enum Due {
    Now,
    At(Instant),
    Later,
}

impl Wire for EventLog {
    fn send(&self, message: String) -> BoxFuture<'_, Sent> {
        Box::pin(std::future::ready(Sent(self.push(message))))
    }

    fn notify(&self, message: String) -> BoxFuture<'_, ()> {
        self.add(message, true, false);
        Box::pin(std::future::ready(()))
    }

    fn notify_now(&self, message: String) {
        self.add(message, true, false);
    }

    fn over(&self, Sent(number): Sent) -> bool {
        let mut state = self.state.lock();
        let taken = number < state.untaken;
        let event = state.events.iter_mut().find(|event| event.number == number);
        if let Some(event) = event {
            event.message = "".into();
            event.spare = true;
            event.over = true;
        }
        taken
    }

    fn is_open(&self) -> bool {
        let state = self.state.lock();
        state.attached.is_some() && !state.done
    }

    fn lost(&self, Sent(number): Sent) -> BoxFuture<'_, ()> {
        Box::pin(self.until(move |state| {
            if state.done || number < state.forgotten || state.dropped(number) {
                return Due::Now;
            }
            match state.alone_since {
                Some(since) => Due::At(since + AWAY),
                None => Due::Later,
            }
        }))
    }

    fn found(&self, Sent(number): Sent) -> BoxFuture<'_, ()> {
        Box::pin(self.until(move |state| {
            let gone = state.done || number < state.forgotten || state.dropped(number);
            if state.attached.is_some() && !gone {
                Due::Now
            } else {
                Due::Later
            }
        }))
    }
}

/// A connection that is attached to a stream.
struct Attachment {
    log: Arc<EventLog>,
    number: u64,
    next: u64,
    changed: watch::Receiver<()>,
}

enum Step {
    Event {
        number: u64,
        message: Arc<str>,
        /// How many events before it are not kept any more.
        missed: u64,
    },
    LetGo,
    End,
    Wait,
}

impl Attachment {
    fn step(&mut self) -> Step {
        let mut state = self.log.state.lock();
        if state.attached != Some(self.number) {
            return Step::End;
        }
        if state.let_go {
            return Step::LetGo;
        }
        let found = state
            .events
            .iter()
            .find(|event| event.number >= self.next && !event.over)
            .cloned();
        match found {
            Some(Event {
                number, message, ..
            }) => {
                let between = self.next..number;
                let over = state
                    .events
                    .iter()
                    .filter(|event| event.over && between.contains(&event.number))
                    .count() as u64;
                let missed = number - self.next - over;
                self.next = number + 1;
                state.untaken = state.untaken.max(self.next);
                state.resumable = true;
                Step::Event {
                    number,
                    message,
                    missed,
                }
            }
            None if state.done => Step::End,
            None => Step::Wait,
        }
    }
}

impl Drop for Attachment {
    fn drop(&mut self) {
        let mut state = self.log.state.lock();
        if state.attached == Some(self.number) {
            state.attached = None;
            state.let_go = false;
            state.alone_since = Some(Instant::now());
            drop(state);
            self.log.changed.send_replace(());
        }
    }
}

struct Reader<G> {
    attachment: Attachment,
    prime: bool,
    keep_alive: Duration,
    end: CancellationToken,
    over: bool,
    _guard: G,
}

impl<G> Reader<G> {
    async fn next(&mut self) -> Option<Bytes> {
        if self.over {
            return None;
        }
        let stream = self.attachment.log.number;
        if std::mem::take(&mut self.prime) {
            self.attachment.log.state.lock().resumable = true;
            // What came before is not for this connection, and not for the one that comes back in its place.
            let before = self.attachment.next - 1;
            return Some(format!("id: {stream}_{before}\nretry: {RETRY}\ndata: \n\n").into());
        }
        let silent_until = Instant::now() + self.keep_alive;
        loop {
            match self.attachment.step() {
                Step::Event {
                    number,
                    message,
                    missed,
                } => {
                    let gap = match missed {
                        0 => String::new(),
                        missed => format!(": {missed} messages are missing here\n"),
                    };
                    let event =
                        format!("{gap}id: {stream}_{number}\nevent: message\ndata: {message}\n\n");
                    return Some(event.into());
                }
                Step::LetGo => {
                    self.over = true;
                    return Some(format!("retry: {RETRY}\n\n").into());
                }
                Step::End => return None,
                Step::Wait => {}
            }
            tokio::select! {
                // First: what came before the end is sent before it.
                biased;
                changed = self.attachment.changed.changed() => if changed.is_err() { return None },
                () = self.end.cancelled() => return None,
                () = sleep_until(silent_until) => return Some(reply::comment()),
            }
        }
    }
}

/// Reads an event id: the stream's number and the event's.
pub(super) fn read_event_id(id: &str) -> Option<(u64, u64)> {
    let (stream, event) = id.split_once('_')?;
    Some((stream.parse().ok()?, event.parse().ok()?))
}
