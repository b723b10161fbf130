//! Packets, what is wrong with them, and many requests in one.

use axum::http::Method;
use serde_json::{Value, json};

use super::parts::{count, digest, flag, id, list, named, object, text, word};
use crate::api::operations::Verb;
use crate::api::v1::packets::batch::{PATH_CHARACTERS, REQUESTS_MAX};

pub(super) fn packet() -> Value {
    json!({
        "type": "object",
        "description": "A packet; `/v1/handoff/schema` has its own schemas.",
    })
}

pub(super) fn validated() -> Value {
    object(
        &[("valid", flag()), ("violations", list(named("Violation")))],
        &[
            ("form", text("How it was written.")),
            ("variant", text("What it was judged by.")),
            ("dialect", text("The dialect it was read in.")),
            ("digest", digest()),
        ],
    )
}

pub(super) fn violation() -> Value {
    object(
        &[
            ("code", text("The stable code.")),
            ("pointer", text("RFC 6901 pointer to the value, or to where it should be.")),
            ("message", text("What is wrong.")),
        ],
        &[
            ("line", count()),
            ("column", count()),
            ("found", text("What stands there, shortened.")),
            ("allowed", text("What may stand there.")),
            ("hint", text("What to do about it.")),
        ],
    )
}

pub(super) fn problem() -> Value {
    object(
        &[
            ("type", text("Where the code is explained.")),
            ("title", text("The words of the status.")),
            ("status", count()),
            ("detail", text("What is wrong, with the actual value and the limit.")),
            ("code", text("The stable code.")),
        ],
        &[
            ("hint", text("What to do next.")),
            ("violations", list(named("Violation"))),
            ("handoff", id("hof")),
        ],
    )
}

pub(super) fn batch() -> Value {
    let single = object(
        &[("method", verb()), ("path", path())],
        &[
            ("key", header("Its `Idempotency-Key`.")),
            ("if_match", header("Its `If-Match`.")),
            ("body", json!({ "description": "A document, or a text with its content type." })),
            ("content_type", header("The content type of a text.")),
        ],
    );
    let mut requests = list(single);
    requests["maxItems"] = json!(REQUESTS_MAX);
    object(&[("requests", requests)], &[])
}

fn verb() -> Value {
    let methods = Verb::ALL.map(Verb::method);
    word(&methods.each_ref().map(Method::as_str))
}

fn path() -> Value {
    let summary = "The address, from `/v1/` on.";
    let pattern = format!("^/v1/[A-Za-z0-9{PATH_CHARACTERS}]*$");
    json!({ "type": "string", "description": summary, "pattern": pattern })
}

fn header(summary: &str) -> Value {
    json!({ "type": "string", "description": summary, "pattern": "^[ -~]*$" })
}

pub(super) fn batch_answers() -> Value {
    let one = object(
        &[("status", count()), ("body", json!({}))],
        &[
            ("etag", text("Its `ETag`.")),
            ("location", text("Its `Location`.")),
            ("replayed", flag()),
        ],
    );
    object(&[("answers", list(one))], &[])
}
