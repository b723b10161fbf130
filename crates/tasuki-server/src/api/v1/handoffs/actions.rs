//! `/v1/handoffs/{id}/actions`: the versions of the actions that the holder wants approved.

use tasuki_api::{ActionVersion, Page};

use crate::api::v1::paging::{self, AfterQuery};
use crate::extract::parameters::{Parameters, PathParameter};
use crate::extract::request_context::RequestContext;
use crate::respond::json::Json;
use crate::respond::problem::Problem;

pub(crate) async fn list(
    context: RequestContext,
    PathParameter(id): PathParameter,
    Parameters(query): Parameters<AfterQuery>,
) -> Result<Json<Page<ActionVersion>>, Problem> {
    context.apply_due().await?;
    let handoff = context.find(&id).await?;
    let versions = context.reader().await?.actions(&handoff).await?;
    Ok(Json(paging::after(versions, &query, |one| one.n)?))
}
