//! The response to a command. The worker only selects the handoff to show. The body is built in the
//! caller's task, because the worker's time is shared by all callers.

use std::sync::Arc;

use jiff::Timestamp;
use tasuki_api as api;

use crate::model::{Change, Directory, Handoff, Principal, ProjectState, ReplyScope};
use crate::view::{self, Viewer};

/// The response to one command.
#[derive(Debug, Clone)]
pub struct Reply {
    answer: Box<api::CommandResponse>,
    shown: Option<ShownHandoff>,
}

#[derive(Debug, Clone)]
struct ShownHandoff {
    card: ReplyScope,
    handoff: Arc<Handoff>,
    directory: Arc<Directory>,
    principal: Principal,
    now: Timestamp,
}

impl Reply {
    /// Creates the reply to a command whose change has just been applied to the state.
    pub fn of(state: &ProjectState, change: Change, principal: &Principal, now: Timestamp) -> Self {
        let shown = change.card.and_then(|card| {
            let handoff = Arc::clone(state.shared(card.handoff)?);
            let directory = Arc::clone(&state.directory);
            let principal = principal.clone();
            Some(ShownHandoff { card, handoff, directory, principal, now })
        });
        Self { answer: change.answer, shown }
    }

    /// Returns `true` if the command had already been executed and changed nothing.
    pub fn is_repeated(&self) -> bool {
        self.answer.repeated
    }

    /// Builds the complete response.
    pub fn into_answer(self) -> Box<api::CommandResponse> {
        let Self { mut answer, shown } = self;
        let Some(ShownHandoff { card, handoff, directory, principal, now }) = shown else {
            return answer;
        };
        answer.trace.clone_from(&handoff.facts.summary.trace);
        if card.has_handoff {
            let viewer = Viewer { directory: &directory, principal: &principal, now };
            answer.handoff = Some(Box::new(viewer.handoff(&handoff)));
        }
        if let Some(claim) = handoff.claim().filter(|_| card.has_claim) {
            answer.claim = Some(view::claim(&directory, &handoff, claim));
        }
        answer
    }
}

impl From<api::CommandResponse> for Reply {
    fn from(answer: api::CommandResponse) -> Self {
        Self { answer: Box::new(answer), shown: None }
    }
}
