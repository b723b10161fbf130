//! Builds, sends and retries one request.

use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use tasuki_api::handoff::PACKET_REQUEST_MEDIA;
use tasuki_api::{EventFilter, PacketRequest, Problem, WorkTree};
use tasuki_packet::read::{Form, Source};
use ureq::http;

use crate::address;
use crate::client::{Client, Credential};
use crate::error::{Error, connection_error};
use crate::names;

/// LIMIT: the bytes of a response. A page of packets is far below.
const RESPONSE_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// The delay before each retry.
const RETRY_DELAYS: [Duration; 2] = [Duration::from_millis(100), Duration::from_millis(500)];

/// The headers and the body of a response.
type Response = (http::HeaderMap, Vec<u8>);

/// A request under construction.
pub(crate) struct Request<'c> {
    client: &'c Client,
    method: http::Method,
    path: String,
    parameters: Vec<(&'static str, String)>,
    headers: Vec<(&'static str, String)>,
    key: Option<String>,
    is_sent_once: bool,
    body: Option<(&'static str, Vec<u8>)>,
    wait: Duration,
}

impl Client {
    pub(crate) fn get(&self, path: impl Into<String>) -> Request<'_> {
        self.request(http::Method::GET, path)
    }

    pub(crate) fn post(&self, path: impl Into<String>) -> Request<'_> {
        self.request(http::Method::POST, path)
    }

    pub(crate) fn request(&self, method: http::Method, path: impl Into<String>) -> Request<'_> {
        Request {
            client: self,
            method,
            path: path.into(),
            parameters: Vec::new(),
            headers: Vec::new(),
            key: None,
            is_sent_once: false,
            body: None,
            wait: Duration::ZERO,
        }
    }
}

impl Request<'_> {
    /// Adds a query parameter if there is a value.
    pub(crate) fn with(mut self, name: &'static str, value: Option<impl ToString>) -> Self {
        self.parameters.extend(value.map(|value| (name, value.to_string())));
        self
    }

    /// Adds a query parameter `true` if it is set.
    pub(crate) fn flag(self, name: &'static str, is_set: bool) -> Self {
        self.with(name, is_set.then_some(true))
    }

    /// Adds a header if there is a value.
    pub(crate) fn header(mut self, name: &'static str, value: Option<String>) -> Self {
        self.headers.extend(value.map(|value| (name, value)));
        self
    }

    /// Sets the `Idempotency-Key` of the caller in place of a random one.
    pub(crate) fn key(self, key: Option<&String>) -> Self {
        Self { key: key.cloned(), ..self }
    }

    /// Disables retries and the key, for an operation that runs on every request.
    pub(crate) fn without_retry(self) -> Self {
        Self { is_sent_once: true, ..self }
    }

    /// Adds the query parameters of an event filter.
    pub(crate) fn filter(self, filter: &EventFilter) -> Self {
        let kinds: Vec<&str> = filter.kinds.iter().map(|kind| kind.name()).collect();
        let kinds = (!kinds.is_empty()).then(|| kinds.join(","));
        self.with("type", kinds)
            .with("task", filter.task.as_ref())
            .with("handoff", filter.handoff.as_ref())
            .with("party", filter.party.as_ref())
            .with("sender", filter.sender.as_ref())
            .with("receiver", filter.receiver.as_ref())
            .with("actor", filter.actor.as_ref())
            .with("contract", filter.contract.as_ref())
            .with("state", filter.state.as_ref())
            .with("trigger", filter.trigger.as_ref())
            .with("risk", filter.risk.as_ref())
            .with("before", filter.before.as_ref())
            .with("reason", filter.reason.as_ref())
            .with("earliest", filter.earliest)
            .with("latest", filter.latest)
    }

    /// Extends the time that the response may take.
    pub(crate) fn extend_timeout(self, by: Duration) -> Self {
        Self { wait: by, ..self }
    }

    /// Asks the server to wait for news up to this time.
    pub(crate) fn wait(self, wait: Duration) -> Self {
        let prefer = (!wait.is_zero()).then(|| format!("wait={}", wait.as_secs()));
        self.extend_timeout(wait).header("prefer", prefer)
    }

    /// Sets the body to a packet of any form.
    pub(crate) fn packet(self, packet: &[u8]) -> Self {
        Self { body: Some((media(packet), packet.to_vec())), ..self }
    }

    /// Sets the body to a packet of any form, with the work tree that it is sent from.
    pub(crate) fn packet_from(self, packet: &[u8], work_tree: Option<&WorkTree>) -> Self {
        self.packet_with(packet, work_tree, None)
    }

    /// Sets the body to a packet of any form, with its work tree and its sender's own variant. A packet
    /// that is not UTF-8 is sent alone, and the server refuses it.
    pub(crate) fn packet_with(
        self,
        packet: &[u8],
        work_tree: Option<&WorkTree>,
        variant: Option<&Map<String, Value>>,
    ) -> Self {
        let is_alone = work_tree.is_none() && variant.is_none();
        let (false, Ok(text)) = (is_alone, str::from_utf8(packet)) else {
            return self.packet(packet);
        };
        let (work_tree, variant) = (work_tree.cloned(), variant.cloned());
        let request = PacketRequest { packet: text.to_owned(), work_tree, variant };
        let bytes = serde_json::to_vec(&request).expect("request bodies have string keys");
        Self { body: Some((PACKET_REQUEST_MEDIA, bytes)), ..self }
    }

    /// Sets the body to bytes of this media type.
    pub(crate) fn body(self, media: &'static str, bytes: Vec<u8>) -> Self {
        Self { body: Some((media, bytes)), ..self }
    }

    /// Sets the body to a JSON document.
    pub(crate) fn json(self, document: &impl Serialize) -> Self {
        let bytes = serde_json::to_vec(document).expect("request bodies have string keys");
        Self { body: Some(("application/json", bytes)), ..self }
    }

    /// Sends the request, and deserializes the response.
    pub(crate) fn document<T: DeserializeOwned>(self) -> Result<T, Error> {
        let client = self.client;
        let bytes = self.bytes()?;
        let unexpected =
            |reason| Error::UnexpectedResponse { address: client.address.clone(), reason };
        let invalid = |error: serde_json::Error| unexpected(format!("invalid body: {error}"));
        let body: serde_json::Value = serde_json::from_slice(&bytes).map_err(invalid)?;
        if let Some(member) = names::invalid(&body) {
            return Err(unexpected(format!("`{member}` is not a valid name")));
        }
        serde_json::from_value(body).map_err(invalid)
    }

    /// Sends the request, and returns the bytes of the response.
    pub(crate) fn bytes(self) -> Result<Vec<u8>, Error> {
        self.send_with_retry().map(|(_, bytes)| bytes)
    }

    /// Sends the request with retries, and returns the headers and bytes of the response.
    pub(crate) fn send_with_retry(mut self) -> Result<Response, Error> {
        if self.is_sent_once {
            return self.send();
        }
        if self.method != http::Method::GET && self.key.is_none() {
            self.key = Some(random_key(&self.client.address)?);
        }
        let mut delays = RETRY_DELAYS.iter();
        loop {
            match (self.send(), delays.next()) {
                // A retry is safe: the request is a read, or its key identifies it.
                (Err(error), Some(pause)) if error.is_retryable() => std::thread::sleep(*pause),
                (sent, _) => return sent,
            }
        }
    }

    fn send(&self) -> Result<Response, Error> {
        let address = &self.client.address;
        let lost = |error: &ureq::Error| connection_error(address, error);
        let accept = "application/json, application/problem+json, */*";
        let request = self.build(accept).map_err(|error| lost(&error.into()))?;
        let request = self
            .client
            .agent
            .configure_request(request)
            .timeout_global(Some(self.client.timeout + self.wait))
            .build();
        let mut response = self.client.agent.run(request).map_err(|error| lost(&error))?;
        let read = response.body_mut().with_config().limit(RESPONSE_BYTES_MAX).read_to_vec();
        let bytes = read.map_err(|error| lost(&error))?;
        if response.status().is_success() {
            return Ok((response.into_parts().0.headers, bytes));
        }
        Err(refusal(address, response.status().as_u16(), &bytes))
    }

    /// Sends the request once through its own agent, for a streamed response. It fails if the server is
    /// silent for longer than this.
    pub(crate) fn open(
        self,
        agent: &ureq::Agent,
        accept: &str,
        silent: Duration,
    ) -> Result<http::Response<ureq::Body>, Error> {
        let lost = |error: &ureq::Error| connection_error(&self.client.address, error);
        let request = self.build(accept).map_err(|error| lost(&error.into()))?;
        let within = Some(self.client.timeout);
        let request = agent
            .configure_request(request)
            .timeout_connect(within)
            .timeout_recv_response(within)
            .timeout_per_read(Some(silent))
            .build();
        agent.run(request).map_err(|error| lost(&error))
    }

    fn build(&self, accept: &str) -> Result<http::Request<Vec<u8>>, http::Error> {
        let query = address::query(&self.parameters);
        let mut request = http::Request::builder()
            .method(self.method.clone())
            .uri(format!("{}{}{query}", self.client.address, self.path))
            .header("accept", accept);
        request = match &self.client.credential {
            Credential::None => request,
            Credential::Token(token) => request.header("authorization", format!("Bearer {token}")),
            Credential::Session { cookie, project } => {
                request.header("cookie", cookie).header("tasuki-project", project)
            }
        };
        if let Some(key) = &self.key {
            request = request.header("idempotency-key", key);
        }
        for (name, value) in &self.headers {
            request = request.header(*name, value);
        }
        let body = match &self.body {
            Some((media, body)) => {
                request = request.header("content-type", *media);
                body.clone()
            }
            None => Vec::new(),
        };
        request.body(body)
    }
}

/// Converts an unsuccessful response.
pub(crate) fn refusal(address: &str, status: u16, bytes: &[u8]) -> Error {
    match serde_json::from_slice::<Problem>(bytes) {
        Ok(problem) => Error::Refused(Box::new(problem)),
        Err(_) => Error::UnexpectedResponse {
            address: address.to_owned(),
            reason: format!("status {status} without a problem document"),
        },
    }
}

/// Returns the content type of a packet, which its content decides.
fn media(packet: &[u8]) -> &'static str {
    match Source::packet(packet).map(|source| source.form()) {
        Ok(Form::Yaml) => "application/yaml",
        Ok(Form::Markdown) => "text/markdown",
        // The server reports an invalid packet in detail.
        Ok(Form::Json | Form::Wire) | Err(_) => "application/json",
    }
}

/// Returns a random idempotency key.
fn random_key(address: &str) -> Result<String, Error> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| Error::Unreachable {
        address: address.to_owned(),
        reason: format!("no source of random numbers: {error}"),
    })?;
    Ok(bytes.iter().fold(String::new(), |key, byte| key + &format!("{byte:02x}")))
}
