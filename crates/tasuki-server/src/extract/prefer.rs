//! The header `Prefer: wait=30` (RFC 7240): holds the response until there is a change.

use std::time::Duration;

use axum::http::{HeaderMap, HeaderName};
use axum::response::Response;

use crate::respond::headers;

/// LIMIT: proxies close connections that are idle for longer.
pub(crate) const WAIT_MAX: Duration = Duration::from_mins(1);

const PREFER: HeaderName = HeaderName::from_static("prefer");
const APPLIED: HeaderName = HeaderName::from_static("preference-applied");

/// Returns how long the caller is willing to wait. Unknown preferences are ignored.
pub(crate) fn wait(headers: &HeaderMap) -> Option<Duration> {
    let sent = headers.get_all(PREFER).iter().filter_map(|value| value.to_str().ok());
    let seconds = sent.flat_map(|text| text.split([',', ';'])).find_map(|one| {
        let (name, value) = one.split_once('=')?;
        let is_wait = name.trim().eq_ignore_ascii_case("wait");
        value.trim().trim_matches('"').parse::<u64>().ok().filter(|_| is_wait)
    })?;
    Some(Duration::from_secs(seconds).min(WAIT_MAX))
}

/// Marks the response with the preference that was applied.
pub(crate) fn with_applied(mut response: Response, wait: Option<Duration>) -> Response {
    if let Some(wait) = wait {
        headers::insert(response.headers_mut(), APPLIED, format!("wait={}", wait.as_secs()));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preference_is_read_and_bounded() {
        let wait = |text: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(PREFER, text.parse().unwrap());
            wait(&headers).map(|wait| wait.as_secs())
        };
        assert_eq!(wait("wait=5"), Some(5));
        assert_eq!(wait("respond-async, Wait=\"7\""), Some(7));
        assert_eq!(wait("wait=9999"), Some(60));
        assert_eq!(wait("wait=soon"), None);
        assert_eq!(wait("return=minimal"), None);
    }
}
