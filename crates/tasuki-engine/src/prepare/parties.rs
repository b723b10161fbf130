//! Resolves the sender and the receiver of a packet.

use tasuki_packet::Packet;
use tasuki_packet::id::PartyId;

use super::packet::Incoming;
use crate::model::directory::party::plain;
use crate::model::directory::{SKILL, unskilled};
use crate::model::{Facts, Handoff};
use crate::prepare::input::PrepareInput;
use crate::refusal::{Refusal, RefusalCode};
use crate::rules::authorization::may_send_for;
use crate::rules::auto_register;

/// The receiver of a packet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Receiver {
    /// A party of the project.
    Cache(PartyId),
    /// A name that the project registers on first use.
    New(String),
}

impl Receiver {
    /// Returns the party, unless it is registered on first use.
    pub const fn known(&self) -> Option<PartyId> {
        match self {
            Self::Cache(party) => Some(*party),
            Self::New(_) => None,
        }
    }
}

/// Returns the sender: the caller, a party it may send for or, for a revision, the handoff's
/// sender.
pub(crate) fn sender(
    input: &PrepareInput,
    packet: &Packet,
    incoming: Incoming<'_>,
) -> Result<PartyId, Refusal> {
    let directory = &input.directory;
    let named = packet.text("from_agent");
    let party = named.and_then(|name| directory.find(name).ok());
    if incoming.is_revision {
        let sender = current(input)?.facts.sender;
        return match named {
            Some(name) if party.is_none_or(|party| party.id != sender) => {
                let sender = directory.name(sender);
                let message =
                    format!("`from_agent` is `{name}`, but the handoff is from `{sender}`");
                Err(Refusal::new(RefusalCode::SenderMismatch, message)
                    .hint("a revision cannot change the sender"))
            }
            _ => Ok(sender),
        };
    }
    let Some(name) = named else { return Ok(input.caller) };
    if let Some(party) = party.filter(|party| may_send_for(directory, input.caller, party.id)) {
        return Ok(party.id);
    }
    let caller = directory.name(input.caller);
    let message = format!("`from_agent` is `{name}`, but you are `{caller}`");
    let hint = match party {
        Some(party) => format!(
            "omit `from_agent`, or ask the operator to run `tasuki party add {caller} --sends-for {}`",
            party.name
        ),
        None => format!("omit `from_agent`; party `{name}` is unknown"),
    };
    Err(Refusal::new(RefusalCode::SenderMismatch, message).hint(hint))
}

/// Returns the receiver and its name: the one in the command, else the packet's.
pub(crate) fn receiver(
    input: &PrepareInput,
    packet: &Packet,
    incoming: Incoming<'_>,
    sender: PartyId,
) -> Result<(Receiver, String), Refusal> {
    let directory = &input.directory;
    if incoming.is_own {
        return Ok((Receiver::Cache(input.caller), directory.name(input.caller)));
    }
    if incoming.is_revision {
        let receiver = current(input)?.facts.receiver;
        require_same_task_and_receiver(input, packet)?;
        return Ok((Receiver::Cache(receiver), directory.name(receiver)));
    }
    let Some(name) = incoming.to.or_else(|| packet.receiver()) else {
        return Err(Refusal::new(RefusalCode::ReceiverMissing, "no receiver given")
            .hint("set `to_agent` in the packet, or use `--to NAME`"));
    };
    if let Some(skill) = name.strip_prefix(SKILL) {
        let party = skilled(input, incoming, skill, sender)?;
        return Ok((Receiver::Cache(party), directory.name(party)));
    }
    match directory.find(name) {
        Ok(party) => Ok((Receiver::Cache(party.id), party.name.clone())),
        Err(_) if auto_register::can_be_added(directory, input.authentication, name) => {
            Ok((Receiver::New(name.to_owned()), plain(name)))
        }
        Err(refusal) => Err(refusal),
    }
}

/// Returns a party with the skill, preferring parties that have not had the work before.
fn skilled(
    input: &PrepareInput,
    incoming: Incoming<'_>,
    skill: &str,
    sender: PartyId,
) -> Result<PartyId, Refusal> {
    let parent = input.handoff.as_ref().filter(|_| incoming.is_passed_on);
    let lineage = parent.map_or(&[][..], |parent| parent.facts.lineage.as_slice());
    let had_it =
        |party: PartyId| party == sender || party == input.caller || lineage.contains(&party);
    let able = input.directory.skilled(skill);
    let fresh = able.iter().find(|party| !had_it(party.id));
    fresh.or(able.first()).map(|party| party.id).ok_or_else(|| unskilled(skill))
}

/// Refuses a revision that changes the task or the receiver, so that no field is silently ignored.
///
/// A packet keeps its original receiver when its handoff is rerouted.
fn require_same_task_and_receiver(input: &PrepareInput, packet: &Packet) -> Result<(), Refusal> {
    let handoff = current(input)?;
    let refuse = |message: String, hint: &str| {
        Err(Refusal::new(RefusalCode::ArgumentInvalid, message).hint(hint))
    };
    if let Some(task) = packet.text("task_id").filter(|task| !handoff.facts.is_task(task)) {
        let message =
            format!("`task_id` is `{task}`, but the handoff is of task `{}`", handoff.facts.task);
        return refuse(message, "a revision cannot change the task");
    }
    let before = input.packet().and_then(Packet::receiver);
    let Some(name) = packet.receiver().filter(|name| before != Some(*name)) else { return Ok(()) };
    let receiver = handoff.facts.receiver;
    if input.directory.find(name).is_ok_and(|party| party.id == receiver) {
        return Ok(());
    }
    let to = input.directory.name(receiver);
    let message = format!("the packet is for `{name}`, but the handoff is for `{to}`");
    refuse(message, "use `tasuki reroute` to change the receiver")
}

/// Returns the handoff that the command concerns.
pub(crate) fn current(input: &PrepareInput) -> Result<&Handoff, Refusal> {
    input.handoff.as_ref().ok_or_else(unknown)
}

/// Returns the facts of the handoff that the command concerns.
pub(crate) fn facts(input: &PrepareInput) -> Result<&Facts, Refusal> {
    let of_handoff = || input.handoff.as_ref().map(|handoff| handoff.facts.as_ref());
    input.facts.as_deref().or_else(of_handoff).ok_or_else(unknown)
}

fn unknown() -> Refusal {
    Refusal::new(RefusalCode::HandoffUnknown, "unknown handoff")
        .hint("list the handoffs of this project with `tasuki list`")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::command::Command;
    use crate::steps::Submit;
    use crate::testing::{World, claim, pass_on_with, submit};

    #[test]
    fn the_sender_is_the_caller_or_a_party_it_may_send_for() {
        let from = |name: &str| submit(&json!({ "from_agent": name }));
        World::new().check("ana", from("ana"), "offered to ben");
        World::new().check("ana", from("Ana"), "offered to ben");
        insta::assert_snapshot!(World::new().refusal("ana", from("cem")), @"
        TK-SENDER-MISMATCH: `from_agent` is `cem`, but you are `ana`
        hint: omit `from_agent`, or ask the operator to run `tasuki party add ana --sends-for cem`
        ");
        insta::assert_snapshot!(World::new().refusal("ana", from("hermes")), @"
        TK-SENDER-MISMATCH: `from_agent` is `hermes`, but you are `ana`
        hint: omit `from_agent`; party `hermes` is unknown
        ");

        let mut world = World::new();
        world.change("pia", |party, id| party.sends_for = vec![id("ana")]);
        world.check("pia", from("ana"), "offered to ben");
        let handoff = world.handoff();
        assert_eq!(handoff.facts.sender, world.id("ana"));
        assert_eq!(handoff.facts.contributors.len(), 2, "both wrote it, so neither signs");

        let mut world = World::new();
        world.check("cem", from("role:team"), "offered to ben");
        assert_eq!(world.handoff().facts.sender, world.id("role:team"));
    }

    #[test]
    fn an_ambiguous_sender_is_refused() {
        let mut world = World::new();
        for name in ["ana", "cem"] {
            world.change(name, |party, _| party.aliases = vec!["The One".to_owned()]);
        }
        world.check("ana", submit(&json!({"from_agent": "the one"})), "refused TK-SENDER-MISMATCH");
        world.check("ana", submit(&json!({"to_agent": "the one"})), "refused TK-PARTY-AMBIGUOUS");
    }

    #[test]
    fn a_receiver_must_be_named() {
        let source = json!({"handoff_version": "1.0", "status": "in_progress", "goal": "g",
            "completed": [], "remaining": []});
        let source = source.to_string().into_bytes();
        let to = |to: Option<&str>| {
            let to = to.map(str::to_owned);
            Command::Submit(Submit { source: source.clone(), to, ..Submit::default() })
        };
        insta::assert_snapshot!(World::new().refusal("ana", to(None)), @"
        TK-RECEIVER-MISSING: no receiver given
        hint: set `to_agent` in the packet, or use `--to NAME`
        ");
        World::new().check("ana", to(Some("ben")), "offered to ben");
    }

    #[test]
    fn a_skill_finds_another_party_that_has_it() {
        let mut world = World::new();
        for name in ["ana", "ben", "cem"] {
            world.change(name, |party, _| party.skills = vec!["python".to_owned()]);
        }
        world.check("ana", submit(&json!({"to_agent": "skill:python"})), "offered to ben");
        world.run("ben", claim(world.newest())).unwrap();
        world.advance(1);
        world.check(
            "ben",
            pass_on_with(&world, &json!({"to_agent": "skill:python"})),
            "offered to cem",
        );
        world.run("cem", claim(world.newest())).unwrap();
        world.advance(1);
        world.check(
            "cem",
            pass_on_with(&world, &json!({"to_agent": "skill:python"})),
            "refused TK-CHAIN-LOOP",
        );
        insta::assert_snapshot!(world.refusal("ana", submit(&json!({"to_agent": "skill:rust", "task_id": "b"}))), @"
        TK-PARTY-UNKNOWN: no eligible party has the skill `rust`
        hint: add one with `tasuki party add NAME --skill rust`
        ");
    }
}
