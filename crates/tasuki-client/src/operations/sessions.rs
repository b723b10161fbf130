//! Sessions of people.

use tasuki_api::SignInRequest;
use ureq::http::Method;

use crate::client::{Client, Credential};
use crate::error::Error;

impl Client {
    /// Signs a person in, and returns a client for the session in a project of this name.
    ///
    /// ```no_run
    /// use tasuki_client::Client;
    /// use tasuki_client::api::SignInRequest;
    ///
    /// # fn main() -> Result<(), tasuki_client::Error> {
    /// let anonymous = Client::anonymous("https://tasuki.example.org")?;
    /// let sign_in = SignInRequest::with_password("ana", "correct horse battery staple");
    /// let ana = anonymous.sign_in(&sign_in, "default")?;
    /// ana.sign_out()?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn sign_in(&self, request: &SignInRequest, project: &str) -> Result<Self, Error> {
        let (headers, _) = self.post("/v1/sessions").json(request).send_with_retry()?;
        let set = headers.get("set-cookie").and_then(|value| value.to_str().ok());
        let cookie =
            set.and_then(|set| set.split(';').next()).ok_or_else(|| Error::UnexpectedResponse {
                address: self.address.clone(),
                reason: "sign-in succeeded without a session cookie".to_owned(),
            })?;
        let credential =
            Credential::Session { cookie: cookie.to_owned(), project: project.to_owned() };
        Ok(Self { credential, ..self.clone() })
    }

    /// Ends the session.
    pub fn sign_out(&self) -> Result<(), Error> {
        self.request(Method::DELETE, "/v1/sessions").bytes().map(|_| ())
    }
}
