//! What an operator sees.

use serde_json::Value;

use super::parts::{count, flag, object, or_null, text};

pub(super) fn log_checked() -> Value {
    object(
        &[
            ("intact", flag()),
            ("from", count()),
            ("leaves", count()),
            ("documents", count()),
            ("hash", text("The hash of the last leaf.")),
            ("first_bad", or_null(count())),
            ("problem", or_null(text("What is wrong with it."))),
        ],
        &[],
    )
}
