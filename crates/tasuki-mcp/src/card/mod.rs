//! The card: a handoff as a page inside the conversation, in hosts that show MCP Apps.
//!
//! The page is one file without anything from elsewhere, and it decides nothing. It gets the result of
//! `handoff_brief` from the host, and what only the page shows in `_meta` of that result, so that no
//! model pays for it. Hosts without MCP Apps ignore both.

use rmcp::model::{MetaObject, ReadResourceResult, ResourceContents};
use serde_json::{Value, json};
use tasuki_api::Handoff;

use crate::exchange::{Refusal, encoded};
use crate::session::Session;

/// The identifier of the extension for pages of a server, MCP Apps.
pub(crate) const EXTENSION: &str = "io.modelcontextprotocol/ui";

/// The URI of the page.
pub(crate) const URI: &str = "ui://tasuki/card.html";

const MEDIA: &str = "text/html;profile=mcp-app";

/// The member of `_meta` with what only the page shows.
const FACTS: &str = "dev.tasuki/card";

const PAGE: &str = include_str!("card.html");

/// Returns `_meta` of a tool whose results the page shows.
pub(crate) fn tool_meta() -> MetaObject {
    object(json!({ "ui": { "resourceUri": URI } }))
}

/// Returns the page. It may reach no network and no device.
pub(crate) fn read() -> ReadResourceResult {
    let csp = json!({ "connectDomains": [], "resourceDomains": [], "frameDomains": [],
        "baseUriDomains": [] });
    let meta = object(json!({ "ui": { "csp": csp, "permissions": {}, "prefersBorder": true } }));
    let content = ResourceContents::text(PAGE, URI).with_mime_type(MEDIA).with_meta(meta);
    ReadResourceResult::new(vec![content])
}

/// Returns the facts of a handoff that only the page shows.
pub(crate) async fn facts(session: &Session, handoff: &Handoff) -> Result<Value, Refusal> {
    let Handoff { from, to, holder, goal, risk, deciders, .. } = handoff;
    let mut facts = json!({ "from": from, "to": to, "goal": goal, "risk": risk });
    if let Some(holder) = holder {
        facts["holder"] = json!(holder);
    }
    if !deciders.is_empty() {
        facts["deciders"] = json!(deciders);
    }
    if let Some(console) = console(session, &handoff.id).await? {
        facts["console"] = json!(console);
    }
    Ok(facts)
}

/// Returns the address of a handoff in the console, if the address of the server is known.
async fn console(session: &Session, handoff: &str) -> Result<Option<String>, Refusal> {
    let Some(base) = session.public_url() else { return Ok(None) };
    let project = session.whoami().await?.project.unwrap_or_default();
    let base = base.trim_end_matches('/');
    Ok(Some(format!("{base}/ui/p/{}/h/{}", encoded(&project), encoded(handoff))))
}

/// Returns `_meta` of a result with these facts.
pub(crate) fn result_meta(facts: &Value) -> MetaObject {
    object(json!({ FACTS: facts }))
}

fn object(value: Value) -> MetaObject {
    match value {
        Value::Object(members) => MetaObject(members),
        _ => MetaObject::default(),
    }
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use sha2::{Digest as _, Sha256};

    use super::*;

    fn part(tag: &str) -> &'static str {
        let (_, rest) = PAGE.split_once(&format!("<{tag}>")).unwrap();
        rest.split_once(&format!("</{tag}>")).unwrap().0
    }

    fn hash(text: &str) -> String {
        format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text)))
    }

    #[test]
    fn the_page_runs_its_own_script_only() {
        let policy = format!(
            "default-src 'none'; script-src {}; style-src {}; base-uri 'none'; form-action 'none'",
            hash(part("script")),
            hash(part("style"))
        );
        assert!(PAGE.contains(&policy), "the policy of the page must be: {policy}");
        assert_eq!(PAGE.matches("<script").count(), 1);
    }

    #[test]
    fn the_page_loads_nothing_and_never_interprets_text() {
        let wrong = [
            "http://",
            "https://",
            "src=",
            "href=",
            "innerHTML",
            "outerHTML",
            "write(\"",
            "insertAdjacentHTML",
            "eval",
            "Function(",
            "localStorage",
            "fetch(",
            "import(",
        ];
        for word in wrong {
            assert!(!PAGE.contains(word), "{word}");
        }
    }
}
