//! A server for the conformance suite of the protocol: the production handler, and the tools,
//! resources and prompts with fixed answers that the suite calls by name.
//!
//! It is compiled only with the feature `conformance-fixtures`. `tools` has the fixed answers and the
//! tools that notify or ask a client with a handshake, `input_required` those that ask a client
//! without one, `texts` the resources and prompts.

#![expect(deprecated, reason = "the suite checks what older versions of the protocol have")]

mod input_required;
mod texts;
mod tools;

use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, GetPromptRequestParams, GetPromptResponse,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities,
    ServerConfig, SetLevelRequestParams, SubscribeRequestParams, SubscriptionFilter, Tool,
    UnsubscribeRequestParams,
};
use rmcp::service::{RequestContext, SubscriptionContext};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::sync::broadcast;

use crate::exchange::{ApiRequest, Exchange, Refusal, Sent};
use crate::handler::Handler;
use crate::session::Session;

/// The endpoint that the suite checks.
pub type FixtureService = StreamableHttpService<FixtureHandler, LocalSessionManager>;

/// Creates the endpoint. Unlike the one of an exchange it has sessions, because the suite checks that
/// a server asks clients with a handshake, which needs one.
pub fn fixture_service() -> FixtureService {
    let config = StreamableHttpServerConfig::default()
        .with_allowed_origins(["http://localhost:*", "http://127.0.0.1:*"]);
    let changes = broadcast::channel(16).0;
    let handler = move || Ok(FixtureHandler::new(changes.clone()));
    StreamableHttpService::new(handler, Arc::new(LocalSessionManager::default()), config)
}

/// An exchange with nothing in it.
struct EmptyExchange;

impl Exchange for EmptyExchange {
    fn send(&self, request: ApiRequest) -> Sent<'_> {
        let answer = if request.target.starts_with("/v1/inbox") {
            Ok(fixed(serde_json::json!({ "party": "suite", "handoffs": [], "as_of_n": 0,
                "as_of": "2026-01-01T00:00:00.000000Z", "more": false })))
        } else {
            Err(Refusal {
                status: Some(404),
                ..Refusal::new("nothing is here", "this is a fixture")
            })
        };
        Box::pin(async { answer })
    }
}

/// A list that changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Changed {
    Tools,
    Prompts,
}

/// The production handler with the fixtures of the suite.
#[derive(Clone)]
pub struct FixtureHandler {
    production: Handler,
    changes: broadcast::Sender<Changed>,
}

impl FixtureHandler {
    fn new(changes: broadcast::Sender<Changed>) -> Self {
        let session = Session::of_request(Arc::new(EmptyExchange));
        Self { production: Handler::of_connection(session), changes }
    }

    /// Pretends that a list changed.
    fn announce(&self, changed: Changed) {
        // Without a subscriber there is no receiver.
        drop(self.changes.send(changed));
    }
}

impl std::fmt::Debug for FixtureHandler {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FixtureHandler").finish_non_exhaustive()
    }
}

impl ServerHandler for FixtureHandler {
    fn get_info(&self) -> ServerConfig {
        let mut config = self.production.get_info();
        let fixtures = ServerCapabilities::builder()
            .enable_logging()
            .enable_completions()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_prompts()
            .enable_prompts_list_changed()
            .build();
        config.capabilities.logging = fixtures.logging;
        config.capabilities.completions = fixtures.completions;
        config.capabilities.tools = fixtures.tools;
        config.capabilities.prompts = fixtures.prompts;
        config
    }

    async fn set_level(
        &self,
        _: SetLevelRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut listed = self.production.list_tools(request, context).await?;
        listed.tools.extend(tools::definitions());
        Ok(listed)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let is_it = |tool: &Tool| tool.name == name;
        self.production.get_tool(name).or_else(|| tools::definitions().into_iter().find(is_it))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if let Some(response) = input_required::call(&request, &context) {
            return response;
        }
        match tools::call(self, &request, &context).await {
            Some(response) => response.map(Into::into),
            None => self.production.call_tool(request, context).await,
        }
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let mut listed = self.production.list_prompts(request, context).await?;
        listed.prompts.extend(texts::prompts());
        Ok(listed)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        if let Some(response) = input_required::prompt(&request) {
            return Ok(response);
        }
        match texts::prompt(&request.name, &request.arguments.clone().unwrap_or_default()) {
            Some(result) => Ok(result.into()),
            None => self.production.get_prompt(request, context).await,
        }
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let mut listed = self.production.list_resources(request, context).await?;
        listed.resources.extend(texts::resources());
        Ok(listed)
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let mut listed = self.production.list_resource_templates(request, context).await?;
        listed.resource_templates.push(texts::template());
        Ok(listed)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        match texts::read(&request.uri) {
            Some(result) => Ok(result.into()),
            None => self.production.read_resource(request, context).await,
        }
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let mut changes = self.changes.subscribe();
        loop {
            let changed = tokio::select! {
                () = context.cancelled() => return Ok(()),
                changed = changes.recv() => changed,
            };
            // A kind that the client did not ask for is refused by the sink.
            drop(match changed {
                Ok(Changed::Tools) => context.sink().notify_tool_list_changed().await,
                Ok(Changed::Prompts) => context.sink().notify_prompt_list_changed().await,
                Err(_) => return Ok(()),
            });
        }
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if request.uri == texts::WATCHED {
            Ok(())
        } else {
            self.production.subscribe(request, context).await
        }
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.production.unsubscribe(request, context).await
    }
}

/// Reads a value that is written in this module.
fn fixed<T: DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).expect("a fixture has the form of its type")
}

/// Reads a complete result that is written in this module.
fn complete<T: DeserializeOwned>(mut value: Value) -> T {
    value["resultType"] = "complete".into();
    fixed(value)
}
