//! `/v1/handoff/schema`: the JSON Schema of a variant, or an HTML page for browsers.

use axum::http::HeaderMap;
use axum::response::{IntoResponse as _, Response};
use serde::Deserialize;
use tasuki_engine::refusal::{Refusal, RefusalCode};
use tasuki_packet::schema::field::FIELDS;
use tasuki_packet::schema::variant::Presence;
use tasuki_packet::{Kind, Variant, schema as schemas};

use crate::extract::parameters::Parameters;
use crate::respond::html::{self, escaped};
use crate::respond::json::Json;
use crate::respond::problem::Problem;

/// The query of a schema.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SchemaQuery {
    variant: Option<String>,
}

pub(crate) async fn schema(
    headers: HeaderMap,
    Parameters(query): Parameters<SchemaQuery>,
) -> Result<Response, Problem> {
    let variant = variant(query.variant.as_deref().unwrap_or("baseline"))?;
    if html::is_accepted(&headers) {
        return Ok(page(&variant));
    }
    Ok(Json(schemas::of(&variant)).into_response())
}

/// Returns the variant with this name.
pub(crate) fn variant(name: &str) -> Result<Variant, Problem> {
    Variant::named(name).ok_or_else(|| {
        let names: Vec<&str> = Variant::names().collect();
        Refusal::new(RefusalCode::ArgumentInvalid, format!("unknown variant `{name}`"))
            .hint(format!("the variants are {}", names.join(", ")))
            .into()
    })
}

/// Returns the page of a variant: a table of its fields, and links to the other variants.
fn page(variant: &Variant) -> Response {
    let name = variant.name();
    let purpose = Variant::purpose(name).unwrap_or_default();
    let mut body = format!(
        "<h1>The packet, variant {}</h1>\n<p>{}.</p>\n",
        escaped(name),
        escaped(&html::capitalised(purpose))
    );
    body.push_str(&variants(name));
    body.push_str(
        "<table class=\"members\">\n<tr><th>field</th><th>presence</th><th>meaning</th></tr>\n",
    );
    for field in FIELDS {
        let must = match variant.presence(field, Kind::Handoff) {
            Presence::Required => "required",
            Presence::Filled => "required, not empty",
            Presence::Optional => "optional",
            Presence::Refused => continue,
        };
        let (name, purpose) = (escaped(field.name), html::inline(field.purpose));
        body.push_str(&format!(
            "<tr><td><code>{name}</code></td><td class=\"faint\">{must}</td><td>{purpose}</td></tr>\n"
        ));
    }
    body.push_str(
        "</table>\n<p>Programs get the JSON Schema at the same address: \
         <code>curl localhost:7420/v1/handoff/schema</code>.</p>\n",
    );
    html::page(&format!("Packet {name}"), &body)
}

/// Returns links to all variants, with the current one marked.
fn variants(shown: &str) -> String {
    let link = |name: &str| {
        let current = if name == shown { " aria-current=\"page\"" } else { "" };
        let name = escaped(name);
        format!("<li><a href=\"/v1/handoff/schema?variant={name}\"{current}>{name}</a></li>\n")
    };
    let links: String = Variant::names().map(link).collect();
    format!("<ul class=\"contents\">\n{links}</ul>\n")
}
