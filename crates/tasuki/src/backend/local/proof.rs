//! Asks for a password where a local command needs the authority of a person.
//!
//! `--as NAME` is an assertion. Once one person of the store has a password, it is not enough for:
//!
//! - a decision, which needs the password of the person who decides;
//! - a new person, a password and a token of a person, which need the password of a person.
//!
//! A packet that is written in the name of a person, but without a password, counts as an agent's.
//! It never replaces an approval. Where no person has a password, nothing is asked.

use tasuki_engine::command::Command;
use tasuki_engine::model::{Directory, PartyKind, Principal};
use tasuki_engine::steps::{AddParty, Answer, Halt};
use tasuki_packet::leaf::{ActorKind, Authentication};

use super::backend::LocalBackend;
use super::password::{authenticate, people};
use crate::backend::Backend as _;
use crate::exit::Failure;
use crate::input::password::denied;

/// The authority that a command needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Authority {
    /// That of its caller.
    Caller,
    /// That of the person who decides.
    Decision,
    /// That of the author of a packet.
    Author,
    /// That of a person who makes another party a person, or a deputy.
    Introduction,
}

impl Authority {
    #[expect(clippy::wildcard_enum_match_arm, reason = "few of many commands need a person")]
    fn of(command: &Command, directory: &Directory) -> Self {
        match command {
            Command::Accept(_)
            | Command::SignOff(_)
            | Command::Edit(_)
            | Command::Reject(_)
            | Command::Reroute(_)
            | Command::Intercept(_)
            | Command::Cancel(_)
            | Command::Verify(_)
            | Command::Redrive(_)
            | Command::Discard(_)
            | Command::Halt(Halt { is_lift: true, .. }) => Self::Decision,
            Command::Begin(_)
            | Command::Submit(_)
            | Command::PassOn(_)
            | Command::Revise(_)
            | Command::Answer(Answer { source: Some(_), .. }) => Self::Author,
            Command::AddParty(AddParty { kind: Some(PartyKind::Human), name, .. })
                if !is_person(directory, name) =>
            {
                Self::Introduction
            }
            Command::BeginAbsence(_) => Self::Introduction,
            _ => Self::Caller,
        }
    }
}

fn is_person(directory: &Directory, name: &str) -> bool {
    directory.find(name).is_ok_and(|party| party.kind == PartyKind::Human)
}

impl LocalBackend {
    /// Returns the principal that runs a command, after asking for the password that it needs.
    pub(super) fn prove(&self, command: &Command) -> Result<Principal, Failure> {
        let own = &self.principal;
        let directory = self.exchange.directory()?;
        let authority = Authority::of(command, &directory);
        let needs_one = match authority {
            Authority::Caller => false,
            Authority::Decision | Authority::Author => own.is_human(),
            Authority::Introduction => true,
        };
        if !needs_one || !self.has_passwords()? {
            return Ok(own.clone());
        }
        match authority {
            Authority::Caller => Ok(own.clone()),
            Authority::Decision => self.authenticated(),
            Authority::Author => Ok(Principal { kind: ActorKind::Agent, ..own.clone() }),
            Authority::Introduction => {
                self.prove_introduction(None)?;
                Ok(own.clone())
            }
        }
    }

    /// Asks the caller for their password.
    pub(super) fn authenticated(&self) -> Result<Principal, Failure> {
        authenticate(&self.exchange, &self.own_name()?, self.may_prompt)?;
        let authentication = Authentication::Password;
        Ok(Principal { authentication, ..self.principal.clone() })
    }

    /// Asks for the password of the person who introduces another one, once for each command: the
    /// caller, the person whose password is changed, or the only one who has a password.
    pub(super) fn prove_introduction(&self, changed: Option<&str>) -> Result<(), Failure> {
        let people = people(&self.exchange)?;
        if people.is_empty() || self.is_introduced.get() {
            return Ok(());
        }
        let own = self.own_name().ok().filter(|_| self.principal.is_human());
        let has_one = |name: &&str| people.iter().any(|one| one == name);
        let only = match people.as_slice() {
            [one] => Some(one.as_str()),
            _ => None,
        };
        let introducer = own.as_deref().or(changed.filter(has_one)).or(only);
        let Some(name) = introducer else {
            let message = "adding a person needs the password of a person";
            return Err(denied(message).hint("name yourself with `--as NAME`"));
        };
        authenticate(&self.exchange, name, self.may_prompt)?;
        self.is_introduced.set(true);
        Ok(())
    }

    /// Asks for the password of a person before a token is made for them.
    pub(super) fn prove_token(&self, party: &str) -> Result<(), Failure> {
        let directory = self.exchange.directory()?;
        if !is_person(&directory, party) || !self.has_passwords()? {
            return Ok(());
        }
        authenticate(&self.exchange, party, self.may_prompt)
    }

    pub(super) fn has_passwords(&self) -> Result<bool, Failure> {
        Ok(!people(&self.exchange)?.is_empty())
    }
}
