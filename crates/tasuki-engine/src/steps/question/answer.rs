//! The sender answers a question, which makes a new revision.

use serde::Serialize;
use serde_json::{Value, json};
use tasuki_packet::Members;
use tasuki_packet::id::{HandoffId, PartyId, QuestionId};
use tasuki_packet::leaf::EventType;

use crate::model::{
    Change, Context, DocumentKind, Handoff, Hold, LoadSet, OpenQuestion, Reason, Scope, Sealed,
    State,
};
use crate::ports::Loaded;
use crate::prepare::input::PrepareInput;
use crate::prepare::packet::{Incoming, prepare_packet};
use crate::prepare::parties::current;
use crate::prepare::{PreparedPacket, text};
use crate::refusal::{Refusal, RefusalCode};
use crate::rules::scopes::RequiredScopes;
use crate::rules::{authorization, review};
use crate::steps::revise::{apply_revision, revisable, revised};
use crate::steps::step::{PreparedStep, optional_source_digest};
use crate::steps::{Reads, SeenVersion, Step, decision};

/// An answer.
#[derive(Debug, Clone, Serialize)]
pub struct Answer {
    /// The handoff.
    pub handoff: HandoffId,
    /// The question; optional if only one is open.
    pub question: Option<QuestionId>,
    /// The text of the answer.
    pub text: Option<String>,
    /// The revised packet, if the answer is more than a text.
    #[serde(serialize_with = "optional_source_digest")]
    pub source: Option<Vec<u8>>,
    /// The version that the sender saw.
    pub seen: SeenVersion,
}

/// An answer with its text scanned for secrets, and the revision that it makes.
#[derive(Debug)]
pub struct PreparedAnswer {
    request: Answer,
    text: Reason,
    /// The revision; `None` if a person asked about an action, which has none.
    packet: Option<Box<PreparedPacket>>,
}

impl Step for Answer {
    const NAME: &'static str = "answer";
    const SCOPES: RequiredScopes = RequiredScopes::Any(&[Scope::Submit, Scope::Receive]);
    type Prepared = PreparedAnswer;

    fn reads(&self) -> Reads {
        Reads::Answer(self.handoff, self.question)
    }

    fn prepare(&self, input: &PrepareInput) -> Result<PreparedAnswer, Refusal> {
        let text = text::reason(self.text.as_deref(), &input.directory.settings)?;
        if text.text.is_none() && self.source.is_none() {
            return Err(Refusal::new(RefusalCode::ReasonMissing, "the answer is empty")
                .hint("add the answer with `-m`, or a revised packet with `--file`"));
        }
        let packet = match &self.source {
            Some(source) => Some(prepare_packet(input, Incoming::revision(source))?),
            None if awaits_approval(current(input)?) => None,
            None => Some(with_note(input, text.text.as_deref().unwrap_or_default())?),
        };
        Ok(PreparedAnswer { request: self.clone(), text, packet: packet.map(Box::new) })
    }
}

/// Prepares the current packet with question and answer among its notes.
fn with_note(input: &PrepareInput, text: &str) -> Result<PreparedPacket, Refusal> {
    current(input)?;
    let mut members = input.packet().map_or_else(Members::new, |own| own.members().clone());
    let question = input.question.as_deref().unwrap_or("a question");
    let note = json!(format!("asked: {question} answered: {text}"));
    let mut notes = match members.get("notes") {
        Some(Value::Array(notes)) => notes.clone(),
        None | Some(Value::Null) => Vec::new(),
        Some(other) => vec![other.clone()],
    };
    notes.push(note);
    members.insert("notes".to_owned(), Value::Array(notes));
    let source = Value::Object(members).to_string();
    prepare_packet(input, Incoming::revision(source.as_bytes()))
}

impl PreparedStep for PreparedAnswer {
    fn handoff(&self) -> Option<HandoffId> {
        Some(self.request.handoff)
    }

    fn redacted_count(&self) -> usize {
        self.text.redacted_count
    }

    fn load_further(&self, _caller: PartyId, loaded: &Loaded, set: &mut LoadSet) {
        set.reviewed_of_tasks.extend(loaded.task_of(self.request.handoff));
    }

    fn packet(&self) -> Option<&PreparedPacket> {
        self.packet.as_deref()
    }

    fn decide(&self, context: &Context<'_>) -> Result<Change, Refusal> {
        let handoff = context.state.handoff(self.request.handoff)?;
        match &self.packet {
            Some(packet) => answer(context, &self.request, &self.text, packet),
            None if awaits_approval(handoff) => {
                answer_about_action(context, handoff, &self.request, &self.text)
            }
            None => {
                let message = "the handoff changed while its answer was prepared";
                Err(Refusal::new(RefusalCode::PolicyChanged, message).hint("try again"))
            }
        }
    }
}

/// Requires an open question that the caller may answer.
pub(crate) fn may_answer(context: &Context<'_>, handoff: &Handoff) -> Result<(), Refusal> {
    if handoff.progress.questions.is_empty() {
        return Err(no_question());
    }
    if awaits_approval(handoff) {
        return may_answer_about_action(context, handoff);
    }
    may_answer_with_revision(context, handoff)
}

fn may_answer_with_revision(context: &Context<'_>, handoff: &Handoff) -> Result<(), Refusal> {
    authorization::sender(context, handoff)?;
    revisable(handoff, "answer a question on")
}

fn may_answer_about_action(context: &Context<'_>, handoff: &Handoff) -> Result<(), Refusal> {
    if handoff.claim().is_some_and(|claim| claim.holder == context.principal.party) {
        return authorization::scope(context, Scope::Receive);
    }
    authorization::sender(context, handoff)
}

fn no_question() -> Refusal {
    Refusal::new(RefusalCode::QuestionUnknown, "no open question")
        .hint("use `tasuki revise` to change the packet")
}

fn awaits_approval(handoff: &Handoff) -> bool {
    matches!(handoff.progress.state, State::Held(Hold { approval_request: Some(_), .. }))
}

/// Answers a question about an action. The action stays as it is, and so does the hold.
fn answer_about_action(
    context: &Context<'_>,
    handoff: &Handoff,
    request: &Answer,
    text: &Reason,
) -> Result<Change, Refusal> {
    may_answer_about_action(context, handoff)?;
    decision::check(context, handoff, &request.seen)?;
    let question = find_question(handoff.progress.questions.as_slice(), request)?;
    let mut change = Change::default();
    record(context, handoff, question, text, &mut change);
    let mut after = handoff.clone();
    after.progress.questions.retain(|open| open.id != question);
    change.show(after.id);
    change.put(after);
    Ok(change)
}

/// Records the event and the document of an answer.
fn record(
    context: &Context<'_>,
    handoff: &Handoff,
    question: QuestionId,
    text: &Reason,
    change: &mut Change,
) {
    let document = json!({ "question": question, "answer": text.text });
    let sealed = Sealed::document(&document, context.seed.salt("answer"));
    change
        .record_event(EventType::Answered, handoff.id, context.actor())
        .with("question", question)
        .bringing(sealed.commitment)
        .because(text.text.as_deref());
    change.put_document(handoff.id, DocumentKind::Answer, question.to_string(), sealed);
    change.answer.document = Some(question.to_string());
}

fn answer(
    context: &Context<'_>,
    request: &Answer,
    text: &Reason,
    prepared: &PreparedPacket,
) -> Result<Change, Refusal> {
    let handoff = context.state.handoff(request.handoff)?;
    may_answer_with_revision(context, handoff)?;
    decision::check(context, handoff, &request.seen)?;
    let question = find_question(handoff.progress.questions.as_slice(), request)?;
    let mut change = Change::default();
    let mut after = handoff.clone();
    apply_revision(context, &mut after, prepared)?;
    // A text does not make another packet of it, although it becomes a note.
    if request.source.is_some() {
        review::mark_revision(context, &mut after);
    }
    after.progress.questions.retain(|open| open.id != question);
    record(context, handoff, question, text, &mut change);
    Ok(revised(context, after, prepared, change))
}

/// Returns the question that is answered: the named one, or the only open one.
pub(crate) fn find_question(
    open: &[OpenQuestion],
    request: &Answer,
) -> Result<QuestionId, Refusal> {
    let named = |question: &&OpenQuestion| request.question.is_none_or(|id| id == question.id);
    let ids = || open.iter().map(|question| question.id.to_string()).collect::<Vec<_>>().join(", ");
    match (open.iter().filter(named).collect::<Vec<_>>().as_slice(), request.question) {
        ([one], _) => Ok(one.id),
        ([], None) => Err(no_question()),
        ([], Some(id)) => {
            let refusal =
                Refusal::new(RefusalCode::QuestionUnknown, format!("question {id} is not open"));
            Err(if open.is_empty() {
                refusal.hint("no question is open; use `tasuki revise` to change the packet")
            } else {
                refusal.hint(format!("open questions: {}", ids()))
            })
        }
        (several, _) => {
            let message = format!("{} questions are open", several.len());
            Err(Refusal::new(RefusalCode::ArgumentInvalid, message)
                .hint(format!("name the question to answer: {}", ids())))
        }
    }
}
