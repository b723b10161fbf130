//! The settings of snapshots: the table `[snapshots]` of a file, and one variable.

use super::key::{self, Key};
use super::origin::Origin;
use super::resolve::{Layers, Row};
use super::values::InvalidValue;
use crate::exit::Failure;
use crate::git::snapshot::Limits;

/// The settings of snapshots, each with its origin.
#[derive(Debug)]
pub(crate) struct SnapshotSettings {
    /// `false` to take none.
    pub(crate) is_enabled: bool,
    pub(crate) limits: Limits,
    rows: Vec<(&'static str, String, Origin)>,
}

impl SnapshotSettings {
    pub(super) fn from_layers(layers: &Layers<'_>) -> Result<Self, Failure> {
        let mut rows = Vec::new();
        let mut get = |key: &Key, default: String| -> Result<(String, Origin), Failure> {
            let (text, origin) = match layers.first(key)? {
                Some(given) => (given.value, given.origin),
                None => (default, Origin::Default),
            };
            rows.push((key.name, text.clone(), origin.clone()));
            Ok((text, origin))
        };
        let Limits { file_bytes_max, keep } = Limits::default();
        let (text, origin) = get(&key::SNAPSHOTS_ENABLED, true.to_string())?;
        let is_enabled = truth(&text).map_err(|wrong| wrong.at(&origin))?;
        let (text, origin) = get(&key::SNAPSHOTS_FILE_BYTES_MAX, file_bytes_max.to_string())?;
        let file_bytes_max = number(&text).map_err(|wrong| wrong.at(&origin))?;
        let (text, origin) = get(&key::SNAPSHOTS_KEEP, keep.to_string())?;
        let keep = number(&text).map_err(|wrong| wrong.at(&origin))?;
        let keep = usize::try_from(keep).unwrap_or(usize::MAX);
        Ok(Self { is_enabled, limits: Limits { file_bytes_max, keep }, rows })
    }

    /// Returns every setting for display.
    pub(super) fn rows(&self) -> impl Iterator<Item = Row> + '_ {
        let row = |(key, text, origin): &(&'static str, String, Origin)| Row {
            key,
            set: Some((text.clone(), origin.clone())),
        };
        self.rows.iter().map(row)
    }
}

fn truth(text: &str) -> Result<bool, InvalidValue> {
    match text {
        "true" | "1" => Ok(true),
        "false" | "0" => Ok(false),
        _ => Err(InvalidValue::new(
            format!("`{text}` is not true or false"),
            "use `true` or `false`",
        )),
    }
}

fn number(text: &str) -> Result<u64, InvalidValue> {
    text.replace('_', "").parse().ok().filter(|number| *number > 0).ok_or_else(|| {
        InvalidValue::new(format!("`{text}` is not a number above 0"), "use a number such as `20`")
    })
}
