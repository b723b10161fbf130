//! `/v1/stats` and `/v1/overview`: the statistics of every edge, and the last hours.

use serde::Deserialize;
use tasuki_api::{EdgeStats, Overview, Page};
use tasuki_engine::limits::ROWS_PER_READ;
use tasuki_engine::query::overview::overview as last_hours;

use crate::api::operations::HOURS_MAX;
use crate::api::v1::paging;
use crate::extract::parameters::Parameters;
use crate::extract::request_context::RequestContext;
use crate::respond::json::Json;
use crate::respond::problem::Problem;

const HOURS_DEFAULT: u32 = 24;

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

/// The query of an overview.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OverviewQuery {
    hours: Option<u32>,
}

pub(crate) async fn overview(
    context: RequestContext,
    Parameters(query): Parameters<OverviewQuery>,
) -> Result<Json<Overview>, Problem> {
    let hours = query.hours.unwrap_or(HOURS_DEFAULT);
    if !(1..=HOURS_MAX).contains(&hours) {
        let message = format!("`hours` must be 1 to {HOURS_MAX}, not {hours}");
        return Err(Problem::argument(message));
    }
    context.apply_due().await?;
    let (now, rows) = (context.engine().now(), u64::from(ROWS_PER_READ));
    Ok(Json(last_hours(context.store(), context.project(), now, hours, rows).await?))
}
