//! How many of a list somebody asks for: one rule for all lists, and that of a server.

use std::fmt::Display;
use std::str::FromStr;

/// A number from 1 on. Nobody asks for nothing, so 0 is a slip.
pub(crate) fn limit<N>(text: &str) -> Result<N, String>
where
    N: FromStr<Err: Display> + PartialOrd + From<u8>,
{
    let count: N = text.parse().map_err(|error: N::Err| error.to_string())?;
    if count < N::from(1) { Err("it is at least 1".to_owned()) } else { Ok(count) }
}
