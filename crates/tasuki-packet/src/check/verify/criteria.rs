//! Checks that `verification` has a result for every acceptance criterion.

use serde_json::Value;

use super::verdict::{CriterionCheck, CriterionResult};
use crate::document::{Members, member, pointer};
use crate::packet::{Item, Packet};
use crate::violation::{Code, Violation, shorten};

/// Returns one check per criterion, and adds criteria that did not pass to `missing`.
pub(super) fn check(
    handoff: &Packet,
    return_packet: &Packet,
    missing: &mut Vec<Violation>,
    notes: &mut Vec<String>,
) -> Vec<CriterionCheck> {
    let mut checks = criteria(handoff);
    let mut is_prose = false;
    for (index, entry) in return_packet.list("verification").iter().enumerate() {
        match entry {
            Value::Object(entry) => missing.extend(enter(entry, index, &mut checks)),
            Value::String(_) => is_prose = true,
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => {}
        }
    }
    is_prose |= return_packet.text("verification").is_some();
    for check in &mut checks {
        missing.extend(violation(check, is_prose));
        if is_prose && check.result == CriterionResult::Absent {
            check.result = CriterionResult::NotRun;
        }
    }
    if is_prose && !checks.is_empty() {
        notes.push("`verification` contains plain text, which is not evaluated".to_owned());
    }
    let unproven = |check: &&CriterionCheck| {
        check.result == CriterionResult::Pass && check.evidence.is_empty()
    };
    notes.extend(
        checks
            .iter()
            .filter(unproven)
            .map(|check| format!("criterion `{}` passed without evidence", check.label())),
    );
    checks
}

fn criteria(handoff: &Packet) -> Vec<CriterionCheck> {
    let listed = handoff.list("acceptance").iter().enumerate();
    let criterion = |(index, value)| {
        let item = Item::of(value)?;
        Some(CriterionCheck {
            index,
            id: item.member("id").map(str::to_owned),
            text: item.text.to_owned(),
            result: CriterionResult::Absent,
            evidence: Vec::new(),
        })
    };
    listed.filter_map(criterion).collect()
}

/// Records one entry of `verification` for the criterion it names.
fn enter(entry: &Members, index: usize, checks: &mut [CriterionCheck]) -> Option<Violation> {
    let result = result_of(entry);
    let Some(named) = member(entry, "criterion").and_then(|named| find(named, checks)) else {
        return unknown(entry, index, result, checks);
    };
    let check = &mut checks[named];
    // If a criterion has two results, the worse one counts.
    check.result = match check.result {
        CriterionResult::Absent => result,
        known @ (CriterionResult::Pass | CriterionResult::NotRun | CriterionResult::Fail) => {
            known.max(result)
        }
    };
    check.evidence.extend(evidence(member(entry, "evidence")));
    None
}

/// Finds a criterion by its id, its exact text or its index from 0, in this order.
fn find(named: &Value, checks: &[CriterionCheck]) -> Option<usize> {
    let at_index = |index: usize| checks.iter().position(|check| check.index == index);
    if let Some(name) = named.as_str().map(str::trim) {
        let by_id = checks.iter().position(|check| check.id.as_deref() == Some(name));
        let by_text = || checks.iter().position(|check| check.text.trim() == name);
        return by_id.or_else(by_text).or_else(|| at_index(name.parse().ok()?));
    }
    at_index(usize::try_from(named.as_u64()?).ok()?)
}

fn result_of(entry: &Members) -> CriterionResult {
    match member(entry, "result").and_then(Value::as_str) {
        Some("pass") => CriterionResult::Pass,
        Some("fail") => CriterionResult::Fail,
        _ => CriterionResult::NotRun,
    }
}

fn evidence(value: Option<&Value>) -> Vec<String> {
    match value {
        Some(Value::String(text)) => vec![text.clone()],
        Some(Value::Array(texts)) => {
            texts.iter().filter_map(Item::of).map(|item| item.text.to_owned()).collect()
        }
        _ => Vec::new(),
    }
}

fn unknown(
    entry: &Members,
    index: usize,
    result: CriterionResult,
    checks: &[CriterionCheck],
) -> Option<Violation> {
    let pointer = pointer::join("/verification", &index.to_string());
    let named = match entry.get("criterion") {
        Some(Value::String(name)) => name.clone(),
        Some(other) => other.to_string(),
        None => "nothing".to_owned(),
    };
    // Without criteria in the handoff, the receiver may name its own, but a failure still counts.
    if checks.is_empty() {
        return (result == CriterionResult::Fail).then(|| {
            let message = format!("check `{named}` of the return failed");
            Violation::new(Code::ReturnFailed, pointer, message)
                .hint("fix it and run the check again")
        });
    }
    let named = shorten::text(&named);
    let labels = checks.iter().map(|check| shorten::text(check.label()));
    let message = format!("unknown criterion `{named}` in `verification`");
    Some(
        Violation::new(Code::ReturnUnknown, pointer::join(&pointer, "criterion"), message)
            .found(named)
            .allowed(shorten::list(labels))
            .hint("refer to a criterion by its id, its exact text or its index from 0"),
    )
}

fn violation(check: &CriterionCheck, is_prose: bool) -> Option<Violation> {
    let label = check.label();
    let (code, message, hint) = match check.result {
        CriterionResult::Pass => return None,
        CriterionResult::Fail => (
            Code::ReturnFailed,
            format!("criterion `{label}` failed"),
            "fix it and run the check again",
        ),
        CriterionResult::NotRun => (
            Code::ReturnFailed,
            format!("criterion `{label}` was not run"),
            "run it, or state in `blockers` why it cannot be run",
        ),
        CriterionResult::Absent if is_prose => (
            Code::ReturnCriterion,
            format!("criterion `{label}` has a text but no structured result"),
            "write `verification` as entries with `criterion`, `result` and `evidence`",
        ),
        CriterionResult::Absent => (
            Code::ReturnCriterion,
            format!("no result for criterion `{label}`"),
            "add an entry with `criterion`, `result` and `evidence` to `verification`",
        ),
    };
    Some(Violation::new(code, "/verification", message).hint(hint))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check_with(acceptance: &Value, verification: &Value) -> (Vec<String>, Vec<String>) {
        let handoff = Packet::from_value(json!({"acceptance": acceptance})).unwrap();
        let answer = Packet::from_value(json!({"verification": verification})).unwrap();
        let (mut missing, mut notes) = (Vec::new(), Vec::new());
        let checks = check(&handoff, &answer, &mut missing, &mut notes);
        let results = checks.iter().map(|check| check.result.as_str().to_owned()).collect();
        let codes = missing.iter().map(|v| format!("{} {}", v.code, v.pointer)).collect();
        (results, codes)
    }

    fn results(acceptance: &Value, verification: &Value) -> String {
        check_with(acceptance, verification).0.join(" ")
    }

    fn acceptance() -> Value {
        json!([{"id": "tests", "text": "npm test passes"}, "Bundle is below 300 kB"])
    }

    #[test]
    fn a_criterion_is_named_by_id_text_or_index() {
        for (first, second) in [
            (json!("tests"), json!("Bundle is below 300 kB")),
            (json!("npm test passes"), json!(1)),
            (json!(0), json!("1")),
        ] {
            let verification = json!([
                {"criterion": first, "result": "pass"}, {"criterion": second, "result": "pass"},
            ]);
            assert_eq!(results(&acceptance(), &verification), "pass pass");
        }
    }

    #[test]
    fn an_id_takes_precedence_over_an_index() {
        let acceptance = json!(["first", {"id": "0", "text": "second"}]);
        assert_eq!(
            results(&acceptance, &json!([{"criterion": "0", "result": "pass"}])),
            "absent pass"
        );
    }

    #[test]
    fn every_criterion_that_did_not_pass_is_reported() {
        let (results, codes) = check_with(
            &json!(["a", "b", "c", "d"]),
            &json!([{"criterion": 0, "result": "fail"}, {"criterion": 1, "result": "not_run"},
                {"criterion": 2, "result": "passed"}]),
        );
        assert_eq!(results, ["fail", "not_run", "not_run", "absent"]);
        assert_eq!(
            codes,
            [
                "TK-RETURN-FAILED /verification",
                "TK-RETURN-FAILED /verification",
                "TK-RETURN-FAILED /verification",
                "TK-RETURN-CRITERION /verification",
            ]
        );
    }

    #[test]
    fn of_two_results_the_worse_one_counts() {
        let verification =
            json!([{"criterion": 0, "result": "fail"}, {"criterion": "a", "result": "pass"}]);
        assert_eq!(results(&json!(["a"]), &verification), "fail");
    }

    #[test]
    fn plain_text_is_not_evaluated() {
        let (results, codes) = check_with(&json!(["a"]), &json!(["a: it passed, trust me"]));
        assert_eq!(results, ["not_run"]);
        assert_eq!(codes, ["TK-RETURN-CRITERION /verification"]);
    }

    #[test]
    fn many_unknown_criteria_do_not_inflate_the_report() {
        let tail = "x".repeat(500);
        let names = |start: &str| -> Vec<String> {
            (0..500).map(|number| format!("{start} {number} {tail}")).collect()
        };
        let entry = |name: String| json!({"criterion": name, "result": "pass"});
        let handoff = json!({"acceptance": names("asked")});
        let answer =
            json!({"verification": names("other").into_iter().map(entry).collect::<Vec<_>>()});
        let packet = |value| Packet::from_value(value).unwrap();
        let (mut missing, mut notes) = (Vec::new(), Vec::new());
        check(&packet(handoff), &packet(answer), &mut missing, &mut notes);
        let allowed = missing.iter().filter_map(|violation| violation.allowed.as_ref());
        assert!(allowed.map(String::len).all(|length| length < 2_000));
    }

    #[test]
    fn an_unknown_criterion_is_reported_if_the_handoff_has_criteria() {
        let extra = json!([{"criterion": "lint", "result": "pass"}]);
        assert_eq!(
            check_with(&json!(["a"]), &extra).1,
            ["TK-RETURN-UNKNOWN /verification/0/criterion", "TK-RETURN-CRITERION /verification"]
        );
        assert_eq!(check_with(&json!([]), &extra).1, Vec::<String>::new());
        let failed = json!([{"criterion": "lint", "result": "fail"}]);
        assert_eq!(check_with(&json!([]), &failed).1, ["TK-RETURN-FAILED /verification/0"]);
    }
}
