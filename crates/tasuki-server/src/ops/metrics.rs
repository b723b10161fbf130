//! `/metrics`: requests and the flow of work, in the Prometheus text format.
//!
//! The metrics contain party names. They are served to this machine only, unless the operator opens
//! them.

use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use tasuki_packet::id::ProjectId;

use crate::middleware::client_address::ClientAddress;
use crate::respond::json::typed;
use crate::respond::problem::{Problem, unknown_route};
use crate::state::metrics::{heading, label, line};
use crate::state::{App, Shared};

/// LIMIT: with more projects than this, only those in use are listed.
const PROJECTS_SHOWN_MAX: usize = 64;

pub(crate) async fn metrics(
    State(app): State<Shared>,
    client: ClientAddress,
) -> Result<Response, Problem> {
    if !client.is_local() && !app.settings.has_open_metrics {
        return Err(unknown_route());
    }
    let runtime = tokio::runtime::Handle::current();
    // The first read of a long log takes a while.
    let printed = tokio::task::spawn_blocking(move || runtime.block_on(print(&app))).await;
    let text = printed.ok().unwrap_or_else(|| Ok(String::new()))?;
    Ok(typed("text/plain; version=0.0.4; charset=utf-8", text).into_response())
}

async fn print(app: &App) -> Result<String, Problem> {
    let store = app.engine.store().as_ref();
    let projects = app.projects.all(store).await?;
    let mut text = String::new();
    heading(&mut text, "tasuki_build_info", "gauge", "The version of the server.");
    line(&mut text, "tasuki_build_info", &format!("version=\"{}\"", env!("CARGO_PKG_VERSION")), 1);
    heading(&mut text, "tasuki_lines", "gauge", "Projects with a running command worker.");
    line(&mut text, "tasuki_lines", "", app.engine.running_workers());
    heading(&mut text, "tasuki_handoffs", "gauge", "Handoffs by state.");
    // Includes projects that were not used since the server started, as long as there are few:
    // reading a project keeps it open. A project that cannot be read does not hide the others.
    let recent = app.activity.recent();
    let is_shown = |id: &ProjectId| projects.len() <= PROJECTS_SHOWN_MAX || recent.contains(id);
    let mut unread = 0;
    for (project, id) in projects.iter().filter(|(_, id)| is_shown(id)) {
        let Ok(counts) = store.counts(*id).await else {
            unread += 1;
            continue;
        };
        for (state, count) in counts.states {
            let labels = format!("project=\"{}\",state=\"{}\"", label(project), state.as_str());
            line(&mut text, "tasuki_handoffs", &labels, count);
        }
        let updated = app.metrics.update_flow(store, *id).await.map_err(Problem::from);
        unread += u32::from(updated.is_err());
    }
    heading(&mut text, "tasuki_projects_unread", "gauge", "Projects that could not be read.");
    line(&mut text, "tasuki_projects_unread", "", unread);
    app.metrics.print_flows(&mut text, &projects);
    app.metrics.print_requests(&mut text);
    Ok(text)
}
