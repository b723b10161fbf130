//! Verbs: the actions on a handoff, and those that fit its state.

use Verb::{
    Accept, Adopt, Answer, Ask, Cancel, Checkpoint, Claim, Decline, Deliver, Discard, Edit, Hold,
    Intercept, Park, PassOn, Redrive, Reject, Release, Renew, Reroute, Return, Revise, SignOff,
    Supersede, Undeliverable, Verify, Withdraw,
};
use tasuki_engine::model::{Handoff, State};

/// An action on an existing handoff.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verb {
    Revise,
    Ask,
    Answer,
    Decline,
    Claim,
    Renew,
    Adopt,
    Checkpoint,
    Hold,
    Withdraw,
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
    Undeliverable,
}

pub(crate) const ANY: [Verb; 27] = [
    Revise,
    Ask,
    Answer,
    Decline,
    Claim,
    Renew,
    Adopt,
    Checkpoint,
    Hold,
    Withdraw,
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
    Undeliverable,
];

/// Returns the verbs that fit the state of a handoff; frequent ones are repeated. In a halt its
/// holder still tries to act.
pub(crate) fn fitting(handoff: &Handoff, is_halted: bool) -> &'static [Verb] {
    match &handoff.progress.state {
        State::Claimed(_) if is_halted => &[
            Renew, Renew, Renew, Adopt, Checkpoint, Hold, Park, Release, Return, PassOn, Intercept,
            Reroute,
        ],
        State::Held(hold) if hold.approval_request.is_some() => {
            &[Accept, Withdraw, Reject, Edit, Reroute, Intercept, Cancel, Renew, Undeliverable]
        }
        State::Held(_) if !handoff.facts.terms.gates.is_empty() => &[
            SignOff,
            SignOff,
            SignOff,
            SignOff,
            SignOff,
            Accept,
            Revise,
            Edit,
            Intercept,
            Reroute,
            Undeliverable,
        ],
        State::Held(_) => &[
            Accept,
            Accept,
            Accept,
            Accept,
            Reject,
            Edit,
            Revise,
            Reroute,
            Intercept,
            Undeliverable,
        ],
        State::Offered(_) if !handoff.progress.questions.is_empty() => {
            &[Answer, Answer, Claim, Undeliverable]
        }
        State::Offered(_) => &[
            Claim,
            Claim,
            Claim,
            Claim,
            Claim,
            Claim,
            Claim,
            Claim,
            Ask,
            Decline,
            Revise,
            Edit,
            Deliver,
            Deliver,
            Reroute,
            Intercept,
            Supersede,
            Cancel,
            Undeliverable,
        ],
        State::Claimed(_) => &[
            Checkpoint, Checkpoint, Checkpoint, Renew, Adopt, Hold, Park, Release, Return, Return,
            Return, Return, PassOn, PassOn, PassOn, Intercept, Reroute, Cancel,
        ],
        State::Returned(_) => &[Verify, Verify, Verify, Verify, Cancel, Undeliverable],
        State::Dead => &[Redrive, Redrive, Discard],
        _ => &ANY,
    }
}
