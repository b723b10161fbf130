//! Paths and queries, with reserved characters percent-encoded.

/// Returns the path of an operation, with the encoded name in place of `{}`.
pub(crate) fn path(pattern: &str, name: &str) -> String {
    pattern.replacen("{}", &encoded(name), 1)
}

/// Returns the query with its `?`, or an empty string without parameters.
pub(crate) fn query(parameters: &[(&str, String)]) -> String {
    let pairs: Vec<String> =
        parameters.iter().map(|(name, value)| format!("{name}={}", encoded(value))).collect();
    if pairs.is_empty() { String::new() } else { format!("?{}", pairs.join("&")) }
}

/// Encodes all but the unreserved characters of RFC 3986.
fn encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_leave_its_segment() {
        assert_eq!(
            path("/v1/tasks/{}/packet", "a/../b?c#d"),
            "/v1/tasks/a%2F..%2Fb%3Fc%23d/packet"
        );
        assert_eq!(
            path("/v1/tasks/{}/packet", "Grüße {}"),
            "/v1/tasks/Gr%C3%BC%C3%9Fe%20%7B%7D/packet"
        );
    }

    #[test]
    fn a_value_cannot_become_another_parameter() {
        assert_eq!(query(&[]), "");
        assert_eq!(
            query(&[("q", "a b&c=d".to_owned()), ("limit", "5".to_owned())]),
            "?q=a%20b%26c%3Dd&limit=5"
        );
    }
}
