//! What stands before every handler: who asks, may they, is it too much.

use std::pin::Pin;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::handler::Handler;
use axum::http::HeaderMap;
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use tokio::sync::SemaphorePermit;

use crate::auth::{Caller, authenticate, authorize};
use crate::extract::idempotency::{self, replay};
use crate::extract::request_context::Entered;
use crate::extract::{if_match, parameters};
use crate::middleware::client_address::Peer;
use crate::middleware::request_log::Note;
use crate::operation::{Access, Operation};
use crate::respond::problem::Problem;
use crate::state::{App, Shared};

/// A handler behind the question who asks. It is a handler itself and no layer, because every layer moves
/// the request to another place in memory.
#[derive(Clone)]
pub(super) struct Door<H> {
    pub(super) operation: &'static Operation,
    pub(super) handler: H,
}

impl<H, T> Handler<T, Shared> for Door<H>
where
    H: Handler<T, Shared>,
    T: 'static,
{
    type Future = Pin<Box<dyn Future<Output = Response> + Send>>;

    fn call(self, mut request: Request, app: Shared) -> Self::Future {
        Box::pin(async move {
            let _place = match enter(&app, self.operation, &mut request).await {
                Ok(place) => place,
                Err(problem) => return problem.into_response(),
            };
            let keyed = match replay::note(&app, self.operation, &mut request).await {
                Ok(keyed) => keyed,
                Err(problem) => return problem.into_response(),
            };
            let response = self.handler.call(request, Arc::clone(&app)).await;
            match keyed.filter(|_| response.status().is_client_error()) {
                Some(keyed) => keyed.again(&app, self.operation, response).await,
                None => response,
            }
        })
    }
}

/// Who asks, may they, is it too much. Gives the place that the request takes while it is worked on.
async fn enter<'a>(
    app: &'a App,
    operation: &'static Operation,
    request: &mut Request,
) -> Result<Option<SemaphorePermit<'a>>, Problem> {
    let note = request.extensions().get::<Note>().cloned().unwrap_or_default();
    note.operation(operation);
    let peer = request.extensions().get::<Peer>().copied().unwrap_or_default();
    // What comes in a batch has shown its credential already, and has its place.
    let entered = request.extensions_mut().remove::<Entered>();
    let is_in_batch = entered.is_some();
    if operation.access == Access::Everybody {
        match entered {
            Some(Entered { caller, .. }) => app.limits.take(&caller.rate_key(), caller.project)?,
            None => app.limits.take_stranger(peer.origin())?,
        }
    } else {
        let (caller, share) = match entered {
            Some(Entered { caller, share }) => (caller, Some(share)),
            None => (recognized(app, peer, request.headers()).await?, None),
        };
        note.caller(caller.project, caller.principal.party);
        app.active.note(caller.project);
        app.limits.take(&caller.rate_key(), caller.project)?;
        authorize::authorize(operation, &caller.principal)?;
        if_match::must_count(operation, request.headers())?;
        idempotency::must_count(operation, request.headers())?;
        // Whoever answers keeps it, a stream for as long as it goes on.
        let share = match share {
            Some(share) => share,
            None => Arc::new(app.limits.share(caller.project, operation.waits)?),
        };
        request.extensions_mut().insert(Entered { caller, share });
    }
    parameters::check(operation, request.uri())?;
    // Only now, so that a project that comes too often takes no place from another.
    if operation.waits || is_in_batch { Ok(None) } else { app.limits.enter().map(Some) }
}

/// Who asks. Whoever does not prove it counts for their address, after and not before it is known: a
/// stranger must not use up what others at the same address need.
async fn recognized(app: &App, peer: Peer, headers: &HeaderMap) -> Result<Caller, Problem> {
    let caller = authenticate::caller(app, peer, headers).await;
    if caller.as_ref().is_err_and(|problem| problem.status() < 500) {
        app.limits.take_stranger(peer.origin())?;
    }
    caller
}

/// The same for pages, which anybody may see.
pub(super) async fn for_strangers(
    State(app): State<Shared>,
    peer: Peer,
    request: Request,
    next: Next,
) -> Result<Response, Problem> {
    app.limits.take_stranger(peer.origin())?;
    Ok(next.run(request).await)
}
