//! `/v1/batch`: many requests in one, each with its own response.
//!
//! The requests run concurrently, so that they share the cost of a commit. None may depend on another.
//! Each is authorized, handled and counted like a single request.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use axum::body::{Body, HttpBody as _, to_bytes};
use axum::extract::{Extension, Request};
use axum::http::header::{CONTENT_TYPE, ETAG, IF_MATCH, LOCATION};
use axum::http::{HeaderMap, HeaderValue, Method};
use axum::response::Response;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use tasuki_api::packet::{PATH_CHARACTERS, REQUESTS_MAX};
use tasuki_api::{BatchItem, BatchItemResponse, BatchRequest, BatchResponse, HttpErrorCode};
use tower::ServiceExt as _;

use crate::api::operations as op;
use crate::api::operations::Verb;
use crate::extract::body::{BATCH_BYTES_MAX, BatchBody};
use crate::extract::idempotency;
use crate::extract::request_context::{Admitted, RequestContext};
use crate::middleware::request_log;
use crate::respond::command_response::REPLAYED;
use crate::respond::json::Json;
use crate::respond::problem::Problem;
use crate::state::Shared;

/// LIMIT: the bytes of all responses of one batch.
const ANSWERS_BYTES_MAX: usize = 16 * 1024 * 1024;

/// The routes of single requests.
#[derive(Debug, Clone)]
pub(crate) struct SingleRouter(pub(crate) Router);

pub(crate) async fn batch(
    context: RequestContext,
    headers: HeaderMap,
    Extension(SingleRouter(router)): Extension<SingleRouter>,
    BatchBody(mut batch): BatchBody<BatchRequest>,
) -> Result<Json<BatchResponse>, Problem> {
    if batch.requests.len() > REQUESTS_MAX {
        let detail = format!("a batch has at most {REQUESTS_MAX} requests");
        return Err(Problem::argument(detail).hint("send the rest in another batch"));
    }
    if let Some(key) = idempotency::key_of_batch(&headers)? {
        // The key of the batch makes each of its requests safe to repeat.
        for (at, single) in batch.requests.iter_mut().enumerate() {
            single.key.get_or_insert_with(|| idempotency::key_within(&key, at));
        }
    }
    let traceparent = headers.get(request_log::TRACEPARENT);
    let requests = batch.requests.into_iter().map(|single| request(&context, single, traceparent));
    // Nothing runs if one of the requests is invalid.
    let requests = requests.collect::<Result<Vec<_>, _>>()?;
    let budget = Arc::new(ResponseBudget(AtomicUsize::new(ANSWERS_BYTES_MAX)));
    let mut running = Vec::with_capacity(requests.len());
    for mut request in requests {
        let (app, router, budget) = (context.app.clone(), router.clone(), budget.clone());
        let caller = context.caller.clone();
        running.push(tokio::spawn(async move {
            let permit = app.limits.acquire_in_batch(caller.project, &caller.rate_key()).await?;
            let permit = Arc::new(permit);
            request.extensions_mut().insert(Admitted { caller, permit: Arc::clone(&permit) });
            let is_read = request.method() == Method::GET;
            let answer = answer(answered(app, router, request).await, &budget, is_read).await;
            drop(permit);
            Some(answer)
        }));
    }
    let mut answers = Vec::with_capacity(running.len());
    for one in running {
        answers.push(one.await.ok().flatten().ok_or_else(lost_response)?);
    }
    Ok(Json(BatchResponse { answers }))
}

/// Runs one request, which is logged like any other.
async fn answered(app: Shared, router: Router, mut request: Request) -> Response {
    let log = request_log::start(&mut request);
    let response = router.oneshot(request).await.unwrap_or_else(|never| match never {});
    app.metrics.count_request(&log.finish(&response));
    response
}

fn request(
    context: &RequestContext,
    single: BatchItem,
    traceparent: Option<&HeaderValue>,
) -> Result<Request, Problem> {
    let verb = Verb::ALL.into_iter().find(|verb| verb.method().as_str() == single.method);
    let verb =
        verb.ok_or_else(|| Problem::argument(format!("unknown method `{}`", single.method)))?;
    if !is_path(&single.path) {
        let detail = format!("invalid path `{}` in a batch", single.path);
        return Err(Problem::argument(detail)
            .hint("a path begins with `/v1/`, and reserved characters are percent-encoded"));
    }
    if single.path.split('?').next() == Some(op::SIGN_IN.path) {
        let detail = "a batch cannot sign in or out, because its responses have no cookies";
        return Err(Problem::argument(detail).hint("send this request alone"));
    }
    let headers = [&single.content_type, &single.key, &single.if_match];
    if headers.into_iter().flatten().any(|text| !text.chars().all(|c| matches!(c, ' '..='~'))) {
        return Err(Problem::argument(
            "`content_type`, `key` and `if_match` must be visible ASCII",
        ));
    }
    let (body, media) = body(single.body, single.content_type);
    let mut request = Request::builder()
        .method(verb.method())
        .uri(&single.path)
        .body(body)
        .map_err(|error| Problem::argument(format!("`{}`: {error}", single.path)))?;
    let sent = [(CONTENT_TYPE, media), (idempotency::KEY, single.key), (IF_MATCH, single.if_match)];
    for (name, value) in sent {
        if let Some(value) = value {
            let value = HeaderValue::from_str(&value).ok().ok_or_else(|| {
                Problem::argument(format!("invalid value of the header `{name}`"))
            })?;
            request.headers_mut().insert(name, value);
        }
    }
    if let Some(traceparent) = traceparent {
        request.headers_mut().insert(request_log::TRACEPARENT, traceparent.clone());
    }
    request.extensions_mut().insert(context.client);
    Ok(request)
}

/// Returns `true` for a path of the interface, as the schema of a batch describes it.
fn is_path(path: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || PATH_CHARACTERS.contains(c);
    path.starts_with("/v1/") && path.chars().all(is_letter)
}

/// Returns the body of a request and its content type. A document keeps its exact bytes: validation must
/// see duplicate keys and inexact numbers.
fn body(sent: Option<Box<RawValue>>, media: Option<String>) -> (Body, Option<String>) {
    let Some(sent) = sent else { return (Body::empty(), None) };
    let text = serde_json::from_str::<String>(sent.get()).ok();
    match (text, media) {
        (Some(text), Some(media)) => (Body::from(text), Some(media)),
        _ => (Body::from(sent.get().to_owned()), Some("application/json".to_owned())),
    }
}

/// The bytes left for responses. A response that does not fit is dropped as soon as its size is known.
#[derive(Debug)]
struct ResponseBudget(AtomicUsize);

impl ResponseBudget {
    fn take(&self, bytes: usize) -> bool {
        let left = |left: usize| left.checked_sub(bytes);
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, left).is_ok()
    }
}

async fn answer(response: Response, budget: &ResponseBudget, is_read: bool) -> BatchItemResponse {
    let text = |headers: &HeaderMap, name| {
        headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
    };
    let headers = response.headers();
    let (etag, location) = (text(headers, ETAG), text(headers, LOCATION));
    let replayed = headers.contains_key(REPLAYED);
    let status = response.status().as_u16();
    let body = response.into_body();
    let size = body.size_hint().exact().and_then(|size| usize::try_from(size).ok());
    // The response to a change is always included. It is short.
    if is_read && !size.is_some_and(|size| size <= BATCH_BYTES_MAX && budget.take(size)) {
        return too_large();
    }
    let bytes = to_bytes(body, BATCH_BYTES_MAX).await.unwrap_or_default();
    // A body that is not JSON becomes a text.
    let body = match serde_json::from_slice(&bytes) {
        Ok(body) => body,
        Err(_) => raw(&String::from_utf8_lossy(&bytes)),
    };
    BatchItemResponse { status, etag, location, replayed, body }
}

fn too_large() -> BatchItemResponse {
    let problem =
        Problem::with_code(HttpErrorCode::BodyTooLarge, "the response is too large for this batch")
            .hint("send this request alone, or request less at once");
    let (status, body) = (problem.status(), raw(problem.document()));
    BatchItemResponse { status, etag: None, location: None, replayed: false, body }
}

fn raw(value: &(impl Serialize + ?Sized)) -> Box<RawValue> {
    to_raw_value(value).unwrap_or_else(|_| RawValue::NULL.to_owned())
}

fn lost_response() -> Problem {
    use tasuki_engine::error::{Fault, FaultKind};
    Fault::new(FaultKind::Bug, "a request of a batch ended without a response").into()
}
