//! Messages outside of the exchange: the parts of a handoff that they may quote, and the handoffs
//! that a mailed code may decide about.
//!
//! A message leaves the exchange, so a gate or a classification above the limit of the project keeps
//! all packet text out of it. A mailed code proves only that the caller can read a mailbox. It
//! decides where the project allows it, and never about high risk, a gate, or text that a mail must
//! not quote: the person would decide about something that they cannot see.

use tasuki_packet::leaf::Authentication;
use tasuki_packet::policy::classification::Tier;

use crate::model::{Context, Directory, Handoff, RiskWord, State};
use crate::refusal::{Refusal, RefusalCode};

/// Returns `true` if a message may quote the goal or the action of a handoff.
pub fn may_quote(directory: &Directory, handoff: &Handoff) -> bool {
    let tier = Tier::of(handoff.facts.summary.classification.as_deref());
    let limit = directory.settings.quoted_up_to;
    handoff.facts.terms.gates.is_empty() && limit.is_some_and(|limit| tier <= limit)
}

/// Returns `true` if a mailed code may decide about a handoff.
pub fn may_decide(directory: &Directory, handoff: &Handoff) -> bool {
    directory.settings.mails_codes
        && matches!(handoff.progress.state, State::Held(_))
        && handoff.facts.terms.risk != RiskWord::High
        // Nothing behind a gate is quoted.
        && may_quote(directory, handoff)
}

/// Refuses a caller with a mailed code where none may decide.
pub fn require_code_allowed(context: &Context<'_>, handoff: &Handoff) -> Result<(), Refusal> {
    let is_mailed = context.principal.authentication == Authentication::Mail;
    if !is_mailed || may_decide(&context.state.directory, handoff) {
        return Ok(());
    }
    let message = format!("a mailed code cannot decide about handoff {}", handoff.id);
    Err(Refusal::new(RefusalCode::NotAllowed, message).hint("sign in and decide in the console"))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::command::Command;
    use crate::model::{Principal, Record, Scope, Scopes, Settings};
    use crate::steps::decision::testing::{accept, gated, reject};
    use crate::testing::{World, submit};

    fn allow(world: &mut World) {
        world.put(&Record::Settings(Settings { mails_codes: true, ..Settings::default() }));
    }

    fn mailed(world: &World) -> Principal {
        Principal {
            authentication: Authentication::Mail,
            scopes: Scopes::none().with(Scope::Decide),
            ..world.principal("pia")
        }
    }

    fn held(more: &Value) -> World {
        let mut world = World::new();
        let mut packet = json!({ "can_intercept": true });
        for (name, value) in more.as_object().unwrap() {
            packet[name] = value.clone();
        }
        world.done("ana", submit(&packet));
        world
    }

    fn outcome(world: &mut World, command: Command) -> Result<(), String> {
        let principal = mailed(world);
        world.run_as(&principal, command).map(drop).map_err(|refusal| format!("{refusal:?}"))
    }

    #[test]
    fn a_mailed_code_decides_only_where_the_project_allows_it() {
        let mut world = held(&json!({}));
        let command = accept(&world);
        assert!(outcome(&mut world, command).unwrap_err().contains("NotAllowed"));
        allow(&mut world);
        let command = accept(&world);
        assert_eq!(outcome(&mut world, command), Ok(()));
        assert_eq!(world.leaves.last().unwrap().kind, tasuki_packet::leaf::EventType::Accepted);
        let mut world = held(&json!({}));
        allow(&mut world);
        let command = reject(&world, "no");
        assert_eq!(outcome(&mut world, command), Ok(()));
    }

    #[test]
    fn a_mailed_code_never_decides_about_high_risk_or_a_gate() {
        let trigger =
            json!({ "trigger": { "kind": "critical_action", "detail": "drops a table" } });
        for mut world in [held(&trigger), gated(&json!({}))] {
            allow(&mut world);
            assert!(!may_decide(&world.state.directory, world.handoff()));
            for command in [accept(&world), reject(&world, "no")] {
                assert!(outcome(&mut world, command).unwrap_err().contains("mailed code"));
            }
        }
    }

    #[test]
    fn a_classification_above_the_limit_of_the_project_is_not_quoted() {
        let check = |limit: Option<Tier>, stated: Option<&str>, expected: bool| {
            let mut world = World::with(Settings { quoted_up_to: limit, ..Settings::default() });
            world.done("ana", submit(&json!({})));
            let mut handoff = world.handoff().clone();
            handoff.facts_mut().summary.classification = stated.map(str::to_owned);
            let is_quoted = may_quote(&world.state.directory, &handoff);
            assert_eq!(is_quoted, expected, "{limit:?} {stated:?}");
        };
        let default = Settings::default().quoted_up_to;
        check(default, None, true);
        check(default, Some("OFFICIAL"), true);
        check(default, Some("OFFICIAL-SENSITIVE"), false);
        check(default, Some("SECRET"), false);
        check(Some(Tier::Secret), Some("SECRET"), true);
        check(Some(Tier::Public), Some("INTERNAL"), false);
        check(None, None, false);
    }

    #[test]
    fn nothing_behind_a_gate_is_quoted() {
        let world = gated(&json!({}));
        assert!(!may_quote(&world.state.directory, world.handoff()));
    }
}
