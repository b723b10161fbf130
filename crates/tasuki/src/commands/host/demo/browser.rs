//! Opens the web browser of the user.

use std::process::{Command, Stdio};

/// Opens a URL if this machine has a desktop. A missing browser is not an error: the URL was printed.
pub(super) fn open(url: &str) {
    let Some(opener) = opener() else { return };
    let started = Command::new(opener)
        .arg(url)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    if let Err(error) = started {
        tracing::debug!(%error, opener, "opening the browser failed");
    }
}

fn opener() -> Option<&'static str> {
    if cfg!(target_os = "macos") {
        return Some("open");
    }
    let has_desktop = ["DISPLAY", "WAYLAND_DISPLAY"]
        .into_iter()
        .any(|variable| std::env::var_os(variable).is_some_and(|value| !value.is_empty()));
    has_desktop.then_some("xdg-open")
}
