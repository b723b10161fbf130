//! From which address a request came.

use std::convert::Infallible;
use std::net::SocketAddr;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;

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
        let names = ["forwarded", "x-forwarded-for"];
        let is_forwarded = names.iter().any(|name| parts.headers.contains_key(*name));
        Ok(Self { is_forwarded, ..peer })
    }
}
