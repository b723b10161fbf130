//! What a project agreed on: contracts, gates, rules, settings.

use tasuki_api::{
    ContractDetails, ContractRequest, ContractSummary, GateSummary, PolicyDetails, PolicyRequest,
    Project, ProjectSettings,
};
use tasuki_engine::model::Scope::Admin;
use tasuki_engine::rules::scopes::ReadOperation;
use tasuki_engine::rules::scopes::RequiredScopes::All;

use super::{Operation, RequestBody, ResponseBody, Verb};

/// Contracts.
pub static LIST_CONTRACTS: Operation =
    Operation::get("list_contracts", "/v1/contracts", "List the contracts of the project.")
        .reads(ReadOperation::Directory)
        .response(ResponseBody::page::<ContractSummary>());

/// Publish a contract.
pub static PUBLISH_CONTRACT: Operation = Operation::post(
    "publish_contract",
    "/v1/contracts",
    "Let handoffs use a contract from now on. A version is immutable.",
)
.requires(All(&[Admin]))
.request(RequestBody::document::<ContractRequest>())
.created();

/// Show a contract.
pub static SHOW_CONTRACT: Operation = Operation::get(
    "show_contract",
    "/v1/contracts/{name}",
    "Show a contract; `name@1.0` names a version, else it is the newest.",
)
.reads(ReadOperation::Directory)
.response(ResponseBody::document::<ContractDetails>());

/// Gates.
pub static LIST_GATES: Operation =
    Operation::get("list_gates", "/v1/gates", "List the gates of the project.")
        .reads(ReadOperation::Directory)
        .response(ResponseBody::page::<GateSummary>());

/// Publish a gate.
pub static PUBLISH_GATE: Operation =
    Operation::post("publish_gate", "/v1/gates", "Let a gate hold handoffs from now on.")
        .requires(All(&[Admin]))
        .request(RequestBody::document::<PolicyRequest>())
        .created();

/// Show a gate.
pub static SHOW_GATE: Operation =
    Operation::get("show_gate", "/v1/gates/{name}", "Show the newest version of a gate.")
        .reads(ReadOperation::Directory)
        .response(ResponseBody::document::<PolicyDetails>());

/// Show the rules.
pub static SHOW_RULES: Operation =
    Operation::get("show_rules", "/v1/rules", "Show what the project demands of every packet.")
        .reads(ReadOperation::Directory)
        .response(ResponseBody::document::<PolicyDetails>());

/// Set the rules.
pub static SET_RULES: Operation = Operation::new(
    Verb::Put,
    "set_rules",
    "/v1/rules",
    "Let these rules hold from now on, in place of those before.",
)
.requires(All(&[Admin]))
.request(RequestBody::document::<PolicyRequest>());

/// The project.
pub static SHOW_PROJECT: Operation =
    Operation::get("show_project", "/v1/project", "Show the project and its settings.")
        .reads(ReadOperation::Directory)
        .response(ResponseBody::document::<Project>());

/// Set the project.
pub static SET_PROJECT: Operation = Operation::new(
    Verb::Patch,
    "set_project",
    "/v1/project",
    "Change settings of the project; the others stay as they are.",
)
.requires(All(&[Admin]))
.request(RequestBody::document::<ProjectSettings>());
