//! How values are read from and written to JSON.

use jiff::Timestamp;
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer, Serializer};
use serde_json::Value;
use tasuki_packet::instant::InstantText;

/// Writes an instant with six digits after the second.
pub(crate) fn instant<S: Serializer>(
    instant: &Timestamp,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(InstantText::of(*instant).as_str())
}

/// Writes an instant with six digits after the second, if there is one.
#[expect(clippy::ref_option, reason = "serde calls it with a reference to the field")]
pub(crate) fn optional_instant<S: Serializer>(
    optional: &Option<Timestamp>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match optional {
        Some(value) => instant(value, serializer),
        None => serializer.serialize_none(),
    }
}

/// Reads null as the default value, and ignores members that are null.
///
/// # Errors
///
/// An invalid value, with its path inside of the member.
pub fn null_default<'de, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: DeserializeOwned + Default,
    D: Deserializer<'de>,
{
    let mut value = Value::deserialize(deserializer)?;
    match &mut value {
        Value::Null => return Ok(T::default()),
        Value::Object(members) => members.retain(|_, member| !member.is_null()),
        _ => {}
    }
    serde_path_to_error::deserialize(value).map_err(|error| match error.path().iter().next() {
        Some(_) => D::Error::custom(format!("at `{}`: {}", error.path(), error.inner())),
        None => D::Error::custom(error.inner()),
    })
}

pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
