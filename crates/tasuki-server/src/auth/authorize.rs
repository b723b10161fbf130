//! Authorizes operations by scope. The engine defines the scopes of each command and checks every
//! other condition, such as being the sender.

use tasuki_engine::model::{Principal, Scope};
use tasuki_engine::rules::scopes;

use crate::operation::{Access, Operation};
use crate::respond::problem::{Problem, unknown_route};

/// Checks that a principal has the scopes of an operation.
pub(crate) fn authorize(operation: &Operation, principal: &Principal) -> Result<(), Problem> {
    let Access::Credential(needs) = operation.access else { return Ok(()) };
    // For a principal without read access, the route does not exist.
    let may_read = principal.scopes.has(Scope::Read) || principal.scopes.has(Scope::Receive);
    if operation.is_read() && !may_read && !needs.are_met_by(principal.scopes) {
        return Err(unknown_route());
    }
    Ok(scopes::require(principal, needs)?)
}
