//! Applies due deadlines. The worker does so before every command, so this command itself is empty.

use serde::Serialize;

use crate::model::{Change, Context};
use crate::prepare::input::PrepareInput;
use crate::refusal::Refusal;
use crate::rules::scopes::RequiredScopes;
use crate::steps::Step;
use crate::steps::step::PreparedStep;

/// Applies due deadlines.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct ApplyDue;

impl Step for ApplyDue {
    const NAME: &'static str = "apply_due";
    // Deadlines apply for every caller.
    const SCOPES: RequiredScopes = RequiredScopes::Nothing;
    type Prepared = Self;

    fn prepare(&self, _: &PrepareInput) -> Result<Self, Refusal> {
        Ok(*self)
    }
}

impl PreparedStep for ApplyDue {
    fn depends_on_policy(&self) -> bool {
        false
    }

    fn decide(&self, _: &Context<'_>) -> Result<Change, Refusal> {
        Ok(Change::default())
    }
}
