//! `/docs/errors`: every error code, as HTML for people and Markdown for programs.

use axum::http::HeaderMap;
use axum::response::Response;

use crate::extract::parameters::PathParameter;
use crate::respond::html;
use crate::respond::json::typed;
use crate::respond::problem::{Problem, unknown_route};

/// The pages of `docs/errors/` by code.
static ERROR_PAGES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/error_pages.rs"));

/// Returns the list of all codes.
pub(crate) async fn errors(headers: HeaderMap) -> Result<Response, Problem> {
    explained("README", &headers)
}

/// Returns the page of one code.
pub(crate) async fn error(
    headers: HeaderMap,
    PathParameter(code): PathParameter,
) -> Result<Response, Problem> {
    explained(&code, &headers)
}

fn explained(code: &str, headers: &HeaderMap) -> Result<Response, Problem> {
    let page = ERROR_PAGES.iter().find(|(known, _)| *known == code);
    let (_, markdown) = page.ok_or_else(unknown_route)?;
    if html::is_accepted(headers) {
        let title = if code == "README" { "Error codes" } else { code };
        return Ok(html::page(title, &html::from_markdown(markdown)));
    }
    Ok(typed("text/markdown; charset=utf-8", *markdown))
}
