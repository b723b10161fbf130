//! The coding agents that `tasuki connect` and `tasuki hook` know.

use clap::ValueEnum;

/// The host of an agent: the program that runs a model and calls hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Host {
    /// Claude Code
    ClaudeCode,
    /// Codex CLI
    Codex,
    /// Gemini CLI
    Gemini,
    /// Visual Studio Code
    Vscode,
    /// Cursor
    Cursor,
}

impl Host {
    /// Returns the name of the host, which is also that of its party.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Vscode => "vscode",
            Self::Cursor => "cursor",
        }
    }
}
