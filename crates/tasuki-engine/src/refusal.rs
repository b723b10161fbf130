//! Expected failures: a stable code, a kind, a message and a hint.
//!
//! Refusals are part of the public contract. A code never changes its meaning and has a page in
//! `docs/errors/`. A failure that the caller cannot act on is a [`Fault`](crate::error::Fault).

use serde::{Deserialize, Serialize};
use tasuki_packet::Violation;
use tasuki_packet::id::HandoffId;

/// An expected failure that the caller can act on.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    /// The stable code.
    pub code: RefusalCode,
    /// The problem, with the actual value and the limit.
    pub message: String,
    /// How to repair it.
    pub hint: Option<String>,
    /// All violations in a document.
    pub violations: Vec<Violation>,
    /// The conflicting handoff, if it is not the one that the caller named.
    pub handoff: Option<HandoffId>,
}

/// The kind of a refusal. Each front end maps it to its own status once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RefusalKind {
    /// A packet, contract or argument is invalid.
    Invalid,
    /// A document is too large.
    TooLarge,
    /// The caller is not authenticated.
    Unauthenticated,
    /// The caller may not do this.
    Forbidden,
    /// The object does not exist.
    NotFound,
    /// The object existed and was removed.
    Gone,
    /// The current state does not allow it.
    Conflict,
    /// The idempotency key was used for another request.
    KeyReused,
    /// The revision differs from the one that the caller saw.
    RevisionChanged,
    /// A decision does not name what the caller saw.
    RevisionMissing,
    /// A rate or quota is exceeded.
    Limited,
}

macro_rules! refusals {
    ($($(#[$doc:meta])* $variant:ident = $code:literal, $kind:ident;)+) => {
        /// The stable codes of refusals.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum RefusalCode {
            $($(#[$doc])* $variant,)+
        }

        impl RefusalCode {
            /// Every code.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// Returns the code as text.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $code,)+ }
            }

            /// Returns the kind of refusal.
            pub const fn kind(self) -> RefusalKind {
                match self { $(Self::$variant => RefusalKind::$kind,)+ }
            }
        }
    };
}

refusals! {
    /// The packet has violations.
    PacketInvalid = "TK-PACKET-INVALID", Invalid;
    /// The packet is of another kind than the command needs.
    PacketKind = "TK-PACKET-KIND", Invalid;
    /// The caller's text contains a secret.
    SecretFound = "TK-SECRET-FOUND", Invalid;
    /// A reason is required.
    ReasonMissing = "TK-REASON-MISSING", Invalid;
    /// A text is too long, or a name or key is invalid.
    ArgumentInvalid = "TK-ARGUMENT-INVALID", Invalid;
    /// Neither the packet nor the command names a receiver.
    ReceiverMissing = "TK-RECEIVER-MISSING", Invalid;
    /// A write-only token names another receiver than its own.
    ReceiverRefused = "TK-RECEIVER-REFUSED", Forbidden;
    /// The caller may not send for the sender that the packet names.
    SenderMismatch = "TK-SENDER-MISMATCH", Forbidden;
    /// No party has this name.
    PartyUnknown = "TK-PARTY-UNKNOWN", NotFound;
    /// More than one party has this name.
    PartyAmbiguous = "TK-PARTY-AMBIGUOUS", Invalid;
    /// The name belongs to another party.
    PartyTaken = "TK-PARTY-TAKEN", Conflict;
    /// The role has no members.
    RoleEmpty = "TK-ROLE-EMPTY", Invalid;
    /// The edge has no contract, and the project requires one.
    EdgeRefused = "TK-EDGE-REFUSED", Forbidden;
    /// More than one contract covers the edge.
    ContractAmbiguous = "TK-CONTRACT-AMBIGUOUS", Invalid;
    /// No contract has this name and version.
    ContractUnknown = "TK-CONTRACT-UNKNOWN", NotFound;
    /// This version was published with different content.
    ContractChanged = "TK-CONTRACT-CHANGED", Conflict;
    /// The receiver does not support this contract version.
    ContractUnsupported = "TK-CONTRACT-UNSUPPORTED", Conflict;
    /// A gate, a rule or a contract document has violations.
    DocumentInvalid = "TK-DOCUMENT-INVALID", Invalid;
    /// No gate has this name.
    GateUnknown = "TK-GATE-UNKNOWN", NotFound;
    /// A gate is not signed.
    GateUnsigned = "TK-GATE-UNSIGNED", Conflict;
    /// The person may not sign at this gate.
    GateForbidden = "TK-GATE-FORBIDDEN", Forbidden;
    /// The person has signed already.
    GateSigned = "TK-GATE-SIGNED", Conflict;
    /// A signature needs the person's password.
    GatePassword = "TK-GATE-PASSWORD", Forbidden;
    /// The task already has a live handoff.
    TaskLive = "TK-TASK-LIVE", Conflict;
    /// The handoff to supersede is not the live one of this task.
    SupersedesWrong = "TK-SUPERSEDES-WRONG", Conflict;
    /// The receiver already had the work, and no contract allows it to go back.
    ChainLoop = "TK-CHAIN-LOOP", Conflict;
    /// The chain has reached its maximum length.
    ChainHops = "TK-CHAIN-HOPS", Conflict;
    /// The chain has used up its budget.
    ChainBudget = "TK-CHAIN-BUDGET", Conflict;
    /// The packet grants more than its sender or receiver may do.
    AuthorityWidened = "TK-AUTHORITY-EXCEEDED", Forbidden;
    /// The handoff does not exist.
    HandoffUnknown = "TK-HANDOFF-UNKNOWN", NotFound;
    /// The state of the handoff does not allow it.
    StateConflict = "TK-STATE-CONFLICT", Conflict;
    /// The caller may not do this with this handoff.
    NotAllowed = "TK-NOT-ALLOWED", Forbidden;
    /// The credential lacks a required scope.
    ScopeMissing = "TK-SCOPE-MISSING", Forbidden;
    /// The token is not a token of this project.
    TokenInvalid = "TK-TOKEN-INVALID", Unauthenticated;
    /// The token has expired.
    TokenExpired = "TK-TOKEN-EXPIRED", Unauthenticated;
    /// The token was revoked.
    TokenRevoked = "TK-TOKEN-REVOKED", Unauthenticated;
    /// The token may not be used from this address.
    TokenNetwork = "TK-TOKEN-NETWORK", Forbidden;
    /// The token does not exist.
    TokenUnknown = "TK-TOKEN-UNKNOWN", NotFound;
    /// The subscription does not exist.
    SubscriptionUnknown = "TK-SUBSCRIPTION-UNKNOWN", NotFound;
    /// Only a person may decide.
    PersonNeeded = "TK-PERSON-NEEDED", Forbidden;
    /// The caller may not decide about their own handoff.
    OwnHandoff = "TK-OWN-HANDOFF", Forbidden;
    /// The revision differs from the one that the caller saw.
    RevisionChanged = "TK-REVISION-CHANGED", RevisionChanged;
    /// A decision does not name what the caller saw.
    RevisionMissing = "TK-REVISION-MISSING", RevisionMissing;
    /// The handoff is already claimed.
    ClaimAlready = "TK-CLAIM-ALREADY", Conflict;
    /// The claim has ended.
    ClaimStale = "TK-CLAIM-STALE", Conflict;
    /// The caller holds no claim in this session.
    ClaimNone = "TK-CLAIM-NONE", Conflict;
    /// It cannot be claimed yet.
    ClaimEarly = "TK-CLAIM-EARLY", Conflict;
    /// The caller has declined it.
    ClaimDeclined = "TK-CLAIM-DECLINED", Conflict;
    /// A blocking question is unanswered.
    QuestionOpen = "TK-QUESTION-OPEN", Conflict;
    /// The open question does not exist.
    QuestionUnknown = "TK-QUESTION-UNKNOWN", NotFound;
    /// Nothing is offered to the caller.
    NothingOffered = "TK-NOTHING-OFFERED", NotFound;
    /// The return packet lacks required fields.
    ReturnIncomplete = "TK-RETURN-INCOMPLETE", Invalid;
    /// A sign-off is due before this step.
    SignOffDue = "TK-SIGN-OFF-DUE", Conflict;
    /// The project is halted.
    ProjectHalted = "TK-PROJECT-HALTED", Conflict;
    /// The project is not halted.
    ProjectRunning = "TK-PROJECT-RUNNING", Conflict;
    /// The project does not exist.
    ProjectUnknown = "TK-PROJECT-UNKNOWN", NotFound;
    /// A backup or a restore would overwrite existing data.
    StoreTaken = "TK-STORE-TAKEN", Conflict;
    /// The file of an import is not an export, or was changed or truncated.
    ImportInvalid = "TK-IMPORT-INVALID", Invalid;
    /// The idempotency key was used for another request.
    KeyReused = "TK-KEY-REUSED", KeyReused;
    /// The project has reached its limit of open handoffs.
    QuotaReached = "TK-QUOTA-REACHED", Limited;
    /// The queue of the project is full.
    QueueFull = "TK-QUEUE-FULL", Limited;
    /// The policy of the project changed while the command was prepared.
    PolicyChanged = "TK-POLICY-CHANGED", Conflict;
}

impl Refusal {
    /// Creates a refusal with a code and a message.
    pub fn new(code: RefusalCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), hint: None, violations: Vec::new(), handoff: None }
    }

    /// Adds a hint.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Names the conflicting handoff.
    #[must_use]
    pub fn naming(mut self, handoff: HandoffId) -> Self {
        self.handoff = Some(handoff);
        self
    }

    /// Adds all violations of a document.
    #[must_use]
    pub fn with(mut self, violations: Vec<Violation>) -> Self {
        self.violations = violations;
        self
    }

    /// Returns the kind of refusal.
    pub fn kind(&self) -> RefusalKind {
        self.code.kind()
    }
}
