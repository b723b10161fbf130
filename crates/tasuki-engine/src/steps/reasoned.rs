//! Commands that carry nothing to prepare but a reason.

use std::fmt::Debug;

use serde::Serialize;
use tasuki_packet::id::{HandoffId, PartyId};

use crate::model::{Change, Context, Directory, LoadSet, Reason};
use crate::ports::Loaded;
use crate::prepare::input::PrepareInput;
use crate::prepare::text;
use crate::refusal::Refusal;
use crate::rules::scopes::RequiredScopes;
use crate::steps::Step;
use crate::steps::step::PreparedStep;

/// A command that carries nothing to prepare but a reason. It implements [`Step`].
pub trait ReasonedStep: Clone + Debug + Serialize + Send + Sync + 'static {
    /// See [`Step::NAME`].
    const NAME: &'static str;

    /// See [`Step::SCOPES`].
    const SCOPES: RequiredScopes;

    /// See [`PreparedStep::handoff`].
    fn handoff(&self) -> Option<HandoffId>;

    /// Returns the reason as the caller stated it.
    fn reason(&self) -> Option<&str>;

    /// See [`PreparedStep::load`].
    fn load(&self, _directory: &Directory, _set: &mut LoadSet) {}

    /// See [`PreparedStep::load_further`].
    fn load_further(&self, _loaded: &Loaded, _set: &mut LoadSet) {}

    /// See [`PreparedStep::decide`].
    fn decide(&self, context: &Context<'_>, reason: &Reason) -> Result<Change, Refusal>;
}

/// A command with its reason scanned for secrets.
#[derive(Debug)]
pub struct Reasoned<S> {
    step: S,
    reason: Reason,
}

impl<S: ReasonedStep> Step for S {
    const NAME: &'static str = S::NAME;
    const SCOPES: RequiredScopes = S::SCOPES;
    type Prepared = Reasoned<S>;

    fn prepare(&self, input: &PrepareInput) -> Result<Reasoned<S>, Refusal> {
        let reason = text::reason(ReasonedStep::reason(self), &input.directory.settings)?;
        Ok(Reasoned { step: self.clone(), reason })
    }
}

impl<S: ReasonedStep> PreparedStep for Reasoned<S> {
    fn handoff(&self) -> Option<HandoffId> {
        self.step.handoff()
    }

    fn load(&self, directory: &Directory, _caller: PartyId, set: &mut LoadSet) {
        self.step.load(directory, set);
    }

    fn load_further(&self, _caller: PartyId, loaded: &Loaded, set: &mut LoadSet) {
        self.step.load_further(loaded, set);
    }

    fn redacted_count(&self) -> usize {
        self.reason.redacted_count
    }

    fn decide(&self, context: &Context<'_>) -> Result<Change, Refusal> {
        self.step.decide(context, &self.reason)
    }
}
