//! `/v1/search`: packets and events by their words. What a gate keeps back is not found.

use serde::Deserialize;
use serde_json::{Value, json};
use tasuki_engine::ports::Found;
use tasuki_engine::query::search;

use crate::api::v1::paging::{self, Page};
use crate::extract::parameters::Parameters;
use crate::extract::request_context::RequestContext;
use crate::respond::json::Json;
use crate::respond::problem::Problem;

/// The query of a search.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SearchQuery {
    q: String,
    limit: Option<u32>,
    cursor: Option<String>,
}

pub(crate) async fn search(
    context: RequestContext,
    Parameters(query): Parameters<SearchQuery>,
) -> Result<Json<Page<Value>>, Problem> {
    let limit = paging::limit(query.limit)?;
    let behind = paging::cursor(query.cursor.as_deref())?;
    let found = context.run_long_read(move |context| async move {
        Ok(context.reader().await?.search(&query.q, behind, limit).await?)
    });
    let search::Page { found, next } = found.await?;
    let items = found.into_iter().map(
        |Found { n, handoff, kind, excerpt }| json!({ "n": n, "handoff": handoff, "kind": kind, "excerpt": excerpt }),
    );
    Ok(Json(Page { items: items.collect(), next: next.map(|place| place.to_string()) }))
}
