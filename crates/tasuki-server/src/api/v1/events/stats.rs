//! `/v1/stats`: the statistics of every edge.

use serde::Deserialize;
use tasuki_api::{EdgeStats, Page};
use tasuki_engine::limits::ROWS_PER_READ;

use crate::api::v1::paging;
use crate::extract::parameters::Parameters;
use crate::extract::request_context::RequestContext;
use crate::respond::json::Json;
use crate::respond::problem::Problem;

/// The query of statistics.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StatsQuery {
    cursor: Option<String>,
}

/// Continues the statistics of the project, and returns them once they are complete. The totals are
/// kept, so that requests share the work.
pub(crate) async fn stats(
    context: RequestContext,
    Parameters(query): Parameters<StatsQuery>,
) -> Result<Json<Page<EdgeStats>>, Problem> {
    paging::cursor::<u64>(query.cursor.as_deref())?;
    let totals = context.app.stats_totals.of(context.project());
    let mut totals = totals.lock().await;
    let rows = u64::from(ROWS_PER_READ);
    if totals.advance(context.store(), context.project(), rows).await? {
        return Ok(Json(paging::complete(totals.stats())));
    }
    Ok(Json(Page::new(Vec::new(), Some(totals.next().to_string()))))
}
