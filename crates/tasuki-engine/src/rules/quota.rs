//! Enforces the project's quota of open handoffs.

use crate::model::Context;
use crate::refusal::{Refusal, RefusalCode};

/// A project has so many open handoffs and no more: whoever hands over faster than others can take it
/// hears of it before everybody does.
pub fn within_quota(context: &Context<'_>) -> Result<(), Refusal> {
    let limit = context.state.directory.settings.open_handoffs;
    let Some((limit, open)) = limit.zip(context.state.open).filter(|(limit, open)| open >= limit)
    else {
        return Ok(());
    };
    let message = format!("the project has {open} open handoffs, and may have {limit}");
    Err(Refusal::new(RefusalCode::QuotaReached, message)
        .hint("wait until some are done, or cancel what nobody needs"))
}
