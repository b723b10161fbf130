//! The JSON that hosts write to a hook.
//!
//! Hosts name the same things differently: `session_id`, `sessionId` or `conversation_id`. Members
//! that are not needed here are ignored, because hosts add new ones.

use std::path::PathBuf;

use serde::Deserialize;
use serde_json::Value;

use crate::commands::agent::host::Host;
use crate::exit::Failure;

/// The members that hooks need.
#[derive(Debug, Default, Deserialize)]
pub(super) struct HookInput {
    #[serde(alias = "sessionId", alias = "conversation_id")]
    pub(super) session_id: Option<String>,
    #[serde(default)]
    cwd: Option<PathBuf>,
    /// The folders of a host without a current directory.
    #[serde(default, alias = "workspaceRoots")]
    workspace_roots: Vec<PathBuf>,
    pub(super) transcript_path: Option<PathBuf>,
    /// The event, in the spelling of Visual Studio Code alone.
    #[serde(rename = "hookEventName")]
    event_of_vscode: Option<String>,
    model: Option<String>,
    /// `true` if the agent continues because a stop hook asked it to.
    #[serde(default, alias = "stopHookActive")]
    pub(super) stop_hook_active: bool,
    /// The last text of the agent.
    #[serde(alias = "lastAssistantMessage", alias = "prompt_response")]
    pub(super) last_assistant_message: Option<String>,
    /// The reason for the end of a session.
    pub(super) reason: Option<String>,
    /// The error that ended a turn: a word, or an object.
    pub(super) error: Option<Value>,
    pub(super) error_details: Option<Value>,
    /// The tool that needs a permission, and its input.
    pub(super) tool_name: Option<String>,
    pub(super) tool_input: Option<Value>,
}

impl HookInput {
    pub(super) fn parse(text: &str) -> Result<Self, Failure> {
        serde_json::from_str(text)
            .map_err(|error| Failure::usage(format!("the host's input is not JSON: {error}")))
    }

    /// Returns the host that wrote the input. Visual Studio Code reads the hooks of Claude Code, and
    /// a plugin serves both Claude Code and Codex.
    pub(super) fn host(&self, named: Host) -> Host {
        let of_codex = match &self.transcript_path {
            Some(path) => path.components().any(|part| part.as_os_str() == ".codex"),
            None => self.model.is_some(),
        };
        match named {
            Host::ClaudeCode if self.event_of_vscode.is_some() => Host::Vscode,
            Host::ClaudeCode if of_codex => Host::Codex,
            named => named,
        }
    }

    /// Returns the directory that the agent works in, if the host states it.
    pub(super) fn directory(&self) -> Option<&PathBuf> {
        self.cwd.as_ref().or(self.workspace_roots.first())
    }

    /// Returns everything that is said about an error.
    pub(super) fn error_text(&self) -> String {
        let text = |value: &Option<Value>| match value {
            None | Some(Value::Null) => None,
            Some(Value::String(text)) => Some(text.clone()),
            Some(other) => Some(other.to_string()),
        };
        let parts = [text(&self.error), text(&self.error_details)];
        parts.into_iter().flatten().collect::<Vec<_>>().join(": ")
    }
}
