//! Whether the ladder of a contract does what it says: it has an end, and every rung can be reached.

use super::document::{Destination, FallbackReason, Rung};
use crate::document::pointer;
use crate::{Code, Violation};

/// A ladder ends in the dead letter, for every reason, and goes on nowhere from there.
pub(super) fn ladder(rungs: &[Rung]) -> Vec<Violation> {
    let refuse = |index: usize, message: String| {
        let place = pointer::join("/fallback", &index.to_string());
        Violation::new(Code::ContractLadder, place, message)
            .hint("end the ladder with `{ to: dead_letter }`")
    };
    let Some((last, before)) = rungs.split_last() else {
        return vec![refuse(0, "the ladder has no rung".to_owned())];
    };
    let mut found: Vec<Violation> = rungs.iter().enumerate().filter_map(never).collect();
    for (index, _) in
        before.iter().enumerate().filter(|(_, rung)| rung.to == Destination::DeadLetter)
    {
        found.push(refuse(
            index,
            "a rung stands below the dead letter, and is never reached".to_owned(),
        ));
    }
    if last.to != Destination::DeadLetter {
        let message = format!("the last rung is `{}`, not the dead letter", last.to.as_str());
        found.push(refuse(before.len(), message));
    } else if let Some(reason) = last.on {
        let message = format!("the last rung is only for `{}`", reason.as_str());
        found.push(refuse(before.len(), message));
    }
    found
}

/// A rung for what is not valid is read, and nothing reaches it: that is refused before anybody has it.
fn never((index, rung): (usize, &Rung)) -> Option<Violation> {
    let place = format!("/fallback/{index}/on");
    let message = "the rung is for `invalid`, which never happens: what is not valid is refused";
    let words: Vec<&str> = FallbackReason::NAMES
        .iter()
        .filter_map(|(word, reason)| (*reason != FallbackReason::Invalid).then_some(*word))
        .collect();
    (rung.on == Some(FallbackReason::Invalid)).then(|| {
        Violation::new(Code::ContractLadder, place, message)
            .found("invalid")
            .allowed(format!("one of {}", words.join(", ")))
            .hint("take the rung out, or say what it is for; without `on` it is for every reason")
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
    fn a_rung_is_for_something_that_happens() {
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
