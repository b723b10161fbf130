//! Guards every handler: authenticates the caller, authorizes the operation and applies the limits.

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
use crate::extract::request_context::Admitted;
use crate::extract::{if_match, parameters};
use crate::middleware::client_address::ClientAddress;
use crate::middleware::request_log::RequestLog;
use crate::operation::{Access, Operation};
use crate::respond::problem::Problem;
use crate::state::{App, Shared};

/// A handler that admits a request before it calls the inner handler. It is a handler rather than a
/// layer, because every layer moves the request in memory.
#[derive(Clone)]
pub(super) struct Guarded<H> {
    pub(super) operation: &'static Operation,
    pub(super) handler: H,
}

impl<H, T> Handler<T, Shared> for Guarded<H>
where
    H: Handler<T, Shared>,
    T: 'static,
{
    type Future = Pin<Box<dyn Future<Output = Response> + Send>>;

    fn call(self, mut request: Request, app: Shared) -> Self::Future {
        Box::pin(async move {
            let _permit = match admit(&app, self.operation, &mut request).await {
                Ok(permit) => permit,
                Err(problem) => return problem.into_response(),
            };
            let replay = match replay::prepare(&app, self.operation, &mut request).await {
                Ok(replay) => replay,
                Err(problem) => return problem.into_response(),
            };
            let response = self.handler.call(request, Arc::clone(&app)).await;
            match replay.filter(|_| response.status().is_client_error()) {
                Some(replay) => replay.response_or(&app, self.operation, response).await,
                None => response,
            }
        })
    }
}

/// Authenticates, authorizes and counts a request. Returns the permit that it holds while it is
/// handled.
async fn admit<'a>(
    app: &'a App,
    operation: &'static Operation,
    request: &mut Request,
) -> Result<Option<SemaphorePermit<'a>>, Problem> {
    let log = request.extensions().get::<RequestLog>().cloned().unwrap_or_default();
    log.set_operation(operation);
    let client = request.extensions().get::<ClientAddress>().copied().unwrap_or_default();
    // A request of a batch was authenticated with the batch, and uses its permit.
    let admitted = request.extensions_mut().remove::<Admitted>();
    let is_in_batch = admitted.is_some();
    if operation.access == Access::Public {
        match admitted {
            Some(Admitted { caller, .. }) => app.limits.take(&caller.rate_key(), caller.project)?,
            None => app.limits.take_anonymous(client.key())?,
        }
    } else {
        let (caller, permit) = match admitted {
            Some(Admitted { caller, permit }) => (caller, Some(permit)),
            None => (authenticate(app, client, request.headers()).await?, None),
        };
        log.set_caller(caller.project, caller.principal.party);
        app.activity.touch(caller.project);
        app.limits.take(&caller.rate_key(), caller.project)?;
        authorize::authorize(operation, &caller.principal)?;
        if_match::check_supported(operation, request.headers())?;
        idempotency::check_supported(operation, request.headers())?;
        // The handler keeps the permit; a stream keeps it while it is open.
        let permit = match permit {
            Some(permit) => permit,
            None => Arc::new(app.limits.acquire_in_project(caller.project, operation.may_wait)?),
        };
        request.extensions_mut().insert(Admitted { caller, permit });
    }
    parameters::check(operation, request.uri())?;
    // Acquired last, so that a project over its limits takes no permit from another.
    if operation.may_wait || is_in_batch { Ok(None) } else { app.limits.acquire().map(Some) }
}

/// Authenticates the caller. A request without a valid credential counts against its address, but
/// only after the check: it must not use up the allowance of others at the same address.
async fn authenticate(
    app: &App,
    client: ClientAddress,
    headers: &HeaderMap,
) -> Result<Caller, Problem> {
    let caller = authenticate::authenticate(app, client, headers).await;
    if caller.as_ref().is_err_and(|problem| problem.status() < 500) {
        app.limits.take_anonymous(client.key())?;
    }
    caller
}

/// Limits requests for pages, which need no credential, by address.
pub(super) async fn limit_anonymous(
    State(app): State<Shared>,
    client: ClientAddress,
    request: Request,
    next: Next,
) -> Result<Response, Problem> {
    app.limits.take_anonymous(client.key())?;
    Ok(next.run(request).await)
}
