//! Subscriptions.

use serde_json::{Value, json};
use tasuki_engine::model::event_filter;

use super::parts::{count, id, list, named, object, or_null, request, text, texts, time, word};

pub(super) fn subscription() -> Value {
    object(
        &[
            ("id", id("sub")),
            ("party", text("Who is told.")),
            ("kind", word(&["webhook", "email", "none"])),
            ("status", word(&["active", "disabled", "removed"])),
            ("created_at", time()),
            ("from", count()),
        ],
        &[
            ("url", text("Where a webhook goes.")),
            ("address", text("Where a message goes.")),
            ("public_key", text("What a webhook is checked with that is signed with a key pair.")),
            ("secret", text("What a webhook is signed with; in the answer that makes it only.")),
            ("filter", named("Filter")),
            ("because", word(&["asked", "failing", "gone"])),
        ],
    )
}

pub(super) fn subscription_request() -> Value {
    request(
        &[],
        &[
            ("party", text("Who is told; you, if nobody is named.")),
            ("url", text("Where a webhook goes.")),
            ("signing", word(&["shared", "key_pair"])),
            ("address", text("Where a message goes.")),
            ("filter", named("Filter")),
        ],
    )
}

pub(super) fn filter() -> Value {
    // Null narrows nothing.
    let only = |summary| or_null(text(summary));
    let one_of = |words: Vec<&str>| or_null(json!({ "type": "string", "enum": words }));
    object(
        &[],
        &[
            ("task", only("Only of this task.")),
            ("party", only("Only by, from or to this party.")),
            ("type", texts()),
            ("handoff", only("Only of this handoff.")),
            ("sender", only("Only from this party.")),
            ("receiver", only("Only to this party.")),
            ("contract", only("Only under this contract.")),
            ("state", one_of(event_filter::states())),
            ("before", one_of(event_filter::states())),
            ("actor", only("Only what this party did.")),
            ("trigger", one_of(event_filter::triggers())),
            ("risk", one_of(event_filter::risks())),
            ("reason", only("Only with a reason that has this text in it, in any case.")),
            ("earliest", or_null(time())),
            ("latest", or_null(time())),
        ],
    )
}

pub(super) fn delivery() -> Value {
    object(
        &[
            ("n", count()),
            ("at", time()),
            ("attempt", count()),
            ("millis", count()),
            ("response", text("The beginning of what the receiver said, or why it was not asked.")),
        ],
        &[("status", count())],
    )
}

pub(super) fn replay() -> Value {
    object(&[("from", count()), ("to", count())], &[])
}

pub(super) fn replayed() -> Value {
    object(&[("deliveries", list(named("Delivery")))], &[("next", count())])
}
