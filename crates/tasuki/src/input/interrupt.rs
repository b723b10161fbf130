//! Notices SIGINT, SIGTERM and SIGHUP, so that a command can clean up before it ends.
//!
//! The first signal is only recorded. The second one ends the process at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::exit::{Exit, Failure, reason};

/// A record of whether a signal has arrived.
#[derive(Debug, Clone)]
pub(crate) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Starts to listen. From here on a signal does not end the process.
    pub(crate) fn listen() -> Result<Self, Failure> {
        let raised = Arc::new(AtomicBool::new(false));
        let failed = |error: std::io::Error| {
            Failure::usage(format!("cannot listen for signals: {}", reason(&error)))
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(failed)?;
        let signals = {
            let _entered = runtime.enter();
            Signals::new().map_err(failed)?
        };
        let flag = Arc::clone(&raised);
        std::thread::spawn(move || runtime.block_on(signals.record(&flag)));
        Ok(Self(raised))
    }

    /// Returns whether a signal has arrived.
    pub(crate) fn is_raised(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

struct Signals {
    interrupt: Signal,
    terminate: Signal,
    hangup: Signal,
}

impl Signals {
    fn new() -> Result<Self, std::io::Error> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hangup: signal(SignalKind::hangup())?,
        })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
            _ = self.hangup.recv() => {}
        }
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "a second signal ends the process while the main thread blocks"
    )]
    async fn record(mut self, raised: &AtomicBool) {
        self.next().await;
        raised.store(true, Ordering::SeqCst);
        self.next().await;
        std::process::exit(i32::from(Exit::Interrupted as u8));
    }
}
