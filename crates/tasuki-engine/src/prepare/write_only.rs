//! Limits the packets of a write-only token to its receivers.
//!
//! The refusal depends on the token and the packet alone, never on the directory: a caller that may
//! only write must not learn which parties, handoffs or tasks exist. A packet reaches other parties
//! by its receiver, by the rungs of its own fallback and by its due sign-offs, so all are limited.

use tasuki_packet::Packet;
use tasuki_packet::chain::DueSignOff;
use tasuki_packet::id::PartyId;

use super::packet::Incoming;
use crate::prepare::input::PrepareInput;
use crate::refusal::{Refusal, RefusalCode};
use crate::rules::authorization::may_send_for;
use crate::rules::fallback::DEAD_LETTER;

/// Refuses a packet that a write-only caller may not send. Other callers pass.
pub(super) fn check(
    input: &PrepareInput,
    packet: &Packet,
    incoming: Incoming<'_>,
) -> Result<(), Refusal> {
    if input.receivers.is_empty() {
        return Ok(());
    }
    require_own_name(input, packet)?;
    if incoming.supersedes.is_some() || packet.get("supersedes").is_some() {
        let message = "a write-only token cannot supersede a handoff";
        return Err(Refusal::new(RefusalCode::NotAllowed, message).hint("remove `supersedes`"));
    }
    let receiver = incoming.to.or_else(|| packet.receiver());
    let rungs = packet.get("fallback").and_then(|rungs| rungs.as_array()).into_iter().flatten();
    let rungs = rungs.filter_map(|rung| rung["to"].as_str()).filter(|to| *to != DEAD_LETTER);
    let due = DueSignOff::of(packet);
    let signers = due.iter().filter(|one| one.step().is_some()).filter_map(|one| one.by.as_deref());
    let mut names = receiver.into_iter().chain(rungs).chain(signers);
    names.try_for_each(|name| require_receiver(input, name))
}

/// Refuses the name of another sender. The hint for other callers would reveal whether it exists.
fn require_own_name(input: &PrepareInput, packet: &Packet) -> Result<(), Refusal> {
    let Some(name) = packet.text("from_agent") else { return Ok(()) };
    let directory = &input.directory;
    let party = directory.find(name).ok();
    if party.is_some_and(|party| may_send_for(directory, input.caller, party.id)) {
        return Ok(());
    }
    let caller = directory.name(input.caller);
    let message = format!("`from_agent` is `{name}`, but you are `{caller}`");
    Err(Refusal::new(RefusalCode::SenderMismatch, message).hint("omit `from_agent`"))
}

/// Refuses every name that is not a receiver of the token, in the same words.
fn require_receiver(input: &PrepareInput, name: &str) -> Result<(), Refusal> {
    let directory = &input.directory;
    if directory.find(name).is_ok_and(|party| input.receivers.contains(&party.id)) {
        return Ok(());
    }
    let own = |party: &PartyId| format!("`{}`", directory.name(*party));
    let own: Vec<String> = input.receivers.iter().map(own).collect();
    let message = format!("this token does not send to `{name}`");
    Err(Refusal::new(RefusalCode::ReceiverRefused, message)
        .hint(format!("it sends only to {}", own.join(", "))))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use tasuki_packet::leaf::Authentication;

    use crate::command::Command;
    use crate::model::{Principal, Scope, Scopes};
    use crate::rules::fencing::ClaimProof;
    use crate::steps::{Cancel, CreateToken, SeenVersion, Submit};
    use crate::testing::{World, checkpoint, claim, packet, pass_on_with, return_packet, submit};

    /// Returns a write-only credential of `cem` for the role `team`.
    fn drop_box(world: &World) -> Principal {
        Principal {
            authentication: Authentication::Token,
            scopes: Scopes::none().with(Scope::Submit),
            receivers: vec![world.id("role:team")],
            ..world.principal("cem")
        }
    }

    /// Returns a packet for the role `team` with these members.
    fn dropped(more: &Value) -> Command {
        let mut members = json!({ "to_agent": "role:team", "from_agent": "cem" });
        members.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        submit(&members)
    }

    #[test]
    fn any_other_receiver_is_refused_in_the_same_words_whether_it_exists_or_not() {
        let mut world = World::new();
        let writer = drop_box(&world);
        let mut refused = Vec::new();
        for name in ["ben", "pia", "role:people", "role:none", "hermes", "skill:python"] {
            world.change("pia", |party, _| party.skills = vec!["python".to_owned()]);
            for command in [
                dropped(&json!({ "to_agent": name })),
                Command::Submit(Submit {
                    source: packet(&json!({ "from_agent": "cem" })),
                    to: Some(name.to_owned()),
                    ..Submit::default()
                }),
                dropped(&json!({ "fallback": [{ "after": "1h", "to": name }] })),
                dropped(&json!({ "sign_offs_due": [
                    { "text": "Legal agrees", "before": "return", "by": name },
                ] })),
            ] {
                refused.push(world.refusal_as(&writer, command).replace(name, "NAME"));
            }
        }
        refused.dedup();
        insta::assert_snapshot!(refused.join("\n"), @"
        TK-RECEIVER-REFUSED: this token does not send to `NAME`
        hint: it sends only to `role:team`
        ");
        world.run_as(&writer, dropped(&json!({}))).unwrap();
        assert_eq!(world.standing(), "offered to role:team");
        let ladder = json!({ "fallback": [{ "after": "1h", "to": "dead_letter" }] });
        world.run_as(&writer, dropped(&ladder)).unwrap();
    }

    #[test]
    fn the_name_of_another_sender_is_refused_whether_it_exists_or_not() {
        let mut world = World::new();
        let writer = drop_box(&world);
        let mut refusal = |name: &str| {
            let command = dropped(&json!({ "from_agent": name }));
            world.refusal_as(&writer, command).replace(name, "NAME")
        };
        let known = refusal("ben");
        assert_eq!(known, refusal("hermes"));
        insta::assert_snapshot!(known, @"
        TK-SENDER-MISMATCH: `from_agent` is `NAME`, but you are `cem`
        hint: omit `from_agent`
        ");
    }

    #[test]
    fn every_packet_opens_a_new_task_and_its_own_id_is_a_label() {
        let mut world = World::new();
        world.done("ana", submit(&json!({ "task_id": "secret-7" })));
        let writer = drop_box(&world);
        let same = dropped(&json!({ "task_id": "secret-7" }));
        let mut tasks = Vec::new();
        for _ in 0..2 {
            let answer = world.run_as(&writer, same.clone()).unwrap();
            let handoff = answer.handoff.unwrap();
            assert!(handoff.task.starts_with("tsk_"), "{}", handoff.task);
            assert_eq!(handoff.task_label.as_deref(), Some("secret-7"));
            assert!(!answer.repeated && answer.notes.is_empty());
            tasks.push(handoff.task);
        }
        assert_ne!(tasks[0], tasks[1]);
    }

    #[test]
    fn a_write_only_token_changes_nothing_that_it_sent() {
        let mut world = World::new();
        let writer = drop_box(&world);
        world.run_as(&writer, dropped(&json!({}))).unwrap();
        let handoff = world.newest();
        let cancel =
            Command::Cancel(Cancel { handoff, seen: SeenVersion::default(), reason: None });
        insta::assert_snapshot!(world.refusal_as(&writer, cancel), @"
        TK-NOT-ALLOWED: a write-only token cannot cancel
        hint: it submits to its receivers; ask the operator for a token with more scopes
        ");
        let replace = dropped(&json!({ "supersedes": handoff.to_string() }));
        insta::assert_snapshot!(world.refusal_as(&writer, replace), @"
        TK-NOT-ALLOWED: a write-only token cannot supersede a handoff
        hint: remove `supersedes`
        ");
    }

    #[test]
    fn a_holder_names_the_task_by_its_id_or_by_its_label() {
        for name in ["label", "id"] {
            let mut world = World::new();
            let writer = drop_box(&world);
            let more = json!({ "task_id": "invoice-7", "return_required": ["status"] });
            world.run_as(&writer, dropped(&more)).unwrap();
            let task = world.handoff().facts.task.clone();
            let named = if name == "label" { "invoice-7".to_owned() } else { task.clone() };
            world.done("ben", claim(world.newest()));
            let shown: ClaimProof = world.shown();
            world.done("ben", checkpoint(shown, &json!({ "task_id": named })));
            let mut passed = world.clone();
            let mut on = json!({ "to_agent": "ana", "return_required": ["status"] });
            on["task_id"] = json!(named);
            let on = pass_on_with(&passed, &on);
            passed.done("ben", on);
            assert_eq!(passed.handoff().facts.task, task, "{name}");
            world.done("ben", return_packet(shown, &json!({ "task_id": named })));
            assert_eq!(world.standing(), "returned");
        }
    }

    #[test]
    fn only_a_submit_only_token_names_receivers_and_it_must() {
        let mut world = World::new();
        let create = |scopes: Option<Scopes>, to: &[&str]| {
            let to = to.iter().map(|name| (*name).to_owned()).collect();
            let party = "cem".to_owned();
            Command::CreateToken(CreateToken { party, scopes, to, ..CreateToken::default() })
        };
        let submit = Some(Scopes::none().with(Scope::Submit));
        let more = submit.map(|scopes| scopes.with(Scope::Read));
        insta::assert_snapshot!(world.refusal("pia", create(submit, &[])), @"
        TK-ARGUMENT-INVALID: a token with the scope `submit` alone must name its receivers
        hint: name them with `--to`, such as `--to role:intake`
        ");
        insta::assert_snapshot!(world.refusal("pia", create(more, &["role:team"])), @"
        TK-ARGUMENT-INVALID: only a token with the scope `submit` alone can be limited to receivers
        hint: remove the receivers, or use `--scope submit`
        ");
        world.check("pia", create(None, &["role:none"]), "refused TK-PARTY-UNKNOWN");
        let token = world.run("pia", create(None, &["role:team", "ben"])).unwrap().token.unwrap();
        assert_eq!(token.scopes, ["submit"]);
        assert_eq!(token.to.len(), 2);
        assert!(world.leaves.last().unwrap().leaf.contains("\"receivers\":"));
    }
}
