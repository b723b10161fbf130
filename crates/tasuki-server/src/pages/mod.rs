//! Pages for people: the API, the error codes, refusals in a browser, and the sign-in link.

mod errors;
mod interface;
mod refusal;
pub(crate) mod sign_in_link;

use axum::response::Redirect;

pub(crate) use errors::{error, errors};
pub(crate) use interface::index;
pub(crate) use refusal::{for_people, is_for_people};

/// Redirects to the documentation.
pub(crate) async fn home() -> Redirect {
    Redirect::to("/docs")
}
