//! Tokens.

use serde_json::Value;

use super::parts::{duration, id, object, request, scopes, text, texts, time};

pub(super) fn token() -> Value {
    object(
        &[
            ("id", id("tok")),
            ("party", text("Whose it is.")),
            ("scopes", scopes()),
            ("created_at", time()),
            ("expires_at", time()),
        ],
        &[
            ("text", text("What its owner shows; in the answer that creates it and nowhere else.")),
            ("from", texts()),
            ("name", text("What it is called.")),
            ("revoked_at", time()),
            ("last_used", time()),
        ],
    )
}

pub(super) fn token_request() -> Value {
    request(
        &[("party", text("Whose it shall be."))],
        &[
            ("scopes", scopes()),
            ("for", duration()),
            ("from", texts()),
            ("name", text("What to call it in lists.")),
        ],
    )
}
