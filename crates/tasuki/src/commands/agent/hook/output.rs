//! The answers that hosts expect from a hook.

use serde_json::{Value, json};

use crate::commands::agent::host::Host;
use crate::commands::handoff::request_approval::Permission;

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

/// Returns the answer to a request for a permission; none lets the host ask its own user.
pub(super) fn permission(decided: &Permission) -> Option<Value> {
    let decision = match decided {
        Permission::Allowed => json!({ "behavior": "allow" }),
        Permission::Denied(message) => json!({ "behavior": "deny", "message": message }),
        Permission::Undecided => return None,
    };
    let answer = json!({ "hookEventName": "PermissionRequest", "decision": decision });
    Some(json!({ "hookSpecificOutput": answer }))
}
