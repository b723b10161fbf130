//! References that name what a party saw, for lines that decide: `approve build-42@seen`.

use std::process::Command;

use tasuki_api::HandoffDetails;

/// Replaces `@seen` after a task by the version that `tasuki show` prints.
pub(crate) fn with_references(line: &str, show: impl Fn(&str) -> Command) -> String {
    let Some((before, after)) = line.split_once("@seen") else { return line.to_owned() };
    let task = before.rsplit(' ').next().unwrap();
    let output = show(&format!("show {task} --json")).output().unwrap();
    let shown: HandoffDetails = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    format!("{before}@{}{after}", shown.handoff.version())
}

/// Returns `true` for the version in a reference: a revision and the digits after it.
pub(crate) fn is_version(word: &str) -> bool {
    let is_hex = |text: &str| text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    word.split_once(':').is_some_and(|(revision, digits)| {
        revision.parse::<u32>().is_ok() && digits.len() == 16 && is_hex(digits)
    })
}
