//! The files of each host, and what goes into them.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::change::{Change, JsonEntries};
use crate::commands::agent::host::Host;

/// The text that tells an agent when to record its progress and how to hand over.
const INSTRUCTIONS: &str = include_str!("instructions.md");

/// The choices of the caller.
#[derive(Debug, Clone)]
pub(super) struct Choices {
    pub(super) host: Host,
    /// The party of the agent.
    pub(super) party: String,
    /// `true` if the party is in the token of a server.
    pub(super) is_remote: bool,
    /// `true` if people approve what the agent needs a permission for.
    pub(super) has_approvals: bool,
    /// `true` to write files of the project, for everyone who works on it.
    pub(super) is_shared: bool,
    /// The home directory.
    pub(super) home: PathBuf,
    /// The root of the project.
    pub(super) project: PathBuf,
    /// The program that hosts start.
    pub(super) program: String,
}

/// A file, and what goes into it.
#[derive(Debug, Clone)]
pub(super) struct PlannedFile {
    pub(super) path: PathBuf,
    pub(super) change: Change,
}

impl Choices {
    /// Returns the files of the host.
    pub(super) fn files(&self) -> Vec<PlannedFile> {
        let file = |path: PathBuf, change| PlannedFile { path, change };
        let of_home = |name: &str| self.home.join(name);
        let of_project = |name: &str| self.project.join(name);
        let place = |home: &str, project: &str| {
            if self.is_shared { of_project(project) } else { of_home(home) }
        };
        let server = |list| Change::Json(self.server(list, false));
        let section = || Change::Section(self.instructions());
        match self.host {
            Host::ClaudeCode => vec![
                file(place(".claude.json", ".mcp.json"), server("mcpServers")),
                file(
                    place(".claude/settings.json", ".claude/settings.json"),
                    Change::Json(JsonEntries { hooks: self.hooks(), ..JsonEntries::default() }),
                ),
                file(
                    place(".claude/skills/tasuki/SKILL.md", ".claude/skills/tasuki/SKILL.md"),
                    Change::Whole(skill(&self.instructions())),
                ),
            ],
            Host::Codex => vec![
                file(
                    place(".codex/config.toml", ".codex/config.toml"),
                    Change::Table(self.server_entry(false)),
                ),
                file(
                    place(".codex/hooks.json", ".codex/hooks.json"),
                    Change::Json(JsonEntries { hooks: self.hooks(), ..JsonEntries::default() }),
                ),
                file(place(".codex/AGENTS.md", "AGENTS.md"), section()),
            ],
            Host::Gemini => vec![
                file(
                    place(".gemini/settings.json", ".gemini/settings.json"),
                    Change::Json(JsonEntries {
                        hooks: self.hooks(),
                        ..self.server("mcpServers", false)
                    }),
                ),
                file(place(".gemini/GEMINI.md", "GEMINI.md"), section()),
            ],
            Host::Vscode => vec![file(
                place(&format!("{}/mcp.json", vscode_folder()), ".vscode/mcp.json"),
                Change::Json(self.server("servers", true)),
            )],
            Host::Cursor => {
                vec![file(place(".cursor/mcp.json", ".cursor/mcp.json"), server("mcpServers"))]
            }
        }
    }

    fn server(&self, list: &'static str, has_type: bool) -> JsonEntries {
        JsonEntries { server: Some((list, self.server_entry(has_type))), hooks: Vec::new() }
    }

    fn server_entry(&self, has_type: bool) -> Value {
        let mut entry = json!({});
        if has_type {
            entry["type"] = json!("stdio");
        }
        entry["command"] = json!(self.program);
        entry["args"] =
            if self.is_remote { json!(["mcp"]) } else { json!(["mcp", "--as", self.party]) };
        entry
    }

    /// Returns the groups of hooks: the host's event, and the command for ours.
    fn hooks(&self) -> Vec<(&'static str, Value)> {
        let names: &[(&str, &str)] = match self.host {
            Host::ClaudeCode => &[
                ("SessionStart", "start"),
                ("PreCompact", "compact"),
                ("Stop", "stop"),
                ("StopFailure", "failure"),
                ("SessionEnd", "end"),
            ],
            Host::Codex => &[
                ("SessionStart", "start"),
                ("PreCompact", "compact"),
                ("Stop", "stop"),
                ("SessionEnd", "end"),
            ],
            Host::Gemini => &[
                ("SessionStart", "start"),
                ("PreCompress", "compact"),
                ("AfterAgent", "stop"),
                ("SessionEnd", "end"),
            ],
            Host::Vscode | Host::Cursor => &[],
        };
        let approvals = self.has_approvals && matches!(self.host, Host::ClaudeCode | Host::Codex);
        let permission = approvals.then_some(&("PermissionRequest", "permission"));
        let names = names.iter().chain(permission);
        names.map(|(event, ours)| (*event, self.group(ours))).collect()
    }

    fn group(&self, event: &str) -> Value {
        let name = self.host.name();
        let program = quoted(&self.program);
        let party = match self.party.as_str() {
            party if party == name || self.is_remote => String::new(),
            party => format!(" --as {party}"),
        };
        let command = format!("{program} hook {name} {event}{party}");
        let seconds = match event {
            "end" => 3,
            // A person gets 10 minutes.
            "permission" => 620,
            _ => 10,
        };
        // Gemini CLI counts in milliseconds.
        let timeout = if self.host == Host::Gemini { seconds * 1_000 } else { seconds };
        json!({ "hooks": [{ "type": "command", "command": command, "timeout": timeout }] })
    }

    fn instructions(&self) -> String {
        if self.is_remote {
            return INSTRUCTIONS.replace(" --as PARTY", "");
        }
        INSTRUCTIONS.replace("PARTY", &self.party)
    }
}

/// Returns a program for a shell.
fn quoted(program: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '-' | '_');
    if program.chars().all(is_plain) { program.to_owned() } else { format!("\"{program}\"") }
}

fn skill(instructions: &str) -> String {
    format!(
        "---\nname: tasuki\ndescription: Record progress and hand work over, so that another session \
         or agent can continue. Use it when a task waits, before you stop, and when you run out of \
         context.\n---\n\n{instructions}"
    )
}

/// Returns the folder of the user's profile of Visual Studio Code, below the home directory.
fn vscode_folder() -> &'static str {
    if cfg!(target_os = "macos") {
        "Library/Application Support/Code/User"
    } else {
        ".config/Code/User"
    }
}

/// Returns a path as people know it.
pub(super) fn shown(path: &Path, choices: &Choices) -> String {
    if let Ok(rest) = path.strip_prefix(&choices.project) {
        return rest.display().to_string();
    }
    match path.strip_prefix(&choices.home) {
        Ok(rest) => format!("~/{}", rest.display()),
        Err(_) => path.display().to_string(),
    }
}
