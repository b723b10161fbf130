//! Sign-offs that are due before a return or a pass-on.
//!
//! A holder asks for one as an action that waits for approval: `{"sign_off": TEXT}`. The person who
//! approves it signs off. A failed verification ends every sign-off, because the work changes.
//! A packet whose sign-off no person could give is refused when it is sent.

use serde_json::Value;
use tasuki_packet::Packet;
use tasuki_packet::chain::{DueSignOff, DueStep};
use tasuki_packet::id::PartyId;

use super::{named, people_in};
use crate::model::{Directory, Progress, Returned};
use crate::refusal::{Refusal, RefusalCode};
use crate::rules::authorization::may_send_for;

/// The member of an action that asks for a sign-off.
const SIGN_OFF: &str = "sign_off";

/// Returns the sign-offs of a packet that are due before a step.
pub fn due_before(packet: &Packet, step: DueStep) -> Vec<DueSignOff> {
    let mut due = DueSignOff::of(packet);
    due.retain(|one| one.step() == Some(step));
    due
}

/// The parties of a handoff. They cannot approve an action on it, and so cannot sign off.
#[derive(Debug, Clone, Copy)]
pub struct Parties {
    /// The sender.
    pub sender: PartyId,
    /// The receiver, unless it is registered by this packet.
    pub receiver: Option<PartyId>,
}

/// Requires that people can give each sign-off that the exchange enforces, unless it was given
/// before. Otherwise its step could never be taken.
pub fn require_signers(
    directory: &Directory,
    packet: &Packet,
    parties: Parties,
    given: &[String],
) -> Result<(), Refusal> {
    let due = DueSignOff::of(packet);
    let open = due
        .iter()
        .enumerate()
        .filter(|(_, one)| one.step().is_some() && !given.contains(&one.digest()));
    let mut named = open.filter_map(|(at, one)| Some((at, one.by.as_deref()?)));
    named.try_for_each(|(at, by)| {
        require_signer(directory, by, parties).map_err(|refusal| at_member(at, refusal))
    })
}

/// Adds the place of a signer, and that an unknown one must not become an agent.
fn at_member(at: usize, refusal: Refusal) -> Refusal {
    let message = format!("`/sign_offs_due/{at}/by`: {}", refusal.message);
    let hint = match refusal.hint {
        Some(hint) if refusal.code == RefusalCode::PartyUnknown => {
            Some(format!("{hint}; a signer is a person (`--human`), or a role with people in it"))
        }
        hint => hint,
    };
    Refusal { message, hint, ..refusal }
}

/// Requires that a name is a person, or a role with people, other than the parties of the handoff.
fn require_signer(directory: &Directory, by: &str, parties: Parties) -> Result<(), Refusal> {
    let signer = named(directory, by)?;
    let is_party = |person: PartyId| {
        may_send_for(directory, person, parties.sender) || parties.receiver == Some(person)
    };
    if people_in(directory, signer.id).any(|person| !is_party(person.id)) {
        return Ok(());
    }
    let message = format!("`{by}` sends or receives the handoff, and so cannot sign off on it");
    Err(Refusal::new(RefusalCode::OwnHandoff, message)
        .hint("name another person, or a role with other people in it"))
}

/// Requires that every due sign-off was given.
pub fn require(progress: &Progress, due: &[DueSignOff]) -> Result<(), Refusal> {
    let mut missing = missing(progress, due);
    let Some(first) = missing.next() else { return Ok(()) };
    let by = first.by.as_ref().map_or(String::new(), |by| format!(" by `{by}`"));
    let more = and_more(missing.count());
    let (text, before) = (&first.text, &first.before);
    let message = format!("the sign-off `{text}`{by} is due before `{before}`{more}");
    Err(Refusal::new(RefusalCode::SignOffDue, message).hint(
        "ask for it with `tasuki request-approval --sign-off TEXT`; you still hold the claim",
    ))
}

/// Returns the texts of the due sign-offs that were not given.
pub fn unsigned(progress: &Progress, due: &[DueSignOff]) -> Vec<String> {
    missing(progress, due).map(|one| one.text.clone()).collect()
}

/// Returns the texts of the due sign-offs that were given.
pub fn given(progress: &Progress, due: &[DueSignOff]) -> Vec<String> {
    let given = due.iter().filter(|one| progress.signed_off.contains(&one.digest()));
    given.map(|one| one.text.clone()).collect()
}

fn missing<'d>(progress: &Progress, due: &'d [DueSignOff]) -> impl Iterator<Item = &'d DueSignOff> {
    due.iter().filter(|one| !progress.signed_off.contains(&one.digest()))
}

fn and_more(more: usize) -> String {
    if more == 0 { String::new() } else { format!(", and {more} more") }
}

/// Requires that a return has every sign-off that was due before it, so that it can pass.
///
/// A blocked or failed return is accepted without them, and must not end the task as done.
pub fn require_to_pass(returned: &Returned) -> Result<(), Refusal> {
    let [text, rest @ ..] = returned.unsigned.as_slice() else { return Ok(()) };
    let more = and_more(rest.len());
    let message = format!("the return cannot pass: the sign-off `{text}` was not given{more}");
    Err(Refusal::new(RefusalCode::SignOffDue, message).hint(
        "fail the return: the holder then asks for it with `tasuki request-approval --sign-off TEXT`",
    ))
}

/// Returns the due sign-off that an action asks for.
pub fn asked_for(packet: Option<&Packet>, action: &Value) -> Result<Option<DueSignOff>, Refusal> {
    let Some(text) = action.get(SIGN_OFF).and_then(Value::as_str) else { return Ok(None) };
    let mut due = packet.map_or_else(Vec::new, DueSignOff::of);
    if let Some(at) = due.iter().position(|one| one.text == text) {
        return Ok(Some(due.swap_remove(at)));
    }
    let hint = if due.is_empty() {
        "its `sign_offs_due` is empty; state the action without `sign_off`".to_owned()
    } else {
        let texts: Vec<String> = due.iter().map(|one| format!("`{}`", one.text)).collect();
        format!("due are: {}", texts.join(", "))
    };
    let message = format!("the packet has no sign-off `{text}` that is due");
    Err(Refusal::new(RefusalCode::ArgumentInvalid, message).hint(hint))
}
