//! Refuses a request that repeats a header which must occur once.
//!
//! Two servers in a row may each use another one of the values. A request could then pass a proxy
//! under one host or credential and be served under another.

use axum::extract::Request;
use axum::http::HeaderName;
use axum::http::header::{AUTHORIZATION, HOST};

use crate::respond::problem::Problem;

/// The headers that decide on the host and the caller.
const SINGLE: [HeaderName; 2] = [HOST, AUTHORIZATION];

/// Refuses a request with a repeated header.
pub(crate) fn check(request: &Request) -> Result<(), Problem> {
    let is_repeated = |name: &&HeaderName| request.headers().get_all(*name).iter().count() > 1;
    match SINGLE.iter().find(is_repeated) {
        Some(name) => Err(Problem::argument(format!("duplicate header `{name}`"))
            .hint("send the header once; a proxy must replace it instead of adding to it")),
        None => Ok(()),
    }
}
