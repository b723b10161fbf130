//! The plugin is what `tasuki connect` writes, for Claude Code and Codex in one directory.

use serde_json::{Value, json};

use crate::support::folder::repository;

const GOLDEN: &str = "crates/tasuki/tests/fixtures/connect/claude-code/after-shared/work";

fn read(path: &str) -> Value {
    let text = std::fs::read_to_string(repository(path)).unwrap();
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"))
}

#[test]
fn the_plugin_has_the_hooks_and_the_servers_that_connect_writes() {
    let settings = read(&format!("{GOLDEN}/.claude/settings.json"));
    assert_eq!(read("plugin/hooks/hooks.json")["hooks"], settings["hooks"]);
    let server = read(&format!("{GOLDEN}/.mcp.json"))["mcpServers"].clone();
    assert_eq!(read("plugin/.claude-plugin/plugin.json")["mcpServers"], server);
    let codex = json!({"tasuki": {"command": "tasuki", "args": ["mcp", "--as", "codex"]}});
    assert_eq!(read("plugin/codex.mcp.json")["mcpServers"], codex);
    assert_eq!(read("plugin/.codex-plugin/plugin.json")["mcpServers"], "./codex.mcp.json");
}

#[test]
fn the_skill_of_the_plugin_is_that_of_connect_for_either_party() {
    let text = |path: &str| std::fs::read_to_string(repository(path)).unwrap();
    let skill = text(&format!("{GOLDEN}/.claude/skills/tasuki/SKILL.md"));
    let skill = skill.replace("--as claude-code", "--as PARTY");
    let plugin = text("plugin/skills/tasuki/SKILL.md");
    let is_of_plugin = |line: &&str| !line.starts_with("`PARTY` is") && !line.is_empty();
    let plugin: Vec<&str> = plugin.lines().filter(is_of_plugin).collect();
    let skill: Vec<&str> = skill.lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(plugin, skill);
}
