//! Opens the backend that flags, environment and configuration select.

use std::path::PathBuf;
use std::sync::Arc;

use tasuki_client::Client;
use tasuki_server::LocalExchange;

use tasuki_engine::model::Principal;

use super::Backend;
use super::local::{self, LocalBackend, StorePlace};
use super::remote::{RemoteBackend, state_dir};
use super::spool::Spool;
use crate::config::{Environment, Flags, Settings};
use crate::exit::{Failure, reason};
use crate::output::printer::Printer;

/// Opens the exchange for the caller. A local exchange registers the caller on first use.
pub(crate) fn open_as_caller(
    flags: &Flags,
    printer: &Printer,
) -> Result<Box<dyn Backend>, Failure> {
    let exchange = open_as(flags, printer, |exchange| exchange.caller(printer))?;
    // What cannot be delivered now stays in the spool for the next command.
    if let Ok(folder) = exchange.drafts_dir() {
        let _stays = Spool::in_folder(&folder).deliver(flags).is_err();
    }
    Ok(exchange)
}

/// Opens the exchange for the party of a crash record.
pub(super) fn open_as_recorded(flags: &Flags) -> Result<Box<dyn Backend>, Failure> {
    let printer = Printer::silent();
    open_as(flags, &printer, |exchange| exchange.caller(&printer))
}

/// Returns the directory of claims, drafts and crash records, without connecting to a server.
pub(crate) fn state_folder(flags: &Flags) -> Result<PathBuf, Failure> {
    let (folder, settings) = load_settings(flags)?;
    match &settings.url {
        Some(url) => state_dir(&Environment::of_process(), url.value.as_str()),
        None => Ok(StorePlace::find(&folder, &settings)?.data_dir.path().to_owned()),
    }
}

/// Returns the settings of this process.
pub(crate) fn settings(flags: &Flags) -> Result<Settings, Failure> {
    load_settings(flags).map(|(_, settings)| settings)
}

/// Opens the exchange for an operator: the caller if one is named, else the system itself.
pub(crate) fn open_as_operator(
    flags: &Flags,
    printer: &Printer,
) -> Result<Box<dyn Backend>, Failure> {
    open_as(flags, printer, |exchange| exchange.operator(printer))
}

/// Opens the exchange to read what is the caller's own. A read registers no party, so that a
/// mistyped name is an error.
pub(crate) fn open_own(flags: &Flags, printer: &Printer) -> Result<Box<dyn Backend>, Failure> {
    open_as(flags, printer, local::Exchange::known_caller)
}

/// Opens the exchange to read, for the caller if one is named, else for the system itself. A read
/// registers no party.
pub(crate) fn open_to_read(flags: &Flags, printer: &Printer) -> Result<Box<dyn Backend>, Failure> {
    open_as(flags, printer, local::Exchange::known_operator)
}

fn open_as(
    flags: &Flags,
    printer: &Printer,
    principal: impl FnOnce(&local::Exchange) -> Result<Principal, Failure>,
) -> Result<Box<dyn Backend>, Failure> {
    let (folder, settings) = load_settings(flags)?;
    if settings.url.is_some() {
        return Ok(Box::new(RemoteBackend::connect(settings)?.prompting(printer.may_prompt())));
    }
    let exchange = local::Exchange::open_near(&folder, settings)?;
    let principal = principal(&exchange)?;
    Ok(Box::new(LocalBackend::new(exchange, principal, printer.may_prompt())))
}

/// Opens the exchange for an operator who acts for the party that `--as` names. A local exchange
/// registers that party on first use.
pub(crate) fn open_on_behalf(
    flags: &Flags,
    printer: &Printer,
) -> Result<Box<dyn Backend>, Failure> {
    let (folder, settings) = load_settings(flags)?;
    if settings.url.is_some() {
        return Ok(Box::new(
            RemoteBackend::connect_unchecked(settings)?.prompting(printer.may_prompt()),
        ));
    }
    let exchange = local::Exchange::open_near(&folder, settings)?;
    let principal = exchange.caller(printer)?;
    Ok(Box::new(LocalBackend::new(exchange, principal, printer.may_prompt())))
}

/// The exchange of the tools that agents call.
pub(crate) enum ToolBackend {
    /// The nearest `.tasuki/`. The store is closed when it is dropped.
    Local { tools: Arc<LocalExchange>, store: Box<local::Exchange> },
    /// A server.
    Remote(Client),
}

/// Opens the exchange for the tools of the caller.
pub(crate) fn open_for_tools(flags: &Flags, printer: &Printer) -> Result<ToolBackend, Failure> {
    let (folder, settings) = load_settings(flags)?;
    if settings.url.is_some() {
        return Ok(ToolBackend::Remote(RemoteBackend::connect(settings)?.into_client()));
    }
    let exchange = local::Exchange::open_near(&folder, settings)?;
    let principal = exchange.caller(printer)?;
    let tools = Arc::new(exchange.tools(principal));
    Ok(ToolBackend::Local { tools, store: Box::new(exchange) })
}

/// Opens the exchange for a query that needs no caller.
pub(crate) fn open_anonymous(flags: &Flags) -> Result<Box<dyn Backend>, Failure> {
    let (folder, settings) = load_settings(flags)?;
    if settings.url.is_some() {
        return Ok(Box::new(RemoteBackend::connect(settings)?));
    }
    Ok(Box::new(LocalBackend::anonymous(local::Exchange::open_near(&folder, settings)?)))
}

/// Fails if a server is configured, for commands that work on the files of an exchange.
pub(crate) fn require_local(settings: &Settings) -> Result<(), Failure> {
    let Some(url) = &settings.url else { return Ok(()) };
    let message = format!(
        "this command needs a local exchange, but the server {} is configured",
        url.value.as_str()
    );
    Err(Failure::usage(message).hint(format!(
        "run it on the server, in the directory of its `.tasuki/`; the server is set by {}",
        url.origin
    )))
}

fn load_settings(flags: &Flags) -> Result<(PathBuf, Settings), Failure> {
    let folder = std::env::current_dir().map_err(|error| {
        Failure::usage(format!("cannot determine the current directory: {}", reason(&error)))
    })?;
    let settings = Settings::resolve(flags, &Environment::of_process(), &folder)?;
    Ok((folder, settings))
}
