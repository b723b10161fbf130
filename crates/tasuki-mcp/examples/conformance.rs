//! Serves the tools of agents together with the fixtures of the conformance suite. Prints its address.

use std::io::{self, Write as _};

use hyper::server::conn::http1;
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use tasuki_mcp::conformance::fixture_service;
use tokio::net::TcpListener;

#[tokio::main(flavor = "current_thread")]
async fn main() -> io::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    writeln!(io::stdout(), "http://{}", listener.local_addr()?)?;
    let service = TowerToHyperService::new(fixture_service());
    loop {
        let (stream, _) = listener.accept().await?;
        let connection =
            http1::Builder::new().serve_connection(TokioIo::new(stream), service.clone());
        tokio::spawn(async move {
            // The suite closes connections while it waits for an answer.
            drop(connection.await);
        });
    }
}
