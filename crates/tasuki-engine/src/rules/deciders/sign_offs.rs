//! Sign-offs that are due before a return or a pass-on.
//!
//! A holder asks for one as an action that waits for approval: `{"sign_off": TEXT}`. The person who
//! approves it signs off. A failed verification ends every sign-off, because the work changes.

use serde_json::Value;
use tasuki_packet::Packet;
use tasuki_packet::chain::{DueSignOff, DueStep};

use crate::model::Progress;
use crate::refusal::{Refusal, RefusalCode};

/// The member of an action that asks for a sign-off.
const SIGN_OFF: &str = "sign_off";

/// Returns the sign-offs of a packet that are due before a step.
pub fn due_before(packet: &Packet, step: DueStep) -> Vec<DueSignOff> {
    let mut due = DueSignOff::of(packet);
    due.retain(|one| one.step() == Some(step));
    due
}

/// Requires that every due sign-off was given.
pub fn require(progress: &Progress, due: &[DueSignOff]) -> Result<(), Refusal> {
    let mut missing = due.iter().filter(|one| !progress.signed_off.contains(&one.digest()));
    let Some(first) = missing.next() else { return Ok(()) };
    let by = first.by.as_ref().map_or(String::new(), |by| format!(" by `{by}`"));
    let more = match missing.count() {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    let (text, before) = (&first.text, &first.before);
    let message = format!("the sign-off `{text}`{by} is due before `{before}`{more}");
    Err(Refusal::new(RefusalCode::SignOffDue, message).hint(
        "ask for it with `tasuki request-approval --sign-off TEXT`; you still hold the claim",
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
