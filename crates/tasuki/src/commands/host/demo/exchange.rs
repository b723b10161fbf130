//! The exchange of a demo: one project, one person, and a token that sets the stage.

use std::path::Path;

use tasuki_api::CommandResponse;
use tasuki_engine::command::Command;
use tasuki_engine::engine::Call;
use tasuki_engine::model::{Principal, Scope};
use tasuki_engine::steps::{AddParty, CreateToken};
use tasuki_store::Location;

use crate::backend::local;
use crate::backend::refusal::{engine_failure, fault_failure};
use crate::commands::host::bound_server::BoundServer;
use crate::config::Party;
use crate::data_dir::DataDir;

use crate::exit::Failure;
use crate::input::password;

/// The project.
pub(super) const PROJECT: &str = "demo";
/// The person who decides.
pub(super) const PERSON: &str = "you";
/// The password of that person. The server listens on loopback only, and ends with the demo.
pub(super) const PASSWORD: &str = "tasuki-demo";
/// The party that sets the stage.
const DIRECTOR: &str = "director";

/// Creates the exchange and its project.
pub(super) fn create(directory: &Path) -> Result<Location, Failure> {
    let (data_dir, _) = DataDir::create_in(directory)?;
    let location = Location::Directory(data_dir.path().to_owned());
    local::create_project(&location, PROJECT)?;
    Ok(location)
}

/// Returns the person who gets the sign-in link.
pub(super) fn person() -> Result<Party, String> {
    Party::parse(PERSON).map_err(|invalid| invalid.at(&"the person of the demo").message)
}

/// Sets the password of the person, and returns a token that may change the project.
pub(super) async fn populate(server: &BoundServer) -> Result<String, Failure> {
    let hash = password::hash(PASSWORD)?;
    let stored = server.store.set_person(PERSON.to_owned(), hash).await;
    stored.map_err(|fault| fault_failure(&fault))?;
    let director = AddParty { name: DIRECTOR.to_owned(), ..AddParty::default() };
    run(server, Command::AddParty(director)).await?;
    // A token grants only scopes that it has itself, and agents cannot decide.
    let scopes = Scope::ALL.into_iter().filter(|scope| *scope != Scope::Decide);
    let request = CreateToken {
        party: DIRECTOR.to_owned(),
        scopes: Some(scopes.collect()),
        expires_in: None,
        to: Vec::new(),
        from: Vec::new(),
        name: Some("the demo".to_owned()),
    };
    let response = run(server, Command::CreateToken(request)).await?;
    let text = response.token.and_then(|token| token.text).map(|secret| secret.0);
    text.ok_or_else(|| Failure::usage("the exchange created no token"))
}

async fn run(server: &BoundServer, command: Command) -> Result<CommandResponse, Failure> {
    let (project, principal) = (server.project, Principal::system());
    let call = Call { project, principal, command, key: None };
    server.engine.run(call).await.map_err(engine_failure)
}
