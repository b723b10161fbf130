//! `tasuki demo`: an exchange with scripted agents, in which the user decides.
//!
//! The exchange is real and lives in a temporary directory. The agents use the HTTP interface with
//! tokens of their own, as agents on other machines would.

mod actor;
mod browser;
mod exchange;
mod pause;
mod stage;
mod stories;

use std::net::{Ipv4Addr, SocketAddr};
use std::thread;

use serde_json::json;
use tasuki_server::Settings;
use tasuki_store::Location;
use tempfile::TempDir;

use self::exchange::PASSWORD;
use self::pause::Pause;
use self::stage::Stage;
use super::bound_server::BoundServer;
use super::serve::shutdown_signal;
use crate::exit::{Exit, Failure, reason};
use crate::output::printer::{FAINT, Printer, STRONG};

/// Show the exchange at work, with scripted agents and decisions for you.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki demo\n  tasuki demo --headless --port 7500\n\nThe demo needs no account and no configuration. Its exchange is in a temporary directory, which is removed at the end. Six stories run in a loop: a crashed agent whose work continues, a handoff with low confidence, an action to approve or edit, a sign-off at a gate, a return to verify, and a dead letter. Ctrl-C stops it."
)]
pub(crate) struct Arguments {
    /// The port to listen on; the next free one if it is taken.
    #[arg(long, value_name = "PORT", default_value_t = 7420)]
    port: u16,
    /// Do not open a browser.
    #[arg(long)]
    headless: bool,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let directory = temporary_directory()?;
    let location = exchange::create(directory.path())?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime
        .map_err(|error| Failure::usage(format!("cannot start the runtime: {}", reason(&error))))?;
    runtime.block_on(play(arguments, &location, printer))
}

/// Creates a directory that only the user can read. It is removed when dropped.
fn temporary_directory() -> Result<TempDir, Failure> {
    tempfile::Builder::new().prefix("tasuki-demo-").tempdir().map_err(|error| {
        Failure::usage(format!("cannot create a temporary directory: {}", reason(&error)))
            .hint("set `TMPDIR` to a directory that you can write to")
    })
}

async fn play(
    arguments: &Arguments,
    location: &Location,
    printer: &Printer,
) -> Result<Exit, Failure> {
    // First, so that a signal cannot interrupt the start.
    let stop = shutdown_signal()?;
    let mut listen = SocketAddr::from((Ipv4Addr::LOCALHOST, arguments.port));
    listen.set_port(free_port(listen)?);
    let settings = Settings { listen, ..Settings::default() };
    let server =
        BoundServer::bind(location, exchange::PROJECT, &exchange::person(), settings).await?;
    let token = exchange::populate(&server).await?;
    announce(&server, printer);
    if let (false, Some(link)) = (arguments.headless, &server.link) {
        browser::open(&link.url);
    }
    let pause = Pause::default();
    let (address, paused) = (server.address(), pause.clone());
    // The client of the agents blocks, so they have threads of their own.
    let mut playing = tokio::task::spawn_blocking(move || direct(&address, &token, &paused));
    let mut ended_early = None;
    let ended = async {
        tokio::select! {
            () = stop => {}
            played = &mut playing => ended_early = Some(played),
        }
    };
    server.run(ended).await;
    pause.end();
    let played = match ended_early {
        Some(played) => played,
        None => playing.await,
    };
    played.map_err(|error| Failure::usage(format!("a story of the demo failed: {error}")))??;
    Ok(Exit::Success)
}

/// Returns the port of the address, or the next one that is free.
fn free_port(address: SocketAddr) -> Result<u16, Failure> {
    /// LIMIT: ports that are tried before the operating system chooses one.
    const TRIES: u16 = 20;
    let is_free = |port: u16| std::net::TcpListener::bind((address.ip(), port)).is_ok();
    let ports = (address.port()..=u16::MAX).take(usize::from(TRIES));
    if let Some(port) = ports.into_iter().find(|port| is_free(*port)) {
        return Ok(port);
    }
    let chosen = std::net::TcpListener::bind((address.ip(), 0)).and_then(|one| one.local_addr());
    chosen
        .map(|address| address.port())
        .map_err(|error| Failure::usage(format!("no port is free: {}", reason(&error))))
}

/// Prints the address of the demo.
fn announce(server: &BoundServer, printer: &Printer) {
    let link = server.link.as_ref().map(|link| &link.url);
    if printer.is_json() {
        printer.json(&json!({ "address": server.address(), "link": link, "password": PASSWORD }));
        return;
    }
    let link = link.map_or("", String::as_str);
    printer.data(&format!("Open {STRONG}{link}{STRONG:#}\n"));
    printer.remark(&format!(
        "{FAINT}You are `{}`, and six agents need decisions. Sign-offs ask for your password: {PASSWORD}. Press Ctrl-C to stop.{FAINT:#}",
        exchange::PERSON
    ));
}

/// Sets the stage, and plays every story in a loop until the demo ends.
fn direct(address: &str, token: &str, pause: &Pause) -> Result<(), Failure> {
    let stage = Stage::set(address, token, pause)
        .map_err(|error| Failure::usage(format!("cannot prepare the demo: {error}")))?;
    thread::scope(|scope| {
        for story in stories::ALL {
            scope.spawn(|| stories::repeat(story, &stage));
        }
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn a_taken_port_gives_way_to_the_next_free_one() {
        let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = taken.local_addr().unwrap();
        let port = free_port(address).unwrap();
        assert_ne!(port, address.port());
        drop(taken);
        assert_eq!(free_port(address).unwrap(), address.port());
    }
}
