//! The files that never leave the work tree: those that may hold secrets, and large ones.

use std::io::Read as _;
use std::path::Path;

use serde_json::Value;
use tasuki_packet::check::secrets;

/// The reason for a file that is left out by its name.
pub(super) const SECRET_NAME: &str = "the name of a file with secrets";

/// Returns `true` if a file of this path may hold a secret. A committed file `id_*` is source code more
/// often than a key.
pub(super) fn has_secret_name(path: &[u8], is_committed: bool) -> bool {
    let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or(path).to_ascii_lowercase();
    name.starts_with(b".env")
        || name.ends_with(b".pem")
        || name.ends_with(b".key")
        || name == b".npmrc"
        || !is_committed && name.starts_with(b"id_")
}

/// Returns the kinds of secrets in a content. A content that is not text is not scanned.
pub(super) fn secrets_in(content: &[u8]) -> Vec<&'static str> {
    match str::from_utf8(content) {
        Ok(text) if !text.contains('\0') => {
            let found = secrets::scan(&Value::from(text));
            found.into_iter().map(|finding| finding.kind).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns the reason why a content is left out. Secrets that the committed version has are known already.
pub(super) fn secret_content(
    content: &[u8],
    committed: impl FnOnce() -> Vec<u8>,
) -> Option<String> {
    let found = secrets_in(content);
    let kind = found.first()?;
    let is_new = found.len() > secrets_in(&committed()).len();
    is_new.then(|| format!("what looks like a secret: {kind}"))
}

/// A file of the work tree as far as it may travel.
pub(super) enum Content {
    /// A regular file or the target of a link.
    Bytes(Vec<u8>),
    /// The file is gone, which is a change like any other.
    Gone,
    /// The reason why it is left out.
    LeftOut(String),
}

/// Reads a file of the work tree.
pub(super) fn content(path: &Path, bytes_max: u64) -> Content {
    let Ok(metadata) = path.symlink_metadata() else { return Content::Gone };
    if metadata.is_symlink() {
        let target =
            std::fs::read_link(path).map(|target| target.as_os_str().as_encoded_bytes().to_vec());
        return target.map_or(Content::Gone, Content::Bytes);
    }
    if !metadata.is_file() {
        return Content::LeftOut("not a regular file".to_owned());
    }
    if metadata.len() > bytes_max {
        return Content::LeftOut(format!("{} bytes, the limit is {bytes_max}", metadata.len()));
    }
    let mut bytes = Vec::new();
    let read =
        std::fs::File::open(path).and_then(|file| file.take(bytes_max).read_to_end(&mut bytes));
    match read {
        Ok(_) => Content::Bytes(bytes),
        Err(error) => Content::LeftOut(format!("it cannot be read: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_usually_hold_secrets_are_known_by_name() {
        let names =
            [".env", "app/.env.local", ".envrc", "tls/server.PEM", "a.key", "id_ed25519", ".npmrc"];
        for path in names {
            assert!(has_secret_name(path.as_bytes(), false), "{path}");
        }
        for path in ["env", "src/key.rs", "pem.txt", "my_id_rsa.rs", ".npmrc.md", "a.env"] {
            assert!(!has_secret_name(path.as_bytes(), false), "{path}");
        }
        assert!(!has_secret_name(b"src/id_map.rs", true));
        assert!(has_secret_name(b".env", true));
    }

    #[test]
    fn a_secret_that_is_committed_already_is_no_reason() {
        let secret = format!("token = {}{}\n", "ghp_", "R7xQ2mZ9bLw4Kc8Vt1Ny6Ps3Hd5Gf0JaWkXo");
        let reason = secret_content(secret.as_bytes(), Vec::new).unwrap();
        assert_eq!(reason, "what looks like a secret: GitHub token");
        assert_eq!(secret_content(secret.as_bytes(), || secret.clone().into_bytes()), None);
        assert_eq!(secret_content(b"plain", Vec::new), None);
        assert_eq!(secret_content(b"\0binary", Vec::new), None);
    }
}
