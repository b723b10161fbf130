//! Offers to add the first person with a password, when an exchange is created at a terminal.
//!
//! Without a password, a name is all that a local decision needs, and any process with access to the
//! directory can give one.

use tasuki_engine::command::Command;
use tasuki_engine::model::{PartyKind, Principal};
use tasuki_engine::steps::AddParty;

use crate::backend::local::{Exchange, StorePlace, store_password};
use crate::config::{Party, Settings};
use crate::exit::Failure;
use crate::input::line::ask;
use crate::input::password;
use crate::output::escape::excerpt;
use crate::output::printer::{GOOD, Printer};

/// Asks for the name and the password of a person, and adds them.
pub(super) fn offer(
    place: &StorePlace,
    settings: Settings,
    printer: &Printer,
) -> Result<(), Failure> {
    if !printer.may_prompt() {
        return Ok(());
    }
    printer.remark(
        "Until a person has a password, any process with access to this directory can approve.",
    );
    let name = ask("Name of a person who approves (empty for none): ", printer)?;
    if name.is_empty() {
        return Ok(());
    }
    let is_person = |party: &Party| !party.as_str().contains(':');
    let Some(party) = Party::parse(&name).ok().filter(is_person) else {
        let message = format!("`{}` is not a valid name of a person", excerpt(&name));
        return Err(
            Failure::usage(message).hint("add a person with `tasuki party add NAME --human`")
        );
    };
    let Some(hash) = password::prompt_new(party.as_str())? else { return Ok(()) };
    let exchange = Exchange::open_at(place.clone(), settings)?;
    let (name, kind) = (party.as_str().to_owned(), Some(PartyKind::Human));
    let request = AddParty { name: name.clone(), kind, ..AddParty::default() };
    exchange.run(&Principal::system(), Command::AddParty(request), None)?;
    store_password(&exchange, &name, &hash)?;
    printer.remark(&format!("{GOOD}✓{GOOD:#} Added {name} (human)"));
    Ok(())
}
