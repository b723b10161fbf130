//! From where a request came: the other end of its connection, and for whom that end asks.

use std::convert::Infallible;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};

use axum::extract::{FromRequestParts, Request};
use axum::http::header::FORWARDED;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName};
use tasuki_engine::token::Place;

use crate::middleware::host;
use crate::settings::Settings;

/// What most of those who ask for another say instead of `Forwarded`.
const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The other end of the connection.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Peer {
    /// Nothing where there is no connection, as in a test.
    address: Option<IpAddr>,
    asks_for: AsksFor,
}

/// For whom the other end asks.
#[derive(Debug, Clone, Copy, Default)]
enum AsksFor {
    #[default]
    Itself,
    /// For another, who may be anywhere, with their address if it can be believed.
    Another(Option<IpAddr>),
}

/// Somebody as limits tell one from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Origin(Option<IpAddr>);

impl Peer {
    /// Whoever is at the other end of a connection.
    pub(crate) fn at(address: SocketAddr) -> Self {
        Self { address: Some(address.ip().to_canonical()), asks_for: AsksFor::Itself }
    }

    /// Looks for whom the other end asks, once for everybody who wants to know.
    pub(crate) fn meet(settings: &Settings, request: &mut Request) {
        let peer = request.extensions().get::<Self>().copied().unwrap_or_default();
        let asks_for = peer.asks_for(settings, request);
        request.extensions_mut().get_or_insert_default::<Self>().asks_for = asks_for;
    }

    fn asks_for(self, settings: &Settings, request: &Request) -> AsksFor {
        let headers = request.headers();
        let is_forwarded = headers.contains_key(FORWARDED) || headers.contains_key(X_FORWARDED_FOR);
        if is_forwarded {
            // A proxy on this machine is believed. Others can say whatever they like.
            let said = self.is_loopback().then(|| last_forwarded(headers)).flatten();
            return AsksFor::Another(said);
        }
        // Who asks this machine by its public name came through a proxy, though it does not say so.
        if self.is_loopback() && host::is_public(settings, request) {
            return AsksFor::Another(None);
        }
        AsksFor::Itself
    }

    /// Whom limits count it for.
    pub(crate) fn origin(self) -> Origin {
        let address = match self.asks_for {
            AsksFor::Another(Some(address)) => Some(address),
            AsksFor::Another(None) | AsksFor::Itself => self.address,
        };
        Origin(address.map(network))
    }

    /// Where a token is shown from. Whoever asks for another may be anywhere, and says what it likes
    /// of where the other is.
    pub(crate) fn place(self) -> Place {
        match (self.address, self.asks_for) {
            (Some(address), AsksFor::Itself) => Place::Address(address),
            _ => Place::Unknown,
        }
    }

    /// Whether it is this machine.
    pub(crate) fn is_here(self) -> bool {
        self.is_loopback() && matches!(self.asks_for, AsksFor::Itself)
    }

    fn is_loopback(self) -> bool {
        self.address.is_none_or(|address| address.is_loopback())
    }
}

impl<S: Sync> FromRequestParts<S> for Peer {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Infallible> {
        Ok(parts.extensions.get::<Self>().copied().unwrap_or_default())
    }
}

/// The address that the nearest proxy added. What stands before it, the caller may have written.
fn last_forwarded(headers: &HeaderMap) -> Option<IpAddr> {
    let text = headers.get_all(X_FORWARDED_FOR).iter().next_back()?.to_str().ok()?;
    let last = text.rsplit(',').next().unwrap_or_default().trim();
    let with_port = || last.parse().ok().map(|address: SocketAddr| address.ip());
    let address = last.trim_matches(['[', ']']).parse().ok().or_else(with_port);
    address.map(|address: IpAddr| address.to_canonical())
}

/// Somebody has one address, or of the newer ones a whole network.
fn network(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(long) => {
            let [a, b, c, d, ..] = long.segments();
            IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
    }
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;

    fn met(address: &str, headers: &[(&'static str, &str)]) -> Peer {
        let hosts = vec!["tasuki.example".to_owned()];
        let settings = Settings { hosts, ..Settings::default() };
        let mut request = Request::builder().uri("/");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let mut request = request.body(Body::empty()).unwrap();
        request.extensions_mut().insert(Peer::at(SocketAddr::new(address.parse().unwrap(), 5000)));
        Peer::meet(&settings, &mut request);
        *request.extensions().get().unwrap()
    }

    fn origin(address: &str, forwarded: &str) -> String {
        let peer = met(address, &[("host", "localhost"), ("x-forwarded-for", forwarded)]);
        peer.origin().0.unwrap().to_string()
    }

    #[test]
    fn a_token_is_shown_from_the_other_end_unless_somebody_stands_in_between() {
        let place = |headers: &[(&'static str, &str)]| met("192.0.2.7", headers).place();
        assert_eq!(place(&[]), Place::Address("192.0.2.7".parse().unwrap()));
        assert_eq!(place(&[("host", "tasuki.example")]), place(&[]), "nobody stands in between");
        assert_eq!(place(&[("x-forwarded-for", "10.0.0.1")]), Place::Unknown);
        assert_eq!(met("127.0.0.1", &[("host", "tasuki.example")]).place(), Place::Unknown);
        assert_eq!(Peer::default().place(), Place::Unknown);
    }

    #[test]
    fn this_machine_is_here_unless_it_asks_for_another() {
        let is_here = |headers: &[(&'static str, &str)]| met("127.0.0.1", headers).is_here();
        assert!(is_here(&[("host", "localhost:7420")]) && is_here(&[("host", "127.0.0.1")]));
        assert!(!is_here(&[("host", "tasuki.example")]), "its public name is for others");
        assert!(!is_here(&[("host", "TASUKI.example:443")]));
        assert!(!is_here(&[("host", "localhost"), ("x-forwarded-for", "127.0.0.1")]));
        assert!(!is_here(&[("host", "localhost"), ("forwarded", "for=127.0.0.1")]));
        assert!(!met("192.0.2.7", &[("host", "localhost")]).is_here());
    }

    #[test]
    fn limits_count_whoever_is_behind_the_proxy_of_this_machine() {
        assert_eq!(origin("127.0.0.1", "8.8.8.8"), "8.8.8.8");
        assert_eq!(origin("::ffff:127.0.0.1", "1.1.1.1, 8.8.8.8"), "8.8.8.8", "the last is added");
        assert_eq!(origin("127.0.0.1", "8.8.8.8:5000"), "8.8.8.8");
        assert_eq!(origin("127.0.0.1", "[2001:db8:1:2:3::4]"), "2001:db8:1:2::");
        assert_eq!(origin("127.0.0.1", "unknown"), "127.0.0.1");
        assert_eq!(origin("192.0.2.7", "8.8.8.8"), "192.0.2.7", "others are not believed");
    }
}
