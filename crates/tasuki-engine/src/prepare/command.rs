//! From what a door hands in to what enters the line.

use serde_json::{Value, json};
use tasuki_packet::gate::Gate;
use tasuki_packet::rules::Rules;
use tasuki_packet::{Packet, Violation};

use super::background::Background;
use super::packet::{Incoming, action, paper};
use super::progress::checkpoint;
use super::returning::returning;
use super::text;
use crate::command::{Command, Prepared};
use crate::directory::Published;
use crate::document::Sealed;
use crate::handoff::{Hold, State};
use crate::prepare::Paper;
use crate::reason::Reason;
use crate::refusal::{Refusal, RefusalCode};
use crate::revise::Edited;
use crate::{ask, begin, claim, submit};

const PLAIN: Incoming<'static> = Incoming {
    source: &[],
    to: None,
    supersedes: None,
    is_passed_on: false,
    is_own: false,
    is_revision: false,
};

/// Reads, checks and seals what a command brings.
pub fn prepare(command: Command, background: &Background) -> Result<Prepared, Refusal> {
    let reason =
        |text: &Option<String>| text::reason(text.as_deref(), &background.directory.settings);
    Ok(match command {
        Command::Begin(request) => prepare_begin(request, background)?,
        Command::Submit(request) => prepare_submit(request, background)?,
        Command::Revise(request) => {
            let incoming = Incoming { source: &request.source, is_revision: true, ..PLAIN };
            let paper = paper(background, incoming)?;
            Prepared::Revise(request, Box::new(paper))
        }
        Command::Ask(request) => {
            let text = reason(&Some(request.text.clone()))?;
            Prepared::Ask(request, text)
        }
        Command::Answer(request) => prepare_answer(request, background)?,
        Command::Claim(request) => prepare_claim(request, background)?,
        Command::Checkpoint(request) => {
            let progress = checkpoint(background, &request.source)?;
            Prepared::Checkpoint(request, progress)
        }
        Command::Hold(mut request) => {
            text::without_secrets(&mut request.action, &background.directory.settings)?;
            let action = Sealed::document(&request.action, background.draw.salt("action"));
            Prepared::Hold(request, action)
        }
        Command::Return(request) => {
            let returning = returning(background, &request.source)?;
            Prepared::Return(request, Box::new(returning))
        }
        Command::Edit(request) => {
            let edited = prepare_edit(&request.source, background)?;
            let reason = reason(&request.reason)?;
            Prepared::Edit(request, edited, reason)
        }
        Command::Decline(request) => with(request, Prepared::Decline, |r| reason(&r.reason))?,
        Command::Park(request) => with(request, Prepared::Park, |r| reason(&r.reason))?,
        Command::Release(request) => with(request, Prepared::Release, |r| reason(&r.reason))?,
        Command::Verify(request) => with(request, Prepared::Verify, |r| reason(&r.reason))?,
        Command::Accept(request) => with(request, Prepared::Accept, |r| reason(&r.reason))?,
        Command::SignOff(request) => with(request, Prepared::SignOff, |r| reason(&r.reason))?,
        Command::Reject(request) => with(request, Prepared::Reject, |r| reason(&r.reason))?,
        Command::Reroute(request) => with(request, Prepared::Reroute, |r| reason(&r.reason))?,
        Command::Intercept(request) => with(request, Prepared::Intercept, |r| reason(&r.reason))?,
        Command::Cancel(request) => with(request, Prepared::Cancel, |r| reason(&r.reason))?,
        Command::Redrive(request) => with(request, Prepared::Redrive, |r| reason(&r.reason))?,
        Command::Discard(request) => with(request, Prepared::Discard, |r| reason(&r.reason))?,
        Command::Halt(request) => with(request, Prepared::Halt, |r| reason(&r.reason))?,
        other => prepare_policy(other)?,
    })
}

/// What brings nothing but policy, or nothing at all.
fn prepare_policy(command: Command) -> Result<Prepared, Refusal> {
    Ok(match command {
        Command::PublishContract(record) => {
            let published = Published::of(&record).map_err(|found| invalid("contract", found))?;
            Prepared::PublishContract(record, Box::new(published))
        }
        Command::PublishGate(record) => {
            let gate = Gate::read(&record.document).map_err(|found| invalid("gate", found))?;
            Prepared::PublishGate(record, Box::new(gate))
        }
        Command::SetRules(record) => {
            let rules = Rules::read(&record.document).map_err(|found| invalid("rules", found))?;
            Prepared::SetRules(record, Box::new(rules))
        }
        Command::AddParty(request) => Prepared::AddParty(request),
        Command::SetSettings(settings) => Prepared::SetSettings(settings),
        Command::NoteRestore(restored) => Prepared::NoteRestore(restored),
        Command::Renew(request) => Prepared::Renew(request),
        Command::Deliver(request) => Prepared::Deliver(request),
        _ => Prepared::Settle,
    })
}

fn with<R>(
    request: R,
    prepared: impl FnOnce(R, Reason) -> Prepared,
    reason: impl FnOnce(&R) -> Result<Reason, Refusal>,
) -> Result<Prepared, Refusal> {
    let reason = reason(&request)?;
    Ok(prepared(request, reason))
}

fn invalid(what: &str, violations: Vec<Violation>) -> Refusal {
    let message = format!("the {what} has {} violations", violations.len());
    Refusal::new(RefusalCode::DocumentInvalid, message).with(violations)
}

fn prepare_begin(request: begin::Request, background: &Background) -> Result<Prepared, Refusal> {
    text::key(request.key.as_deref())?;
    let incoming = Incoming { source: &request.source, is_own: true, ..PLAIN };
    let paper = paper(background, incoming)?;
    Ok(Prepared::Begin(request, Box::new(paper)))
}

fn prepare_submit(request: submit::Request, background: &Background) -> Result<Prepared, Refusal> {
    let incoming = Incoming {
        source: &request.source,
        to: request.to.as_deref(),
        supersedes: request.supersedes,
        is_passed_on: request.parent.is_some(),
        ..PLAIN
    };
    let mut paper = paper(background, incoming)?;
    paper.terms.is_hold_asked = request.hold;
    Ok(Prepared::Submit(request, Box::new(paper)))
}

fn prepare_claim(
    mut request: claim::Request,
    background: &Background,
) -> Result<Prepared, Refusal> {
    text::key(request.key.as_deref())?;
    let settings = &background.directory.settings;
    for said in [&mut request.read_back, &mut request.drift].into_iter().flatten() {
        text::without_secrets(said, settings)?;
    }
    Ok(Prepared::Claim(request))
}

/// While a holder asks leave the action is edited, else the packet.
fn prepare_edit(source: &[u8], background: &Background) -> Result<Edited, Refusal> {
    let state = background.handoff.as_ref().map(|handoff| &handoff.progress.state);
    if let Some(State::Held(Hold { asked_by: Some(_), .. })) = state {
        return action(background, source).map(Edited::Action);
    }
    let incoming = Incoming { source, is_revision: true, ..PLAIN };
    paper(background, incoming).map(|paper| Edited::Packet(Box::new(paper)))
}

fn prepare_answer(request: ask::Answer, background: &Background) -> Result<Prepared, Refusal> {
    let text = text::reason(request.text.as_deref(), &background.directory.settings)?;
    if text.text.is_none() && request.source.is_none() {
        return Err(Refusal::new(RefusalCode::ReasonMissing, "an answer says something")
            .hint("add the answer with `-m`, or a revised packet with `--file`"));
    }
    let paper = match &request.source {
        Some(source) => paper(background, Incoming { source, is_revision: true, ..PLAIN })?,
        None => answered(background, text.text.as_deref().unwrap_or_default())?,
    };
    Ok(Prepared::Answer(request, text, Box::new(paper)))
}

/// The current packet with question and answer among its notes.
fn answered(background: &Background, text: &str) -> Result<Paper, Refusal> {
    let Some(packet) = background.packet() else {
        return Err(Refusal::new(RefusalCode::HandoffUnknown, "there is no such handoff"));
    };
    let mut members = Packet::members(packet).clone();
    let notes = members.entry("notes").or_insert_with(|| json!([]));
    let question = background.question.as_deref().unwrap_or("a question");
    if let Value::Array(notes) = notes {
        notes.push(json!(format!("asked: {question} answered: {text}")));
    }
    let source = Value::Object(members).to_string();
    let incoming = Incoming { source: source.as_bytes(), is_revision: true, ..PLAIN };
    paper(background, incoming)
}
