//! `/docs`: everything that can be asked, and every code that an answer may have, for people and for
//! programs that read Markdown.

use axum::http::HeaderMap;
use axum::response::Response;

use crate::answer::typed;
use crate::html::{self, escaped};
use crate::identity::authorize::nothing_here;
use crate::openapi::needed;
use crate::operation::{ALL, Operation};
use crate::parameters::Named;
use crate::problem::Problem;

/// The pages of `docs/errors/`, by their code.
static ERROR_PAGES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/error_pages.rs"));

/// The whole interface on one page.
pub(crate) async fn index() -> Response {
    let mut body = "<h1>The interface</h1>\n<p>Send a token as <code>Authorization: Bearer</code>; \
                    <code>tasuki token create --as NAME</code> makes one. Packets are sent as JSON, YAML \
                    or Markdown by their content type. Every refusal has a <a href=\"/docs/errors\">code\
                    </a>.</p>\n"
        .to_owned();
    for operation in ALL {
        body.push_str(&described(operation));
    }
    html::page("The interface", &body)
}

fn described(operation: &Operation) -> String {
    let Operation { id, verb, path, summary, .. } = operation;
    let verb = verb.method();
    let mut text = format!(
        "<h3 id=\"{id}\"><span class=\"verb\">{verb}</span> <code>{}</code></h3>\n<p>{}",
        escaped(path),
        escaped(summary)
    );
    if let Some(needed) = needed(operation.access) {
        text.push_str(&format!(" <span class=\"faint\">Needs {}.</span>", escaped(&needed)));
    }
    text.push_str("</p>\n");
    if !operation.parameters.is_empty() {
        text.push_str("<table>\n");
        for parameter in operation.parameters {
            text.push_str(&format!(
                "<tr><td><code>{}</code></td><td class=\"faint\">{}</td><td>{}</td></tr>\n",
                parameter.name,
                parameter.kind,
                escaped(parameter.summary)
            ));
        }
        text.push_str("</table>\n");
    }
    text
}

/// All codes.
pub(crate) async fn errors(headers: HeaderMap) -> Result<Response, Problem> {
    explained("README", &headers)
}

/// One code.
pub(crate) async fn error(headers: HeaderMap, Named(code): Named) -> Result<Response, Problem> {
    explained(&code, &headers)
}

fn explained(code: &str, headers: &HeaderMap) -> Result<Response, Problem> {
    let page = ERROR_PAGES.iter().find(|(known, _)| *known == code);
    let (_, markdown) = page.ok_or_else(nothing_here)?;
    if html::is_wanted(headers) {
        return Ok(html::page(code, &html::of_markdown(markdown)));
    }
    Ok(typed("text/markdown; charset=utf-8", *markdown))
}
