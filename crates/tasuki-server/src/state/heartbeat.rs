//! Is a server there? While something waits for the clock it leaves a sign of life every few seconds,
//! and the first server that comes back after a while says in the log how long none was there.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use tasuki_engine::absence::Resume;
use tasuki_engine::command::Command;
use tasuki_engine::engine::{Call, Engine};
use tasuki_engine::error::{Error, Fault};
use tasuki_engine::people::People;
use tasuki_engine::principal::Principal;
use tasuki_packet::id::ProjectId;

/// How often a server that is needed shows that it is there: several times in what counts as absence.
const BEAT: Duration = Duration::from_secs(5);

/// Tells every project that waits for the clock how long no server was there. Whoever serves calls it
/// before anything else, because whatever is asked first lets leases lapse.
///
/// # Errors
///
/// If nobody can say which projects there are. A project that cannot be told is logged and left.
pub async fn resume(engine: &Engine, people: &dyn People) -> Result<(), Fault> {
    let Some(last_seen) = people.last_heartbeat().await? else { return Ok(()) };
    for (_, project) in engine.store().projects().await? {
        if let Err(error) = tell(engine, project, Resume { last_seen }).await {
            tracing::warn!(%project, %error, "how long the exchange was away could not be told");
        }
    }
    Ok(())
}

async fn tell(engine: &Engine, project: ProjectId, absence: Resume) -> Result<(), Error> {
    if engine.store().next_due(project).await?.is_none() {
        return Ok(());
    }
    let (principal, command) = (Principal::system(), Command::Resume(absence));
    engine.run(Call { project, principal, command, key: None }).await.map(drop)
}

/// This server's own signs of life.
#[derive(Debug)]
pub(crate) struct Presence {
    server: String,
    last: Mutex<Option<Instant>>,
}

impl Presence {
    pub(crate) fn new(engine: &Engine) -> Self {
        let [a, b, c, d, ..] = engine.draw().salt("server");
        let server = format!("{:08x}", u32::from_be_bytes([a, b, c, d]));
        Self { server, last: Mutex::default() }
    }

    /// Leaves a sign of life, if the last one is some seconds old.
    pub(crate) async fn beat(&self, engine: &Engine, people: &dyn People) {
        let is_fresh = self.last().is_some_and(|last| last.elapsed() < BEAT);
        if !is_fresh {
            self.leave(engine, people).await;
        }
    }

    /// Leaves the last one, if anybody waited for this server.
    pub(crate) async fn end(&self, engine: &Engine, people: &dyn People) {
        if self.last().is_some() {
            self.leave(engine, people).await;
        }
    }

    async fn leave(&self, engine: &Engine, people: &dyn People) {
        if let Err(fault) = people.beat(self.server.clone(), engine.now()).await {
            tracing::warn!(%fault, "no sign of life could be left");
        }
        // Also after a fault: it is tried again in its time, not at once.
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    fn last(&self) -> Option<Instant> {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
