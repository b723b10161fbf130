//! The caller, parties and tokens.

use tasuki_api::{
    AbsenceRequest, CommandResponse, Page, Party, PartyRequest, Token, TokenRequest, Whoami,
};
use ureq::http::Method;

use crate::address::path;
use crate::client::Client;
use crate::error::Error;

impl Client {
    /// Returns the party and the scopes of the caller.
    pub fn whoami(&self) -> Result<Whoami, Error> {
        self.get("/v1/whoami").document()
    }

    /// Lists the parties of the project.
    pub fn parties(&self) -> Result<Vec<Party>, Error> {
        let page: Page<Party> = self.get("/v1/parties").document()?;
        Ok(page.items)
    }

    /// Returns everything that is known about a party.
    pub fn party(&self, name: &str) -> Result<Party, Error> {
        self.get(path("/v1/parties/{}", name)).document()
    }

    /// Adds a party, or adds to an existing one.
    pub fn add_party(&self, request: &PartyRequest) -> Result<CommandResponse, Error> {
        self.post("/v1/parties").json(request).document()
    }

    /// Names a deputy for a person who is away.
    pub fn begin_absence(
        &self,
        person: &str,
        request: &AbsenceRequest,
    ) -> Result<CommandResponse, Error> {
        let target = path("/v1/parties/{}/absence", person);
        self.request(Method::PUT, target).json(request).document()
    }

    /// Ends the absence of a person before its time.
    pub fn end_absence(&self, person: &str) -> Result<CommandResponse, Error> {
        self.request(Method::DELETE, path("/v1/parties/{}/absence", person)).document()
    }

    /// Lists the tokens of the project, without their texts.
    pub fn tokens(&self) -> Result<Vec<Token>, Error> {
        let page: Page<Token> = self.get("/v1/tokens").document()?;
        Ok(page.items)
    }

    /// Creates a token. Only this response has its text.
    pub fn create_token(&self, request: &TokenRequest) -> Result<CommandResponse, Error> {
        self.post("/v1/tokens").json(request).document()
    }

    /// Revokes a token.
    pub fn revoke_token(&self, token: &str) -> Result<CommandResponse, Error> {
        self.request(Method::DELETE, path("/v1/tokens/{}", token)).document()
    }
}
