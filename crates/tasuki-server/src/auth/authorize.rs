//! Authorizes operations by scope. The scopes that a command needs are the engine's table, and what a step
//! needs besides, such as being the sender, the engine checks itself.

use tasuki_engine::model::{Principal, Scope};
use tasuki_engine::rules::scopes;

use crate::operation::{Access, Operation};
use crate::respond::problem::{Problem, unknown_route};

/// Checks that a principal has the scopes of an operation.
pub(crate) fn authorize(operation: &Operation, principal: &Principal) -> Result<(), Problem> {
    let Access::Credential(needs) = operation.access else { return Ok(()) };
    // To a principal that may not read, the address does not exist.
    let may_look = principal.scopes.has(Scope::Read) || principal.scopes.has(Scope::Receive);
    if operation.is_read() && !may_look && !needs.are_met_by(principal.scopes) {
        return Err(unknown_route());
    }
    Ok(scopes::require(principal, needs)?)
}
