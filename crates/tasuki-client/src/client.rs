//! The client: a server address and a credential.

use std::fmt;
use std::time::Duration;

use crate::error::Error;
use crate::tls;

/// LIMIT: the default time for a response, in addition to a requested wait.
const TIMEOUT: Duration = Duration::from_secs(30);

/// The credential of a client.
#[derive(Clone)]
pub(crate) enum Credential {
    None,
    Token(String),
    /// The session of a person, in one project.
    Session {
        cookie: String,
        project: String,
    },
}

/// A client of one server, with one credential.
///
/// A clone shares the connection pool.
///
/// ```no_run
/// use std::time::Duration;
///
/// use tasuki_client::Client;
///
/// # fn main() -> Result<(), tasuki_client::Error> {
/// let client = Client::new("https://tasuki.example.org", "tasuki_agent_…")?
///     .timeout(Duration::from_secs(10));
/// let whoami = client.whoami()?;
/// println!("{} may {}", whoami.party, whoami.scopes.join(", "));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Client {
    pub(crate) agent: ureq::Agent,
    /// The address of the server, without a trailing slash.
    pub(crate) address: String,
    pub(crate) credential: Credential,
    pub(crate) timeout: Duration,
}

impl Client {
    /// Creates a client with a token. It does not connect yet.
    ///
    /// The address is a URL such as `https://tasuki.example.org`.
    ///
    /// # Errors
    ///
    /// - [`Error::InvalidAddress`] if the address begins with neither `http://` nor `https://`.
    /// - [`Error::Tls`] if it begins with `https://` and this machine has no trusted root
    ///   certificates.
    pub fn new(address: &str, token: impl Into<String>) -> Result<Self, Error> {
        let client = Self::anonymous(address)?;
        Ok(Self { credential: Credential::Token(token.into()), ..client })
    }

    /// Creates a client without a credential, for public operations such as
    /// [`sign_in`](Self::sign_in) and [`schema`](Self::schema).
    ///
    /// # Errors
    ///
    /// The errors of [`Client::new`].
    pub fn anonymous(address: &str) -> Result<Self, Error> {
        if !address.starts_with("http://") && !address.starts_with("https://") {
            let reason = "expected a URL with http:// or https://".to_owned();
            return Err(Error::InvalidAddress { address: address.to_owned(), reason });
        }
        let address = address.trim_end_matches('/').to_owned();
        let mut config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            // A redirect would send the token to another server.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .user_agent(concat!("tasuki-client/", env!("CARGO_PKG_VERSION")));
        if address.starts_with("https://") {
            config = config.tls_config(tls::config(&address)?);
        }
        Ok(Self {
            agent: config.build().into(),
            address,
            credential: Credential::None,
            timeout: TIMEOUT,
        })
    }

    /// Sets the time that each response may take. The default is 30 seconds.
    #[must_use]
    pub fn timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    /// Returns the address of the server.
    pub fn address(&self) -> &str {
        &self.address
    }
}

impl fmt::Debug for Client {
    /// Hides the credential.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("address", &self.address).finish_non_exhaustive()
    }
}
