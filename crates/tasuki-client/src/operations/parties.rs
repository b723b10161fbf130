//! Who there is: the caller, parties, tokens.

use tasuki_api as api;
use ureq::http::Method;

use crate::address::path;
use crate::ask::{AddParty, CreateToken};
use crate::client::Client;
use crate::error::Error;
use crate::gives::{Page, Whoami};

impl Client {
    /// Who the caller is, and what they may.
    pub fn whoami(&self) -> Result<Whoami, Error> {
        self.get("/v1/whoami").document()
    }

    /// The parties of the project.
    pub fn parties(&self) -> Result<Vec<api::Party>, Error> {
        let page: Page<api::Party> = self.get("/v1/parties").document()?;
        Ok(page.items)
    }

    /// All that is known of a party.
    pub fn party(&self, name: &str) -> Result<api::Party, Error> {
        self.get(path("/v1/parties/{}", name)).document()
    }

    /// Adds a party, or adds to what is known of one.
    pub fn add_party(&self, asked: &AddParty) -> Result<api::Answer, Error> {
        self.post("/v1/parties").json(asked).document()
    }

    /// The tokens of the project, without their texts.
    pub fn tokens(&self) -> Result<Vec<api::Token>, Error> {
        let page: Page<api::Token> = self.get("/v1/tokens").document()?;
        Ok(page.items)
    }

    /// Creates a token. Its text is in this answer and nowhere else.
    pub fn create_token(&self, asked: &CreateToken) -> Result<api::Answer, Error> {
        self.post("/v1/tokens").json(asked).document()
    }

    /// Lets a token work no longer.
    pub fn revoke_token(&self, token: &str) -> Result<api::Answer, Error> {
        self.request(Method::DELETE, path("/v1/tokens/{}", token)).document()
    }
}
