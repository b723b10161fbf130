//! The kinds of packets: handoff, checkpoint, return and decision.

/// The kind of a packet.
///
/// ```
/// use tasuki_packet::Kind;
///
/// assert_eq!(Kind::of(Some("verification_report")), Kind::Return);
/// assert_eq!(Kind::of(None), Kind::Handoff);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Work for a receiver.
    Handoff,
    /// The progress of a holder.
    Checkpoint,
    /// The result of a handoff.
    Return,
    /// The decision of a person on a handoff.
    Decision,
}

impl Kind {
    /// Returns the kind that a `packet_type` names, including those of AHP.
    pub fn of(packet_type: Option<&str>) -> Self {
        match packet_type {
            Some("checkpoint") => Self::Checkpoint,
            Some("return" | "verification_report") => Self::Return,
            Some("decision" | "decision_record") => Self::Decision,
            _ => Self::Handoff,
        }
    }
}
