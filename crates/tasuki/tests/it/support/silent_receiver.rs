//! A receiver that is there and says nothing, for subscriptions of which nothing is to be delivered.

use std::net::TcpListener;
use std::sync::LazyLock;

static SILENT: LazyLock<(TcpListener, String)> = LazyLock::new(|| {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let origin = format!("http://{}", listener.local_addr().unwrap());
    (listener, origin)
});

/// Where it is.
pub(crate) fn origin() -> &'static str {
    &SILENT.1
}

/// The settings of a server that may reach it.
pub(crate) fn allowed() -> String {
    format!("[server]\nwebhook_origins = \"{}\"\n", origin())
}
