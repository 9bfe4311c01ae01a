//! A look through the whole file when it is opened. Small files are refused at once if they are damaged; large ones serve
//! meanwhile, since the number of tasks must not delay the first answer.

use std::{
    sync::mpsc::{RecvTimeoutError, channel},
    thread::JoinHandle,
    time::Duration,
};

use rusqlite::{Connection, ErrorCode, InterruptHandle};

use super::{StoreError, connect, place::Place};

/// How long opening waits for the end of the look.
const PATIENCE: Duration = Duration::from_millis(200);

pub(super) struct Checkup {
    interrupt: InterruptHandle,
    thread: Option<JoinHandle<()>>,
}

impl Checkup {
    /// Begins to look. An error if the file turns out to be damaged soon; later it is noted at the place.
    pub(super) fn start(place: &Place) -> Result<Self, StoreError> {
        let connection = connect(place)?;
        let interrupt = connection.get_interrupt_handle();
        let (done, over) = channel::<()>();
        let looked = place.clone();
        let thread = std::thread::Builder::new()
            .name("mcp-tasks-checkup".to_owned())
            .spawn(move || {
                look(&connection, &looked);
                drop(done);
            })
            .map_err(|error| StoreError::Other(format!("no thread for the store: {error}")))?;
        let checkup = Self {
            interrupt,
            thread: Some(thread),
        };
        match over.recv_timeout(PATIENCE) {
            Ok(()) | Err(RecvTimeoutError::Timeout) => Ok(checkup),
            Err(RecvTimeoutError::Disconnected) => place.check().map(|()| checkup),
        }
    }
}

impl Drop for Checkup {
    fn drop(&mut self) {
        self.interrupt.interrupt();
        if let Some(thread) = self.thread.take() {
            // Err is a panic of the thread, which has been reported already.
            let _ = thread.join();
        }
    }
}

/// Notes the first damage to the file's structure.
fn look(connection: &Connection, place: &Place) {
    let found = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get::<_, String>(0));
    match found {
        Ok(found) if found == "ok" => {}
        Ok(found) => place.note_damage(&found),
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::OperationInterrupted) => {}
        Err(error) => {
            // Notes damage, if that is what it is.
            let error = place.explain(error);
            tracing::warn!(%error, "the file of tasks was not looked through");
        }
    }
}
