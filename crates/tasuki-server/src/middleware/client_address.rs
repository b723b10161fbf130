//! The client address of a request: the peer of its connection, or the client behind a proxy.

use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use axum::extract::{FromRequestParts, Request};
use axum::http::header::FORWARDED;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName};
use tasuki_engine::model::RemoteAddress;

use crate::middleware::host;
use crate::settings::Settings;

/// The header that most proxies send instead of `Forwarded`.
const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The peer of a request without a connection, as in a test.
const LOOPBACK: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ClientAddress {
    /// The peer of the connection; `None` without a connection, as in a test.
    address: Option<IpAddr>,
    forwarding: Forwarding,
}

/// Tells a direct client from a proxy.
#[derive(Debug, Clone, Copy, Default)]
enum Forwarding {
    #[default]
    Direct,
    /// A proxy, with the client address if the proxy is configured.
    Forwarded(Option<IpAddr>),
}

/// The key by which limits count a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ClientKey(Option<IpAddr>);

impl From<IpAddr> for ClientKey {
    fn from(address: IpAddr) -> Self {
        Self(Some(network(address.to_canonical())))
    }
}

impl ClientAddress {
    /// Returns the address of the peer of a connection.
    pub(crate) fn of(address: SocketAddr) -> Self {
        Self { address: Some(address.ip().to_canonical()), forwarding: Forwarding::Direct }
    }

    /// Resolves the client of a request, and stores it in the request.
    pub(crate) fn resolve(settings: &Settings, request: &mut Request) -> Self {
        let peer = request.extensions().get::<Self>().copied().unwrap_or_default();
        let client = Self { forwarding: peer.forwarding(settings, request), ..peer };
        request.extensions_mut().insert(client);
        client
    }

    fn forwarding(self, settings: &Settings, request: &Request) -> Forwarding {
        let headers = request.headers();
        let is_forwarded = headers.contains_key(FORWARDED) || headers.contains_key(X_FORWARDED_FOR);
        if is_forwarded {
            let is_proxy = settings.is_proxy(self.peer().unwrap_or(LOOPBACK));
            let address = is_proxy.then(|| forwarded(settings, headers)).flatten();
            return Forwarding::Forwarded(address);
        }
        // A loopback request for the public name came through a proxy, even without the header.
        if self.is_loopback() && host::is_public(settings, request) {
            return Forwarding::Forwarded(None);
        }
        Forwarding::Direct
    }

    /// Returns the client if a configured proxy forwards its request.
    pub(crate) fn behind_proxy(self) -> Option<ClientKey> {
        matches!(self.forwarding, Forwarding::Forwarded(Some(_))).then(|| self.key())
    }

    /// Returns the key by which limits count the request.
    pub(crate) fn key(self) -> ClientKey {
        let address = match self.forwarding {
            Forwarding::Forwarded(Some(address)) => Some(address),
            Forwarding::Forwarded(None) | Forwarding::Direct => self.address,
        };
        ClientKey(address.map(network))
    }

    /// Returns the address that a token is used from. It is unknown behind a proxy, which can claim
    /// any address.
    pub(crate) fn place(self) -> RemoteAddress {
        match (self.address, self.forwarding) {
            (Some(address), Forwarding::Direct) => RemoteAddress::Address(address),
            _ => RemoteAddress::Unknown,
        }
    }

    /// Returns the peer of the connection: the client itself, or the nearest proxy.
    pub(crate) fn peer(self) -> Option<IpAddr> {
        self.address
    }

    /// Returns `true` if the client is on this machine.
    pub(crate) fn is_local(self) -> bool {
        self.is_loopback() && matches!(self.forwarding, Forwarding::Direct)
    }

    fn is_loopback(self) -> bool {
        self.address.is_none_or(|address| address.is_loopback())
    }
}

impl<S: Sync> FromRequestParts<S> for ClientAddress {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Infallible> {
        Ok(parts.extensions.get::<Self>().copied().unwrap_or_default())
    }
}

/// Returns the last forwarded address that is not a configured proxy. The client can forge the ones
/// before it.
fn forwarded(settings: &Settings, headers: &HeaderMap) -> Option<IpAddr> {
    let values = headers.get_all(X_FORWARDED_FOR).iter().rev();
    let texts = values.flat_map(|value| value.to_str().unwrap_or_default().rsplit(','));
    let mut addresses = texts.map(|text| address(text.trim()));
    addresses.find(|found| !found.is_some_and(|address| settings.is_proxy(address))).flatten()
}

fn address(text: &str) -> Option<IpAddr> {
    let with_port = || text.parse().ok().map(|address: SocketAddr| address.ip());
    let address = text.trim_matches(['[', ']']).parse().ok().or_else(with_port);
    address.map(|address: IpAddr| address.to_canonical())
}

/// Groups addresses by client: one IPv4 address, or one IPv6 network.
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

    fn resolved(address: &str, headers: &[(&'static str, &str)]) -> ClientAddress {
        let hosts = vec!["tasuki.example".to_owned()];
        let proxies = vec!["127.0.0.1".parse().unwrap(), "10.0.0.0/24".parse().unwrap()];
        let settings = Settings { hosts, proxies, ..Settings::default() };
        let mut request = Request::builder().uri("/");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let mut request = request.body(Body::empty()).unwrap();
        request
            .extensions_mut()
            .insert(ClientAddress::of(SocketAddr::new(address.parse().unwrap(), 5000)));
        ClientAddress::resolve(&settings, &mut request);
        *request.extensions().get().unwrap()
    }

    fn origin(address: &str, forwarded: &str) -> String {
        let client = resolved(address, &[("host", "localhost"), ("x-forwarded-for", forwarded)]);
        client.key().0.unwrap().to_string()
    }

    #[test]
    fn a_token_is_used_from_the_peer_unless_it_is_a_proxy() {
        let place = |headers: &[(&'static str, &str)]| resolved("192.0.2.7", headers).place();
        assert_eq!(place(&[]), RemoteAddress::Address("192.0.2.7".parse().unwrap()));
        assert_eq!(place(&[("host", "tasuki.example")]), place(&[]), "no proxy");
        assert_eq!(place(&[("x-forwarded-for", "10.0.0.1")]), RemoteAddress::Unknown);
        assert_eq!(
            resolved("127.0.0.1", &[("host", "tasuki.example")]).place(),
            RemoteAddress::Unknown
        );
        assert_eq!(ClientAddress::default().place(), RemoteAddress::Unknown);
    }

    #[test]
    fn a_loopback_client_is_local_unless_it_requests_a_public_name() {
        let is_local = |headers: &[(&'static str, &str)]| resolved("127.0.0.1", headers).is_local();
        assert!(is_local(&[("host", "localhost:7420")]) && is_local(&[("host", "127.0.0.1")]));
        assert!(!is_local(&[("host", "tasuki.example")]), "the public name");
        assert!(!is_local(&[("host", "TASUKI.example:443")]));
        assert!(!is_local(&[("host", "localhost"), ("x-forwarded-for", "127.0.0.1")]));
        assert!(!is_local(&[("host", "localhost"), ("forwarded", "for=127.0.0.1")]));
        assert!(!resolved("192.0.2.7", &[("host", "localhost")]).is_local());
    }

    #[test]
    fn limits_count_the_client_behind_a_configured_proxy() {
        assert_eq!(origin("127.0.0.1", "8.8.8.8"), "8.8.8.8");
        assert_eq!(
            origin("::ffff:127.0.0.1", "1.1.1.1, 8.8.8.8"),
            "8.8.8.8",
            "the last address counts"
        );
        assert_eq!(origin("127.0.0.1", "8.8.8.8:5000"), "8.8.8.8");
        assert_eq!(origin("127.0.0.1", "[2001:db8:1:2:3::4]"), "2001:db8:1:2::");
        assert_eq!(origin("127.0.0.1", "unknown"), "127.0.0.1");
        assert_eq!(origin("10.0.0.7", "8.8.8.8"), "8.8.8.8");
        assert_eq!(origin("127.0.0.1", "1.1.1.1, 8.8.8.8, 10.0.0.7"), "8.8.8.8", "two proxies");
        assert_eq!(origin("127.0.0.1", "8.8.8.8, nonsense"), "127.0.0.1");
        assert_eq!(origin("192.0.2.7", "8.8.8.8"), "192.0.2.7", "not a configured proxy");
        assert_eq!(origin("127.0.0.2", "8.8.8.8"), "127.0.0.2", "this machine is not enough");
    }
}
