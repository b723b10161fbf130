//! Path and query parameters. An unknown query parameter is refused rather than silently ignored.

use axum::extract::{FromRequestParts, Path, Query};
use axum::http::Uri;
use axum::http::request::Parts;
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer};
use tasuki_packet::violation::suggest;

use crate::operation::{Operation, RequestBody};
use crate::respond::problem::Problem;

/// U+0000 in an address.
const NUL: &str = "%00";

/// The parameters of a query.
#[derive(Debug)]
pub(crate) struct Parameters<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Sync> FromRequestParts<S> for Parameters<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Problem> {
        let Query(read) = Query::try_from_uri(&parts.uri)
            .map_err(|error| Problem::argument(invalid_query(&error.body_text())))?;
        Ok(Self(read))
    }
}

/// Refuses an address with U+0000, and query parameters that an operation does not have: those of
/// another operation, or those that belong into the body.
pub(crate) fn check(operation: &Operation, address: &Uri) -> Result<(), Problem> {
    require_no_nul(address)?;
    let names = || operation.parameters.iter().map(|known| known.name);
    // A name without percent-encoding is compared as it is.
    let stands = |pair: &str| pair.split('=').next().is_some_and(|one| names().any(|n| n == one));
    if address.query().is_none_or(|query| query.is_empty() || query.split('&').all(stands)) {
        return Ok(());
    }
    let Query(pairs) = Query::<Vec<(String, String)>>::try_from_uri(address)
        .map_err(|error| Problem::argument(invalid_query(&error.body_text())))?;
    let Some((unknown, _)) = pairs.iter().find(|(name, _)| !names().any(|known| known == name))
    else {
        return Ok(());
    };
    let Operation { verb, path, .. } = operation;
    let detail = format!("`{} {path}` has no parameter `{unknown}`", verb.method());
    Err(Problem::argument(detail).hint(suggestion(operation, unknown)))
}

/// Refuses an encoded U+0000 anywhere in the address, as bodies do. No stored text contains it, and
/// PostgreSQL refuses it in a parameter. It cannot occur unencoded.
fn require_no_nul(address: &Uri) -> Result<(), Problem> {
    let part = if address.path().contains(NUL) {
        "path"
    } else if address.query().is_some_and(|query| query.contains(NUL)) {
        "query"
    } else {
        return Ok(());
    };
    let detail = format!("the {part} of the address contains U+0000 (`%00`)");
    Err(Problem::argument(detail).hint("remove `%00`; no name, id or text contains it"))
}

/// Suggests what to send in place of an unknown parameter.
fn suggestion(operation: &Operation, unknown: &str) -> String {
    let names: Vec<_> = operation.parameters.iter().map(|known| known.name).collect();
    match (suggest(unknown, names.iter().copied()), operation.request) {
        (Some(near), _) => format!("did you mean `{near}`?"),
        (None, _) if !names.is_empty() => format!("it has `{}`", names.join("`, `")),
        (None, RequestBody::None) => "it has none".to_owned(),
        (None, _) => "it has no parameters; put this into the body".to_owned(),
    }
}

/// The message of the query parser, without its prefix.
fn invalid_query(text: &str) -> String {
    let inner = text.strip_prefix("Failed to deserialize query string: ").unwrap_or(text);
    format!("invalid query string: {inner}")
}

/// The parameter in the path.
#[derive(Debug)]
pub(crate) struct PathParameter(pub(crate) String);

impl<S: Send + Sync> FromRequestParts<S> for PathParameter {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let read = Path::<String>::from_request_parts(parts, state).await;
        let Path(name) = read.map_err(|error| Problem::argument(error.body_text()))?;
        Ok(Self(name))
    }
}

/// A list in one parameter: `state=held,offered`.
pub(crate) fn comma_separated<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<String>, D::Error> {
    let text = String::deserialize(deserializer)?;
    let items: Vec<String> = text.split(',').map(|item| item.trim().to_owned()).collect();
    if items.iter().any(String::is_empty) {
        return Err(D::Error::custom("an item of the list is empty; to state none, leave it out"));
    }
    Ok(items)
}
