//! The handoff extension: the tools as methods of the protocol, for clients that declare it.
//!
//! A method has the arguments of its tool as parameters and the content of the tool's result as its
//! result. A refusal is an error whose code is the status of the HTTP interface. The document is
//! `docs/spec/mcp-extension.md`.

use rmcp::ErrorData;
use rmcp::model::{ClientCapabilities, CustomResult, ErrorCode, JsonObject};
use serde_json::{Value, json};

use crate::exchange::Refusal;
use crate::tool::{Answer, Entry};
use crate::tools::TOOLS;

/// The identifier: the reversed domain of `NAMES_BASE`, and a name.
pub(crate) const IDENTIFIER: &str = "dev.tasuki/handoff";

/// The version in the settings of both sides.
const VERSION: &str = "1.0";

/// The beginning of every method, and that of the tool it is an alias of.
const PREFIXES: (&str, &str) = ("handoff/", "handoff_");

/// Returns the settings that the server declares.
pub(crate) fn settings() -> JsonObject {
    let methods: Vec<String> = TOOLS.iter().filter_map(method).collect();
    let mut settings = JsonObject::new();
    settings.insert("version".to_owned(), json!(VERSION));
    settings.insert("methods".to_owned(), json!(methods));
    settings
}

fn method(tool: &Entry) -> Option<String> {
    Some(format!("{}{}", PREFIXES.0, tool.definition.name.strip_prefix(PREFIXES.1)?))
}

/// Returns the tool that a method is an alias of.
pub(crate) fn find(name: &str) -> Option<&'static Entry> {
    TOOLS.iter().find(|tool| method(tool).as_deref() == Some(name))
}

/// Refuses a client that did not declare the extension.
pub(crate) fn require(client: Option<ClientCapabilities>) -> Result<(), ErrorData> {
    let declared = client.and_then(|client| client.extensions);
    if declared.is_some_and(|extensions| extensions.contains_key(IDENTIFIER)) {
        return Ok(());
    }
    let extensions = [(IDENTIFIER.to_owned(), JsonObject::new())].into();
    let required = ClientCapabilities::builder().enable_extensions_with(extensions).build();
    Err(ErrorData::missing_required_client_capability(required))
}

/// Returns the arguments in the parameters of a method.
pub(crate) fn arguments(params: Option<Value>) -> Result<JsonObject, ErrorData> {
    match params {
        None => Ok(JsonObject::new()),
        Some(Value::Object(mut members)) => {
            members.shift_remove("_meta");
            Ok(members)
        }
        Some(_) => Err(ErrorData::invalid_params("the parameters must be an object", None)),
    }
}

/// Returns the result of a method. Clients with a handshake know no `resultType`.
pub(crate) fn result(
    ended: Result<Answer, Refusal>,
    is_modern: bool,
) -> Result<CustomResult, ErrorData> {
    let mut content = ended.map_err(|refusal| error(&refusal))?.content;
    if is_modern {
        content["resultType"] = json!("complete");
    }
    Ok(CustomResult::new(content))
}

/// Returns a refusal as an error. Its code is outside the range of the protocol.
fn error(refusal: &Refusal) -> ErrorData {
    let code = refusal.status.map_or(ErrorCode::INTERNAL_ERROR, |status| ErrorCode(status.into()));
    let hint = refusal.hint.as_ref().map(|hint| json!({ "hint": hint }));
    ErrorData::new(code, refusal.message.clone(), hint)
}

#[cfg(test)]
mod tests {
    use tasuki_packet::schema::NAMES_BASE;
    use tasuki_packet::schema::field::FIELDS;

    use super::*;

    const DOCUMENT: &str = include_str!("../../../docs/spec/mcp-extension.md");

    #[test]
    fn the_identifier_is_the_reversed_domain_of_all_names() {
        let domain = NAMES_BASE.strip_prefix("https://").unwrap();
        let reversed: Vec<&str> = domain.rsplit('.').collect();
        assert_eq!(IDENTIFIER, format!("{}/handoff", reversed.join(".")));
        assert!(!["mcp", "modelcontextprotocol"].contains(&reversed[1]), "reserved");
    }

    #[test]
    fn every_tool_has_a_method_and_every_method_is_documented() {
        let settings = settings();
        let methods = settings["methods"].as_array().unwrap();
        assert_eq!(methods.len(), TOOLS.len());
        for name in methods.iter().map(|name| name.as_str().unwrap()) {
            assert!(find(name).is_some(), "{name}");
            assert!(DOCUMENT.contains(&format!("`{name}`")), "{name}");
        }
        assert!(find("handoff/decide").is_none());
    }

    #[test]
    fn the_field_map_has_every_field_of_a_packet() {
        let (_, map) = DOCUMENT.split_once("## Field map").unwrap();
        for field in FIELDS {
            assert!(map.contains(&format!("`{}`", field.name)), "{}", field.name);
        }
    }

    #[test]
    fn the_code_of_an_error_is_outside_the_range_of_the_protocol() {
        let refused = Refusal { status: Some(409), ..Refusal::new("stale", "stop") };
        assert_eq!(error(&refused).code.0, 409);
        assert_eq!(error(&refused).data, Some(json!({ "hint": "stop" })));
    }
}
