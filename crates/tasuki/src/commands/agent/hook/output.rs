//! The answers that hosts expect from a hook.

use serde_json::{Value, json};

use crate::commands::agent::host::Host;

/// Returns the answer that adds text to the context of a session that starts.
pub(super) fn context(host: Host, text: &str) -> Value {
    match host {
        Host::ClaudeCode | Host::Codex | Host::Gemini | Host::Vscode => json!({
            "hookSpecificOutput": { "hookEventName": "SessionStart", "additionalContext": text }
        }),
        Host::Cursor => json!({ "additional_context": text }),
    }
}

/// Returns the answer that lets the agent take another turn.
pub(super) fn another_turn(host: Host, request: &str) -> Value {
    match host {
        Host::ClaudeCode | Host::Codex => json!({ "decision": "block", "reason": request }),
        Host::Gemini => json!({ "decision": "deny", "reason": request }),
        Host::Vscode => json!({
            "hookSpecificOutput":
                { "hookEventName": "Stop", "decision": "block", "reason": request }
        }),
        Host::Cursor => json!({ "followup_message": request }),
    }
}
