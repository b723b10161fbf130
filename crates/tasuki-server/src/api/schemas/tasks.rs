//! Tasks.

use serde_json::Value;

use super::parts::{count, digest, named, object, text, texts};

pub(super) fn continuation() -> Value {
    object(
        &[
            ("handoff", named("Handoff")),
            ("digest", digest()),
            ("text", text("The brief, fenced as data.")),
            ("tokens", count()),
        ],
        &[("left_out", texts())],
    )
}
