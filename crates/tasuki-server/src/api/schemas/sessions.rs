//! Sessions of people.

use serde_json::{Value, json};

use super::parts::{object, text, time};

pub(super) fn sign_in() -> Value {
    let by_password =
        object(&[("name", text("Your name.")), ("password", text("Your password."))], &[]);
    let by_link = object(&[("code", text("The code of the link that the server printed."))], &[]);
    json!({ "oneOf": [by_password, by_link] })
}

pub(super) fn session() -> Value {
    object(&[("person", text("Who is signed in.")), ("expires_at", time())], &[])
}
