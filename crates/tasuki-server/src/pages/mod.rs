//! Pages for people: the console, the API reference, the error codes, and refusals in a browser.

mod console;
mod errors;
mod interface;
mod refusal;

use axum::response::Redirect;

pub(crate) use console::{console, registry_item};
pub(crate) use errors::{error, errors};
pub(crate) use interface::index;
pub(crate) use refusal::{for_people, is_for_people};

/// Redirects to the console.
pub(crate) async fn home() -> Redirect {
    Redirect::temporary("/ui/")
}
