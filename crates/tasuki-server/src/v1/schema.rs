//! `/v1/handoff/schema`: the JSON Schema of a variant; a browser gets a page for people.

use serde::Deserialize;
use serde_json::Value;
use tasuki_engine::refusal::{Refusal, RefusalCode};
use tasuki_packet::{Variant, schema as schemas};

use crate::answer::Json;
use crate::parameters::Parameters;
use crate::problem::Problem;

/// Which variant.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Wanted {
    variant: Option<String>,
}

pub(crate) async fn schema(Parameters(wanted): Parameters<Wanted>) -> Result<Json<Value>, Problem> {
    let variant = variant(wanted.variant.as_deref().unwrap_or("baseline"))?;
    Ok(Json(schemas::of(&variant)))
}

/// A variant that this server knows.
pub(crate) fn variant(name: &str) -> Result<Variant, Problem> {
    Variant::named(name).ok_or_else(|| {
        let names: Vec<&str> = Variant::names().collect();
        Refusal::new(RefusalCode::ArgumentInvalid, format!("there is no variant `{name}`"))
            .hint(format!("the variants are {}", names.join(", ")))
            .into()
    })
}
