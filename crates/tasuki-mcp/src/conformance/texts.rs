//! The resources and prompts of the suite.

use rmcp::model::{
    GetPromptResult, JsonObject, Prompt, ReadResourceResult, Resource, ResourceTemplate,
};
use serde_json::{Value, json};

use super::tools::PNG;
use super::{complete, fixed};

/// A resource that the suite subscribes to.
pub(super) const WATCHED: &str = "test://watched-resource";

const TEXT: &str = "test://static-text";
const BINARY: &str = "test://static-binary";

/// Returns the resources.
pub(super) fn resources() -> Vec<Resource> {
    let resource = |uri: &str, media: &str| {
        fixed(json!({ "uri": uri, "name": uri, "description": "A fixture", "mimeType": media }))
    };
    vec![
        resource(TEXT, "text/plain"),
        resource(BINARY, "image/png"),
        resource(WATCHED, "text/plain"),
    ]
}

/// Returns the template.
pub(super) fn template() -> ResourceTemplate {
    fixed(json!({ "uriTemplate": "test://template/{id}/data", "name": "template",
        "description": "A fixture", "mimeType": "application/json" }))
}

/// Returns the content of a resource of the suite.
pub(super) fn read(uri: &str) -> Option<ReadResourceResult> {
    let content = match uri {
        TEXT => json!({ "uri": uri, "mimeType": "text/plain",
            "text": "This is the content of the static text resource." }),
        BINARY => json!({ "uri": uri, "mimeType": "image/png", "blob": PNG }),
        WATCHED => json!({ "uri": uri, "mimeType": "text/plain", "text": "watched" }),
        _ => {
            let id = uri.strip_prefix("test://template/")?.strip_suffix("/data")?;
            let document =
                json!({ "id": id, "templateTest": true, "data": format!("Data for ID: {id}") });
            json!({ "uri": uri, "mimeType": "application/json", "text": document.to_string() })
        }
    };
    Some(complete(json!({ "contents": [content] })))
}

/// Returns the prompts.
pub(super) fn prompts() -> Vec<Prompt> {
    let prompt = |name: &str, arguments: &[&str]| {
        let arguments: Vec<Value> = arguments
            .iter()
            .map(|name| json!({ "name": name, "description": "An argument", "required": true }))
            .collect();
        fixed(json!({ "name": name, "description": "A fixture", "arguments": arguments }))
    };
    vec![
        prompt("test_simple_prompt", &[]),
        prompt("test_prompt_with_arguments", &["arg1", "arg2"]),
        prompt("test_prompt_with_embedded_resource", &["resourceUri"]),
        prompt("test_prompt_with_image", &[]),
        prompt("test_input_required_result_prompt", &[]),
    ]
}

/// Returns a prompt of the suite.
pub(super) fn prompt(name: &str, arguments: &JsonObject) -> Option<GetPromptResult> {
    let given = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default();
    let text = |said: String| json!({ "type": "text", "text": said });
    let contents = match name {
        "test_simple_prompt" => vec![text("This is a simple prompt for testing.".to_owned())],
        "test_prompt_with_arguments" => {
            let (first, second) = (given("arg1"), given("arg2"));
            vec![text(format!("Prompt with arguments: arg1='{first}', arg2='{second}'"))]
        }
        "test_prompt_with_embedded_resource" => {
            let resource = json!({ "uri": given("resourceUri"), "mimeType": "text/plain",
                "text": "Embedded resource content for testing." });
            let embedded = json!({ "type": "resource", "resource": resource });
            vec![embedded, text("Please process the embedded resource above.".to_owned())]
        }
        "test_prompt_with_image" => {
            let image = json!({ "type": "image", "data": PNG, "mimeType": "image/png" });
            vec![image, text("Please analyze the image above.".to_owned())]
        }
        _ => return None,
    };
    let message = |content| json!({ "role": "user", "content": content });
    let messages: Vec<Value> = contents.into_iter().map(message).collect();
    Some(complete(json!({ "messages": messages })))
}
