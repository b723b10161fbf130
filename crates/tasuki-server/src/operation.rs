//! Descriptions of API operations: path, access, parameters and bodies.
//!
//! The table of all operations is `api::operations`.

use axum::http::Method;
use axum::routing::MethodFilter;
use tasuki_api::CommandResponse;
use tasuki_api::schema::{Body, JsonSchema};
use tasuki_engine::rules::scopes::{ReadOperation, RequiredScopes};

/// An operation of the API.
#[derive(Debug)]
pub struct Operation {
    /// The name, for clients and metrics.
    pub id: &'static str,
    /// The method.
    pub verb: Verb,
    /// The path, with parameters in braces.
    pub path: &'static str,
    /// A one-sentence description.
    pub summary: &'static str,
    /// The callers that may use it.
    pub access: Access,
    /// The query parameters.
    pub parameters: &'static [Parameter],
    /// The body of the request.
    pub request: RequestBody,
    /// The body of a successful response.
    pub response: ResponseBody,
    /// The status of a successful response.
    pub success: u16,
    /// `true` if it may wait for changes. Such requests do not count towards the limit of
    /// concurrent requests.
    pub may_wait: bool,
}

/// The method of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    /// Reads.
    Get,
    /// Adds or runs.
    Post,
    /// Replaces.
    Put,
    /// Changes a part.
    Patch,
    /// Removes.
    Delete,
}

impl Verb {
    /// All methods.
    pub const ALL: [Self; 5] = [Self::Get, Self::Post, Self::Put, Self::Patch, Self::Delete];

    /// Returns the method as a type of `http`.
    pub const fn method(self) -> Method {
        match self {
            Self::Get => Method::GET,
            Self::Post => Method::POST,
            Self::Put => Method::PUT,
            Self::Patch => Method::PATCH,
            Self::Delete => Method::DELETE,
        }
    }

    pub(crate) const fn filter(self) -> MethodFilter {
        match self {
            Self::Get => MethodFilter::GET,
            Self::Post => MethodFilter::POST,
            Self::Put => MethodFilter::PUT,
            Self::Patch => MethodFilter::PATCH,
            Self::Delete => MethodFilter::DELETE,
        }
    }
}

/// The callers that may use an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Anyone, including callers without a credential.
    Public,
    /// Callers whose credential has the required scopes.
    Credential(RequiredScopes),
}

/// A query parameter.
#[derive(Debug)]
pub struct Parameter {
    /// The name.
    pub name: &'static str,
    /// The type of the value.
    pub kind: ParameterKind,
    /// The description.
    pub summary: &'static str,
}

/// The type of a parameter value.
#[derive(Debug, Clone, Copy)]
pub enum ParameterKind {
    /// A string.
    Text,
    /// A string that matches this pattern.
    Pattern(&'static str),
    /// One of these values.
    OneOf(fn() -> Vec<&'static str>),
    /// An RFC 3339 timestamp.
    Timestamp,
    /// A comma-separated list of these values.
    ListOf(fn() -> Vec<&'static str>),
    /// An integer in this range.
    Number { min: u64, max: u64 },
    /// `true` or `false`.
    Flag,
}

/// The body of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestBody {
    /// No body.
    None,
    /// A packet in any format.
    Packet,
    /// A packet in any format, or as the text of a document that also has a work tree.
    PacketWithWorkTree,
    /// A git bundle.
    Bundle,
    /// A document of this schema.
    Document(Body),
    /// A document of this schema, or no body.
    Optional(Body),
    /// A document of this schema, as JSON only.
    Json(Body),
}

/// The body of a successful response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResponseBody {
    /// No body.
    None,
    /// A document of this schema.
    Document(Body),
    /// A document of this schema, or an HTML page for browsers.
    DocumentOrHtml(Body),
    /// A page of documents of this schema.
    Page(Body),
    /// A page or a stream of documents of this schema.
    Stream(Body),
    /// A packet, as JSON or in the requested format.
    Packet,
    /// Text of this media type.
    Text(&'static str),
    /// A git bundle.
    Bundle,
}

impl RequestBody {
    pub(crate) const fn document<T: JsonSchema>() -> Self {
        Self::Document(Body::of::<T>())
    }

    pub(crate) const fn optional<T: JsonSchema>() -> Self {
        Self::Optional(Body::of::<T>())
    }

    pub(crate) const fn json<T: JsonSchema>() -> Self {
        Self::Json(Body::of::<T>())
    }
}

impl ResponseBody {
    pub(crate) const fn document<T: JsonSchema>() -> Self {
        Self::Document(Body::of::<T>())
    }

    pub(crate) const fn document_or_html<T: JsonSchema>() -> Self {
        Self::DocumentOrHtml(Body::of::<T>())
    }

    pub(crate) const fn page<T: JsonSchema>() -> Self {
        Self::Page(Body::of::<T>())
    }

    pub(crate) const fn stream<T: JsonSchema>() -> Self {
        Self::Stream(Body::of::<T>())
    }
}

impl Operation {
    pub(crate) const fn new(
        verb: Verb,
        id: &'static str,
        path: &'static str,
        summary: &'static str,
    ) -> Self {
        Self {
            id,
            verb,
            path,
            summary,
            access: Access::Credential(RequiredScopes::Nothing),
            parameters: &[],
            request: RequestBody::None,
            response: ResponseBody::document::<CommandResponse>(),
            success: 200,
            may_wait: false,
        }
    }

    pub(crate) const fn get(id: &'static str, path: &'static str, summary: &'static str) -> Self {
        Self::new(Verb::Get, id, path, summary)
    }

    pub(crate) const fn post(id: &'static str, path: &'static str, summary: &'static str) -> Self {
        Self::new(Verb::Post, id, path, summary)
    }

    pub(crate) const fn requires(self, needs: RequiredScopes) -> Self {
        Self { access: Access::Credential(needs), ..self }
    }

    /// Requires the scopes that the engine requires for a read.
    pub(crate) const fn reads(self, operation: ReadOperation) -> Self {
        self.requires(operation.required_scopes())
    }

    pub(crate) const fn public(self) -> Self {
        Self { access: Access::Public, ..self }
    }

    pub(crate) const fn parameters(self, parameters: &'static [Parameter]) -> Self {
        Self { parameters, ..self }
    }

    pub(crate) const fn request(self, request: RequestBody) -> Self {
        Self { request, ..self }
    }

    pub(crate) const fn response(self, response: ResponseBody) -> Self {
        Self { response, ..self }
    }

    pub(crate) const fn created(self) -> Self {
        Self { success: 201, ..self }
    }

    /// Returns `true` if it evaluates `If-Match`.
    pub fn is_conditional(&self) -> bool {
        matches!(self.id, "revise" | "decide" | "answer")
    }

    /// Returns `true` if every request runs it again, so that an idempotency key has no effect.
    pub fn is_never_replayed(&self) -> bool {
        matches!(self.id, "test_subscription" | "replay" | "acknowledge")
    }

    /// Returns `true` if its body may contain a password, which must not be part of a digest.
    pub(crate) fn may_carry_password(&self) -> bool {
        self.id == "decide"
    }

    /// Returns `true` if it only reads.
    pub fn is_read(&self) -> bool {
        self.verb == Verb::Get
    }
}
