//! The request and response bodies of the HTTP interface of Tasuki.
//!
//! Every body is defined here once. The engine fills responses, the server sends them, and the
//! client and the command line read them. `schemas/openapi.json` is derived from the same types.
//!
//! - [`handoff`] has handoffs, claims, decisions, questions and return packets, [`task`] continuations.
//! - [`event`] has events, the inbox, search and statistics.
//! - [`packet`] has validation and batches.
//! - [`policy`] has contracts, gates, rules and the project.
//! - [`identity`] has parties, tokens and sessions.
//! - [`snapshot`] has snapshots of work trees.
//! - [`subscription`] has webhooks and mail, [`admin`] the log check.
//! - [`command`], [`page`] and [`problem`] have the bodies that operations share.
//!
//! A body shows what its reader may see: names of parties instead of ids, words instead of numbers.
//! Instants are RFC 3339 with six digits after the second.
//!
//! Conventions of the types:
//!
//! - A request rejects unknown members. A member that may be left out may also be null.
//! - A response leaves out members without a value.
#![warn(missing_docs)]

pub mod admin;
pub mod command;
pub mod event;
pub mod handoff;
pub mod identity;
pub mod mail_code;
pub mod packet;
pub mod page;
pub mod policy;
pub mod problem;
#[cfg(feature = "schema")]
pub mod schema;
mod serde_format;
pub mod snapshot;
pub mod subscription;
pub mod task;
mod word_enum;

pub use admin::{DeadLetterRequest, Finding, Health, LogCheckReport, ReasonRequest};
pub use command::CommandResponse;
pub use event::{
    AcknowledgeRequest, Acknowledged, EdgeActivity, EdgeStats, Event, EventFilter,
    FailureReference, HourActivity, Inbox, InboxFailure, Overview, SearchHit, Spread,
};
pub use handoff::{
    Action, ActionVersion, AnswerRequest, Approval, ApprovalRequest, ApprovalResult, AuditTrail,
    CheckpointNote, CheckpointRecord, Claim, ClaimRequest, ClaimStatement, DecisionKind,
    DecisionRecord, DecisionRequest, DecisionStatement, DecisionSummary, Denial, DueFor, Factor,
    FileState, Gate, Handoff, HandoffDetails, HoldCause, LadderRung, NextRung, NotificationFailure,
    OpenQuestion, PacketRequest, ParkRequest, Progress, QuestionRequest, RenewRequest, Return,
    Signature, StateWord, Step, StepCounts, TrailEntry, Verb, Verdict, VerdictRequest,
    VerdictResult, WorkTree, WorkTreeFile, WorkTreeMark,
};
pub use identity::{
    Absence, AbsenceRequest, Membership, Network, Party, PartyKind, PartyRequest, Scope, Scopes,
    Secret, Session, SignInRequest, Token, TokenRequest, Whoami,
};
pub use mail_code::{MailCode, MailCodeRequest, MailDecision, MailDecisionRequest};
pub use packet::{BatchItem, BatchItemResponse, BatchRequest, BatchResponse, ValidationReport};
pub use page::Page;
pub use policy::{
    ContractDetails, ContractRequest, ContractSummary, GateSummary, PolicyDetails, PolicyRequest,
    Project, ProjectSettings,
};
pub use problem::{HttpErrorCode, Problem, Violation};
pub use serde_format::null_default;
pub use snapshot::Snapshot;
pub use subscription::{
    Delivery, ReplayRequest, ReplayResponse, Signing, Subscription, SubscriptionRequest,
};
pub use task::Continuation;
