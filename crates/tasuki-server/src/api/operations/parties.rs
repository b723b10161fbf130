//! Parties, and who you are among them.

use tasuki_api::{Party, PartyRequest, Whoami};
use tasuki_engine::model::Scope::Admin;
use tasuki_engine::rules::scopes::ReadOperation;
use tasuki_engine::rules::scopes::RequiredScopes::All;

use super::{Operation, RequestBody, ResponseBody};

/// Parties.
pub static LIST_PARTIES: Operation =
    Operation::get("list_parties", "/v1/parties", "List the parties of the project.")
        .reads(ReadOperation::Directory)
        .response(ResponseBody::page::<Party>());

/// Show a party.
pub static SHOW_PARTY: Operation = Operation::get(
    "show_party",
    "/v1/parties/{name}",
    "Show a party: its members, what it reads, what it may, and the mailbox of a person.",
)
.reads(ReadOperation::Directory)
.response(ResponseBody::document::<Party>());

/// Add a party.
pub static ADD_PARTY: Operation =
    Operation::post("add_party", "/v1/parties", "Add a party, or add to what is known of one.")
        .requires(All(&[Admin]))
        .request(RequestBody::document::<PartyRequest>())
        .created();

/// Who am I.
pub static WHOAMI: Operation =
    Operation::get("whoami", "/v1/whoami", "Who you are here, and what you may.")
        .response(ResponseBody::document::<Whoami>());
