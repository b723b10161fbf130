//! The document that goes from one step to the next: a note, or the brief of a packet.

use std::path::Path;

use serde_json::{Value, json};
use tasuki_packet::chain::continuation::compose;
use tasuki_packet::open::{OpenOptions, open};
use tasuki_packet::read::Source;
use tasuki_packet::render::{agent_brief, tokens};
use tasuki_packet::{Kind, Packet, Violation};

use crate::evaluation::Case;

/// What a predecessor leaves to the next step.
#[derive(Debug, Default)]
pub(super) struct Handed {
    /// The text that the next step sees.
    pub(super) text: String,
    /// The packet behind it, which the next one continues.
    pub(super) packet: Option<Packet>,
}

/// LIMIT: bytes of a file that an agent wrote. More is cut off.
const FILE_BYTES_MAX: usize = 1024 * 1024;

/// Reads a text file of an agent; empty if there is none.
pub(super) fn read_text(path: &Path) -> String {
    let mut bytes = std::fs::read(path).unwrap_or_default();
    bytes.truncate(FILE_BYTES_MAX);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Returns a note within the budget.
pub(super) fn note(path: &Path, budget: Option<usize>) -> Handed {
    Handed { text: cut(&read_text(path), budget), packet: None }
}

/// Reads a packet. The error lists every violation, one per line.
pub(super) fn packet(path: &Path, parent: Option<&Packet>) -> Result<Packet, String> {
    let text = read_text(path);
    let options = OpenOptions { parent, ..OpenOptions::default() };
    let opened = Source::packet(text.as_bytes()).and_then(|source| open(&source, options));
    let opened = opened.map_err(|violation| listed(&[violation]))?;
    if opened.violations.is_empty() {
        return Ok(opened.packet);
    }
    Err(listed(&opened.violations))
}

/// Lists violations, one per line.
pub(super) fn listed(violations: &[Violation]) -> String {
    let line = |violation: &Violation| format!("- {violation}\n");
    violations.iter().map(line).collect()
}

/// Returns a packet as the brief that the next step sees.
pub(super) fn brief(packet: Packet, budget: Option<usize>) -> Handed {
    let count = tokens::count;
    let brief = agent_brief(&packet, budget, &count)
        // If not even the mandatory part fits, the same cut as for a note applies.
        .or_else(|_too_small| agent_brief(&packet, Some(usize::MAX), &count));
    let text = brief.map_or_else(|_| String::new(), |brief| cut(&brief.text, budget));
    Handed { text, packet: Some(packet) }
}

/// Returns the continuation of a killed predecessor: the task, and its valid checkpoints in order.
pub(super) fn continuation(case: &Case, before: Option<&Packet>, out: &Path) -> Option<Packet> {
    let mut paths: Vec<_> = std::fs::read_dir(out)
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with("checkpoint")
        })
        .collect();
    paths.sort_by_key(|path| (path.as_os_str().len(), path.clone()));
    let checkpoints: Vec<Packet> = paths
        .iter()
        // The last one may be half written.
        .filter_map(|path| packet(path, None).ok())
        .filter(|packet| packet.kind() == Kind::Checkpoint)
        .collect();
    if checkpoints.is_empty() && before.is_none() {
        return None;
    }
    let base = before.cloned().or_else(|| Packet::from_value(task(case)).ok())?;
    Some(compose(&base, &checkpoints, &[]))
}

/// Returns the packet under which the first predecessor began: parties and task, no facts.
fn task(case: &Case) -> Value {
    let mut value = json!({ "handoff_version": "1.0" });
    for name in ["task_id", "from_agent", "to_agent", "status"] {
        if let Some(stated) = case.packet.get(name) {
            value[name] = stated.clone();
        }
    }
    value
}

/// Returns the longest beginning of a text with at most so many tokens.
fn cut(text: &str, budget: Option<usize>) -> String {
    let Some(budget) = budget.filter(|budget| tokens::count(text) > *budget) else {
        return text.to_owned();
    };
    let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    let fits = ends.partition_point(|end| tokens::count(&text[..*end]) <= budget);
    text[..ends[fits.saturating_sub(1)]].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_at_its_budget() {
        let text = "one two three four five six seven eight nine ten ".repeat(20);
        let short = cut(&text, Some(40));
        assert!(text.starts_with(&short) && !short.is_empty());
        assert_eq!(tokens::count(&short), 40);
        assert_eq!(cut(&text, None), text);
        assert_eq!(cut("a b", Some(40)), "a b");
    }
}
