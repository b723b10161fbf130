//! The OpenAPI 3.1 document, derived from the table of operations and the types of the bodies.
//!
//! It is committed as `schemas/openapi.json`, and a test compares the two.

use axum::http::StatusCode;
use serde_json::{Map, Value, json};
use tasuki_api::handoff::PACKET_REQUEST_MEDIA;
use tasuki_api::schema::{Body, Packet, Schemas};
use tasuki_api::snapshot::BUNDLE_MEDIA;
use tasuki_api::{
    BatchResponse, CommandResponse, Continuation, PacketRequest, Problem, SignInRequest,
};
use tasuki_engine::limits::KEY_CHARACTERS_MAX;
use tasuki_engine::rules::scopes::RequiredScopes;

use crate::api::links;
use crate::api::operations::{
    ALL, Access, Operation, Parameter, ParameterKind, RequestBody, ResponseBody, SHOW_PACKET, Verb,
};

/// Returns the OpenAPI document of the whole interface.
pub fn document() -> Value {
    let mut schemas = Schemas::default();
    let mut paths = Map::new();
    for operation in ALL {
        let path = paths.entry(operation.path).or_insert_with(|| json!({}));
        path[verb(operation.verb)] = described(operation, &mut schemas);
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Tasuki",
            "version": "1",
            "description": "The handoff exchange for AI agents and the people they work with.",
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
        },
        "servers": [{ "url": "/" }],
        "paths": paths,
        "components": {
            "securitySchemes": {
                "token": { "type": "http", "scheme": "bearer" },
                "session": {
                    "type": "apiKey",
                    "in": "cookie",
                    "name": "__Host-tasuki",
                    "description": "On `localhost`, `127.0.0.1` and `[::1]` without TLS, the cookie is \
                        named `tasuki`.",
                },
            },
            "schemas": schemas.into_definitions(),
        },
    })
}

const fn verb(verb: Verb) -> &'static str {
    match verb {
        Verb::Get => "get",
        Verb::Post => "post",
        Verb::Put => "put",
        Verb::Patch => "patch",
        Verb::Delete => "delete",
    }
}

fn described(operation: &Operation, schemas: &mut Schemas) -> Value {
    let mut described = json!({
        "operationId": operation.id,
        "summary": operation.summary,
        "responses": responses(operation, schemas),
    });
    let parameters = parameters(operation);
    if !parameters.is_empty() {
        described["parameters"] = Value::Array(parameters);
    }
    if let Some(body) = request_body(operation.request, schemas) {
        described["requestBody"] = body;
    }
    described["security"] = match operation.access {
        Access::Public => json!([]),
        Access::Credential(_) => json!([{ "token": [] }, { "session": [] }]),
    };
    if let Some(scopes) = required_scopes(operation.access) {
        described["description"] = json!(format!("Needs {scopes}."));
    }
    described
}

/// Returns the scopes that an operation requires, as text.
pub(crate) fn required_scopes(access: Access) -> Option<String> {
    let (scopes, between) = match access {
        Access::Public | Access::Credential(RequiredScopes::Nothing) => return None,
        Access::Credential(RequiredScopes::All(scopes)) => (scopes, " and "),
        Access::Credential(RequiredScopes::Any(scopes)) => (scopes, " or "),
    };
    let words: Vec<String> = scopes.iter().map(|scope| format!("`{}`", scope.as_str())).collect();
    Some(format!("the scope {}", words.join(between)))
}

/// Returns the path parameters, the query parameters and the headers of an operation.
fn parameters(operation: &Operation) -> Vec<Value> {
    let in_path = operation.path.split('/').filter_map(|part| part.strip_prefix('{'));
    let names = in_path.map(|part| part.trim_end_matches('}'));
    let mut all: Vec<Value> = names.map(|name| path_parameter(operation.path, name)).collect();
    all.extend(operation.parameters.iter().map(query_parameter));
    if is_idempotent(operation.response) {
        all.push(idempotency_key());
    }
    if operation.access != Access::Public {
        all.push(header("Tasuki-Project", "The project, for a request with a session."));
    }
    if operation.is_conditional() {
        all.push(header(
            "If-Match",
            "The `ETag` that the caller saw. Refused if it has changed. `*` names no version.",
        ));
    }
    if operation.id == "events" {
        all.push(header("Last-Event-ID", "The last received event. A stream continues after it."));
    }
    if operation.id == "inbox" {
        all.push(header("Prefer", "`wait=30` waits up to 30 seconds for something new."));
    }
    all
}

/// Returns `true` for commands and batches. The server remembers nothing else by its key.
fn is_idempotent(response: ResponseBody) -> bool {
    let commands = [Body::of::<CommandResponse>(), Body::of::<BatchResponse>()];
    matches!(response, ResponseBody::Document(body) if commands.contains(&body))
}

fn path_parameter(path: &str, name: &str) -> Value {
    let meaning = match name {
        "id" => {
            "The id. A handoff may also be named by an ending of 4 or more digits, or by its task."
        }
        "task" => "The task, or any handoff of it.",
        _ => "The name.",
    };
    let schema = match path.split('/').nth(2) {
        Some("claims") => json!({ "type": "string", "pattern": "^clm_[0-9a-f]{32}$" }),
        _ => json!({ "type": "string", "minLength": 1 }),
    };
    json!({ "name": name, "in": "path", "required": true, "description": meaning, "schema": schema })
}

fn query_parameter(parameter: &Parameter) -> Value {
    let schema = match parameter.kind {
        ParameterKind::Text => json!({ "type": "string" }),
        ParameterKind::Pattern(pattern) => json!({ "type": "string", "pattern": pattern }),
        ParameterKind::Timestamp => json!({ "type": "string", "format": "date-time" }),
        ParameterKind::OneOf(words) => json!({ "type": "string", "enum": words() }),
        ParameterKind::ListOf(words) => {
            json!({ "type": "array", "minItems": 1, "items": { "type": "string", "enum": words() } })
        }
        ParameterKind::Number { min, max } => {
            json!({ "type": "integer", "minimum": min, "maximum": max })
        }
        ParameterKind::Flag => json!({ "type": "boolean" }),
    };
    let Parameter { name, summary, .. } = parameter;
    let required = *name == "q";
    let mut all = json!({ "name": name, "in": "query", "required": required, "description": summary, "schema": schema });
    if matches!(parameter.kind, ParameterKind::ListOf(_)) {
        // One parameter with commas, not one parameter per word.
        all["explode"] = json!(false);
    }
    all
}

fn idempotency_key() -> Value {
    let mut key = header("Idempotency-Key", "Makes it safe to repeat the request.");
    key["schema"]["pattern"] = json!(format!("^[!-~]{{1,{KEY_CHARACTERS_MAX}}}$"));
    key
}

fn header(name: &str, summary: &str) -> Value {
    let schema = json!({ "type": "string" });
    json!({ "name": name, "in": "header", "required": false, "description": summary, "schema": schema })
}

fn request_body(request: RequestBody, schemas: &mut Schemas) -> Option<Value> {
    let forms = |schema: Value| json!({ "application/json": { "schema": schema }, "application/yaml": { "schema": schema } });
    let (content, required) = match request {
        RequestBody::None => return None,
        RequestBody::Packet | RequestBody::PacketWithWorkTree => {
            let mut content = forms(schemas.request::<Packet>());
            content["text/markdown"] = json!({ "schema": { "type": "string" } });
            if request == RequestBody::PacketWithWorkTree {
                let schema = schemas.request::<PacketRequest>();
                content[PACKET_REQUEST_MEDIA] = json!({ "schema": schema });
            }
            (content, true)
        }
        RequestBody::Bundle => (bundle(), true),
        RequestBody::Document(body) => (forms(body.request(schemas)), true),
        RequestBody::Optional(body) => (forms(body.request(schemas)), false),
        RequestBody::Json(body) => {
            (json!({ "application/json": { "schema": body.request(schemas) } }), true)
        }
    };
    Some(json!({ "required": required, "content": content }))
}

/// Returns the content of a git bundle.
fn bundle() -> Value {
    json!({ BUNDLE_MEDIA: { "schema": { "type": "string", "format": "binary" } } })
}

fn responses(operation: &Operation, schemas: &mut Schemas) -> Value {
    let mut all = Map::new();
    for status in statuses(operation) {
        let phrase = StatusCode::from_u16(status).ok().and_then(|status| status.canonical_reason());
        let mut response = json!({ "description": phrase.unwrap_or("Response") });
        let content = match status {
            304 => None,
            200..300 => success_content(operation.response, schemas),
            _ => {
                let schema = schemas.response::<Problem>();
                Some(json!({ "application/problem+json": { "schema": schema } }))
            }
        };
        if let Some(content) = content {
            response["content"] = content;
        }
        if let Some(links) = links::of(operation).filter(|_| (200..300).contains(&status)) {
            response["links"] = links;
        }
        all.insert(status.to_string(), response);
    }
    Value::Object(all)
}

/// Returns every status that an operation may respond with.
fn statuses(operation: &Operation) -> Vec<u16> {
    let mut all = vec![operation.success, 421, 422, 429, 500, 503];
    if operation.success == 201 {
        all.push(200);
    }
    let is_sign_in = operation.request == RequestBody::document::<SignInRequest>();
    if operation.access != Access::Public || is_sign_in {
        all.extend([401, 403, 404]);
    }
    let has_mail_code = matches!(operation.id, "view_mail_code" | "redeem_mail_code");
    if has_mail_code
        || operation.path.contains('{')
        || operation.parameters.iter().any(|one| one.name == "variant")
    {
        all.push(404);
    }
    if operation.path == SHOW_PACKET.path {
        all.push(304);
    }
    if operation.request != RequestBody::None {
        all.extend([408, 413, 415]);
    }
    if operation.access != Access::Public || !operation.is_read() {
        all.extend([403, 409]);
    }
    if !operation.is_read() {
        all.extend([410, 412, 507]);
    }
    if matches!(operation.id, "decide" | "revise" | "verify") {
        all.push(428);
    }
    all.sort_unstable();
    all.dedup();
    all
}

fn success_content(response: ResponseBody, schemas: &mut Schemas) -> Option<Value> {
    let in_json = |schema: Value| Some(json!({ "application/json": { "schema": schema } }));
    let text = || json!({ "schema": { "type": "string" } });
    match response {
        ResponseBody::None => None,
        ResponseBody::Document(body) => in_json(body.response(schemas)),
        ResponseBody::DocumentOrHtml(body) => {
            let schema = body.response(schemas);
            Some(json!({ "application/json": { "schema": schema }, "text/html": text() }))
        }
        ResponseBody::Page(body) => in_json(body.page(schemas)),
        ResponseBody::Stream(body) => Some(json!({
            "application/json": { "schema": body.page(schemas) },
            "text/event-stream": text(),
        })),
        ResponseBody::Packet => {
            let packet = schemas.response::<Packet>();
            let either = json!({ "anyOf": [packet, schemas.response::<Continuation>()] });
            Some(json!({
                "application/json": { "schema": either },
                "application/yaml": { "schema": packet },
                "text/markdown": text(),
                "text/html": text(),
                "text/plain": text(),
            }))
        }
        ResponseBody::Text(media) => Some(json!({ media: text() })),
        ResponseBody::Bundle => Some(bundle()),
    }
}
