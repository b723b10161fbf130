//! The address of a remote, without user, password and query.

/// Returns an address as it may be shown to others.
pub(super) fn without_user(address: &str) -> String {
    let address = address.split(['?', '#']).next().unwrap_or_default();
    if let Some((scheme, rest)) = address.split_once("://") {
        let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
        let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
        return format!("{scheme}://{host}/{path}").trim_end_matches('/').to_owned();
    }
    // The short form of ssh, `user@host:path`. A path of this machine has no colon before its first slash.
    match address.split_once(':') {
        Some((host, path)) if !host.contains('/') => {
            let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
            format!("{host}:{path}")
        }
        _ => address.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_neither_user_nor_password() {
        for (address, shown) in [
            ("https://ana:hunter2@git.example/team/repo.git", "https://git.example/team/repo.git"),
            ("https://git.example/repo?token=1#x", "https://git.example/repo"),
            ("https://token@git.example", "https://git.example"),
            ("ssh://git@git.example:2222/repo", "ssh://git.example:2222/repo"),
            ("https://a@b:c@git.example/r@v", "https://git.example/r@v"),
            ("git@git.example:team/repo.git", "git.example:team/repo.git"),
            ("/srv/git/repo.git", "/srv/git/repo.git"),
            ("../repo", "../repo"),
        ] {
            assert_eq!(without_user(address), shown, "{address}");
        }
    }
}
