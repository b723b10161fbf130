//! From which address a request came.

use std::convert::Infallible;
use std::net::SocketAddr;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;

/// The other end of the connection; nothing where there is none, as in a test.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Peer(pub(crate) Option<SocketAddr>);

impl Peer {
    /// The address as limits tell one from another.
    pub(crate) fn address(self) -> String {
        self.0.map(|peer| peer.ip().to_string()).unwrap_or_default()
    }

    /// Whether it is this machine.
    pub(crate) fn is_here(self) -> bool {
        self.0.is_none_or(|peer| peer.ip().to_canonical().is_loopback())
    }
}

impl<S: Sync> FromRequestParts<S> for Peer {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Infallible> {
        Ok(parts.extensions.get::<Self>().copied().unwrap_or_default())
    }
}
