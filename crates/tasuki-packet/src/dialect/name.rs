//! The dialects by name. The names are stable: commands and `extensions` use them.

/// The document format of another system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Dialect {
    /// The YAML of the Handoff Protocol article.
    HandoffProtocol,
    /// The published JSON of Works With Agents 1.1.
    WorksWithAgents,
    /// The Agent Handoff Packet 0.1.
    Ahp,
    /// The incident that a correlation agent hands to an investigation agent.
    Incident,
    /// The `handoff.json` in a shared workspace.
    Fastio,
    /// The props of the handoff card.
    Card,
}

impl Dialect {
    /// All dialects.
    pub const ALL: &'static [Self] = &[
        Self::HandoffProtocol,
        Self::WorksWithAgents,
        Self::Ahp,
        Self::Incident,
        Self::Fastio,
        Self::Card,
    ];

    /// Returns the name used in commands and under `extensions`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::HandoffProtocol => "handoff-protocol",
            Self::WorksWithAgents => "works-with-agents",
            Self::Ahp => "ahp",
            Self::Incident => "incident",
            Self::Fastio => "fastio",
            Self::Card => "card",
        }
    }

    /// Returns the dialect with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|dialect| dialect.name() == name)
    }

    /// Returns a one-line description.
    pub const fn describe(self) -> &'static str {
        match self {
            Self::HandoffProtocol => "Handoff Protocol YAML, baseline and regulated",
            Self::WorksWithAgents => {
                "Works With Agents 1.1 JSON: handoff request, progress update, completion event"
            }
            Self::Ahp => "Agent Handoff Packet 0.1, its five packet types",
            Self::Incident => "incident payload under a handoff contract",
            Self::Fastio => "handoff.json in a workspace: a packet with its handoff and state",
            Self::Card => "props of the handoff card",
        }
    }
}

impl std::fmt::Display for Dialect {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_resolves_to_its_dialect() {
        for dialect in Dialect::ALL {
            assert_eq!(Dialect::from_name(dialect.name()), Some(*dialect));
            assert!(!dialect.describe().contains('\n'));
        }
        assert_eq!(Dialect::from_name("AHP"), None);
    }
}
