//! What can happen, and what a leaf says of it.

use super::attribute::AttributeKind::{self, Hash, Id, Instant, Integer, Word, Words};

/// Why a handoff waits for a person.
const HOLDS: &[&str] = &["asked", "confidence", "trigger", "label", "action", "gate"];
/// Why a handoff leaves a receiver.
const CAUSES: &[&str] = &["no_progress", "declined", "rejected", "expired", "lapsed", "parked"];
const PARTY_KINDS: &[&str] = &["agent", "human", "role"];
/// What a credential is good for.
const SCOPES: &[&str] = &["submit", "receive", "read", "decide", "verify", "admin"];

macro_rules! events {
    ($($(#[$doc:meta])* $variant:ident = $name:literal
        { $($required:ident: $kind:expr),* } $( or { $($optional:ident: $optional_kind:expr),* } )?;)+) => {
        /// What happened, in the words of every layer.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum EventType {
            $($(#[$doc])* $variant,)+
        }

        impl EventType {
            /// Every type of event.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The word: `handoff.claimed`.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)+ }
            }

            /// The attributes that a leaf of this type must have.
            pub const fn required(self) -> &'static [(&'static str, AttributeKind)] {
                match self { $(Self::$variant => &[$((stringify!($required), $kind)),*],)+ }
            }

            /// The attributes that it may have.
            pub const fn optional(self) -> &'static [(&'static str, AttributeKind)] {
                match self {
                    $(Self::$variant => &[$($((stringify!($optional), $optional_kind)),*)?],)+
                }
            }
        }
    };
}

events! {
    /// A party opened a task for itself.
    Begun = "handoff.begun" { claim: Id("clm"), fence: Integer, until: Instant };
    /// A sender handed work over.
    Submitted = "handoff.submitted" { receiver: Id("pty"), hops: Integer }
        or { parent: Id("hof"), supersedes: Id("hof") };
    /// It waits for a person.
    Held = "handoff.held" { reasons: Words(HOLDS) };
    /// A person let it go on.
    Accepted = "handoff.accepted" { by: Word(&["person", "contract"]) } or { decision: Id("dec") };
    /// A person signed at a gate.
    SignedOff = "handoff.signed_off" { decision: Id("dec"), gate: Hash };
    /// A person refused to sign at a gate.
    Denied = "handoff.denied" { decision: Id("dec"), gate: Hash };
    /// A person refused it.
    Rejected = "handoff.rejected" { decision: Id("dec") };
    /// The sender made a new revision.
    Revised = "handoff.revised" {};
    /// A person made a new revision.
    Edited = "handoff.edited" { decision: Id("dec") };
    /// It goes to another receiver.
    Rerouted = "handoff.rerouted" { receiver: Id("pty") } or { decision: Id("dec") };
    /// A person took it over.
    Intercepted = "handoff.intercepted"
        { decision: Id("dec"), claim: Id("clm"), fence: Integer, until: Instant };
    /// The receiver wants to know something.
    Asked = "handoff.asked" { question: Id("qst"), blocking: Word(&["yes", "no"]) };
    /// The sender answered.
    Answered = "handoff.answered" { question: Id("qst") };
    /// The receiver does not take it.
    Declined = "handoff.declined" {};
    /// The receiver has seen it.
    Delivered = "handoff.delivered" { by: Word(&["read", "delivery"]) };
    /// The receiver has taken it.
    Claimed = "handoff.claimed"
        { claim: Id("clm"), fence: Integer, attempt: Integer, until: Instant };
    /// The holder left its first checkpoint.
    Started = "handoff.started" {};
    /// The holder left progress behind.
    Checkpointed = "handoff.checkpointed" { checkpoint: Id("chk"), fence: Integer };
    /// It waits for an instant.
    Parked = "handoff.parked" { not_before: Instant };
    /// The holder gave it back.
    Released = "handoff.released" { fence: Integer };
    /// The lease is over.
    Lapsed = "handoff.lapsed" { fence: Integer, attempt: Integer };
    /// Nobody could be told of what waits for a person.
    NotificationFailed = "handoff.notification_failed" {
        event: Integer,
        wait: Word(&["offer", "hold", "question", "escalation"]),
        because: Word(&["no_channel", "failed"])
    } or { party: Id("pty") };
    /// It went to the next rung.
    MovedOn = "handoff.moved_on" { rung: Integer, because: Word(CAUSES) } or { receiver: Id("pty") };
    /// It ended because the work was passed on.
    PassedOn = "handoff.passed_on" { child: Id("hof") };
    /// Something came back.
    Returned = "handoff.returned" { return_packet: Id("ret"), fence: Integer };
    /// The return was judged good.
    Verified = "handoff.verified" { verdict: Id("vrd") };
    /// The return was judged bad.
    FailedVerification = "handoff.failed_verification" { verdict: Id("vrd"), rework: Integer };
    /// It ended well.
    Done = "handoff.done" { by: Word(&["verdict", "contract", "no_return"]) };
    /// It reached the dead letter.
    Died = "handoff.died" { because: Word(CAUSES) };
    /// An operator started it again.
    Redriven = "handoff.redriven" { decision: Id("dec") };
    /// An operator gave it up.
    Discarded = "handoff.discarded" { decision: Id("dec") };
    /// It was taken back.
    Cancelled = "handoff.cancelled" {} or { decision: Id("dec") };
    /// Another handoff of the same task took its place.
    Superseded = "handoff.superseded" { by: Id("hof") };
    /// A contract can be used.
    ContractPublished = "contract.published" { contract: Hash };
    /// A gate can be used.
    GatePublished = "gate.published" { gate: Hash };
    /// The project has other rules.
    RulesPublished = "rules.published" { rules: Hash };
    /// A party is known.
    PartyAdded = "party.added" { party: Id("pty"), kind: Word(PARTY_KINDS) } or { stated: Hash };
    /// A party is another one than before.
    PartyChanged = "party.changed" { party: Id("pty"), kind: Word(PARTY_KINDS) }
        or { stated: Hash };
    /// A credential works.
    TokenCreated = "token.created" { credential: Id("tok"), party: Id("pty") }
        or { scopes: Words(SCOPES), until: Instant, networks: Hash, secret: Hash };
    /// A credential works no longer.
    TokenRevoked = "token.revoked" { credential: Id("tok"), party: Id("pty") };
    /// Somebody is told of events.
    SubscriptionAdded = "subscription.added" { subscription: Id("sub") }
        or { party: Id("pty"), kind: Word(&["webhook", "email"]) };
    /// A subscription goes on, or has a new secret.
    SubscriptionChanged = "subscription.changed"
        { subscription: Id("sub"), change: Word(&["enabled", "secret"]) };
    /// Telling somebody failed for too long, or shall wait.
    SubscriptionDisabled = "subscription.disabled" { subscription: Id("sub") }
        or { because: Word(&["asked", "failing", "gone"]) };
    /// Somebody is told no longer.
    SubscriptionRemoved = "subscription.removed" { subscription: Id("sub") };
    /// The log begins.
    ProjectCreated = "project.created" { project: Id("prj") };
    /// The project has other settings.
    ProjectChanged = "project.changed" { settings: Hash };
    /// Nobody may claim.
    ProjectHalted = "project.halted" { epoch: Integer } or { reason: Hash };
    /// Claims are taken again.
    ProjectLifted = "project.lifted" { epoch: Integer } or { reason: Hash };
    /// No server was there between two instants.
    OutageRecorded = "exchange.outage_recorded" { from: Instant, until: Instant };
    /// The wall clock went back.
    ClockStepped = "clock.stepped" { from: Instant, until: Instant };
    /// A backup was put back.
    LogRestored = "log.restored" { last: Integer, hash: Hash };
}

impl EventType {
    /// The type of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|event| event.name() == name)
    }

    /// Whether it happens to a handoff; such a leaf has a subject, and no other has one.
    pub fn has_subject(self) -> bool {
        self.name().starts_with("handoff.")
    }

    /// The kind of an attribute of this type.
    pub fn attribute(self, name: &str) -> Option<AttributeKind> {
        let all = self.required().iter().chain(self.optional());
        all.into_iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind)
    }
}
