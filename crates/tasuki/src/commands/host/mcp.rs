//! `tasuki mcp`: serves the tools of agents over stdin and stdout.

use std::path::Path;
use std::sync::Arc;

use tasuki_api::{Claim, WorkTree};
use tasuki_client::{Client, Error};
use tasuki_mcp::{
    ApiRequest, Exchange, Looked, Method, Refusal, Saved, Sent, StdioError, Stopped, serve_stdio,
};

use crate::backend::claims::store_claim;
use crate::backend::snapshots::start_snapshot;
use crate::backend::{self, ToolBackend};
use crate::commands::handoff::code::not_here;
use crate::config::{CurrentSession, Flags, Settings};
use crate::data_dir::sessions::Sessions;
use crate::exit::{Exit, Failure, reason};
use crate::git;
use crate::git::snapshot::Cause;
use crate::output::escape::escape;
use crate::output::printer::Printer;

/// Serve the tools of agents over stdio (MCP).
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  claude mcp add tasuki -- tasuki mcp --as claude-code\n  codex mcp add tasuki -- tasuki mcp --as codex\n  TASUKI_URL=https://tasuki.example.org TASUKI_TOKEN=… tasuki mcp\n\nAn agent host starts this command and talks to it over stdin and stdout. It works on the nearest `.tasuki/`, or against the server that `--server` or `TASUKI_URL` names. Leases of claims that are made through it are renewed until the host closes stdin. It refuses to act for a person. A server has the same tools at `/mcp`."
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    flags: Flags,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime
        .map_err(|error| Failure::usage(format!("cannot start the runtime: {}", reason(&error))))?;
    let (exchange, store): (Arc<dyn Exchange>, _) =
        match backend::open_for_tools(&arguments.flags, printer)? {
            ToolBackend::Local { tools, store } => (tools, Some(store)),
            ToolBackend::Remote(client) => (Arc::new(RemoteExchange(client)), None),
        };
    let desk = HostDesk::new(exchange, &arguments.flags)?;
    let ended = runtime.block_on(serve_stdio(Arc::new(desk)));
    // A read of stdin that never returns must not keep the process.
    runtime.shutdown_background();
    drop(store);
    ended.map(|()| Exit::Success).map_err(|error| match error {
        StdioError::Refused(refusal) => Failure {
            exit: Exit::Denied,
            message: escape(&refusal.message),
            hint: refusal.hint.as_deref().map(escape),
        },
        StdioError::Connection(message) => {
            Failure::usage(format!("the host broke the protocol: {}", escape(&message)))
        }
    })
}

/// An exchange for a caller that works in the directory and the session of this process.
struct HostDesk {
    exchange: Arc<dyn Exchange>,
    settings: Settings,
    /// The claims of sessions, which hooks and commands of the host read.
    sessions: Sessions,
}

impl HostDesk {
    fn new(exchange: Arc<dyn Exchange>, flags: &Flags) -> Result<Self, Failure> {
        let sessions = Sessions::in_folder(backend::state_folder(flags)?.join("sessions"));
        Ok(Self { exchange, settings: backend::settings(flags)?, sessions })
    }
}

impl Exchange for HostDesk {
    fn send(&self, request: ApiRequest) -> Sent<'_> {
        self.exchange.send(request)
    }

    fn public_url(&self) -> Option<String> {
        self.exchange.public_url()
    }

    fn work_tree(&self) -> Looked<'_, WorkTree> {
        Box::pin(async { tokio::task::spawn_blocking(git::here).await.ok().flatten() })
    }

    fn not_here(&self, recorded: WorkTree) -> Looked<'_, String> {
        let compared = move || git::not_here(&recorded, Path::new("."));
        Box::pin(async {
            let found = tokio::task::spawn_blocking(compared).await.ok().flatten();
            found.as_ref().map(not_here::sentence)
        })
    }

    fn claimed(&self, claim: &Claim, task: &str) {
        let session = CurrentSession::of(self.settings.session.as_ref());
        let stored = session.and_then(|one| store_claim(&self.sessions, one, claim, task));
        // The claim is made and renewed here. Without the file, hooks begin a task of their own.
        if let Err(failure) = stored {
            tracing::warn!(reason = failure.message, "the claim could not be stored");
        }
    }

    fn saved(&self, by: Saved, task: &str, party: &str) {
        let cause = match by {
            Saved::Checkpoint => Cause::Checkpoint,
            Saved::PassOn => Cause::PassOn,
        };
        start_snapshot(&self.settings, Path::new("."), task, party, cause);
    }

    fn stopped(&self) -> Stopped<'_> {
        self.exchange.stopped()
    }
}

/// An exchange behind a server.
struct RemoteExchange(Client);

impl Exchange for RemoteExchange {
    fn public_url(&self) -> Option<String> {
        Some(self.0.address().to_owned())
    }

    fn send(&self, request: ApiRequest) -> Sent<'_> {
        let client = self.0.clone();
        Box::pin(async move {
            // The client blocks.
            let sent = tokio::task::spawn_blocking(move || match request.method {
                Method::Get => client.get_json(&request.target),
                Method::Post => {
                    client.post_json(&request.target, request.media, request.body.as_ref())
                }
            });
            match sent.await {
                Ok(answer) => answer.map_err(refusal),
                Err(error) => {
                    Err(Refusal::new(format!("the request was lost: {error}"), "try again"))
                }
            }
        })
    }
}

fn refusal(error: Error) -> Refusal {
    match error {
        Error::Refused(problem) => (*problem).into(),
        other => Refusal::new(other.to_string(), "check that the server is running"),
    }
}
