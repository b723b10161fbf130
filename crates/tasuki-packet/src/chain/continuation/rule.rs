//! What a checkpoint does to each member of the packet.
//!
//! One idea decides: what was asked, agreed and classified stays with the packet, because people
//! approved it; how far the work is comes from the holder.

/// What a checkpoint does to a member of the packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Rule {
    /// Nothing: the packet's word stays, and what a checkpoint says here is not looked at.
    Fixed,
    /// Entries that are not there yet are appended.
    AddedTo,
    /// A member of it replaces the one of the same name, the others stay.
    Merged,
    /// The checkpoint's value stands in its place; pinned items stay.
    Replaced,
}

/// The rule of a member. A name that the format does not know is replaced.
pub fn rule_of(name: &str) -> Rule {
    match name {
        "completed" | "decisions" | "pitfalls_hit" | "failed_approaches" | "evidence_refs"
        | "artifacts" => Rule::AddedTo,
        "context" => Rule::Merged,
        name if FIXED.iter().any(|fields| fields.contains(&name)) => Rule::Fixed,
        _ => Rule::Replaced,
    }
}

const FIXED: &[&[&str]] = &[IDENTITY, AGREEMENT, REGULATION, OF_ANOTHER_KIND];

/// What the packet is, between whom. `to_agent` of a checkpoint names who should go on, which is a
/// word to the exchange.
const IDENTITY: &[&str] = &[
    "handoff_version",
    "packet_type",
    "task_id",
    "from_agent",
    "to_agent",
    "target_agent",
    "supersedes",
    "trace",
];

/// What was asked, within which limits, and what must come back.
const AGREEMENT: &[&str] = &[
    "goal",
    "question",
    "contract",
    "scope",
    "constraints",
    "acceptance",
    "expected_outputs",
    "failure_boundary",
    "return_required",
    "source_rules",
    "uncertainty",
    "authority",
    "budget",
    "expires_at",
    "fallback",
    "can_intercept",
];

/// How the content must be treated, and who answers for it.
const REGULATION: &[&str] = &[
    "classification",
    "regulation_refs",
    "sign_off_gates",
    "retention",
    "audit_trail",
    "clinical",
    "purpose",
    "lawful_basis",
    "contains",
    "accountable_person",
];

/// Members of decisions and status files. In a handoff they would look like somebody's decision.
const OF_ANOTHER_KIND: &[&str] = &[
    "handoff",
    "state",
    "updated_at",
    "decision",
    "revision",
    "digest",
    "reason",
    "to",
    "meaning",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::field::{self, FIELDS};

    #[test]
    fn every_fixed_name_is_a_field() {
        for name in FIXED.iter().copied().flatten() {
            assert!(field::index_of(name).is_some(), "{name}");
        }
    }

    #[test]
    fn the_specification_names_every_fixed_field() {
        let specification = include_str!("../../../../../docs/spec/packet-1.0.md");
        let is_row = |line: &&str| line.contains("| left as they are");
        let row = specification.lines().find(is_row).unwrap();
        let names: Vec<&str> = row.split('`').skip(1).step_by(2).collect();
        assert_eq!(names, FIXED.concat());
    }

    #[test]
    fn progress_is_what_a_checkpoint_may_change() {
        let of = |rule| {
            let fields = FIELDS.iter().filter(|field| rule_of(field.name) == rule);
            fields.map(|field| field.name).collect::<Vec<_>>().join(" ")
        };
        insta::assert_snapshot!(of(Rule::AddedTo), @"completed decisions pitfalls_hit failed_approaches evidence_refs artifacts");
        insta::assert_snapshot!(of(Rule::Merged), @"context");
        insta::assert_snapshot!(of(Rule::Replaced), @"status summary handoff_summary next_request remaining assumptions payload inputs human_brief notes confidence provenance cost trigger changed_paths verification verdict blockers extensions");
        assert_eq!(rule_of("x_team"), Rule::Replaced);
    }
}
