//! Responses: JSON bodies, problem documents, entity tags and HTML.

pub(crate) mod command_response;
pub(crate) mod etag;
pub(crate) mod headers;
pub(crate) mod html;
pub(crate) mod json;
pub(crate) mod problem;
