//! Serves MCP over stdin and stdout, for the host that started this process.

use std::sync::Arc;

use rmcp::ServiceExt as _;
use rmcp::service::ServerInitializeError;

use crate::exchange::{Exchange, Refusal};
use crate::handler::Handler;
use crate::session::Session;

/// A reason why serving over stdio ended early.
#[derive(Debug)]
pub enum StdioError {
    /// The exchange refused the caller.
    Refused(Refusal),
    /// The host broke the protocol, or the connection failed.
    Connection(String),
}

/// Serves the tools to the host of this process until it closes stdin. Claims that are made through
/// it are renewed meanwhile.
///
/// # Errors
///
/// Returns [`StdioError`] if the caller is a person, if the exchange refuses it, or if the host
/// breaks the protocol. A host that leaves without a word is no error.
pub async fn serve_stdio(exchange: Arc<dyn Exchange>) -> Result<(), StdioError> {
    let session = Session::of_process(exchange);
    require_agent(&session).await.map_err(StdioError::Refused)?;
    let transport = rmcp::transport::io::stdio_pipes();
    let running = match Handler::of_connection(session.clone()).serve(transport).await {
        Ok(running) => running,
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(StdioError::Connection(error.to_string())),
    };
    tokio::select! {
        ended = running.waiting() => {
            ended.map(drop).map_err(|error| StdioError::Connection(error.to_string()))
        }
        () = session.renew_claims() => Ok(()),
    }
}

/// Refuses a person: a model behind the tools would verify and cancel in their name.
async fn require_agent(session: &Session) -> Result<(), Refusal> {
    let caller = session.whoami().await?;
    if caller.kind == "human" {
        let message = format!("`{}` is a person, and MCP tools act for agents", caller.party);
        return Err(Refusal::new(message, "name an agent with `--as NAME`, or use its token"));
    }
    Ok(())
}
