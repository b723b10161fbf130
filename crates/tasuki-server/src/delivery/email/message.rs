//! The form of emails: a notice as plain text.

use jiff::Timestamp;

use crate::delivery::notice::Notice;

/// An email to one mailbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Email {
    pub(crate) subject: String,
    pub(crate) text: String,
    /// Identifies the message if it is sent twice.
    pub(crate) id: String,
    pub(crate) at: Timestamp,
}

impl From<&Notice> for Email {
    fn from(notice: &Notice) -> Self {
        let Notice { title, link, id, at, .. } = notice;
        Self { subject: title.clone(), text: text(notice, link), id: id.clone(), at: *at }
    }
}

/// Returns the text of a notice, where to decide, and the command.
fn text(notice: &Notice, link: &str) -> String {
    let text = notice.text();
    let Some(command) = &notice.command else { return format!("{text}\n\n{link}\n") };
    let text = match &notice.code_link {
        None => text,
        Some(code) => format!("{text}\n\nAccept or reject, once and within 24 hours, at\n{code}"),
    };
    format!("{text}\n\nDecide at\n{link}\n\nor with\n{command}\n")
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
