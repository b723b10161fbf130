//! The people who decide about a hold, as rules and contracts name them.
//!
//! Both documents have the members `decide` and `escalate_after`.

use super::located_value::{Fields, LocatedValue, optional};
use super::name::PartyName;
use crate::types::duration::Duration;
use crate::{Code, Violation};

/// The people who decide about a hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decide {
    /// The person or the role that decides.
    pub by: PartyName,
    /// The time after which any person with the scope may decide.
    pub escalate_after: Option<Duration>,
}

/// Reads `decide` and `escalate_after`.
pub(crate) fn decide(fields: &Fields<'_>, found: &mut Vec<Violation>) -> Option<Decide> {
    let by = optional(fields, "decide", LocatedValue::parsed, found);
    let escalate_after = optional(fields, "escalate_after", LocatedValue::parsed, found);
    if let Some(place) = fields.get("escalate_after").filter(|_| fields.get("decide").is_none()) {
        let violation = place.violation(Code::FieldMissing, format!("{place} needs `decide`"));
        found.push(violation.hint("name who decides, or remove it"));
    }
    Some(Decide { by: by?, escalate_after })
}
