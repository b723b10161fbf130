//! From which address a request came.

use std::convert::Infallible;
use std::net::SocketAddr;

use axum::extract::FromRequestParts;
use axum::http::header::FORWARDED;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName};
use tasuki_engine::token::Place;

/// What most of those who ask for another say instead of `Forwarded`.
const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The other end of the connection.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Peer {
    /// Nothing where there is no connection, as in a test.
    address: Option<SocketAddr>,
    /// Whether somebody in between says that it asks for another.
    is_forwarded: bool,
}

impl Peer {
    /// Whoever is at the other end of a connection.
    pub(crate) fn at(address: SocketAddr) -> Self {
        Self { address: Some(address), is_forwarded: false }
    }

    /// The address as limits tell one from another.
    pub(crate) fn address(self) -> String {
        self.address.map(|peer| peer.ip().to_string()).unwrap_or_default()
    }

    /// Where a token is shown from. Whoever asks for another may be anywhere, and says what it likes
    /// of where the other is.
    pub(crate) fn place(self, headers: &HeaderMap) -> Place {
        match self.address {
            Some(address) if !is_forwarded(headers) => Place::Address(address.ip()),
            _ => Place::Unknown,
        }
    }

    /// Whether it is this machine.
    pub(crate) fn is_here(self) -> bool {
        let is_loopback = |peer: SocketAddr| peer.ip().to_canonical().is_loopback();
        self.address.is_none_or(is_loopback) && !self.is_forwarded
    }
}

impl<S: Sync> FromRequestParts<S> for Peer {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Infallible> {
        let peer = parts.extensions.get::<Self>().copied().unwrap_or_default();
        Ok(Self { is_forwarded: is_forwarded(&parts.headers), ..peer })
    }
}

/// Whether somebody in between says that it asks for another.
fn is_forwarded(headers: &HeaderMap) -> bool {
    headers.contains_key(FORWARDED) || headers.contains_key(X_FORWARDED_FOR)
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn a_token_is_shown_from_the_other_end_unless_somebody_stands_in_between() {
        let mut headers = HeaderMap::new();
        let peer = Peer::at("192.0.2.7:5000".parse().unwrap());
        assert_eq!(peer.place(&headers), Place::Address("192.0.2.7".parse().unwrap()));
        assert_eq!(Peer::default().place(&headers), Place::Unknown);
        headers.insert("x-forwarded-for", HeaderValue::from_static("10.0.0.1"));
        assert_eq!(peer.place(&headers), Place::Unknown);
    }
}
