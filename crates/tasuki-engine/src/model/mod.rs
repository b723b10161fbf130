//! The things the rules work on, as values.

/// A handoff and its state.
pub mod handoff;

/// What the rules need to know of a packet.
pub mod packet_summary;

/// What contract, gates and project have fixed for one handoff.
pub mod terms;

/// Packets, checkpoints, returns, reasons: the texts that events bring.
pub mod document;

/// Reasons, and the documents they stand in.
pub mod reason;

/// The authenticated caller.
pub mod principal;

/// What one decision asks for, committed together.
pub mod change;

/// What is known while a batch is decided.
pub mod state;

/// What a step is handed.
pub mod context;

/// The randomness of one command.
pub mod seed;

/// Time that does not count.
pub mod pauses;

/// How urgent a handoff is.
pub mod urgency;

/// How instants are stored.
pub(crate) mod serde_time;

/// Parties, contracts, gates, rules and settings of a project.
pub mod directory;

/// Filters over events.
pub mod event_filter;

/// What waits for a person.
pub mod pending_action;

pub use change::{AttributeValue, Change, Event, HaltChange, ReplyScope};
pub use context::Context;
pub use directory::party::{Channels, Party};
pub use directory::settings::Settings;
pub use directory::subscription::{
    Channel, DisableReason, SigningSecret, Status, SubscriptionRecord,
};
pub use directory::token::{RemoteAddress, TokenKey, TokenRecord};
pub use directory::{
    ContractRecord, Directory, GateRecord, ProjectRules, Published, Record, RulesRecord,
};
pub use document::{Document, DocumentKind, Sealed};
pub use handoff::{
    Accepted, ApprovalRequest, CheckpointSummary, Claim, Facts, GateSignature, Handoff, Hold,
    HoldReason, Offer, OpenQuestion, Progress, ReleasedClaim, Returned, State,
};
pub use packet_summary::{Budget, PacketSummary, Rung};
pub use pauses::{Pause, Pauses};
pub use pending_action::{NotificationFailure, PendingAction, PendingKind, UndeliverableReason};
pub use principal::{CLOCK, Principal, SYSTEM};
pub use reason::Reason;
pub use seed::{CommandSeed, NewId};
pub use state::{Head, IdempotencyKey, IdempotencyRecord, LoadSet, ProjectState};
pub use tasuki_api::{EventFilter, Network, PartyKind, Scope, Scopes, Signing, StateWord};
pub use terms::{Judge, RiskWord, StepDeadlines, Terms};
pub use urgency::{ParseUrgencyError, Urgency};
