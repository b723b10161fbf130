//! `/v1/stats`: the statistics of every edge.

use tasuki_api::{EdgeStats, Page};
use tasuki_engine::query::stats::stats as edge_stats;

use crate::api::v1::paging;
use crate::extract::request_context::RequestContext;
use crate::respond::json::Json;
use crate::respond::problem::Problem;

pub(crate) async fn stats(context: RequestContext) -> Result<Json<Page<EdgeStats>>, Problem> {
    let edges = context.run_long_read(|context| async move {
        Ok(edge_stats(context.store(), context.project()).await?)
    });
    Ok(Json(paging::complete(edges.await?)))
}
