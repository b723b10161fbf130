//! `/v1/stats` and `/v1/overview`: the statistics of every edge, and the last hours.

use serde::Deserialize;
use tasuki_api::{EdgeStats, Overview, Page};
use tasuki_engine::query::overview::{LEAVES_MAX, overview as last_hours};
use tasuki_engine::query::stats::stats as edge_stats;

use crate::api::operations::HOURS_MAX;
use crate::api::v1::paging;
use crate::extract::parameters::Parameters;
use crate::extract::request_context::RequestContext;
use crate::respond::json::Json;
use crate::respond::problem::Problem;

const HOURS_DEFAULT: u32 = 24;

pub(crate) async fn stats(context: RequestContext) -> Result<Json<Page<EdgeStats>>, Problem> {
    let edges = context.run_long_read(|context| async move {
        Ok(edge_stats(context.store(), context.project()).await?)
    });
    Ok(Json(paging::complete(edges.await?)))
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
    let read = context.run_long_read(move |context| async move {
        let now = context.engine().now();
        Ok(last_hours(context.store(), context.project(), now, hours, LEAVES_MAX).await?)
    });
    Ok(Json(read.await?))
}
