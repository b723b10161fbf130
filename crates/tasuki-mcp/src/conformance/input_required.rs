//! The tools and the prompt of the suite that ask a client without a handshake for input.
//!
//! The state of a call is a name that this module knows, so any other one is refused.

use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ClientCapabilities, ErrorData, GetPromptRequestParams,
    GetPromptResponse, InputRequiredResult, InputResponses,
};
use rmcp::service::RequestContext;
use serde_json::{Map, Value, json};

use super::tools::text;
use super::{complete, fixed};

/// The names of the tools.
pub(super) const TOOLS: &[&str] = &[
    "test_input_required_result_elicitation",
    "test_input_required_result_sampling",
    "test_input_required_result_list_roots",
    "test_input_required_result_request_state",
    "test_input_required_result_multiple_inputs",
    "test_input_required_result_multi_round",
    "test_input_required_result_tampered_state",
    "test_input_required_result_capabilities",
    "test_streaming_elicitation",
];

/// Answers a call, if the tool is one of these.
pub(super) fn call(
    request: &CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Option<Result<CallToolResponse, ErrorData>> {
    let responses = request.input_responses.clone().unwrap_or_default();
    let round = Round { responses, state: request.request_state.as_deref() };
    let client = context.client_capabilities().unwrap_or_default();
    Some(match request.name.strip_prefix("test_")? {
        "input_required_result_elicitation" | "streaming_elicitation" => Ok(round.greeting()),
        "input_required_result_sampling" => Ok(round.until(&["capital_question"], None)),
        "input_required_result_list_roots" => Ok(round.until(&["client_roots"], None)),
        "input_required_result_request_state" => round.with_state("state-1", &["confirm"]),
        "input_required_result_tampered_state" => round.with_state("state-2", &["confirm"]),
        "input_required_result_multiple_inputs" => {
            round.with_state("state-3", &["user_name", "greeting", "client_roots"])
        }
        "input_required_result_multi_round" => round.in_two_steps(),
        "input_required_result_capabilities" => Ok(round.until(declared(&client), None)),
        _ => return None,
    })
}

/// Answers the prompt that asks for input.
pub(super) fn prompt(request: &GetPromptRequestParams) -> Option<GetPromptResponse> {
    if request.name != "test_input_required_result_prompt" {
        return None;
    }
    let responses = request.input_responses.clone().unwrap_or_default();
    if !responses.contains_key("user_context") {
        return Some(ask(&["user_context"], None).into());
    }
    let content = json!({ "type": "text", "text": format!("Use {responses:?}") });
    let result: rmcp::model::GetPromptResult =
        complete(json!({ "messages": [{ "role": "user", "content": content }] }));
    Some(result.into())
}

/// The inputs that a client said it can give.
fn declared(client: &ClientCapabilities) -> &'static [&'static str] {
    match (client.sampling.is_some(), client.elicitation.is_some()) {
        (true, true) => &["greeting", "user_name"],
        (true, false) => &["greeting"],
        (false, _) => &["user_name"],
    }
}

/// One round of a call: the answers and the state that the client sent back.
struct Round<'r> {
    responses: InputResponses,
    state: Option<&'r str>,
}

impl Round<'_> {
    /// Asks until every answer is there.
    fn until(&self, wanted: &[&str], state: Option<&str>) -> CallToolResponse {
        if wanted.iter().all(|name| self.responses.contains_key(*name)) {
            let said = serde_json::to_string(&self.responses).unwrap_or_default();
            return text(&format!("state-ok: {said}")).into();
        }
        ask(wanted, state).into()
    }

    /// Asks for a name until there is one.
    fn greeting(&self) -> CallToolResponse {
        let given = self.responses.get("user_name");
        match given.and_then(|response| response["content"]["name"].as_str()) {
            Some(name) => text(&format!("Hello, {name}!")).into(),
            None => ask(&["user_name"], None).into(),
        }
    }

    /// Asks once, and refuses any other state than its own.
    fn with_state(&self, own: &str, wanted: &[&str]) -> Result<CallToolResponse, ErrorData> {
        match self.state {
            Some(state) if state != own => Err(unknown_state()),
            _ => Ok(self.until(wanted, Some(own))),
        }
    }

    fn in_two_steps(&self) -> Result<CallToolResponse, ErrorData> {
        match self.state {
            None => Ok(ask(&["step1"], Some("round-1")).into()),
            Some("round-1") => Ok(ask(&["step2"], Some("round-2")).into()),
            Some("round-2") => Ok(self.until(&["step2"], Some("round-2"))),
            Some(_) => Err(unknown_state()),
        }
    }
}

fn unknown_state() -> ErrorData {
    ErrorData::invalid_params("unknown request state", None)
}

fn ask(wanted: &[&str], state: Option<&str>) -> InputRequiredResult {
    let requests: Map<String, Value> =
        wanted.iter().map(|name| ((*name).to_owned(), input(name))).collect();
    InputRequiredResult::new(Some(fixed(Value::Object(requests))), state.map(str::to_owned))
}

/// Returns the request for one input.
fn input(name: &str) -> Value {
    let elicit = |message: &str, member: &str, kind: &str| {
        let schema = json!({ "type": "object", "properties": { member: { "type": kind } },
            "required": [member] });
        let params = json!({ "message": message, "requestedSchema": schema });
        json!({ "method": "elicitation/create", "params": params })
    };
    let sample = |question: &str| {
        let content = json!({ "type": "text", "text": question });
        let message = json!({ "role": "user", "content": content });
        let params = json!({ "messages": [message], "maxTokens": 100 });
        json!({ "method": "sampling/createMessage", "params": params })
    };
    match name {
        "user_name" => elicit("What is your name?", "name", "string"),
        "confirm" => elicit("Please confirm", "ok", "boolean"),
        "step1" => elicit("Step 1: What is your name?", "name", "string"),
        "step2" => elicit("Step 2: What is your favorite color?", "color", "string"),
        "user_context" => elicit("What context should the prompt use?", "context", "string"),
        "capital_question" => sample("What is the capital of France?"),
        "greeting" => sample("Generate a greeting"),
        _ => json!({ "method": "roots/list", "params": {} }),
    }
}
