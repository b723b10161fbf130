//! The table of all operations of the HTTP interface.
//!
//! The router, the permission matrix and the OpenAPI document are derived from it. A test checks that every
//! operation has a route.

mod admin;
mod claims;
mod events;
mod handoffs;
mod mail_codes;
mod packets;
mod parties;
mod policy;
mod sessions;
mod subscriptions;
mod tasks;
mod tokens;

pub use crate::operation::{
    Access, Operation, Parameter, ParameterKind, RequestBody, ResponseBody, Verb,
};
pub use admin::{CHECK_LOG, DISCARD, DOCTOR, HALT, LIFT, LIST_DEAD, LIST_LEAVES, REDRIVE};
pub use claims::{ADOPT, CLAIM_NEXT, PARK, RELEASE, RENEW, REQUEST_APPROVAL, WITHDRAW};
pub(crate) use events::HOURS_MAX;
pub use events::{ACKNOWLEDGE, EVENTS, INBOX, LIST_DECISIONS, OVERVIEW, SEARCH, STATS};
pub use handoffs::{
    ANSWER, ASK, CHECKPOINT, CLAIM, DECIDE, DECLINE, LIST_ACTIONS, LIST_CHECKPOINTS, LIST_HANDOFFS,
    LIST_RETURNS, RETURN, REVISE, SHOW_HANDOFF, SHOW_PACKET, SHOW_TRAIL, SUBMIT, VERIFY,
};
pub use mail_codes::{REDEEM_MAIL_CODE, VIEW_MAIL_CODE};
pub use packets::{BATCH, OPENAPI, SCHEMA, VALIDATE};
pub use parties::{ADD_PARTY, BEGIN_ABSENCE, END_ABSENCE, LIST_PARTIES, SHOW_PARTY, WHOAMI};
pub use policy::{
    LIST_CONTRACTS, LIST_GATES, PUBLISH_CONTRACT, PUBLISH_GATE, SET_PROJECT, SET_RULES,
    SHOW_CONTRACT, SHOW_GATE, SHOW_PROJECT, SHOW_RULES,
};
pub use sessions::{SIGN_IN, SIGN_OUT};
pub use subscriptions::{
    ADD_SUBSCRIPTION, DISABLE_SUBSCRIPTION, ENABLE_SUBSCRIPTION, LIST_DELIVERIES,
    LIST_SUBSCRIPTIONS, REMOVE_SUBSCRIPTION, REPLAY, ROTATE_SECRET, SHOW_SUBSCRIPTION,
    TEST_SUBSCRIPTION,
};
pub use tasks::{
    ADD_SNAPSHOT, BEGIN, LIST_SNAPSHOTS, LIST_TASK_LEAVES, RESUME, SNAPSHOT_BUNDLE, TIMELINE,
};
pub use tokens::{CREATE_TOKEN, LIST_TOKENS, REVOKE_TOKEN};

const fn parameter(name: &'static str, kind: ParameterKind, summary: &'static str) -> Parameter {
    Parameter { name, kind, summary }
}

const fn text(name: &'static str, summary: &'static str) -> Parameter {
    parameter(name, ParameterKind::Text, summary)
}

const fn number(name: &'static str, summary: &'static str) -> Parameter {
    parameter(name, ParameterKind::Number { min: 0, max: u64::MAX }, summary)
}

const fn small_number(name: &'static str, summary: &'static str) -> Parameter {
    parameter(name, ParameterKind::Number { min: 0, max: u32::MAX as u64 }, summary)
}

const fn flag(name: &'static str, summary: &'static str) -> Parameter {
    parameter(name, ParameterKind::Flag, summary)
}

const fn limit(summary: &'static str) -> Parameter {
    parameter("limit", ParameterKind::Number { min: 1, max: u32::MAX as u64 }, summary)
}

const LIMIT: Parameter = limit("The most items on the page: 50 by default, at most 500.");
const CURSOR: Parameter = parameter(
    "cursor",
    ParameterKind::Pattern("^hof_[0-9a-f]{32}$"),
    "The cursor: `next` of the previous page.",
);
const FENCE: Parameter = number("fence", "The fence of the caller's claim.");

/// Every operation.
pub static ALL: &[&Operation] = &[
    &SUBMIT,
    &LIST_HANDOFFS,
    &SHOW_HANDOFF,
    &SHOW_PACKET,
    &SHOW_TRAIL,
    &REVISE,
    &DECIDE,
    &ASK,
    &ANSWER,
    &CLAIM,
    &CHECKPOINT,
    &LIST_CHECKPOINTS,
    &LIST_ACTIONS,
    &RETURN,
    &LIST_RETURNS,
    &VERIFY,
    &DECLINE,
    &CLAIM_NEXT,
    &RENEW,
    &ADOPT,
    &RELEASE,
    &PARK,
    &REQUEST_APPROVAL,
    &WITHDRAW,
    &BEGIN,
    &TIMELINE,
    &LIST_TASK_LEAVES,
    &RESUME,
    &ADD_SNAPSHOT,
    &LIST_SNAPSHOTS,
    &SNAPSHOT_BUNDLE,
    &INBOX,
    &ACKNOWLEDGE,
    &EVENTS,
    &SEARCH,
    &STATS,
    &OVERVIEW,
    &LIST_DECISIONS,
    &BATCH,
    &LIST_CONTRACTS,
    &PUBLISH_CONTRACT,
    &SHOW_CONTRACT,
    &LIST_GATES,
    &PUBLISH_GATE,
    &SHOW_GATE,
    &SHOW_RULES,
    &SET_RULES,
    &LIST_PARTIES,
    &SHOW_PARTY,
    &ADD_PARTY,
    &BEGIN_ABSENCE,
    &END_ABSENCE,
    &LIST_DEAD,
    &REDRIVE,
    &DISCARD,
    &HALT,
    &LIFT,
    &LIST_LEAVES,
    &CHECK_LOG,
    &DOCTOR,
    &SHOW_PROJECT,
    &SET_PROJECT,
    &WHOAMI,
    &LIST_TOKENS,
    &CREATE_TOKEN,
    &REVOKE_TOKEN,
    &LIST_SUBSCRIPTIONS,
    &ADD_SUBSCRIPTION,
    &SHOW_SUBSCRIPTION,
    &DISABLE_SUBSCRIPTION,
    &ENABLE_SUBSCRIPTION,
    &ROTATE_SECRET,
    &LIST_DELIVERIES,
    &TEST_SUBSCRIPTION,
    &REPLAY,
    &REMOVE_SUBSCRIPTION,
    &SIGN_IN,
    &SIGN_OUT,
    &VIEW_MAIL_CODE,
    &REDEEM_MAIL_CODE,
    &VALIDATE,
    &SCHEMA,
    &OPENAPI,
];
