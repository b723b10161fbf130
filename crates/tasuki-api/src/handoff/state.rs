//! The states of a handoff.

use crate::word_enum::word_enum;

word_enum! {
    /// The state of a handoff.
    pub enum StateWord {
        /// Waits for a decision of a person.
        Held = "held",
        /// Waits for a claim of its receiver.
        Offered = "offered",
        /// Is claimed by a holder.
        Claimed = "claimed",
        /// Waits for a verdict on its return packet.
        Returned = "returned",
        /// Is completed.
        Done = "done",
        /// Was continued by another handoff.
        PassedOn = "passed_on",
        /// Was rejected by a person.
        Rejected = "rejected",
        /// Was withdrawn.
        Cancelled = "cancelled",
        /// Was given up by an operator.
        Discarded = "discarded",
        /// Is a dead letter, which an operator may redrive.
        Dead = "dead",
    }
}

impl StateWord {
    /// Returns `true` for an open state. A dead letter is not open: only an operator moves it.
    pub const fn is_open(self) -> bool {
        matches!(self, Self::Held | Self::Offered | Self::Claimed | Self::Returned)
    }
}
