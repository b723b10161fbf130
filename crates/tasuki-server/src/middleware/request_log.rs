//! Logs one line per request: operation, caller, status and duration. The line contains no packet
//! content except a trace context: that of the packet that the request sends or refers to,
//! otherwise its own.

use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, Method};
use axum::response::Response;
use memchr::memmem;
use tasuki_packet::id::{AnyId, IdText, PartyId, ProjectId};
use tasuki_packet::schema::field::Format;

use crate::operation::Operation;
use crate::respond::problem::ProblemCode;

/// The name of the trace context in a request and in a packet.
const NAME: &str = "traceparent";
pub(crate) const TRACEPARENT: HeaderName = HeaderName::from_static(NAME);

/// Built once rather than per packet.
static FINDER: LazyLock<memmem::Finder<'_>> = LazyLock::new(|| memmem::Finder::new(NAME));

/// The log entry of a request in progress.
#[derive(Debug, Clone, Default)]
pub(crate) struct RequestLog(Arc<Mutex<Entry>>);

#[derive(Debug, Default)]
struct Entry {
    operation: Option<&'static Operation>,
    caller: Option<(ProjectId, PartyId)>,
    traceparent: Option<String>,
    /// `true` if the request sent a packet with a trace context.
    has_own: bool,
}

impl RequestLog {
    pub(crate) fn set_operation(&self, operation: &'static Operation) {
        self.update(|entry| entry.operation = Some(operation));
    }

    pub(crate) fn set_caller(&self, project: ProjectId, party: PartyId) {
        self.update(|entry| entry.caller = Some((project, party)));
    }

    /// Uses the trace context of a packet, which takes precedence over the request's own.
    pub(crate) fn trace_from_packet(&self, bytes: &[u8]) {
        if let Some(found) = traceparent_in(bytes) {
            self.update(|entry| (entry.traceparent, entry.has_own) = (Some(found), true));
        }
    }

    /// Uses the trace context of the handoff, unless the request sends a packet with one.
    pub(crate) fn trace_from_handoff(&self, trace: Option<&str>) {
        let Some(trace) = trace else { return };
        self.update(|entry| {
            if !entry.has_own {
                entry.traceparent = Some(trace.to_owned());
            }
        });
    }

    fn update(&self, update: impl FnOnce(&mut Entry)) {
        update(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

/// A completed request, for the metrics.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FinishedRequest {
    pub(crate) operation: &'static str,
    pub(crate) status: u16,
    pub(crate) took: Duration,
}

#[derive(Debug)]
pub(crate) struct LoggedRequest {
    log: RequestLog,
    method: Method,
    began: Instant,
}

pub(crate) fn start(request: &mut Request) -> LoggedRequest {
    let log = RequestLog::default();
    log.update(|entry| entry.traceparent = traceparent_of(request.headers()));
    request.extensions_mut().insert(log.clone());
    LoggedRequest { log, method: request.method().clone(), began: Instant::now() }
}

impl LoggedRequest {
    /// Writes the log line of a completed request.
    pub(crate) fn finish(self, response: &Response) -> FinishedRequest {
        let (took, status) = (self.began.elapsed(), response.status().as_u16());
        let entry = std::mem::take(&mut *self.log.0.lock().unwrap_or_else(PoisonError::into_inner));
        let operation = entry.operation.map_or("none", |operation| operation.id);
        let code = response.extensions().get::<ProblemCode>().map(|code| code.0.as_str());
        let texts = |(project, party)| (AnyId::from(project).text(), AnyId::from(party).text());
        let (project, party) = entry.caller.map(texts).unzip();
        tracing::info!(
            target: "tasuki::request",
            method = self.method.as_str(),
            path = entry.operation.map(|operation| operation.path),
            operation,
            status,
            code,
            party = party.as_ref().map(IdText::as_str),
            project = project.as_ref().map(IdText::as_str),
            ms = milliseconds(took),
            traceparent = entry.traceparent,
            "request completed"
        );
        FinishedRequest { operation, status, took }
    }
}

/// Returns a duration in milliseconds, rounded to microseconds.
fn milliseconds(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 1e6).round() / 1e3
}

fn traceparent_of(headers: &HeaderMap) -> Option<String> {
    let sent = headers.get(TRACEPARENT)?.to_str().ok()?;
    Format::Traceparent.holds(sent).then(|| sent.to_owned())
}

/// LIMIT: distance between the name of a member and its value, including quotes and spaces.
const BEHIND_NAME_MAX: usize = 16;

/// Finds the trace context in the bytes of a packet of any format. Only a value of the right format
/// is returned, so that no other packet content reaches the log.
fn traceparent_in(bytes: &[u8]) -> Option<String> {
    // Other text of the packet may contain the name too.
    FINDER.find_iter(bytes).find_map(|at| value_of(&bytes[at + NAME.len()..]))
}

fn value_of(behind: &[u8]) -> Option<String> {
    const LENGTH: usize = 55;
    let from = behind.iter().take(BEHIND_NAME_MAX).position(u8::is_ascii_hexdigit)?;
    let text = std::str::from_utf8(behind.get(from..from + LENGTH)?).ok()?;
    Format::Traceparent.holds(text).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    #[test]
    fn a_trace_context_is_found_in_every_format_and_nothing_else() {
        let found = |text: String| traceparent_in(text.as_bytes());
        for text in [
            format!("goal: x\ntrace: {{ traceparent: {TRACE} }}\n"),
            format!("{{\"trace\":{{\"traceparent\":\"{TRACE}\"}}}}"),
            format!("trace:\n  traceparent: '{TRACE}'\n"),
            format!("goal: log the traceparent\ntrace: {{ traceparent: {TRACE} }}\n"),
        ] {
            assert_eq!(found(text).as_deref(), Some(TRACE));
        }
        let mut broken = format!("goal: x\ntraceparent: {TRACE}\n").into_bytes();
        broken.push(0xff);
        assert_eq!(traceparent_in(&broken).as_deref(), Some(TRACE));
        for text in
            ["traceparent", "traceparent: the goal is secret and long enough to be one more", ""]
        {
            assert_eq!(found(text.to_owned()), None);
        }
    }
}
