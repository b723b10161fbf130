//! Renders refusals as pages for browsers outside `/v1`.

use axum::body::to_bytes;
use axum::extract::Request;
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use axum::response::{IntoResponse as _, Response};
use tasuki_api::problem::Problem as Document;

use crate::respond::html::{self, escaped, inline};

/// LIMIT: bytes of a refusal that are rendered.
const BYTES_MAX: usize = 64 * 1024;

/// Returns `true` if a person rather than a program reads the response.
pub(crate) fn is_for_people(request: &Request) -> bool {
    html::is_accepted(request.headers()) && !request.uri().path().starts_with("/v1/")
}

/// Renders a problem document as a page.
pub(crate) async fn for_people(response: Response) -> Response {
    let is_refusal = response
        .headers()
        .get(CONTENT_TYPE)
        .is_some_and(|media| media == "application/problem+json");
    if is_refusal { as_page(response).await } else { response }
}

async fn as_page(response: Response) -> Response {
    let (mut parts, body) = response.into_parts();
    // The page has its own length.
    parts.headers.remove(CONTENT_LENGTH);
    let bytes = to_bytes(body, BYTES_MAX).await.unwrap_or_default();
    let Ok(problem) = serde_json::from_slice::<Document>(&bytes) else {
        return (parts, bytes).into_response();
    };
    let mut page = html::page(&problem.title, &body_of(&problem));
    *page.status_mut() = parts.status;
    for (name, value) in &parts.headers {
        page.headers_mut().entry(name).or_insert_with(|| value.clone());
    }
    page
}

fn body_of(problem: &Document) -> String {
    let mut body =
        format!("<h1>{}</h1>\n<p>{}</p>\n", escaped(&problem.title), sentence(&problem.detail));
    if let Some(hint) = &problem.hint {
        body.push_str(&format!("<p>{}</p>\n", sentence(hint)));
    }
    let page = html::link(&problem.kind, &problem.code);
    body + &format!("<p class=\"faint\">Code {page}</p>\n")
}

/// Turns a message into a sentence.
fn sentence(message: &str) -> String {
    inline(&html::capitalised(message)) + "."
}
