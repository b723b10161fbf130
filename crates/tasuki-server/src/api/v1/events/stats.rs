//! `/v1/stats`: where work waits, edge by edge.

use tasuki_engine::stats::{EdgeStats, stats as told};

use crate::api::v1::paging::Page;
use crate::extract::request_context::Visitor;
use crate::respond::json::Json;
use crate::respond::problem::Problem;

pub(crate) async fn stats(visitor: Visitor) -> Result<Json<Page<EdgeStats>>, Problem> {
    let edges = visitor
        .at_length(|visitor| async move { Ok(told(visitor.store(), visitor.project()).await?) });
    Ok(Json(Page::whole(edges.await?)))
}
