//! The receiver wants to know something before it takes the work; the sender answers.
//!
//! A blocking question keeps everybody from claiming. An answer makes a new revision: what was
//! asked and what was said is part of the packet from then on.

use serde_json::json;
use tasuki_packet::id::{HandoffId, QuestionId};
use tasuki_packet::leaf::EventType;

use crate::authority;
use crate::change::Change;
use crate::context::Context;
use crate::document::{DocumentKind, Sealed};
use crate::handoff::{OpenQuestion, State};
use crate::limits::QUESTIONS_MAX;
use crate::prepare::Paper;
use crate::reason::Reason;
use crate::refusal::{Refusal, RefusalCode};
use crate::revise::{revisable, revised, take_in};
use crate::view;

/// A question.
#[derive(Debug, Clone)]
pub struct Ask {
    /// The handoff.
    pub handoff: HandoffId,
    /// The field of the packet that it is about.
    pub field: Option<String>,
    /// What the receiver wants to know.
    pub text: String,
    /// Whether nobody may claim before it is answered.
    pub is_blocking: bool,
}

/// An answer.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The handoff.
    pub handoff: HandoffId,
    /// The question; not needed where only one is open.
    pub question: Option<QuestionId>,
    /// What the sender says.
    pub text: Option<String>,
    /// The revised packet, if the answer is more than a sentence.
    pub source: Option<Vec<u8>>,
}

/// Decides a question.
pub fn ask(context: &Context<'_>, request: &Ask, text: &Reason) -> Result<Change, Refusal> {
    let handoff = context.state.handoff(request.handoff)?;
    authority::receiver(context, handoff)?;
    let State::Offered(_) = handoff.progress.state else {
        return Err(authority::wrong_state(handoff, "ask about", "offered"));
    };
    if handoff.progress.questions.len() >= QUESTIONS_MAX {
        let message =
            format!("handoff {} has {QUESTIONS_MAX} open questions, the limit", handoff.id);
        return Err(
            Refusal::new(RefusalCode::StateConflict, message).hint("wait for answers, or decline")
        );
    }
    let text = text.required("ask")?;
    let id: QuestionId = context.draw.id("question", context.now);
    let document = json!({
        "question": text,
        "field": request.field,
        "blocking": request.is_blocking,
    });
    let sealed = Sealed::document(&document, context.draw.salt("question"));
    let mut change = Change::default();
    change
        .happened(EventType::Asked, handoff.id, context.actor())
        .with("question", id)
        .with("blocking", if request.is_blocking { "yes" } else { "no" })
        .bringing(sealed.commitment)
        .because(Some(text));
    change.keep(handoff.id, DocumentKind::Question, id.to_string(), sealed);
    let mut after = handoff.clone();
    let (by, is_blocking) = (context.principal.party, request.is_blocking);
    after.progress.questions.push(OpenQuestion { id, by, is_blocking });
    after.progress.progress_at = context.now;
    after.progress.delivered_at.get_or_insert(context.now);
    change.answer.document = Some(id.to_string());
    change.answer.handoff = Some(view::handoff(&context.state.directory, &after));
    change.put(after);
    Ok(change)
}

/// Decides an answer.
pub fn answer(
    context: &Context<'_>,
    request: &Answer,
    text: &Reason,
    paper: &Paper,
) -> Result<Change, Refusal> {
    let handoff = context.state.handoff(request.handoff)?;
    authority::sender(context, handoff)?;
    revisable(handoff, "answer about")?;
    let question = meant(handoff.progress.questions.as_slice(), request)?;
    let document = json!({ "question": question, "answer": text.text });
    let sealed = Sealed::document(&document, context.draw.salt("answer"));
    let mut change = Change::default();
    let mut after = handoff.clone();
    take_in(context, &mut after, paper);
    after.progress.questions.retain(|open| open.id != question);
    change
        .happened(EventType::Answered, handoff.id, context.actor())
        .with("question", question)
        .bringing(sealed.commitment)
        .because(text.text.as_deref());
    change.keep(handoff.id, DocumentKind::Answer, question.to_string(), sealed);
    change.answer.document = Some(question.to_string());
    Ok(revised(context, after, paper, change))
}

fn meant(open: &[OpenQuestion], request: &Answer) -> Result<QuestionId, Refusal> {
    let named = |question: &&OpenQuestion| request.question.is_none_or(|id| id == question.id);
    match open.iter().filter(named).collect::<Vec<_>>().as_slice() {
        [one] => Ok(one.id),
        [] => Err(Refusal::new(RefusalCode::QuestionUnknown, "there is no such open question")
            .hint("`tasuki show` lists the open questions")),
        several => {
            let ids: Vec<String> = several.iter().map(|question| question.id.to_string()).collect();
            Err(Refusal::new(RefusalCode::ArgumentInvalid, "several questions are open")
                .hint(format!("say which: {}", ids.join(", "))))
        }
    }
}
