//! `/ui/`: the console, a single-page application that is embedded in the program, and `/r/`, the
//! registry of components that is built with it.
//!
//! A path with an extension is a file of the build or unknown. Every other path is `index.html`,
//! whose script routes by the address; a `GET` never decides or redeems anything. A build without
//! Node has no console, and serves a page that says how to build it.

use std::borrow::Cow;

use axum::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, ETAG, VARY,
};
use axum::http::{HeaderMap, HeaderName, StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rust_embed::RustEmbed;

use crate::respond::json::typed;
use crate::respond::problem::{Problem, unknown_route};
use crate::respond::{etag, headers, html};

/// The build of the console; empty if it was not built.
#[derive(RustEmbed)]
#[folder = "../../console/dist"]
#[allow_missing = true]
struct Dist;

/// A file of a build.
struct Asset {
    bytes: Cow<'static, [u8]>,
    hash: [u8; 32],
}

/// The policy of the console: its own files, its own server, no inline script or style.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
                      connect-src 'self'; worker-src 'self'; form-action 'none'; \
                      base-uri 'none'; frame-ancestors 'none'";

const OPENER_POLICY: HeaderName = HeaderName::from_static("cross-origin-opener-policy");
const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

/// Encodings of files that the build compressed, best first, with the ending of their names.
const ENCODINGS: [(&str, &str); 2] = [("br", ".br"), ("gzip", ".gz")];

const NOT_BUILT: &str = "<h1>The console is not built</h1>\n\
    <p>This server was compiled without the console. Build it with Node 20 or newer, then compile \
    the server again:</p>\n\
    <pre>cd console\nnpm install\nnpm run build\ncd ..\ncargo build --package tasuki</pre>\n\
    <p>Every decision can also be made with the command line: <code>tasuki inbox</code>. \
    The API is described in the <a href=\"/docs\">API reference</a>.</p>";

/// Returns a file of the console, or the console itself.
pub(crate) async fn console(uri: Uri, headers: HeaderMap) -> Result<Response, Problem> {
    respond(embedded, uri.path(), &headers)
}

/// Returns an item of the registry of components, which the build of the console writes.
pub(crate) async fn registry_item(uri: Uri, headers: HeaderMap) -> Result<Response, Problem> {
    respond_item(embedded, uri.path(), &headers)
}

fn embedded(name: &str) -> Option<Asset> {
    Dist::get(name).map(|file| Asset { bytes: file.data, hash: file.metadata.sha256_hash() })
}

/// Responds to a request for a path under `/ui` with a file of a build.
fn respond(
    file: impl Fn(&str) -> Option<Asset>,
    path: &str,
    headers: &HeaderMap,
) -> Result<Response, Problem> {
    let name = path.strip_prefix("/ui").unwrap_or(path).trim_start_matches('/');
    let name = if has_extension(name) { name } else { "index.html" };
    let is_compressed = ENCODINGS.iter().any(|(_, ending)| name.ends_with(ending));
    match file(name).filter(|_| !is_compressed) {
        Some(plain) => Ok(response(&file, name, plain, headers)),
        None if name == "index.html" => Ok(not_built()),
        None => Err(unknown_route()),
    }
}

/// Responds to a request for a path under `/r`: a file of the build, or unknown.
fn respond_item(
    file: impl Fn(&str) -> Option<Asset>,
    path: &str,
    headers: &HeaderMap,
) -> Result<Response, Problem> {
    if !has_extension(path) {
        return Err(unknown_route());
    }
    if file("index.html").is_none() {
        return Ok(not_built());
    }
    respond(file, path, headers)
}

/// Returns `true` if the last segment names a file.
fn has_extension(name: &str) -> bool {
    let last = name.rsplit('/').next().unwrap_or_default();
    last.trim_start_matches('.').contains('.')
}

fn response(
    file: &impl Fn(&str) -> Option<Asset>,
    name: &str,
    plain: Asset,
    headers: &HeaderMap,
) -> Response {
    let (encoding, served) = match compressed(file, name, headers) {
        Some((encoding, compressed)) => (Some(encoding), compressed),
        None => (None, plain),
    };
    let tag = format!("\"{}\"", URL_SAFE_NO_PAD.encode(served.hash));
    let mut response = if etag::is_not_modified(headers, &tag) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        body(name, served.bytes)
    };
    let set = response.headers_mut();
    headers::insert(set, ETAG, tag);
    headers::insert(set, CACHE_CONTROL, lifetime(name));
    headers::insert(set, VARY, "accept-encoding");
    headers::insert(set, CONTENT_SECURITY_POLICY, POLICY);
    headers::insert(set, OPENER_POLICY, "same-origin");
    headers::insert(set, RESOURCE_POLICY, "same-origin");
    if let Some(encoding) = encoding {
        headers::insert(set, CONTENT_ENCODING, encoding);
    }
    response
}

fn body(name: &str, data: Cow<'static, [u8]>) -> Response {
    match data {
        Cow::Borrowed(bytes) => typed(media_type(name), bytes),
        Cow::Owned(bytes) => typed(media_type(name), bytes),
    }
}

/// Returns the smallest form of a file that the client accepts, if the build compressed it.
fn compressed(
    file: &impl Fn(&str) -> Option<Asset>,
    name: &str,
    headers: &HeaderMap,
) -> Option<(&'static str, Asset)> {
    let accepted = headers.get(ACCEPT_ENCODING)?.to_str().ok()?;
    let usable = ENCODINGS.into_iter().filter(|(encoding, _)| accepts(accepted, encoding));
    usable.into_iter().find_map(|(encoding, ending)| {
        file(&format!("{name}{ending}")).map(|file| (encoding, file))
    })
}

/// Returns `true` if a list of encodings has this one with a quality other than zero.
fn accepts(list: &str, encoding: &str) -> bool {
    list.split(',').any(|one| {
        let (name, quality) = one.split_once(';').unwrap_or((one, ""));
        let quality = quality.trim().strip_prefix("q=").and_then(|text| text.parse::<f32>().ok());
        name.trim().eq_ignore_ascii_case(encoding) && quality.is_none_or(|quality| quality > 0.0)
    })
}

/// Returns how long a browser keeps a file. The names of assets change with their content.
fn lifetime(name: &str) -> &'static str {
    if name.starts_with("assets/") { "public, max-age=31536000, immutable" } else { "no-cache" }
}

fn media_type(name: &str) -> &'static str {
    match name.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "json" => "application/json",
        "woff2" => "font/woff2",
        _ => "application/octet-stream",
    }
}

fn not_built() -> Response {
    let mut response = html::page("The console is not built", NOT_BUILT);
    *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
    response
}

#[cfg(test)]
mod tests {
    use axum::http::header::{CONTENT_TYPE, IF_NONE_MATCH};

    use super::*;

    /// A build with a page, a script in three forms and an icon.
    fn build(name: &str) -> Option<Asset> {
        let (text, hash): (&'static str, u8) = match name {
            "index.html" => ("<!doctype html>", 1),
            "assets/index-1a.js" => ("script", 2),
            "assets/index-1a.js.br" => ("br", 3),
            "assets/index-1a.js.gz" => ("gz", 4),
            "favicon.svg" => ("<svg/>", 5),
            "r/card.json" => ("{}", 6),
            _ => return None,
        };
        Some(Asset { bytes: Cow::Borrowed(text.as_bytes()), hash: [hash; 32] })
    }

    fn get(path: &str, sent: &[(HeaderName, &str)]) -> Result<Response, Problem> {
        let sent = sent.iter().map(|(name, value)| (name.clone(), value.parse().unwrap()));
        respond(build, path, &sent.collect())
    }

    fn header(response: &Response, name: HeaderName) -> &str {
        response.headers().get(name).map_or("", |value| value.to_str().unwrap())
    }

    #[test]
    fn a_path_with_an_extension_is_a_file_or_unknown_and_every_other_is_the_page() {
        for path in ["/ui", "/ui/", "/ui/welcome", "/ui/p/default/h/hof_1", "/ui/.well-known"] {
            let response = get(path, &[]).unwrap();
            assert_eq!(header(&response, CONTENT_TYPE), "text/html; charset=utf-8");
            assert_eq!(header(&response, CACHE_CONTROL), "no-cache", "{path}");
        }
        let script = get("/ui/assets/index-1a.js", &[]).unwrap();
        assert!(header(&script, CACHE_CONTROL).ends_with("immutable"));
        assert!(header(&script, CONTENT_TYPE).starts_with("text/javascript"));
        for path in
            ["/ui/assets/gone.js", "/ui/favicon.ico", "/ui/assets/index-1a.js.br", "/ui/../x.rs"]
        {
            assert_eq!(get(path, &[]).unwrap_err().status(), 404, "{path}");
        }
    }

    #[test]
    fn the_smallest_accepted_form_is_served() {
        let served = |accepted: &str| {
            let response = get("/ui/assets/index-1a.js", &[(ACCEPT_ENCODING, accepted)]).unwrap();
            assert_eq!(header(&response, VARY), "accept-encoding");
            header(&response, CONTENT_ENCODING).to_owned()
        };
        assert_eq!(served("gzip, deflate, br, zstd"), "br");
        assert_eq!(served("gzip;q=1.0, br;q=0"), "gzip");
        assert_eq!(served("identity"), "");
        let icon = get("/ui/favicon.svg", &[(ACCEPT_ENCODING, "br")]).unwrap();
        assert_eq!(header(&icon, CONTENT_ENCODING), "", "not compressed by the build");
    }

    #[test]
    fn an_unchanged_page_is_not_sent_again() {
        let first = get("/ui/", &[]).unwrap();
        let tag = header(&first, ETAG).to_owned();
        let again = get("/ui/p/default/inbox", &[(IF_NONE_MATCH, &tag)]);
        assert_eq!(again.unwrap().status(), StatusCode::NOT_MODIFIED);
        let plain = get("/ui/assets/index-1a.js", &[]).unwrap();
        let small = get("/ui/assets/index-1a.js", &[(ACCEPT_ENCODING, "br")]).unwrap();
        assert_ne!(header(&plain, ETAG), header(&small, ETAG), "each form has its tag");
    }

    #[test]
    fn an_item_of_the_registry_is_a_json_file_of_the_build_or_unknown() {
        let item = respond_item(build, "/r/card.json", &HeaderMap::new()).unwrap();
        assert_eq!(header(&item, CONTENT_TYPE), "application/json");
        assert_eq!(header(&item, CACHE_CONTROL), "no-cache");
        for path in ["/r/gone.json", "/r/card", "/r/card.json.br", "/r/index.html"] {
            let response = respond_item(build, path, &HeaderMap::new());
            assert_eq!(response.unwrap_err().status(), 404, "{path}");
        }
        let response = respond_item(|_| None, "/r/card.json", &HeaderMap::new()).unwrap();
        assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE);
    }

    #[test]
    fn without_a_build_a_page_says_how_to_build_the_console() {
        let response = respond(|_| None, "/ui/p/default/inbox", &HeaderMap::new()).unwrap();
        assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE);
        assert!(NOT_BUILT.contains("npm run build"));
        assert!(respond(|_| None, "/ui/assets/a.js", &HeaderMap::new()).is_err());
    }
}
