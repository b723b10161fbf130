//! What can be done with a handoff, and what fits where it stands.

use Verb::{
    Accept, Answer, Ask, Cancel, Checkpoint, Claim, Decline, Deliver, Discard, Edit, Hold,
    Intercept, Park, PassOn, Redrive, Reject, Release, Renew, Reroute, Return, Revise, SignOff,
    Supersede, Untold, Verify,
};
use tasuki_engine::model::{Handoff, State};

/// What can be done with a handoff that is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verb {
    Revise,
    Ask,
    Answer,
    Decline,
    Claim,
    Renew,
    Checkpoint,
    Hold,
    Park,
    Release,
    Return,
    PassOn,
    Supersede,
    Verify,
    Accept,
    SignOff,
    Edit,
    Reject,
    Reroute,
    Intercept,
    Cancel,
    Redrive,
    Discard,
    Deliver,
    Untold,
}

/// Everything.
pub(crate) const ANY: [Verb; 25] = [
    Revise, Ask, Answer, Decline, Claim, Renew, Checkpoint, Hold, Park, Release, Return, PassOn,
    Supersede, Verify, Accept, SignOff, Edit, Reject, Reroute, Intercept, Cancel, Redrive, Discard,
    Deliver, Untold,
];

/// What fits where a handoff stands; what happens more often is named more often. In a halt its
/// holder tries to go on all the same.
pub(crate) fn fitting(handoff: &Handoff, is_halted: bool) -> &'static [Verb] {
    match &handoff.progress.state {
        State::Claimed(_) if is_halted => &[
            Renew, Renew, Renew, Checkpoint, Hold, Park, Release, Return, PassOn, Intercept,
            Reroute,
        ],
        State::Held(hold) if hold.approval_request.is_some() => {
            &[Accept, Accept, Reject, Edit, Reroute, Intercept, Cancel, Renew, Untold]
        }
        State::Held(_) if !handoff.facts.terms.gates.is_empty() => &[
            SignOff, SignOff, SignOff, SignOff, SignOff, Accept, Revise, Edit, Intercept, Reroute,
            Untold,
        ],
        State::Held(_) => {
            &[Accept, Accept, Accept, Accept, Reject, Edit, Revise, Reroute, Intercept, Untold]
        }
        State::Offered(_) if !handoff.progress.questions.is_empty() => {
            &[Answer, Answer, Claim, Untold]
        }
        State::Offered(_) => &[
            Claim, Claim, Claim, Claim, Claim, Claim, Claim, Claim, Ask, Decline, Revise, Edit,
            Deliver, Deliver, Reroute, Intercept, Supersede, Cancel, Untold,
        ],
        State::Claimed(_) => &[
            Checkpoint, Checkpoint, Checkpoint, Renew, Hold, Park, Release, Return, Return, Return,
            Return, PassOn, PassOn, PassOn, Intercept, Reroute, Cancel,
        ],
        State::Returned(_) => &[Verify, Verify, Verify, Verify, Cancel, Untold],
        State::Dead => &[Redrive, Redrive, Discard],
        _ => &ANY,
    }
}
