//! Why there is no answer.

use tasuki_api::problem::Problem;

/// Why a request did not do what it should.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The exchange refused, and says why.
    #[error("{} [{}]", .0.detail, .0.code)]
    Refused(Box<Problem>),
    /// That is no address of a server.
    #[error("`{address}` is no address of a server: {reason}")]
    Address {
        /// What was given.
        address: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Nobody answers there.
    #[error("cannot reach {address}: {reason}")]
    Unreachable {
        /// The server.
        address: String,
        /// What the system says.
        reason: String,
    },
    /// The server is not who it should be, or speaks no TLS.
    #[error("no secure connection to {address}: {reason}")]
    Tls {
        /// The server.
        address: String,
        /// What is wrong.
        reason: String,
    },
    /// There was no answer in time.
    #[error("{address} did not answer in time")]
    TimedOut {
        /// The server.
        address: String,
    },
    /// Something answers there, but it is no exchange.
    #[error("{address} does not answer like an exchange: {reason}")]
    Foreign {
        /// The server.
        address: String,
        /// What it answered instead.
        reason: String,
    },
}

impl Error {
    /// The refusal, if the exchange said no.
    pub fn problem(&self) -> Option<&Problem> {
        match self {
            Self::Refused(problem) => Some(problem),
            _ => None,
        }
    }

    /// The stable code of the refusal, if the exchange said no.
    pub fn code(&self) -> Option<&str> {
        self.problem().map(|problem| problem.code.as_str())
    }

    /// Whether the same request, sent again, may have an answer.
    pub(crate) fn is_retryable(&self) -> bool {
        matches!(self, Self::Unreachable { .. })
    }
}

/// What the connection says of itself.
pub(crate) fn connection_error(address: &str, error: &ureq::Error) -> Error {
    let (address, reason) = (address.to_owned(), reason(error));
    match error {
        ureq::Error::Timeout(_) => Error::TimedOut { address },
        ureq::Error::Tls(_) | ureq::Error::Rustls(_) => Error::Tls { address, reason },
        ureq::Error::Io(error) if is_tls_error(error) => Error::Tls { address, reason },
        ureq::Error::BadUri(_) | ureq::Error::Http(_) => Error::Address { address, reason },
        ureq::Error::Io(_) | ureq::Error::ConnectionFailed | ureq::Error::HostNotFound => {
            Error::Unreachable { address, reason }
        }
        _ => Error::Foreign { address, reason },
    }
}

/// Whether what was read or written is no good TLS, such as a certificate that nobody trusts.
fn is_tls_error(error: &std::io::Error) -> bool {
    error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>()).is_some()
}

/// In words, without the number that the system adds for programs.
fn reason(error: &ureq::Error) -> String {
    let text = match error {
        ureq::Error::Io(error) => error.to_string(),
        other => other.to_string(),
    };
    let words = text.split(" (os error").next().unwrap_or_default();
    let mut letters = words.chars();
    letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
}
