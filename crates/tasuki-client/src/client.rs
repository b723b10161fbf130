//! A server and who asks it.

use std::fmt;
use std::time::Duration;

use crate::error::Error;
use crate::tls;

/// LIMIT: how long a request may take, beside the wait that it asks for.
const TIMEOUT: Duration = Duration::from_secs(30);

/// The credential of a client.
#[derive(Clone)]
pub(crate) enum Credential {
    Nothing,
    Token(String),
    /// A person who has signed in, in one project.
    Session {
        cookie: String,
        project: String,
    },
}

/// A server, and the token that says who asks.
#[derive(Clone)]
pub struct Client {
    pub(crate) agent: ureq::Agent,
    /// Without a slash at its end.
    pub(crate) address: String,
    pub(crate) credential: Credential,
    pub(crate) timeout: Duration,
}

impl Client {
    /// A client of the server at this address, such as `https://tasuki.example.org`.
    ///
    /// # Errors
    ///
    /// [`Error::Address`] if it begins with neither `http://` nor `https://`, [`Error::Tls`] if it begins
    /// with the latter and this machine trusts nobody. Nobody is asked yet.
    pub fn new(address: &str, token: impl Into<String>) -> Result<Self, Error> {
        let client = Self::anonymous(address)?;
        Ok(Self { credential: Credential::Token(token.into()), ..client })
    }

    /// A client without a token, for what everybody may ask.
    ///
    /// # Errors
    ///
    /// As [`Client::new`].
    pub fn anonymous(address: &str) -> Result<Self, Error> {
        if !address.starts_with("http://") && !address.starts_with("https://") {
            let reason = "it begins with http:// or https://".to_owned();
            return Err(Error::Address { address: address.to_owned(), reason });
        }
        let address = address.trim_end_matches('/').to_owned();
        let mut config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            // A token goes to the server that it is for, and nowhere else.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .user_agent(concat!("tasuki-client/", env!("CARGO_PKG_VERSION")));
        if address.starts_with("https://") {
            config = config.tls_config(tls::config(&address)?);
        }
        Ok(Self {
            agent: config.build().into(),
            address,
            credential: Credential::Nothing,
            timeout: TIMEOUT,
        })
    }

    /// Sets how long each response may take: 30 seconds unless set.
    #[must_use]
    pub fn timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    /// The address of the server.
    pub fn address(&self) -> &str {
        &self.address
    }
}

impl fmt::Debug for Client {
    /// Without the token.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("address", &self.address).finish_non_exhaustive()
    }
}
