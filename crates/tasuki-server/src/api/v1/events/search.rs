//! `/v1/search`: packets and events by their words. What a gate keeps back is not found.

use serde::Deserialize;
use serde_json::{Value, json};
use tasuki_engine::search;
use tasuki_engine::store::Found;

use crate::api::v1::paging::{self, Page};
use crate::extract::parameters::Parameters;
use crate::extract::request_context::Visitor;
use crate::respond::json::Json;
use crate::respond::problem::Problem;

/// Which words.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Searching {
    q: String,
    limit: Option<u32>,
    cursor: Option<String>,
}

pub(crate) async fn search(
    visitor: Visitor,
    Parameters(said): Parameters<Searching>,
) -> Result<Json<Page<Value>>, Problem> {
    let limit = paging::limit(said.limit)?;
    let behind = paging::behind(said.cursor.as_deref())?;
    let found = visitor.at_length(move |visitor| async move {
        Ok(visitor.reader().search(&said.q, behind, limit).await?)
    });
    let search::Page { found, next } = found.await?;
    let items = found.into_iter().map(
        |Found { n, handoff, kind, excerpt }| json!({ "n": n, "handoff": handoff, "kind": kind, "excerpt": excerpt }),
    );
    Ok(Json(Page { items: items.collect(), next: next.map(|place| place.to_string()) }))
}
