//! The kinds of packets: handoff, checkpoint, return and decision.

/// What a packet is for. The kinds of AHP are read as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Work goes from a sender to a receiver.
    Handoff,
    /// Progress that a holder leaves behind.
    Checkpoint,
    /// What comes back.
    Return,
    /// What a person did with a handoff.
    Decision,
}

impl Kind {
    /// The kind that a `packet_type` names.
    pub fn of(packet_type: Option<&str>) -> Self {
        match packet_type {
            Some("checkpoint") => Self::Checkpoint,
            Some("return" | "verification_report") => Self::Return,
            Some("decision" | "decision_record") => Self::Decision,
            _ => Self::Handoff,
        }
    }
}
