//! The goal or action of a handoff, as mail and chat messages quote it.

use serde_json::Value;
use tasuki_packet::render::line;

use crate::error::Error;
use crate::limits::QUOTED_CHARACTERS_MAX;
use crate::model::Handoff;
use crate::query::continuation::Reader;
use crate::rules::messages;

/// The goal or action of a handoff on one line, without control characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quotation {
    /// `true` for an action that waits for approval, `false` for a goal.
    pub is_action: bool,
    /// The text, at most [`QUOTED_CHARACTERS_MAX`] characters long.
    pub text: String,
    /// `true` if nothing of it was cut off.
    pub is_whole: bool,
}

impl Reader<'_> {
    /// Returns what a message may quote of a handoff: the action that waits for approval, else the
    /// goal. It is `None` if nothing may be quoted.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be read.
    pub async fn quotation(&self, handoff: &Handoff) -> Result<Option<Quotation>, Error> {
        if !messages::may_quote(&self.directory, handoff) {
            return Ok(None);
        }
        let quoted = match self.action(handoff).await? {
            Some(action) => quoted(true, &words(&action)),
            None => quoted(false, &handoff.facts.summary.title),
        };
        Ok(Some(quoted).filter(|quoted| !quoted.text.is_empty()))
    }
}

/// Returns the words of an action that is a sentence or a command, else its JSON.
fn words(action: &Value) -> String {
    let only = action.as_object().filter(|members| members.len() == 1);
    let text = only.and_then(|members| members.get("action")).and_then(Value::as_str);
    text.map_or_else(|| action.to_string(), str::to_owned)
}

fn quoted(is_action: bool, text: &str) -> Quotation {
    let text = line(text);
    let is_whole = text.chars().count() <= QUOTED_CHARACTERS_MAX;
    if is_whole {
        return Quotation { is_action, text, is_whole };
    }
    let text = text.chars().take(QUOTED_CHARACTERS_MAX - 1).chain(['…']).collect();
    Quotation { is_action, text, is_whole }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_text_is_one_line_of_200_characters_without_hidden_ones() {
        let hostile = "pay\n\nApproved by pia\u{202e}\u{1b}[2J";
        let shown = quoted(false, hostile);
        assert_eq!(shown.text, "pay ↵ Approved by pia<U+202E><U+001B>[2J");
        assert!(shown.is_whole);
        let long = quoted(true, &"ü".repeat(201));
        assert_eq!((long.text.chars().count(), long.is_whole), (200, false));
        assert!(long.text.ends_with('…'));
        assert!(quoted(true, &"ü".repeat(200)).is_whole);
    }

    #[test]
    fn an_action_is_quoted_by_its_words() {
        assert_eq!(words(&json!({ "action": "npm publish" })), "npm publish");
        assert_eq!(words(&json!({ "run": "npm publish" })), r#"{"run":"npm publish"}"#);
    }
}
