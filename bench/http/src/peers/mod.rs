//! Alternative queues, each in its own process and as durable as the exchange: a response comes
//! after its fsync. None of them validates, authenticates or keeps a log.

mod nats;
mod postgres;
mod redis;

use std::path::Path;

pub use nats::Nats;
pub use postgres::{NAME as POSTGRES, Postgres};
pub use redis::Redis;

use crate::contender::Contender;

/// A peer, or the reason why it is not available.
pub type Found = Result<Box<dyn Contender>, String>;

/// Returns all peers by name.
pub fn all(directory: &Path) -> Vec<(&'static str, Found)> {
    vec![
        (redis::NAME, Redis::find(directory)),
        (postgres::NAME, Postgres::find(directory)),
        (nats::NAME, Nats::find(directory)),
    ]
}

/// Returns the message about a program that is not installed.
pub fn missing(program: &str, package: &str) -> String {
    format!("`{program}` is missing; install {package}")
}
