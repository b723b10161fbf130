//! Metadata of the protected resource `/mcp` (RFC 9728): how a client gets a credential.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::http::header::HOST;
use serde_json::{Value, json};
use tasuki_engine::model::Scope;

use crate::respond::json::Json;
use crate::settings::Settings;
use crate::state::Shared;

/// The path of the metadata, as RFC 9728 derives it from `/mcp`.
pub(crate) const METADATA_PATH: &str = "/.well-known/oauth-protected-resource/mcp";

/// The path that clients try when a resource names none.
pub(crate) const METADATA_ROOT_PATH: &str = "/.well-known/oauth-protected-resource";

/// Returns the metadata. It names an authorization server only if one is configured; without one, an
/// operator creates tokens.
pub(crate) async fn metadata(State(app): State<Shared>, headers: HeaderMap) -> Json<Value> {
    let base = base(&app.settings, &headers);
    // A token of an agent cannot decide.
    let scopes = Scope::ALL.into_iter().filter(|scope| *scope != Scope::Decide);
    let mut document = json!({
        "resource": format!("{base}/mcp"),
        "resource_name": "Tasuki",
        "bearer_methods_supported": ["header"],
        "scopes_supported": scopes.map(Scope::as_str).collect::<Vec<_>>(),
        "resource_documentation": format!("{base}/docs"),
    });
    if !app.settings.authorization_servers.is_empty() {
        document["authorization_servers"] = json!(app.settings.authorization_servers);
    }
    Json(document)
}

/// Returns the challenge of a refused request.
pub(crate) fn challenge(settings: &Settings, headers: &HeaderMap) -> String {
    format!("Bearer resource_metadata=\"{}{METADATA_PATH}\"", base(settings, headers))
}

/// Returns the public address, or the one that the client used. The host was checked before.
fn base(settings: &Settings, headers: &HeaderMap) -> String {
    let host = headers.get(HOST).and_then(|host| host.to_str().ok());
    match (&settings.public_url, host) {
        (None, Some(host)) => format!("http://{host}"),
        _ => settings.base(),
    }
}
