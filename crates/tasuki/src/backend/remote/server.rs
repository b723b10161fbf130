//! The connection to a server, and the versions of handoffs that it returned.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::path::PathBuf;

use tasuki_api as api;
use tasuki_api::{HandoffDetails, Whoami};
use tasuki_client::{Client, Error};
use tasuki_engine::model::Scope;
use tasuki_engine::refusal::{Refusal, RefusalCode};
use tasuki_engine::steps::SeenVersion;
use tasuki_packet::id::HandoffId;

use super::{state_dir, trust};
use crate::backend::parse_id;
use crate::backend::problem::client_failure;
use crate::backend::refusal::refusal_failure;
use crate::config::{Environment, Origin, Settings};
use crate::exit::{Exit, Failure};

/// The version of a handoff that was seen last.
struct SeenHandoff {
    revision: u32,
    /// The rest of its entity tag.
    rest: String,
    receiver: String,
    /// The digest of the action that its holder asks to run.
    action: Option<String>,
}

/// An exchange behind a server.
pub(crate) struct RemoteBackend {
    pub(super) client: Client,
    pub(super) settings: Settings,
    whoami: OnceCell<Whoami>,
    /// The versions that were seen, for `If-Match`.
    seen: RefCell<BTreeMap<HandoffId, SeenHandoff>>,
    /// References to handoffs that the caller may not read, by their placeholder id.
    placeholders: RefCell<BTreeMap<HandoffId, String>>,
    /// `true` if the caller can be asked for a password.
    pub(super) may_prompt: bool,
}

impl RemoteBackend {
    /// Connects to the configured server. Fails if `--as` or the project does not match the token.
    pub(crate) fn connect(settings: Settings) -> Result<Self, Failure> {
        let backend = Self::connect_unchecked(settings)?;
        let (named, project) = (&backend.settings.party, &backend.settings.project);
        if let Some(named) = named {
            let own = &backend.whoami()?.party;
            if named.value.as_str() != own {
                let message = format!(
                    "the token belongs to `{own}`, but {} names `{}`",
                    named.origin,
                    named.value.as_str()
                );
                return Err(denied(message).hint("leave the name out; the token identifies you"));
            }
        }
        if project.origin != Origin::Default {
            let own = backend.whoami()?.project.as_deref().unwrap_or_default();
            if project.value.as_str() != own {
                let message = format!(
                    "the token is for project `{own}`, but {} names `{}`",
                    project.origin,
                    project.value.as_str()
                );
                return Err(denied(message).hint("use a token of that project"));
            }
        }
        Ok(backend)
    }

    /// Connects to the configured server without comparing `--as` with the token.
    pub(crate) fn connect_unchecked(settings: Settings) -> Result<Self, Failure> {
        if let Some(url) = &settings.url {
            trust::require_trust(url, &Environment::of_process())?;
        }
        let address = settings.url.as_ref().map(|url| url.value.as_str()).unwrap_or_default();
        let Some(token) = &settings.token else {
            return Err(denied(format!("no token for {address}")).hint(
                "set `TASUKI_TOKEN`; an operator creates one with `tasuki token create --as NAME`",
            ));
        };
        let client = Client::new(address, token.value.reveal()).map_err(client_failure)?;
        let (seen, placeholders) = (RefCell::default(), RefCell::default());
        let whoami = OnceCell::new();
        Ok(Self { client, settings, whoami, seen, placeholders, may_prompt: false })
    }

    /// Returns the backend for a caller that can be asked for a password, or not.
    pub(crate) fn prompting(self, may_prompt: bool) -> Self {
        Self { may_prompt, ..self }
    }

    /// Returns the client, which the tools of agents use without a backend.
    pub(crate) fn into_client(self) -> Client {
        self.client
    }

    /// Returns the party of the token.
    pub(super) fn whoami(&self) -> Result<&Whoami, Failure> {
        if let Some(known) = self.whoami.get() {
            return Ok(known);
        }
        let whoami = self.client.whoami().map_err(client_failure)?;
        Ok(self.whoami.get_or_init(|| whoami))
    }

    /// Returns whether the token has the scope `read`.
    pub(super) fn has_read_scope(&self) -> Result<bool, Failure> {
        Ok(self.whoami()?.scopes.iter().any(|scope| scope == Scope::Read.as_str()))
    }

    /// Returns the directory for this server's claims and drafts.
    pub(super) fn state_dir(&self) -> Result<PathBuf, Failure> {
        state_dir::folder(&Environment::of_process(), self.client.address())
    }

    /// Fetches a handoff without its packet, and remembers its version.
    pub(super) fn fetch_card(&self, written: &str) -> Result<api::Handoff, Failure> {
        let card = self.client.card(without_revision(written)).map_err(client_failure)?;
        self.remember_seen(&card)?;
        Ok(card)
    }

    /// Fetches a handoff by an abbreviated id or by its task.
    pub(super) fn fetch_by_short_name(&self, written: &str) -> Result<api::Handoff, Failure> {
        match self.client.card(written) {
            Ok(card) => self.remember_seen(&card).map(|()| card),
            // Without the scope `read`, the route does not exist.
            Err(Error::Refused(problem)) if problem.code == "TK-ROUTE-UNKNOWN" => {
                let message = format!(
                    "the token lacks the scope `read`, which looking up `{written}` needs [TK-SCOPE-MISSING]"
                );
                Err(denied(message).hint("use the full id: `hof_` and 32 digits"))
            }
            Err(error) => Err(client_failure(error)),
        }
    }

    /// Fetches a handoff with its packet, and remembers its version.
    pub(super) fn fetch_details(&self, written: &str) -> Result<HandoffDetails, Failure> {
        let shown = self.client.handoff(without_revision(written)).map_err(client_failure)?;
        self.remember_seen(&shown.handoff)?;
        Ok(shown)
    }

    /// Returns a placeholder id for a handoff that the caller may not read. The server resolves the
    /// reference.
    pub(super) fn placeholder_id(&self, written: &str) -> HandoffId {
        let mut placeholders = self.placeholders.borrow_mut();
        // No handoff has a timestamp this small.
        let id = HandoffId::new(u64::try_from(placeholders.len()).unwrap_or(u64::MAX), [0; 10]);
        placeholders.insert(id, without_revision(written).to_owned());
        id
    }

    /// Returns the reference of a handoff for the server.
    pub(super) fn reference_for(&self, handoff: HandoffId) -> String {
        self.placeholders.borrow().get(&handoff).cloned().unwrap_or_else(|| handoff.to_string())
    }

    fn remember_seen(&self, handoff: &api::Handoff) -> Result<(), Failure> {
        let hex = |digest: &str| digest.strip_prefix("sha256:").unwrap_or(digest).to_owned();
        let digest = hex(&handoff.digest);
        let mut rest = format!("{}-{}", digest.get(..16).unwrap_or(&digest), handoff.to);
        let action = handoff.action.as_ref().map(|action| action.digest.clone());
        if let Some(action) = &action {
            rest = format!("{rest}-{}", hex(action));
        }
        let receiver = handoff.to.clone();
        let seen = SeenHandoff { revision: handoff.revision, rest, receiver, action };
        self.seen.borrow_mut().insert(parse_id(handoff)?, seen);
        Ok(())
    }

    /// Returns the canonical name of a party, or the name as given without the scope `read`.
    fn canonical_party(&self, named: &str) -> Result<String, Failure> {
        if !self.has_read_scope()? {
            return Ok(named.to_owned());
        }
        Ok(self.client.party(named).map_err(client_failure)?.name)
    }

    /// Returns the entity tag of the version that was seen. Fails as the exchange would if the revision,
    /// receiver or action is no longer current.
    pub(super) fn if_match_tag(
        &self,
        handoff: HandoffId,
        seen: &SeenVersion,
    ) -> Result<Option<String>, Failure> {
        let known = self.seen.borrow();
        let Some(SeenHandoff { revision: current, rest, receiver, action }) = known.get(&handoff)
        else {
            return Ok(None);
        };
        let named = seen.receiver.as_deref().filter(|named| named != receiver);
        let named = named.map(|named| self.canonical_party(named)).transpose()?;
        let message = match (seen.revision, action, &seen.digest) {
            (Some(revision), _, _) if revision != *current => {
                format!(
                    "handoff {handoff} changed: it is at revision {current}, you saw revision {revision}"
                )
            }
            (_, Some(action), Some(digest)) if digest != action => {
                format!("the action of handoff {handoff} changed: it is {action}, you saw {digest}")
            }
            _ if named.as_ref().is_some_and(|named| named != receiver) => {
                let named = named.unwrap_or_default();
                format!(
                    "the receiver of handoff {handoff} changed: it is `{receiver}`, you saw `{named}`"
                )
            }
            // The tag of the packet alone does not name the action.
            (Some(_), Some(_), None) => {
                let packet = rest.split('-').next().unwrap_or_default();
                return Ok(Some(format!("\"{current}-{packet}\"")));
            }
            _ => return Ok(Some(format!("\"{current}-{rest}\""))),
        };
        let changed = Refusal::new(RefusalCode::RevisionChanged, message);
        Err(refusal_failure(&changed.hint("run `tasuki show` again, then decide")))
    }
}

/// Returns a reference without its revision.
pub(super) fn without_revision(written: &str) -> &str {
    written.split('@').next().unwrap_or(written)
}

pub(super) fn denied(message: impl Into<String>) -> Failure {
    Failure { exit: Exit::Denied, ..Failure::usage(message) }
}
