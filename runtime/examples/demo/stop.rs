//! The wish that the demo stops: Ctrl-C, and SIGTERM, which `kill` and containers send.

use std::io;

#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Hears that the demo is to stop. From when there is one, these signals do not end the process by themselves.
pub(crate) struct Stop {
    #[cfg(unix)]
    signals: [Signal; 2],
}

impl Stop {
    pub(crate) fn listen() -> io::Result<Self> {
        Ok(Self {
            #[cfg(unix)]
            signals: [
                signal(SignalKind::interrupt())?,
                signal(SignalKind::terminate())?,
            ],
        })
    }

    /// Waits for the first of them.
    #[cfg(unix)]
    pub(crate) async fn wished(self) -> io::Result<()> {
        let [mut interrupt, mut terminate] = self.signals;
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
        Ok(())
    }

    /// Waits for Ctrl-C.
    #[cfg(not(unix))]
    pub(crate) async fn wished(self) -> io::Result<()> {
        tokio::signal::ctrl_c().await
    }
}
