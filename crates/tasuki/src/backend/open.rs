//! Which exchange is meant, and as whom it is asked.

use std::path::PathBuf;

use super::Exchange;
use super::local::{self, Here};
use super::remote::There;
use crate::config::{Environment, Flags, Settings};
use crate::exit::{Failure, reason};
use crate::output::printer::Printer;

/// Opens the exchange for the caller, who is added to a local one if this is the first time.
pub(crate) fn caller(flags: &Flags, printer: &Printer) -> Result<Exchange, Failure> {
    let (folder, settings) = gathered(flags)?;
    if settings.url.is_some() {
        return Ok(Box::new(There::open(settings)?));
    }
    let exchange = local::Exchange::near(&folder, settings)?;
    let principal = exchange.caller(printer)?;
    Ok(Box::new(Here { exchange, principal }))
}

/// Opens the exchange for somebody who runs it: the caller if one is named, else the system itself.
pub(crate) fn operator(flags: &Flags, printer: &Printer) -> Result<Exchange, Failure> {
    let (folder, settings) = gathered(flags)?;
    if settings.url.is_some() {
        return Ok(Box::new(There::open(settings)?));
    }
    let exchange = local::Exchange::near(&folder, settings)?;
    let principal = exchange.operator(printer)?;
    Ok(Box::new(Here { exchange, principal }))
}

/// Opens the exchange for an operator who says with `--as` for whom something is done. A local one adds
/// that party if this is the first time it is named.
pub(crate) fn for_another(flags: &Flags, printer: &Printer) -> Result<Exchange, Failure> {
    let (folder, settings) = gathered(flags)?;
    if settings.url.is_some() {
        return Ok(Box::new(There::of_any(settings)?));
    }
    let exchange = local::Exchange::near(&folder, settings)?;
    let principal = exchange.caller(printer)?;
    Ok(Box::new(Here { exchange, principal }))
}

/// Opens the exchange for a question that nobody in particular asks.
pub(crate) fn anybody(flags: &Flags) -> Result<Exchange, Failure> {
    let (folder, settings) = gathered(flags)?;
    if settings.url.is_some() {
        return Ok(Box::new(There::open(settings)?));
    }
    Ok(Box::new(Here::for_anybody(local::Exchange::near(&folder, settings)?)))
}

/// Refuses what works on the files of an exchange, where a server is named.
pub(crate) fn only_here(settings: &Settings) -> Result<(), Failure> {
    let Some(url) = &settings.url else { return Ok(()) };
    let message = format!(
        "this works on the machine of the exchange, and the server {} is named",
        url.value.as_str()
    );
    Err(Failure::usage(message).hint(format!(
        "run it there, in the folder of its `.tasuki/`; here {} names the server",
        url.origin
    )))
}

fn gathered(flags: &Flags) -> Result<(PathBuf, Settings), Failure> {
    let folder = std::env::current_dir().map_err(|error| {
        Failure::usage(format!("cannot tell the current folder: {}", reason(&error)))
    })?;
    let settings = Settings::gather(flags, &Environment::of_process(), &folder)?;
    Ok((folder, settings))
}
