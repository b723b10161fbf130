//! Bodies: packets as they were sent, and what is said beside them. JSON, YAML and Markdown by their
//! content type; anything else is refused before it is read.
//!
//! What is said is read by the same reader as packets, so that its limits hold here too: size, depth,
//! names twice, numbers that nobody keeps exactly.

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{FromRequest, Request};
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::{HeaderMap, request};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use tasuki_packet::limits::PACKET_BYTES_MAX;
use tasuki_packet::problem::DoorCode;
use tasuki_packet::read::Source;

use crate::app::Shared;
use crate::problem::Problem;
use crate::trace::Note;

/// LIMIT: a batch of packets.
pub(crate) const BATCH_BYTES_MAX: usize = 8 * PACKET_BYTES_MAX;

/// A packet, exactly as it was sent.
#[derive(Debug)]
pub(crate) struct Sent(pub(crate) Vec<u8>);

/// What a caller says besides a packet; nothing said is the default.
#[derive(Debug)]
pub(crate) struct Said<T>(pub(crate) T);

/// The same, up to the size of a batch.
#[derive(Debug)]
pub(crate) struct SaidAtLength<T>(pub(crate) T);

impl FromRequest<Shared> for Sent {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &Shared) -> Result<Self, Problem> {
        let (parts, body) = request.into_parts();
        let bytes = read(&parts, body, app, PACKET_BYTES_MAX).await?;
        if let Some(note) = parts.extensions.get::<Note>() {
            note.packet(&bytes);
        }
        Ok(Self(bytes.into()))
    }
}

impl<T: DeserializeOwned> FromRequest<Shared> for Said<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &Shared) -> Result<Self, Problem> {
        let (parts, body) = request.into_parts();
        let bytes = read(&parts, body, app, PACKET_BYTES_MAX).await?;
        // Nothing said is an object without members.
        let value = if bytes.is_empty() { Value::Object(<_>::default()) } else { value(&bytes)? };
        said(value).map(Self)
    }
}

impl<T: DeserializeOwned> FromRequest<Shared> for SaidAtLength<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &Shared) -> Result<Self, Problem> {
        let (parts, body) = request.into_parts();
        let bytes = read(&parts, body, app, BATCH_BYTES_MAX).await?;
        if !bytes.is_empty() && !media(&parts.headers).ends_with("json") {
            return Err(not_read(&media(&parts.headers), "say `Content-Type: application/json`"));
        }
        let read = serde_json::from_slice(&bytes);
        read.map(Self)
            .map_err(|error| Problem::argument(format!("the body cannot be used: {error}")))
    }
}

/// Reads a structured body.
fn said<T: DeserializeOwned>(value: Value) -> Result<T, Problem> {
    serde_json::from_value(value)
        .map_err(|error| Problem::argument(format!("the body cannot be used: {error}")))
}

/// Who writes null says nothing, also where nothing said has a meaning of its own.
pub(crate) fn or_default<'de, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: Deserialize<'de> + Default,
    D: Deserializer<'de>,
{
    Ok(Option::<T>::deserialize(deserializer)?.unwrap_or_default())
}

fn value(bytes: &[u8]) -> Result<Value, Problem> {
    let source = Source::plain(bytes).map_err(|violation| vec![violation])?;
    let document = source.read_plain().map_err(|violation| vec![violation])?;
    Ok(document.to_value())
}

async fn read(
    parts: &request::Parts,
    body: Body,
    app: &Shared,
    limit: usize,
) -> Result<Bytes, Problem> {
    let bytes = arrived(&parts.headers, body, app, limit).await?;
    if !bytes.is_empty() {
        is_read_here(&parts.headers)?;
    }
    Ok(bytes)
}

/// A body once it is here, whatever it is.
pub(crate) async fn arrived(
    headers: &HeaderMap,
    body: Body,
    app: &Shared,
    limit: usize,
) -> Result<Bytes, Problem> {
    let said = headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
    if said.is_some_and(|length: usize| length > limit) {
        return Err(too_large(limit));
    }
    let arriving = tokio::time::timeout(app.settings.limits.arrival, to_bytes(body, limit));
    match arriving.await {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(_)) => Err(too_large(limit)),
        Err(_) => Err(Problem::door(DoorCode::RequestSlow, "the body did not arrive in time")),
    }
}

fn is_read_here(headers: &HeaderMap) -> Result<(), Problem> {
    let media = media(headers);
    let is_known = matches!(
        media.as_str(),
        "application/json"
            | "application/yaml"
            | "application/x-yaml"
            | "text/yaml"
            | "text/x-yaml"
            | "text/markdown"
            | "text/x-markdown"
    ) || media.starts_with("application/")
        && (media.ends_with("+json") || media.ends_with("+yaml"));
    if is_known {
        return Ok(());
    }
    let hint = "say `Content-Type: application/json`, `application/yaml` or `text/markdown`";
    Err(not_read(&media, hint))
}

/// The media type that a body says it has.
fn media(headers: &HeaderMap) -> String {
    let said = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    said.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

fn not_read(media: &str, hint: &str) -> Problem {
    let detail = match media {
        "" => "the body has no content type".to_owned(),
        other => format!("a body of type `{other}` is not read here"),
    };
    Problem::door(DoorCode::MediaUnknown, detail).hint(hint)
}

fn too_large(limit: usize) -> Problem {
    let detail = format!("the body has more than {limit} bytes");
    Problem::door(DoorCode::BodyTooLarge, detail)
        .hint("move large content into an artifact and refer to it by digest")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_yaml_and_markdown_are_read_and_nothing_else() {
        let says = |media: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(CONTENT_TYPE, media.parse().unwrap());
            is_read_here(&headers)
        };
        for media in
            ["application/json", "Application/JSON; charset=utf-8", "text/yaml", "text/markdown"]
        {
            assert!(says(media).is_ok(), "{media}");
        }
        for media in ["application/x-www-form-urlencoded", "text/plain", "image/png", "json"] {
            assert_eq!(says(media).unwrap_err().status(), 415, "{media}");
        }
        assert_eq!(is_read_here(&HeaderMap::new()).unwrap_err().status(), 415);
    }

    #[test]
    fn what_is_said_is_read_as_carefully_as_a_packet() {
        let refused = |text: &str| {
            value(text.as_bytes()).unwrap_err().document().violations[0]["code"].clone()
        };
        assert_eq!(refused("{\"a\": 1, \"a\": 2}"), "TK-JSON-DUPLICATE");
        assert_eq!(refused("a: &x 1\nb: *x\n"), "TK-YAML-ANCHOR");
        assert_eq!(value(b"lease: 2h\n").unwrap()["lease"], "2h");
    }
}
