//! The fields that a contract requires of a return.

use crate::policy::located_value::LocatedValue;
use crate::schema::field::Format;
use crate::{Code, Violation};

/// Reads the name of a field. A sentence would make every return impossible.
pub(super) fn field_name(place: &LocatedValue<'_>, found: &mut Vec<Violation>) -> Option<String> {
    let name = place.text(found)?;
    if Format::FieldName.holds(name) {
        return Some(name.to_owned());
    }
    let message = format!("`{}` is not the name of a field", place.pointer);
    let violation = place.violation(Code::FieldFormat, message);
    let violation = violation.allowed(Format::FieldName.describe());
    found.push(match Format::FieldName.hint(name) {
        Some(hint) => violation.hint(hint),
        None => violation,
    });
    None
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::policy::contract::Contract;

    #[test]
    fn a_required_return_field_is_a_name() {
        let document = json!({
            "contract": "c", "version": "1.0", "from": ["a"], "to": ["b"],
            "returns": {"require": ["summary", "Please report the results"]},
        });
        let violations = Contract::read(&document).unwrap_err();
        assert_eq!(violations.len(), 1, "{violations:?}");
        assert_eq!(violations[0].pointer, "/returns/require/1");
    }
}
