//! Tasks: begin one, read its timeline, continue it.

use serde_json::Value;
use tasuki_api::snapshot::BUNDLE_MEDIA;
use tasuki_api::{CommandResponse, Continuation, Event, Page, Snapshot, WorkTree};
use tasuki_packet::duration::Duration;

use crate::address::path;
use crate::client::Client;
use crate::error::Error;

/// A task that the caller begins for itself.
#[derive(Debug, Clone, Default)]
pub struct Begin {
    /// The packet that describes the task.
    pub packet: Vec<u8>,
    /// The requested length of the lease.
    pub lease: Option<Duration>,
    /// The idempotency key. The default is a random one per call.
    pub key: Option<String>,
    /// `true` if a program begins it by itself: it has no ladder, is in no inbox, and ends 7 days
    /// after its last checkpoint.
    pub automatic: bool,
    /// The work tree that the packet is sent from.
    pub work_tree: Option<WorkTree>,
}

impl Client {
    /// Begins a task, which the caller holds at once.
    pub fn begin(&self, request: &Begin) -> Result<CommandResponse, Error> {
        self.post("/v1/tasks")
            .with("lease", request.lease)
            .with("automatic", request.automatic.then_some(true))
            .key(request.key.as_ref())
            .packet_from(&request.packet, request.work_tree.as_ref())
            .document()
    }

    /// Adds a snapshot of the work tree to a task, as a git bundle.
    pub fn add_snapshot(&self, task: &str, bundle: Vec<u8>) -> Result<Snapshot, Error> {
        let request = self.post(path("/v1/tasks/{}/snapshots", task)).without_retry();
        request.body(BUNDLE_MEDIA, bundle).document()
    }

    /// Returns the snapshots of a task, newest first.
    pub fn snapshots(&self, task: &str) -> Result<Vec<Snapshot>, Error> {
        let page: Page<Snapshot> = self.get(path("/v1/tasks/{}/snapshots", task)).document()?;
        Ok(page.items)
    }

    /// Returns a snapshot as a git bundle.
    pub fn snapshot_bundle(&self, task: &str, number: u64) -> Result<Vec<u8>, Error> {
        let request = self.get(path("/v1/tasks/{}/snapshots/bundle", task));
        request.with("number", Some(number)).bytes()
    }

    /// Returns the leaves of a task exactly as they were hashed, one per line, each with the leaf before
    /// it and the leaf after it in the log.
    pub fn task_leaves(&self, task: &str, from: u64, limit: u32) -> Result<String, Error> {
        let request = self.get(path("/v1/tasks/{}/leaves", task));
        let bytes = request.with("from", Some(from)).with("limit", Some(limit)).bytes()?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Returns every event of a task, oldest first.
    pub fn timeline(&self, task: &str) -> Result<Vec<Event>, Error> {
        let (mut events, mut cursor) = (Vec::new(), None::<String>);
        loop {
            let asked = self.get(path("/v1/tasks/{}/timeline", task));
            let page: Page<Event> = asked.with("cursor", cursor.as_deref()).document()?;
            events.extend(page.items);
            match page.next {
                Some(next) => cursor = Some(next),
                None => break,
            }
        }
        events.sort_by_key(|event| event.n);
        Ok(events)
    }

    /// Returns the packet with all checkpoints and decisions, to continue from. A packet of the
    /// regulated variant includes its audit trail.
    pub fn continuation(&self, task: &str) -> Result<Value, Error> {
        self.get(path("/v1/tasks/{}/packet", task)).document()
    }

    /// Returns the continuation as a brief for a model, within a budget of tokens.
    pub fn brief(&self, task: &str, budget: Option<usize>) -> Result<Continuation, Error> {
        self.get(path("/v1/tasks/{}/packet", task))
            .with("as", Some("brief"))
            .with("budget", budget)
            .document()
    }
}
