//! The values that the rules work on.

/// A handoff and its state.
pub mod handoff;

/// The parts of a packet that the rules need.
pub mod packet_summary;

/// The terms that contract, gates and project set for one handoff.
pub mod terms;

/// Immutable documents: packets, checkpoints, return packets, reasons and others.
pub mod document;

/// Reasons and their documents.
pub mod reason;

/// The authenticated caller.
pub mod principal;

/// The changes that one decision makes, committed together.
pub mod change;

/// The state that a batch is decided on.
pub mod state;

/// The input of a decision.
pub mod context;

/// The randomness of one command.
pub mod seed;

/// Periods in which deadlines or leases do not run.
pub mod pauses;

/// The sort position of a handoff.
pub mod urgency;

/// The stored form of timestamps.
pub(crate) mod serde_time;

/// Parties, contracts, gates, rules and settings of a project.
pub mod directory;

/// Filters over events.
pub mod event_filter;

/// Handoffs that wait for a person.
pub mod pending_action;

pub use change::{AttributeValue, Change, Event, HaltChange, ReplyScope};
pub use context::Context;
pub use directory::network::Network;
pub use directory::party::{Channels, Party, PartyKind};
pub use directory::settings::Settings;
pub use directory::subscription::{
    Channel, DisableReason, Signing, SigningSecret, Status, SubscriptionRecord,
};
pub use directory::token::{RemoteAddress, TokenKey, TokenRecord};
pub use directory::{
    ContractRecord, Directory, GateRecord, ProjectRules, Published, Record, RulesRecord,
};
pub use document::{Document, DocumentKind, Sealed};
pub use event_filter::Filter;
pub use handoff::{
    Accepted, ApprovalRequest, CheckpointSummary, Claim, Facts, GateSignature, Handoff, Hold,
    HoldReason, Offer, OpenQuestion, Progress, ReleasedClaim, Returned, State, StateWord,
};
pub use packet_summary::{Budget, PacketSummary, Rung};
pub use pauses::{Pause, Pauses};
pub use pending_action::{NotificationFailure, PendingAction, PendingKind, UndeliverableReason};
pub use principal::{CLOCK, Principal, SYSTEM, Scope, Scopes};
pub use reason::Reason;
pub use seed::{CommandSeed, NewId};
pub use state::{Head, IdempotencyKey, IdempotencyRecord, LoadSet, ProjectState};
pub use terms::{Judge, RiskWord, StepDeadlines, Terms};
pub use urgency::{ParseUrgencyError, Urgency};
