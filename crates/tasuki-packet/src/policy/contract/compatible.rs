//! Finds the changes in a new version of a contract that break parties using an older one.
//!
//! Within a major version a contract only adds: valid packets stay valid. A changed payload is not
//! a breaking change if the new version converts the old one (`convert_from`). A conversion covers
//! the locations that its operations touch.

use serde_json::Value;

use super::apply::CompiledContract;
use super::document::{Confidence, Contract, Park, Reapproval};
use super::schema::CompiledSchema;
use super::schema::narrowing::{Narrowing, narrowings};
use crate::document::pointer;
use crate::policy::name::PartyName;
use crate::policy::trigger::{Effect, TriggerKind};
use crate::{Code, Violation};

/// Returns everything in `new` that breaks what `old` allowed, as violations of `new`.
///
/// Version numbers are ignored, so the function also lists the changes between two major versions.
///
/// ```
/// use serde_json::json;
/// use tasuki_packet::policy::contract::{CompiledContract, Contract, breaking};
///
/// let contract = |version: &str, from: &[&str]| {
///     let document =
///         json!({"contract": "review", "version": version, "from": from, "to": ["role:reviewer"]});
///     CompiledContract::new(&Contract::read(&document).unwrap(), &()).unwrap()
/// };
/// let found = breaking(&contract("1.0", &["coder", "tester"]), &contract("1.1", &["coder"]));
/// assert_eq!(found[0].message, "`tester` is no longer allowed to send");
/// ```
pub fn breaking(old: &CompiledContract, new: &CompiledContract) -> Vec<Violation> {
    let mut found = terms(old.contract(), new.contract());
    // A changed name is reported by `terms`.
    let is_same_name = old.contract().profile == new.contract().profile;
    if is_same_name && old.profile_document != new.profile_document {
        found.push(broken("/profile", "packets must satisfy a changed variant file"));
    }
    found.extend(schemas(old, new));
    found
}

/// Returns the breaking changes outside the schemas.
pub(super) fn terms(old: &Contract, new: &Contract) -> Vec<Violation> {
    let mut found = Vec::new();
    found.extend(removed_parties("from", &old.from, &new.from));
    found.extend(removed_parties("to", &old.to, &new.to));
    found.extend(confidence(old.confidence, new.confidence));
    let provenance = |contract: &Contract| contract.provenance.clone().map(|part| part.require);
    found.extend(added("/provenance/require", provenance(old), provenance(new)));
    let forbidden = |contract: &Contract| contract.scope.clone().map(|scope| scope.forbid);
    found.extend(added("/scope/forbid", forbidden(old), forbidden(new)));
    let returned = |contract: &Contract| Some(contract.returns.require.clone());
    found.extend(added("/returns/require", returned(old), returned(new)));
    if old.returns.allowed && !new.returns.allowed {
        found.push(broken("/returns/allowed", "the receiver can no longer hand work back"));
    }
    if new.profile.is_some() && old.profile != new.profile {
        let [old, new] = [&old.profile, &new.profile].map(|p| p.as_deref().unwrap_or("none"));
        let violation = broken("/profile", "packets must satisfy a different profile");
        found.push(violation.found(new).allowed(old));
    }
    found.extend(triggers(old, new));
    if old.park == Park::Same && new.park == Park::Other {
        found.push(broken("/park", "parked work no longer stays with the party that parked it"));
    }
    if old.reapproval == Reapproval::None && new.reapproval == Reapproval::Changed {
        found.push(broken("/reapproval", "a changed packet now waits for a person again"));
    }
    if new.verify > old.verify {
        let violation = broken("/verify", "a return now needs a verdict");
        found.push(violation.found(new.verify.as_str()).allowed(old.verify.as_str()));
    }
    found
}

/// Returns the triggers that now require more. An unlisted trigger has its default effect.
fn triggers(old: &Contract, new: &Contract) -> Vec<Violation> {
    let changed = TriggerKind::ALL.iter().filter_map(|kind| {
        let (old, new) = (old.effect_of(*kind), new.effect_of(*kind));
        (strictness(new) > strictness(old)).then_some((kind, old, new))
    });
    changed
        .map(|(kind, old, new)| {
            let place = pointer::join("/triggers", kind.as_str());
            let what =
                if new == Effect::Hold { "holds the handoff" } else { "requires verification" };
            broken(&place, &format!("the trigger `{kind}` now {what}"))
                .found(new.as_str())
                .allowed(old.as_str())
        })
        .collect()
}

/// Ranks an effect by its cost: none, a verdict, a decision.
fn strictness(effect: Effect) -> u8 {
    match effect {
        Effect::Offer | Effect::Continue => 0,
        Effect::Verify => 1,
        Effect::Hold => 2,
    }
}

/// Returns the breaking changes of payloads and returns.
pub(super) fn schemas(old: &CompiledContract, new: &CompiledContract) -> Vec<Violation> {
    let operations = new.contract().convert_from.get(&old.contract().version);
    let operations = operations.map_or(&[][..], Vec::as_slice);
    let payload = narrowed(old.payload.as_ref(), new.payload.as_ref(), operations).into_iter();
    let payload = payload.map(|narrowing| describe("/payload_schema", "payload", narrowing));
    let returns = narrowed(old.returns.as_ref(), new.returns.as_ref(), &[]).into_iter();
    let returns = returns.map(|narrowing| describe("/returns/schema", "return payload", narrowing));
    payload.chain(returns).collect()
}

fn narrowed(
    old: Option<&CompiledSchema>,
    new: Option<&CompiledSchema>,
    operations: &[Value],
) -> Vec<Narrowing> {
    let Some(new) = new else { return Vec::new() };
    let old = old.map_or(&Value::Bool(true), |old| &old.value);
    narrowings(old, &new.value, &|place| is_converted(place, operations))
}

/// Returns `true` if an operation writes, moves or removes this location or one above it.
fn is_converted(place: &str, operations: &[Value]) -> bool {
    let touched = operations.iter().flat_map(|operation| {
        let is_test = operation.get("op").is_some_and(|op| op == "test");
        let is_copy = operation.get("op").is_some_and(|op| op == "copy");
        let path = operation.get("path").filter(|_| !is_test);
        let from = operation.get("from").filter(|_| !is_copy);
        path.into_iter().chain(from).filter_map(Value::as_str)
    });
    touched.into_iter().any(|path| {
        place.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    })
}

fn describe(part: &str, document: &str, narrowing: Narrowing) -> Violation {
    let place = match narrowing.place.as_str() {
        "" => format!("the {document}"),
        place => format!("`{place}` of the {document}"),
    };
    let violation = broken(part, &format!("{place}: {}", narrowing.what));
    Violation { found: narrowing.new, allowed: narrowing.old, ..violation }
}

fn removed_parties(side: &str, old: &[PartyName], new: &[PartyName]) -> Vec<Violation> {
    let removed = old.iter().filter(|party| !new.contains(party));
    let verb = if side == "from" { "send" } else { "receive" };
    removed
        .map(|party| {
            broken(&format!("/{side}"), &format!("`{party}` is no longer allowed to {verb}"))
        })
        .collect()
}

fn confidence(old: Option<Confidence>, new: Option<Confidence>) -> Vec<Violation> {
    let none = Confidence { required: false, auto_progress_at: None, hold_below: None };
    // An absent part had no requirements.
    let (old, new) = (old.unwrap_or(none), new.unwrap_or(none));
    let mut found = Vec::new();
    if new.required && !old.required {
        found.push(broken("/confidence/required", "`confidence` is now required"));
    }
    // Without limits nothing is held and nothing progresses automatically.
    let limits = [
        ("hold_below", old.hold_below.unwrap_or(0.0), new.hold_below.unwrap_or(0.0)),
        ("auto_progress_at", limit_or_never(old), limit_or_never(new)),
    ];
    for (name, old_limit, new_limit) in limits {
        if new_limit > old_limit {
            let violation =
                broken(&pointer::join("/confidence", name), &format!("`{name}` is higher"));
            found.push(violation.found(limit_text(new_limit)).allowed(limit_text(old_limit)));
        }
    }
    found
}

fn limit_or_never(confidence: Confidence) -> f64 {
    confidence.auto_progress_at.unwrap_or(f64::INFINITY)
}

fn limit_text(limit: f64) -> String {
    if limit.is_finite() { limit.to_string() } else { "never".to_owned() }
}

fn added(place: &str, old: Option<Vec<String>>, new: Option<Vec<String>>) -> Vec<Violation> {
    let (old, new) = (old.unwrap_or_default(), new.unwrap_or_default());
    let added = new.iter().enumerate().filter(|(_, name)| !old.contains(name));
    added
        .map(|(index, name)| {
            let place = pointer::join(place, &index.to_string());
            let what = if place.starts_with("/scope") { "forbidden" } else { "required" };
            broken(&place, &format!("`{name}` is now {what}"))
        })
        .collect()
}

fn broken(place: &str, message: &str) -> Violation {
    Violation::new(Code::ContractBreaking, place, message)
        .hint("publish a new major version, or add `convert_from` for the payload")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::policy::contract::read::tests::incident_contract;
    use crate::policy::contract::shipped::shipped_schemas;

    fn compiled(document: &Value) -> CompiledContract {
        CompiledContract::new(&Contract::read(document).unwrap(), &shipped_schemas()).unwrap()
    }

    /// Compares the incident contract with itself after putting `value` at `place`.
    #[track_caller]
    fn check(place: &str, value: Value, forwards: &str, backwards: &str) {
        let before = incident_contract();
        let mut after = incident_contract();
        let (parent, name) = place.rsplit_once('/').unwrap();
        after.pointer_mut(parent).unwrap()[name] = value;
        let listed = |old, new| {
            let found = breaking(&compiled(old), &compiled(new));
            let lines: Vec<_> =
                found.iter().map(|v| format!("{} {}", v.pointer, v.message)).collect();
            lines.join("\n")
        };
        assert_eq!(listed(&before, &after), forwards, "forwards");
        assert_eq!(listed(&after, &before), backwards, "backwards");
    }

    #[test]
    fn parties_may_be_added_but_not_removed() {
        check("/from", json!(["correlator", "b"]), "", "/from `b` is no longer allowed to send");
        check(
            "/to",
            json!(["role:other"]),
            "/to `role:investigator` is no longer allowed to receive",
            "/to `role:other` is no longer allowed to receive",
        );
    }

    #[test]
    fn confidence_limits_may_fall_but_not_rise() {
        check(
            "/confidence/hold_below",
            json!(0.5),
            "",
            "/confidence/hold_below `hold_below` is higher",
        );
        check(
            "/confidence",
            json!({"auto_progress_at": 0.9}),
            "/confidence/auto_progress_at `auto_progress_at` is higher",
            "/confidence/required `confidence` is now required\n\
             /confidence/hold_below `hold_below` is higher",
        );
        check(
            "/confidence",
            json!({"required": true, "hold_below": 0.7}),
            "/confidence/auto_progress_at `auto_progress_at` is higher",
            "",
        );
    }

    #[test]
    fn demands_may_be_dropped_but_not_added() {
        check(
            "/provenance/require",
            json!(["inputs", "sources", "tools", "model"]),
            "/provenance/require/3 `model` is now required",
            "",
        );
        check(
            "/scope/forbid",
            json!([]),
            "",
            "/scope/forbid/0 `remediation` is now forbidden\n\
             /scope/forbid/1 `/time_window/end` is now forbidden",
        );
        check(
            "/returns",
            json!({"allowed": false, "require": ["status", "verification", "blockers"],
                   "schema": {"$ref": "schemas/finding.schema.json"}}),
            "/returns/require/2 `blockers` is now required\n\
             /returns/allowed the receiver can no longer hand work back",
            "",
        );
        check(
            "/profile",
            json!("regulated"),
            "/profile packets must satisfy a different profile",
            "/profile packets must satisfy a different profile",
        );
    }

    #[test]
    fn a_trigger_may_require_less_but_not_more() {
        check(
            "/triggers",
            json!({"manual": "hold", "session_ended": "verify", "stuck": "offer"}),
            "/triggers/session_ended the trigger `session_ended` now requires verification\n\
             /triggers/manual the trigger `manual` now holds the handoff",
            "/triggers/stuck the trigger `stuck` now holds the handoff",
        );
        check("/triggers", json!({"manual": "continue", "error": "hold"}), "", "");
    }

    #[test]
    fn parked_work_may_start_to_stay_but_not_start_to_move() {
        let left = "/park parked work no longer stays with the party that parked it";
        check("/park", json!("other"), left, "");
    }

    #[test]
    fn reapproval_may_be_dropped_but_not_added() {
        let added = "/reapproval a changed packet now waits for a person again";
        check("/reapproval", json!("none"), "", added);
    }

    #[test]
    fn a_verdict_may_be_dropped_but_not_added() {
        let added = "/verify a return now needs a verdict";
        check("/verify", json!("automatic"), "", added);
        check("/verify", json!("person"), added, "");
    }

    #[test]
    fn a_payload_may_gain_members_but_not_lose_them() {
        let schema = |value: Value| {
            let mut document = incident_contract();
            document["payload_schema"] = value;
            compiled(&document)
        };
        let old = schema(json!({"properties": {"a": {}}, "additionalProperties": false}));
        let new = schema(json!({"properties": {"a": {}, "b": {}}, "additionalProperties": false}));
        assert_eq!(breaking(&old, &new), []);
        let found = breaking(&new, &old);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].pointer, "/payload_schema");
        assert_eq!(found[0].message, "`/b` of the payload: no longer described");
    }

    #[test]
    fn a_conversion_covers_the_locations_it_touches() {
        let contract = |version: &str, name: &str, required: &[&str], convert: Value| {
            let mut document = incident_contract();
            document["version"] = json!(version);
            document["payload_schema"] = json!({"properties": {name: {}}, "required": required});
            document["convert_from"] = convert;
            compiled(&document)
        };
        let old = contract("1.0", "hypothesis", &["hypothesis"], json!({}));
        let rename = json!({
            "1.0": [{"op": "move", "from": "/hypothesis", "path": "/primary_hypothesis"}]
        });
        let new = ["primary_hypothesis"];
        assert_eq!(breaking(&old, &contract("1.1", new[0], &new, rename.clone())), []);
        assert_eq!(breaking(&old, &contract("1.1", new[0], &new, json!({}))).len(), 2);
        let more = ["primary_hypothesis", "services"];
        let found = breaking(&old, &contract("1.1", new[0], &more, rename));
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].message, "`/services` of the payload: now required");
    }

    #[test]
    fn a_copy_does_not_cover_its_source() {
        let copy = [json!({"op": "copy", "from": "/a", "path": "/b"})];
        assert!(is_converted("/b/c", &copy));
        assert!(!is_converted("/a", &copy));
        assert!(!is_converted("/bc", &copy));
    }
}
