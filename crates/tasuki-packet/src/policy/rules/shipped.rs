//! Tests that read and use the gate and the rules shipped with the repository.

use serde_json::{Value, json};

use super::{CompiledRules, Rules};
use crate::Packet;
use crate::policy::gate::{Gate, GateContext, classification, regulations};
use crate::policy::risk::{Risk, risk};
use crate::policy::trigger::TriggerKind;
use crate::read::Source;

fn document(text: &str) -> Value {
    let source = Source::plain(text.as_bytes()).unwrap();
    source.read_plain().unwrap().to_value()
}

fn gate() -> Gate {
    Gate::read(&document(include_str!("../../../../../gates/clinical-release.yaml"))).unwrap()
}

fn rules() -> CompiledRules {
    let document = document(include_str!("../../../../../rules/default.yaml"));
    Rules::read(&document).unwrap().compile().unwrap()
}

/// Describes whether the gate applies to a packet, its risk, and the matching rules.
fn judged(packet: Value) -> String {
    let packet = Packet::from_value(packet).unwrap();
    let regulations = regulations(&packet);
    let trigger = TriggerKind::of(&packet);
    let context = GateContext {
        classification: classification(&packet),
        regulations: &regulations,
        trigger: trigger.map(TriggerKind::as_str),
        from: "coder",
        to: "role:ward",
    };
    let applies = gate().applies_to(&context, &|_, _| false);
    let stated = packet.number("confidence");
    let risk: Risk = risk(trigger, applies, context.classification, stated, None);
    let demands = rules().demands(&packet, &context, risk, &|_, _| false);
    let demands: Vec<_> = demands.iter().map(|d| format!("{} {}", d.rule, d.effect)).collect();
    format!("gate {applies}, risk {risk}: {}", demands.join(", "))
}

#[test]
fn the_shipped_gate_and_rules_judge_packets() {
    insta::assert_snapshot!(
        judged(json!({"goal": "Ship the web part", "confidence": 0.9})),
        @"gate false, risk low: "
    );
    insta::assert_snapshot!(
        judged(json!({"goal": "Dose check", "regulation_refs": ["UK-DCB0129 4.2"]})),
        @"gate true, risk high: anything-dear hold"
    );
    insta::assert_snapshot!(
        judged(json!({"classification": {"tier": "OFFICIAL", "sensitive": true},
                      "trigger": {"kind": "required_step"}, "summary": "patient record 7"})),
        @"gate true, risk high: health sensitive_topic, anything-dear hold"
    );
    insta::assert_snapshot!(
        judged(json!({"payload": {"to": "DE89 3704 0044 0532 0130 00"}})),
        @"gate false, risk low: money sensitive_topic"
    );
    insta::assert_snapshot!(
        judged(json!({"next_request": "then rm -rf build and DROP TABLE users"})),
        @"gate false, risk low: lasting-damage hold"
    );
    for deployment in
        ["Deploy checkout-api 2.4.1 to production", "helm upgrade checkout-api ./chart -n prod"]
    {
        assert_eq!(
            judged(json!({ "goal": deployment })),
            "gate false, risk low: production-deployment sensitive_topic"
        );
    }
    assert_eq!(judged(json!({"goal": "Deploy 2.4.1 to staging"})), "gate false, risk low: ");
    insta::assert_snapshot!(
        judged(json!({"classification": "TOP SECRET", "confidence": 0.6})),
        @"gate false, risk high: secret-papers hold, anything-dear hold"
    );
}

#[test]
fn the_shipped_gate_needs_three_persons() {
    assert_eq!(gate().approvals(), 3);
    assert_eq!(gate().identity().to_string(), "clinical-release@1.0");
}
