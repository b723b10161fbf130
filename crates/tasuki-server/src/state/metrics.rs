//! The metrics of a server: requests, and how long work waits, in the Prometheus text format.
//!
//! Waiting times are computed from the log per edge, continuing where the last read ended.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};

use tasuki_engine::error::Fault;
use tasuki_engine::ports::Store;
use tasuki_engine::query::events::event;
use tasuki_engine::query::stats::{Edge, Stage, Tracks};
use tasuki_packet::id::ProjectId;

use crate::middleware::request_log::FinishedRequest;

/// Upper bounds of the request duration buckets, in seconds.
const REQUEST_BUCKETS: [f64; 10] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 2.5, 10.0];

/// Upper bounds of the waiting time buckets, in seconds.
const STAGE_BUCKETS: [f64; 10] =
    [1.0, 5.0, 15.0, 60.0, 300.0, 900.0, 3_600.0, 14_400.0, 86_400.0, 604_800.0];

const PAGE: u32 = 1_000;

/// Counters since the server started.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    requests: Mutex<BTreeMap<(&'static str, u16), u64>>,
    times: Mutex<BTreeMap<&'static str, Histogram<10>>>,
    flows: Mutex<HashMap<ProjectId, Flow>>,
}

#[derive(Debug, Clone, Copy)]
struct Histogram<const N: usize> {
    bounds: [f64; N],
    counts: [u64; N],
    count: u64,
    sum: f64,
}

/// The flow of work in one project, as far as its log was read.
#[derive(Debug, Default)]
struct Flow {
    next: u64,
    tracks: Tracks,
    edges: BTreeMap<(Edge, Stage), Histogram<10>>,
}

impl<const N: usize> Histogram<N> {
    fn new(bounds: [f64; N]) -> Self {
        Self { bounds, counts: [0; N], count: 0, sum: 0.0 }
    }

    fn observe(&mut self, seconds: f64) {
        for (bound, count) in self.bounds.iter().zip(&mut self.counts) {
            *count += u64::from(seconds <= *bound);
        }
        self.count += 1;
        self.sum += seconds;
    }

    fn print(&self, text: &mut String, name: &str, labels: &str) {
        for (bound, count) in self.bounds.iter().zip(self.counts) {
            line(text, &format!("{name}_bucket"), &format!("{labels},le=\"{bound}\""), count);
        }
        line(text, &format!("{name}_bucket"), &format!("{labels},le=\"+Inf\""), self.count);
        line(text, &format!("{name}_sum"), labels, self.sum);
        line(text, &format!("{name}_count"), labels, self.count);
    }
}

impl Metrics {
    pub(crate) fn count_request(&self, request: &FinishedRequest) {
        let FinishedRequest { operation, status, took } = *request;
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        *requests.entry((operation, status)).or_default() += 1;
        drop(requests);
        let mut times = self.times.lock().unwrap_or_else(PoisonError::into_inner);
        let histogram = times.entry(operation).or_insert_with(|| Histogram::new(REQUEST_BUCKETS));
        histogram.observe(took.as_secs_f64());
    }

    pub(crate) fn print_requests(&self, text: &mut String) {
        heading(text, "tasuki_requests_total", "counter", "Completed requests.");
        let requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        for ((operation, status), count) in requests.iter() {
            let labels = format!("operation=\"{operation}\",status=\"{status}\"");
            line(text, "tasuki_requests_total", &labels, count);
        }
        heading(text, "tasuki_request_seconds", "histogram", "Duration of requests.");
        let times = self.times.lock().unwrap_or_else(PoisonError::into_inner);
        for (operation, histogram) in times.iter() {
            let labels = format!("operation=\"{operation}\"");
            histogram.print(text, "tasuki_request_seconds", &labels);
        }
    }

    /// Reads the log of a project from where the last read ended.
    pub(crate) async fn update_flow(
        &self,
        store: &dyn Store,
        project: ProjectId,
    ) -> Result<(), Fault> {
        let taken = self.flows.lock().unwrap_or_else(PoisonError::into_inner).remove(&project);
        let mut flow = taken.unwrap_or_default();
        loop {
            let rows = store.leaves(project, flow.next, PAGE).await?;
            let Some(last) = rows.last() else { break };
            flow.next = last.n + 1;
            for row in &rows {
                if let Some(handoff) = row.handoff {
                    flow.observe(handoff, &event(row)?);
                }
            }
        }
        let mut flows = self.flows.lock().unwrap_or_else(PoisonError::into_inner);
        // Concurrent readers read twice; the one that read further wins.
        let known = flows.entry(project).or_default();
        if known.next <= flow.next {
            *known = flow;
        }
        Ok(())
    }

    pub(crate) fn print_flows(&self, text: &mut String, names: &[(String, ProjectId)]) {
        let name = "tasuki_stage_seconds";
        heading(text, name, "histogram", "Time that work waits, per edge.");
        let flows = self.flows.lock().unwrap_or_else(PoisonError::into_inner);
        for (project, id) in names {
            let Some(flow) = flows.get(id) else { continue };
            for (((from, to), stage), histogram) in &flow.edges {
                let labels = format!(
                    "project=\"{}\",from=\"{}\",to=\"{}\",stage=\"{}\"",
                    label(project),
                    label(from),
                    label(to),
                    stage.as_str()
                );
                histogram.print(text, name, &labels);
            }
        }
    }
}

impl Flow {
    fn observe(&mut self, handoff: tasuki_packet::id::HandoffId, event: &tasuki_api::Event) {
        let edge = self.tracks.edge(handoff, event).clone();
        for (stage, took) in self.tracks.take(handoff, event) {
            let histogram = self.edges.entry((edge.clone(), stage));
            let histogram = histogram.or_insert_with(|| Histogram::new(STAGE_BUCKETS));
            histogram.observe(took.as_secs_f64());
        }
    }
}

pub(crate) fn heading(text: &mut String, name: &str, kind: &str, help: &str) {
    let _always = write!(text, "# HELP {name} {help}\n# TYPE {name} {kind}\n");
}

pub(crate) fn line(text: &mut String, name: &str, labels: &str, value: impl std::fmt::Display) {
    let labels = if labels.is_empty() { String::new() } else { format!("{{{labels}}}") };
    let _always = writeln!(text, "{name}{labels} {value}");
}

/// Escapes the value of a label.
pub(crate) fn label(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_count_values_up_to_their_bound() {
        let mut histogram = Histogram::new([1.0, 5.0]);
        for seconds in [0.5, 1.0, 3.0, 9.0] {
            histogram.observe(seconds);
        }
        let mut text = String::new();
        histogram.print(&mut text, "x", "a=\"b\"");
        insta::assert_snapshot!(text, @r#"
        x_bucket{a="b",le="1"} 2
        x_bucket{a="b",le="5"} 3
        x_bucket{a="b",le="+Inf"} 4
        x_sum{a="b"} 13.5
        x_count{a="b"} 4
        "#);
        assert_eq!(label("a\"b\\c\n"), "a\\\"b\\\\c\\n");
    }
}
