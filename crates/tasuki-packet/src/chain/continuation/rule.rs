//! The effect of a checkpoint on each member of the packet.
//!
//! Requests, agreements and classifications stay with the packet, because people approved them.
//! Progress comes from the holder's checkpoints.

/// The effect of a checkpoint on a member of the packet.
///
/// ```
/// use tasuki_packet::chain::continuation::{Rule, rule_of};
///
/// assert_eq!(rule_of("goal"), Rule::Fixed);
/// assert_eq!(rule_of("completed"), Rule::AddedTo);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Rule {
    /// The packet's value stays, and the checkpoint's value is ignored.
    Fixed,
    /// New entries are appended.
    AddedTo,
    /// Members of the checkpoint's value replace those of the same name; the others stay.
    Merged,
    /// The checkpoint's value replaces the packet's; pinned items stay.
    Replaced,
}

/// Returns the rule for a member. Unknown members are replaced.
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

/// The identity of the packet and its parties. `to_agent` of a checkpoint suggests the next holder
/// to the exchange.
const IDENTITY: &[&str] = &[
    "handoff_version",
    "packet_type",
    "profile",
    "task_id",
    "from_agent",
    "to_agent",
    "target_agent",
    "supersedes",
    "trace",
];

/// The request, its limits, and the requirements for the return.
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
    "secret_ref",
    "source_rules",
    "uncertainty",
    "authority",
    "budget",
    "expires_at",
    "fallback",
    "can_intercept",
];

/// The treatment of the content, and the accountable parties.
const REGULATION: &[&str] = &[
    "classification",
    "regulation_refs",
    "sign_off_gates",
    "sign_offs_due",
    "retention",
    "audit_trail",
    "clinical",
    "purpose",
    "lawful_basis",
    "contains",
    "accountable_person",
];

/// Members of decisions and status files. In a handoff they would look like a decision.
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
    fn a_checkpoint_may_change_only_progress() {
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
