//! Adds entries to a JSON file and removes them, and keeps the rest byte for byte, comments too.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstArray, CstInputValue, CstObject, CstRootNode};
use serde_json::Value;

use super::change::JsonEntries;

/// The name of our MCP server.
pub(super) const SERVER: &str = "tasuki";

/// The event of the hook that `--approvals` adds.
const PERMISSION: &str = "PermissionRequest";

/// JSON with comments, as the hosts read it.
const OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// Replaces our entries. A text that already has them stays as it is.
pub(super) fn replaced(entries: &JsonEntries, text: &str) -> Result<String, String> {
    let after = added(entries, &removed(entries, text)?)?;
    let is_same = parsed(text)?.0.to_serde_value() == parsed(&after)?.0.to_serde_value();
    Ok(if is_same { text.to_owned() } else { after })
}

/// Adds the entries.
fn added(entries: &JsonEntries, text: &str) -> Result<String, String> {
    let (root, object) = parsed(text)?;
    if let Some((list, server)) = &entries.server {
        let list = member_object(&object, list)?;
        list.append(SERVER, input(server));
    }
    for (event, group) in &entries.hooks {
        let hooks = member_object(&object, "hooks")?;
        let groups = hooks
            .array_value_or_create(event)
            .ok_or_else(|| format!("`hooks.{event}` is not a list"))?;
        groups.append(input(group));
    }
    let text = root.to_string();
    Ok(if text.ends_with('\n') { text } else { text + "\n" })
}

/// Removes our entries, and members that are empty without them.
pub(super) fn removed(entries: &JsonEntries, text: &str) -> Result<String, String> {
    let (root, object) = parsed(text)?;
    if let Some((list, _)) = &entries.server
        && let Some(servers) = object.object_value(list)
        && let Some(ours) = servers.get(SERVER)
    {
        ours.remove();
        remove_if_empty(&object, list);
    }
    if let Some(hooks) = object.object_value("hooks") {
        let mut is_changed = false;
        let events = entries.hooks.iter().map(|(event, _)| *event);
        // Without `--approvals` the hook of an earlier time goes away.
        for event in events.chain((!entries.hooks.is_empty()).then_some(PERMISSION)) {
            let groups = hooks.array_value(event);
            if groups.is_some_and(|groups| remove_groups(&groups)) {
                is_changed = true;
                remove_if_empty(&hooks, event);
            }
        }
        if is_changed {
            remove_if_empty(&object, "hooks");
        }
    }
    Ok(root.to_string())
}

fn parsed(text: &str) -> Result<(CstRootNode, CstObject), String> {
    let root = CstRootNode::parse(text, &OPTIONS).map_err(|error| error.to_string())?;
    let object = root.object_value_or_create().ok_or("it is not a JSON object")?;
    Ok((root, object))
}

fn member_object(object: &CstObject, name: &str) -> Result<CstObject, String> {
    object.object_value_or_create(name).ok_or_else(|| format!("`{name}` is not an object"))
}

fn remove_if_empty(object: &CstObject, name: &str) {
    let Some(member) = object.get(name) else { return };
    let is_empty = member.object_value().is_some_and(|value| value.properties().is_empty())
        || member.array_value().is_some_and(|value| value.elements().is_empty());
    if is_empty {
        member.remove();
    }
}

/// Removes the groups that only have handlers of ours.
fn remove_groups(groups: &CstArray) -> bool {
    let mut is_changed = false;
    for group in groups.elements() {
        if group.to_serde_value().is_some_and(|value| is_ours(&value)) {
            group.remove();
            is_changed = true;
        }
    }
    is_changed
}

/// Returns `true` if every handler of a group runs `tasuki hook`.
fn is_ours(group: &Value) -> bool {
    let handlers = group.get("hooks").and_then(Value::as_array);
    let is_hook = |handler: &Value| {
        let command = handler.get("command").and_then(Value::as_str).unwrap_or_default();
        let program = command.split(" hook ").next().unwrap_or_default();
        let name = program.trim_matches(['"', '\'']).rsplit('/').next();
        command.contains(" hook ") && name == Some("tasuki")
    };
    handlers.is_some_and(|handlers| !handlers.is_empty() && handlers.iter().all(is_hook))
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(flag) => CstInputValue::Bool(*flag),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(items) => CstInputValue::Array(items.iter().map(input).collect()),
        Value::Object(members) => CstInputValue::Object(
            members.iter().map(|(name, value)| (name.clone(), input(value))).collect(),
        ),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn entries() -> JsonEntries {
        JsonEntries {
            server: Some(("mcpServers", json!({ "command": "tasuki", "args": ["mcp"] }))),
            hooks: vec![(
                "Stop",
                json!({ "hooks": [{ "type": "command", "command": "tasuki hook codex stop" }] }),
            )],
        }
    }

    #[test]
    fn what_is_added_can_be_removed_byte_for_byte() {
        for text in [
            "{}\n",
            "{\n  // mine\n  \"a\": 1, /* b */\n}\n",
            "{\n\t\"mcpServers\": {\n\t\t\"x\": { \"command\": \"x\" }\n\t}\n}\n",
            "{\n  \"hooks\": {\n    \"Stop\": [\n      { \"hooks\": [{ \"command\": \"say hook x\" }] }\n    ]\n  }\n}\n",
        ] {
            let with = added(&entries(), text).unwrap();
            assert!(with.contains("tasuki hook codex stop"), "{with}");
            assert_eq!(removed(&entries(), &with).unwrap(), text, "{with}");
        }
    }

    #[test]
    fn a_file_that_is_not_what_its_host_reads_is_refused() {
        let check = |text: &str, expected: &str| {
            let error = added(&entries(), text).unwrap_err();
            assert!(error.contains(expected), "{error}");
        };
        check("{ a: 1 }", "");
        check("[]", "not a JSON object");
        check("{\"mcpServers\": []}", "`mcpServers` is not an object");
        check("{\"hooks\": {\"Stop\": {}}}", "`hooks.Stop` is not a list");
    }
}
