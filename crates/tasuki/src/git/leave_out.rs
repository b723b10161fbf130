//! The files that never leave the work tree, by name.

/// Returns the reason why a file of this path may hold a secret.
pub(super) fn secret_name(path: &[u8]) -> Option<&'static str> {
    let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or(path).to_ascii_lowercase();
    let is_secret = name.starts_with(b".env")
        || name.ends_with(b".pem")
        || name.ends_with(b".key")
        || name.starts_with(b"id_")
        || name == b".npmrc";
    is_secret.then_some("the name of a file with secrets")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_usually_hold_secrets_are_known_by_name() {
        for path in
            [".env", "app/.env.local", ".envrc", "tls/server.PEM", "a.key", "id_ed25519", ".npmrc"]
        {
            assert!(secret_name(path.as_bytes()).is_some(), "{path}");
        }
        for path in ["env", "src/key.rs", "pem.txt", "my_id_rsa.rs", ".npmrc.md", "a.env"] {
            assert!(secret_name(path.as_bytes()).is_none(), "{path}");
        }
    }
}
