//! The resources: `handoff://inbox`, and brief, packet and timeline of a handoff.

use rmcp::ErrorData;
use rmcp::model::{
    ReadResourceResult, Resource as Listed, ResourceContents, ResourceTemplate as Template,
};
use serde_json::{Value, json};
use tasuki_api::{Continuation, Handoff, Inbox, InboxFailure};

use crate::exchange::{ApiRequest, Refusal, encoded};
use crate::session::Session;

const SCHEME: &str = "handoff://";

const MARKDOWN: &str = "text/markdown";
const JSON: &str = "application/json";

/// A resource that a URI names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Resource {
    /// `handoff://inbox`: the handoffs that wait for the caller.
    Inbox,
    /// `handoff://{handoff}/…`: one view of a handoff.
    Of(String, View),
}

/// A view of a handoff.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum View {
    Brief,
    Packet,
    Timeline,
}

impl View {
    const ALL: [Self; 3] = [Self::Brief, Self::Packet, Self::Timeline];

    fn word(self) -> &'static str {
        match self {
            Self::Brief => "brief",
            Self::Packet => "packet",
            Self::Timeline => "timeline",
        }
    }

    fn media(self) -> &'static str {
        match self {
            Self::Brief => MARKDOWN,
            Self::Packet | Self::Timeline => JSON,
        }
    }

    fn summary(self) -> &'static str {
        match self {
            Self::Brief => "The work so far: packet, checkpoints and decisions, fenced as data",
            Self::Packet => "The packet to continue from",
            Self::Timeline => "The events of the task, oldest first",
        }
    }
}

impl Resource {
    /// Parses a URI.
    pub(crate) fn parse(uri: &str) -> Option<Self> {
        let path = uri.strip_prefix(SCHEME)?;
        if path == "inbox" {
            return Some(Self::Inbox);
        }
        let (handoff, word) = path.rsplit_once('/')?;
        let view = View::ALL.into_iter().find(|view| view.word() == word)?;
        let handoff = decoded(handoff)?;
        (!handoff.is_empty()).then_some(Self::Of(handoff, view))
    }

    fn uri(&self) -> String {
        match self {
            Self::Inbox => format!("{SCHEME}inbox"),
            Self::Of(handoff, view) => format!("{SCHEME}{}/{}", encoded(handoff), view.word()),
        }
    }

    fn media(&self) -> &'static str {
        match self {
            Self::Inbox => JSON,
            Self::Of(_, view) => view.media(),
        }
    }

    /// Returns the content.
    pub(crate) async fn read(&self, session: &Session) -> Result<ReadResourceResult, Refusal> {
        let text = match self {
            Self::Inbox => pretty(&session.send(ApiRequest::get("/v1/inbox", &[])).await?),
            Self::Of(handoff, View::Brief) => {
                let request = ApiRequest::get("/v1/tasks/{}/packet", &[handoff]);
                session.send::<Continuation>(request.with("as", Some("brief"))).await?.text
            }
            Self::Of(handoff, View::Packet) => {
                pretty(&session.send(ApiRequest::get("/v1/tasks/{}/packet", &[handoff])).await?)
            }
            Self::Of(handoff, View::Timeline) => {
                pretty(&session.send(ApiRequest::get("/v1/tasks/{}/timeline", &[handoff])).await?)
            }
        };
        let content = ResourceContents::text(text, self.uri()).with_mime_type(self.media());
        Ok(ReadResourceResult::new(vec![content]))
    }

    /// Returns a text that changes with the content.
    pub(crate) async fn fingerprint(&self, session: &Session) -> Result<String, Refusal> {
        match self {
            Self::Inbox => {
                let inbox: Inbox = session.send(ApiRequest::get("/v1/inbox", &[])).await?;
                let failed = |one: &InboxFailure| format!("failed {}", one.n);
                let failures = inbox.failures.iter().map(failed);
                let all = inbox.handoffs.iter().map(facts).chain(failures);
                Ok(all.collect::<Vec<_>>().join("\n"))
            }
            Self::Of(handoff, _) => Ok(facts(&session.card(handoff).await?)),
        }
    }
}

fn facts(handoff: &Handoff) -> String {
    let Handoff { id, state, to, revision, checkpoints, attempt, .. } = handoff;
    let (holder, questions) = (&handoff.holder, handoff.questions.len());
    let (decided, since) = (handoff.action.is_some(), handoff.since);
    format!(
        "{id} {state} {to} {revision} {checkpoints} {attempt} {holder:?} {questions} {decided} {since:?}"
    )
}

/// Returns the resources: the inbox, and the brief of each handoff in it.
pub(crate) async fn list(session: &Session) -> Result<Vec<Listed>, Refusal> {
    let inbox: Inbox = session.send(ApiRequest::get("/v1/inbox", &[])).await?;
    let own = Listed::new(Resource::Inbox.uri(), "inbox")
        .with_description("The handoffs that wait for you, most urgent first")
        .with_mime_type(JSON);
    let briefs = inbox.handoffs.into_iter().map(|handoff| {
        let uri = Resource::Of(handoff.id, View::Brief).uri();
        Listed::new(uri, handoff.task).with_description(handoff.goal).with_mime_type(MARKDOWN)
    });
    Ok(std::iter::once(own).chain(briefs).collect())
}

/// Returns the templates of resources.
pub(crate) fn templates() -> Vec<Template> {
    let template = |view: View| {
        Template::new(format!("{SCHEME}{{handoff}}/{}", view.word()), view.word())
            .with_description(view.summary())
            .with_mime_type(view.media())
    };
    View::ALL.into_iter().map(template).collect()
}

/// Reports a URI that names nothing.
pub(crate) fn not_found(uri: &str) -> ErrorData {
    ErrorData::resource_not_found(
        format!("unknown resource `{uri}`; there are handoff://inbox and handoff://TASK/brief"),
        Some(json!({ "uri": uri })),
    )
}

/// Converts the refusal of a read.
pub(crate) fn refused(uri: &str, refusal: &Refusal) -> ErrorData {
    match refusal.status {
        Some(404 | 410) => not_found(uri),
        _ => ErrorData::internal_error(refusal.text(), None),
    }
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}

/// Decodes percent-encoded characters.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        rest = tail;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let digits = rest.get(..2).and_then(|digits| std::str::from_utf8(digits).ok())?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        rest = &rest[2..];
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uri_names_one_view_of_one_handoff() {
        let of = |handoff: &str, view| Some(Resource::Of(handoff.to_owned(), view));
        assert_eq!(Resource::parse("handoff://inbox"), Some(Resource::Inbox));
        assert_eq!(Resource::parse("handoff://build-42/brief"), of("build-42", View::Brief));
        assert_eq!(Resource::parse("handoff://a%2Fb%23c/packet"), of("a/b#c", View::Packet));
        assert_eq!(
            Resource::parse("handoff://Gr%C3%BC%C3%9Fe/timeline"),
            of("Grüße", View::Timeline)
        );
        for wrong in [
            "handoff://",
            "handoff:///brief",
            "handoff://a/b",
            "file:///inbox",
            "handoff://%zz/brief",
        ] {
            assert_eq!(Resource::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn every_uri_is_parsed_as_it_was_written() {
        for view in View::ALL {
            let resource = Resource::Of("a b/ü%".to_owned(), view);
            assert_eq!(Resource::parse(&resource.uri()), Some(resource));
        }
    }
}
