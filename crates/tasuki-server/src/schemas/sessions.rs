//! Sessions of people.

use serde_json::Value;

use super::parts::{object, text, time};

pub(super) fn sign_in() -> Value {
    object(
        &[],
        &[
            ("name", text("Your name.")),
            ("password", text("Your password.")),
            ("code", text("The code of the link that the server printed.")),
        ],
    )
}

pub(super) fn session() -> Value {
    object(&[("person", text("Who is signed in.")), ("expires_at", time())], &[])
}
