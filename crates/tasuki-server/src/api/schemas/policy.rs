//! What a project agreed on.

use serde_json::{Value, json};

use super::parts::{Member, anything, digest, flag, id, object, or_null, request, text, texts};

pub(super) fn contract() -> Value {
    request(&[("document", anything())], &[("schemas", named_documents())])
}

pub(super) fn contract_line() -> Value {
    line("contract", &[("from", texts()), ("to", texts())])
}

pub(super) fn contract_shown() -> Value {
    object(&[("document", anything()), ("schemas", named_documents()), ("digest", digest())], &[])
}

pub(super) fn gate_line() -> Value {
    line("gate", &[])
}

pub(super) fn policy() -> Value {
    request(&[("document", anything())], &[])
}

pub(super) fn policy_shown() -> Value {
    object(&[("document", or_null(anything())), ("digest", or_null(digest()))], &[])
}

pub(super) fn project() -> Value {
    object(
        &[
            ("project", or_null(text("Its name."))),
            ("id", id("prj")),
            ("halted", flag()),
            ("settings", anything()),
        ],
        &[],
    )
}

pub(super) fn project_settings() -> Value {
    let mut settings = anything();
    settings["minProperties"] = json!(1);
    settings
}

fn named_documents() -> Value {
    json!({ "type": "object", "additionalProperties": anything() })
}

fn line(name: &'static str, more: &[Member]) -> Value {
    let mut members =
        vec![(name, text("Its name.")), ("version", text("Its version.")), ("digest", digest())];
    members.extend(more.iter().cloned());
    object(&members, &[])
}
