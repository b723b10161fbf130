//! Request bodies: packets exactly as sent, and structured bodies.
//!
//! The content type names JSON, YAML or Markdown. Other types are refused before the body is read, and a
//! body that does not match its content type is refused as well. Structured bodies are parsed by the reader
//! of packets, so that the same limits apply: size, depth, duplicate keys, inexact numbers.

use std::borrow::Cow;

use axum::body::{Body, Bytes};
use axum::extract::{FromRequest, Request};
use axum::http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use axum::http::{HeaderMap, request};
use serde::de::DeserializeOwned;
use serde_json::Value;
use tasuki_api::handoff::PACKET_REQUEST_MEDIA;
use tasuki_api::problem::HttpErrorCode;
use tasuki_api::{PacketRequest, WorkTree};
use tasuki_engine::refusal::{Refusal, RefusalCode};
use tasuki_packet::document::limits::PACKET_BYTES_MAX;
use tasuki_packet::read::markdown::{self, Tag};
use tasuki_packet::read::{Form, Source};
use tasuki_packet::violation::Violation;

use crate::extract::arrival::too_large;
use crate::extract::{arrival, field_errors};
use crate::middleware::request_log::RequestLog;
use crate::respond::problem::Problem;
use crate::state::Shared;

/// LIMIT: a batch of packets.
pub(crate) const BATCH_BYTES_MAX: usize = 8 * PACKET_BYTES_MAX;

/// LIMIT: a packet as the text of a JSON document, where each byte may need two, with a work tree and a
/// variant.
pub(crate) const PACKET_REQUEST_BYTES_MAX: usize = 2 * PACKET_BYTES_MAX + 1024 * 1024;

/// A packet, exactly as it was sent.
#[derive(Debug)]
pub(crate) struct PacketBody(pub(crate) Vec<u8>);

/// A packet, and the work tree that it was sent from if the body states one.
#[derive(Debug)]
pub(crate) struct PacketWithWorkTree {
    pub(crate) source: Vec<u8>,
    pub(crate) work_tree: Option<WorkTree>,
}

/// A packet that is submitted or passed on, with its work tree and its sender's own variant.
#[derive(Debug)]
pub(crate) struct SubmittedPacket {
    pub(crate) source: Vec<u8>,
    pub(crate) work_tree: Option<WorkTree>,
    pub(crate) variant: Option<Value>,
}

/// A body of JSON or YAML; an empty body is an object without members.
#[derive(Debug)]
pub(crate) struct StructuredBody<T>(pub(crate) T);

/// A body of JSON, up to the size of a batch.
#[derive(Debug)]
pub(crate) struct BatchBody<T>(pub(crate) T);

impl FromRequest<Shared> for PacketWithWorkTree {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &Shared) -> Result<Self, Problem> {
        let sent = SubmittedPacket::from_request(request, app).await?;
        if sent.variant.is_some() {
            let detail = "`variant` is only for a packet that is submitted or passed on";
            return Err(Problem::argument(detail).hint("remove `variant`"));
        }
        Ok(Self { source: sent.source, work_tree: sent.work_tree })
    }
}

impl FromRequest<Shared> for SubmittedPacket {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &Shared) -> Result<Self, Problem> {
        if !states_work_tree(request.headers()) {
            let PacketBody(source) = PacketBody::from_request(request, app).await?;
            return Ok(Self { source, work_tree: None, variant: None });
        }
        let (parts, body) = request.into_parts();
        let bytes = read(&parts, body, app, PACKET_REQUEST_BYTES_MAX).await?;
        let PacketRequest { packet, work_tree, variant } = packet_request(&bytes)?;
        if packet.len() > PACKET_BYTES_MAX {
            return Err(too_large(PACKET_BYTES_MAX));
        }
        if let Some(log) = parts.extensions.get::<RequestLog>() {
            log.trace_from_packet(packet.as_bytes());
        }
        Ok(Self { source: packet.into_bytes(), work_tree, variant: variant.map(Value::Object) })
    }
}

/// Returns `true` for a body that has a work tree or a variant beside the packet.
pub(crate) fn states_work_tree(headers: &HeaderMap) -> bool {
    media_type(headers) == PACKET_REQUEST_MEDIA
}

/// Parses a packet with its work tree and variant. The packet is a text, which is read later within its own limits.
pub(crate) fn packet_request(bytes: &[u8]) -> Result<PacketRequest, Problem> {
    let read = serde_json::from_slice(bytes);
    read.map_err(|error| Problem::argument(format!("invalid request body: {error}")))
}

impl FromRequest<Shared> for PacketBody {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &Shared) -> Result<Self, Problem> {
        let (parts, body) = request.into_parts();
        let bytes = read(&parts, body, app, PACKET_BYTES_MAX).await?;
        if let Some(log) = parts.extensions.get::<RequestLog>() {
            log.trace_from_packet(&bytes);
        }
        if !bytes.is_empty() {
            check_form(&bytes, form(&parts.headers)?)?;
        }
        Ok(Self(bytes.into()))
    }
}

impl<T: DeserializeOwned> FromRequest<Shared> for StructuredBody<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &Shared) -> Result<Self, Problem> {
        let (parts, body) = request.into_parts();
        let bytes = read(&parts, body, app, PACKET_BYTES_MAX).await?;
        if bytes.is_empty() {
            // An empty body is an object without members.
            return field_errors::deserialize(<_>::default()).map(Self).map_err(invalid_body);
        }
        let source = match form(&parts.headers)? {
            Form::Json | Form::Wire => Source::json(&bytes),
            Form::Yaml => Source::plain(&bytes),
            Form::Markdown => {
                let hint = "send `Content-Type: application/json` or `application/yaml`";
                return Err(unsupported_media_type(&media_type(&parts.headers), hint));
            }
        };
        parse(source).map(Self)
    }
}

impl<T: DeserializeOwned> FromRequest<Shared> for BatchBody<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &Shared) -> Result<Self, Problem> {
        let (parts, body) = request.into_parts();
        let bytes = read(&parts, body, app, BATCH_BYTES_MAX).await?;
        if !bytes.is_empty() && !media_type(&parts.headers).ends_with("json") {
            return Err(unsupported_media_type(
                &media_type(&parts.headers),
                "send `Content-Type: application/json`",
            ));
        }
        let read = serde_json::from_slice(&bytes);
        read.map(Self).map_err(|error| Problem::argument(format!("invalid request body: {error}")))
    }
}

/// Reads a structured body.
fn parse<T: DeserializeOwned>(source: Result<Source<'_>, Violation>) -> Result<T, Problem> {
    let source = source.map_err(|violation| vec![violation])?;
    let document = source.read_plain().map_err(|violation| vec![violation])?;
    let Value::Object(members) = document.to_value() else {
        return Err(Problem::argument("the request body must be an object"));
    };
    field_errors::deserialize(members).map_err(|mut violations| {
        source.locate(&document, &mut violations);
        invalid_body(violations)
    })
}

/// Refuses a body: the first violation is the detail, and all of them follow.
fn invalid_body(violations: Vec<Violation>) -> Problem {
    let detail = match violations.first() {
        Some(first) => format!("invalid request body: {}: {}", first.pointer, first.message),
        None => "invalid request body".to_owned(),
    };
    let hint = violations.first().and_then(|first| first.hint.clone());
    let mut refusal = Refusal::new(RefusalCode::ArgumentInvalid, detail).with(violations);
    refusal.hint = hint;
    refusal.into()
}

async fn read(
    parts: &request::Parts,
    body: Body,
    app: &Shared,
    limit: usize,
) -> Result<Bytes, Problem> {
    check_encoding(&parts.headers)?;
    let bytes = arrival::receive(&parts.headers, body, app, limit).await?;
    if !bytes.is_empty() {
        form(&parts.headers)?;
    }
    Ok(bytes)
}

/// Refuses a body that is compressed.
fn check_encoding(headers: &HeaderMap) -> Result<(), Problem> {
    match headers.get(CONTENT_ENCODING) {
        Some(encoding) if !encoding.as_bytes().eq_ignore_ascii_case(b"identity") => {
            let encoding = encoding.to_str().unwrap_or("?");
            let detail = format!("unsupported content encoding `{encoding}`");
            Err(Problem::with_code(HttpErrorCode::MediaUnknown, detail)
                .hint("send the body uncompressed, without `Content-Encoding`"))
        }
        _ => Ok(()),
    }
}

/// Refuses a packet that does not match its content type. Its form is detected from its bytes, because
/// stored packets are read again without a content type.
fn check_form(bytes: &[u8], named: Form) -> Result<(), Problem> {
    // An invalid packet is refused by its reader, with line and column.
    let Ok(source) = Source::packet(bytes) else { return Ok(()) };
    let found = source.form();
    let matches_content_type = match named {
        Form::Json | Form::Wire => matches!(found, Form::Json | Form::Wire),
        // JSON is YAML.
        Form::Yaml => found != Form::Markdown,
        Form::Markdown => found == Form::Markdown || is_front_matter(&source),
    };
    if matches_content_type {
        return Ok(());
    }
    let detail =
        format!("the body is {}, but its content type is {}", form_name(found), form_name(named));
    let right = match found {
        Form::Json | Form::Wire => "application/json",
        Form::Yaml => "application/yaml",
        Form::Markdown => "text/markdown",
    };
    Err(Problem::argument(detail).hint(format!("send `Content-Type: {right}`")))
}

/// Returns `true` if a Markdown text consists of front matter only, which is also valid YAML.
fn is_front_matter(source: &Source<'_>) -> bool {
    let block = markdown::find(source.text());
    matches!(block, Ok(Some(block)) if block.tag == Tag::FrontMatter)
}

fn form_name(form: Form) -> &'static str {
    match form {
        Form::Json | Form::Wire => "JSON",
        Form::Yaml => "YAML",
        Form::Markdown => "Markdown",
    }
}

/// Refuses a body of another media type.
pub(crate) fn require_media(headers: &HeaderMap, media: &str) -> Result<(), Problem> {
    check_encoding(headers)?;
    let found = media_type(headers);
    if found == media {
        return Ok(());
    }
    Err(unsupported_media_type(&found, &format!("send `Content-Type: {media}`")))
}

/// The form that a content type names.
fn form(headers: &HeaderMap) -> Result<Form, Problem> {
    let media_type = media_type(headers);
    let is_suffixed =
        |suffix| media_type.starts_with("application/") && media_type.ends_with(suffix);
    match &*media_type {
        "application/json" => Ok(Form::Json),
        "application/yaml" | "application/x-yaml" | "text/yaml" | "text/x-yaml" => Ok(Form::Yaml),
        "text/markdown" | "text/x-markdown" => Ok(Form::Markdown),
        _ if is_suffixed("+json") => Ok(Form::Json),
        _ if is_suffixed("+yaml") => Ok(Form::Yaml),
        _ => {
            let hint =
                "send `Content-Type: application/json`, `application/yaml` or `text/markdown`";
            Err(unsupported_media_type(&media_type, hint))
        }
    }
}

/// The media type of a body, from its content type.
fn media_type(headers: &HeaderMap) -> Cow<'_, str> {
    let sent = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let media_type = sent.split(';').next().unwrap_or_default().trim();
    let is_small = !media_type.bytes().any(|byte| byte.is_ascii_uppercase());
    if is_small { media_type.into() } else { media_type.to_ascii_lowercase().into() }
}

fn unsupported_media_type(media_type: &str, hint: &str) -> Problem {
    let detail = match media_type {
        "" => "the body has no content type".to_owned(),
        other => format!("unsupported content type `{other}`"),
    };
    Problem::with_code(HttpErrorCode::MediaUnknown, detail).hint(hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_yaml_and_markdown_are_read_and_nothing_else() {
        let says = |media_type: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(CONTENT_TYPE, media_type.parse().unwrap());
            form(&headers)
        };
        for (media_type, named) in [
            ("application/json", Form::Json),
            ("Application/JSON; charset=utf-8", Form::Json),
            ("application/merge-patch+json", Form::Json),
            ("text/yaml", Form::Yaml),
            ("text/markdown", Form::Markdown),
        ] {
            assert_eq!(says(media_type).unwrap(), named, "{media_type}");
        }
        for media_type in ["application/x-www-form-urlencoded", "text/plain", "image/png", "json"] {
            assert_eq!(says(media_type).unwrap_err().status(), 415, "{media_type}");
        }
        assert_eq!(form(&HeaderMap::new()).unwrap_err().status(), 415);
    }

    #[test]
    fn a_packet_is_what_its_content_type_says() {
        let yaml = "handoff_version: '1.0'\nstatus: blocked\n";
        let json = "{\"handoff_version\": \"1.0\"}";
        let markdown = format!("[link](http://x)\n\n```yaml\n{yaml}```\n");
        let front_matter = format!("---\n{yaml}---\n");
        let so = |text: &str, named| check_form(text.as_bytes(), named).is_ok();
        for (text, right, invalid_body) in [
            (yaml, &[Form::Yaml][..], &[Form::Json, Form::Markdown][..]),
            (json, &[Form::Json, Form::Yaml], &[Form::Markdown]),
            (&markdown, &[Form::Markdown], &[Form::Json, Form::Yaml]),
            (&front_matter, &[Form::Markdown, Form::Yaml], &[Form::Json]),
            // Text without a form is left to the reader.
            ("Please go on.\n", &[Form::Json, Form::Yaml, Form::Markdown], &[]),
        ] {
            assert!(right.iter().all(|form| so(text, *form)), "{text}");
            assert!(!invalid_body.iter().any(|form| so(text, *form)), "{text}");
        }
    }

    #[test]
    fn what_is_said_is_read_as_carefully_as_a_packet() {
        let refused = |text: &str| {
            let read = parse::<Value>(Source::plain(text.as_bytes()));
            read.unwrap_err().document().violations[0].code.clone()
        };
        assert_eq!(refused("{\"a\": 1, \"a\": 2}"), "TK-JSON-DUPLICATE");
        assert_eq!(refused("a: &x 1\nb: *x\n"), "TK-YAML-ANCHOR");
        let parsed: Value = parse(Source::plain(b"lease: 2h\n")).unwrap();
        assert_eq!(parsed["lease"], "2h");
    }
}
