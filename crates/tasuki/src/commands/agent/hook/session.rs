//! The exchange, the session and the work tree of one hook call.

use serde_json::{Value, json};

use super::input::HookInput;
use super::run::{Arguments, Event};
use super::transcript;
use crate::backend::crash_record::{NewTask, QUOTED_CHARACTERS_MAX, quoted};
use crate::backend::{self, Backend};
use crate::commands::agent::host::Host;
use crate::commands::agent::work_tree::Tree;
use crate::config::{Environment, Flags, SessionName, Settings, host_session};
use crate::data_dir::DataDir;
use crate::exit::{Failure, reason};
use crate::output::printer::Printer;

/// LIMIT: digits of the host's session id in the name of a task.
const ID_CHARACTERS_MAX: usize = 8;

/// LIMIT: characters of a goal that is taken from a transcript.
const GOAL_CHARACTERS_MAX: usize = 200;

/// One call of a hook.
pub(super) struct HookSession {
    pub(super) host: Host,
    pub(super) input: HookInput,
    pub(super) flags: Flags,
    pub(super) name: SessionName,
    /// `true` if the exchange is behind a server, which knows the party from the token.
    pub(super) is_remote: bool,
    /// `true` if the agent can be asked to take another turn.
    pub(super) may_ask: bool,
    pub(super) tree: Tree,
}

impl HookSession {
    /// Enters the directory of the agent. Returns none where there is no exchange.
    pub(super) fn open(arguments: &Arguments, input: HookInput) -> Result<Option<Self>, Failure> {
        if let Some(directory) = input.directory() {
            std::env::set_current_dir(directory).map_err(|error| {
                Failure::usage(format!("cannot enter {}: {}", directory.display(), reason(&error)))
            })?;
        }
        let folder = std::env::current_dir().map_err(|error| {
            Failure::usage(format!("cannot determine the current directory: {}", reason(&error)))
        })?;
        let (host, environment) = (input.host(arguments.host), Environment::of_process());
        let id = input.session_id.as_deref().unwrap_or_default();
        let name = host_session(host.name(), id)
            .filter(|_| !id.is_empty())
            .ok_or_else(|| Failure::usage("the host's input has no valid session id"))?;
        let mut flags = Flags { session: Some(name.clone()), ..arguments.flags.clone() };
        let settings = Settings::resolve(&flags, &environment, &folder)?;
        let is_remote = settings.url.is_some();
        let has_directory = || DataDir::find(&folder).is_ok();
        if !is_remote && settings.store.is_none() && !has_directory() {
            return Ok(None);
        }
        // A party in a configuration file is the person who works here, not the agent.
        if !is_remote && flags.party.is_none() && environment.text("TASUKI_AS")?.is_none() {
            flags.party = Some(host.name().to_owned());
        }
        let tree = Tree::here();
        let may_ask = arguments.event == Event::Stop && !input.stop_hook_active;
        Ok(Some(Self { host, input, flags, name, is_remote, may_ask, tree }))
    }

    /// Opens the exchange, and delivers what earlier sessions could not.
    pub(super) fn exchange(&self) -> Result<Box<dyn Backend>, Failure> {
        backend::open_as_caller(&self.flags, &Printer::silent())
    }

    /// Returns the flag that names the party in commands for the agent.
    pub(super) fn as_flag(&self) -> String {
        match &self.flags.party {
            Some(party) if !self.is_remote => format!(" --as {party}"),
            _ => String::new(),
        }
    }

    /// Returns the task to begin for changes that belong to no task.
    pub(super) fn new_task(&self) -> NewTask {
        let id = self.input.session_id.as_deref().unwrap_or_default();
        let id: String = id.chars().take(ID_CHARACTERS_MAX).collect();
        let asked = self.input.transcript_path.as_deref().and_then(transcript::first_request);
        let asked = asked.map(|text| quoted(&text, GOAL_CHARACTERS_MAX));
        let goal = asked.filter(|text| !text.is_empty()).unwrap_or_else(|| {
            let branch = self.tree.work_tree.as_ref().and_then(|one| one.branch.as_deref());
            let branch = branch.map(|branch| format!(" on branch {branch}")).unwrap_or_default();
            format!("Continue the work of {}{branch}", self.host.name())
        });
        NewTask { task: format!("{}-{id}", self.host.name()), goal }
    }

    /// Returns what the agent said last, for the next holder.
    pub(super) fn context(&self) -> Value {
        let said = self.input.last_assistant_message.as_deref();
        let said = said.map(|text| quoted(text, QUOTED_CHARACTERS_MAX));
        said.map_or(Value::Null, |said| json!({ "last_message": said }))
    }
}
