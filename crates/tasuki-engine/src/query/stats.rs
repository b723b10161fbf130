//! Statistics by edge, computed from the log alone.
//!
//! An edge is the sender and the original receiver; a reroute still counts there. Durations are
//! whole seconds here; [`Tracks`] reports them exactly. The median and the 95th percentile are
//! observed values.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::time::Duration;

use jiff::Timestamp;
use tasuki_api::{EdgeStats, Event, Spread};
use tasuki_packet::id::{HandoffId, ProjectId};
use tasuki_packet::render::{self, tokens};

use crate::error::Fault;
use crate::model::{DocumentKind, StateWord};
use crate::ports::store::read_packet;
use crate::ports::{LeafRow, Store, cost};
use crate::query::events::event;

/// Leaves read at once.
const PAGE: u32 = 1_000;

/// LIMIT: the newest handoffs of an edge whose briefs are counted in tokens. Each requires parsing
/// and rendering a packet, and there may be a million.
const BRIEFS_MAX: usize = 200;

/// The cost of counting a brief, in rows: parsing and rendering it takes as long.
const BRIEF_ROWS: u64 = 100;

/// The samples that are sorted in the time of a row.
const SAMPLES_PER_ROW: u64 = 100;

/// The sender and the original receiver.
pub type Edge = (String, String);

/// A stage of a handoff whose duration is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// From submission to the first claim.
    SubmitToClaim,
    /// From a hold to the decision of a person.
    HoldToDecision,
    /// From a claim to its return.
    ClaimToReturn,
    /// From a return to its verdict.
    ReturnToVerdict,
}

/// The open stages of all handoffs, for measuring durations as events arrive.
#[derive(Debug, Default)]
pub struct Tracks(HashMap<HandoffId, Track>);

/// The open stages of one handoff.
#[derive(Debug)]
struct Track {
    edge: Edge,
    submitted_at: Option<Timestamp>,
    held_at: Option<Timestamp>,
    claimed_at: Option<Timestamp>,
    returned_at: Option<Timestamp>,
}

#[derive(Debug, Default)]
struct Samples {
    handoffs: u64,
    submit_to_claim: Vec<u64>,
    hold_to_decision: Vec<u64>,
    claim_to_return: Vec<u64>,
    return_to_verdict: Vec<u64>,
    /// The briefs of the newest handoffs, oldest first.
    newest: VecDeque<Brief>,
    clarifications: u64,
    reworks: u64,
    rejections: BTreeMap<String, u64>,
}

/// The brief of a handoff, with its tokens once they were counted.
#[derive(Debug)]
struct Brief {
    handoff: HandoffId,
    is_counted: bool,
    /// `None` if the handoff has no packet, or its tokens were not counted yet.
    tokens: Option<u64>,
}

/// Computes the statistics of a project from its whole log.
pub async fn stats(store: &dyn Store, project: ProjectId) -> Result<Vec<EdgeStats>, Fault> {
    let mut totals = Totals::default();
    while !totals.advance(store, project, u64::MAX).await? {}
    Ok(totals.stats())
}

/// The statistics of a project up to an event. They continue where they ended, so that a request
/// looks only at what is new.
#[derive(Debug, Default)]
pub struct Totals {
    tracks: Tracks,
    edges: BTreeMap<Edge, Samples>,
    next: u64,
}

impl Totals {
    /// Adds the next events, until at least this many rows were looked at. Returns `true` if all
    /// events are included.
    ///
    /// # Errors
    ///
    /// Fails if the log cannot be read.
    pub async fn advance(
        &mut self,
        store: &dyn Store,
        project: ProjectId,
        rows_max: u64,
    ) -> Result<bool, Fault> {
        let leaves = store.head(project).await?.map_or(0, |head| head.leaves);
        if leaves < self.next {
            // The log was restored to an earlier state.
            *self = Self::default();
        }
        let mut looked_at = 0;
        while looked_at < rows_max {
            let rows = store.leaves(project, self.next, PAGE).await?;
            let Some(last) = rows.last() else {
                return self.count_tokens(store, project, rows_max.saturating_sub(looked_at)).await;
            };
            let next = last.n + 1;
            looked_at += next.saturating_sub(self.next);
            for row in &rows {
                self.add(row)?;
            }
            self.next = next;
        }
        Ok(false)
    }

    fn add(&mut self, row: &LeafRow) -> Result<(), Fault> {
        let Some(handoff) = row.handoff else { return Ok(()) };
        let event = event(row)?;
        let edge = self.tracks.edge(handoff, &event).clone();
        let samples = self.edges.entry(edge).or_default();
        if event.kind == "handoff.submitted" {
            samples.submitted(handoff);
        }
        for (stage, took) in self.tracks.take(handoff, &event) {
            samples.of(stage).push(took.as_secs());
        }
        samples.count(&event);
        Ok(())
    }

    /// Counts the tokens of briefs that were not counted yet. Returns `true` if none is left.
    async fn count_tokens(
        &mut self,
        store: &dyn Store,
        project: ProjectId,
        rows_max: u64,
    ) -> Result<bool, Fault> {
        let mut left = rows_max / BRIEF_ROWS;
        let newest = self.edges.values_mut().flat_map(|samples| &mut samples.newest);
        for brief in newest.filter(|brief| !brief.is_counted) {
            if left == 0 {
                return Ok(false);
            }
            left -= 1;
            brief.tokens = brief_tokens(store, project, brief.handoff).await?;
            brief.is_counted = true;
        }
        Ok(true)
    }

    /// Returns the number of the first event that is not included.
    pub const fn next(&self) -> u64 {
        self.next
    }

    /// Returns the statistics of every edge.
    pub fn stats(&self) -> Vec<EdgeStats> {
        cost::add(self.edges.values().map(|samples| samples.len() / SAMPLES_PER_ROW).sum());
        self.edges.iter().map(|(edge, samples)| samples.stats(edge)).collect()
    }
}

/// Returns the number of tokens in the agent brief of the packet as it was submitted.
async fn brief_tokens(
    store: &dyn Store,
    project: ProjectId,
    handoff: HandoffId,
) -> Result<Option<u64>, Fault> {
    let packets = store.documents(project, handoff, Some(DocumentKind::Packet)).await?;
    let Some(first) = packets.first() else { return Ok(None) };
    let packet = read_packet(first)?;
    // Without a budget, rendering always yields a brief.
    let brief = render::agent_brief(&packet, None, &tokens::count).ok();
    Ok(brief.and_then(|brief| u64::try_from(brief.tokens).ok()))
}

impl Track {
    fn of(event: &Event) -> Self {
        let name = |name: &Option<String>| name.clone().unwrap_or_default();
        Self {
            edge: (name(&event.from), name(&event.to)),
            submitted_at: None,
            held_at: None,
            claimed_at: None,
            returned_at: None,
        }
    }

    fn take(&mut self, event: &Event) -> Vec<(Stage, Duration)> {
        let at = event.at;
        let mut ended = Vec::new();
        let mut end = |stage, from: &mut Option<Timestamp>| {
            ended.extend(since(from.take(), at).map(|took| (stage, took)));
        };
        match event.kind.as_str() {
            "handoff.submitted" => self.submitted_at = Some(at),
            "handoff.held" => self.held_at = Some(at),
            "handoff.begun" => self.claimed_at = Some(at),
            "handoff.claimed" | "handoff.intercepted" => {
                end(Stage::SubmitToClaim, &mut self.submitted_at);
                self.claimed_at = Some(at);
            }
            "handoff.returned" => {
                end(Stage::ClaimToReturn, &mut self.claimed_at);
                self.returned_at = Some(at);
            }
            "handoff.verified" | "handoff.failed_verification" => {
                end(Stage::ReturnToVerdict, &mut self.returned_at);
            }
            _ => {}
        }
        if event.attributes.contains_key("decision") {
            end(Stage::HoldToDecision, &mut self.held_at);
        }
        ended
    }
}

impl Tracks {
    /// Returns the edge of a handoff, which its first event determines.
    pub fn edge(&mut self, handoff: HandoffId, event: &Event) -> &Edge {
        &self.0.entry(handoff).or_insert_with(|| Track::of(event)).edge
    }

    /// Applies the next event of a handoff. Returns the stages that it ends, with their durations.
    pub fn take(&mut self, handoff: HandoffId, event: &Event) -> Vec<(Stage, Duration)> {
        let track = self.0.entry(handoff).or_insert_with(|| Track::of(event));
        let ended = track.take(event);
        // A closed handoff has nothing left to measure.
        let is_over = event.after.as_deref().and_then(StateWord::named).is_some_and(is_final);
        if is_over {
            self.0.remove(&handoff);
        }
        ended
    }
}

/// Returns `true` for a state that no event can follow. A dead letter can be redriven.
fn is_final(state: StateWord) -> bool {
    !state.is_open() && state != StateWord::Dead
}

impl Stage {
    /// Returns the name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::SubmitToClaim => "submit_to_claim",
            Self::HoldToDecision => "hold_to_decision",
            Self::ClaimToReturn => "claim_to_return",
            Self::ReturnToVerdict => "return_to_verdict",
        }
    }
}

fn since(from: Option<Timestamp>, to: Timestamp) -> Option<Duration> {
    Duration::try_from(to.duration_since(from?)).ok()
}

impl Samples {
    fn submitted(&mut self, handoff: HandoffId) {
        self.handoffs += 1;
        if self.newest.len() == BRIEFS_MAX {
            self.newest.pop_front();
        }
        self.newest.push_back(Brief { handoff, is_counted: false, tokens: None });
    }

    fn len(&self) -> u64 {
        let [a, b] = [&self.submit_to_claim, &self.hold_to_decision];
        let [c, d] = [&self.claim_to_return, &self.return_to_verdict];
        [a, b, c, d].into_iter().map(|samples| samples.len() as u64).sum()
    }

    fn of(&mut self, stage: Stage) -> &mut Vec<u64> {
        match stage {
            Stage::SubmitToClaim => &mut self.submit_to_claim,
            Stage::HoldToDecision => &mut self.hold_to_decision,
            Stage::ClaimToReturn => &mut self.claim_to_return,
            Stage::ReturnToVerdict => &mut self.return_to_verdict,
        }
    }

    fn count(&mut self, event: &Event) {
        self.clarifications += u64::from(event.kind == "handoff.asked");
        self.reworks += u64::from(event.kind == "handoff.failed_verification");
        if event.kind == "handoff.rejected" {
            let reason = event.reason.clone().unwrap_or_default();
            *self.rejections.entry(reason).or_default() += 1;
        }
    }

    fn stats(&self, (from, to): &Edge) -> EdgeStats {
        let tokens = self.newest.iter().filter_map(|brief| brief.tokens);
        EdgeStats {
            from: from.clone(),
            to: to.clone(),
            handoffs: self.handoffs,
            submit_to_claim: spread(self.submit_to_claim.clone()),
            hold_to_decision: spread(self.hold_to_decision.clone()),
            claim_to_return: spread(self.claim_to_return.clone()),
            return_to_verdict: spread(self.return_to_verdict.clone()),
            tokens: spread(tokens.collect()),
            clarifications: self.clarifications,
            reworks: self.reworks,
            rejections: self.rejections.clone(),
        }
    }
}

/// Returns the distribution of values.
pub(super) fn spread(mut values: Vec<u64>) -> Option<Spread> {
    values.sort_unstable();
    let at = |percent: usize| {
        let rank = (values.len() * percent).div_ceil(100).max(1);
        values.get(rank - 1).copied()
    };
    let count = u64::try_from(values.len()).unwrap_or(u64::MAX);
    Some(Spread { count, median: at(50)?, p95: at(95)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_consists_of_observed_values() {
        let percentiles =
            |values: Vec<u64>| spread(values).map(|spread| (spread.median, spread.p95));
        assert_eq!(percentiles(vec![]), None);
        assert_eq!(percentiles(vec![7]), Some((7, 7)));
        assert_eq!(percentiles(vec![9, 1]), Some((1, 9)));
        assert_eq!(percentiles((1..=100).rev().collect()), Some((50, 95)));
        assert_eq!(percentiles((1..=20).collect()), Some((10, 19)));
    }
}
