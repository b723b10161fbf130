//! What stands in the address: names in the path and parameters in the query. A parameter that nobody
//! knows is refused, because one that silently does nothing is worse than none.

use axum::extract::{FromRequestParts, Path, Query};
use axum::http::request::Parts;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};

use crate::problem::Problem;
use crate::ways;

/// The parameters of a query.
#[derive(Debug)]
pub(crate) struct Parameters<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Sync> FromRequestParts<S> for Parameters<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Problem> {
        let Query(read) = Query::try_from_uri(&parts.uri)
            .map_err(|error| Problem::argument(wrong(&error.body_text())))?;
        Ok(Self(read))
    }
}

/// The reader's own words, without those about the reader.
fn wrong(text: &str) -> String {
    let inner = text.strip_prefix("Failed to deserialize query string: ").unwrap_or(text);
    format!("the query of the address cannot be used: {inner}")
}

/// The one name in the path.
#[derive(Debug)]
pub(crate) struct Named(pub(crate) String);

impl<S: Send + Sync> FromRequestParts<S> for Named {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let name = ways::name_in(parts.uri.path()).filter(|name| !name.contains('%'));
        if let Some(name) = name {
            return Ok(Self(name.to_owned()));
        }
        let read = Path::<String>::from_request_parts(parts, state).await;
        let Path(name) = read.map_err(|error| Problem::argument(error.body_text()))?;
        Ok(Self(name))
    }
}

/// A list in one parameter: `state=held,offered`.
pub(crate) fn list<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let text = Option::<String>::deserialize(deserializer)?.unwrap_or_default();
    let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
    Ok(items.map(str::to_owned).collect())
}
