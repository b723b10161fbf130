//! How a door over a network says "no": a problem document as in RFC 9457, and the codes of what only
//! such a door can refuse.
//!
//! The codes of the rules are the engine's; those of documents are [`Code`](tasuki_packet::Code).

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Why a request was refused.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Problem {
    /// Where the code is explained: `/docs/errors/<code>`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The words of the status.
    pub title: String,
    /// The status of the answer.
    pub status: u16,
    /// What is wrong, with the actual value and the limit.
    pub detail: String,
    /// The stable code.
    pub code: String,
    /// What to do next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Everything that is wrong with a document.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub violations: Vec<Value>,
    /// The handoff that stands in the way, if it is another one than the caller named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handoff: Option<String>,
}

macro_rules! http_error_codes {
    ($($(#[$doc:meta])* $variant:ident = $code:literal, $status:literal;)+) => {
        /// What only a door over a network can refuse.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum HttpErrorCode {
            $($(#[$doc])* $variant,)+
        }

        impl HttpErrorCode {
            /// Every code.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The code as it is printed.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $code,)+ }
            }

            /// The status that goes with it.
            pub const fn status(self) -> u16 {
                match self { $(Self::$variant => $status,)+ }
            }
        }
    };
}

http_error_codes! {
    /// Nobody said who asks.
    CredentialMissing = "TK-CREDENTIAL-MISSING", 401;
    /// The session is over, or there is none.
    SessionExpired = "TK-SESSION-EXPIRED", 401;
    /// Name, password or code of a sign-in are wrong.
    SignInWrong = "TK-SIGN-IN-WRONG", 401;
    /// A page of another site asks in the name of whoever looks at it.
    OriginForeign = "TK-ORIGIN-FOREIGN", 403;
    /// There is nothing at this address.
    RouteUnknown = "TK-ROUTE-UNKNOWN", 404;
    /// This cannot be done with what is at this address.
    MethodUnknown = "TK-METHOD-UNKNOWN", 405;
    /// The request did not arrive in time.
    RequestTimeout = "TK-REQUEST-TIMEOUT", 408;
    /// The body is larger than any request needs.
    BodyTooLarge = "TK-BODY-TOO-LARGE", 413;
    /// The body is of a type that nobody reads here.
    MediaUnknown = "TK-MEDIA-UNKNOWN", 415;
    /// The request was meant for another host.
    HostUnknown = "TK-HOST-UNKNOWN", 421;
    /// A webhook may not go there.
    ChannelRefused = "TK-CHANNEL-REFUSED", 422;
    /// Nobody has said how this kind of message is sent.
    ChannelUnset = "TK-CHANNEL-UNSET", 422;
    /// What sends this kind of message cannot be reached.
    ChannelUnreachable = "TK-CHANNEL-UNREACHABLE", 422;
    /// Too many requests in too short a time.
    RateExceeded = "TK-RATE-EXCEEDED", 429;
    /// The server has as much to do as it takes on at once.
    ServerBusy = "TK-SERVER-BUSY", 503;
}
