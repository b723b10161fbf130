//! The caller of a local exchange: `--as`, `TASUKI_AS` or configuration.
//!
//! Write access to `.tasuki/` makes an operator, so `--as` is trusted and recorded as `auth: local`. Where
//! that is not sufficient, `proof.rs` asks for a password. A name is registered by the
//! first command that acts under it; a read registers none.

use tasuki_engine::command::Command;
use tasuki_engine::model::{Party, PartyKind, Principal};
use tasuki_engine::steps::AddParty;

use super::exchange::Exchange;
use crate::backend::refusal::refusal_failure;
use crate::exit::{Exit, Failure};
use crate::output::printer::Printer;

impl Exchange {
    /// Returns the caller, registered in the project on first use.
    pub(crate) fn caller(&self, printer: &Printer) -> Result<Principal, Failure> {
        acting(&self.own_party(printer)?)
    }

    /// Returns the caller of a read, which must be registered.
    pub(crate) fn known_caller(&self) -> Result<Principal, Failure> {
        let name = self.own_name()?;
        let directory = self.directory()?;
        acting(directory.find(&name).map_err(|refusal| refusal_failure(&refusal))?)
    }

    /// Returns the operator of a read: the caller if one is named, which must be registered, else the
    /// system itself.
    pub(crate) fn known_operator(&self) -> Result<Principal, Failure> {
        if self.settings.party.is_some() {
            return self.known_caller();
        }
        Ok(Principal::system())
    }

    /// Returns the operator: the caller if one is named, else the system itself.
    pub(crate) fn operator(&self, printer: &Printer) -> Result<Principal, Failure> {
        if self.settings.party.is_some() {
            return self.caller(printer);
        }
        Ok(Principal::system())
    }

    /// Returns the caller's name.
    pub(crate) fn own_name(&self) -> Result<String, Failure> {
        let party = self.settings.party.as_ref().ok_or_else(|| {
            Failure { exit: Exit::Denied, ..Failure::usage("no identity given") }
                .hint("use `--as NAME`, or set `TASUKI_AS`")
        })?;
        Ok(party.value.as_str().to_owned())
    }

    fn own_party(&self, printer: &Printer) -> Result<Party, Failure> {
        let name = self.own_name()?;
        if let Ok(party) = self.directory()?.find(&name) {
            return Ok(party.clone());
        }
        let request = AddParty { name: name.clone(), ..AddParty::default() };
        self.run(&Principal::system(), Command::AddParty(request), None)?;
        printer.note_registered(&name);
        let directory = self.directory()?;
        directory.find(&name).cloned().map_err(|refusal| refusal_failure(&refusal))
    }
}

/// Returns a party as the caller. A role cannot act.
fn acting(party: &Party) -> Result<Principal, Failure> {
    if party.kind == PartyKind::Role {
        let message = format!("`{}` is a role, and a role cannot act", party.name);
        return Err(Failure::usage(message).hint("name one of its members with `--as`"));
    }
    Ok(Principal::local(party.id, party.kind.actor()))
}
