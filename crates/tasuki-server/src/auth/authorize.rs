//! May they? The one place that says so for operations. What a command needs is the engine's table, and
//! what a step needs besides, such as being the sender, the engine asks in its own one place.

use tasuki_engine::principal::{Principal, Scope};
use tasuki_engine::scope;

use crate::operation::{Access, Operation};
use crate::respond::problem::{Problem, nothing_here};

/// Whether a principal may ask for an operation at all.
pub(crate) fn authorize(operation: &Operation, principal: &Principal) -> Result<(), Problem> {
    let Access::Credential(needs) = operation.access else { return Ok(()) };
    // To somebody who may not look, there is nothing to see, not even a door.
    let may_look = principal.scopes.has(Scope::Read) || principal.scopes.has(Scope::Receive);
    if operation.is_read() && !may_look && !needs.are_met_by(principal.scopes) {
        return Err(nothing_here());
    }
    Ok(scope::must_meet(principal, needs)?)
}
