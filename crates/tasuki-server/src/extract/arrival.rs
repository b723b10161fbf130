//! The arrival of request bodies, within their limits of size, time and memory.
//!
//! The guard receives the body of a request before the request takes a place among the concurrent
//! ones. A slow sender therefore costs a connection and nothing else.

use std::future::poll_fn;
use std::pin::Pin;

use axum::body::{Body, Bytes, HttpBody as _};
use axum::extract::Request;
use axum::http::HeaderMap;
use axum::http::header::CONTENT_LENGTH;
use tasuki_api::problem::HttpErrorCode;
use tasuki_api::snapshot::BUNDLE_BYTES_MAX;
use tasuki_packet::document::limits::PACKET_BYTES_MAX;

use crate::extract::body::{BATCH_BYTES_MAX, PACKET_REQUEST_BYTES_MAX, states_work_tree};
use crate::middleware::client_address::ClientAddress;
use crate::operation::{Operation, RequestBody};
use crate::respond::problem::Problem;
use crate::state::App;
use crate::state::arrivals::Reserved;
use crate::state::limits::RateKey;

/// Receives the body of a request, and puts it into the request as a whole. Returns the reservation
/// of its bytes.
pub(crate) async fn complete(
    app: &App,
    operation: &Operation,
    request: &mut Request,
    client: ClientAddress,
    credential: Option<&RateKey>,
) -> Result<Option<Reserved>, Problem> {
    let Some(limit) = bytes_max(operation, request.headers()) else { return Ok(None) };
    if request.body().is_end_stream() {
        return Ok(None);
    }
    let reserved = reserve(app, request.headers(), limit, client, credential).await?;
    let body = std::mem::take(request.body_mut());
    let bytes = receive(request.headers(), body, app, limit).await?;
    *request.body_mut() = Body::from(bytes);
    Ok(reserved)
}

/// Returns the largest body of an operation; `None` if it has none.
fn bytes_max(operation: &Operation, headers: &HeaderMap) -> Option<usize> {
    match operation.request {
        RequestBody::None => None,
        RequestBody::PacketWithWorkTree if states_work_tree(headers) => {
            Some(PACKET_REQUEST_BYTES_MAX)
        }
        RequestBody::Packet
        | RequestBody::PacketWithWorkTree
        | RequestBody::Document(_)
        | RequestBody::Optional(_) => Some(PACKET_BYTES_MAX),
        RequestBody::Bundle => Some(BUNDLE_BYTES_MAX),
        RequestBody::Json(_) => Some(BATCH_BYTES_MAX),
    }
}

/// Reserves the bytes of a body: its stated length, otherwise the limit.
pub(crate) async fn reserve(
    app: &App,
    headers: &HeaderMap,
    limit: usize,
    client: ClientAddress,
    credential: Option<&RateKey>,
) -> Result<Option<Reserved>, Problem> {
    let bytes = stated_length(headers, limit)?.unwrap_or(limit);
    let wait = app.settings.limits.body_timeout;
    app.limits.arrivals.reserve(bytes, client.key(), credential, wait).await
}

/// Receives a body within the time and size that it may have.
pub(crate) async fn receive(
    headers: &HeaderMap,
    body: Body,
    app: &App,
    limit: usize,
) -> Result<Bytes, Problem> {
    let length = stated_length(headers, limit)?;
    let received = received(body, length.unwrap_or_default(), limit);
    match tokio::time::timeout(app.settings.limits.body_timeout, received).await {
        Ok(received) => received,
        Err(_) => Err(Problem::with_code(
            HttpErrorCode::RequestTimeout,
            "the body did not arrive in time",
        )),
    }
}

/// Returns the stated length of a body, which is refused if it is over the limit.
fn stated_length(headers: &HeaderMap, limit: usize) -> Result<Option<usize>, Problem> {
    let length = headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
    match length {
        Some(length) if length > limit => Err(too_large(limit)),
        length => Ok(length),
    }
}

/// Collects the parts of a body. A body of one part is not copied.
async fn received(mut body: Body, length: usize, limit: usize) -> Result<Bytes, Problem> {
    let mut whole = Vec::new();
    while let Some(part) = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
        let part = part.ok().ok_or_else(incomplete)?;
        let Ok(part) = part.into_data() else { continue };
        if whole.len() + part.len() > limit {
            return Err(too_large(limit));
        }
        if whole.is_empty() {
            if body.is_end_stream() {
                return Ok(part);
            }
            whole.reserve_exact(length.min(limit));
        }
        whole.extend_from_slice(&part);
    }
    Ok(whole.into())
}

fn incomplete() -> Problem {
    Problem::argument("the body ended before its stated length").hint("send the request again")
}

pub(crate) fn too_large(limit: usize) -> Problem {
    let detail = format!("the body has more than {limit} bytes");
    Problem::with_code(HttpErrorCode::BodyTooLarge, detail)
        .hint("move large content into an artifact and refer to it by digest")
}
