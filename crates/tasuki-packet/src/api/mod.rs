//! The bodies that every door answers with, once for HTTP, the client and the command line.
//!
//! They say what a party may see: names instead of ids of parties, words instead of numbers. The
//! exchange fills them; nobody decides by them.

pub mod problem;

use jiff::Timestamp;
use serde::{Deserialize, Serialize, Serializer};

use crate::types::instant::InstantText;

/// What a command answers. It goes from hand to hand, so its large parts are boxed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// The number of the last event that the command made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub n: Option<u64>,
    /// The handoff after the command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handoff: Option<Box<Handoff>>,
    /// The claim that the caller has now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim: Option<Claim>,
    /// The id of the document that the command brought: a checkpoint, a decision, a question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document: Option<String>,
    /// A party that was added or changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub party: Option<Box<Party>>,
    /// The contract or gate that was published, or the version that was fixed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<String>,
    /// A token that was created or revoked. Its text is in the first answer only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<Box<Token>>,
    /// A subscription that was added or changed. A new secret is in the first answer only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subscription: Option<Box<Subscription>>,
    /// What somebody who took the work over has to read: the whole chain, as Markdown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub brief: Option<String>,
    /// Names of parties that were added because they were named for the first time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub registered: Vec<String>,
    /// Whether nothing happened, because it had happened already.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub repeated: bool,
    /// What the caller should know besides.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The trace context of the packet that the command was about. It is for the log of whoever
    /// answers, and no part of the body.
    #[serde(skip)]
    pub trace: Option<String>,
}

impl Answer {
    /// The answer as it may be kept: what is shown only once is left out, and a note says so.
    #[must_use]
    pub fn to_keep(&self) -> Self {
        let mut kept = self.clone();
        let text = kept.token.as_mut().and_then(|token| token.text.take());
        let secret = kept.subscription.as_mut().and_then(|one| one.secret.take());
        for (shown, what) in [(text, "the text of a token"), (secret, "the secret of a webhook")] {
            if shown.is_some() {
                kept.notes.push(format!("{what} is shown once, in the first answer"));
            }
        }
        kept
    }
}

/// A text that is shown once and not printed by accident.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Secret(pub String);

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret")
    }
}

/// A token as lists show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Token {
    /// Its id.
    pub id: String,
    /// The text that its owner shows, in the answer that creates it and nowhere else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<Secret>,
    /// Whose it is.
    pub party: String,
    /// What it is good for.
    pub scopes: Vec<String>,
    /// The networks it may be used from; nothing means anywhere.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub from: Vec<String>,
    /// What it is called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// When it was created.
    #[serde(serialize_with = "six_digits")]
    pub created_at: Timestamp,
    /// When it stops working.
    #[serde(serialize_with = "six_digits")]
    pub expires_at: Timestamp,
    /// When it was revoked.
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "six_digits_if")]
    pub revoked_at: Option<Timestamp>,
    /// When it was last shown to a server, to the hour.
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "six_digits_if")]
    pub last_used: Option<Timestamp>,
}

/// A subscription as lists show it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Subscription {
    /// Its id.
    pub id: String,
    /// Who is told.
    pub party: String,
    /// `webhook` or `email`.
    pub kind: String,
    /// Where a webhook goes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Where a message goes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// What a webhook is checked with that is signed with a key pair.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub public_key: Option<String>,
    /// What a webhook is signed with, in the answer that makes it and nowhere else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<Secret>,
    /// Of what; nothing said means everything.
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
    pub filter: serde_json::Map<String, serde_json::Value>,
    /// `active`, `disabled` or `removed`.
    pub status: String,
    /// Why it is disabled: `asked`, `failing` or `gone`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
    /// When it was added.
    #[serde(serialize_with = "six_digits")]
    pub created_at: Timestamp,
    /// The number of the first event that it is about.
    pub from: u64,
}

/// One attempt to tell a subscriber of one event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Delivery {
    /// The number of the event.
    pub n: u64,
    /// When.
    #[serde(serialize_with = "six_digits")]
    pub at: Timestamp,
    /// Which attempt of this event, from 1.
    pub attempt: u32,
    /// What the receiver answered; nothing if it did not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// How long it took.
    pub millis: u32,
    /// The beginning of what the receiver said, or why it could not be asked.
    pub response: String,
}

/// One handoff as lists and cards show it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Handoff {
    /// Its id.
    pub id: String,
    /// The task that moves.
    pub task: String,
    /// The word of its state.
    pub state: String,
    /// Who hands over.
    pub from: String,
    /// Who it is for now.
    pub to: String,
    /// Who works on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holder: Option<String>,
    /// Its goal, shortened; nothing where a gate keeps the packet from whoever looks.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub goal: String,
    /// The current revision.
    pub revision: u32,
    /// The digest of that revision's packet.
    pub digest: String,
    /// What a wrong handoff would cost.
    pub risk: String,
    /// Why it waits for a person.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub held_for: Vec<String>,
    /// The rule, gate, limit, trigger or earlier handoff behind each of these reasons.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub causes: Vec<HoldCause>,
    /// The people or roles to whom the decision is left; a person must be one of each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deciders: Vec<String>,
    /// The action that its holder asks leave for, until a person has decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<Action>,
    /// Its gates, and how far each is signed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gates: Vec<Gate>,
    /// How certain the sender is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// Why it was handed over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trigger: Option<String>,
    /// Its marking.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub classification: Option<String>,
    /// The contract it is under.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contract: Option<String>,
    /// The handoff whose work it passes on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// The handoff that passes its work on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub child: Option<String>,
    /// Questions that wait for an answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<String>,
    /// Whether one of them keeps it from being claimed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub blocked: bool,
    /// Members of the receiving role who have declined it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub declined_by: Vec<String>,
    /// Who returned it, as long as that waits for a verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub returned_by: Option<String>,
    /// Who judges that return in place of its sender, who missed a deadline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<String>,
    /// Whether only a person judges that return.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub person_judges: bool,
    /// Which attempt of this receiver it is, from 1.
    pub attempt: u32,
    /// How many rungs of the fallback are used up.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub rung: u32,
    /// How many returns have failed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub reworks: u32,
    /// How many checkpoints there are.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub checkpoints: u32,
    /// When it was submitted.
    #[serde(serialize_with = "six_digits")]
    pub submitted_at: Timestamp,
    /// Since when it is in this state, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "six_digits_if")]
    pub since: Option<Timestamp>,
    /// When the clock will move it, unless somebody does something.
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "six_digits_if")]
    pub due_at: Option<Timestamp>,
    /// When it can be claimed at the earliest.
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "six_digits_if")]
    pub not_before: Option<Timestamp>,
    /// When the receiver first saw it.
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "six_digits_if")]
    pub delivered_at: Option<Timestamp>,
    /// When the first checkpoint was left.
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "six_digits_if")]
    pub started_at: Option<Timestamp>,
    /// What nobody could be told of, as long as it waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notification_failure: Option<NotificationFailure>,
}

/// The cause of a hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HoldCause {
    /// The reason: `asked`, `confidence`, `trigger`, `label`, `action`, `changed` or `gate`.
    pub reason: String,
    /// The cause, such as `rule:money-movement`, `gate:release`, `trigger:error` or `handoff:hof_…`.
    pub by: String,
    /// A sentence about it for people.
    pub text: String,
}

/// A decision about a handoff.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DecisionRecord {
    /// Its id.
    pub id: String,
    /// The decision: `accept`, `sign_off`, `deny`, `reject`, `edit`, `reroute`, `intercept`, `cancel`.
    pub decision: String,
    /// The party that decided.
    pub by: String,
    /// When it was made.
    #[serde(serialize_with = "six_digits")]
    pub at: Timestamp,
    /// The revision that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<u64>,
    /// The digest of the packet or action that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// The reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The meaning of a signature.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meaning: Option<String>,
    /// The gate that was signed, with its version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<String>,
    /// The parts that the person opened, as far as they state it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub opened: Vec<String>,
    /// The number of seconds that the person took, as far as they state it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<u64>,
}

/// An event that nobody could be told of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotificationFailure {
    /// Its number.
    pub event: u64,
    /// What waits since then: `offer`, `hold`, `question` or `escalation`.
    pub wait: String,
    /// Who should have been told; nobody in particular for a hold, which is for whoever decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub party: Option<String>,
    /// Why nobody was: `no_channel` or `failed`.
    pub because: String,
    /// When that was known.
    #[serde(serialize_with = "six_digits")]
    pub at: Timestamp,
}

/// An action that a person is asked about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Action {
    /// The id of its document.
    pub id: String,
    /// The digest of that document, which a decision names.
    pub digest: String,
}

/// A gate of a handoff, and how far it is signed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gate {
    /// Its name and version, as `release@1.0`.
    pub name: String,
    /// What must be signed, each by its own people.
    pub factors: Vec<Factor>,
    /// Who has refused to sign; enough of them close the gate.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub denied: Vec<Denial>,
}

/// A refusal to sign at a gate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Denial {
    /// Who refused.
    pub by: String,
    /// When.
    #[serde(serialize_with = "six_digits")]
    pub at: Timestamp,
    /// When it is too old to count, if the gate says so.
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "six_digits_if")]
    pub until: Option<Timestamp>,
    /// Why; nothing where the gate keeps the packet from whoever looks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// One factor of a gate, and who has signed for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Factor {
    /// Its name.
    pub name: String,
    /// The roles whose members sign.
    pub roles: Vec<String>,
    /// How many people must sign.
    pub needed: u32,
    /// Who has signed for this revision and this receiver.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub signed: Vec<Signature>,
}

/// One signature at a gate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signature {
    /// Who signed.
    pub by: String,
    /// When.
    #[serde(serialize_with = "six_digits")]
    pub at: Timestamp,
    /// When it is too old to count, if the gate says so.
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "six_digits_if")]
    pub until: Option<Timestamp>,
}

/// A question that waits for an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenQuestion {
    /// Its id.
    pub id: String,
    /// Who asked.
    pub by: String,
    /// What they want to know.
    pub question: String,
    /// The field of the packet that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// Whether nobody may claim before it is answered.
    pub blocking: bool,
}

/// A claim as its holder sees it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Claim {
    /// Its id.
    pub id: String,
    /// The handoff it is on.
    pub handoff: String,
    /// Who holds it.
    pub holder: String,
    /// The fencing number, to be stated with every write.
    pub fence: u64,
    /// When the lease lapses.
    #[serde(serialize_with = "six_digits")]
    pub until: Timestamp,
    /// The length of the lease, as `30m`.
    pub lease: String,
    /// What the holder may do in the sender's name: what packet, sender and receiver all allow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub authority: Option<Vec<String>>,
}

/// A return packet: who gave it back when, and what was judged of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Return {
    /// Its id.
    pub id: String,
    /// The handoff that it came back on: the last one, where work was passed on.
    pub handoff: String,
    /// Who gave it back.
    pub by: String,
    /// When.
    #[serde(serialize_with = "six_digits")]
    pub at: Timestamp,
    /// The digest of the packet.
    pub digest: String,
    /// The packet.
    pub packet: serde_json::Value,
    /// What was judged of it, once somebody has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Judged>,
}

/// What was judged of a return.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Judged {
    /// The id of the verdict.
    pub id: String,
    /// `pass` or `fail`.
    pub result: String,
    /// Who judged: a name, or `contract` where the contract checks by itself.
    pub by: String,
    /// When.
    #[serde(serialize_with = "six_digits")]
    pub at: Timestamp,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What the contract found for each criterion, where it checked by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub found: Option<serde_json::Value>,
}

/// What somebody said who claimed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClaimStatement {
    /// The id of the claim.
    pub id: String,
    /// Who claimed.
    pub by: String,
    /// When.
    #[serde(serialize_with = "six_digits")]
    pub at: Timestamp,
    /// The goal and the first step in the claimer's own words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_back: Option<serde_json::Value>,
    /// What the claimer found changed since the packet was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drift: Option<serde_json::Value>,
}

/// A party as lists show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Party {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// `agent`, `human` or `role`.
    pub kind: String,
    /// Other names for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// Names of the members of a role.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub members: Vec<String>,
    /// What it can be sent for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skills: Vec<String>,
    /// Contract versions it reads; only on its own card, like all that follows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reads: Vec<String>,
    /// What it may do at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub authority: Option<Vec<String>>,
    /// Names of parties that it may send for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sends_for: Vec<String>,
    /// The mailbox of a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
}

/// One event, with enough to understand it without opening the packet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// Its number in the project.
    pub n: u64,
    /// When.
    #[serde(serialize_with = "six_digits")]
    pub at: Timestamp,
    /// What happened: `handoff.claimed`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Who did it: a name, `clock` or `system`.
    pub actor: String,
    /// The handoff it happened to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handoff: Option<String>,
    /// Its task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// Who hands over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Who it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// The revision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<u64>,
    /// The contract.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contract: Option<String>,
    /// The state before the command that made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// The state after it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Why, in the words of whoever did it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The digest of the action that a person gave leave for, or refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// The packet's trigger.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trigger: Option<String>,
    /// The risk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub risk: Option<String>,
    /// The attributes of the leaf.
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
    pub attributes: serde_json::Map<String, serde_json::Value>,
}

/// What the next holder of a handoff is given to go on from, for a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Continuation {
    /// The handoff.
    pub handoff: Handoff,
    /// The digest of the composed packet, whose first digits are the marker of the fence.
    pub digest: String,
    /// The brief, fenced as data.
    pub text: String,
    /// Its tokens.
    pub tokens: usize,
    /// Pointers to what the budget did not hold.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}

/// What waits for somebody, and when the exchange looked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Inbox {
    /// Whose inbox.
    pub party: String,
    /// The handoffs, most urgent first.
    pub handoffs: Vec<Handoff>,
    /// The number of the last event when the exchange looked.
    pub as_of_n: u64,
    /// The time at which it looked.
    #[serde(serialize_with = "six_digits")]
    pub as_of: Timestamp,
    /// Whether there may be more than this page has.
    pub more: bool,
    /// Where the next page begins, if there may be one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

fn six_digits<S: Serializer>(instant: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(InstantText::of(*instant).as_str())
}

#[expect(clippy::ref_option, reason = "serde calls it with a reference to the field")]
fn six_digits_if<S: Serializer>(
    instant: &Option<Timestamp>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match instant {
        Some(instant) => six_digits(instant, serializer),
        None => serializer.serialize_none(),
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}
