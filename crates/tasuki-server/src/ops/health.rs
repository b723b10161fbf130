//! Liveness and readiness, for what starts and monitors the server.

use axum::extract::State;
use axum::response::Response;
use tasuki_api::problem::HttpErrorCode;

use crate::respond::json::typed;
use crate::respond::problem::Problem;
use crate::state::Shared;

/// The process runs.
pub(crate) async fn alive() -> Response {
    typed("text/plain", "ok\n")
}

/// The store answers, and the server is not shutting down.
pub(crate) async fn ready(State(app): State<Shared>) -> Result<Response, Problem> {
    if *app.stopping.borrow() {
        return Err(Problem::with_code(HttpErrorCode::ServerBusy, "the server is stopping"));
    }
    app.engine.store().projects().await?;
    Ok(typed("text/plain", "ready\n"))
}
