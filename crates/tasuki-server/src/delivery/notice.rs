//! The content of messages to people: mail, Slack and ntfy say the same.
//!
//! A notice names the handoff, what holds it, where to decide and the command that decides. It
//! quotes at most 200 characters of the goal or action, and nothing that a gate or classification
//! protects. All text of other parties is on one line, with control characters made visible.

use jiff::Timestamp;
use tasuki_api as api;
use tasuki_engine::limits::QUOTED_CHARACTERS_MAX;
use tasuki_engine::model::{FailureKind, Handoff, PendingKind};
use tasuki_engine::query::quotation::Quotation;
use tasuki_engine::query::reference;
use tasuki_packet::leaf::EventType;
use tasuki_packet::render::line;

use crate::delivery::links::Links;

/// LIMIT: handoffs that a digest names.
const DIGEST_MAX: usize = 20;

/// A message to a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Notice {
    /// The subject, on one line.
    pub(crate) title: String,
    /// The sentence before the facts.
    pub(crate) opening: Option<String>,
    /// Lines with a name and a value each.
    pub(crate) lines: Vec<String>,
    /// The address in the console.
    pub(crate) link: String,
    /// The command that decides, for a handoff that waits for a decision.
    pub(crate) command: Option<String>,
    /// The address where the person decides without signing in. It is only for their own mailbox.
    pub(crate) code_link: Option<String>,
    /// `true` for high risk.
    pub(crate) is_urgent: bool,
    /// Identifies the message if it is sent twice.
    pub(crate) id: String,
    pub(crate) at: Timestamp,
}

/// The handoff that a notice is about.
#[derive(Debug, Clone)]
pub(crate) struct Subject {
    pub(crate) handoff: Handoff,
    pub(crate) card: api::Handoff,
    pub(crate) quotation: Option<Quotation>,
}

impl Notice {
    /// Adds a code that decides without signing in.
    pub(crate) fn with_code(self, links: &Links, code: Option<&str>) -> Self {
        Self { code_link: code.map(|code| links.mail_code(code)), ..self }
    }

    /// Returns the opening and the lines.
    pub(crate) fn text(&self) -> String {
        let gap = self.opening.is_some() && !self.lines.is_empty();
        let opening = self.opening.iter().map(String::as_str).chain(gap.then_some(""));
        opening.chain(self.lines.iter().map(String::as_str)).collect::<Vec<_>>().join("\n")
    }
}

/// Returns the notice of an event for a subscriber.
pub(crate) fn of_event(links: &Links, event: &api::Event, subject: Option<&Subject>) -> Notice {
    let about = event.task.as_deref().unwrap_or(&links.name);
    let held = subject.filter(|_| event.kind == EventType::Held.name());
    if let Some(subject) = held.filter(|subject| subject.card.state == "held") {
        let what = match subject.card.action {
            Some(_) => "An action is waiting for approval",
            None => "A handoff is waiting for a decision",
        };
        let facts = facts_of(event, Some(subject));
        return Notice {
            opening: Some(format!("{what}.")),
            command: command(&subject.card),
            ..notice(links, event, &format!("{what}: {about}"), facts)
        };
    }
    let mut facts = vec![("Event", event.kind.clone())];
    facts.extend(facts_of(event, subject));
    facts.push(("By", event.actor.clone()));
    facts.extend(event.after.clone().map(|state| ("State", state)));
    notice(links, event, &format!("{}: {about}", event.kind), facts)
}

/// Returns the notice for a person with a pending action.
pub(crate) fn to_person(
    links: &Links,
    event: &api::Event,
    kind: PendingKind,
    subject: &Subject,
) -> Notice {
    let what = match kind {
        PendingKind::Offer => "A handoff is offered to you",
        PendingKind::Hold if subject.card.action.is_some() => {
            "An action is waiting for your approval"
        }
        PendingKind::Hold => "A handoff is waiting for your decision",
        PendingKind::Question => "A question is waiting for your answer",
        // The verdict was escalated, not the work.
        PendingKind::Escalation if event.after.as_deref() == Some("returned") => {
            "A return is waiting for your verdict"
        }
        PendingKind::Escalation => "A handoff was escalated to you",
        PendingKind::Failure(FailureKind::Rejected) => "A handoff was rejected",
        PendingKind::Failure(FailureKind::Dead) => "A handoff is a dead letter",
        PendingKind::Failure(FailureKind::NotificationFailed) => {
            "No one could be notified of a handoff"
        }
    };
    let about = event.task.as_deref().unwrap_or(&links.name);
    let command = if kind == PendingKind::Hold { command(&subject.card) } else { None };
    let facts = facts_of(event, Some(subject));
    let opening = Some(format!("{what}."));
    Notice { opening, command, ..notice(links, event, &format!("{what}: {about}"), facts) }
}

/// Returns the digest of what still waits for a person. It quotes nothing.
pub(crate) fn digest(links: &Links, waiting: &[api::Handoff], now: Timestamp) -> Notice {
    let what = match waiting.len() {
        1 => "1 handoff is still waiting for you".to_owned(),
        count => format!("{count} handoffs are still waiting for you"),
    };
    let line = |card: &api::Handoff| {
        let since = card.since.map(|since| format!(" since {}", since.strftime("%F %H:%M UTC")));
        let risk = if card.risk == "high" { ", high risk" } else { "" };
        format!("{}: {}{}{risk}", cut(&card.task), card.state, since.unwrap_or_default())
    };
    let mut lines: Vec<String> = waiting.iter().take(DIGEST_MAX).map(line).collect();
    if let Some(more @ 1..) = waiting.len().checked_sub(DIGEST_MAX) {
        lines.push(format!("and {more} more"));
    }
    let Links { project, name, .. } = links;
    Notice {
        title: format!("{what}: {name}"),
        opening: Some(format!("{what}.")),
        lines,
        link: links.inbox(),
        command: None,
        code_link: None,
        is_urgent: waiting.iter().any(|card| card.risk == "high"),
        id: format!("{project}.digest.{}@tasuki", now.as_microsecond()),
        at: now,
    }
}

/// Returns a notice that tests delivery.
pub(crate) fn test(links: &Links, now: Timestamp) -> Notice {
    let Links { project, name, .. } = links;
    Notice {
        title: format!("Tasuki: {name}"),
        opening: Some(format!("Notifications of project {name} will arrive here.")),
        lines: Vec::new(),
        link: links.inbox(),
        command: None,
        code_link: None,
        is_urgent: false,
        id: format!("{project}.test.{}@tasuki", now.as_microsecond()),
        at: now,
    }
}

fn notice(
    links: &Links,
    event: &api::Event,
    title: &str,
    facts: Vec<(&'static str, String)>,
) -> Notice {
    let link = event.handoff.as_ref().map_or_else(|| links.inbox(), |id| links.handoff(id));
    Notice {
        title: cut(title),
        opening: None,
        lines: facts.into_iter().map(|(name, value)| format!("{name}: {}", cut(&value))).collect(),
        link,
        command: None,
        code_link: None,
        is_urgent: event.risk.as_deref() == Some("high"),
        id: format!("{}.{}@tasuki", links.project, event.n),
        at: event.at,
    }
}

fn facts_of(event: &api::Event, subject: Option<&Subject>) -> Vec<(&'static str, String)> {
    let quotation = subject.and_then(|subject| subject.quotation.as_ref());
    let quoted = quotation.map(|quotation| {
        (if quotation.is_action { "Action" } else { "Goal" }, quotation.text.clone())
    });
    let causes = subject.map(|subject| held_by(&subject.card)).filter(|causes| !causes.is_empty());
    [
        event.task.clone().map(|task| ("Task", task)),
        quoted,
        causes.map(|causes| ("Reason", causes)),
        event.from.clone().map(|from| ("From", from)),
        event.to.clone().map(|to| ("To", to)),
        event.risk.clone().map(|risk| ("Risk", risk)),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Returns the causes of a hold as a list: `rule money-movement, gate release`.
pub(crate) fn held_by(card: &api::Handoff) -> String {
    let text = |cause: &api::HoldCause| cause.text.trim_start_matches("held by ").to_owned();
    card.causes.iter().map(text).collect::<Vec<_>>().join(", ")
}

/// Returns the command that decides about a held handoff. A reference that a shell could read
/// otherwise is left out.
fn command(card: &api::Handoff) -> Option<String> {
    let is_gate = |reason: &String| reason.starts_with("gate:");
    let verb = match card.held_for.as_slice() {
        [] => return None,
        reasons if reasons.iter().all(is_gate) => "sign-off",
        _ => "approve",
    };
    let reference = reference::decision(card);
    let is_plain =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | ':' | '/' | '@' | '-');
    reference.chars().all(is_plain).then(|| format!("tasuki {verb} {reference}"))
}

/// Returns the text of another party on one line, cut to the length of a quotation.
fn cut(text: &str) -> String {
    let text = line(text);
    if text.chars().count() <= QUOTED_CHARACTERS_MAX {
        return text;
    }
    text.chars().take(QUOTED_CHARACTERS_MAX - 1).chain(['…']).collect()
}
