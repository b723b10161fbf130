//! The API page: all operations by resource, and all bodies by name.

use axum::response::Response;
use serde_json::{Map, Value};

use crate::api::openapi::{document, required_scopes};
use crate::api::operations::{ALL, Operation, Parameter, ParameterKind, RequestBody, ResponseBody};
use crate::respond::html::{self, escaped, inline};

const OPENING: &str = "Send a token as `Authorization: Bearer TOKEN`; create one with \
                       `tasuki token create --as NAME`. Send packets as JSON, YAML or Markdown \
                       according to the content type, and everything else as JSON or YAML.";

/// Returns the API page.
pub(crate) async fn index() -> Response {
    let mut body = format!(
        "<h1>API reference</h1>\n<p>{} Every error has a <a href=\"/docs/errors\">code</a>.</p>\n",
        inline(OPENING)
    );
    body.push_str(&contents());
    for operations in ALL.chunk_by(|one, next| resource(one) == resource(next)) {
        if let Some(first) = operations.first() {
            let name = resource(first);
            body.push_str(&format!("<h2 id=\"of-{}\">{}</h2>\n", escaped(name), title(name)));
        }
        body.extend(operations.iter().map(|operation| described(operation)));
    }
    body.push_str("<h2 id=\"bodies\">Bodies</h2>\n");
    let document = document();
    let schemas = document["components"]["schemas"].as_object();
    body.extend(schemas.into_iter().flatten().map(|(name, schema)| body_of(name, schema)));
    html::page("API reference", &body)
}

/// Returns the first segment of the path.
fn resource(operation: &Operation) -> &'static str {
    let word = operation.path.split('/').nth(2).unwrap_or_default();
    word.split('.').next().unwrap_or_default()
}

fn title(name: &str) -> String {
    match name {
        "dead" => "Dead letters".to_owned(),
        "handoff" => "Packet format".to_owned(),
        "openapi" => "OpenAPI".to_owned(),
        "whoami" => "Who am I".to_owned(),
        other => html::capitalised(other),
    }
}

/// Returns links to all sections of the page.
fn contents() -> String {
    let groups = ALL.chunk_by(|one, next| resource(one) == resource(next));
    let names = groups.filter_map(|group| group.first().map(|first| resource(first)));
    let link = |name: &str| html::link(&format!("#of-{name}"), &title(name));
    let links = names.map(|name| format!("<li>{}</li>\n", link(name)));
    let links: String = links.collect();
    format!("<ul class=\"contents\">\n{links}<li><a href=\"#bodies\">Bodies</a></li>\n</ul>\n")
}

fn described(operation: &Operation) -> String {
    let Operation { id, verb, path, summary, .. } = operation;
    let verb = verb.method();
    let mut text = format!(
        "<h3 id=\"{}\"><span class=\"verb\">{verb}</span> <code>{}</code></h3>\n<p>{}",
        escaped(id),
        escaped(path),
        inline(summary)
    );
    if let Some(required_scopes) = required_scopes(operation.access) {
        text.push_str(&format!(
            " <span class=\"faint\">Needs {}.</span>",
            inline(&required_scopes)
        ));
    }
    text.push_str("</p>\n");
    if !operation.parameters.is_empty() {
        let rows = operation.parameters.iter().map(parameter_row);
        text.push_str(&table("parameter", rows));
    }
    text + &bodies(operation)
}

fn parameter_row(parameter: &Parameter) -> String {
    let kind = match parameter.kind {
        ParameterKind::Text | ParameterKind::Pattern(_) => "text".to_owned(),
        ParameterKind::Timestamp => "RFC 3339 timestamp".to_owned(),
        ParameterKind::OneOf(words) => format!("one of {}", words().join(", ")),
        ParameterKind::ListOf(_) => "comma-separated list".to_owned(),
        ParameterKind::Number { .. } => "number".to_owned(),
        ParameterKind::Flag => "true or false".to_owned(),
    };
    row(parameter.name, &escaped(&kind), parameter.summary)
}

fn row(name: &str, kind: &str, summary: &str) -> String {
    let (name, summary) = (escaped(name), inline(summary));
    format!(
        "<tr><td><code>{name}</code></td><td class=\"faint\">{kind}</td><td>{summary}</td></tr>\n"
    )
}

fn table(first: &str, rows: impl Iterator<Item = String>) -> String {
    let rows: String = rows.collect();
    format!(
        "<table class=\"members\">\n<tr><th>{first}</th><th>value</th><th>meaning</th></tr>\n{rows}</table>\n"
    )
}

/// Describes the bodies of request and response.
fn bodies(operation: &Operation) -> String {
    let sent = match operation.request {
        RequestBody::None => String::new(),
        RequestBody::Bundle => "Send a git bundle. ".to_owned(),
        RequestBody::Packet | RequestBody::PacketWithWorkTree => "Send a packet. ".to_owned(),
        RequestBody::Document(body) | RequestBody::Json(body) => {
            format!("Send {}. ", link(&body.name()))
        }
        RequestBody::Optional(body) => format!("Optionally send {}. ", link(&body.name())),
    };
    let received = match operation.response {
        ResponseBody::None => "nothing".to_owned(),
        ResponseBody::Document(body) => link(&body.name()),
        ResponseBody::DocumentOrHtml(body) => format!("{} or a page", link(&body.name())),
        ResponseBody::Page(body) => format!("a page of {}", link(&body.name())),
        ResponseBody::Stream(body) => {
            format!("a page or a stream of {}", link(&body.name()))
        }
        ResponseBody::Packet => "the packet".to_owned(),
        ResponseBody::Bundle => "a git bundle".to_owned(),
        ResponseBody::Text(media) => format!("<code>{media}</code>"),
    };
    format!("<p>{sent}Returns {} with {received}.</p>\n", operation.success)
}

fn link(name: &str) -> String {
    html::link(&format!("#body-{name}"), name)
}

fn body_of(name: &str, schema: &Value) -> String {
    let heading = format!("<h3 id=\"body-{0}\">{0}</h3>\n", escaped(name));
    let text =
        |member: &str| schema[member].as_str().map(|text| format!("<p>{}</p>\n", inline(text)));
    let described = text("description").unwrap_or_default();
    let either = schema["oneOf"].as_array().map(|either| {
        let tables: Vec<String> = either.iter().filter_map(members_of).collect();
        tables.join("<p>or</p>\n")
    });
    let members = either.or_else(|| members_of(schema));
    let members = members.unwrap_or_else(|| "<p class=\"faint\">Any object.</p>\n".to_owned());
    heading + &described + &members
}

fn members_of(schema: &Value) -> Option<String> {
    let properties: &Map<String, Value> = schema["properties"].as_object()?;
    let required = schema["required"].as_array();
    let rows = properties.iter().map(|(name, of)| {
        let must = required.is_some_and(|names| names.iter().any(|one| one == name));
        let kind = kind_of(of) + if must { "" } else { ", optional" };
        row(name, &kind, of["description"].as_str().unwrap_or_default())
    });
    Some(table("member", rows))
}

/// Describes the type of a value.
fn kind_of(schema: &Value) -> String {
    if let Some(target) = schema["$ref"].as_str() {
        return link(target.rsplit('/').next().unwrap_or_default());
    }
    if let Some(words) = schema["enum"].as_array() {
        let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
        return escaped(&words.join(", "));
    }
    match &schema["type"] {
        Value::Array(kinds) => {
            let kinds: Vec<&str> = kinds.iter().filter_map(Value::as_str).map(word_of).collect();
            kinds.join(" or ")
        }
        Value::String(kind) if kind == "array" => format!("list of {}", kind_of(&schema["items"])),
        Value::String(_) if schema["format"] == "date-time" => "time".to_owned(),
        Value::String(kind) => word_of(kind).to_owned(),
        _ => "anything".to_owned(),
    }
}

fn word_of(kind: &str) -> &str {
    match kind {
        "string" => "text",
        "integer" => "number",
        "boolean" => "true or false",
        other => other,
    }
}
