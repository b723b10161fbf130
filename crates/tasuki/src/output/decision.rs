//! Formats decisions of people: `ana approved revision 1, 2 min ago, after 12 s, opened packet: "fine"`.

use tasuki_api::{DecisionStatement, DecisionSummary};

use super::escape::{escape, excerpt};

/// Formats a decision with everything that the person stated.
pub(crate) fn decision_line(decision: &DecisionSummary, when: &str) -> String {
    let DecisionSummary { by, reason, .. } = decision;
    let effort = effort(decision.seconds, &decision.opened);
    let reason = reason.as_ref().map(|reason| format!(": \"{}\"", escape(reason)));
    format!("{by} {}, {when}{effort}{}", what(decision), reason.unwrap_or_default())
}

/// Formats what a person stated in a decision: ` at release@1.0 as approved, after 41 s, opened packet`.
pub(crate) fn statement(stated: &DecisionStatement) -> String {
    let signature = signature(stated.gate.as_deref(), stated.meaning.as_deref());
    format!("{signature}{}", effort(stated.seconds, &stated.opened))
}

fn effort(seconds: Option<u64>, opened: &[String]) -> String {
    let seconds = seconds.map(|seconds| format!(", after {seconds} s")).unwrap_or_default();
    match opened {
        [] => seconds,
        parts => format!("{seconds}, opened {}", excerpt(&parts.join(" and "))),
    }
}

fn signature(gate: Option<&str>, meaning: Option<&str>) -> String {
    let gate = gate.map(|gate| format!(" at {}", excerpt(gate))).unwrap_or_default();
    let meaning = meaning.map(|word| format!(" as {}", excerpt(word))).unwrap_or_default();
    format!("{gate}{meaning}")
}

/// Returns what the person did: `signed revision 1 at release@1.0 as approved`.
fn what(decision: &DecisionSummary) -> String {
    let revision = decision.revision.map(|n| format!(" revision {n}")).unwrap_or_default();
    let signature = signature(decision.gate.as_deref(), decision.meaning.as_deref());
    match decision.decision.as_str() {
        "accept" => format!("approved{revision}"),
        "sign_off" => format!("signed{revision}{signature}"),
        "deny" => format!("refused to sign{revision}{signature}"),
        "reject" => format!("rejected{revision}"),
        "edit" => format!("edited{revision}"),
        "reroute" => format!("rerouted{revision}"),
        "intercept" => "took it over".to_owned(),
        "cancel" => "cancelled it".to_owned(),
        other => excerpt(other),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_decision_is_shown_with_everything_that_the_person_stated() {
        let line = |more: serde_json::Value| {
            let mut decision = json!({
                "id": "dec_1", "decision": "accept", "by": "ana", "at": "2026-01-01T00:00:00Z",
                "revision": 1,
            });
            for (name, value) in more.as_object().unwrap() {
                decision[name] = value.clone();
            }
            decision_line(&serde_json::from_value(decision).unwrap(), "2 min ago")
        };
        let signed = json!({
            "decision": "sign_off", "gate": "release@1.0", "meaning": "approved",
            "opened": ["packet", "evidence"], "seconds": 41, "reason": "as tested",
        });
        let lines = [
            line(json!({})),
            line(signed),
            line(json!({ "decision": "deny", "gate": "release@1.0", "reason": "no tests" })),
            line(json!({ "decision": "reject", "reason": "too\nearly" })),
        ];
        insta::assert_snapshot!(lines.join("\n"), @r#"
        ana approved revision 1, 2 min ago
        ana signed revision 1 at release@1.0 as approved, 2 min ago, after 41 s, opened packet and evidence: "as tested"
        ana refused to sign revision 1 at release@1.0, 2 min ago: "no tests"
        ana rejected revision 1, 2 min ago: "too↵early"
        "#);
    }
}
