//! The tools of the suite with fixed answers, and those that notify or ask a client with a handshake.

use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResult, ClientCapabilities, ClientResult,
    LoggingMessageNotification, ProgressNotificationParam, ServerNotification, ServerRequest, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::{Value, json};
use tokio::time::sleep;

use super::{Changed, FixtureHandler, complete, fixed, input_required};

/// A picture of one red pixel.
pub(super) const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";

/// A recording without samples.
const WAV: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=";

/// The time between two notifications of a tool.
const PAUSE: Duration = Duration::from_millis(50);

type Result<T> = std::result::Result<T, ErrorData>;

/// The names of the tools without arguments.
const WITHOUT_ARGUMENTS: &[&str] = &[
    "test_simple_text",
    "test_image_content",
    "test_audio_content",
    "test_embedded_resource",
    "test_multiple_content_types",
    "test_error_handling",
    "test_tool_with_progress",
    "test_tool_with_logging",
    "test_logging_tool",
    "test_missing_capability",
    "test_trigger_tool_change",
    "test_trigger_prompt_change",
    "test_elicitation_sep1034_defaults",
    "test_elicitation_sep1330_enums",
];

/// Returns the definition of every tool of the suite.
pub(super) fn definitions() -> Vec<Tool> {
    let names = WITHOUT_ARGUMENTS.iter().chain(input_required::TOOLS);
    let mut all: Vec<Tool> = names.map(|name| tool(name, &json!({ "type": "object" }))).collect();
    for (name, argument) in [("test_sampling", "prompt"), ("test_elicitation", "message")] {
        let schema = json!({ "type": "object", "properties": { argument: { "type": "string" } },
            "required": [argument] });
        all.push(tool(name, &schema));
    }
    let header = json!({ "type": "string", "x-mcp-header": "Region" });
    let schema = json!({ "type": "object", "properties": { "region": header } });
    all.push(tool("test_custom_header", &schema));
    all.push(tool("json_schema_2020_12_tool", &rich_schema()));
    all
}

fn tool(name: &str, schema: &Value) -> Tool {
    fixed(json!({ "name": name, "description": "A fixture of the suite", "inputSchema": schema }))
}

/// A schema with keywords that a server must pass on as they are.
fn rich_schema() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": { "street": { "type": "string" }, "city": { "type": "string" } },
            },
        },
        "properties": {
            "name": { "type": "string" },
            "address": { "$ref": "#/$defs/address" },
            "contactMethod": { "type": "string", "enum": ["phone", "email"] },
            "phone": { "type": "string" },
            "email": { "type": "string" },
        },
        "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
        "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
        "then": { "required": ["phone"] },
        "else": { "required": ["email"] },
        "additionalProperties": false,
    })
}

/// Answers a call, if the tool is one of the suite.
pub(super) async fn call(
    handler: &FixtureHandler,
    request: &CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Option<Result<CallToolResult>> {
    let argument = |name: &str| {
        let given = request.arguments.as_ref().and_then(|all| all.get(name)?.as_str());
        given.unwrap_or_default().to_owned()
    };
    Some(match request.name.as_ref() {
        "test_tool_with_progress" => with_progress(context).await,
        "test_tool_with_logging" => with_logging(context).await,
        "test_missing_capability" => needs_sampling(context),
        "test_sampling" => sampled(context, &argument("prompt")).await,
        "test_elicitation" => asked(context, &argument("message"), &two_texts()).await,
        "test_elicitation_sep1034_defaults" => asked(context, "Defaults", &defaults()).await,
        "test_elicitation_sep1330_enums" => asked(context, "Choices", &choices()).await,
        "test_trigger_tool_change" => {
            handler.announce(Changed::Tools);
            Ok(text("announced"))
        }
        "test_trigger_prompt_change" => {
            handler.announce(Changed::Prompts);
            Ok(text("announced"))
        }
        name => Ok(answer(name)?),
    })
}

/// Returns the answer of a tool that always gives the same.
fn answer(name: &str) -> Option<CallToolResult> {
    let image = json!({ "type": "image", "data": PNG, "mimeType": "image/png" });
    let resource = |uri: &str, media: &str, text: &str| {
        let resource = json!({ "uri": uri, "mimeType": media, "text": text });
        json!({ "type": "resource", "resource": resource })
    };
    let content = match name {
        "test_simple_text" => return Some(text("This is a simple text response for testing.")),
        "test_logging_tool" | "test_custom_header" | "json_schema_2020_12_tool" => {
            return Some(text("done"));
        }
        "test_error_handling" => {
            let said = [
                ("type", "text"),
                ("text", "This tool intentionally returns an error for testing"),
            ];
            let said: Value = said.into_iter().collect();
            return Some(complete(json!({ "isError": true, "content": [said] })));
        }
        "test_image_content" => vec![image],
        "test_audio_content" => {
            vec![json!({ "type": "audio", "data": WAV, "mimeType": "audio/wav" })]
        }
        "test_embedded_resource" => {
            let said = "This is an embedded resource content.";
            vec![resource("test://embedded-resource", "text/plain", said)]
        }
        "test_multiple_content_types" => {
            let document = r#"{"test":"data","value":123}"#;
            let first = json!({ "type": "text", "text": "Multiple content types test:" });
            vec![
                first,
                image,
                resource("test://mixed-content-resource", "application/json", document),
            ]
        }
        _ => return None,
    };
    Some(complete(json!({ "content": content })))
}

pub(super) fn text(said: &str) -> CallToolResult {
    complete(json!({ "content": [{ "type": "text", "text": said }] }))
}

async fn with_progress(context: &RequestContext<RoleServer>) -> Result<CallToolResult> {
    for done in [0.0, 50.0, 100.0] {
        if let Some(token) = context.meta.get_progress_token() {
            let progress = ProgressNotificationParam::new(token, done).with_total(100.0);
            drop(context.peer.notify_progress(progress).await);
        }
        sleep(PAUSE).await;
    }
    Ok(text("made progress"))
}

async fn with_logging(context: &RequestContext<RoleServer>) -> Result<CallToolResult> {
    for said in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
        let message: LoggingMessageNotification = fixed(json!({
            "method": "notifications/message", "params": { "level": "info", "data": said },
        }));
        let message = ServerNotification::LoggingMessageNotification(message);
        drop(context.peer.send_notification(message).await);
        sleep(PAUSE).await;
    }
    Ok(text("logged"))
}

fn needs_sampling(context: &RequestContext<RoleServer>) -> Result<CallToolResult> {
    if context.client_capabilities().is_some_and(|client| client.sampling.is_some()) {
        return Ok(text("sampling is declared"));
    }
    let required = ClientCapabilities::builder().enable_sampling().build();
    Err(ErrorData::missing_required_client_capability(required))
}

/// Sends a request to a client with a handshake.
async fn client(context: &RequestContext<RoleServer>, request: Value) -> Result<ClientResult> {
    let request: ServerRequest = fixed(request);
    let sent = context.peer.send_request(request).await;
    sent.map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

async fn sampled(context: &RequestContext<RoleServer>, prompt: &str) -> Result<CallToolResult> {
    let content = json!({ "type": "text", "text": prompt });
    let params = json!({ "messages": [{ "role": "user", "content": content }], "maxTokens": 100 });
    let request = json!({ "method": "sampling/createMessage", "params": params });
    match client(context, request).await? {
        ClientResult::CreateMessageResult(result) => {
            Ok(text(&format!("LLM response: {:?}", result.message.content)))
        }
        _ => Err(ErrorData::internal_error("unexpected answer of the client", None)),
    }
}

async fn asked(
    context: &RequestContext<RoleServer>,
    message: &str,
    schema: &Value,
) -> Result<CallToolResult> {
    let params = json!({ "message": message, "requestedSchema": schema });
    let request = json!({ "method": "elicitation/create", "params": params });
    match client(context, request).await? {
        ClientResult::ElicitResult(result) => {
            let (action, content) = (&result.action, &result.content);
            Ok(text(&format!("User response: action={action:?}, content={content:?}")))
        }
        _ => Err(ErrorData::internal_error("unexpected answer of the client", None)),
    }
}

fn two_texts() -> Value {
    json!({
        "type": "object",
        "properties": {
            "username": { "type": "string", "description": "User's response" },
            "email": { "type": "string", "description": "User's email address" },
        },
        "required": ["username", "email"],
    })
}

fn defaults() -> Value {
    json!({
        "type": "object",
        "properties": {
            "name": { "type": "string", "default": "John Doe" },
            "age": { "type": "integer", "default": 30 },
            "score": { "type": "number", "default": 95.5 },
            "status": { "type": "string", "enum": ["active", "inactive", "pending"], "default": "active" },
            "verified": { "type": "boolean", "default": true },
        },
    })
}

fn choices() -> Value {
    let options = json!(["option1", "option2", "option3"]);
    let titled = json!([
        { "const": "value1", "title": "First" },
        { "const": "value2", "title": "Second" },
        { "const": "value3", "title": "Third" },
    ]);
    json!({
        "type": "object",
        "properties": {
            "untitledSingle": { "type": "string", "enum": options },
            "titledSingle": { "type": "string", "oneOf": titled },
            "legacyEnum": { "type": "string", "enum": ["opt1", "opt2", "opt3"],
                "enumNames": ["Option One", "Option Two", "Option Three"] },
            "untitledMulti": { "type": "array", "items": { "type": "string", "enum": options } },
            "titledMulti": { "type": "array", "items": { "anyOf": titled } },
        },
    })
}
