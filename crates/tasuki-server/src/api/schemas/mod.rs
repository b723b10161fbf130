//! JSON Schemas of all bodies. They are closed, and every answer in the tests is checked against them,
//! so that what is promised here is what is sent. The files are named like those of the operations.

mod admin;
mod claims;
mod events;
mod handoffs;
mod packets;
mod parties;
mod parts;
mod policy;
mod sessions;
mod subscriptions;
mod tasks;
mod tokens;

use serde_json::{Map, Value};

pub(crate) use parts::{named, page};

/// Every schema by its name.
pub(crate) fn all() -> Map<String, Value> {
    ALL.iter().map(|(name, schema)| ((*name).to_owned(), schema())).collect()
}

/// A schema is made when the document is.
type Made = fn() -> Value;

const ALL: &[(&str, Made)] = &[
    ("HandoffDetails", handoffs::shown),
    ("OpenQuestion", handoffs::open_question),
    ("ClaimStatement", handoffs::claim_statement),
    ("Return", handoffs::returned),
    ("Trail", handoffs::trail),
    ("Continuation", tasks::continuation),
    ("Inbox", events::inbox),
    ("Packet", packets::packet),
    ("Answer", handoffs::answer),
    ("Handoff", handoffs::handoff),
    ("Claim", claims::claim),
    ("Party", parties::party),
    ("Token", tokens::token),
    ("Subscription", subscriptions::subscription),
    ("SubscriptionRequest", subscriptions::subscription_request),
    ("Filter", subscriptions::filter),
    ("Delivery", subscriptions::delivery),
    ("Replay", subscriptions::replay),
    ("Replayed", subscriptions::replayed),
    ("Event", events::event),
    ("Found", events::found),
    ("EdgeStats", events::edge_stats),
    ("Decided", events::decided),
    ("Contract", policy::contract),
    ("ContractLine", policy::contract_line),
    ("ContractShown", policy::contract_shown),
    ("GateLine", policy::gate_line),
    ("Policy", policy::policy),
    ("PolicyShown", policy::policy_shown),
    ("Decision", handoffs::decision),
    ("Question", handoffs::question),
    ("QuestionAnswer", handoffs::question_answer),
    ("ClaimRequest", claims::claim_request),
    ("Renew", claims::renew),
    ("Reason", handoffs::reason),
    ("Park", claims::park),
    ("ApprovalRequest", claims::approval_request),
    ("Verdict", handoffs::verdict),
    ("PartyRequest", parties::party_request),
    ("TokenRequest", tokens::token_request),
    ("SignIn", sessions::sign_in),
    ("Batch", packets::batch),
    ("BatchAnswers", packets::batch_answers),
    ("LogChecked", admin::log_checked),
    ("Project", policy::project),
    ("ProjectSettings", policy::project_settings),
    ("Whoami", parties::whoami),
    ("Session", sessions::session),
    ("Validated", packets::validated),
    ("Violation", packets::violation),
    ("Problem", packets::problem),
    ("JsonSchema", parts::anything),
];
