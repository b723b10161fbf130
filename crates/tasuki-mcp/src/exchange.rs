//! The exchange behind the tools: it answers requests of the HTTP interface.

use std::pin::Pin;

use serde::Serialize;
use serde_json::Value;
use tasuki_api::handoff::PACKET_REQUEST_MEDIA;
use tasuki_api::{Claim, PacketRequest, Problem, WorkTree};

/// The answer to a request: its body, or why it was refused.
pub type Sent<'a> = Pin<Box<dyn Future<Output = Result<Value, Refusal>> + Send + 'a>>;

/// The findings in the directory of the caller, if there is one.
pub type Looked<'a, T> = Pin<Box<dyn Future<Output = Option<T>> + Send + 'a>>;

/// The end of an exchange.
pub type Stopped<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// An exchange, for one caller.
pub trait Exchange: Send + Sync {
    /// Sends a request of the HTTP interface and returns the body of the response.
    fn send(&self, request: ApiRequest) -> Sent<'_>;

    /// Returns the address at which people reach the server of the exchange, if it is known.
    fn public_url(&self) -> Option<String> {
        None
    }

    /// Returns the state of the directory that the caller works in, if this process is in it.
    fn work_tree(&self) -> Looked<'_, WorkTree> {
        Box::pin(std::future::ready(None))
    }

    /// Compares a recorded state with the directory that the caller works in, and returns the note that
    /// tells what is missing there.
    fn not_here(&self, _: WorkTree) -> Looked<'_, String> {
        Box::pin(std::future::ready(None))
    }

    /// Notes a claim of the caller, so that the hooks and commands of its host find it.
    fn claimed(&self, _: &Claim, _task: &str) {}

    /// Notes that the progress of a task was saved, so that its uncommitted code is saved too.
    fn saved(&self, _: Saved, _task: &str, _party: &str) {}

    /// Completes when the exchange stops, so that waits and subscriptions end.
    fn stopped(&self) -> Stopped<'_> {
        Box::pin(std::future::pending())
    }
}

/// The step that saved the progress of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Saved {
    /// A checkpoint.
    Checkpoint,
    /// The work was passed on.
    PassOn,
}

/// The method of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Reads.
    Get,
    /// Changes.
    Post,
}

/// One request of the HTTP interface, with a JSON body.
#[derive(Debug, Clone, PartialEq)]
pub struct ApiRequest {
    /// The method.
    pub method: Method,
    /// The path and the query, percent-encoded.
    pub target: String,
    /// The body.
    pub body: Option<Value>,
    /// The media type of the body.
    pub media: &'static str,
}

impl ApiRequest {
    /// Creates a read. Each `{}` of the path is replaced by one encoded name.
    pub(crate) fn get(path: &str, names: &[&str]) -> Self {
        let target = filled(path, names);
        Self { method: Method::Get, target, body: None, media: "application/json" }
    }

    /// Creates a change. Each `{}` of the path is replaced by one encoded name.
    pub(crate) fn post(path: &str, names: &[&str]) -> Self {
        Self { method: Method::Post, ..Self::get(path, names) }
    }

    /// Adds a query parameter if there is a value.
    pub(crate) fn with(mut self, name: &str, value: Option<impl ToString>) -> Self {
        if let Some(value) = value {
            let mark = if self.target.contains('?') { '&' } else { '?' };
            self.target.push_str(&format!("{mark}{name}={}", encoded(&value.to_string())));
        }
        self
    }

    /// Sets the body.
    pub(crate) fn json(self, body: &impl Serialize) -> Self {
        Self { body: serde_json::to_value(body).ok(), ..self }
    }

    /// Sets the body to a packet, with the directory that it is sent from if there is one.
    pub(crate) fn packet(self, packet: &Value, work_tree: Option<WorkTree>) -> Self {
        if work_tree.is_none() {
            return self.json(packet);
        }
        let request = PacketRequest { packet: packet.to_string(), work_tree, variant: None };
        Self { media: PACKET_REQUEST_MEDIA, ..self.json(&request) }
    }
}

fn filled(path: &str, names: &[&str]) -> String {
    names.iter().fold(path.to_owned(), |path, name| path.replacen("{}", &encoded(name), 1))
}

/// Encodes all but the unreserved characters of RFC 3986.
pub(crate) fn encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
}

/// A request that was refused, or that did not reach the exchange.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The status of the response, or the one that a server gives for this reason. Without one, the
    /// exchange was not reached.
    pub status: Option<u16>,
    /// The message, with the code and every violation.
    pub message: String,
    /// The next step.
    pub hint: Option<String>,
}

impl Refusal {
    /// Creates a refusal without a response of the exchange.
    pub fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { status: None, message: message.into(), hint: Some(hint.into()) }
    }

    /// Adds the status that a server gives for this reason.
    pub(crate) fn with_status(self, status: u16) -> Self {
        Self { status: Some(status), ..self }
    }

    /// Returns the text that the model reads.
    pub(crate) fn text(&self) -> String {
        match &self.hint {
            Some(hint) => format!("{}\nhint: {hint}", self.message),
            None => self.message.clone(),
        }
    }
}

impl From<Problem> for Refusal {
    fn from(problem: Problem) -> Self {
        let mut message = format!("{} [{}]", problem.detail, problem.code);
        for violation in &problem.violations {
            let (code, pointer) = (&violation.code, &violation.pointer);
            message.push_str(&format!("\n  {code} {pointer}: {}", violation.message));
            if let Some(allowed) = &violation.allowed {
                message.push_str(&format!("\n    allowed: {allowed}"));
            }
        }
        Self { status: Some(problem.status), message, hint: problem.hint }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_leave_its_segment_and_a_value_its_parameter() {
        let request = ApiRequest::get("/v1/tasks/{}/packet", &["a/../b?c"])
            .with("as", Some("brief"))
            .with("budget", None::<u32>)
            .with("q", Some("x&y=z"));
        assert_eq!(request.target, "/v1/tasks/a%2F..%2Fb%3Fc/packet?as=brief&q=x%26y%3Dz");
    }

    #[test]
    fn a_packet_has_the_directory_it_is_sent_from_beside_it() {
        let request = || ApiRequest::post("/v1/tasks", &[]);
        let packet = serde_json::json!({ "goal": "Ship" });
        assert_eq!(request().packet(&packet, None), request().json(&packet));
        let from = request().packet(&packet, Some(WorkTree::default()));
        assert_eq!(from.media, PACKET_REQUEST_MEDIA);
        assert_eq!(from.body.unwrap()["packet"], r#"{"goal":"Ship"}"#);
    }

    #[test]
    fn a_refusal_shows_its_code_every_violation_and_the_next_step() {
        let problem: Problem = serde_json::from_value(serde_json::json!({
            "type": "/docs/errors/TK-PACKET-INVALID", "title": "Unprocessable", "status": 422,
            "detail": "the packet has 1 violation", "code": "TK-PACKET-INVALID", "hint": "repair it",
            "violations": [{ "code": "TK-FIELD-VALUE", "pointer": "/status", "message": "bad",
                "allowed": "completed" }],
        }))
        .unwrap();
        assert_eq!(
            Refusal::from(problem).text(),
            "the packet has 1 violation [TK-PACKET-INVALID]\n  TK-FIELD-VALUE /status: bad\n    \
             allowed: completed\nhint: repair it"
        );
    }
}
