//! Every expected "no": a stable code, a kind, what is wrong, and what to do.
//!
//! A refusal is part of the public contract. Its code never changes meaning and has a page in
//! `docs/errors/`. What the caller cannot act on is a [`Fault`](crate::error::Fault).

use serde::{Deserialize, Serialize};
use tasuki_packet::Violation;
use tasuki_packet::id::HandoffId;

/// A "no" that the caller can act on.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    /// The stable code.
    pub code: RefusalCode,
    /// What is wrong, with the actual value and the limit.
    pub message: String,
    /// What to do next.
    pub hint: Option<String>,
    /// Everything that is wrong with a document.
    pub violations: Vec<Violation>,
    /// The handoff that stands in the way, if it is another one than the caller named.
    pub handoff: Option<HandoffId>,
}

/// What sort of "no" it is; every door maps it once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RefusalKind {
    /// A packet, contract or argument is wrong.
    Invalid,
    /// A document is too large.
    TooLarge,
    /// Nobody knows who asks.
    Unauthenticated,
    /// The caller may not do this.
    Forbidden,
    /// There is no such thing.
    NotFound,
    /// It was there and is gone.
    Gone,
    /// The state does not allow it now.
    Conflict,
    /// The same key was used for another request.
    KeyReused,
    /// The revision is another one than the caller saw.
    RevisionChanged,
    /// Too much at once.
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

            /// The code as it is printed.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $code,)+ }
            }

            /// What sort of "no" it is.
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
    /// Text of the caller holds a secret.
    SecretFound = "TK-SECRET-FOUND", Invalid;
    /// A reason is required.
    ReasonMissing = "TK-REASON-MISSING", Invalid;
    /// A text is too long, or a name or key is not one.
    ArgumentInvalid = "TK-ARGUMENT-INVALID", Invalid;
    /// The packet names no receiver and the command neither.
    ReceiverMissing = "TK-RECEIVER-MISSING", Invalid;
    /// The packet names a sender that the caller may not send for.
    SenderMismatch = "TK-SENDER-MISMATCH", Forbidden;
    /// No party has this name.
    PartyUnknown = "TK-PARTY-UNKNOWN", NotFound;
    /// More than one party has this name.
    PartyAmbiguous = "TK-PARTY-AMBIGUOUS", Invalid;
    /// The name belongs to another party.
    PartyTaken = "TK-PARTY-TAKEN", Conflict;
    /// The role has no members.
    RoleEmpty = "TK-ROLE-EMPTY", Invalid;
    /// The edge has no contract, and the project wants one.
    EdgeRefused = "TK-EDGE-REFUSED", Forbidden;
    /// More than one contract covers the edge.
    ContractAmbiguous = "TK-CONTRACT-AMBIGUOUS", Invalid;
    /// No contract has this name and version.
    ContractUnknown = "TK-CONTRACT-UNKNOWN", NotFound;
    /// This version was published with other content.
    ContractChanged = "TK-CONTRACT-CHANGED", Conflict;
    /// The receiver does not read this version.
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
    /// The task has a live handoff.
    TaskLive = "TK-TASK-LIVE", Conflict;
    /// The handoff to supersede is not the live one of this task.
    SupersedesWrong = "TK-SUPERSEDES-WRONG", Conflict;
    /// The receiver had the work before, and no contract lets it go back.
    ChainLoop = "TK-CHAIN-LOOP", Conflict;
    /// The chain is as long as it may be.
    ChainHops = "TK-CHAIN-HOPS", Conflict;
    /// The chain has cost what it may cost.
    ChainBudget = "TK-CHAIN-BUDGET", Conflict;
    /// The packet allows more than its sender or receiver may do.
    AuthorityWidened = "TK-AUTHORITY-EXCEEDED", Forbidden;
    /// There is no such handoff.
    HandoffUnknown = "TK-HANDOFF-UNKNOWN", NotFound;
    /// The handoff's state does not allow it.
    StateConflict = "TK-STATE-CONFLICT", Conflict;
    /// The caller may not do this with this handoff.
    NotAllowed = "TK-NOT-ALLOWED", Forbidden;
    /// The credential is not good for this.
    ScopeMissing = "TK-SCOPE-MISSING", Forbidden;
    /// The token is none of this project.
    TokenInvalid = "TK-TOKEN-INVALID", Unauthenticated;
    /// The token's time is over.
    TokenExpired = "TK-TOKEN-EXPIRED", Unauthenticated;
    /// The token was revoked.
    TokenRevoked = "TK-TOKEN-REVOKED", Unauthenticated;
    /// The token is not good from this address.
    TokenNetwork = "TK-TOKEN-NETWORK", Forbidden;
    /// There is no such token.
    TokenUnknown = "TK-TOKEN-UNKNOWN", NotFound;
    /// There is no such subscription.
    SubscriptionUnknown = "TK-SUBSCRIPTION-UNKNOWN", NotFound;
    /// Only a person may decide.
    PersonNeeded = "TK-PERSON-NEEDED", Forbidden;
    /// Nobody decides about their own handoff.
    OwnHandoff = "TK-OWN-HANDOFF", Forbidden;
    /// The revision is another one than the caller saw.
    RevisionChanged = "TK-REVISION-CHANGED", RevisionChanged;
    /// Somebody holds it.
    ClaimAlready = "TK-CLAIM-ALREADY", Conflict;
    /// The claim is over.
    ClaimStale = "TK-CLAIM-STALE", Conflict;
    /// It cannot be claimed yet.
    ClaimEarly = "TK-CLAIM-EARLY", Conflict;
    /// The caller declined it.
    ClaimDeclined = "TK-CLAIM-DECLINED", Conflict;
    /// A blocking question waits for an answer.
    QuestionOpen = "TK-QUESTION-OPEN", Conflict;
    /// There is no such open question.
    QuestionUnknown = "TK-QUESTION-UNKNOWN", NotFound;
    /// Nothing is offered to the caller.
    NothingOffered = "TK-NOTHING-OFFERED", NotFound;
    /// The return lacks what was asked for.
    ReturnIncomplete = "TK-RETURN-INCOMPLETE", Invalid;
    /// The project is halted.
    ProjectHalted = "TK-PROJECT-HALTED", Conflict;
    /// The project is not halted.
    ProjectRunning = "TK-PROJECT-RUNNING", Conflict;
    /// There is no such project.
    ProjectUnknown = "TK-PROJECT-UNKNOWN", NotFound;
    /// What a backup or a restore would overwrite is there already.
    StoreTaken = "TK-STORE-TAKEN", Conflict;
    /// The same key was used for another request.
    KeyReused = "TK-KEY-REUSED", KeyReused;
    /// The project has as many open handoffs as it may have.
    QuotaReached = "TK-QUOTA-REACHED", Limited;
    /// The worker is full.
    QueueFull = "TK-QUEUE-FULL", Limited;
    /// The project's policy moved while the command was prepared.
    PolicyChanged = "TK-POLICY-CHANGED", Conflict;
}

impl Refusal {
    /// A refusal with nothing but code and message.
    pub fn new(code: RefusalCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), hint: None, violations: Vec::new(), handoff: None }
    }

    /// Says what to do next.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Names the handoff that stands in the way.
    #[must_use]
    pub fn naming(mut self, handoff: HandoffId) -> Self {
        self.handoff = Some(handoff);
        self
    }

    /// Lists everything that is wrong with a document.
    #[must_use]
    pub fn with(mut self, violations: Vec<Violation>) -> Self {
        self.violations = violations;
        self
    }

    /// What sort of "no" it is.
    pub fn kind(&self) -> RefusalKind {
        self.code.kind()
    }
}
