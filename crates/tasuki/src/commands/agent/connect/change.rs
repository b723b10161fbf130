//! One change of a file that belongs to the user: only our own entries are added and removed.

use serde_json::Value;

use super::{json, section, table};

/// The content that goes into a file.
#[derive(Debug, Clone)]
pub(super) enum Change {
    /// Members of a JSON object, and groups of hooks.
    Json(JsonEntries),
    /// The table of an MCP server in TOML.
    Table(Value),
    /// A marked section of a text for agents.
    Section(String),
    /// A file of our own.
    Whole(String),
}

/// Entries of a JSON file.
#[derive(Debug, Clone, Default)]
pub(super) struct JsonEntries {
    /// The member that lists the MCP servers, and our server.
    pub(super) server: Option<(&'static str, Value)>,
    /// Groups of hooks by the host's event.
    pub(super) hooks: Vec<(&'static str, Value)>,
}

impl Change {
    /// Returns the text with our entries, or why it cannot be changed. Entries from an earlier time
    /// are replaced.
    pub(super) fn added_to(&self, text: Option<&str>) -> Result<String, String> {
        let text = text.unwrap_or_default();
        match self {
            Self::Json(entries) => json::replaced(entries, text),
            Self::Table(server) => table::added(server, text),
            Self::Section(body) => Ok(section::added(body, text)),
            Self::Whole(body) => Ok(body.clone()),
        }
    }

    /// Returns the text without our entries, or none if nothing else is in it.
    pub(super) fn removed_from(&self, text: &str) -> Result<Option<String>, String> {
        match self {
            Self::Json(entries) => json::removed(entries, text).map(Some),
            Self::Table(_) => table::removed(text).map(Some),
            Self::Section(_) => Ok(Some(section::removed(text))),
            Self::Whole(_) => Ok(None),
        }
    }

    /// Returns `true` if a text has our entries.
    pub(super) fn is_in(&self, text: &str) -> bool {
        match self {
            Self::Whole(_) => true,
            _ => self.removed_from(text).is_ok_and(|without| without.as_deref() != Some(text)),
        }
    }

    /// Returns the entries alone, for people who add them by hand.
    pub(super) fn snippet(&self) -> String {
        self.added_to(None).unwrap_or_default()
    }
}
