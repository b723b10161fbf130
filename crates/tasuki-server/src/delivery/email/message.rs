//! The text of emails.

use std::fmt::Write as _;

use jiff::Timestamp;
use tasuki_api as api;
use tasuki_engine::model::{FailureKind, PendingKind};
use tasuki_packet::id::ProjectId;

/// An email to one mailbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Email {
    pub(crate) subject: String,
    pub(crate) text: String,
    /// Identifies the message if it is sent twice.
    pub(crate) id: String,
    pub(crate) at: Timestamp,
}

/// Links into the console for the subject of a message.
#[derive(Debug, Clone)]
pub(crate) struct Links {
    base: String,
    project: ProjectId,
    name: String,
}

impl Links {
    /// Creates links into the project of this name at the public address of the server.
    pub(crate) fn new(base: String, project: ProjectId, name: String) -> Self {
        Self { base, project, name }
    }

    fn handoff(&self, id: &str) -> String {
        format!("{}/ui/p/{}/h/{id}", self.base, self.name)
    }

    fn events(&self) -> String {
        format!("{}/ui/p/{}/", self.base, self.name)
    }
}

/// Returns the email of an event for a subscriber.
pub(crate) fn of_event(links: &Links, event: &api::Event) -> Email {
    let about = event.task.as_deref().unwrap_or(&links.name);
    email(links, event, &format!("{}: {about}", event.kind), "")
}

/// Returns the email of an event for a person with a pending action.
pub(crate) fn to_person(links: &Links, event: &api::Event, kind: PendingKind) -> Email {
    let what = match kind {
        PendingKind::Offer => "A handoff is offered to you",
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
    email(links, event, &format!("{what}: {about}"), &format!("{what}.\n\n"))
}

/// Returns an email that tests delivery.
pub(crate) fn test(links: &Links, now: Timestamp) -> Email {
    let text = format!(
        "Notifications of project {} will arrive at this address.\n\n{}\n",
        links.name,
        links.events()
    );
    let id = format!("{}.test.{}@tasuki", links.project, now.as_microsecond());
    Email { subject: format!("Tasuki: {}", links.name), text, id, at: now }
}

fn email(links: &Links, event: &api::Event, subject: &str, begins: &str) -> Email {
    let mut text = begins.to_owned();
    let rows = [
        ("Event", Some(event.kind.as_str())),
        ("Task", event.task.as_deref()),
        ("From", event.from.as_deref()),
        ("To", event.to.as_deref()),
        ("By", Some(event.actor.as_str())),
        ("State", event.after.as_deref()),
        ("Risk", event.risk.as_deref()),
    ];
    for (name, value) in rows {
        if let Some(value) = value {
            writeln!(text, "{name}: {}", one_line(value)).unwrap_or_default();
        }
    }
    let link = event.handoff.as_ref().map_or_else(|| links.events(), |id| links.handoff(id));
    writeln!(text, "\n{link}").unwrap_or_default();
    Email {
        subject: one_line(subject),
        text,
        id: format!("{}.{}@tasuki", links.project, event.n),
        at: event.at,
    }
}

/// Replaces control characters, so that a name from a packet cannot break a line or hide text.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(200).collect()
}

impl Email {
    /// Returns the message in wire form, including the terminating dot.
    pub(super) fn data(&self, from: &str, to: &str) -> String {
        let date = jiff::fmt::rfc2822::to_string(&self.at.to_zoned(jiff::tz::TimeZone::UTC));
        let head = format!(
            "From: Tasuki <{from}>\r\nTo: <{to}>\r\nSubject: {}\r\nDate: {}\r\nMessage-ID: <{}>\r\n\
             Auto-Submitted: auto-generated\r\nMIME-Version: 1.0\r\n\
             Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n",
            encoded(&self.subject),
            date.unwrap_or_default(),
            self.id,
        );
        // Base64 keeps lines short, and no line starts with a dot.
        head + &wrapped(self.text.as_bytes()) + "."
    }
}

/// Encodes a subject that is not ASCII as RFC 2047 requires.
fn encoded(subject: &str) -> String {
    use base64::Engine as _;
    if subject.is_ascii() {
        return subject.to_owned();
    }
    let mut words = Vec::new();
    let mut rest = subject;
    while !rest.is_empty() {
        // LIMIT: an encoded word has at most 75 characters.
        let end = rest.floor_char_boundary(42);
        let word = base64::engine::general_purpose::STANDARD.encode(&rest[..end]);
        words.push(format!("=?utf-8?B?{word}?="));
        rest = &rest[end..];
    }
    words.join("\r\n ")
}

fn wrapped(bytes: &[u8]) -> String {
    use base64::Engine as _;
    // 57 bytes encode to 76 characters.
    let line = |piece: &[u8]| base64::engine::general_purpose::STANDARD.encode(piece) + "\r\n";
    bytes.chunks(57).map(line).collect()
}
