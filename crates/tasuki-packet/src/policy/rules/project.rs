//! The variants that the rules of a project choose for a packet, before an exchange has it.
//!
//! Edge, classification, trigger and risk are taken from the packet itself. An exchange knows more:
//! the authors behind the sender, the members of a role, and gates that apply without being named.

use std::fmt;

use super::compiled::{CompiledRules, RuleVariant};
use crate::policy::contract::Contract;
use crate::policy::gate::{GateContext, classification, regulations, sign_off_gates};
use crate::policy::risk::{Risk, risk};
use crate::policy::trigger::TriggerKind;
use crate::{Kind, Packet};

/// The rules of a project and its roles.
#[derive(Clone, Copy)]
pub struct ProjectRules<'r> {
    /// The rules.
    pub rules: &'r CompiledRules,
    /// Returns `true` for a party and a role, including the `role:` prefix, if the party is a
    /// member.
    pub is_member: &'r (dyn Fn(&str, &str) -> bool + Sync),
}

impl ProjectRules<'_> {
    /// Returns the variants that the rules choose for a packet, in document order. Only handoffs
    /// have rules.
    pub fn variants(&self, packet: &Packet, contract: Option<&Contract>) -> Vec<RuleVariant> {
        if packet.kind() != Kind::Handoff {
            return Vec::new();
        }
        let regulations = regulations(packet);
        let trigger = TriggerKind::of(packet);
        let to = packet.text("to_agent").or_else(|| packet.text("target_agent"));
        let context = GateContext {
            classification: classification(packet),
            regulations: &regulations,
            trigger: trigger.map(TriggerKind::as_str),
            from: packet.text("from_agent").unwrap_or_default(),
            to: to.unwrap_or_default(),
        };
        let risk = stated_risk(packet, contract);
        self.rules.variants_of(&self.rules.found_in(packet), &context, risk, self.is_member)
    }
}

impl fmt::Debug for ProjectRules<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("ProjectRules").field("rules", self.rules).finish_non_exhaustive()
    }
}

fn stated_risk(packet: &Packet, contract: Option<&Contract>) -> Risk {
    let has_gate = !sign_off_gates(packet).is_empty()
        || contract.is_some_and(|contract| !contract.gates.is_empty());
    risk(
        TriggerKind::of(packet),
        has_gate,
        classification(packet),
        packet.number("confidence"),
        contract.and_then(|contract| contract.risk),
    )
}
