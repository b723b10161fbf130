//! The errors of requests.

use tasuki_api::Problem;

/// A request that failed.
///
/// ```no_run
/// use tasuki_client::{Client, Error};
///
/// # fn main() -> Result<(), Error> {
/// let client = Client::new("http://127.0.0.1:7420", "tasuki_agent_…")?;
/// match client.handoff("build-42") {
///     Ok(details) => println!("{}", details.handoff.state),
///     Err(Error::Refused(problem)) if problem.status == 404 => println!("no such handoff"),
///     Err(error) => return Err(error),
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The server refused the request.
    #[error("{} [{}]", .0.detail, .0.code)]
    Refused(Box<Problem>),
    /// The address is not that of a server.
    #[error("invalid server address `{address}`: {reason}")]
    InvalidAddress {
        /// The address.
        address: String,
        /// The cause.
        reason: String,
    },
    /// The server cannot be reached, or the connection broke.
    #[error("cannot reach {address}: {reason}")]
    Unreachable {
        /// The address of the server.
        address: String,
        /// The cause.
        reason: String,
    },
    /// The TLS connection failed, for example because the certificate is not trusted.
    #[error("no secure connection to {address}: {reason}")]
    Tls {
        /// The address of the server.
        address: String,
        /// The cause.
        reason: String,
    },
    /// The response did not arrive in time.
    #[error("request to {address} timed out")]
    TimedOut {
        /// The address of the server.
        address: String,
    },
    /// The response is not one of a Tasuki server.
    #[error("unexpected response from {address}: {reason}")]
    UnexpectedResponse {
        /// The address of the server.
        address: String,
        /// The cause.
        reason: String,
    },
}

impl Error {
    /// Returns the problem document of a refused request.
    pub fn problem(&self) -> Option<&Problem> {
        match self {
            Self::Refused(problem) => Some(problem),
            _ => None,
        }
    }

    /// Returns the stable code of a refused request, such as `TK-CLAIM-STALE`.
    pub fn code(&self) -> Option<&str> {
        self.problem().map(|problem| problem.code.as_str())
    }

    /// Returns `true` if sending the same request again may succeed.
    pub(crate) fn is_retryable(&self) -> bool {
        matches!(self, Self::Unreachable { .. })
    }
}

/// Converts an error of the connection.
pub(crate) fn connection_error(address: &str, error: &ureq::Error) -> Error {
    let (address, reason) = (address.to_owned(), reason(error));
    match error {
        ureq::Error::Timeout(_) => Error::TimedOut { address },
        ureq::Error::Tls(_) | ureq::Error::Rustls(_) => Error::Tls { address, reason },
        ureq::Error::Io(error) if is_tls_error(error) => Error::Tls { address, reason },
        ureq::Error::BadUri(_) | ureq::Error::Http(_) => Error::InvalidAddress { address, reason },
        ureq::Error::Io(_) | ureq::Error::ConnectionFailed | ureq::Error::HostNotFound => {
            Error::Unreachable { address, reason }
        }
        _ => Error::UnexpectedResponse { address, reason },
    }
}

/// Returns `true` for an I/O error that wraps one of TLS, such as an untrusted certificate.
fn is_tls_error(error: &std::io::Error) -> bool {
    error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>()).is_some()
}

/// Returns the message of an error in lower case, without the number that the system appends.
fn reason(error: &ureq::Error) -> String {
    let text = match error {
        ureq::Error::Io(error) => error.to_string(),
        other => other.to_string(),
    };
    let message = text.split(" (os error").next().unwrap_or_default();
    let mut letters = message.chars();
    letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
}
