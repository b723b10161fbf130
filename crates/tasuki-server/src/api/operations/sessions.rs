//! Sessions of people.

use super::{Carries, Gives, Operation, Verb};

/// Sign in.
pub static SIGN_IN: Operation = Operation::post(
    "sign_in",
    "/v1/sessions",
    "Sign in as a person, with a password or the code of the link that the server printed.",
)
.open()
.carries(Carries::Document("SignIn"))
.gives(Gives::Document("Session"))
.created();

/// Sign out.
pub static SIGN_OUT: Operation = Operation {
    success: 204,
    ..Operation::new(Verb::Delete, "sign_out", "/v1/sessions", "End your session.")
        .open()
        .gives(Gives::Nothing)
};
