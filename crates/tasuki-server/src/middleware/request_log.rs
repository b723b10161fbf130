//! One line of log for every request: what was asked, who asked, what came of it, how long it took. No
//! text of a packet is in it, but the trace context: that of the packet which a request brings or is about,
//! else the request's own.

use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, Method};
use axum::response::Response;
use memchr::memmem;
use tasuki_packet::field::Format;
use tasuki_packet::id::{AnyId, IdText, PartyId, ProjectId};

use crate::operation::Operation;
use crate::respond::problem::RefusedWith;

/// The trace context of a request, and of a packet.
const NAME: &str = "traceparent";
pub(crate) const TRACEPARENT: HeaderName = HeaderName::from_static(NAME);

/// Made once, and not for every packet.
static FINDER: LazyLock<memmem::Finder<'_>> = LazyLock::new(|| memmem::Finder::new(NAME));

/// What is noted of a request while it is answered.
#[derive(Debug, Clone, Default)]
pub(crate) struct Note(Arc<Mutex<Noted>>);

#[derive(Debug, Default)]
struct Noted {
    operation: Option<&'static Operation>,
    caller: Option<(ProjectId, PartyId)>,
    traceparent: Option<String>,
    /// Whether the request brought a packet with a trace context of its own.
    has_own: bool,
}

impl Note {
    pub(crate) fn operation(&self, operation: &'static Operation) {
        self.change(|noted| noted.operation = Some(operation));
    }

    pub(crate) fn caller(&self, project: ProjectId, party: PartyId) {
        self.change(|noted| noted.caller = Some((project, party)));
    }

    /// The trace context that a packet carries wins over the request's own.
    pub(crate) fn packet(&self, bytes: &[u8]) {
        if let Some(found) = traceparent_in(bytes) {
            self.change(|noted| (noted.traceparent, noted.has_own) = (Some(found), true));
        }
    }

    /// So does that of the packet which the request is about, if it brings none itself.
    pub(crate) fn about(&self, trace: Option<&str>) {
        let Some(trace) = trace else { return };
        self.change(|noted| {
            if !noted.has_own {
                noted.traceparent = Some(trace.to_owned());
            }
        });
    }

    fn change(&self, change: impl FnOnce(&mut Noted)) {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

/// A request that was answered, as metrics count it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FinishedRequest {
    pub(crate) operation: &'static str,
    pub(crate) status: u16,
    pub(crate) took: Duration,
}

/// A request that is being answered.
#[derive(Debug)]
pub(crate) struct Followed {
    note: Note,
    method: Method,
    began: Instant,
}

/// Begins to note what becomes of a request.
pub(crate) fn follow(request: &mut Request) -> Followed {
    let note = Note::default();
    note.change(|noted| noted.traceparent = traceparent_of(request.headers()));
    request.extensions_mut().insert(note.clone());
    Followed { note, method: request.method().clone(), began: Instant::now() }
}

impl Followed {
    /// It is answered: that goes to the log.
    pub(crate) fn end(self, response: &Response) -> FinishedRequest {
        let (took, status) = (self.began.elapsed(), response.status().as_u16());
        let noted =
            std::mem::take(&mut *self.note.0.lock().unwrap_or_else(PoisonError::into_inner));
        let operation = noted.operation.map_or("none", |operation| operation.id);
        let code = response.extensions().get::<RefusedWith>().map(|refused| refused.0.as_str());
        let texts = |(project, party)| (AnyId::from(project).text(), AnyId::from(party).text());
        let (project, party) = noted.caller.map(texts).unzip();
        tracing::info!(
            target: "tasuki::request",
            method = self.method.as_str(),
            operation,
            status,
            code,
            micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX),
            project = project.as_ref().map(IdText::as_str),
            party = party.as_ref().map(IdText::as_str),
            traceparent = noted.traceparent,
        );
        FinishedRequest { operation, status, took }
    }
}

fn traceparent_of(headers: &HeaderMap) -> Option<String> {
    let sent = headers.get(TRACEPARENT)?.to_str().ok()?;
    Format::Traceparent.holds(sent).then(|| sent.to_owned())
}

/// LIMIT: how far behind its name the value of a member begins, quotes and spaces counted.
const BEHIND_NAME_MAX: usize = 16;

/// The trace context in the bytes of a packet, whatever its form. Only what has the form of one is
/// taken, so that nothing else of a packet comes into a log.
fn traceparent_in(bytes: &[u8]) -> Option<String> {
    // Texts of a packet may have the word too.
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
    fn a_trace_context_is_found_in_every_form_and_nothing_else_is() {
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
