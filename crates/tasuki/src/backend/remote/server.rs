//! The server that is asked, and who asks it.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::path::PathBuf;

use tasuki_client::{Client, Error, Shown, Whoami};
use tasuki_engine::decision::{Looked, is_digest, unnamed_action};
use tasuki_engine::principal::Scope;
use tasuki_engine::refusal::{Refusal, RefusalCode};
use tasuki_packet::api;
use tasuki_packet::id::HandoffId;

use super::state_dir;
use crate::backend::id_of;
use crate::backend::problem::failed;
use crate::backend::refusal::refused;
use crate::config::{Environment, Origin, Settings};
use crate::exit::{Exit, Failure};

/// What there was to see of a handoff.
struct Seen {
    revision: u32,
    /// The rest of its tag.
    rest: String,
    receiver: String,
    /// The digest of the action that its holder asks leave for.
    action: Option<String>,
}

/// An exchange behind a server.
pub(crate) struct There {
    pub(super) client: Client,
    pub(super) settings: Settings,
    whoami: OnceCell<Whoami>,
    /// What was looked at, for `If-Match`.
    seen: RefCell<BTreeMap<HandoffId, Seen>>,
    /// What was written for handoffs that the caller may not look at, by the id that stands for it here.
    unseen: RefCell<BTreeMap<HandoffId, String>>,
}

impl There {
    /// The server that these settings name. It is asked who the token belongs to only where somebody
    /// says who they are.
    pub(crate) fn open(settings: Settings) -> Result<Self, Failure> {
        let there = Self::of_any(settings)?;
        let (said, project) = (&there.settings.party, &there.settings.project);
        if let Some(said) = said {
            let own = &there.whoami()?.party;
            if said.value.as_str() != own {
                let message = format!(
                    "{} says `{}`, and the token is `{own}`'s",
                    said.origin,
                    said.value.as_str()
                );
                return Err(
                    denied(message).hint("a server knows you by your token: leave the name out")
                );
            }
        }
        if project.origin != Origin::Default {
            let own = there.whoami()?.project.as_deref().unwrap_or_default();
            if project.value.as_str() != own {
                let message = format!(
                    "{} says project `{}`, and the token is for `{own}`",
                    project.origin,
                    project.value.as_str()
                );
                return Err(
                    denied(message).hint("a token belongs to one project: use one of the other")
                );
            }
        }
        Ok(there)
    }

    /// The same where `--as` names somebody else than the caller.
    pub(crate) fn of_any(settings: Settings) -> Result<Self, Failure> {
        let address = settings.url.as_ref().map(|url| url.value.as_str()).unwrap_or_default();
        let Some(token) = &settings.token else {
            return Err(denied(format!("there is no token for {address}")).hint(
                "set `TASUKI_TOKEN`; an operator makes one: `tasuki token create --as NAME`",
            ));
        };
        let client = Client::new(address, token.value.reveal()).map_err(failed)?;
        let (seen, unseen) = (RefCell::default(), RefCell::default());
        Ok(Self { client, settings, whoami: OnceCell::new(), seen, unseen })
    }

    /// Who the token says is asking.
    pub(super) fn whoami(&self) -> Result<&Whoami, Failure> {
        if let Some(known) = self.whoami.get() {
            return Ok(known);
        }
        let told = self.client.whoami().map_err(failed)?;
        Ok(self.whoami.get_or_init(|| told))
    }

    /// Whether the token lets its party look at more than its own inbox.
    pub(super) fn may_read(&self) -> Result<bool, Failure> {
        Ok(self.whoami()?.scopes.iter().any(|scope| scope == Scope::Read.as_str()))
    }

    /// Where this server's claims and drafts are.
    pub(super) fn folder(&self) -> Result<PathBuf, Failure> {
        state_dir::folder(&Environment::of_process(), self.client.address())
    }

    /// A handoff without its packet, for whoever names it; what it is at now is remembered.
    pub(super) fn card(&self, written: &str) -> Result<api::Handoff, Failure> {
        let card = self.client.card(plain(written)).map_err(failed)?;
        self.remember(&card)?;
        Ok(card)
    }

    /// The same for whoever has only a short name for it.
    pub(super) fn named(&self, written: &str) -> Result<api::Handoff, Failure> {
        match self.client.card(written) {
            Ok(card) => self.remember(&card).map(|()| card),
            // Whoever may not look hears of no door at all.
            Err(Error::Refused(problem)) if problem.code == "TK-ROUTE-UNKNOWN" => {
                let message = format!(
                    "this token may not look up which handoff `{written}` is [TK-SCOPE-MISSING]"
                );
                Err(denied(message).hint(
                    "name it by its whole id, `hof_` and 32 digits; others may abbreviate it",
                ))
            }
            Err(error) => Err(failed(error)),
        }
    }

    /// The same with its packet, for whoever reads it.
    pub(super) fn look_at(&self, written: &str) -> Result<Shown, Failure> {
        let shown = self.client.handoff(plain(written)).map_err(failed)?;
        self.remember(&shown.handoff)?;
        Ok(shown)
    }

    /// An id for what the caller may name but not look at. The server finds out what is meant.
    pub(super) fn stand_in(&self, written: &str) -> HandoffId {
        let mut unseen = self.unseen.borrow_mut();
        // No handoff is as old as that.
        let id = HandoffId::new(u64::try_from(unseen.len()).unwrap_or(u64::MAX), [0; 10]);
        unseen.insert(id, plain(written).to_owned());
        id
    }

    /// How the server is told which handoff is meant.
    pub(super) fn name_of(&self, handoff: HandoffId) -> String {
        self.unseen.borrow().get(&handoff).cloned().unwrap_or_else(|| handoff.to_string())
    }

    fn remember(&self, handoff: &api::Handoff) -> Result<(), Failure> {
        let hex = |digest: &str| digest.strip_prefix("sha256:").unwrap_or(digest).to_owned();
        let digest = hex(&handoff.digest);
        let mut rest = format!("{}-{}", digest.get(..16).unwrap_or(&digest), handoff.to);
        let action = handoff.action.as_ref().map(|action| action.digest.clone());
        if let Some(action) = &action {
            rest = format!("{rest}-{}", hex(action));
        }
        let receiver = handoff.to.clone();
        let seen = Seen { revision: handoff.revision, rest, receiver, action };
        self.seen.borrow_mut().insert(id_of(handoff)?, seen);
        Ok(())
    }

    /// The name of a party that is called so. Whoever may not look names it as everybody sees it.
    fn called(&self, named: &str) -> Result<String, Failure> {
        if !self.may_read()? {
            return Ok(named.to_owned());
        }
        Ok(self.client.party(named).map_err(failed)?.name)
    }

    /// The tag of what somebody saw, as `ETag` has it. Another revision, receiver or action than the
    /// current is refused here, in the words of the exchange.
    pub(super) fn tag(
        &self,
        handoff: HandoffId,
        looked: &Looked,
    ) -> Result<Option<String>, Failure> {
        let seen = self.seen.borrow();
        let Some(Seen { revision: current, rest, receiver, action }) = seen.get(&handoff) else {
            return Ok(None);
        };
        let named = looked.receiver.as_deref().filter(|named| named != receiver);
        let named = named.map(|named| self.called(named)).transpose()?;
        let message = match (looked.revision, action, &looked.digest) {
            (Some(revision), _, _) if revision != *current => {
                format!(
                    "handoff {handoff} is at revision {current} by now, you saw revision {revision}"
                )
            }
            (_, Some(action), Some(digest)) if !is_digest(digest, action) => {
                format!(
                    "the action that handoff {handoff} waits for is {action} by now, you saw {digest}"
                )
            }
            _ if named.as_ref().is_some_and(|named| named != receiver) => {
                let named = named.unwrap_or_default();
                format!("handoff {handoff} is for `{receiver}` by now, you saw `{named}`")
            }
            (Some(_), Some(_), None) => return Err(refused(&unnamed_action(handoff))),
            _ => return Ok(Some(format!("\"{current}-{rest}\""))),
        };
        let changed = Refusal::new(RefusalCode::RevisionChanged, message);
        Err(refused(&changed.hint("look at it again, then decide")))
    }
}

/// A name without the revision behind it.
pub(super) fn plain(written: &str) -> &str {
    written.split('@').next().unwrap_or(written)
}

pub(super) fn denied(message: impl Into<String>) -> Failure {
    Failure { exit: Exit::Denied, ..Failure::usage(message) }
}
