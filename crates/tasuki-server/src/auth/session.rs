//! Sessions of people who signed in with their password or with the link that the server prints at
//! start.
//!
//! The cookie holds 256 random bits; the store keeps their hash. A session opened with the link has
//! not proved a password. It exists in this process only and cannot sign off at a gate.

use std::fmt::Write as _;

use axum::http::HeaderMap;
use axum::http::header::{COOKIE, HOST};
use jiff::{SignedDuration, Timestamp};
use tasuki_api::problem::HttpErrorCode;
use tasuki_engine::limits::SESSION_LIFE;
use tasuki_engine::model::{Directory, Party, Principal, Scope, Scopes};
use tasuki_engine::ports::{SessionHash, SessionRecord};
use tasuki_engine::refusal::{Refusal, RefusalCode};
use tasuki_packet::id::ProjectId;
use tasuki_packet::leaf::{ActorKind, Authentication};

use super::Caller;
use super::authenticate::Purpose;
use crate::respond::problem::Problem;
use crate::state::App;
use crate::state::sign_in_links::LinkSession;

/// The header that names the project of a person's request.
pub(crate) const PROJECT: &str = "tasuki-project";

/// The minimum interval between two saved uses of a session.
const TOUCH_INTERVAL: SignedDuration = SignedDuration::from_mins(1);

/// The lifetime of the link that a server prints at start.
const LINK_LIFE: SignedDuration = SignedDuration::from_mins(15);

impl App {
    /// Creates the code of a link that signs a person in once.
    pub fn sign_in_link(&self, person: &str) -> String {
        let code = self.secret("welcome");
        let until = self.engine.now().saturating_add(LINK_LIFE).unwrap_or(Timestamp::MAX);
        self.sign_in_links.set(SessionHash::of(&code), person, until);
        code
    }

    pub(crate) fn secret(&self, name: &str) -> String {
        self.engine.command_seed().salt(name).iter().fold(String::new(), |mut text, byte| {
            let _always = write!(text, "{byte:02x}");
            text
        })
    }

    /// Opens a session after the password was verified. Returns the value of the cookie.
    pub(crate) async fn open_session(
        &self,
        person: &str,
        is_remembered: bool,
    ) -> Result<(String, SessionRecord), Problem> {
        let (id, session) = self.new_session(person);
        let session = SessionRecord { is_remembered, ..session };
        self.people.put_session(session.clone()).await?;
        Ok((id, session))
    }

    /// Opens a session with the code of a link. The code works once.
    pub(crate) async fn open_link_session(
        &self,
        code: &str,
    ) -> Result<Option<(String, SessionRecord)>, Problem> {
        let now = self.engine.now();
        let Some(person) = self.sign_in_links.redeem(code, now) else { return Ok(None) };
        let password = self.people.person(person.clone()).await?;
        let (id, session) = self.new_session(&person);
        self.sign_in_links.add(LinkSession { session: session.clone(), password }, now);
        Ok(Some((id, session)))
    }

    fn new_session(&self, person: &str) -> (String, SessionRecord) {
        let (id, now) = (self.secret("session"), self.engine.now());
        let life = i64::try_from(SESSION_LIFE.milliseconds()).unwrap_or(i64::MAX);
        let expires_at =
            now.saturating_add(SignedDuration::from_millis(life)).unwrap_or(Timestamp::MAX);
        let session = SessionRecord {
            id: SessionHash::of(&id),
            person: person.to_owned(),
            created_at: now,
            last_seen: now,
            expires_at,
            is_remembered: false,
        };
        (id, session)
    }

    pub(crate) async fn end_session(&self, id: &str) -> Result<(), Problem> {
        let hash = SessionHash::of(id);
        self.sign_in_links.remove(hash);
        self.people.end_session(hash).await?;
        Ok(())
    }

    /// Returns the session of a cookie and, for a session opened with a link, how it was opened.
    async fn session(
        &self,
        id: &str,
        purpose: Purpose,
    ) -> Result<(SessionRecord, Authentication), Problem> {
        let (hash, now) = (SessionHash::of(id), self.engine.now());
        if let Some(opened) = self.sign_in_links.live(hash, now, purpose == Purpose::Request) {
            self.has_same_password(&opened).await?;
            return Ok((opened.session, Authentication::Local));
        }
        let session = self.people.session(hash).await?.filter(|session| session.is_live(now));
        let session = session.ok_or_else(session_expired)?;
        if purpose == Purpose::Request && now.duration_since(session.last_seen) >= TOUCH_INTERVAL {
            self.people.touch_session(hash, now).await?;
        }
        Ok((session, Authentication::Password))
    }

    /// Ends a link session that was opened before the password changed. The store does the same for
    /// the sessions it keeps.
    async fn has_same_password(&self, opened: &LinkSession) -> Result<(), Problem> {
        if self.people.person(opened.session.person.clone()).await? == opened.password {
            return Ok(());
        }
        self.sign_in_links.remove(opened.session.id);
        Err(session_expired())
    }
}

/// Returns the name of the cookie. Browsers accept the `__Host-` prefix only over TLS, which
/// requests from this machine do not use.
pub(crate) fn cookie_name(headers: &HeaderMap) -> &'static str {
    let host = headers.get(HOST).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let is_local = ["localhost", "127.", "[::1]"].iter().any(|name| host.starts_with(name));
    if is_local { "tasuki" } else { "__Host-tasuki" }
}

/// Returns the session cookie of a request.
pub(crate) fn cookie(headers: &HeaderMap) -> Option<String> {
    let name = cookie_name(headers);
    let cookies = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = cookies.flat_map(|text| text.split(';')).filter_map(|one| one.split_once('='));
    pairs.find(|(known, _)| known.trim() == name).map(|(_, value)| value.trim().to_owned())
}

/// Returns the caller of a session, in the project that the request names.
pub(crate) async fn caller(
    app: &App,
    headers: &HeaderMap,
    id: &str,
    purpose: Purpose,
) -> Result<Caller, Problem> {
    let (session, authentication) = app.session(id, purpose).await?;
    caller_of(app, headers, session.person, authentication).await
}

/// Returns the caller for a person who is signed in, in the project that the request names.
pub(super) async fn caller_of(
    app: &App,
    headers: &HeaderMap,
    name: String,
    authentication: Authentication,
) -> Result<Caller, Problem> {
    let project = match headers.get(PROJECT) {
        Some(named) => named.to_str().ok().ok_or_else(project_not_ascii)?,
        None => &app.settings.project,
    };
    let principal = person(app, project, &name, authentication).await?;
    let (project, principal) = principal.ok_or_else(|| unknown_project(project))?;
    Ok(Caller { project, principal, person: Some(name) })
}

/// Returns the principal of a person in a project, if the person is a member.
async fn person(
    app: &App,
    project: &str,
    name: &str,
    authentication: Authentication,
) -> Result<Option<(ProjectId, Principal)>, Problem> {
    let store = app.engine.store().as_ref();
    let Some(id) = app.projects.named(store, project).await? else { return Ok(None) };
    let directory = app.engine.directory(id).await?;
    let principal = member(&directory, name).map(|party| Principal {
        party: party.id,
        kind: ActorKind::Human,
        authentication,
        credential: None,
        on_behalf_of: None,
        scopes: scopes(app, name),
        receivers: Vec::new(),
    });
    Ok(principal.map(|principal| (id, principal)))
}

/// Returns the person with this name in a project.
pub(crate) fn member<'d>(directory: &'d Directory, name: &str) -> Option<&'d Party> {
    directory.people().find(|person| person.name == name)
}

/// Returns the scopes of a person: all but `admin`, which only operators have.
fn scopes(app: &App, name: &str) -> Scopes {
    let is_operator = app.settings.operators.iter().any(|operator| operator == name);
    if is_operator {
        return Scopes::all();
    }
    [Scope::Submit, Scope::Receive, Scope::Read, Scope::Decide, Scope::Verify].into_iter().collect()
}

/// Reports an unknown project. A caller outside a project cannot learn whether it exists.
fn unknown_project(project: &str) -> Problem {
    Refusal::new(RefusalCode::ProjectUnknown, format!("unknown project `{project}`"))
        .hint("set the header `Tasuki-Project` to a project that you are a member of")
        .into()
}

fn project_not_ascii() -> Problem {
    Problem::argument("header `Tasuki-Project` must be ASCII")
        .hint("a project name consists of letters, digits and `-`")
}

fn session_expired() -> Problem {
    Problem::with_code(HttpErrorCode::SessionExpired, "session expired").hint("sign in again")
}
