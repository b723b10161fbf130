//! Problem documents: every refusal as `application/problem+json` (RFC 9457) with its code.
//!
//! The status of each kind of refusal is defined here.

use axum::http::header::{CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use tasuki_api as api;
use tasuki_api::problem::{HttpErrorCode, Problem as Document};
use tasuki_engine::error::{Error, Fault, FaultKind};
use tasuki_engine::refusal::{Refusal, RefusalCode, RefusalKind};
use tasuki_packet::Violation;
use tasuki_packet::check::secrets;

/// The retry delay after a reached quota. Work is rarely finished within a second.
const QUOTA_SECONDS: u64 = 30;

/// A problem document, with the headers of its response.
#[derive(Debug, Clone)]
pub struct Problem {
    document: Box<Document>,
    headers: HeaderMap,
}

impl Problem {
    /// Creates a problem that only a server or a client can have.
    pub fn with_code(code: HttpErrorCode, detail: impl Into<String>) -> Self {
        let problem = Self::new(code.status(), code.as_str(), detail.into());
        match code.status() {
            401 => problem.header(WWW_AUTHENTICATE, "Bearer"),
            503 => problem.retry_after(1),
            _ => problem,
        }
    }

    /// Creates a problem for an invalid argument in the request target, a header or the body.
    pub fn argument(detail: impl Into<String>) -> Self {
        Refusal::new(RefusalCode::ArgumentInvalid, detail).into()
    }

    fn new(status: u16, code: &str, detail: String) -> Self {
        let title = StatusCode::from_u16(status).ok().and_then(|status| status.canonical_reason());
        let document = Document {
            kind: format!("/docs/errors/{code}"),
            title: title.unwrap_or("Refused").to_owned(),
            status,
            detail,
            code: code.to_owned(),
            hint: None,
            violations: Vec::new(),
            handoff: None,
        };
        Self { document: Box::new(document), headers: HeaderMap::new() }
    }

    /// Adds a hint on how to proceed.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.document.hint = Some(hint.into());
        self
    }

    /// Adds the number of seconds after which to retry.
    #[must_use]
    pub fn retry_after(self, seconds: u64) -> Self {
        self.header(RETRY_AFTER, &seconds.to_string())
    }

    /// Changes the status to 503, for probes.
    #[must_use]
    pub(crate) fn status_503(mut self) -> Self {
        self.document.status = 503;
        self
    }

    /// Adds a header.
    #[must_use]
    pub fn header(mut self, name: HeaderName, value: &str) -> Self {
        if let Ok(value) = HeaderValue::from_str(value) {
            self.headers.insert(name, value);
        }
        self
    }

    /// Returns the status of the response.
    pub fn status(&self) -> u16 {
        self.document.status
    }

    /// Returns the stable code.
    pub fn code(&self) -> &str {
        &self.document.code
    }

    /// Returns the document as it is sent.
    pub fn document(&self) -> &Document {
        &self.document
    }
}

/// Reports an unknown route.
pub(crate) fn unknown_route() -> Problem {
    Problem::with_code(HttpErrorCode::RouteUnknown, "unknown route")
        .hint("see `/docs` for all routes")
}

/// Returns the HTTP status of a refusal.
pub(crate) const fn status(kind: RefusalKind) -> u16 {
    match kind {
        RefusalKind::Invalid | RefusalKind::KeyReused => 422,
        RefusalKind::TooLarge => 413,
        RefusalKind::Unauthenticated => 401,
        RefusalKind::Forbidden => 403,
        RefusalKind::NotFound => 404,
        RefusalKind::Gone => 410,
        RefusalKind::Conflict => 409,
        RefusalKind::RevisionChanged => 412,
        RefusalKind::RevisionMissing => 428,
        RefusalKind::Limited => 429,
    }
}

/// Returns the status of a fault and the detail that a caller may see. The rest is in the server's
/// log.
const fn of_fault(kind: FaultKind) -> (u16, &'static str) {
    match kind {
        FaultKind::StoreUnavailable => (503, "the store is unavailable; nothing was changed"),
        FaultKind::StoreBusy => (503, "the store is busy; nothing was changed"),
        FaultKind::Io => (503, "reading or writing the store failed"),
        FaultKind::OutcomeUnknown => (503, "the outcome is unknown"),
        FaultKind::DiskFull => (507, "the store is out of disk space; nothing was changed"),
        FaultKind::Corrupt => (500, "the store is corrupt"),
        FaultKind::ClockOff => (503, "the clock of the server is wrong"),
        FaultKind::NewerStore => (500, "the store was written by a newer version"),
        FaultKind::Bug => (500, "internal error; nothing was changed"),
    }
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        let mut problem = Self::new(status(refusal.kind()), refusal.code.as_str(), refusal.message);
        problem.document.hint = refusal.hint;
        problem.document.violations = refusal.violations.iter().map(redacted).collect();
        problem.document.handoff = refusal.handoff.map(|id| id.to_string());
        match refusal.code.kind() {
            _ if refusal.code == RefusalCode::QuotaReached => problem.retry_after(QUOTA_SECONDS),
            RefusalKind::Limited => problem.retry_after(1),
            RefusalKind::Unauthenticated => problem.header(WWW_AUTHENTICATE, "Bearer"),
            _ => problem,
        }
    }
}

impl From<Fault> for Problem {
    fn from(fault: Fault) -> Self {
        tracing::error!(code = fault.code(), message = %fault.message, "request failed");
        let (status, detail) = of_fault(fault.kind);
        let problem = Self::new(status, fault.code(), detail.to_owned());
        let problem = if status == 503 { problem.retry_after(1) } else { problem };
        match fault.kind {
            FaultKind::OutcomeUnknown => {
                problem.hint("send the request again with the same idempotency key")
            }
            _ => problem,
        }
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        match error {
            Error::Refused(refusal) => refusal.into(),
            Error::Failed(fault) => fault.into(),
        }
    }
}

impl From<Vec<Violation>> for Problem {
    /// Reports a body that could not be read.
    fn from(violations: Vec<Violation>) -> Self {
        let detail = "invalid request body";
        Refusal::new(RefusalCode::ArgumentInvalid, detail).with(violations).into()
    }
}

/// Returns a violation without the secrets that it may quote.
fn redacted(violation: &Violation) -> api::Violation {
    let mut value = serde_json::to_value(violation).unwrap_or_default();
    secrets::redact(&mut value);
    serde_json::from_value(value).unwrap_or_default()
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status =
            StatusCode::from_u16(self.document.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let body = serde_json::to_vec(&self.document).unwrap_or_default();
        let mut headers = self.headers;
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        let mut response = (status, headers, body).into_response();
        response.extensions_mut().insert(ProblemCode(self.document.code));
        response
    }
}

/// The code of a problem, for the request log.
#[derive(Debug, Clone)]
pub(crate) struct ProblemCode(pub(crate) String);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_refusal_has_the_status_of_the_table() {
        let table: Vec<(RefusalKind, u16)> = [
            RefusalKind::Invalid,
            RefusalKind::TooLarge,
            RefusalKind::Unauthenticated,
            RefusalKind::Forbidden,
            RefusalKind::NotFound,
            RefusalKind::Gone,
            RefusalKind::Conflict,
            RefusalKind::KeyReused,
            RefusalKind::RevisionChanged,
            RefusalKind::RevisionMissing,
            RefusalKind::Limited,
        ]
        .map(|kind| (kind, status(kind)))
        .into();
        let statuses: Vec<u16> = table.into_iter().map(|(_, status)| status).collect();
        assert_eq!(statuses, [422, 413, 401, 403, 404, 410, 409, 422, 412, 428, 429]);
    }

    #[test]
    fn a_fault_reveals_nothing_about_the_machine() {
        let fault =
            Fault::new(FaultKind::StoreUnavailable, "cannot open /home/ana/.tasuki/exchange.db");
        let problem = Problem::from(fault);
        assert_eq!((problem.status(), problem.code()), (503, "TK-STORE-UNAVAILABLE"));
        assert!(!serde_json::to_string(problem.document()).unwrap().contains("/home"));
        assert_eq!(problem.headers[RETRY_AFTER], "1");
    }

    #[test]
    fn a_violation_is_shown_without_the_secret_it_quotes() {
        let secret = ["ghp", "_", &"a1B2c3D4e5F6".repeat(3)].concat();
        let violation = Violation::new(tasuki_packet::Code::FieldValue, "/status", "unknown value")
            .found(secret.clone());
        let refusal = Refusal::new(RefusalCode::PacketInvalid, "the packet has 1 violation")
            .with(vec![violation]);
        let text = serde_json::to_string(Problem::from(refusal).document()).unwrap();
        assert!(!text.contains(&secret), "{text}");
    }
}
