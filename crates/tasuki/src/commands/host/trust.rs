//! `tasuki trust`: the servers that may receive a token although a project names them.

use serde_json::json;

use crate::backend::remote::TrustedOrigins;
use crate::config::{Environment, ServerOrigin};
use crate::exit::{Exit, Failure};
use crate::output::printer::{GOOD, Printer};

/// Trust a server, or list the servers that are trusted.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki trust https://tasuki.example.org\n  tasuki trust\n  tasuki trust --remove https://tasuki.example.org\n\nA `url` in a project's tasuki.toml receives your token only if its origin is trusted. Plain http\nto another machine is refused unless its origin is trusted, wherever the address comes from."
)]
pub(crate) struct Arguments {
    /// The origin: scheme, host and port. Without it, the trusted origins are listed.
    #[arg(value_name = "ORIGIN")]
    origin: Option<String>,
    /// Withdraw the trust.
    #[arg(long, requires = "origin")]
    remove: bool,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let mut trusted = TrustedOrigins::read(&Environment::of_process())?;
    let Some(text) = &arguments.origin else {
        list(&trusted, printer);
        return Ok(Exit::Success);
    };
    let origin = ServerOrigin::parse(text).map_err(|invalid| invalid.at(&"ORIGIN"))?;
    if arguments.remove {
        remove(&mut trusted, &origin, printer)?;
    } else {
        add(&mut trusted, &origin, printer)?;
    }
    if printer.is_json() {
        printer.json(&json!({ "origin": origin.to_string(), "trusted": !arguments.remove }));
    }
    Ok(Exit::Success)
}

fn list(trusted: &TrustedOrigins, printer: &Printer) {
    for origin in trusted.iter() {
        if printer.is_json() {
            printer.json(&json!({ "origin": origin.to_string(), "trusted": true }));
        } else {
            printer.data(&format!("{origin}\n"));
        }
    }
    if trusted.iter().next().is_none() {
        printer.remark("No origin is trusted.");
    }
}

fn add(
    trusted: &mut TrustedOrigins,
    origin: &ServerOrigin,
    printer: &Printer,
) -> Result<(), Failure> {
    if !trusted.add(origin)? {
        printer.remark(&format!("{origin} is trusted already."));
        return Ok(());
    }
    printer.remark(&format!("{GOOD}✓{GOOD:#} Trusted {origin} in {}.", trusted.path().display()));
    if origin.is_exposed() {
        printer.remark("Plain http: the token and the packets can be read on the way.");
    }
    Ok(())
}

fn remove(
    trusted: &mut TrustedOrigins,
    origin: &ServerOrigin,
    printer: &Printer,
) -> Result<(), Failure> {
    if !trusted.remove(origin)? {
        let message = format!("{origin} is not trusted");
        let failure = Failure { exit: Exit::NotFound, ..Failure::usage(message) };
        return Err(failure.hint("`tasuki trust` lists the trusted origins"));
    }
    printer.remark(&format!("{GOOD}✓{GOOD:#} Removed {origin}."));
    Ok(())
}
