//! What people would use instead, each in a process of its own and as durable as the exchange: an
//! answer comes after its fsync. None of them validates, authenticates or keeps a log.

mod nats;
mod postgres;
mod redis;

use std::path::Path;

pub use nats::Nats;
pub use postgres::Postgres;
pub use redis::Redis;

use crate::contender::Contender;

/// A peer that can be measured here, or the reason why it cannot.
pub type Found = Result<Box<dyn Contender>, String>;

/// All peers, each with its name.
pub fn all(directory: &Path) -> Vec<(&'static str, Found)> {
    vec![
        (redis::NAME, Redis::find(directory)),
        (postgres::NAME, Postgres::find(directory)),
        (nats::NAME, Nats::find(directory)),
    ]
}

fn missing(program: &str, package: &str) -> String {
    format!("`{program}` is missing; install {package}")
}
