//! Claims.

use serde_json::Value;

use super::parts::{
    any_value, anything, count, duration, flag, id, object, request, text, texts, time, why,
};

pub(super) fn claim() -> Value {
    object(
        &[
            ("id", id("clm")),
            ("handoff", id("hof")),
            ("holder", text("Who holds it.")),
            ("fence", count()),
            ("until", time()),
            ("lease", duration()),
        ],
        &[("authority", texts())],
    )
}

pub(super) fn claim_request() -> Value {
    request(
        &[],
        &[
            ("lease", duration()),
            ("renewed", flag()),
            ("key", text("A key of your own: claiming again with it gives the same claim.")),
            ("reads", texts()),
            ("read_back", anything()),
            ("drift", anything()),
        ],
    )
}

pub(super) fn renew() -> Value {
    request(&[], &[("lease", duration())])
}

pub(super) fn park() -> Value {
    request(&[], &[("not_before", time()), ("for", duration()), ("reason", why())])
}

pub(super) fn approval_request() -> Value {
    request(&[("action", any_value())], &[("to", text("Who should decide; narrows who may."))])
}
