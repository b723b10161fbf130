//! `/v1/search`: packets and events by their words. What a gate keeps back is not found.

use serde::Deserialize;
use serde_json::{Value, json};
use tasuki_engine::search;
use tasuki_engine::store::Found;

use crate::answer::Json;
use crate::page::{self, Page};
use crate::parameters::Parameters;
use crate::problem::Problem;
use crate::visitor::Visitor;

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
    let limit = page::limit(said.limit)?;
    let behind = page::behind(said.cursor.as_deref())?;
    let found = visitor.at_length(move |visitor| async move {
        Ok(visitor.reader().search(&said.q, behind, limit).await?)
    });
    let search::Page { found, next } = found.await?;
    let items = found.into_iter().map(
        |Found { n, handoff, kind, excerpt }| json!({ "n": n, "handoff": handoff, "kind": kind, "excerpt": excerpt }),
    );
    Ok(Json(Page { items: items.collect(), next: next.map(|place| place.to_string()) }))
}
