//! Contracts, gates, rules and the settings of a project.

use tasuki_api::{
    ContractDetails, ContractRequest, ContractSummary, GateSummary, PolicyDetails, PolicyRequest,
    Project, ProjectSettings,
};
use tasuki_engine::model::Scope::Admin;
use tasuki_engine::rules::scopes::ReadOperation;
use tasuki_engine::rules::scopes::RequiredScopes::All;

use super::{Operation, RequestBody, ResponseBody, Verb};

/// Lists contracts.
pub static LIST_CONTRACTS: Operation =
    Operation::get("list_contracts", "/v1/contracts", "List the contracts of the project.")
        .reads(ReadOperation::Directory)
        .response(ResponseBody::page::<ContractSummary>());

/// Publishes a contract.
pub static PUBLISH_CONTRACT: Operation = Operation::post(
    "publish_contract",
    "/v1/contracts",
    "Publish a contract. A published version is immutable.",
)
.requires(All(&[Admin]))
.request(RequestBody::document::<ContractRequest>())
.created();

/// Shows a contract.
pub static SHOW_CONTRACT: Operation = Operation::get(
    "show_contract",
    "/v1/contracts/{name}",
    "Show a contract: a version of it (`name@1.0`), or the newest one (`name`).",
)
.reads(ReadOperation::Directory)
.response(ResponseBody::document::<ContractDetails>());

/// Lists gates.
pub static LIST_GATES: Operation =
    Operation::get("list_gates", "/v1/gates", "List the gates of the project.")
        .reads(ReadOperation::Directory)
        .response(ResponseBody::page::<GateSummary>());

/// Publishes a gate.
pub static PUBLISH_GATE: Operation =
    Operation::post("publish_gate", "/v1/gates", "Publish a gate.")
        .requires(All(&[Admin]))
        .request(RequestBody::document::<PolicyRequest>())
        .created();

/// Shows a gate.
pub static SHOW_GATE: Operation =
    Operation::get("show_gate", "/v1/gates/{name}", "Show the newest version of a gate.")
        .reads(ReadOperation::Directory)
        .response(ResponseBody::document::<PolicyDetails>());

/// Shows the rules.
pub static SHOW_RULES: Operation = Operation::get(
    "show_rules",
    "/v1/rules",
    "Show the rules of the project, which every packet must meet.",
)
.reads(ReadOperation::Directory)
.response(ResponseBody::document::<PolicyDetails>());

/// Replaces the rules.
pub static SET_RULES: Operation =
    Operation::new(Verb::Put, "set_rules", "/v1/rules", "Replace the rules of the project.")
        .requires(All(&[Admin]))
        .request(RequestBody::document::<PolicyRequest>());

/// Shows the project.
pub static SHOW_PROJECT: Operation =
    Operation::get("show_project", "/v1/project", "Show the project and its settings.")
        .reads(ReadOperation::Directory)
        .response(ResponseBody::document::<Project>());

/// Changes settings.
pub static SET_PROJECT: Operation = Operation::new(
    Verb::Patch,
    "set_project",
    "/v1/project",
    "Change settings of the project. Other settings keep their values.",
)
.requires(All(&[Admin]))
.request(RequestBody::document::<ProjectSettings>());
