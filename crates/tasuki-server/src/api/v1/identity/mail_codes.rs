//! `/v1/mail-codes`: decisions with codes that were mailed to people.
//!
//! Both operations are `POST` with the code in the body, so that no program that follows links
//! changes anything, and no address contains a code.

use axum::extract::State;
use tasuki_api::{
    HttpErrorCode, MailCode, MailCodeRequest, MailDecision, MailDecisionRequest, Secret,
};
use tasuki_engine::command::Command;
use tasuki_engine::engine::Call;
use tasuki_engine::ports::MailCodeRecord;
use tasuki_engine::steps::{Accept, Reject};

use crate::auth::mail_code;
use crate::extract::body::StructuredBody;
use crate::respond::json::Json;
use crate::respond::problem::Problem;
use crate::state::{App, Shared};

pub(crate) async fn view(
    State(app): State<Shared>,
    StructuredBody(body): StructuredBody<MailCodeRequest>,
) -> Result<Json<MailCode>, Problem> {
    let record = live(&app, &body.code).await?;
    let directory = app.engine.directory(record.project).await?;
    mail_code::principal(&directory, &record).ok_or_else(invalid)?;
    Ok(Json(shown(&app, &record).await?))
}

pub(crate) async fn redeem(
    State(app): State<Shared>,
    StructuredBody(body): StructuredBody<MailDecisionRequest>,
) -> Result<Json<MailCode>, Problem> {
    let record = live(&app, &body.code).await?;
    // Of several requests with one code, one takes it.
    if !app.people.take_mail_code(record.id).await? {
        return Err(invalid());
    }
    if let Err(problem) = decide(&app, &record, &body).await {
        // Nothing was decided, so the code is not used up.
        app.people.put_mail_code(record).await?;
        return Err(problem);
    }
    Ok(Json(shown(&app, &record).await?))
}

async fn decide(
    app: &App,
    record: &MailCodeRecord,
    body: &MailDecisionRequest,
) -> Result<(), Problem> {
    let (project, handoff) = (record.project, record.handoff);
    let directory = app.engine.directory(project).await?;
    let principal = mail_code::principal(&directory, record).ok_or_else(invalid)?;
    let (seen, reason) = (mail_code::seen(&directory, record), body.reason.clone());
    let command = match body.decision {
        MailDecision::Accept => Command::Accept(Accept { handoff, seen, reason }),
        MailDecision::Reject => Command::Reject(Reject { handoff, seen, reason }),
    };
    app.engine.run(Call { project, principal, command, key: None }).await?;
    app.activity.touch(project);
    app.change_watch.wake(project);
    Ok(())
}

/// Returns what a code is for, as messages may show it.
async fn shown(app: &App, record: &MailCodeRecord) -> Result<MailCode, Problem> {
    let directory = app.engine.directory(record.project).await?;
    let handoff = app.engine.store().handoff(record.project, record.handoff).await?;
    let handoff = handoff.ok_or_else(invalid)?;
    let open = mail_code::is_open(&directory, &handoff, record);
    let subject = app.subject(record.project, handoff).await?;
    let card = subject.card;
    let (action, goal) = match subject.quotation {
        Some(quotation) if quotation.is_action => (Some(quotation.text), None),
        quotation => (None, quotation.map(|quotation| quotation.text)),
    };
    Ok(MailCode {
        project: app.links(record.project).await.project_name().to_owned(),
        handoff: card.id,
        task: card.task,
        person: directory.name(record.person),
        from: card.from,
        to: card.to,
        revision: record.revision,
        risk: card.risk,
        state: card.state,
        open,
        goal,
        action,
        causes: card.causes,
        expires_at: record.expires_at,
    })
}

async fn live(app: &App, Secret(code): &Secret) -> Result<MailCodeRecord, Problem> {
    app.live_mail_code(code).await?.ok_or_else(invalid)
}

/// Refuses a code without saying which of the reasons applies.
fn invalid() -> Problem {
    let detail = "this code was already used or has expired";
    Problem::with_code(HttpErrorCode::MailCodeInvalid, detail)
        .hint("sign in to the console and decide there")
}
