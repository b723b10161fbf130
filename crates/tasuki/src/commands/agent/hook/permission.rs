//! The host wants a permission: a person decides about the exact action.
//!
//! If no one decides in time, the hook gives no answer, and the host asks its own user.

use std::time::Duration;

use serde_json::{Value, json};

use super::session::HookSession;
use crate::commands::handoff::request_approval::{Permission, permission};
use crate::exit::Failure;
use crate::input::action::worded;

/// The members of an input that do not change what a command does.
const DESCRIPTIVE: &[&str] = &["command", "description"];

/// Asks for the permission.
pub(super) fn run(session: &HookSession, timeout: Duration) -> Result<Permission, Failure> {
    let input = &session.input;
    let tool = input.tool_name.as_deref().unwrap_or_default();
    let given = input.tool_input.as_ref().unwrap_or(&Value::Null);
    let exchange = session.exchange()?;
    permission(&*exchange, action(tool, given), timeout)
}

/// Returns the exact action: a shell command as its text, everything else with all of its members.
fn action(tool: &str, input: &Value) -> Value {
    let members = input.as_object();
    let is_plain = members
        .is_some_and(|members| members.keys().all(|name| DESCRIPTIVE.contains(&name.as_str())));
    match input.get("command") {
        Some(Value::String(command)) if is_plain => worded(command),
        _ => json!({ "tool": tool, "input": input }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_action_is_exact() {
        let shell = json!({"command": "rm -rf dist", "description": "Clean up"});
        assert_eq!(action("Bash", &shell), json!({"action": "rm -rf dist"}));
        let unusual = json!({"command": "rm x", "run_in_background": true});
        assert_eq!(action("Bash", &unusual), json!({"tool": "Bash", "input": unusual}));
        let edit = json!({"file_path": "/a", "old_string": "b", "new_string": "c"});
        assert_eq!(action("Edit", &edit), json!({"tool": "Edit", "input": edit}));
    }
}
