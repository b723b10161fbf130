//! The last hours of a project: what was submitted, held and lost in each of them, and how long
//! work waited on each edge.
//!
//! Time never runs backwards in the log, so the first leaf of the period is found by bisection.

use std::collections::BTreeMap;
use std::ops::Range;

use jiff::{SignedDuration, Timestamp};
use tasuki_api::{EdgeActivity, Event, HourActivity, Overview};
use tasuki_packet::id::{HandoffId, ProjectId};

use crate::error::Fault;
use crate::ports::Store;
use crate::query::events::event;
use crate::query::stats::{Edge, Stage, Tracks, spread};

/// Leaves read at once.
const PAGE: u32 = 1_000;

/// LIMIT: edges of one overview, the busiest of the period.
const EDGES_MAX: usize = 100;

const HOUR: SignedDuration = SignedDuration::from_hours(1);

/// The samples of an edge.
#[derive(Debug, Default)]
struct Samples {
    by_hour: BTreeMap<usize, u64>,
    waiting: Vec<u64>,
    working: Vec<u64>,
}

/// Computes the overview of the last hours. The last of them is the current hour of the clock.
///
/// It reads at most `leaves_max` leaves, the newest ones, and some twenty to find the first.
///
/// # Errors
///
/// Fails if a leaf cannot be parsed.
pub async fn overview(
    store: &dyn Store,
    project: ProjectId,
    now: Timestamp,
    hours: u32,
    leaves_max: u64,
) -> Result<Overview, Fault> {
    let hour = now.as_second().div_euclid(HOUR.as_secs()) - i64::from(hours) + 1;
    let from = Timestamp::from_second(hour * HOUR.as_secs()).unwrap_or(Timestamp::MIN);
    let leaves = store.head(project).await?.map_or(0, |head| head.leaves);
    let oldest = leaves.saturating_sub(leaves_max);
    let first = first_since(store, project, from, oldest..leaves).await?;
    let mut counts = Counts::new(from, hours);
    let mut next = first;
    while next < leaves {
        let rows = store.leaves(project, next, PAGE).await?;
        let Some(last) = rows.last() else { break };
        next = last.n + 1;
        for row in rows.iter().filter(|row| row.n < leaves) {
            if let Some(handoff) = row.handoff {
                counts.take(handoff, &event(row)?);
            }
        }
    }
    // A period that begins in the middle of the leaves was read whole.
    let is_complete = oldest == 0 || first > oldest;
    Ok(counts.into_overview(from, now, is_complete))
}

/// Returns the number of the first leaf of a range that is not before a time.
async fn first_since(
    store: &dyn Store,
    project: ProjectId,
    from: Timestamp,
    range: Range<u64>,
) -> Result<u64, Fault> {
    let (mut low, mut high) = (range.start, range.end);
    while low < high {
        let middle = low + (high - low) / 2;
        let rows = store.leaves(project, middle, 1).await?;
        match rows.first() {
            Some(row) if row.at < from => low = middle + 1,
            _ => high = middle,
        }
    }
    Ok(low)
}

struct Counts {
    tracks: Tracks,
    hours: Vec<HourActivity>,
    edges: BTreeMap<Edge, Samples>,
}

impl Counts {
    fn new(from: Timestamp, hours: u32) -> Self {
        let hour = |number: u32| HourActivity {
            start: from + SignedDuration::from_hours(i64::from(number)),
            ..HourActivity::default()
        };
        let hours = (0..hours).map(hour).collect();
        Self { tracks: Tracks::default(), hours, edges: BTreeMap::new() }
    }

    fn take(&mut self, handoff: HandoffId, event: &Event) {
        let at = self.hours.partition_point(|hour| hour.start <= event.at).saturating_sub(1);
        if let Some(hour) = self.hours.get_mut(at) {
            match event.kind.as_str() {
                "handoff.submitted" => hour.submitted += 1,
                "handoff.held" => hour.held += 1,
                "handoff.moved_on" => hour.moved_on += 1,
                "handoff.died" => hour.dead += 1,
                "handoff.done" => hour.done += 1,
                _ => {}
            }
        }
        let edge = self.tracks.edge(handoff, event).clone();
        let ended = self.tracks.take(handoff, event);
        if ended.is_empty() && event.kind != "handoff.submitted" {
            return;
        }
        let samples = self.edges.entry(edge).or_default();
        if event.kind == "handoff.submitted" {
            *samples.by_hour.entry(at).or_default() += 1;
        }
        for (stage, took) in ended {
            match stage {
                Stage::SubmitToClaim => samples.waiting.push(took.as_secs()),
                Stage::ClaimToReturn => samples.working.push(took.as_secs()),
                Stage::HoldToDecision | Stage::ReturnToVerdict => {}
            }
        }
    }

    fn into_overview(self, from: Timestamp, until: Timestamp, is_complete: bool) -> Overview {
        let hours = self.hours.len();
        let activity = |((from, to), samples): (Edge, Samples)| EdgeActivity {
            from,
            to,
            handoffs: samples.by_hour.values().sum(),
            by_hour: (0..hours).map(|at| samples.by_hour.get(&at).copied().unwrap_or(0)).collect(),
            waiting: spread(samples.waiting),
            working: spread(samples.working),
        };
        let mut edges: Vec<EdgeActivity> = self.edges.into_iter().map(activity).collect();
        edges.sort_by_key(|edge| std::cmp::Reverse(edge.handoffs));
        edges.truncate(EDGES_MAX);
        Overview { from, until, hours: self.hours, edges, complete: is_complete }
    }
}
