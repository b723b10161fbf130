//! `/v1/handoffs/{id}/packet`: a revision of the packet in any form; `/trail`: the audit trail.

use axum::http::header::{CONTENT_SECURITY_POLICY, ETAG};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use serde::Deserialize;
use tasuki_api::AuditTrail;
use tasuki_engine::audit::log_check;
use tasuki_engine::error::{Fault, FaultKind};
use tasuki_engine::query::continuation::Revision;
use tasuki_packet::Packet;
use tasuki_packet::read::Form;
use tasuki_packet::render::{self, BudgetTooSmall, CardOptions, tokens};
use tasuki_packet::write::convert::to_form;

use crate::extract::parameters::{Parameters, PathParameter};
use crate::extract::request_context::RequestContext;
use crate::respond::json::{Json, typed};
use crate::respond::problem::Problem;
use crate::respond::{etag, headers};

/// The query of a packet: the revision and the form.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PacketQuery {
    rev: Option<u32>,
    #[serde(rename = "as")]
    form: Option<String>,
    budget: Option<usize>,
}

pub(crate) async fn show(
    context: RequestContext,
    headers: HeaderMap,
    PathParameter(id): PathParameter,
    Parameters(query): Parameters<PacketQuery>,
) -> Result<Response, Problem> {
    context.apply_due().await?;
    let handoff = context.find(&id).await?;
    let number = query.rev.unwrap_or(handoff.facts.revision);
    let revision = context.reader().await?.revision(&handoff, number).await?;
    context.mark_delivered(&handoff);
    let form = query.form.as_deref().unwrap_or("json");
    let tag = etag::tag(number, &revision.packet.digest());
    if form == "json" && etag::is_not_modified(&headers, &tag) {
        return Ok(StatusCode::NOT_MODIFIED.into_response());
    }
    let mut response = rendered(&revision, form, query.budget)?;
    headers::insert(response.headers_mut(), ETAG, tag);
    Ok(response)
}

/// Returns a revision in the requested form.
fn rendered(revision: &Revision, form: &str, budget: Option<usize>) -> Result<Response, Problem> {
    let packet = &revision.packet;
    if form == "agent" {
        let brief = render::agent_brief(packet, budget, &tokens::count).map_err(too_small)?;
        return Ok(markdown(brief.text));
    }
    if budget.is_some() {
        return Err(Problem::argument("`budget` is only valid with `as=agent`")
            .hint("leave it out: no other form is shortened"));
    }
    match form {
        "sent" => Ok(typed("text/plain; charset=utf-8", revision.sent.clone())),
        "brief" => Ok(markdown(render::human_brief(packet))),
        "comment" => Ok(markdown(render::comment(packet))),
        "card" => {
            let card = render::card(packet, CardOptions::default());
            Ok(typed("text/plain; charset=utf-8", card))
        }
        "html" => Ok(page(packet)),
        written => in_form(packet, written, RENDERINGS),
    }
}

fn too_small(refused: BudgetTooSmall) -> Problem {
    let BudgetTooSmall { needed, budget } = refused;
    Problem::argument(format!("the brief does not fit into {budget} tokens"))
        .hint(format!("it needs {needed}"))
}

/// The content security policy of a rendered packet: its own style, and nothing else.
const PAGE_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; \
                           base-uri 'none'; form-action 'none'; sandbox";

fn page(packet: &Packet) -> Response {
    let mut response = typed("text/html; charset=utf-8", render::html_document(packet));
    headers::insert(response.headers_mut(), CONTENT_SECURITY_POLICY, PAGE_POLICY);
    response
}

fn markdown(text: String) -> Response {
    typed("text/markdown; charset=utf-8", text)
}

/// The renderings of a packet, in addition to its forms.
pub(crate) const RENDERINGS: &[&str] = &["sent", "brief", "agent", "card", "comment", "html"];

/// Returns a packet as JSON, YAML, Markdown or wire. The error lists the renderings of the route too.
pub(crate) fn in_form(
    packet: &Packet,
    written: &str,
    besides: &[&str],
) -> Result<Response, Problem> {
    let Some(form) = Form::ALL.iter().find(|form| form.name() == written) else {
        let detail = format!("unknown form `{written}`");
        let forms = Form::ALL.iter().map(|form| form.name());
        let known: Vec<&str> = forms.chain(besides.iter().copied()).collect();
        return Err(Problem::argument(detail).hint(format!("the forms are {}", known.join(", "))));
    };
    if *form == Form::Json {
        return Ok(Json(packet.to_value()).into_response());
    }
    let brief = render::human_brief(packet);
    let text = to_form(packet.members(), *form, &brief).map_err(|violation| vec![violation])?;
    Ok(match form {
        Form::Yaml => typed("application/yaml", text),
        Form::Markdown => markdown(text),
        Form::Wire | Form::Json => typed("application/json", text),
    })
}

pub(crate) async fn trail(
    context: RequestContext,
    PathParameter(id): PathParameter,
) -> Result<Json<AuditTrail>, Problem> {
    context.apply_due().await?;
    let handoff = context.find(&id).await?;
    let rows = context.store().leaves_of(context.project(), handoff.id).await?;
    let entries = log_check::trail(&rows)
        .map_err(|error| Fault::new(FaultKind::Corrupt, error.to_string()))?;
    let decisions = context.reader().await?.decisions_if_allowed(&handoff).await?;
    Ok(Json(AuditTrail { handoff: handoff.id.to_string(), entries, decisions }))
}
