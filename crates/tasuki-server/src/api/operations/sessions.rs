//! Sessions of people.

use super::{Operation, RequestBody, ResponseBody, Verb};
use tasuki_api::{Session, SignInRequest};

/// Signs a person in.
pub static SIGN_IN: Operation = Operation::post(
    "sign_in",
    "/v1/sessions",
    "Sign in as a person, with a password or the code of the link that the server printed.",
)
.public()
.request(RequestBody::document::<SignInRequest>())
.response(ResponseBody::document::<Session>())
.created();

/// Signs a person out.
pub static SIGN_OUT: Operation = Operation {
    success: 204,
    ..Operation::new(Verb::Delete, "sign_out", "/v1/sessions", "End the session.")
        .public()
        .response(ResponseBody::None)
};
