//! Prepares the work tree that a command was sent from.
//!
//! It is stated by the caller and proves nothing. A secret in a path, a branch or a remote is always
//! redacted: the command carries progress that must not be lost because of a file name.

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::{Value, json};
use tasuki_api::WorkTree;
use tasuki_api::handoff::{FILES_MAX, TEXT_CHARACTERS_MAX};
use tasuki_packet::check::secrets;

use crate::model::{Change, Handoff, Sealed, WorkTreeMark};
use crate::prepare::input::PrepareInput;
use crate::refusal::{Refusal, RefusalCode};

/// The length of the id of a work tree.
const ID_DIGITS: usize = 16;

/// A checked and sealed work tree.
#[derive(Debug, Clone)]
pub(crate) struct PreparedWorkTree {
    /// The document.
    pub(crate) sealed: Arc<Sealed>,
    id: String,
    branch: Option<String>,
}

impl PreparedWorkTree {
    /// Adds the work tree to a change, whose last event commits to it, and marks the handoff.
    pub(crate) fn record(
        &self,
        id: impl Into<String>,
        handoff: &mut Handoff,
        at: Timestamp,
        change: &mut Change,
    ) {
        change.put_work_tree(id, &self.sealed);
        let (id, branch) = (self.id.clone(), self.branch.clone());
        handoff.progress.work_tree = Some(WorkTreeMark { id, branch, at });
    }
}

/// Checks and seals the work tree that a caller states.
pub(crate) fn work_tree(
    input: &PrepareInput,
    stated: Option<&WorkTree>,
) -> Result<Option<PreparedWorkTree>, Refusal> {
    let Some(stated) = stated else { return Ok(None) };
    check(stated)?;
    let mut value = json!(stated);
    redact(&mut value);
    let branch = value.get("branch").and_then(Value::as_str).map(str::to_owned);
    let sealed = Arc::new(Sealed::document(&value, input.seed.salt("work_tree")));
    Ok(Some(PreparedWorkTree { sealed, id: stated.id.clone(), branch }))
}

/// Redacts secrets in every text of the caller but the ids and digests, which are random by nature.
fn redact(value: &mut Value) {
    for name in ["branch", "remote", "not_looked"] {
        value.get_mut(name).map(secrets::redact);
    }
    let files = value.get_mut("files").and_then(Value::as_array_mut);
    for file in files.into_iter().flatten() {
        file.get_mut("path").map(secrets::redact);
    }
}

fn check(stated: &WorkTree) -> Result<(), Refusal> {
    if stated.id.len() != ID_DIGITS || !is_hex(&stated.id) {
        return Err(refused(format!("the id of the work tree is not {ID_DIGITS} hex digits")));
    }
    let is_commit = |id: &String| matches!(id.len(), 40 | 64) && is_hex(id);
    if !stated.commit.as_ref().is_none_or(is_commit) {
        return Err(refused("the commit of the work tree is not 40 or 64 hex digits".to_owned()));
    }
    let count = stated.files.len();
    if count > FILES_MAX {
        return Err(refused(format!(
            "the work tree lists {count} files, the limit is {FILES_MAX}"
        )));
    }
    let texts = [&stated.branch, &stated.remote, &stated.not_looked].into_iter().flatten();
    let texts = texts.chain(stated.files.iter().map(|file| &file.path));
    match texts.map(|text| text.chars().count()).find(|count| *count > TEXT_CHARACTERS_MAX) {
        Some(count) => Err(refused(format!(
            "a text of the work tree has {count} characters, the limit is {TEXT_CHARACTERS_MAX}"
        ))),
        None => Ok(()),
    }
}

fn is_hex(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

fn refused(message: String) -> Refusal {
    Refusal::new(RefusalCode::ArgumentInvalid, message)
        .hint("shorten the list and count the rest in `count`, or leave `work_tree` out")
}

#[cfg(test)]
mod tests {
    use tasuki_api::{FileState, WorkTreeFile};

    use super::*;
    use crate::command::Command;
    use crate::model::DocumentKind;
    use crate::steps::Submit;
    use crate::testing::{World, packet};

    fn tree() -> WorkTree {
        let file = |path: &str| WorkTreeFile {
            path: path.to_owned(),
            state: FileState::Untracked,
            digest: None,
        };
        WorkTree {
            id: "0123456789abcdef".to_owned(),
            branch: Some("main".to_owned()),
            files: vec![file("a.txt"), file("b.txt")],
            count: 2,
            ..WorkTree::default()
        }
    }

    fn submit(work_tree: WorkTree) -> Command {
        let source = packet(&json!({}));
        Command::Submit(Submit { source, work_tree: Some(work_tree), ..Submit::default() })
    }

    #[test]
    fn a_work_tree_is_a_document_beside_the_packet() {
        let mut world = World::new();
        world.done("ana", submit(tree()));
        assert_eq!(world.document(DocumentKind::WorkTree), Some(json!(tree())));
        let packet = world.document(DocumentKind::Packet).unwrap();
        assert_eq!(packet.get("work_tree"), None);
    }

    #[test]
    fn a_work_tree_out_of_bounds_is_refused() {
        let mut long = tree();
        long.branch = Some("b".repeat(TEXT_CHARACTERS_MAX + 1));
        let mut many = tree();
        many.files = vec![many.files[0].clone(); FILES_MAX + 1];
        let odd = WorkTree { id: "../../etc".to_owned(), ..tree() };
        let commit = WorkTree { commit: Some("--upload-pack".to_owned()), ..tree() };
        for wrong in [long, many, odd, commit] {
            let refusal = World::new().run("ana", submit(wrong)).unwrap_err();
            assert_eq!(refusal.code, RefusalCode::ArgumentInvalid);
        }
    }

    #[test]
    fn a_secret_in_a_work_tree_is_redacted_and_stops_no_command() {
        let secret = format!("{}{}", "ghp_", "R7xQ2mZ9bLw4Kc8Vt1Ny6Ps3Hd5Gf0JaWkXo");
        let mut leaky = tree();
        leaky.files[0].path.clone_from(&secret);
        leaky.remote = Some(format!("https://git.example/{secret}/repo"));
        let mut world = World::new();
        world.done("ana", submit(leaky));
        let stored = world.document(DocumentKind::WorkTree).unwrap().to_string();
        assert!(stored.contains("[redacted: ") && !stored.contains(&secret), "{stored}");
    }
}
