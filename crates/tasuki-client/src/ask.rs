//! What is asked: one type for each request that says more than a name.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;
use tasuki_packet::duration::Duration;

/// Hand work over, or pass it on.
#[derive(Debug, Clone, Default)]
pub struct Submit {
    /// The packet, in any form.
    pub packet: Vec<u8>,
    /// The receiver, if it is another one than the packet names.
    pub to: Option<String>,
    /// Let a person look at it first.
    pub hold: bool,
    /// The live handoff of the task that this one replaces.
    pub supersedes: Option<String>,
    /// The claim whose work is passed on.
    pub parent: Option<Holder>,
    /// A key of your own: the same request with it has the same answer.
    pub key: Option<String>,
}

impl Submit {
    /// A packet, and nothing said beside it.
    pub fn of(packet: &[u8]) -> Self {
        Self { packet: packet.to_vec(), ..Self::default() }
    }
}

/// What a holder shows with every write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    /// The handoff.
    pub handoff: String,
    /// The fence of the claim.
    pub fence: u64,
}

/// Which handoffs to list.
#[derive(Debug, Clone, Default)]
pub struct Listing {
    /// Only in these states.
    pub states: Vec<String>,
    /// Only of this task.
    pub task: Option<String>,
    /// Only from this party.
    pub from: Option<String>,
    /// Only to this party.
    pub to: Option<String>,
    /// Also those that are over.
    pub all: bool,
    /// At most so many on a page.
    pub limit: Option<u32>,
    /// Where the page before said that this one begins.
    pub cursor: Option<String>,
}

/// A new revision of a packet, or of the action while its holder asks leave.
#[derive(Debug, Clone, Default)]
pub struct Revision {
    /// The packet or action.
    pub source: Vec<u8>,
    /// Change it as a person.
    pub edit: bool,
    /// Why, for an edit.
    pub reason: Option<String>,
    /// The tag of the revision that was seen; another one by now is refused.
    pub if_match: Option<String>,
}

/// A decision of a person, and what they saw.
#[derive(Debug, Clone, Serialize)]
#[expect(clippy::struct_field_names, reason = "the interface calls what is decided so")]
pub struct Decision {
    /// What is decided.
    pub decision: Decide,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The new receiver, for a reroute.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// The revision that was shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<u32>,
    /// The digest that was shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// The receiver that was shown, by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receiver: Option<String>,
}

/// What can be decided with a token. A gate is signed by a person who has signed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Decide {
    /// Let it go on.
    Accept,
    /// Refuse it.
    Reject,
    /// Send it to another receiver.
    Reroute,
    /// Take it over.
    Intercept,
    /// Take it back.
    Cancel,
}

impl Decision {
    /// A decision with nothing said beside it.
    pub fn new(decision: Decide) -> Self {
        Self { decision, reason: None, to: None, revision: None, digest: None, receiver: None }
    }
}

/// A signature at a gate, and what its signer saw.
#[derive(Clone, Serialize)]
pub struct SignOff {
    /// The gate; not needed where only one is open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gate: Option<String>,
    /// What the signature means, in a word that the gate allows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub meaning: Option<String>,
    /// Refuse to sign.
    pub deny: bool,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The revision that was shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<u32>,
    /// The digest that was shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// The receiver that was shown, by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receiver: Option<String>,
    /// How many seconds the person looked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<u64>,
    /// What was opened: `packet`, `evidence`.
    pub opened: Vec<String>,
    /// Typed for this very signature.
    pub password: String,
}

impl std::fmt::Debug for SignOff {
    /// Without the password.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SignOff").field("gate", &self.gate).finish_non_exhaustive()
    }
}

/// A question of a receiver.
#[derive(Debug, Clone, Serialize)]
pub struct Asking {
    /// What it wants to know.
    pub question: String,
    /// The field of the packet that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// Whether nobody may claim before it is answered.
    pub blocking: bool,
}

/// An answer of the sender: a text, a revised packet, or both.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Answering {
    /// The question; not needed where only one is open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    /// The text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// The revised packet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub packet: Option<Value>,
    /// The tag of the revision that it is about; another one is refused.
    #[serde(skip)]
    pub if_match: Option<String>,
}

/// What a receiver says with its claim.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Claiming {
    /// How long the lease shall be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lease: Option<Duration>,
    /// Whether a process renews the lease, so that it may be short.
    pub renewed: bool,
    /// A key of your own: claiming again with it gives the same claim.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Versions of contracts that the receiver reads.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reads: Vec<String>,
    /// The goal in the receiver's own words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_back: Option<Value>,
    /// What has changed since the packet was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drift: Option<Value>,
}

/// Until when work is given back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Park {
    /// Until an instant.
    Until(Timestamp),
    /// For a while from now.
    For(Duration),
}

/// A verdict on what came back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// Whether it is good.
    pub is_good: bool,
    /// Why.
    pub reason: Option<String>,
}

/// A task that somebody opens for themselves.
#[derive(Debug, Clone, Default)]
pub struct Begin {
    /// The packet that says what the task is.
    pub packet: Vec<u8>,
    /// How long the lease shall be.
    pub lease: Option<Duration>,
    /// A key of your own: the same request with it has the same answer.
    pub key: Option<String>,
}

/// Which events to read.
#[derive(Debug, Clone, Default)]
pub struct Events {
    /// Go on after this event; without it, the last ones.
    pub since: Option<u64>,
    /// End before this event.
    pub to: Option<u64>,
    /// Only these.
    pub filter: Filter,
    /// At most so many on a page.
    pub limit: Option<u32>,
}

/// Which events somebody wants. Everything that is said must hold; nothing said means all.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Filter {
    /// Only of these types.
    #[serde(rename = "type", skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<String>,
    /// Only of this task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// Only of this handoff.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handoff: Option<String>,
    /// Only by, from or to this party.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub party: Option<String>,
    /// Only from this party.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sender: Option<String>,
    /// Only to this party.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receiver: Option<String>,
    /// Only done by this party, `clock` or `system`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// Only under this contract, or this version of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contract: Option<String>,
    /// Only what leaves the handoff in this state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// Only what found the handoff in this state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// Only with this trigger.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trigger: Option<String>,
    /// Only with this risk.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub risk: Option<String>,
    /// Only with a reason that has this text in it, in any case.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Only from this instant on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub earliest: Option<Timestamp>,
    /// Only up to this instant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latest: Option<Timestamp>,
}

/// Who is told of which events, and how.
#[derive(Debug, Clone, Serialize)]
pub struct Subscribe {
    /// Who is told; the caller unless said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub party: Option<String>,
    /// How.
    #[serde(flatten)]
    pub channel: Channel,
    /// Of what.
    pub filter: Filter,
}

/// How somebody is told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Channel {
    /// By a signed request.
    Webhook {
        /// Where to.
        url: String,
        /// How it is signed.
        signing: Signing,
    },
    /// By mail.
    Email {
        /// Where to.
        address: String,
    },
}

/// How requests are signed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Signing {
    /// With a secret that both sides know.
    #[default]
    Shared,
    /// With a key of which the receiver knows only the public half.
    KeyPair,
}

/// A party, or what is to be added to one.
#[derive(Debug, Clone, Default, Serialize)]
pub struct AddParty {
    /// Its name.
    pub name: String,
    /// `agent`, `human` or `role`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Other names for it.
    pub aliases: Vec<String>,
    /// Members of the role.
    pub members: Vec<String>,
    /// Those who are no longer members.
    pub without_members: Vec<String>,
    /// What it can be sent for.
    pub skills: Vec<String>,
    /// Versions of contracts that it reads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reads: Option<Vec<String>>,
    /// What it may do at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub authority: Option<Vec<String>>,
    /// Parties in whose name it may send.
    pub sends_for: Vec<String>,
    /// The mailbox of a person; an empty one takes it away.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
}

/// A token to be created.
#[derive(Debug, Clone, Default, Serialize)]
pub struct CreateToken {
    /// Whose it is.
    pub party: String,
    /// What it is good for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scopes: Option<Vec<String>>,
    /// How long it works.
    #[serde(rename = "for", skip_serializing_if = "Option::is_none")]
    pub life: Option<Duration>,
    /// The networks it may be used from, like `10.0.0.0/8`; nothing means anywhere.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub from: Vec<String>,
    /// What to call it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// A contract with the schemas that it refers to.
#[derive(Debug, Clone, Serialize)]
pub struct PublishContract {
    /// The contract.
    pub document: Value,
    /// The schemas, by the path under which it names them.
    pub schemas: BTreeMap<String, Value>,
}
