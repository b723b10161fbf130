//! Parties, and the identity of the caller.

use tasuki_api::{AbsenceRequest, Party, PartyRequest, Whoami};
use tasuki_engine::model::Scope::{Admin, Decide};
use tasuki_engine::rules::scopes::ReadOperation;
use tasuki_engine::rules::scopes::RequiredScopes::{All, Any};

use super::{Operation, RequestBody, ResponseBody, Verb};

/// Lists parties.
pub static LIST_PARTIES: Operation =
    Operation::get("list_parties", "/v1/parties", "List the parties of the project.")
        .reads(ReadOperation::Directory)
        .response(ResponseBody::page::<Party>());

/// Shows a party.
pub static SHOW_PARTY: Operation = Operation::get(
    "show_party",
    "/v1/parties/{name}",
    "Show a party: its members, contract versions and authority, and the mailbox of a person.",
)
.reads(ReadOperation::Directory)
.response(ResponseBody::document::<Party>());

/// Adds a party.
pub static ADD_PARTY: Operation =
    Operation::post("add_party", "/v1/parties", "Add a party, or add to an existing one.")
        .requires(All(&[Admin]))
        .request(RequestBody::document::<PartyRequest>())
        .created();

/// Begins the absence of a person.
pub static BEGIN_ABSENCE: Operation = Operation::new(
    Verb::Put,
    "begin_absence",
    "/v1/parties/{name}/absence",
    "Name a deputy for a person who is away. Until the end of the absence, the deputy decides in their place, but never signs at a gate.",
)
.requires(Any(&[Admin, Decide]))
.request(RequestBody::document::<AbsenceRequest>());

/// Ends the absence of a person.
pub static END_ABSENCE: Operation = Operation::new(
    Verb::Delete,
    "end_absence",
    "/v1/parties/{name}/absence",
    "End the absence of a person before its time.",
)
.requires(Any(&[Admin, Decide]));

/// Shows the caller.
pub static WHOAMI: Operation =
    Operation::get("whoami", "/v1/whoami", "Show the party and the scopes of the caller.")
        .response(ResponseBody::document::<Whoami>());
