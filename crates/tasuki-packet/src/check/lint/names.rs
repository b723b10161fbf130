//! Finds unknown members that are probably misspelt fields.

use super::finding::Finding;
use crate::document::limits::UNKNOWN_COMPARED_MAX;
use crate::document::{Members, pointer};
use crate::packet::Packet;
use crate::schema::field::{self, FIELDS};
use crate::violation::{Code, Violation, shorten, suggest};

/// The hint for a misspelt field.
const HINT: &str = "rename it, or move it under `extensions`, which accepts any member";

/// Returns a warning for every unknown member that is probably a misspelt field. Its content would
/// be kept, but no reader would find it.
pub fn misspelt(members: &Members) -> Vec<Violation> {
    let unknown = members.keys().filter(|name| field::index_of(name).is_none());
    let close = unknown.take(UNKNOWN_COMPARED_MAX).filter_map(|name| {
        let known = FIELDS.iter().map(|field| field.name);
        // A field that is present as well was not misspelt here.
        Some((name, suggest(name, known).filter(|near| !members.contains_key(*near))?))
    });
    let warning = |(name, near): (&String, &str)| {
        let message = format!("unknown field `{}`; did you mean `{near}`?", shorten::text(name));
        Violation::new(Code::LintField, pointer::join("", name), message).hint(HINT)
    };
    close.map(warning).collect()
}

pub(super) fn check(packet: &Packet, findings: &mut Vec<Finding>) {
    findings.extend(misspelt(packet.members()).into_iter().map(|violation| {
        Finding::warning(violation.code, violation.pointer, violation.message, HINT)
    }));
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn warnings(packet: &serde_json::Value) -> Vec<String> {
        let found = misspelt(packet.as_object().unwrap());
        found.into_iter().map(|violation| violation.message).collect()
    }

    #[test]
    fn a_misspelt_field_is_named_with_the_field_it_resembles() {
        let found =
            warnings(&json!({ "Constraints": [], "constrains": [], "failureBoundary": [] }));
        assert_eq!(
            found,
            [
                "unknown field `Constraints`; did you mean `constraints`?",
                "unknown field `constrains`; did you mean `constraints`?",
                "unknown field `failureBoundary`; did you mean `failure_boundary`?",
            ]
        );
    }

    #[test]
    fn a_members_own_name_is_no_mistake() {
        assert!(
            warnings(&json!({ "x_team": 1, "ticket": 2, "goal": "g", "goals": [] })).is_empty()
        );
    }
}
