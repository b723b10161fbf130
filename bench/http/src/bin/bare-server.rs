//! The bare SQLite writer of `bench/store` behind HTTP: no token, no check, no rule, no request
//! log.
//!
//! `bare-server DIRECTORY` prints its address and serves until it is killed.

use std::env;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Context, bail};
use bench_store::bare::{Job, Store, Synchronous, Writer};
use bench_store::line::Line;
use bench_store::work::{self, Step};
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;

/// The allocator of the tool.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The state that all connections share.
struct Door {
    line: Arc<Line<Job>>,
    numbers: AtomicU64,
}

fn main() -> anyhow::Result<()> {
    let directory: PathBuf = env::args_os().nth(1).context("bare-server DIRECTORY")?.into();
    let writer = Writer::start(Store::open(&directory, Synchronous::Full)?);
    let door = Arc::new(Door { line: writer.line(), numbers: AtomicU64::new(0) });
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(serve(door))
}

async fn serve(door: Arc<Door>) -> anyhow::Result<()> {
    let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).await?;
    println!("{}", listener.local_addr()?);
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        let door = Arc::clone(&door);
        let service = service_fn(move |request| {
            let door = Arc::clone(&door);
            async move { Ok::<_, std::convert::Infallible>(answered(&door, request).await) }
        });
        tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
    }
}

async fn answered(door: &Door, request: Request<Incoming>) -> Response<Full<Bytes>> {
    match step(door, request).await {
        Ok(number) => Response::new(Full::from(format!("{{\"number\":{number}}}"))),
        Err(fault) => {
            let mut response = Response::new(Full::from(format!("{fault:#}")));
            *response.status_mut() = StatusCode::BAD_REQUEST;
            response
        }
    }
}

/// Runs the step of a path: `/submit`, `/claim/NUMBER`, `/return/NUMBER`.
async fn step(door: &Door, request: Request<Incoming>) -> anyhow::Result<u64> {
    let path = request.uri().path().to_owned();
    let document = request.into_body().collect().await?.to_bytes().to_vec();
    let (step, number) = match path.trim_start_matches('/').split_once('/') {
        None if path == "/submit" => (Step::Submit, door.numbers.fetch_add(1, Ordering::Relaxed)),
        Some(("claim", number)) => (Step::Claim, number.parse()?),
        Some(("return", number)) => (Step::Return, number.parse()?),
        _ => bail!("unknown path {path}"),
    };
    door.line.run(Job { step, number, digest: work::hash(&document), document }).await?;
    Ok(number)
}
