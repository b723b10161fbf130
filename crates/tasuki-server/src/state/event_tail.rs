//! The last events of a project, read once for all listeners.
//!
//! A thousand streams at the end of a log need the same event at the same moment. A stream that is
//! further behind reads the log itself.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use axum::body::Bytes;
use tasuki_api as api;
use tasuki_engine::error::Fault;
use tasuki_engine::ports::{LeafRow, Store};
use tasuki_engine::query::events;
use tasuki_packet::id::ProjectId;
use tokio::sync::Mutex as AsyncMutex;

/// LIMIT: cached events per project with listeners.
const KEPT_MAX: usize = 1_024;

/// LIMIT: events in one read of a listener.
const PAGE: u32 = 256;

/// An event with its encoded frame.
#[derive(Debug)]
pub(crate) struct TailedEvent {
    pub(crate) event: api::Event,
    pub(crate) frame: Bytes,
}

/// The tails of the projects that have listeners.
#[derive(Debug, Default)]
pub(crate) struct EventTails {
    known: Mutex<HashMap<ProjectId, Weak<EventTail>>>,
}

impl EventTails {
    /// Returns the tail of a project. It is dropped with its last listener.
    pub(crate) fn of(&self, project: ProjectId) -> Arc<EventTail> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(tail) = known.get(&project).and_then(Weak::upgrade) {
            return tail;
        }
        known.retain(|_, tail| tail.strong_count() > 0);
        let tail = Arc::<EventTail>::default();
        known.insert(project, Arc::downgrade(&tail));
        tail
    }
}

/// The last events of one project, without gaps.
#[derive(Debug, Default)]
pub(crate) struct EventTail {
    kept: AsyncMutex<VecDeque<Arc<TailedEvent>>>,
}

impl EventTail {
    /// Returns some events from a number on, if they were read already.
    pub(crate) async fn kept(&self, from: u64) -> Option<Vec<Arc<TailedEvent>>> {
        let kept = self.kept.lock().await;
        let first = kept.front()?.event.n;
        let wanted = kept.iter().skip_while(|one| one.event.n < from);
        let found: Vec<_> = wanted.take(PAGE as usize).cloned().collect();
        (first <= from && !found.is_empty()).then_some(found)
    }

    /// Returns some events from a number on; empty if there are none yet.
    pub(crate) async fn read(
        &self,
        store: &dyn Store,
        project: ProjectId,
        from: u64,
    ) -> Result<Vec<Arc<TailedEvent>>, Fault> {
        let mut kept = self.kept.lock().await;
        if kept.front().is_some_and(|first| from < first.event.n) {
            drop(kept);
            return tailed(&store.leaves(project, from, PAGE).await?);
        }
        let end = kept.back().map_or(from, |last| last.event.n + 1);
        if from > end {
            kept.clear();
        }
        if from >= end {
            kept.extend(tailed(&store.leaves(project, from, PAGE).await?)?);
            let too_many = kept.len().saturating_sub(KEPT_MAX);
            kept.drain(..too_many);
        }
        let wanted = kept.iter().skip_while(|one| one.event.n < from);
        Ok(wanted.take(PAGE as usize).cloned().collect())
    }
}

fn tailed(rows: &[LeafRow]) -> Result<Vec<Arc<TailedEvent>>, Fault> {
    let one = |row: &LeafRow| {
        let event = events::event(row)?;
        let frame = encoded(&event);
        Ok(Arc::new(TailedEvent { event, frame }))
    };
    rows.iter().map(one).collect()
}

/// Encodes an event as a frame of a stream.
fn encoded(event: &api::Event) -> Bytes {
    // JSON contains no raw line breaks, so it is one line of data.
    let data = serde_json::to_string(event).unwrap_or_default();
    Bytes::from(format!("id: {}\nevent: {}\ndata: {data}\n\n", event.n, event.kind))
}
