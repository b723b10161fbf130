//! The heartbeat of a server. While deadlines are pending it is written every few seconds. The
//! first server that starts after an outage records in the log how long no server was running.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use tasuki_engine::command::Command;
use tasuki_engine::engine::{Call, Engine};
use tasuki_engine::error::{Error, Fault};
use tasuki_engine::model::Principal;
use tasuki_engine::ports::AccountStore;
use tasuki_engine::steps::RecordOutage;
use tasuki_packet::id::ProjectId;

/// The interval between heartbeats: a fraction of the shortest outage.
const INTERVAL: Duration = Duration::from_secs(5);

/// Records in every project with pending deadlines how long no server was running. A server must
/// call it first, because the first request applies the deadlines.
///
/// # Errors
///
/// Fails if the projects cannot be listed. A project that fails is logged and skipped.
pub async fn record_outage(engine: &Engine, people: &dyn AccountStore) -> Result<(), Fault> {
    let Some(last_seen) = people.last_heartbeat().await? else { return Ok(()) };
    for (_, project) in engine.store().projects().await? {
        if let Err(error) = record(engine, project, RecordOutage { last_seen }).await {
            tracing::warn!(%project, %error, "recording the outage failed");
        }
    }
    Ok(())
}

async fn record(engine: &Engine, project: ProjectId, outage: RecordOutage) -> Result<(), Error> {
    if engine.store().next_due(project).await?.is_none() {
        return Ok(());
    }
    let (principal, command) = (Principal::system(), Command::RecordOutage(outage));
    engine.run(Call { project, principal, command, key: None }).await.map(drop)
}

#[derive(Debug)]
pub(crate) struct Heartbeat {
    server: String,
    last: Mutex<Option<Instant>>,
}

impl Heartbeat {
    pub(crate) fn new(engine: &Engine) -> Self {
        let [a, b, c, d, ..] = engine.command_seed().salt("server");
        let server = format!("{:08x}", u32::from_be_bytes([a, b, c, d]));
        Self { server, last: Mutex::default() }
    }

    /// Writes the heartbeat if the last one is older than the interval.
    pub(crate) async fn beat(&self, engine: &Engine, people: &dyn AccountStore) {
        let is_fresh = self.last().is_some_and(|last| last.elapsed() < INTERVAL);
        if !is_fresh {
            self.write(engine, people).await;
        }
    }

    /// Writes the last heartbeat, if this server had pending deadlines.
    pub(crate) async fn stop(&self, engine: &Engine, people: &dyn AccountStore) {
        if self.last().is_some() {
            self.write(engine, people).await;
        }
    }

    async fn write(&self, engine: &Engine, people: &dyn AccountStore) {
        if let Err(fault) = people.beat(self.server.clone(), engine.now()).await {
            tracing::warn!(%fault, "writing the heartbeat failed");
        }
        // Also set after a fault, so that the retry waits for the interval.
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    fn last(&self) -> Option<Instant> {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
