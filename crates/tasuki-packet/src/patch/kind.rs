//! Detects the kind of a patch from its shape.

use serde_json::Value;

use super::{apply, merge};
use crate::violation::{Code, Violation, shorten};

/// The kind of a patch.
///
/// ```
/// use serde_json::json;
/// use tasuki_packet::patch::PatchKind;
///
/// assert_eq!(PatchKind::of(&json!({"goal": null})), Some(PatchKind::Merge));
/// assert_eq!(PatchKind::of(&json!([])), Some(PatchKind::Operations));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PatchKind {
    /// RFC 7396: an object that looks like the one it changes.
    Merge,
    /// RFC 6902: a list of operations.
    Operations,
}

impl PatchKind {
    /// Returns the kind of a patch; `None` for a scalar.
    pub fn of(patch: &Value) -> Option<Self> {
        match patch {
            Value::Object(_) => Some(Self::Merge),
            Value::Array(_) => Some(Self::Operations),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
        }
    }
}

/// Applies a patch of either kind: a list is RFC 6902, an object is RFC 7396.
///
/// ```
/// use serde_json::json;
/// use tasuki_packet::patch::apply_either;
///
/// let mut packet = json!({"status": "in_progress"});
/// apply_either(&mut packet, &json!({"status": "blocked"}))?;
/// assert_eq!(packet, json!({"status": "blocked"}));
/// # Ok::<(), tasuki_packet::Violation>(())
/// ```
///
/// # Errors
///
/// Same as [`apply`], and `TK-PATCH-INVALID` if the patch is a scalar. The target is then
/// unchanged.
pub fn apply_either(target: &mut Value, patch: &Value) -> Result<PatchKind, Violation> {
    let Some(kind) = PatchKind::of(patch) else {
        return Err(Violation::new(
            Code::PatchInvalid,
            "",
            "the patch must be an object or a list",
        )
        .found(shorten::value(patch))
        .allowed("an object (RFC 7396) or a list of operations (RFC 6902)"));
    };
    match kind {
        PatchKind::Merge => merge(target, patch),
        PatchKind::Operations => apply(target, patch)?,
    }
    Ok(kind)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_kind_of_a_patch_is_detected_from_its_shape() {
        let mut target = json!({"a": 1});
        assert_eq!(apply_either(&mut target, &json!({"a": 2})), Ok(PatchKind::Merge));
        let operations = json!([{"op": "add", "path": "/b", "value": 3}]);
        assert_eq!(apply_either(&mut target, &operations), Ok(PatchKind::Operations));
        assert_eq!(target, json!({"a": 2, "b": 3}));
        let violation = apply_either(&mut target, &json!(null)).unwrap_err();
        assert_eq!(violation.code, Code::PatchInvalid);
    }
}
