//! A server on a small exchange with a manual clock.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use argon2::Argon2;
use argon2::password_hash::{PasswordHasher as _, SaltString};
use axum::Router;
use jiff::Timestamp;
use serde_json::json;
use tasuki_api as api;
use tasuki_engine::command::Command;
use tasuki_engine::engine::{Call, Engine};
use tasuki_engine::error::Error;
use tasuki_engine::model::{
    EventFilter, PartyKind, Principal, Scope, Settings as ProjectSettings, Signing,
};
use tasuki_engine::ports::{AccountStore, Deliveries, Store};
use tasuki_engine::steps::{AddParty, AddSubscription, CreateToken, NewChannel};
use tasuki_packet::id::ProjectId;
use tasuki_server::webhook::{Resolve, SystemResolver};
use tasuki_server::{App, Server, Settings, StoreMaintenance, Work, router_and_workers};
use tasuki_testkit::clock::{ManualClock, SeededEntropy};
use tasuki_testkit::memory::MemoryStore;

use crate::support::client::{Answer, Request};

pub(crate) struct TestServer {
    pub(crate) router: Router,
    pub(crate) clock: ManualClock,
    pub(crate) runtime: tokio::runtime::Runtime,
    /// Another process on the same store.
    other_process: Engine,
    people: Arc<dyn AccountStore>,
    /// The code of the sign-in link that the server printed.
    pub(crate) sign_in_code: String,
    tokens: HashMap<String, String>,
}

/// The maintenance of a memory store, which needs none.
struct NoMaintenance;

impl StoreMaintenance for NoMaintenance {
    fn index(&self, _project: ProjectId, _leaves_max: u32) -> bool {
        true
    }

    fn close_idle(&self) {}

    fn change_stamp(&self, _project: ProjectId) -> u64 {
        0
    }

    fn owns(&self, _: Work) -> bool {
        false
    }
}

/// The password of `pia`.
pub(crate) const PASSWORD: &str = "correct horse";

impl TestServer {
    /// Creates a server on a memory store.
    pub(crate) fn new() -> Self {
        Self::with(Settings::default())
    }

    pub(crate) fn with(settings: Settings) -> Self {
        Self::on(Arc::new(MemoryStore::new()), settings)
    }

    pub(crate) fn on<S: Store + AccountStore + Deliveries>(
        store: Arc<S>,
        settings: Settings,
    ) -> Self {
        Self::with_resolver(store, settings, Arc::new(SystemResolver))
    }

    /// Creates a server with a resolver for webhook hosts.
    pub(crate) fn with_resolver<S: Store + AccountStore + Deliveries>(
        store: Arc<S>,
        settings: Settings,
        resolver: Arc<dyn Resolve>,
    ) -> Self {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
        let runtime = runtime.unwrap();
        let clock = ManualClock::at("2026-11-15T10:00:00Z".parse::<Timestamp>().unwrap());
        let entropy = Arc::new(SeededEntropy::new(7));
        let engine = Engine::start(Arc::clone(&store) as _, Arc::new(clock.clone()), entropy);
        let other_process = Engine::start(
            Arc::clone(&store) as _,
            Arc::new(clock.clone()),
            Arc::new(SeededEntropy::new(8)),
        );
        let tokens = runtime.block_on(enrolled(&engine));
        runtime.block_on(store.set_person("pia".to_owned(), hashed(PASSWORD))).unwrap();
        let people = Arc::clone(&store) as Arc<dyn AccountStore>;
        let app =
            App::new(engine, Arc::clone(&store) as _, settings).with_delivery(store, resolver);
        let sign_in_code = app.sign_in_link("pia");
        let router = {
            let _inside = runtime.enter();
            let (router, workers) = router_and_workers(app);
            runtime.spawn(workers);
            router
        };
        Self { router, clock, runtime, other_process, people, sign_in_code, tokens }
    }

    /// Serves the same exchange on a socket, with settings of its own. Returns its address.
    pub(crate) fn listen(&self, settings: Settings) -> SocketAddr {
        let settings = Settings { listen: ([127, 0, 0, 1], 0).into(), ..settings };
        let app = App::new(self.other_process.clone(), Arc::clone(&self.people), settings);
        self.runtime.block_on(async {
            let server = Server::bind(app).await.unwrap();
            let address = server.address().unwrap();
            tokio::spawn(server.run(Arc::new(NoMaintenance), std::future::pending()));
            address
        })
    }

    /// Returns the token of this name; any other text is returned unchanged.
    pub(crate) fn token(&self, name: &str) -> String {
        self.tokens.get(name).cloned().unwrap_or_else(|| name.to_owned())
    }

    /// Signs `pia` in with her password. Returns the cookie.
    pub(crate) fn signed_in(&self) -> String {
        let body = json!({ "name": "pia", "password": PASSWORD });
        let answer = self.post("/v1/sessions").json(&body).send().is(201);
        cookie(&answer)
    }

    pub(crate) fn get(&self, path: &str) -> Request<'_> {
        Request::new(self, "GET", path)
    }

    pub(crate) fn post(&self, path: &str) -> Request<'_> {
        Request::new(self, "POST", path)
    }

    pub(crate) fn request(&self, verb: &'static str, path: &str) -> Request<'_> {
        Request::new(self, verb, path)
    }

    /// Adds a subscription without checking its receiver. Returns its id.
    pub(crate) fn subscribe_in_other_process(&self, url: &str) -> String {
        let channel = NewChannel::Webhook { url: url.to_owned(), signing: Signing::default() };
        let (party, filter) = ("pia".to_owned(), EventFilter::default());
        let request = AddSubscription { party, channel, filter };
        let answer = self.run_in_other_process(Command::AddSubscription(request));
        answer.subscription.expect("a subscription").id
    }

    /// Runs a command in another process on the same store.
    pub(crate) fn run_in_other_process(&self, command: Command) -> api::CommandResponse {
        self.runtime.block_on(async {
            let project = self.other_process.project("default").await.unwrap();
            run(&self.other_process, project, command).await
        })
    }

    /// Runs a command of a party with an idempotency key in another process.
    pub(crate) fn try_with_key_in_other_process(
        &self,
        name: &str,
        command: Command,
        key: &str,
    ) -> Result<api::CommandResponse, Error> {
        self.runtime.block_on(async {
            let project = self.other_process.project("default").await.unwrap();
            let directory = self.other_process.directory(project).await.unwrap();
            let party = directory.find(name).unwrap();
            let principal = Principal::local(party.id, party.kind.actor());
            let key = Some(key.to_owned().into());
            self.other_process.run(Call { project, principal, command, key }).await
        })
    }

    /// Sets the password of a person, as the command does in another process.
    pub(crate) fn set_password(&self, name: &str, password: &str) {
        let set = self.people.set_person(name.to_owned(), hashed(password));
        self.runtime.block_on(set).unwrap();
    }

    pub(crate) fn advance(&self, time: Duration) {
        self.clock.advance(time);
    }

    /// Submits a handoff of this task from `ana` to `ben`. Returns its id.
    /// Returns the entity tag of a handoff, as `pia` sees it.
    pub(crate) fn etag(&self, id: &str) -> String {
        let shown = self.get(&format!("/v1/handoffs/{id}")).by("pia").send().is(200);
        shown.header("etag").unwrap().to_owned()
    }

    /// Lets `pia` accept the current version of a handoff.
    pub(crate) fn accept(&self, id: &str) {
        let accept = self.post(&format!("/v1/handoffs/{id}/decisions")).by("pia");
        let accept = accept.header("if-match", &self.etag(id));
        accept.json(&serde_json::json!({ "decision": "accept" })).send().is(201);
    }

    /// Returns the return packet of a handoff that waits for a verdict.
    pub(crate) fn return_id(&self, id: &str) -> serde_json::Value {
        let shown = self.get(&format!("/v1/handoffs/{id}")).by("ana").send().is(200);
        shown.body["handoff"]["return_id"].clone()
    }

    pub(crate) fn submitted(&self, task: &str) -> String {
        let answer = self.post("/v1/handoffs").by("ana").yaml(&packet(task, "")).send();
        answer.is(201).body["handoff"]["id"].as_str().unwrap().to_owned()
    }

    /// Submits a handoff that `ben` claims. Returns its id and the fence.
    pub(crate) fn claimed(&self, task: &str) -> (String, u64) {
        let id = self.submitted(task);
        let answer = self.post(&format!("/v1/handoffs/{id}/claims")).by("ben").send();
        (id, answer.is(201).body["claim"]["fence"].as_u64().unwrap())
    }
}

/// Returns a packet from `ana` to `ben` with more lines.
pub(crate) fn packet(task: &str, more: &str) -> String {
    format!(
        "handoff_version: '1.0'\ntask_id: {task}\nfrom_agent: ana\nto_agent: ben\nstatus: in_progress\n\
         goal: Ship {task}\ncompleted: [scaffold]\nremaining: [tests]\npayload: []\n{more}"
    )
}

/// Returns the cookie that a browser sends back.
pub(crate) fn cookie(answer: &Answer) -> String {
    answer.header("set-cookie").unwrap().split(';').next().unwrap().to_owned()
}

/// Returns a hash with low cost.
fn hashed(password: &str) -> String {
    let params = argon2::Params::new(8, 1, 1, None).unwrap();
    let argon2 = Argon2::new(argon2::Algorithm::Argon2id, argon2::Version::V0x13, params);
    let salt = SaltString::from_b64("c2FsdCBmb3IgdGVzdHM").unwrap();
    argon2.hash_password(password.as_bytes(), &salt).unwrap().to_string()
}

async fn enrolled(engine: &Engine) -> HashMap<String, String> {
    let default = engine.create_project("default", ProjectSettings::default()).await.unwrap();
    let other = engine.create_project("other", ProjectSettings::default()).await.unwrap();
    let agent = [Scope::Submit, Scope::Receive, Scope::Read, Scope::Verify];
    let mut tokens = HashMap::new();
    for (token, project, kind, scopes) in [
        ("ana", default, PartyKind::Agent, &agent[..]),
        ("ben", default, PartyKind::Agent, &agent[..]),
        ("box", default, PartyKind::Agent, &[Scope::Submit]),
        ("pia", default, PartyKind::Human, &Scope::ALL),
        ("other-ana", other, PartyKind::Agent, &agent[..]),
        ("other-ben", other, PartyKind::Agent, &agent[..]),
        ("other-odo", other, PartyKind::Human, &Scope::ALL),
    ] {
        let name = token.trim_start_matches("other-").to_owned();
        let request = AddParty { name: name.clone(), kind: Some(kind), ..AddParty::default() };
        run(engine, project, Command::AddParty(request)).await;
        let to = if token == "box" { vec!["ben".to_owned()] } else { Vec::new() };
        let scopes = Some(scopes.iter().copied().collect());
        let request = CreateToken { party: name, scopes, to, ..CreateToken::default() };
        let answer = run(engine, project, Command::CreateToken(request)).await;
        tokens.insert(token.to_owned(), answer.token.unwrap().text.unwrap().0);
    }
    tokens
}

async fn run(engine: &Engine, project: ProjectId, command: Command) -> api::CommandResponse {
    let principal = Principal::system();
    engine.run(Call { project, principal, command, key: None }).await.unwrap()
}
