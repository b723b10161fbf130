//! A small exchange with a server in front of it, and a clock that moves when it is told.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use jiff::Timestamp;
use tasuki_engine::command::Command;
use tasuki_engine::directory::Settings as ProjectSettings;
use tasuki_engine::engine::{Call, Engine};
use tasuki_engine::enrol::AddParty;
use tasuki_engine::party::PartyKind;
use tasuki_engine::principal::{Principal, Scope, Scopes};
use tasuki_engine::store::{Pending, Store};
use tasuki_packet::id::ProjectId;
use tasuki_packet::leaf::{ActorKind, Authentication};
use tasuki_server::identity::{Caller, Credentials};
use tasuki_server::{App, Settings, router};
use tasuki_testkit::clock::{ManualClock, SeededEntropy};
use tasuki_testkit::memory::MemoryStore;

use crate::client::Request;

pub(crate) struct World {
    pub(crate) router: Router,
    pub(crate) clock: ManualClock,
    pub(crate) runtime: tokio::runtime::Runtime,
}

/// Credentials that are their own names: `ana` is the bearer of `ana`.
struct Names(HashMap<String, Caller>);

impl Credentials for Names {
    fn caller<'a>(&'a self, request: &'a Parts) -> Pending<'a, Option<Caller>> {
        let sent = request.headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
        let name = sent.and_then(|sent| sent.strip_prefix("Bearer "));
        let caller = name.and_then(|name| self.0.get(name)).cloned();
        Box::pin(async move { Ok(caller) })
    }
}

impl World {
    /// On a store of maps.
    pub(crate) fn new() -> Self {
        Self::with(Settings::default())
    }

    /// The same with other settings.
    pub(crate) fn with(settings: Settings) -> Self {
        Self::on(Arc::new(MemoryStore::new()), settings)
    }

    pub(crate) fn on(store: Arc<dyn Store>, settings: Settings) -> Self {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
        let runtime = runtime.unwrap();
        let clock = ManualClock::at("2026-11-15T10:00:00Z".parse::<Timestamp>().unwrap());
        let entropy = Arc::new(SeededEntropy::new(7));
        let engine = Engine::start(store, Arc::new(clock.clone()), entropy);
        let names = runtime.block_on(enrolled(&engine));
        let app = App::new(engine, settings, Box::new(Names(names)));
        let router = {
            let _inside = runtime.enter();
            router(app)
        };
        Self { router, clock, runtime }
    }

    pub(crate) fn get(&self, path: &str) -> Request<'_> {
        Request::new(self, "GET", path)
    }

    pub(crate) fn post(&self, path: &str) -> Request<'_> {
        Request::new(self, "POST", path)
    }

    pub(crate) fn ask(&self, verb: &'static str, path: &str) -> Request<'_> {
        Request::new(self, verb, path)
    }

    pub(crate) fn pass(&self, time: Duration) {
        self.clock.advance(time);
    }

    /// A handoff of this task from `ana` to `ben`, and its id.
    pub(crate) fn submitted(&self, task: &str) -> String {
        let answer = self.post("/v1/handoffs").by("ana").yaml(&packet(task, "")).send();
        answer.is(201).body["handoff"]["id"].as_str().unwrap().to_owned()
    }

    /// The same, claimed by `ben`, and its token.
    pub(crate) fn claimed(&self, task: &str) -> (String, u64) {
        let id = self.submitted(task);
        let answer = self.post(&format!("/v1/handoffs/{id}/claims")).by("ben").send();
        (id, answer.is(201).body["claim"]["token"].as_u64().unwrap())
    }
}

/// A packet from `ana` to `ben` with more lines.
pub(crate) fn packet(task: &str, more: &str) -> String {
    format!(
        "handoff_version: '1.0'\ntask_id: {task}\nfrom_agent: ana\nto_agent: ben\nstatus: in_progress\n\
         goal: Ship {task}\ncompleted: [scaffold]\nremaining: [tests]\n{more}"
    )
}

async fn enrolled(engine: &Engine) -> HashMap<String, Caller> {
    let project = engine.create_project("default", ProjectSettings::default()).await.unwrap();
    let other = engine.create_project("other", ProjectSettings::default()).await.unwrap();
    let agent = Scopes::none()
        .with(Scope::Submit)
        .with(Scope::Receive)
        .with(Scope::Read)
        .with(Scope::Verify);
    let mut names = HashMap::new();
    for (token, name, kind, scopes) in [
        ("ana", "ana", PartyKind::Agent, agent),
        ("ben", "ben", PartyKind::Agent, agent),
        ("box", "box", PartyKind::Agent, Scopes::none().with(Scope::Submit)),
        ("pia", "pia", PartyKind::Human, Scopes::all()),
    ] {
        let caller = add(engine, project, (name, kind), scopes).await;
        names.insert(token.to_owned(), caller);
    }
    for name in ["ana", "ben"] {
        let caller = add(engine, other, (name, PartyKind::Agent), agent).await;
        names.insert(format!("other-{name}"), caller);
    }
    names
}

async fn add(
    engine: &Engine,
    project: ProjectId,
    (name, kind): (&str, PartyKind),
    scopes: Scopes,
) -> Caller {
    let request = AddParty { name: name.to_owned(), kind: Some(kind), ..AddParty::default() };
    let (principal, command) = (Principal::system(), Command::AddParty(request));
    engine.run(Call { project, principal, command, key: None }).await.unwrap();
    let party = engine.directory(project).await.unwrap().find(name).unwrap().id;
    let kind = match kind {
        PartyKind::Human => ActorKind::Human,
        _ => ActorKind::Agent,
    };
    let mut principal = Principal::local(party, kind);
    principal.authentication = match kind {
        ActorKind::Human => Authentication::Password,
        _ => Authentication::Token,
    };
    principal.scopes = scopes;
    Caller { project, principal, credential: format!("{project} {name}") }
}
