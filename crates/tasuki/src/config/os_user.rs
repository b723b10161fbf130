//! The user of this process, as a party name.

use std::os::unix::fs::MetadataExt as _;

use super::{Environment, Party};
use crate::output::escape::excerpt;

/// Returns the first valid party name among `USER`, `LOGNAME` and the account.
///
/// # Errors
///
/// The reason why there is none, as a clause without a full stop.
pub(crate) fn party_name(environment: &Environment) -> Result<Party, String> {
    let of_session = ["USER", "LOGNAME"].map(|variable| environment.text(variable).ok().flatten());
    first_valid(of_session.into_iter().flatten().map(str::to_owned).chain(account_name()))
}

fn first_valid(names: impl Iterator<Item = String>) -> Result<Party, String> {
    let mut unfit = None;
    for name in names {
        match Party::parse(&name.to_lowercase()).ok().filter(|party| !party.as_str().contains(':'))
        {
            Some(party) => return Ok(party),
            None => unfit = unfit.or(Some(name)),
        }
    }
    Err(match unfit {
        Some(name) => format!("your user name `{}` is not a valid party name", excerpt(&name)),
        None => "your user name is unknown: `USER` is not set".to_owned(),
    })
}

/// Returns the account name of this process from `/etc/passwd`, where it exists.
fn account_name() -> Option<String> {
    let own = std::fs::metadata("/proc/self").ok()?.uid();
    let accounts = std::fs::read_to_string("/etc/passwd").ok()?;
    name_of_uid(&accounts, own)
}

fn name_of_uid(accounts: &str, uid: u32) -> Option<String> {
    let account = |line: &str| {
        let mut fields = line.split(':');
        let (name, _password, number) = (fields.next()?, fields.next()?, fields.next()?);
        (number.parse() == Ok(uid)).then(|| name.to_owned())
    };
    accounts.lines().find_map(account)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_valid_name_is_used() {
        let of = |names: &[&str]| match first_valid(names.iter().map(|name| (*name).to_owned())) {
            Ok(party) => party.as_str().to_owned(),
            Err(why) => why,
        };
        assert_eq!(of(&["Ana", "root"]), "ana");
        assert_eq!(of(&["Ana Müller", "role:team", "ana.m"]), "ana.m");
        assert_eq!(
            of(&["Ana Müller", "system"]),
            "your user name `Ana Müller` is not a valid party name"
        );
        assert_eq!(of(&[]), "your user name is unknown: `USER` is not set");
    }

    #[test]
    fn an_account_is_found_by_its_number() {
        let accounts = "root:x:0:0:root:/root:/bin/sh\n\nana:x:1000:1000::/home/ana:/bin/sh\n";
        assert_eq!(name_of_uid(accounts, 1000).as_deref(), Some("ana"));
        assert_eq!(name_of_uid(accounts, 100), None);
    }
}
