//! Checks that the terms of a contract are consistent with each other.

use super::document::{Contract, Destination, FallbackReason, Park, Rung, Verifier};
use crate::{Code, Violation};

/// Checks that parked work has a destination if it does not stay with its party.
pub(super) fn park(contract: &Contract) -> Option<Violation> {
    // A missing ladder is reported elsewhere.
    let rungs = contract.fallback.as_deref()?;
    let is_for_it = |rung: &Rung| rung.on.is_none_or(|on| on == FallbackReason::Parked);
    let takes_parked_work = |rung: &Rung| is_for_it(rung) && rung.to != Destination::DeadLetter;
    if contract.park == Park::Same || rungs.iter().any(takes_parked_work) {
        return None;
    }
    let message = "`park: other` has no rung for parked work";
    let violation = Violation::new(Code::ContractPark, "/park", message).found("other");
    let hint =
        "add a rung without `on` or with `on: parked` before the dead letter, or use `park: same`";
    Some(violation.hint(hint))
}

/// Checks that automatic verification has a requirement to evaluate.
pub(super) fn automatic(contract: &Contract) -> Option<Violation> {
    let returns = &contract.returns;
    let has_check = !returns.require.is_empty() || returns.schema.is_some();
    if contract.verify != Verifier::Automatic || has_check {
        return None;
    }
    let message = "`verify: automatic` has nothing to check, so every return would be done";
    let violation = Violation::new(Code::ContractUnchecked, "/verify", message).found("automatic");
    Some(violation.hint("add `require` or `schema` to `returns`"))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::policy::contract::read::tests::incident_contract;

    fn contract(changes: &[(&str, Value)]) -> Contract {
        let mut document = incident_contract();
        for (name, value) in changes {
            document[*name] = value.clone();
        }
        Contract::read(&document).unwrap()
    }

    #[test]
    fn parked_work_that_moves_on_needs_a_rung() {
        let check = |how: &str, ladder: Value, expected: bool| {
            let contract = contract(&[("park", json!(how)), ("fallback", ladder.clone())]);
            assert_eq!(park(&contract).is_some(), expected, "{how} {ladder}");
        };
        check("other", json!([{"to": "dead_letter"}]), true);
        check("other", json!([{"to": "ana", "on": "declined"}, {"to": "dead_letter"}]), true);
        check("other", json!([{"to": "ana"}, {"to": "dead_letter"}]), false);
        check("same", json!([{"to": "dead_letter"}]), false);
    }

    #[test]
    fn an_automatic_verdict_needs_something_to_check() {
        let check = |how: &str, returns: Value, expected: bool| {
            let contract = contract(&[("verify", json!(how)), ("returns", returns.clone())]);
            assert_eq!(automatic(&contract).is_some(), expected, "{how} {returns}");
        };
        check("automatic", json!({}), true);
        check("automatic", json!({"require": []}), true);
        check("automatic", json!({"require": ["status"]}), false);
        check("automatic", json!({"schema": {"type": "object"}}), false);
        check("sender", json!({}), false);
    }
}
