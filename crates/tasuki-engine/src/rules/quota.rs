//! Enforces the project's quota of open handoffs.

use crate::model::Context;
use crate::refusal::{Refusal, RefusalCode};

/// Refuses a new handoff once the project has as many open ones as its quota allows. The quota
/// stops a sender that outpaces the receivers before it affects everyone.
pub fn within_quota(context: &Context<'_>) -> Result<(), Refusal> {
    let limit = context.state.directory.settings.open_handoffs;
    let Some((limit, open)) = limit.zip(context.state.open).filter(|(limit, open)| open >= limit)
    else {
        return Ok(());
    };
    let message = format!("the project has {open} open handoffs; the limit is {limit}");
    Err(Refusal::new(RefusalCode::QuotaReached, message)
        .hint("wait until some are done, or cancel those that are not needed"))
}
