//! Adds the table of our MCP server to a TOML file and removes it; the rest stays as it is.

use serde_json::Value;
use toml_edit::{Array, DocumentMut, Item, Table, value};

use super::json::SERVER;

/// The table that lists the MCP servers.
const SERVERS: &str = "mcp_servers";

pub(super) fn added(server: &Value, text: &str) -> Result<String, String> {
    let mut document = parsed(&removed(text)?)?;
    let servers = document.entry(SERVERS).or_insert_with(|| {
        let mut table = Table::new();
        // Only the table below has a header.
        table.set_implicit(true);
        Item::Table(table)
    });
    let servers = servers.as_table_mut().ok_or_else(|| format!("`{SERVERS}` is not a table"))?;
    servers.insert(SERVER, Item::Table(table(server)));
    Ok(document.to_string())
}

pub(super) fn removed(text: &str) -> Result<String, String> {
    let mut document = parsed(text)?;
    let Some(servers) = document.get_mut(SERVERS).and_then(Item::as_table_mut) else {
        return Ok(text.to_owned());
    };
    if servers.remove(SERVER).is_none() {
        return Ok(text.to_owned());
    }
    if servers.is_empty() && servers.is_implicit() {
        document.remove(SERVERS);
    }
    Ok(document.to_string())
}

fn parsed(text: &str) -> Result<DocumentMut, String> {
    text.parse::<DocumentMut>().map_err(|error| error.message().to_owned())
}

fn table(server: &Value) -> Table {
    let mut table = Table::new();
    for (name, member) in server.as_object().into_iter().flatten() {
        let item = match member {
            Value::Array(items) => value(items.iter().filter_map(Value::as_str).collect::<Array>()),
            other => value(other.as_str().unwrap_or_default()),
        };
        table.insert(name, item);
    }
    table
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_added_can_be_removed_byte_for_byte() {
        let server = json!({ "command": "tasuki", "args": ["mcp", "--as", "codex"] });
        let with = added(&server, "").unwrap();
        let expected =
            "[mcp_servers.tasuki]\ncommand = \"tasuki\"\nargs = [\"mcp\", \"--as\", \"codex\"]\n";
        assert_eq!(with, expected);
        for text in [
            "",
            "# mine\nmodel = 'x' # y\n",
            "[mcp_servers.other]\ncommand = \"o\"\n",
            "[mcp_servers]\n\n[profiles.a]\nb = 1\n",
        ] {
            let with = added(&server, text).unwrap();
            assert!(with.contains("[mcp_servers.tasuki]"), "{with}");
            assert_eq!(added(&server, &with).unwrap(), with, "a second time");
            assert_eq!(removed(&with).unwrap(), text, "{with}");
        }
        assert!(added(&server, "a = ").is_err());
        assert!(added(&server, "mcp_servers = 1\n").is_err());
    }
}
