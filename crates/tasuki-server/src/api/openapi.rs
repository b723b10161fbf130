//! The OpenAPI 3.1 document, made of the table of operations and the schemas of bodies. It is committed
//! as `schemas/openapi.json` and compared.

use axum::http::StatusCode;
use serde_json::{Map, Value, json};
use tasuki_engine::limits::KEY_CHARACTERS_MAX;
use tasuki_engine::rules::scopes::RequiredScopes;

use crate::api::operations::{
    ALL, Access, Operation, Parameter, ParameterKind, RequestBody, ResponseBody, SHOW_PACKET, Verb,
};
use crate::api::schemas;

/// The description of the whole interface.
pub fn document() -> Value {
    let mut paths = Map::new();
    for operation in ALL {
        let path = paths.entry(operation.path).or_insert_with(|| json!({}));
        path[verb(operation.verb)] = described(operation);
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
                    "description": "Without TLS on the machine of the server (`localhost`, `127.0.0.1`, \
                        `[::1]`) the cookie is called `tasuki`.",
                },
            },
            "schemas": schemas::all(),
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

fn described(operation: &Operation) -> Value {
    let mut described = json!({
        "operationId": operation.id,
        "summary": operation.summary,
        "responses": responses(operation),
    });
    let parameters = parameters(operation);
    if !parameters.is_empty() {
        described["parameters"] = Value::Array(parameters);
    }
    if let Some(body) = request_body(operation.request) {
        described["requestBody"] = body;
    }
    described["security"] = match operation.access {
        Access::Public => json!([]),
        Access::Credential(_) => json!([{ "token": [] }, { "session": [] }]),
    };
    if let Some(words) = required_scopes(operation.access) {
        described["description"] = json!(format!("Needs {words}."));
    }
    described
}

/// The scopes that an operation requires, in words.
pub(crate) fn required_scopes(access: Access) -> Option<String> {
    let (scopes, between) = match access {
        Access::Public | Access::Credential(RequiredScopes::Nothing) => return None,
        Access::Credential(RequiredScopes::All(scopes)) => (scopes, " and "),
        Access::Credential(RequiredScopes::Any(scopes)) => (scopes, " or "),
    };
    let words: Vec<String> = scopes.iter().map(|scope| format!("`{}`", scope.as_str())).collect();
    Some(format!("the scope {}", words.join(between)))
}

/// Names in the path, parameters of the query, headers that count.
fn parameters(operation: &Operation) -> Vec<Value> {
    let in_path = operation.path.split('/').filter_map(|part| part.strip_prefix('{'));
    let names = in_path.map(|part| part.trim_end_matches('}'));
    let mut all: Vec<Value> = names.map(|name| path_parameter(operation.path, name)).collect();
    all.extend(operation.parameters.iter().map(query_parameter));
    // Commands are remembered by their key, alone and in a batch, and nothing else is.
    if matches!(operation.response, ResponseBody::Document("Answer" | "BatchAnswers")) {
        all.push(idempotency_key());
    }
    if operation.access != Access::Public {
        all.push(header("Tasuki-Project", "The project, where a session asks."));
    }
    if operation.is_conditional() {
        all.push(header("If-Match", "The `ETag` of what you saw; refused if it changed."));
    }
    if operation.id == "events" {
        all.push(header("Last-Event-ID", "A stream goes on after this event."));
    }
    if operation.id == "inbox" {
        all.push(header("Prefer", "`wait=30` answers when something waits for you."));
    }
    all
}

fn path_parameter(path: &str, name: &str) -> Value {
    let meaning = match name {
        "id" => "Its id; a handoff also by an ending of 4 or more digits, or by its task.",
        "task" => "The task, or any handoff of it.",
        _ => "Its name.",
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
            json!({ "type": "array", "items": { "type": "string", "enum": words() } })
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
        // One parameter with commas, not one for each word.
        all["explode"] = json!(false);
    }
    all
}

fn idempotency_key() -> Value {
    let mut key = header("Idempotency-Key", "Repeating the request with the same key is safe.");
    key["schema"]["pattern"] = json!(format!("^[!-~]{{1,{KEY_CHARACTERS_MAX}}}$"));
    key
}

fn header(name: &str, summary: &str) -> Value {
    let schema = json!({ "type": "string" });
    json!({ "name": name, "in": "header", "required": false, "description": summary, "schema": schema })
}

fn request_body(request: RequestBody) -> Option<Value> {
    let forms = |schema: Value| json!({ "application/json": { "schema": schema }, "application/yaml": { "schema": schema } });
    let (content, required) = match request {
        RequestBody::None => return None,
        RequestBody::Packet => {
            let mut content = forms(schemas::named("Packet"));
            content["text/markdown"] = json!({ "schema": { "type": "string" } });
            (content, true)
        }
        RequestBody::Document(name) => (forms(schemas::named(name)), true),
        RequestBody::Optional(name) => (forms(schemas::named(name)), false),
        RequestBody::Json(name) => {
            (json!({ "application/json": { "schema": schemas::named(name) } }), true)
        }
    };
    Some(json!({ "required": required, "content": content }))
}

fn responses(operation: &Operation) -> Value {
    let mut all = Map::new();
    for status in statuses(operation) {
        let words = StatusCode::from_u16(status).ok().and_then(|status| status.canonical_reason());
        let mut response = json!({ "description": words.unwrap_or("Answered") });
        let content = match status {
            304 => None,
            200..300 => success_content(operation.response),
            _ => {
                let schema = schemas::named("Problem");
                Some(json!({ "application/problem+json": { "schema": schema } }))
            }
        };
        if let Some(content) = content {
            response["content"] = content;
        }
        all.insert(status.to_string(), response);
    }
    Value::Object(all)
}

/// Every status that an operation may answer with.
fn statuses(operation: &Operation) -> Vec<u16> {
    let mut all = vec![operation.success, 421, 422, 429, 500, 503];
    if operation.success == 201 {
        all.push(200);
    }
    if operation.access != Access::Public || operation.request == RequestBody::Document("SignIn") {
        all.extend([401, 403, 404]);
    }
    if operation.path.contains('{') || operation.parameters.iter().any(|one| one.name == "variant")
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
    all.sort_unstable();
    all.dedup();
    all
}

fn success_content(response: ResponseBody) -> Option<Value> {
    let in_json = |schema: Value| Some(json!({ "application/json": { "schema": schema } }));
    let text = || json!({ "schema": { "type": "string" } });
    match response {
        ResponseBody::None => None,
        ResponseBody::Document(name) => in_json(schemas::named(name)),
        ResponseBody::DocumentOrHtml(name) => {
            let schema = schemas::named(name);
            Some(json!({ "application/json": { "schema": schema }, "text/html": text() }))
        }
        ResponseBody::Page(name) => in_json(schemas::page(name)),
        ResponseBody::Stream(name) => Some(json!({
            "application/json": { "schema": schemas::page(name) },
            "text/event-stream": text(),
        })),
        ResponseBody::Packet => {
            let either =
                json!({ "anyOf": [schemas::named("Packet"), schemas::named("Continuation")] });
            Some(json!({
                "application/json": { "schema": either },
                "application/yaml": { "schema": schemas::named("Packet") },
                "text/markdown": text(),
                "text/html": text(),
                "text/plain": text(),
            }))
        }
        ResponseBody::Text(media) => Some(json!({ media: text() })),
    }
}
