//! Checks that the fallback ladder of a contract has an end and that every rung is reachable.

use super::document::{Destination, FallbackReason, Rung};
use crate::document::pointer;
use crate::{Code, Violation};

/// Checks that a ladder ends in the dead letter queue for every reason, and has no rungs after it.
pub(super) fn ladder(rungs: &[Rung]) -> Vec<Violation> {
    let refuse = |index: usize, message: String| {
        let place = pointer::join("/fallback", &index.to_string());
        Violation::new(Code::ContractLadder, place, message)
            .hint("end the ladder with `{ to: dead_letter }`")
    };
    let Some((last, before)) = rungs.split_last() else {
        return vec![refuse(0, "the ladder has no rungs".to_owned())];
    };
    let mut found: Vec<Violation> = rungs.iter().enumerate().filter_map(never).collect();
    for (index, _) in
        before.iter().enumerate().filter(|(_, rung)| rung.to == Destination::DeadLetter)
    {
        found.push(refuse(index, "rungs after the dead letter are unreachable".to_owned()));
    }
    if last.to != Destination::DeadLetter {
        let message = format!("the last rung is `{}`, not `dead_letter`", last.to.as_str());
        found.push(refuse(before.len(), message));
    } else if let Some(reason) = last.on {
        let message = format!("the last rung applies only to `{}`", reason.as_str());
        found.push(refuse(before.len(), message));
    }
    found
}

/// Reports a rung for the reason `invalid`. Invalid packets and returns are refused before anyone
/// receives them, so the rung is unreachable.
fn never((index, rung): (usize, &Rung)) -> Option<Violation> {
    let place = format!("/fallback/{index}/on");
    let message = "the rung for `invalid` is unreachable: invalid packets are refused";
    let words: Vec<&str> = FallbackReason::NAMES
        .iter()
        .filter_map(|(word, reason)| (*reason != FallbackReason::Invalid).then_some(*word))
        .collect();
    (rung.on == Some(FallbackReason::Invalid)).then(|| {
        Violation::new(Code::ContractLadder, place, message)
            .found("invalid")
            .allowed(format!("one of {}", words.join(", ")))
            .hint("remove the rung, or change `on`; without `on` it applies to every reason")
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::policy::contract::Contract;
    use crate::policy::contract::read::tests::incident_contract;

    #[track_caller]
    fn check(rungs: &Value, expected: &[&str]) -> Vec<Violation> {
        let mut document = incident_contract();
        document["fallback"] = rungs.clone();
        let found = ladder(&Contract::read(&document).unwrap().fallback.unwrap());
        let places: Vec<&str> = found.iter().map(|one| one.pointer.as_str()).collect();
        assert_eq!(places, expected, "{rungs}");
        found
    }

    #[test]
    fn a_rung_for_an_impossible_reason_is_reported() {
        let end = json!({"to": "dead_letter"});
        let rung = |on: &str| json!({"to": "role:oncall", "on": on});
        for on in ["no_progress", "declined", "rejected", "expired", "lapsed", "parked"] {
            check(&json!([rung(on), end]), &[]);
        }
        let found = check(&json!([rung("lapsed"), rung("invalid"), end]), &["/fallback/1/on"]);
        let allowed = "one of no_progress, declined, rejected, expired, lapsed, parked";
        assert_eq!(found[0].allowed.as_deref(), Some(allowed));
        check(&json!([{"to": "dead_letter", "on": "invalid"}]), &["/fallback/0/on", "/fallback/0"]);
    }
}
