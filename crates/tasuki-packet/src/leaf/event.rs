//! The events of a log, and the attributes of each.

use super::attribute::AttributeKind::{self, Hash, Id, Instant, Integer, Word, Words};

/// The reasons for holding a handoff.
const HOLDS: &[&str] = &["asked", "confidence", "trigger", "label", "action", "changed", "gate"];
/// The reasons for moving a handoff away from a receiver.
const CAUSES: &[&str] = &["no_progress", "declined", "rejected", "expired", "lapsed", "parked"];
const PARTY_KINDS: &[&str] = &["agent", "human", "role"];
/// The scopes of a token.
const SCOPES: &[&str] = &["submit", "receive", "read", "decide", "verify", "admin"];

macro_rules! events {
    ($($(#[$doc:meta])* $variant:ident = $name:literal
        { $($required:ident: $kind:expr),* } $( or { $($optional:ident: $optional_kind:expr),* } )?;)+) => {
        /// The type of an event.
        ///
        /// ```
        /// use tasuki_packet::leaf::EventType;
        ///
        /// let event = EventType::named("handoff.claimed").unwrap();
        /// assert_eq!(event, EventType::Claimed);
        /// assert!(event.required().iter().any(|(name, _)| *name == "fence"));
        /// ```
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum EventType {
            $($(#[$doc])* $variant,)+
        }

        impl EventType {
            /// Every type of event.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// Returns the name: `handoff.claimed`.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)+ }
            }

            /// Returns the attributes that a leaf of this type must have.
            pub const fn required(self) -> &'static [(&'static str, AttributeKind)] {
                match self { $(Self::$variant => &[$((stringify!($required), $kind)),*],)+ }
            }

            /// Returns the attributes that a leaf of this type may have.
            pub const fn optional(self) -> &'static [(&'static str, AttributeKind)] {
                match self {
                    $(Self::$variant => &[$($((stringify!($optional), $optional_kind)),*)?],)+
                }
            }
        }
    };
}

events! {
    /// A party began a task for itself.
    Begun = "handoff.begun" { claim: Id("clm"), fence: Integer, until: Instant }
        or { work_tree: Hash };
    /// The sender submitted a handoff.
    Submitted = "handoff.submitted" { receiver: Id("pty"), hops: Integer }
        or { parent: Id("hof"), supersedes: Id("hof"), work_tree: Hash };
    /// The handoff was held for a person, or more people may decide because no one did in time.
    Held = "handoff.held" { reasons: Words(HOLDS) }
        or { earlier: Id("hof"), because: Word(&["escalated"]) };
    /// A person or the contract approved the handoff.
    Accepted = "handoff.accepted" { by: Word(&["person", "contract"]) } or { decision: Id("dec") };
    /// A person signed off a gate.
    SignedOff = "handoff.signed_off" { decision: Id("dec"), gate: Hash, role: Hash };
    /// A person refused to sign off a gate.
    Denied = "handoff.denied" { decision: Id("dec"), gate: Hash, role: Hash };
    /// A person rejected the handoff.
    Rejected = "handoff.rejected" { decision: Id("dec") };
    /// The sender submitted a new revision.
    Revised = "handoff.revised" {};
    /// A person submitted a new revision.
    Edited = "handoff.edited" { decision: Id("dec") };
    /// The handoff was sent to another receiver.
    Rerouted = "handoff.rerouted" { receiver: Id("pty") } or { decision: Id("dec") };
    /// A person took over the handoff.
    Intercepted = "handoff.intercepted"
        { decision: Id("dec"), claim: Id("clm"), fence: Integer, until: Instant };
    /// The receiver asked a question.
    Asked = "handoff.asked" { question: Id("qst"), blocking: Word(&["yes", "no"]) };
    /// The sender answered a question.
    Answered = "handoff.answered" { question: Id("qst") };
    /// The receiver declined the handoff.
    Declined = "handoff.declined" {};
    /// The handoff was delivered to the receiver.
    Delivered = "handoff.delivered" { by: Word(&["read", "delivery"]) };
    /// The receiver claimed the handoff.
    Claimed = "handoff.claimed"
        { claim: Id("clm"), fence: Integer, attempt: Integer, until: Instant };
    /// The next process of the holder continued the claim of one that had ended.
    Adopted = "handoff.adopted" { claim: Id("clm"), fence: Integer, until: Instant };
    /// The holder recorded its first checkpoint.
    Started = "handoff.started" {};
    /// The holder recorded a checkpoint.
    Checkpointed = "handoff.checkpointed" { checkpoint: Id("chk"), fence: Integer }
        or { work_tree: Hash };
    /// The handoff was parked until an instant.
    Parked = "handoff.parked" { not_before: Instant };
    /// The holder released the handoff.
    Released = "handoff.released" { fence: Integer };
    /// The holder withdrew its request for approval.
    Withdrawn = "handoff.withdrawn" { fence: Integer };
    /// The lease expired.
    Lapsed = "handoff.lapsed" { fence: Integer, attempt: Integer };
    /// A notification could not be delivered to any recipient.
    NotificationFailed = "handoff.notification_failed" {
        event: Integer,
        wait: Word(&["offer", "hold", "question", "escalation"]),
        because: Word(&["no_channel", "failed", "mail_failed"])
    } or { party: Id("pty") };
    /// The handoff moved to the next rung of its fallback ladder.
    MovedOn = "handoff.moved_on" { rung: Integer, because: Word(CAUSES) } or { receiver: Id("pty") };
    /// The holder passed the work on, which ended this handoff.
    PassedOn = "handoff.passed_on" { child: Id("hof") };
    /// The holder returned a result.
    Returned = "handoff.returned" { return_packet: Id("ret"), fence: Integer }
        or { work_tree: Hash };
    /// The return packet passed verification.
    Verified = "handoff.verified" { verdict: Id("vrd") };
    /// The return packet failed verification.
    FailedVerification = "handoff.failed_verification" { verdict: Id("vrd"), rework: Integer };
    /// The handoff is done.
    Done = "handoff.done" { by: Word(&["verdict", "contract", "no_return", "decision"]) };
    /// The handoff became a dead letter.
    Died = "handoff.died" { because: Word(CAUSES) };
    /// An operator redrove a dead letter.
    Redriven = "handoff.redriven" { decision: Id("dec") };
    /// An operator discarded a dead letter.
    Discarded = "handoff.discarded" { decision: Id("dec") };
    /// The handoff was cancelled.
    Cancelled = "handoff.cancelled" {} or { decision: Id("dec") };
    /// Another handoff of the same task superseded this one.
    Superseded = "handoff.superseded" { by: Id("hof") };
    /// A contract was published.
    ContractPublished = "contract.published" { contract: Hash };
    /// A gate was published.
    GatePublished = "gate.published" { gate: Hash };
    /// The rules of the project were published.
    RulesPublished = "rules.published" { rules: Hash };
    /// A party was added.
    PartyAdded = "party.added" { party: Id("pty"), kind: Word(PARTY_KINDS) } or { stated: Hash };
    /// A party was changed.
    PartyChanged = "party.changed" { party: Id("pty"), kind: Word(PARTY_KINDS) }
        or { stated: Hash };
    /// A person is away, and another person stands in for them.
    PartyAway = "party.away" {
        party: Id("pty"), kind: Word(PARTY_KINDS), deputy: Id("pty"), from: Instant, until: Instant
    } or { stated: Hash };
    /// A person is back before the end of their absence.
    PartyBack = "party.back" { party: Id("pty"), kind: Word(PARTY_KINDS) } or { stated: Hash };
    /// A token was created.
    TokenCreated = "token.created" { credential: Id("tok"), party: Id("pty") }
        or { scopes: Words(SCOPES), until: Instant, networks: Hash, receivers: Hash, secret: Hash };
    /// A token was revoked.
    TokenRevoked = "token.revoked" { credential: Id("tok"), party: Id("pty") };
    /// A subscription was added.
    SubscriptionAdded = "subscription.added" { subscription: Id("sub") }
        or { party: Id("pty"), kind: Word(&["webhook", "email", "slack", "ntfy"]) };
    /// A subscription was enabled again, or its secret was rotated.
    SubscriptionChanged = "subscription.changed"
        { subscription: Id("sub"), change: Word(&["enabled", "secret"]) };
    /// A subscription was disabled: by request, after repeated failures, or because its endpoint is
    /// gone.
    SubscriptionDisabled = "subscription.disabled" { subscription: Id("sub") }
        or { because: Word(&["asked", "failing", "gone"]) };
    /// A subscription was removed.
    SubscriptionRemoved = "subscription.removed" { subscription: Id("sub") };
    /// The project and its log were created.
    ProjectCreated = "project.created" { project: Id("prj") };
    /// The settings of the project changed.
    ProjectChanged = "project.changed" { settings: Hash };
    /// The project was halted: no handoff can be claimed.
    ProjectHalted = "project.halted" { epoch: Integer } or { reason: Hash };
    /// The halt of the project was lifted.
    ProjectLifted = "project.lifted" { epoch: Integer } or { reason: Hash };
    /// No server was running between two instants.
    OutageRecorded = "exchange.outage_recorded" { from: Instant, until: Instant };
    /// The wall clock was set back or forward, or an operator set the time of the log back.
    ClockStepped = "clock.stepped" { from: Instant, until: Instant };
    /// The log was restored from a backup.
    LogRestored = "log.restored" { last: Integer, hash: Hash };
}

impl EventType {
    /// Returns the type of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|event| event.name() == name)
    }

    /// Returns `true` for an event of a handoff, whose leaf has a subject.
    pub fn has_subject(self) -> bool {
        self.name().starts_with("handoff.")
    }

    /// Returns the type of an attribute.
    pub fn attribute(self, name: &str) -> Option<AttributeKind> {
        let all = self.required().iter().chain(self.optional());
        all.into_iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind)
    }
}
