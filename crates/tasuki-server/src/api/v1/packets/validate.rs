//! `/v1/handoff/validate`: validates a packet. Nothing is stored.

use serde::Deserialize;
use tasuki_api::ValidationReport;
use tasuki_packet::open::{OpenOptions, open};
use tasuki_packet::policy::rules::ProjectRules;
use tasuki_packet::read::Source;

use super::schema::variant;
use crate::api::v1::policy::contracts;
use crate::extract::body::PacketBody;
use crate::extract::parameters::Parameters;
use crate::extract::request_context::RequestContext;
use crate::respond::json::Json;
use crate::respond::problem::Problem;

/// The query of a validation.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ValidateQuery {
    variant: Option<String>,
    contract: Option<String>,
}

pub(crate) async fn validate(
    context: RequestContext,
    Parameters(against): Parameters<ValidateQuery>,
    PacketBody(source): PacketBody,
) -> Result<Json<ValidationReport>, Problem> {
    let variant = against.variant.as_deref().map(variant).transpose()?;
    let directory = context.directory().await?;
    let contract = match &against.contract {
        Some(name) => {
            let found = match name.parse() {
                Ok(identity) => directory.contract(&identity),
                Err(_) => directory.versions(name).last(),
            };
            Some(found.ok_or_else(|| contracts::unknown(name))?)
        }
        None => None,
    };
    let contract = contract.map(|published| &published.compiled);
    let is_member = |party: &str, role: &str| directory.is_member(party, role);
    let rules = directory.rules.as_ref();
    let rules = rules.map(|rules| ProjectRules { rules: &rules.compiled, is_member: &is_member });
    let terms =
        OpenOptions { variant: variant.as_ref(), contract, rules, ..OpenOptions::default() };
    let opened = Source::packet(&source).and_then(|source| open(&source, terms));
    Ok(Json(ValidationReport::new(opened.as_ref())))
}
