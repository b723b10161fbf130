//! A command that was refused while it was prepared.

use crate::model::{Change, Context};
use crate::refusal::Refusal;
use crate::steps::step::PreparedStep;

/// A command that was refused while it was prepared. If its caller gave an idempotency key, it is
/// queued nevertheless, because the key may have a recorded response.
#[derive(Debug)]
pub struct RefusedEarly(pub Refusal);

impl PreparedStep for RefusedEarly {
    fn depends_on_policy(&self) -> bool {
        false
    }

    fn decide(&self, _: &Context<'_>) -> Result<Change, Refusal> {
        Err(self.0.clone())
    }
}
