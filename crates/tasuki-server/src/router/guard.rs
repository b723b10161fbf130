//! Guards every handler: authenticates the caller, authorizes the operation and applies the limits.

use std::pin::Pin;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::handler::Handler;
use axum::http::HeaderMap;
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use tokio::sync::SemaphorePermit;

use crate::api::operations as op;
use crate::auth::{Caller, authenticate, authorize, token};
use crate::extract::idempotency::{self, replay};
use crate::extract::request_context::Admitted;
use crate::extract::{arrival, if_match, parameters};
use crate::middleware::client_address::ClientAddress;
use crate::middleware::request_log::RequestLog;
use crate::operation::{Access, Operation};
use crate::respond::problem::Problem;
use crate::state::arrivals::Reserved;
use crate::state::project_concurrency::Permit;
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
            let _place = match admit(&app, self.operation, &mut request).await {
                Ok(place) => place,
                Err(problem) => return problem.into_response(),
            };
            let replay = match replay::prepare(&app, self.operation, &mut request).await {
                Ok(replay) => replay,
                Err(problem) => return problem.into_response(),
            };
            let response = if is_read(self.operation) {
                read(&app, request, self.handler).await
            } else {
                self.handler.call(request, Arc::clone(&app)).await
            };
            match replay.filter(|_| response.status().is_client_error()) {
                Some(replay) => replay.response_or(&app, self.operation, response).await,
                None => response,
            }
        })
    }
}

/// Returns `true` for an operation that only reads and whose handler does not wait. One that waits
/// runs its reads itself; a check of the log or of the project has a thread of its own.
fn is_read(operation: &Operation) -> bool {
    let has_credential = operation.access != Access::Public;
    let is_long = [op::CHECK_LOG.id, op::DOCTOR.id].contains(&operation.id);
    operation.is_read() && has_credential && !operation.may_wait && !is_long
}

/// Runs a handler on the threads for reads.
async fn read<H, T>(app: &Shared, request: Request, handler: H) -> Response
where
    H: Handler<T, Shared>,
    T: 'static,
{
    let Some(Admitted { caller, .. }) = request.extensions().get::<Admitted>() else {
        return authenticate::credential_missing().into_response();
    };
    let (credential, project) = (caller.rate_key(), caller.project);
    let reading = handler.call(request, Arc::clone(app));
    match app.run_read(&credential, project, reading).await {
        Ok(response) => response,
        Err(problem) => problem.into_response(),
    }
}

/// The permits of a request, held while it is handled.
#[derive(Default)]
struct Place<'a> {
    _request: Option<SemaphorePermit<'a>>,
    _project: Option<Arc<Permit>>,
    _body: Option<Reserved>,
}

/// Admits a request: authenticates and authorizes it, counts it, waits for its body, and only then
/// takes its place among the concurrent requests.
async fn admit<'a>(
    app: &'a App,
    operation: &'static Operation,
    request: &mut Request,
) -> Result<Place<'a>, Problem> {
    let log = request.extensions().get::<RequestLog>().cloned().unwrap_or_default();
    log.set_operation(operation);
    let client = request.extensions().get::<ClientAddress>().copied().unwrap_or_default();
    // A request of a batch was authenticated with the batch, and uses its permit.
    let admitted = request.extensions_mut().remove::<Admitted>();
    if let Some(admitted) = admitted {
        check(app, operation, request, &log, &admitted.caller)?;
        parameters::check(operation, request.uri())?;
        if operation.access != Access::Public {
            request.extensions_mut().insert(admitted);
        }
        return Ok(Place::default());
    }
    let Some(caller) = caller(app, operation, client, request.headers()).await? else {
        app.limits.take_anonymous(client.key())?;
        parameters::check(operation, request.uri())?;
        let body = arrival::complete(app, operation, request, client, None).await?;
        let request = Some(app.limits.acquire_anonymous()?);
        return Ok(Place { _request: request, _project: None, _body: body });
    };
    check(app, operation, request, &log, &caller)?;
    parameters::check(operation, request.uri())?;
    let credential = caller.rate_key();
    let body = arrival::complete(app, operation, request, client, Some(&credential)).await?;
    let project = app.limits.acquire_in_project(caller.project, &credential, operation.may_wait)?;
    let project = Arc::new(project);
    if operation.access != Access::Public {
        // The handler keeps the permit; a stream keeps it while it is open.
        let permit = Arc::clone(&project);
        request.extensions_mut().insert(Admitted { caller, permit });
    }
    // Acquired last, so that a project over its limits takes no permit from another.
    let request = if operation.may_wait { None } else { Some(app.limits.acquire()?) };
    Ok(Place { _request: request, _project: Some(project), _body: body })
}

/// Counts a request of a known caller, and checks that it may make it.
fn check(
    app: &App,
    operation: &'static Operation,
    request: &Request,
    log: &RequestLog,
    caller: &Caller,
) -> Result<(), Problem> {
    if operation.access == Access::Public {
        return app.limits.take(&caller.rate_key(), caller.project);
    }
    log.set_caller(caller.project, caller.principal.party);
    app.activity.touch(caller.project);
    app.limits.take(&caller.rate_key(), caller.project)?;
    authorize::authorize(operation, &caller.principal)?;
    if_match::check_supported(operation, request.headers())?;
    idempotency::check_supported(operation, request.headers())
}

/// Returns the caller of a request. A public operation needs none, but one with a valid token counts
/// as the request of its owner and not as that of a stranger.
async fn caller(
    app: &App,
    operation: &Operation,
    client: ClientAddress,
    headers: &HeaderMap,
) -> Result<Option<Caller>, Problem> {
    if operation.access != Access::Public {
        return authenticate(app, client, headers).await.map(Some);
    }
    match token::from_headers(headers) {
        Some(Ok(sent)) => Ok(token::caller(app, &sent, client).await.ok()),
        _ => Ok(None),
    }
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

/// Limits requests for pages, which need no credential, by address and in number.
pub(super) async fn limit_anonymous(
    State(app): State<Shared>,
    client: ClientAddress,
    request: Request,
    next: Next,
) -> Result<Response, Problem> {
    app.limits.take_anonymous(client.key())?;
    let _permit = app.limits.acquire_anonymous()?;
    Ok(next.run(request).await)
}
