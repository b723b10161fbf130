//! Parses references to handoffs, such as `export-7@2:82a7b20f5d3c1e0a`.

use tasuki_engine::query::resolve;
use tasuki_packet::id::ReturnId;

use crate::exit::Failure;
use crate::output::escape::excerpt;

/// The version that a reference names after its `@`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NamedVersion {
    /// A revision, and the digits that `tasuki show` prints after it.
    Revision(u32, Option<String>),
    /// A return packet.
    Return(ReturnId),
}

/// Returns `true` if a reference is an id or its last digits.
pub(crate) fn matches_id(id: &str, prefix: &str, written: &str) -> bool {
    resolve::ending_in(written, prefix).is_some_and(|ending| id.ends_with(&ending))
}

/// Parses the revision after the `@`.
pub(crate) fn parse_revision(written: &str) -> Result<Option<u32>, Failure> {
    Ok(match parse_version(written)? {
        Some(NamedVersion::Revision(revision, _)) => Some(revision),
        Some(NamedVersion::Return(_)) | None => None,
    })
}

/// Parses the version after the `@`.
pub(crate) fn parse_version(written: &str) -> Result<Option<NamedVersion>, Failure> {
    let Some((_, version)) = written.split_once('@') else { return Ok(None) };
    if let Ok(return_packet) = version.parse() {
        return Ok(Some(NamedVersion::Return(return_packet)));
    }
    let (revision, tag) = match version.split_once(':') {
        Some((revision, tag)) => (revision, Some(tag.to_ascii_lowercase())),
        None => (version, None),
    };
    let number = revision.parse().ok().filter(|number| *number > 0);
    let number = number.ok_or_else(|| {
        Failure::usage(format!("`{}` is not a revision number", excerpt(revision))).hint(
            "use the reference that `tasuki show` prints, such as `export-7@2:82a7b20f5d3c1e0a`",
        )
    })?;
    Ok(Some(NamedVersion::Revision(number, tag)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_names_a_revision_or_a_return() {
        let revision = |number, tag: Option<&str>| {
            Some(NamedVersion::Revision(number, tag.map(str::to_owned)))
        };
        let id = "ret_0194f1c2b3d47e8f9a0b1c2d3e4f5a6b";
        for (written, expected) in [
            ("export-7".to_owned(), None),
            ("export-7@2".to_owned(), revision(2, None)),
            ("export-7@2:82A7b20f5d3c1e0a".to_owned(), revision(2, Some("82a7b20f5d3c1e0a"))),
            (format!("export-7@{id}"), Some(NamedVersion::Return(id.parse().unwrap()))),
        ] {
            assert_eq!(parse_version(&written).unwrap(), expected, "{written}");
        }
        for written in ["export-7@", "export-7@0", "export-7@main", "export-7@ret_12"] {
            assert!(parse_version(written).is_err(), "{written}");
        }
    }
}
