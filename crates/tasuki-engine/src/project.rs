//! A project begins: its head, and the first leaf of its log.

use jiff::Timestamp;
use tasuki_packet::id::ProjectId;
use tasuki_packet::leaf::{EventType, Hash};

use crate::change::Change;
use crate::directory::{Directory, Record, Settings};
use crate::error::Fault;
use crate::principal::SYSTEM;
use crate::record::Recorder;
use crate::state::{Head, ProjectState};
use crate::store::Written;

/// The head of an empty log.
pub fn empty_head(project: ProjectId, now: Timestamp, fingerprint_key: [u8; 32]) -> Head {
    Head {
        project,
        leaves: 0,
        last_hash: Hash::ZERO,
        last_at: now,
        directory_version: 0,
        claim_epoch: 1,
        is_halted: false,
        fingerprint_key,
    }
}

/// The head to create a project with, and what its first commit writes, with the head after it.
pub fn created(
    project: ProjectId,
    now: Timestamp,
    fingerprint_key: [u8; 32],
    settings: Settings,
) -> Result<(Head, (Written, Head)), Fault> {
    let head = empty_head(project, now, fingerprint_key);
    let directory = std::sync::Arc::new(Directory::empty(project));
    let mut state = ProjectState::new(directory, head.clone(), [], []);
    let mut change = Change::default();
    change.happened_here(EventType::ProjectCreated, SYSTEM).with("project", project);
    change.records.push(Record::Settings(settings));
    let written = Recorder::new(now).record(&mut state, &mut change)?;
    Ok((head, (written, state.head)))
}
