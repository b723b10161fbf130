//! One request: how it is built, sent, retried, and what it returns.

use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use tasuki_api::problem::Problem;
use tasuki_packet::read::{Form, Source};
use ureq::http;

use crate::address;
use crate::ask::Filter;
use crate::client::{Client, Credential};
use crate::error::{Error, connection_error};

/// LIMIT: what is read of a response. A page of packets is far below.
const RESPONSE_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// How long to wait before each retry.
const RETRY_DELAYS: [Duration; 2] = [Duration::from_millis(100), Duration::from_millis(500)];

/// The headers and the body of a response.
type Response = (http::HeaderMap, Vec<u8>);

/// A request.
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
    /// A parameter of the query, if there is a value.
    pub(crate) fn with(mut self, name: &'static str, value: Option<impl ToString>) -> Self {
        self.parameters.extend(value.map(|value| (name, value.to_string())));
        self
    }

    /// A parameter that is said or not.
    pub(crate) fn flag(self, name: &'static str, is_set: bool) -> Self {
        self.with(name, is_set.then_some(true))
    }

    /// A header, if there is a value.
    pub(crate) fn header(mut self, name: &'static str, value: Option<String>) -> Self {
        self.headers.extend(value.map(|value| (name, value)));
        self
    }

    /// The caller's own `Idempotency-Key`, in place of one for this call only.
    pub(crate) fn key(self, key: Option<&String>) -> Self {
        Self { key: key.cloned(), ..self }
    }

    /// For what the exchange runs each time: the request has no key, and is not retried.
    pub(crate) fn without_retry(self) -> Self {
        Self { is_sent_once: true, ..self }
    }

    /// The parameters of a filter of events.
    pub(crate) fn filter(self, filter: &Filter) -> Self {
        let kinds = (!filter.kinds.is_empty()).then(|| filter.kinds.join(","));
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

    /// Adds to the time that the response may take.
    pub(crate) fn extend_timeout(self, by: Duration) -> Self {
        Self { wait: by, ..self }
    }

    /// How long the server may wait for news.
    pub(crate) fn wait(self, wait: Duration) -> Self {
        let prefer = (!wait.is_zero()).then(|| format!("wait={}", wait.as_secs()));
        self.extend_timeout(wait).header("prefer", prefer)
    }

    /// A packet in whatever form it is in.
    pub(crate) fn packet(self, packet: &[u8]) -> Self {
        Self { body: Some((media(packet), packet.to_vec())), ..self }
    }

    /// A document.
    pub(crate) fn json(self, document: &impl Serialize) -> Self {
        let bytes = serde_json::to_vec(document).expect("what is asked has texts as its keys");
        Self { body: Some(("application/json", bytes)), ..self }
    }

    /// Sends it, and reads the document that comes back.
    pub(crate) fn document<T: DeserializeOwned>(self) -> Result<T, Error> {
        let client = self.client;
        let bytes = self.bytes()?;
        serde_json::from_slice(&bytes).map_err(|error| Error::Foreign {
            address: client.address.clone(),
            reason: format!("the answer cannot be read: {error}"),
        })
    }

    /// Sends it, and gives the bytes that come back.
    pub(crate) fn bytes(self) -> Result<Vec<u8>, Error> {
        self.send_with_retry().map(|(_, bytes)| bytes)
    }

    /// Sends it, with retries, and returns headers and bytes of the response.
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
                // Nothing happens twice: it is a read, or its key is known by now.
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

    /// Sends it once, through an agent of its own, for a body without an end that is never silent for longer
    /// than this.
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
            Credential::Nothing => request,
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

/// The refusal of the exchange, or the error that it is no exchange.
pub(crate) fn refusal(address: &str, status: u16, bytes: &[u8]) -> Error {
    match serde_json::from_slice::<Problem>(bytes) {
        Ok(problem) => Error::Refused(Box::new(problem)),
        Err(_) => Error::Foreign {
            address: address.to_owned(),
            reason: format!("status {status} without a problem document"),
        },
    }
}

/// The content type of a packet, which is told by its content.
fn media(packet: &[u8]) -> &'static str {
    match Source::packet(packet).map(|source| source.form()) {
        Ok(Form::Yaml) => "application/yaml",
        Ok(Form::Markdown) => "text/markdown",
        // The exchange says what is wrong with what is no packet.
        Ok(Form::Json | Form::Wire) | Err(_) => "application/json",
    }
}

/// A random idempotency key.
fn random_key(address: &str) -> Result<String, Error> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| Error::Unreachable {
        address: address.to_owned(),
        reason: format!("this machine has no random numbers: {error}"),
    })?;
    Ok(bytes.iter().fold(String::new(), |key, byte| key + &format!("{byte:02x}")))
}
