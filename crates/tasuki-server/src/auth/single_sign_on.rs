//! Single sign-on: a proxy signs people in and names them in the header `server.user_header`.
//!
//! The header is believed only if the connection comes from one of `server.user_proxies`. From any
//! other address it is ignored, as if it were not there. It proves no password, so a gate still
//! asks for one.

use axum::http::HeaderMap;
use tasuki_api::problem::HttpErrorCode;
use tasuki_packet::policy::contract::PartyName;

use crate::middleware::client_address::ClientAddress;
use crate::respond::problem::Problem;
use crate::settings::Settings;

/// Returns the person that a trusted proxy names; `None` if none does.
pub(super) fn person(
    settings: &Settings,
    client: ClientAddress,
    headers: &HeaderMap,
) -> Option<Result<String, Problem>> {
    let header = settings.user_header.as_deref()?;
    let peer = client.peer()?;
    if !settings.user_proxies.iter().any(|network| network.contains(peer)) {
        return None;
    }
    let mut values = headers.get_all(header).iter();
    let first = values.next()?;
    // A proxy that adds its value to that of the client leaves open which of the two is true.
    if values.next().is_some() {
        return Some(Err(ambiguous(header)));
    }
    let name = first.to_str().ok().filter(|name| name.parse::<PartyName>().is_ok());
    Some(name.map(str::to_owned).ok_or_else(|| not_a_name(header)))
}

fn ambiguous(header: &str) -> Problem {
    let detail = format!("header `{header}` was sent more than once");
    Problem::with_code(HttpErrorCode::CredentialMissing, detail)
        .hint("have the proxy replace the header instead of adding to it")
}

fn not_a_name(header: &str) -> Problem {
    let detail = format!("header `{header}` does not hold the name of a person");
    Problem::with_code(HttpErrorCode::CredentialMissing, detail)
        .hint("have the proxy send the name that `tasuki party list` shows")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(peer: &str, values: &[&'static str]) -> Option<Result<String, u16>> {
        let settings = Settings {
            user_header: Some("x-forwarded-user".to_owned()),
            user_proxies: vec!["10.0.0.0/24".parse().unwrap()],
            ..Settings::default()
        };
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append("x-forwarded-user", value.parse().unwrap());
        }
        let client = ClientAddress::of((peer.parse::<std::net::IpAddr>().unwrap(), 5000).into());
        let person = person(&settings, client, &headers);
        person.map(|person| person.map_err(|problem| problem.status()))
    }

    #[test]
    fn only_a_configured_proxy_names_a_person() {
        assert_eq!(named("10.0.0.7", &["pia"]), Some(Ok("pia".to_owned())));
        assert_eq!(named("::ffff:10.0.0.7", &["pia"]), Some(Ok("pia".to_owned())));
        assert_eq!(named("10.0.0.7", &[]), None);
        for other in ["10.0.1.7", "127.0.0.1", "::1"] {
            assert_eq!(named(other, &["pia"]), None, "{other}");
        }
        for wrong in [&["pia", "root"][..], &[""], &["Pia"], &["pia@example.org"]] {
            assert_eq!(named("10.0.0.7", wrong), Some(Err(401)), "{wrong:?}");
        }
    }

    #[test]
    fn without_a_header_in_the_settings_no_proxy_names_a_person() {
        let mut headers = HeaderMap::new();
        headers.append("x-forwarded-user", "pia".parse().unwrap());
        let client = ClientAddress::of(([127, 0, 0, 1], 5000).into());
        assert!(person(&Settings::default(), client, &headers).is_none());
    }
}
