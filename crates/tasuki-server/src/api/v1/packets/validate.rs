//! `/v1/handoff/validate`: validates a packet. Nothing is stored.

use serde::{Deserialize, Serialize};
use tasuki_packet::dialect::Dialect;
use tasuki_packet::open::{OpenOptions, open};
use tasuki_packet::read::Source;
use tasuki_packet::{Packet, Violation};

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

/// The result of a validation, as `tasuki validate --json` prints it.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Validated {
    valid: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    form: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    variant: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dialect: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    digest: Option<String>,
    violations: Vec<Violation>,
}

pub(crate) async fn validate(
    context: RequestContext,
    Parameters(against): Parameters<ValidateQuery>,
    PacketBody(source): PacketBody,
) -> Result<Json<Validated>, Problem> {
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

fn validated(source: &[u8], terms: OpenOptions<'_>) -> Validated {
    let opened = Source::packet(source).and_then(|source| open(&source, terms));
    match opened {
        Ok(opened) => {
            let valid = opened.violations.is_empty();
            let digest = valid.then(|| Packet::new(opened.sent().clone()).digest());
            Validated {
                valid,
                form: Some(opened.form.name()),
                variant: Some(opened.variant),
                dialect: opened.dialect.map(Dialect::name),
                digest,
                violations: opened.violations,
            }
        }
        Err(violation) => Validated { violations: vec![violation], ..Validated::default() },
    }
}
