//! The commands that a caller may give about a handoff.

use crate::word_enum::word_enum;

word_enum! {
    /// A command about a handoff.
    pub enum Verb {
        /// Approves a held handoff or an action.
        Accept = "accept",
        /// Signs at a gate.
        SignOff = "sign_off",
        /// Refuses to sign at a gate.
        Deny = "deny",
        /// Changes the packet or the action.
        Edit = "edit",
        /// Rejects the handoff or the action.
        Reject = "reject",
        /// Sends the handoff to another receiver.
        Reroute = "reroute",
        /// Takes the work over.
        Intercept = "intercept",
        /// Withdraws the handoff.
        Cancel = "cancel",
        /// Claims the work.
        Claim = "claim",
        /// Declines the offer.
        Decline = "decline",
        /// Asks a question.
        Ask = "ask",
        /// Answers an open question.
        Answer = "answer",
        /// Returns the work.
        Return = "return",
        /// Gives the work back.
        Release = "release",
        /// Judges the return.
        Verify = "verify",
        /// Sends a dead letter out again.
        Redrive = "redrive",
        /// Removes a dead letter.
        Discard = "discard",
    }
}
