//! Parties.

use serde_json::Value;

use super::parts::{id, object, or_null, request, scopes, text, texts, word};

pub(super) fn party() -> Value {
    object(
        &[
            ("id", id("pty")),
            ("name", text("Its name.")),
            ("kind", word(&["agent", "human", "role"])),
        ],
        &[
            ("aliases", texts()),
            ("members", texts()),
            ("skills", texts()),
            ("reads", texts()),
            ("authority", texts()),
            ("sends_for", texts()),
            ("email", text("The mailbox of a person, on their own card only.")),
        ],
    )
}

pub(super) fn party_request() -> Value {
    request(
        &[("name", text("Its name; the names of roles begin with `role:`."))],
        &[
            ("kind", word(&["agent", "human", "role"])),
            ("aliases", texts()),
            ("members", texts()),
            ("without_members", texts()),
            ("skills", texts()),
            ("reads", texts()),
            ("authority", texts()),
            ("sends_for", texts()),
            ("email", text("The mailbox of a person; an empty text takes it away.")),
        ],
    )
}

pub(super) fn whoami() -> Value {
    object(
        &[
            ("party", text("Your name.")),
            ("kind", word(&["agent", "human", "clock", "system"])),
            ("project", or_null(text("The project that your credential is for."))),
            ("scopes", scopes()),
        ],
        &[],
    )
}
