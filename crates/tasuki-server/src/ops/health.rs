//! Liveness and readiness probes.

use axum::extract::State;
use axum::response::Response;
use tasuki_api::problem::HttpErrorCode;

use crate::respond::json::typed;
use crate::respond::problem::Problem;
use crate::state::Shared;

/// Responds while the process runs.
pub(crate) async fn alive() -> Response {
    typed("text/plain", "ok\n")
}

/// Responds if the store is available and the server is not shutting down.
pub(crate) async fn ready(State(app): State<Shared>) -> Result<Response, Problem> {
    if *app.stopping.borrow() {
        return Err(Problem::with_code(HttpErrorCode::ServerBusy, "server is shutting down"));
    }
    app.engine.store().projects().await?;
    Ok(typed("text/plain", "ready\n"))
}
