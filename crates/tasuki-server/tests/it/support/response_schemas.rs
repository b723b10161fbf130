//! Validates every response of every test against the OpenAPI document.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex};

use jsonschema::Validator;
use serde_json::{Value, json};
use tasuki_server::openapi::document;

use crate::support::client::Answer;

static DOCUMENT: LazyLock<Value> = LazyLock::new(document);
static VALIDATORS: LazyLock<Mutex<HashMap<String, Arc<Validator>>>> = LazyLock::new(Mutex::default);

/// Panics if a response does not match the OpenAPI document.
pub(crate) fn check_response(verb: &str, path: &str, answer: &Answer) {
    let path = path.split('?').next().unwrap_or_default();
    let Some(operation) = described(path, verb) else { return };
    let status = answer.status.to_string();
    let response = &operation["responses"][&status];
    assert!(response.is_object(), "{verb} {path}: no word of {status}: {}", answer.text);
    let media = answer.header("content-type").unwrap_or_default();
    let media = media.split(';').next().unwrap_or_default();
    let Some(content) = response.get("content") else {
        assert!(answer.text.is_empty(), "{verb} {path}: no word of a body: {}", answer.text);
        return;
    };
    assert!(content.get(media).is_some(), "{verb} {path}: no word of `{media}`: {}", answer.text);
    if media.ends_with("json") {
        let wrong: Vec<String> = validator(&content[media]["schema"])
            .iter_errors(&answer.body)
            .map(|error| format!("{} at {}", error, error.instance_path()))
            .collect();
        assert!(wrong.is_empty(), "{verb} {path}: {}\n{}", wrong.join("\n"), answer.text);
    }
}

fn described(path: &str, verb: &str) -> Option<&'static Value> {
    DOCUMENT["paths"].get(path_of(path))?.get(verb.to_lowercase())
}

/// Returns the path template of a path.
fn path_of(path: &str) -> String {
    let is_it = |known: &&String| {
        let (mut left, mut right) = (known.split('/'), path.split('/'));
        loop {
            match (left.next(), right.next()) {
                (None, None) => return true,
                (Some(one), Some(other)) if one == other || one.starts_with('{') => {}
                _ => return false,
            }
        }
    };
    let paths = DOCUMENT["paths"].as_object().unwrap();
    let exact = paths.keys().find(|known| *known == path);
    exact.or_else(|| paths.keys().find(is_it)).cloned().unwrap_or_default()
}

/// Returns the validator of a schema, created on first use.
fn validator(schema: &Value) -> Arc<Validator> {
    let mut known = VALIDATORS.lock().unwrap();
    let made = || {
        let mut schema = schema.clone();
        schema["components"] = json!({ "schemas": DOCUMENT["components"]["schemas"] });
        Arc::new(jsonschema::validator_for(&schema).unwrap())
    };
    Arc::clone(known.entry(schema.to_string()).or_insert_with(made))
}
