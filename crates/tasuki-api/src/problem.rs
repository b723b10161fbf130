//! Problem documents as in RFC 9457, and the error codes of the HTTP interface itself.
//!
//! The engine defines the codes of its rules. [`Code`](tasuki_packet::Code) has those of documents.

use serde::{Deserialize, Serialize};

/// A refused request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Problem {
    /// The path of the page that explains the code: `/docs/errors/<code>`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The reason phrase of the status.
    pub title: String,
    /// The status of the response.
    pub status: u16,
    /// The problem, with the actual value and the limit.
    pub detail: String,
    /// The stable code.
    pub code: String,
    /// The next step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Every violation of a document.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub violations: Vec<Violation>,
    /// The conflicting handoff, if it is not the one that the request names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<crate::schema::types::HandoffId>"))]
    pub handoff: Option<String>,
}

/// One violation of a document.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Violation {
    /// The stable code.
    pub code: String,
    /// The RFC 6901 pointer to the value, or to the place of a missing value.
    pub pointer: String,
    /// The line in the source, counted from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The column in the source, counted in characters from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// The error message.
    pub message: String,
    /// The value found, shortened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub found: Option<String>,
    /// The allowed values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allowed: Option<String>,
    /// The way to repair it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl From<&tasuki_packet::Violation> for Violation {
    fn from(violation: &tasuki_packet::Violation) -> Self {
        Self {
            code: violation.code.as_str().to_owned(),
            pointer: violation.pointer.clone(),
            line: violation.position.map(|position| position.line),
            column: violation.position.map(|position| position.column),
            message: violation.message.clone(),
            found: violation.found.clone(),
            allowed: violation.allowed.clone(),
            hint: violation.hint.clone(),
        }
    }
}

macro_rules! http_error_codes {
    ($($(#[$doc:meta])* $variant:ident = $code:literal, $status:literal;)+) => {
        /// The codes of problems that only the HTTP interface has.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum HttpErrorCode {
            $($(#[$doc])* $variant,)+
        }

        impl HttpErrorCode {
            /// Every code.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// Returns the code as it is printed.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $code,)+ }
            }

            /// Returns the status of a response with this code.
            pub const fn status(self) -> u16 {
                match self { $(Self::$variant => $status,)+ }
            }
        }
    };
}

http_error_codes! {
    /// The request has no credential.
    CredentialMissing = "TK-CREDENTIAL-MISSING", 401;
    /// The session has expired or does not exist.
    SessionExpired = "TK-SESSION-EXPIRED", 401;
    /// The name, password or code of a sign-in is wrong.
    SignInWrong = "TK-SIGN-IN-WRONG", 401;
    /// A page of another site sent the request.
    OriginForeign = "TK-ORIGIN-FOREIGN", 403;
    /// The mailed code is unknown, was used or has expired.
    MailCodeInvalid = "TK-MAIL-CODE-INVALID", 404;
    /// The task has no such snapshot.
    SnapshotUnknown = "TK-SNAPSHOT-UNKNOWN", 404;
    /// The address does not exist.
    RouteUnknown = "TK-ROUTE-UNKNOWN", 404;
    /// The address does not support the method.
    MethodUnknown = "TK-METHOD-UNKNOWN", 405;
    /// The body did not arrive in time.
    RequestTimeout = "TK-REQUEST-TIMEOUT", 408;
    /// The body is too large.
    BodyTooLarge = "TK-BODY-TOO-LARGE", 413;
    /// The content type is not supported.
    MediaUnknown = "TK-MEDIA-UNKNOWN", 415;
    /// The `Host` header names another host.
    HostUnknown = "TK-HOST-UNKNOWN", 421;
    /// The address of a webhook is not allowed.
    ChannelRefused = "TK-CHANNEL-REFUSED", 422;
    /// The transport of a channel is not configured.
    ChannelUnset = "TK-CHANNEL-UNSET", 422;
    /// The transport of a channel cannot be reached.
    ChannelUnreachable = "TK-CHANNEL-UNREACHABLE", 422;
    /// The rate limit is exceeded.
    RateExceeded = "TK-RATE-EXCEEDED", 429;
    /// The server has too many concurrent requests.
    ServerBusy = "TK-SERVER-BUSY", 503;
}
