//! `/v1/handoff/validate`: validates a packet. Nothing is stored.

use serde::Deserialize;
use tasuki_api::ValidationReport;
use tasuki_packet::Packet;
use tasuki_packet::open::{OpenOptions, open};
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
    let terms = OpenOptions { variant: variant.as_ref(), contract, ..OpenOptions::default() };
    Ok(Json(validated(&source, terms)))
}

fn validated(source: &[u8], terms: OpenOptions<'_>) -> ValidationReport {
    let opened = Source::packet(source).and_then(|source| open(&source, terms));
    match opened {
        Ok(opened) => {
            let valid = opened.violations.is_empty();
            let digest = valid.then(|| Packet::new(opened.sent().clone()).digest());
            ValidationReport {
                valid,
                form: Some(opened.form.name().to_owned()),
                variant: Some(opened.variant),
                dialect: opened.dialect.map(|dialect| dialect.name().to_owned()),
                digest,
                violations: opened.violations.iter().map(Into::into).collect(),
            }
        }
        Err(violation) => ValidationReport {
            violations: vec![(&violation).into()],
            ..ValidationReport::default()
        },
    }
}
