//! Protects against DNS rebinding and cross-site requests, before credentials are checked.

use std::net::IpAddr;

use axum::extract::Request;
use axum::http::header::{HOST, ORIGIN};
use axum::http::{HeaderMap, HeaderName, Method};
use tasuki_api::problem::HttpErrorCode;

use crate::respond::problem::Problem;
use crate::settings::Settings;

/// The header in which a browser reports the site of a request.
const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Refuses a request for another host or from a page of another site.
pub(crate) fn check(settings: &Settings, request: &Request) -> Result<(), Problem> {
    match requested_host(request) {
        Some(host) if is_own_host(settings, host) => {}
        other => return Err(host_unknown(other.unwrap_or_default())),
    }
    if !is_safe(request.method()) && is_cross_site(request.headers()) {
        return Err(origin_foreign());
    }
    Ok(())
}

/// Returns `true` if a request names one of the public hosts of the server.
pub(crate) fn is_public(settings: &Settings, request: &Request) -> bool {
    let Some(name) = requested_host(request).map(name_of) else { return false };
    is_listed(settings, name) && !name.eq_ignore_ascii_case("localhost")
}

fn requested_host(request: &Request) -> Option<&str> {
    text(request.headers(), &HOST).or_else(|| request.uri().host())
}

fn text<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

fn is_safe(method: &Method) -> bool {
    matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS)
}

/// Returns `true` for a host of this server. A page can point any name at this machine, but not a
/// literal address.
fn is_own_host(settings: &Settings, host: &str) -> bool {
    let name = name_of(host);
    let is_number = match name.trim_matches(['[', ']']).parse::<IpAddr>() {
        Ok(address) => address.is_loopback() || !settings.is_loopback(),
        Err(_) => false,
    };
    is_listed(settings, name) || is_number || name.eq_ignore_ascii_case("localhost")
}

fn is_listed(settings: &Settings, name: &str) -> bool {
    settings.hosts.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// Returns the host without its port.
fn name_of(host: &str) -> &str {
    match host.rfind(':') {
        Some(at) if !host[at..].contains(']') => &host[..at],
        _ => host,
    }
}

/// Returns `true` for a request from a page of another site. Only browsers send these headers;
/// other clients hold no cookie to misuse.
fn is_cross_site(headers: &HeaderMap) -> bool {
    if let Some(site) = text(headers, &SEC_FETCH_SITE) {
        return !matches!(site, "same-origin" | "none");
    }
    let Some(origin) = text(headers, &ORIGIN) else { return false };
    let origin = origin.split_once("://").map_or(origin, |(_, host)| host);
    text(headers, &HOST) != Some(origin)
}

fn host_unknown(host: &str) -> Problem {
    Problem::with_code(HttpErrorCode::HostUnknown, format!("unknown host `{host}`"))
        .hint("use the server's address, or add the name to `hosts` in the `[server]` settings")
}

fn origin_foreign() -> Problem {
    let detail = "cross-site requests cannot make changes";
    Problem::with_code(HttpErrorCode::OriginForeign, detail)
        .hint("use the console, or send a token")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own(listen: &str, host: &str) -> bool {
        let settings = Settings {
            listen: listen.parse().unwrap(),
            hosts: vec!["tasuki.example".to_owned()],
            ..Settings::default()
        };
        is_own_host(&settings, host)
    }

    #[test]
    fn a_name_that_points_here_is_not_enough() {
        let local = "127.0.0.1:7420";
        for host in ["127.0.0.1:7420", "localhost", "LOCALHOST:1", "[::1]:7420", "tasuki.example"] {
            assert!(own(local, host), "{host}");
        }
        for host in ["", "evil.example", "evil.example:7420", "10.0.0.1", "127.0.0.1.evil.example"]
        {
            assert!(!own(local, host), "{host}");
        }
        assert!(own("0.0.0.0:7420", "10.0.0.1:7420"));
        assert!(!own("0.0.0.0:7420", "evil.example:7420"));
    }

    #[test]
    fn cross_site_requests_are_recognized_by_browser_headers() {
        let says = |pairs: &[(&'static str, &'static str)]| {
            let mut headers = HeaderMap::new();
            for (name, value) in pairs {
                headers.insert(*name, value.parse().unwrap());
            }
            is_cross_site(&headers)
        };
        assert!(!says(&[("host", "localhost:7420")]));
        assert!(!says(&[("sec-fetch-site", "same-origin"), ("origin", "http://evil.example")]));
        assert!(says(&[("sec-fetch-site", "cross-site")]));
        assert!(says(&[("sec-fetch-site", "same-site")]));
        assert!(says(&[("host", "localhost:7420"), ("origin", "http://evil.example")]));
        assert!(says(&[("host", "localhost:7420"), ("origin", "null")]));
        assert!(!says(&[("host", "localhost:7420"), ("origin", "http://localhost:7420")]));
    }
}
