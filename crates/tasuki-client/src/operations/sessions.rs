//! Sessions: a person signs in, signs at a gate, and signs out.

use serde::Serialize;
use serde_json::json;
use tasuki_api as api;
use ureq::http::Method;

use crate::address::path;
use crate::ask::SignOff;
use crate::client::{Client, Credential};
use crate::error::Error;

/// The decision that a signature is.
#[derive(Serialize)]
struct Signed<'a> {
    decision: &'static str,
    #[serde(flatten)]
    signature: &'a SignOff,
}

impl Client {
    /// Signs a person in with their password. The client that comes back asks as that person, in a
    /// project of this name.
    pub fn sign_in(&self, name: &str, password: &str, project: &str) -> Result<Self, Error> {
        let body = json!({ "name": name, "password": password });
        let (headers, _) = self.post("/v1/sessions").json(&body).send_with_retry()?;
        let set = headers.get("set-cookie").and_then(|value| value.to_str().ok());
        let cookie = set.and_then(|set| set.split(';').next()).ok_or_else(|| Error::Foreign {
            address: self.address.clone(),
            reason: "it let somebody sign in and gave no session".to_owned(),
        })?;
        let credential =
            Credential::Session { cookie: cookie.to_owned(), project: project.to_owned() };
        Ok(Self { credential, ..self.clone() })
    }

    /// Ends the session of a person who has signed in.
    pub fn sign_out(&self) -> Result<(), Error> {
        self.request(Method::DELETE, "/v1/sessions").bytes().map(|_| ())
    }

    /// Signs at a gate, as a person who has signed in.
    pub fn sign_off(&self, handoff: &str, asked: &SignOff) -> Result<api::Answer, Error> {
        let signed = Signed { decision: "sign_off", signature: asked };
        self.post(path("/v1/handoffs/{}/decisions", handoff)).json(&signed).document()
    }
}
