//! The short way to an operation: by its method and the parts of its address, as they stand there.
//!
//! Nearly every request goes it. What is not found so goes the long way, through the router, which takes
//! each request apart and puts it together again: `HEAD`, a name with escapes in it, and whatever leads
//! nowhere. Both lead to the same door and to the same answer.

use std::collections::HashMap;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use axum::body::HttpBody as _;
use axum::extract::Request;
use axum::http::HeaderValue;
use axum::http::header::CONTENT_LENGTH;
use axum::response::Response;

use crate::operation::{Operation, Verb};

/// What answers an operation.
pub(crate) type Way = Arc<dyn Fn(Request) -> Answering + Send + Sync>;

/// An answer that is on its way.
pub(crate) type Answering = Pin<Box<dyn Future<Output = Response> + Send>>;

/// The short ways that there are.
#[derive(Default)]
pub(crate) struct Ways {
    known: HashMap<Address<'static>, Way>,
}

impl Ways {
    /// Adds the way to an operation whose address has no other second part than a name.
    pub(crate) fn add(&mut self, operation: &'static Operation, way: Way) {
        if name_in(operation.path).is_none_or(|name| name.starts_with('{'))
            && let Some(address) = Address::of(operation.verb, operation.path)
        {
            self.known.insert(address, way);
        }
    }

    /// The way that a request can go.
    pub(crate) fn find(&self, request: &Request) -> Option<Way> {
        let verb = Verb::of(request.method())?;
        self.known.get(&Address::of(verb, request.uri().path())?).cloned()
    }
}

impl fmt::Debug for Ways {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.known.keys()).finish()
    }
}

/// `POST /v1/handoffs/{id}/claims`, whatever the name.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Address<'a> {
    verb: Verb,
    noun: &'a str,
    is_named: bool,
    step: Option<&'a str>,
}

impl<'a> Address<'a> {
    fn of(verb: Verb, path: &'a str) -> Option<Self> {
        let mut parts = parts(path)?;
        let (noun, name, step) = (parts.next()?, parts.next(), parts.next());
        let is_plain = |name: &str| !name.is_empty() && !name.contains('%');
        name.is_none_or(is_plain).then_some(Self { verb, noun, is_named: name.is_some(), step })
    }
}

/// The name in an address, as it stands there.
pub(crate) fn name_in(path: &str) -> Option<&str> {
    parts(path)?.nth(1)
}

fn parts(path: &str) -> Option<impl Iterator<Item = &str>> {
    Some(path.strip_prefix("/v1/")?.splitn(3, '/'))
}

/// Says how long the body of an answer is, as the router does.
pub(crate) fn measured(mut response: Response) -> Response {
    let length = response.body().size_hint().exact();
    if let Some(length) = length.filter(|_| !response.headers().contains_key(CONTENT_LENGTH)) {
        response.headers_mut().insert(CONTENT_LENGTH, HeaderValue::from(length));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_told_by_its_parts() {
        let of = |path| Address::of(Verb::Post, path);
        assert_eq!(of("/v1/handoffs/hof_1/claims"), of("/v1/handoffs/{id}/claims"));
        assert_ne!(of("/v1/handoffs/hof_1/claims/"), of("/v1/handoffs/{id}/claims"));
        assert_ne!(of("/v1/handoffs/hof_1/"), of("/v1/handoffs/{id}"));
        assert_ne!(of("/v1/handoffs"), of("/v1/handoffs/{id}"));
        for path in ["/v1/handoffs/", "/v1/handoffs//claims", "/v1/parties/%61na", "/docs", "/"] {
            assert_eq!(of(path), None, "{path}");
        }
    }

    /// Whatever stands where a name can stand is taken for one.
    #[test]
    fn no_word_stands_where_another_operation_has_a_name() {
        let address = |operation: &Operation| Address::of(operation.verb, operation.path).unwrap();
        let ours = crate::operation::ALL.iter().copied().filter(|one| one.path.starts_with("/v1/"));
        let (named, plain): (Vec<&Operation>, Vec<_>) =
            ours.partition(|one| one.path.contains('{'));
        for plain in plain {
            let other = named.iter().find(|named| address(named) == address(plain));
            assert!(other.is_none(), "{} and {:?}", plain.path, other.map(|other| other.path));
        }
    }

    /// `parameters::Named` looks for it there.
    #[test]
    fn every_name_is_the_second_part_of_its_address() {
        for operation in crate::operation::ALL {
            let name = name_in(operation.path).filter(|name| name.starts_with('{'));
            assert_eq!(name.is_some(), operation.path.contains('{'), "{}", operation.path);
        }
    }
}
