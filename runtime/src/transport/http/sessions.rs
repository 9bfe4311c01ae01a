//! The legacy sessions that are open over HTTP, and their streams.

use std::{
    collections::{HashMap, VecDeque},
    sync::{
        Arc,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::Duration,
};

use parking_lot::Mutex;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::{
    gauge::{Gauge, Permit},
    protocol::legacy::{Hello, Session, belongs_to},
    server::{Limits, RpcError},
    task::{Principal, TaskId},
};

use super::log::EventLog;

/// Streams of a session that have ended and are kept for clients that come back, at most.
const ENDED: usize = 8;
/// Bytes of their messages, at most. The newest one is kept whatever its size.
const ENDED_BYTES: usize = 8 << 20;
/// How often idle sessions are looked for.
const SWEEP: Duration = Duration::from_secs(30);

/// All open sessions.
#[derive(Default)]
pub(crate) struct Sessions(Mutex<Table>);

#[derive(Default)]
struct Table {
    open: HashMap<String, Open>,
    gauge: Gauge,
    swept: Option<Instant>,
}

/// A session in the table. It gives its place back when it leaves, whoever still holds the session.
struct Open {
    http: Arc<HttpSession>,
    _place: Permit,
}

/// A session and its streams.
pub(crate) struct HttpSession {
    pub(super) session: Arc<Session>,
    /// The stream that GET opens.
    pub(super) channel: Arc<EventLog>,
    streams: Mutex<VecDeque<Arc<EventLog>>>,
    next_stream: AtomicU64,
    used: Mutex<Instant>,
    /// Requests and connections that keep the session from being idle.
    busy: AtomicUsize,
}

/// Keeps a session from being idle. Dropping it starts the clock again.
pub(super) struct Busy(Arc<HttpSession>);

impl Sessions {
    /// Opens a session.
    pub(super) fn open(
        &self,
        hello: Hello,
        principal: Option<Principal>,
        limits: &Limits,
        shutdown: &CancellationToken,
    ) -> Result<Arc<HttpSession>, RpcError> {
        let id = TaskId::random().map_err(|error| {
            RpcError::internal(format!(
                "no random bytes from the operating system: {error}"
            ))
        })?;
        let mut table = self.0.lock();
        table.sweep(limits.session_idle);
        let place = limits.open_session(&table.gauge, principal.as_ref())?;
        let channel = EventLog::new(0);
        let lists_tasks = principal.is_some();
        let closed = shutdown.child_token();
        let session = Session::new(
            id.as_str().to_owned(),
            hello,
            principal,
            lists_tasks,
            channel.clone(),
            closed.clone(),
            // A client whose connections are gone may come back as long as the session lives.
            closed,
        );
        let opened = Arc::new(HttpSession {
            session,
            channel,
            streams: Mutex::default(),
            next_stream: AtomicU64::new(1),
            used: Mutex::new(Instant::now()),
            busy: AtomicUsize::new(0),
        });
        let open = Open {
            http: Arc::clone(&opened),
            _place: place,
        };
        table.open.insert(id.as_str().to_owned(), open);
        Ok(opened)
    }

    /// The open session with this id, if it is this caller's.
    pub(super) fn get(
        &self,
        id: &str,
        principal: Option<&Principal>,
        limits: &Limits,
    ) -> Option<Arc<HttpSession>> {
        let mut table = self.0.lock();
        table.sweep(limits.session_idle);
        table
            .open
            .get(id)
            .map(|open| &open.http)
            .filter(|http| belongs_to(&http.session, principal))
            .cloned()
    }

    /// Ends a session.
    pub(super) fn close(&self, session: &HttpSession) {
        self.0.lock().open.remove(&session.session.id);
        session.end();
    }

    /// How many are open.
    pub(crate) fn count(&self) -> usize {
        self.0.lock().open.len()
    }
}

impl Table {
    fn sweep(&mut self, idle: Duration) {
        let now = Instant::now();
        if self
            .swept
            .is_some_and(|swept| now - swept < SWEEP.min(idle))
        {
            return;
        }
        self.swept = Some(now);
        self.open.retain(|_, Open { http, .. }| {
            let keep = http.busy.load(Ordering::Acquire) > 0 || now - *http.used.lock() < idle;
            if !keep {
                http.end();
            }
            keep
        });
    }
}

impl HttpSession {
    fn end(&self) {
        self.session.closed.cancel();
        self.channel.finish();
    }

    /// Keeps the session from being idle.
    pub(super) fn busy(self: &Arc<Self>) -> Busy {
        self.busy.fetch_add(1, Ordering::AcqRel);
        Busy(Arc::clone(self))
    }

    /// A new stream for a request.
    pub(super) fn new_stream(&self) -> Arc<EventLog> {
        let log = EventLog::new(self.next_stream.fetch_add(1, Ordering::Relaxed));
        let mut streams = self.streams.lock();
        drop_ended(&mut streams);
        streams.push_back(Arc::clone(&log));
        log
    }

    /// Lets go of streams that have ended, if there is too much of them.
    pub(super) fn make_room(&self) {
        drop_ended(&mut self.streams.lock());
    }

    /// Forgets a stream that nobody will come back for.
    pub(super) fn forget(&self, number: u64) {
        self.streams
            .lock()
            .retain(|stream| stream.number() != number);
    }

    /// The stream with this number.
    pub(super) fn stream(&self, number: u64) -> Option<Arc<EventLog>> {
        if number == 0 {
            return Some(Arc::clone(&self.channel));
        }
        self.streams
            .lock()
            .iter()
            .find(|stream| stream.number() == number)
            .cloned()
    }
}

fn drop_ended(streams: &mut VecDeque<Arc<EventLog>>) {
    let (mut count, mut bytes) = (0, 0);
    // The newest first: its client is the likeliest to come back.
    for at in (0..streams.len()).rev() {
        if !streams[at].is_done() {
            continue;
        }
        count += 1;
        bytes += streams[at].bytes();
        if count > ENDED || (count > 1 && bytes > ENDED_BYTES) {
            streams.remove(at);
        }
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        *self.0.used.lock() = Instant::now();
        self.0.busy.fetch_sub(1, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_of_ended_streams_is_bounded() {
        let stream = |number, bytes: usize, ended: bool| {
            let log = EventLog::new(number);
            log.push("x".repeat(bytes));
            if ended {
                log.finish();
            }
            log
        };
        let left = |streams: &VecDeque<Arc<EventLog>>| -> Vec<u64> {
            streams.iter().map(|log| log.number()).collect()
        };
        let mut small: VecDeque<_> = (0..20).map(|n| stream(n, 10, n != 3)).collect();
        drop_ended(&mut small);
        assert_eq!(left(&small), [3, 12, 13, 14, 15, 16, 17, 18, 19]);
        let mut large: VecDeque<_> = (0..5).map(|n| stream(n, 3 << 20, n != 1)).collect();
        drop_ended(&mut large);
        assert_eq!(left(&large), [1, 3, 4]);
        let mut huge = VecDeque::from([stream(0, 10, true), stream(1, 9 << 20, true)]);
        drop_ended(&mut huge);
        assert_eq!(left(&huge), [1]);
    }
}
