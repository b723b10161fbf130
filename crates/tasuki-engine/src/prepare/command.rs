//! From what a door hands in to what enters the line.

use serde_json::{Value, json};
use tasuki_packet::gate::Gate;
use tasuki_packet::rules::Rules;
use tasuki_packet::{Members, Violation};

use super::contract::broken_on;
use super::packet::{Incoming, action, paper};
use super::parties::current;
use super::text;
use crate::command::{Command, Prepared};
use crate::model::directory::Published;
use crate::model::document::Sealed;
use crate::model::handoff::{Hold, State};
use crate::model::reason::Reason;
use crate::prepare::Paper;
use crate::prepare::checkpoint::checkpoint;
use crate::prepare::contract::Onward;
use crate::prepare::input::Background;
use crate::prepare::returns::returning;
use crate::refusal::{Refusal, RefusalCode};
use crate::rules::edge_policy::Edge;
use crate::steps::decision::Reroute;
use crate::steps::revise::Edited;
use crate::steps::{ask, begin, claim, return_packet, submit};

const PLAIN: Incoming<'static> = Incoming {
    source: &[],
    to: None,
    supersedes: None,
    is_passed_on: false,
    is_own: false,
    is_revision: false,
};

/// Reads, checks and seals what a command brings. The bytes that it came with stay behind.
pub fn prepare(command: &Command, background: &Background) -> Result<Prepared, Refusal> {
    let reason =
        |text: &Option<String>| text::reason(text.as_deref(), &background.directory.settings);
    Ok(match command {
        Command::Begin(request) => prepare_begin(request, background)?,
        Command::Submit(request) => prepare_submit(request, background)?,
        Command::Revise(request) => {
            let incoming = Incoming { source: &request.source, is_revision: true, ..PLAIN };
            let paper = paper(background, incoming)?;
            Prepared::Revise(request.clone(), Box::new(paper))
        }
        Command::Ask(request) => {
            let settings = &background.directory.settings;
            let mut request = request.clone();
            request.field = text::name(request.field.as_deref(), settings)?;
            let text = text::reason(Some(&request.text), settings)?;
            Prepared::Ask(request, text)
        }
        Command::Answer(request) => prepare_answer(request, background)?,
        Command::Claim(request) => prepare_claim(request, background)?,
        Command::Checkpoint(request) => {
            let progress = checkpoint(background, &request.source)?;
            Prepared::Checkpoint(request.clone(), progress)
        }
        Command::Hold(request) => {
            text::within_limits("action", &request.action)?;
            // With something cut out, leave would be for other bytes than the holder means.
            text::must_have_no_secrets(&request.action)?;
            let action = Sealed::document(&request.action, background.draw.salt("action"));
            Prepared::Hold(request.clone(), action)
        }
        Command::Return(request) => {
            let returning = returning(background, &request.source)?;
            let request = return_packet::Request { shown: request.shown, source: Vec::new() };
            Prepared::Return(request, Box::new(returning))
        }
        Command::Edit(request) => {
            let edited = prepare_edit(&request.source, background)?;
            let reason = reason(&request.reason)?;
            Prepared::Edit(request.clone(), edited, reason)
        }
        Command::Decline(request) => with(request, Prepared::Decline, |r| reason(&r.reason))?,
        Command::Park(request) => with(request, Prepared::Park, |r| reason(&r.reason))?,
        Command::Release(request) => with(request, Prepared::Release, |r| reason(&r.reason))?,
        Command::Verify(request) => with(request, Prepared::Verify, |r| reason(&r.reason))?,
        Command::Accept(request) => with(request, Prepared::Accept, |r| reason(&r.reason))?,
        Command::SignOff(request) => with(request, Prepared::SignOff, |r| reason(&r.reason))?,
        Command::Reject(request) => with(request, Prepared::Reject, |r| reason(&r.reason))?,
        Command::Reroute(request) => {
            let onward = Box::new(onward(background, request));
            Prepared::Reroute(request.clone(), reason(&request.reason)?, onward)
        }
        Command::Intercept(request) => with(request, Prepared::Intercept, |r| reason(&r.reason))?,
        Command::Cancel(request) => with(request, Prepared::Cancel, |r| reason(&r.reason))?,
        Command::Redrive(request) => with(request, Prepared::Redrive, |r| reason(&r.reason))?,
        Command::Discard(request) => with(request, Prepared::Discard, |r| reason(&r.reason))?,
        Command::Halt(request) => with(request, Prepared::Halt, |r| reason(&r.reason))?,
        Command::CreateToken(request) => {
            let mut request = request.clone();
            request.name = text::name(request.name.as_deref(), &background.directory.settings)?;
            Prepared::CreateToken(request)
        }
        other => prepare_policy(other)?,
    })
}

/// What brings nothing but policy, or nothing at all.
fn prepare_policy(command: &Command) -> Result<Prepared, Refusal> {
    Ok(match command {
        Command::PublishContract(record) => {
            let published = Published::of(record).map_err(|found| invalid("contract", found))?;
            Prepared::PublishContract(record.clone(), Box::new(published))
        }
        Command::PublishGate(record) => {
            let gate = Gate::read(&record.document).map_err(|found| invalid("gate", found))?;
            Prepared::PublishGate(record.clone(), Box::new(gate))
        }
        Command::SetRules(record) => {
            let rules =
                Rules::read(&record.document).map_err(|found| invalid("rules document", found))?;
            Prepared::SetRules(record.clone(), Box::new(rules))
        }
        Command::AddParty(request) => Prepared::AddParty(request.clone()),
        Command::RevokeToken(request) => Prepared::RevokeToken(*request),
        Command::AddSubscription(request) => Prepared::AddSubscription(request.clone()),
        Command::DisableSubscription(request) => Prepared::DisableSubscription(*request),
        Command::EnableSubscription(request) => Prepared::EnableSubscription(*request),
        Command::RemoveSubscription(request) => Prepared::RemoveSubscription(*request),
        Command::RotateSecret(request) => Prepared::RotateSecret(*request),
        Command::SetSettings(changes) => Prepared::SetSettings(changes.clone()),
        Command::NoteRestore(restored) => Prepared::NoteRestore(*restored),
        Command::Resume(request) => Prepared::Resume(*request),
        Command::Renew(request) => Prepared::Renew(*request),
        Command::Deliver(request) => Prepared::Deliver(*request),
        Command::NoteUntold(request) => Prepared::NoteUntold(*request),
        _ => Prepared::Settle,
    })
}

fn with<R: Clone>(
    request: &R,
    prepared: impl FnOnce(R, Reason) -> Prepared,
    reason: impl FnOnce(&R) -> Result<Reason, Refusal>,
) -> Result<Prepared, Refusal> {
    let reason = reason(request)?;
    Ok(prepared(request.clone(), reason))
}

/// The refusal of a document that is to be published.
pub fn invalid(what: &str, violations: Vec<Violation>) -> Refusal {
    Refusal { code: RefusalCode::DocumentInvalid, ..text::invalid(what, violations) }
        .hint("every violation names its place in the document")
}

fn prepare_begin(request: &begin::Request, background: &Background) -> Result<Prepared, Refusal> {
    text::key(request.key.as_deref())?;
    let incoming = Incoming { source: &request.source, is_own: true, ..PLAIN };
    let paper = paper(background, incoming)?;
    Ok(Prepared::Begin(request.clone(), Box::new(paper)))
}

fn prepare_submit(request: &submit::Request, background: &Background) -> Result<Prepared, Refusal> {
    let incoming = Incoming {
        source: &request.source,
        to: request.to.as_deref(),
        supersedes: request.supersedes,
        is_passed_on: request.parent.is_some(),
        ..PLAIN
    };
    let mut paper = paper(background, incoming)?;
    paper.terms.is_hold_asked = request.hold;
    let request = submit::Request {
        source: Vec::new(),
        to: request.to.clone(),
        hold: request.hold,
        supersedes: request.supersedes,
        parent: request.parent,
    };
    Ok(Prepared::Submit(request, Box::new(paper)))
}

fn prepare_claim(request: &claim::Request, background: &Background) -> Result<Prepared, Refusal> {
    let mut request = request.clone();
    text::key(request.key.as_deref())?;
    let settings = &background.directory.settings;
    let said = [("read-back", &mut request.read_back), ("drift report", &mut request.drift)];
    let mut cut = 0;
    for (what, said) in said {
        if let Some(said) = said {
            text::within_limits(what, said)?;
            cut += text::without_secrets(said, settings)?;
        }
    }
    Ok(Prepared::Claim(request, cut))
}

/// While a holder asks leave the action is edited, else the packet.
fn prepare_edit(source: &[u8], background: &Background) -> Result<Edited, Refusal> {
    if let State::Held(Hold { asked_by: Some(_), .. }) = current(background)?.progress.state {
        return action(background, source).map(Edited::Action);
    }
    let incoming = Incoming { source, is_revision: true, ..PLAIN };
    paper(background, incoming).map(|paper| Edited::Packet(Box::new(paper)))
}

/// What keeps the packet from the edge to its new receiver.
fn onward(background: &Background, request: &Reroute) -> Onward {
    let directory = &background.directory;
    let (Some(handoff), Some(packet)) = (&background.handoff, background.packet()) else {
        return Onward::default();
    };
    // No contract leads to whom nobody knows.
    let to = directory.find(&request.to).ok();
    let edge = to.map(|party| Edge::to(directory, &handoff.facts, party.id));
    let violations = edge.map_or_else(Vec::new, |edge| broken_on(directory, packet, &edge));
    let refusal = (!violations.is_empty()).then(|| {
        text::invalid("packet", violations)
            .hint("revise it first, or let a person look at it and reroute it")
    });
    Onward { revision: handoff.facts.revision, refusal }
}

fn prepare_answer(request: &ask::Answer, background: &Background) -> Result<Prepared, Refusal> {
    let text = text::reason(request.text.as_deref(), &background.directory.settings)?;
    if text.text.is_none() && request.source.is_none() {
        return Err(Refusal::new(RefusalCode::ReasonMissing, "an answer says something")
            .hint("add the answer with `-m`, or a revised packet with `--file`"));
    }
    let paper = match &request.source {
        Some(source) => paper(background, Incoming { source, is_revision: true, ..PLAIN })?,
        None => answered(background, text.text.as_deref().unwrap_or_default())?,
    };
    Ok(Prepared::Answer(request.clone(), text, Box::new(paper)))
}

/// The current packet with question and answer among its notes.
fn answered(background: &Background, text: &str) -> Result<Paper, Refusal> {
    current(background)?;
    let mut members = background.packet().map_or_else(Members::new, |own| own.members().clone());
    let question = background.question.as_deref().unwrap_or("a question");
    let note = json!(format!("asked: {question} answered: {text}"));
    let mut notes = match members.get("notes") {
        Some(Value::Array(notes)) => notes.clone(),
        None | Some(Value::Null) => Vec::new(),
        Some(other) => vec![other.clone()],
    };
    notes.push(note);
    members.insert("notes".to_owned(), Value::Array(notes));
    let source = Value::Object(members).to_string();
    let incoming = Incoming { source: source.as_bytes(), is_revision: true, ..PLAIN };
    paper(background, incoming)
}
