//! `/v1/doctor`: the findings about a project that need no access to the machine.

use tasuki_api::{Finding, Page};
use tasuki_engine::audit::{audit, findings};

use crate::api::v1::paging;
use crate::extract::request_context::RequestContext;
use crate::respond::json::Json;
use crate::respond::problem::Problem;

pub(crate) async fn check(context: RequestContext) -> Result<Json<Page<Finding>>, Problem> {
    let head = context.engine().head(context.project()).await?;
    let directory = context.directory().await?;
    let audited = context.run_long_read(move |context| async move {
        Ok(audit(context.store(), &directory, context.project()).await?)
    });
    let mut all = findings::of_audit(&audited.await?);
    all.push(findings::of_halt(head.is_halted));
    Ok(Json(paging::complete(all)))
}
