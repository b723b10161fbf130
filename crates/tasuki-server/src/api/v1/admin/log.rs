//! `/v1/log`: leaves exactly as they were hashed, and the log check.

use axum::response::Response;
use serde::Deserialize;
use tasuki_api::LogCheckReport;
use tasuki_engine::audit::log_check;
use tasuki_engine::query::trail::Trail;

use crate::api::v1::paging;
use crate::extract::parameters::Parameters;
use crate::extract::request_context::RequestContext;
use crate::respond::json::{Json, typed};
use crate::respond::problem::Problem;

/// The query of the list of leaves.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LeavesQuery {
    #[serde(default)]
    from: u64,
    limit: Option<u32>,
}

pub(crate) async fn leaves(
    context: RequestContext,
    Parameters(query): Parameters<LeavesQuery>,
) -> Result<Response, Problem> {
    let limit = paging::limit(query.limit)?;
    let rows = context.store().leaves(context.project(), query.from, limit).await?;
    let lines: String = rows.iter().flat_map(|row| [row.leaf.as_str(), "\n"]).collect();
    Ok(typed("application/jsonl", lines))
}

/// The query of a log check.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CheckQuery {
    #[serde(default)]
    from: u64,
}

pub(crate) async fn check(
    context: RequestContext,
    Parameters(query): Parameters<CheckQuery>,
) -> Result<Json<LogCheckReport>, Problem> {
    let from = query.from;
    let leaves = context.engine().head(context.project()).await?.leaves;
    if from > leaves {
        return Err(Problem::argument(format!("there is no leaf {from}"))
            .hint(format!("the log has {leaves} leaves, and the first is 0")));
    }
    let checked = context.run_long_read(move |context| async move {
        let (store, project) = (context.store(), context.project());
        Ok(log_check::check(store, project, from, &Trail::default(), &mut |_, _| ()).await?)
    });
    Ok(Json(checked.await?.into()))
}
