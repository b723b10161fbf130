//! Parsers of flag values that several commands share.

use std::fmt::Display;
use std::str::FromStr;

use tasuki_engine::model::StateWord;

/// Parses a number of at least 1.
pub(crate) fn limit<N>(text: &str) -> Result<N, String>
where
    N: FromStr<Err: Display> + PartialOrd + From<u8>,
{
    let count: N = text.parse().map_err(|error: N::Err| error.to_string())?;
    if count < N::from(1) { Err("must be at least 1".to_owned()) } else { Ok(count) }
}

/// Parses the name of a state.
pub(crate) fn state(word: &str) -> Result<StateWord, String> {
    StateWord::named(word).ok_or_else(|| {
        let words: Vec<&str> = StateWord::ALL.iter().map(|state| state.as_str()).collect();
        format!("must be one of {}", words.join(", "))
    })
}
