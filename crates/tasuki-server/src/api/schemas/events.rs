//! What waits and what happened.

use serde_json::{Value, json};

use super::parts::{
    any_value, anything, count, flag, id, list, named, object, or_null, text, texts, time, why,
};

pub(super) fn inbox() -> Value {
    object(
        &[
            ("party", text("Whose inbox.")),
            ("handoffs", list(named("Handoff"))),
            ("as_of_n", count()),
            ("as_of", time()),
            ("more", flag()),
        ],
        &[("next", text("Where the next page begins, if there may be one."))],
    )
}

pub(super) fn event() -> Value {
    object(
        &[
            ("n", count()),
            ("at", time()),
            ("type", text("What happened: `handoff.claimed`.")),
            ("actor", text("Who did it: a name, `clock` or `system`.")),
        ],
        &[
            ("handoff", id("hof")),
            ("task", text("Its task.")),
            ("from", text("Who hands over.")),
            ("to", text("Who it is for.")),
            ("revision", count()),
            ("contract", text("The contract.")),
            ("before", text("The state before the command that made it.")),
            ("after", text("The state after it.")),
            ("reason", text("Why, in the words of whoever did it.")),
            ("action", text("The digest of the action that a person gave leave for, or refused.")),
            ("trigger", text("The packet's trigger.")),
            ("risk", text("The risk.")),
            ("attributes", anything()),
        ],
    )
}

pub(super) fn found() -> Value {
    object(
        &[
            ("n", count()),
            ("handoff", or_null(id("hof"))),
            ("kind", text("A kind of document or a type of event.")),
            ("excerpt", text("The text around the words.")),
        ],
        &[],
    )
}

pub(super) fn edge_stats() -> Value {
    let spread = or_null(object(&[("count", count()), ("median", count()), ("p95", count())], &[]));
    object(
        &[
            ("from", text("Who hands over.")),
            ("to", text("To whom at first.")),
            ("handoffs", count()),
            ("submit_to_claim", spread.clone()),
            ("hold_to_decision", spread.clone()),
            ("claim_to_return", spread.clone()),
            ("return_to_verdict", spread.clone()),
            ("tokens", spread),
            ("clarifications", count()),
            ("reworks", count()),
            ("rejections", json!({ "type": "object", "additionalProperties": count() })),
        ],
        &[],
    )
}

pub(super) fn decided() -> Value {
    object(
        &[
            ("n", count()),
            ("at", time()),
            ("handoff", id("hof")),
            ("task", text("Its task.")),
            ("person", text("Who decided.")),
            ("decision", text("What.")),
            ("revision", count()),
            ("packet", anything()),
        ],
        &[
            ("reason", why()),
            ("meaning", text("The meaning of a signature.")),
            ("gate", text("The gate that was signed, with its version.")),
            ("opened", texts()),
            ("seconds", count()),
            ("action", any_value()),
            ("edited", any_value()),
        ],
    )
}
