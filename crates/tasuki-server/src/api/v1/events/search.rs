//! `/v1/search`: full-text search of packets and events, except those that a gate hides.

use serde::Deserialize;
use tasuki_api::{Page, SearchHit};
use tasuki_engine::query::search;
use tasuki_engine::view;

use crate::api::v1::paging;
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
) -> Result<Json<Page<SearchHit>>, Problem> {
    let limit = paging::limit(query.limit)?;
    let behind = paging::cursor(query.cursor.as_deref())?;
    let reader = context.reader().await?;
    let search::Page { found, next } = reader.search(&query.q, behind, limit).await?;
    let items = found.into_iter().map(view::search_hit);
    Ok(Json(Page::new(items.collect(), next.map(|place| place.to_string()))))
}
