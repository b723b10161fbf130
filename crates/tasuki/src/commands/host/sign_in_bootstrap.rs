//! Selects the person for the sign-in link that a server prints when it starts.

use tasuki_engine::command::Command;
use tasuki_engine::engine::{Call, Engine};
use tasuki_engine::model::{Directory, PartyKind, Principal};
use tasuki_engine::ports::AccountStore;
use tasuki_engine::steps::AddParty;
use tasuki_packet::id::ProjectId;

use crate::backend::refusal::{engine_failure, fault_failure};
use crate::config::Party;
use crate::exit::Failure;

/// The command that gives a person a password.
const NEXT: &str = "Next: tasuki party add NAME --human";

/// The person who gets the link.
pub(super) enum SignInBootstrap {
    Person(String),
    /// A person who signs in with a password, because the exchange has passwords. A link would replace
    /// it for every process that can start a server here.
    Operator(String),
    /// There is no link; the reason, if the operator should know it.
    Unavailable(Option<String>),
}

impl SignInBootstrap {
    /// Returns the user who started the server, added as a person of the project. On loopback no account
    /// is needed first.
    pub(super) async fn for_loopback(
        engine: &Engine,
        project: ProjectId,
        user: &Result<Party, String>,
        people: &dyn AccountStore,
    ) -> Result<Self, Failure> {
        let has_passwords =
            !people.people().await.map_err(|fault| fault_failure(&fault))?.is_empty();
        let name = match user {
            Ok(user) => user.as_str().to_owned(),
            Err(why) => return Ok(Self::unavailable(why)),
        };
        let directory = engine.directory(project).await.map_err(engine_failure)?;
        match kind(&directory, &name) {
            Some(PartyKind::Human) if has_passwords => Ok(Self::Operator(name)),
            Some(PartyKind::Human) => Ok(Self::Person(name)),
            None if has_passwords => Ok(Self::Unavailable(None)),
            Some(PartyKind::Agent | PartyKind::Role) => {
                let why =
                    format!("`{name}`, who runs this server, is not a person in this project");
                Ok(Self::unavailable(&why))
            }
            None => {
                let kind = Some(PartyKind::Human);
                let request = AddParty { name: name.clone(), kind, ..AddParty::default() };
                let (principal, command) = (Principal::system(), Command::AddParty(request));
                let added = engine.run(Call { project, principal, command, key: None }).await;
                added.map_err(engine_failure)?;
                Ok(Self::Person(name))
            }
        }
    }

    /// Returns no person: a server that other machines can reach prints no link.
    pub(super) async fn for_network(
        engine: &Engine,
        project: ProjectId,
        people: &dyn AccountStore,
    ) -> Result<Self, Failure> {
        let directory = engine.directory(project).await.map_err(engine_failure)?;
        for party in directory.parties().iter().filter(|party| party.kind == PartyKind::Human) {
            if people.person(party.name.clone()).await.map_err(|e| fault_failure(&e))?.is_some() {
                return Ok(Self::Unavailable(None));
            }
        }
        let why = "No one has a password, so only tokens can sign in.";
        Ok(Self::Unavailable(Some(format!("{why} {NEXT}"))))
    }

    fn unavailable(why: &str) -> Self {
        Self::Unavailable(Some(format!("No sign-in link: {why}. {NEXT}")))
    }
}

fn kind(directory: &Directory, name: &str) -> Option<PartyKind> {
    let parties = directory.parties();
    parties.iter().find(|party| party.name == name).map(|party| party.kind)
}
