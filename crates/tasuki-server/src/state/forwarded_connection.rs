//! Counts requests behind a proxy as connections of their clients.
//!
//! A proxy has few connections and many clients. So each request that it forwards takes a permit of
//! the client's address, until its response has been sent.

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use axum::response::Response;
use hyper::body::{Frame, SizeHint};
use tokio::sync::OwnedSemaphorePermit;

use crate::middleware::client_address::ClientAddress;
use crate::respond::problem::Problem;
use crate::state::limits::{Limits, busy};

/// The permit of a forwarded request; a direct request has none.
pub(crate) struct ForwardedConnection(Option<OwnedSemaphorePermit>);

impl ForwardedConnection {
    /// Acquires the permit of a forwarded request.
    pub(crate) fn acquire(limits: &Limits, client: ClientAddress) -> Result<Self, Problem> {
        let Some(client) = client.behind_proxy() else { return Ok(Self(None)) };
        let permit = limits.acquire_connection(client);
        let busy = || busy("too many concurrent requests from this address");
        permit.map(|permit| Self(Some(permit))).ok_or_else(busy)
    }

    /// Keeps the permit until the response has been sent.
    pub(crate) fn hold(self, response: Response) -> Response {
        match self.0 {
            Some(permit) => response.map(|body| Body::new(HeldBody { body, _permit: permit })),
            None => response,
        }
    }
}

struct HeldBody {
    body: Body,
    _permit: OwnedSemaphorePermit,
}

impl HttpBody for HeldBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
