//! Fixtures and helpers of the tests.

pub(crate) mod clock;
pub(crate) mod fixture;
pub(crate) mod folder;
pub(crate) mod http;
pub(crate) mod mcp_host;
pub(crate) mod reference;
pub(crate) mod samples;
pub(crate) mod server_process;
pub(crate) mod shared_exchange;
pub(crate) mod silent_receiver;
pub(crate) mod tcp_proxy;
pub(crate) mod webhook_receiver;
pub(crate) mod work_tree;
