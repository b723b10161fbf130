//! Responses: JSON bodies, problem documents, entity tags and HTML.

pub(crate) mod etag;
pub(crate) mod html;
pub(crate) mod json;
pub(crate) mod problem;
