//! Finds unknown members that are probably misspelt fields.

use serde_json::Value;

use super::finding::Finding;
use crate::document::limits::UNKNOWN_COMPARED_MAX;
use crate::document::{Members, pointer};
use crate::packet::aliases::canonical_name;
use crate::packet::{Item, Packet};
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
    let mut warnings: Vec<Violation> = close.map(warning).collect();
    warnings.extend(members.contains_key("variant").then(variant_member));
    warnings.extend(misspelt_returns(members));
    warnings
}

/// Returns the warning for a packet that names its variant in a member that no reader looks at.
fn variant_member() -> Violation {
    let message = "unknown field `variant`; did you mean `profile`?";
    Violation::new(Code::LintField, "/variant", message).hint(HINT)
}

/// Returns a warning for every required return field that is probably a misspelt one. A receiver
/// would have to return a field that no reader looks at.
fn misspelt_returns(members: &Members) -> Vec<Violation> {
    let list = members.get("return_required").and_then(Value::as_array);
    let entries = list.map_or(&[][..], Vec::as_slice).iter().take(UNKNOWN_COMPARED_MAX);
    let names = entries.enumerate().filter_map(|(index, entry)| Some((index, Item::of(entry)?)));
    let close = names.filter_map(|(index, item)| {
        let name = canonical_name(item.text);
        if field::index_of(&name).is_some() {
            return None;
        }
        let near = suggest(&name, FIELDS.iter().map(|field| field.name))?;
        let shown = shorten::text(item.text);
        let message = format!("unknown return field `{shown}`; did you mean `{near}`?");
        let place = format!("/return_required/{index}");
        Some(
            Violation::new(Code::LintField, place, message)
                .hint("rename it, or keep it if the return packet has a field of this name"),
        )
    });
    close.collect()
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
    fn a_misspelt_return_field_and_a_variant_that_no_reader_sees_are_named() {
        let found = warnings(&json!({
            "variant": "strict", "return_required": ["summary", "Changed paths", "sumary", "ticket"],
        }));
        assert_eq!(
            found,
            [
                "unknown field `variant`; did you mean `profile`?",
                "unknown return field `sumary`; did you mean `summary`?",
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
