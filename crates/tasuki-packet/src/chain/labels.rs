//! Labels must be preserved: classification, regulations, and the gates that a packet names.
//!
//! A packet that passes work on may add labels. Dropping one would bypass the gates and rules of
//! the project that depend on it.

use crate::leaf::class_of;
use crate::packet::Packet;
use crate::policy::gate::{classification, regulations, sign_off_gates};
use crate::violation::{Code, Violation, shorten};

/// Classification tiers by scheme, from lowest to highest. Tiers of different schemes are not
/// compared.
const SCHEMES: [&[&str]; 2] = [
    &["PUBLIC", "INTERNAL", "CONFIDENTIAL", "RESTRICTED"],
    &["PUBLIC", "OFFICIAL", "OFFICIAL-SENSITIVE", "SECRET", "TOP SECRET"],
];

/// Returns the labels of the parent that the child has lowered or dropped.
pub(super) fn lowered(parent: &Packet, child: &Packet) -> Vec<Violation> {
    let marking = classification(parent);
    let is_kept = |owed: &&str| classification(child).is_some_and(|own| is_at_least(own, owed));
    let mut violations: Vec<Violation> = marking
        .filter(|owed| !is_kept(owed))
        .map(|owed| dropped("classification", owed.to_owned(), "or use a higher classification"))
        .into_iter()
        .collect();
    let carried = regulations(child);
    let is_carried = |owed: &(&str, &str)| carried.iter().any(|one| covers(*one, *owed));
    let owed = regulations(parent).into_iter().filter(|owed| !is_carried(owed));
    violations.extend(owed.map(|(scheme, place)| {
        dropped(
            "regulation_refs",
            format!("{scheme} {place}").trim().to_owned(),
            "exactly as written",
        )
    }));
    let carried = sign_off_gates(child);
    let owed = sign_off_gates(parent).into_iter().filter(|gate| !carried.contains(gate));
    violations.extend(owed.map(|gate| dropped("sign_off_gates", gate.to_owned(), "by its name")));
    violations
}

/// Returns `true` if a classification equals another one, possibly with markings, or is of a higher
/// tier.
fn is_at_least(own: &str, owed: &str) -> bool {
    let (own, owed) = (own.trim(), owed.trim());
    let says_the_same = own.split_at_checked(owed.len()).is_some_and(|(start, rest)| {
        start.eq_ignore_ascii_case(owed) && (rest.is_empty() || rest.starts_with(' '))
    });
    says_the_same || is_higher(own, owed)
}

fn is_higher(own: &str, owed: &str) -> bool {
    let rank = |scheme: &[&str], marking: &str| {
        let tier = class_of(&marking.to_uppercase())?;
        scheme.iter().position(|one| *one == tier)
    };
    SCHEMES.iter().any(|scheme| {
        rank(scheme, own).zip(rank(scheme, owed)).is_some_and(|(own, owed)| own > owed)
    })
}

/// Returns `true` if a regulation reference includes another one. A scheme without a clause
/// includes all of its clauses.
fn covers((scheme, place): (&str, &str), (owed, clause): (&str, &str)) -> bool {
    let is_clause = place.is_empty() || place.eq_ignore_ascii_case(clause);
    scheme.eq_ignore_ascii_case(owed) && is_clause
}

fn dropped(name: &str, entry: String, how: &str) -> Violation {
    let shown = shorten::text(&entry);
    let message = format!("`{name}` drops `{shown}` of the previous packet");
    Violation::new(Code::OwedDropped, format!("/{name}"), message)
        .allowed(entry)
        .hint(format!("add it, {how}; a handoff cannot lower the labels of the work"))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[track_caller]
    fn check(name: &str, parent: &Value, child: &Value, is_lowered: bool) {
        let packet = |value: &Value| Packet::from_value(json!({ name: value })).unwrap();
        let found = lowered(&packet(parent), &packet(child));
        assert_eq!(!found.is_empty(), is_lowered, "{parent} {child}");
        assert!(found.iter().all(|one| one.pointer == format!("/{name}")));
    }

    #[test]
    fn a_marking_stays_or_is_raised() {
        let check = |parent: Value, child: Value, is_lowered| {
            check("classification", &parent, &child, is_lowered);
        };
        let sensitive = json!({"tier": "OFFICIAL", "sensitive": true});
        check(json!("SECRET"), json!("SECRET"), false);
        check(json!("SECRET"), json!("secret UK EYES ONLY"), false);
        check(json!("SECRET UK EYES ONLY"), json!("SECRET"), true);
        check(json!("SECRET"), json!("TOP SECRET"), false);
        check(json!("SECRET"), json!("OFFICIAL"), true);
        check(json!("SECRET"), json!(null), true);
        check(json!("OFFICIAL-SENSITIVE"), sensitive.clone(), false);
        check(sensitive.clone(), json!("OFFICIAL"), true);
        check(json!("OFFICIAL"), sensitive, false);
        check(json!("INTERNAL"), json!("RESTRICTED"), false);
        check(json!("RESTRICTED"), json!("OFFICIAL"), true);
        check(json!("house rule 7"), json!("house rule 7"), false);
        check(json!("house rule 7"), json!("TOP SECRET"), true);
        check(json!(null), json!("PUBLIC"), false);
    }

    #[test]
    fn regulations_and_gates_of_a_packet_are_preserved() {
        let clause = json!([{"scheme": "UK-DCB0129", "ref": "4.2"}]);
        let check = |name: &str, parent: &Value, child: Value, is_lowered| {
            check(name, parent, &child, is_lowered);
        };
        check("regulation_refs", &clause, clause.clone(), false);
        check("regulation_refs", &clause, json!(["uk-dcb0129", "DTAC"]), false);
        check("regulation_refs", &clause, json!([{"scheme": "UK-DCB0129", "ref": "9"}]), true);
        check("regulation_refs", &json!(["UK-DCB0129"]), clause, true);
        check("regulation_refs", &json!(["UK-DCB0129"]), json!([]), true);
        let gates = json!([{"gate": "release"}]);
        check("sign_off_gates", &gates, json!(["other", "release"]), false);
        check("sign_off_gates", &gates, json!(["other"]), true);
    }

    #[test]
    fn the_violation_has_a_hint() {
        let [parent, child] = [json!({"classification": "SECRET"}), json!({})]
            .map(|value| Packet::from_value(value).unwrap());
        let violation = lowered(&parent, &child).remove(0);
        insta::assert_snapshot!(violation, @"TK-OWED-DROPPED: `classification` drops `SECRET` of the previous packet");
        insta::assert_snapshot!(violation.hint.unwrap(), @"add it, or use a higher classification; a handoff cannot lower the labels of the work");
    }
}
