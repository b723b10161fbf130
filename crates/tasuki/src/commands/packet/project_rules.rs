//! The rules of the project, which may choose the variant of a packet.
//!
//! They come from a file, or from the exchange in reach. Without an exchange there are none. If an
//! exchange cannot be asked, the packet is still validated, and a warning says what was not checked.

use std::path::Path;

use tasuki_api::Party;
use tasuki_packet::Violation;
use tasuki_packet::policy::rules::{CompiledRules, Rules};

use crate::backend;
use crate::commands::admin::documents;
use crate::config::Flags;
use crate::exit::Failure;
use crate::output::printer::Printer;

/// Rules that choose variants, and the roles of the project.
pub(super) struct LoadedRules {
    pub(super) compiled: CompiledRules,
    roles: Vec<Party>,
}

impl LoadedRules {
    /// Reads the rules of a file. Its roles have no members.
    pub(super) fn of_file(file: &Path) -> Result<Self, Failure> {
        let compile = |document: &_| Rules::read(document)?.compile();
        let (_, compiled) = documents::read_document(file, "rules document", compile)?;
        Ok(Self { compiled, roles: Vec::new() })
    }

    /// Reads the rules of the exchange in reach, if one of them chooses a variant.
    pub(super) fn of_exchange(printer: &Printer) -> Option<Self> {
        // Without an exchange there is no project.
        backend::state_folder(&Flags::default()).ok()?;
        match from_exchange() {
            Ok(rules) => rules,
            Err(failure) => {
                let reason = &failure.message;
                printer.loss(&format!("warning: the project's rules were not checked: {reason}"));
                None
            }
        }
    }

    /// Returns `true` if the party is a member of the role.
    pub(super) fn is_member(&self, party: &str, role: &str) -> bool {
        let is_role = |one: &&Party| one.name == role;
        self.roles.iter().find(is_role).is_some_and(|role| role.members.iter().any(|m| m == party))
    }
}

fn from_exchange() -> Result<Option<LoadedRules>, Failure> {
    let exchange = backend::open_anonymous(&Flags::default())?;
    let Some(document) = exchange.rules()?.and_then(|rules| rules.document) else {
        return Ok(None);
    };
    let rules = Rules::read(&document).map_err(unreadable)?;
    let mut choosing = rules.entries.iter().filter(|rule| rule.variant.is_some()).peekable();
    if choosing.peek().is_none() {
        return Ok(None);
    }
    let needs_roles = choosing.any(|rule| !rule.when.conditions.edge.is_empty());
    let roles = if needs_roles { exchange.parties()? } else { Vec::new() };
    let compiled = rules.compile().map_err(unreadable)?;
    Ok(Some(LoadedRules { compiled, roles }))
}

fn unreadable(violations: Vec<Violation>) -> Failure {
    let first = violations.into_iter().next();
    Failure::refused(first.map_or_else(String::new, |violation| violation.to_string()))
}
