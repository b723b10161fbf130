//! The values that the rules work on.

pub mod change;
pub mod context;
pub mod directory;
pub mod document;
pub mod event_filter;
pub mod failure;
pub mod handoff;
pub mod idempotency;
pub mod packet_summary;
pub mod pauses;
pub mod pending_action;
pub mod principal;
pub mod reason;
pub mod seed;
pub(crate) mod serde_time;
pub mod state;
pub mod terms;
pub mod urgency;

pub use change::{AttributeValue, Change, Event, HaltChange, ReplyScope};
pub use context::Context;
pub use directory::party::{Absence, Channels, Party};
pub use directory::settings::Settings;
pub use directory::subscription::{
    Channel, DisableReason, SigningSecret, Status, SubscriptionRecord,
};
pub use directory::token::{RemoteAddress, TokenKey, TokenRecord};
pub use directory::{
    ContractRecord, Directory, GateRecord, ProjectRules, Published, Record, RulesRecord,
};
pub use document::{Document, DocumentKind, Sealed};
pub use failure::{Failure, FailureKind};
pub use handoff::{
    Accepted, ApprovalRequest, CheckpointSummary, Claim, Decider, Facts, GateSignature, Handoff,
    Hold, HoldReason, Offer, OpenQuestion, Progress, ReleasedClaim, Returned, Reviewed,
    RoleMembers, State, WorkTreeMark,
};
pub use idempotency::{IdempotencyKey, IdempotencyRecord, RequestKey};
pub use packet_summary::{Budget, PacketSummary, Rung};
pub use pauses::{Pause, Pauses};
pub use pending_action::{NotificationFailure, PendingAction, PendingKind, UndeliverableReason};
pub use principal::{CLOCK, Principal, SYSTEM};
pub use reason::Reason;
pub use seed::{CommandSeed, NewId};
pub use state::{Head, LoadSet, ProjectState};
pub use tasuki_api::{EventFilter, Network, PartyKind, Scope, Scopes, Signing, StateWord};
pub use terms::{Judge, RiskWord, StepDeadlines, Terms};
pub use urgency::{ParseUrgencyError, Urgency};
