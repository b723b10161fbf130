//! The first commit of a project.

use std::sync::Arc;

use jiff::Timestamp;
use tasuki_packet::leaf::EventType;

use crate::error::Fault;
use crate::model::{Change, Directory, Head, ProjectState, Record, SYSTEM, Settings};
use crate::ports::WriteSet;
use crate::worker::recorder::Recorder;

/// Returns the rows of the first commit of a project, and the head after it.
pub fn first_leaf(
    head: &Head,
    now: Timestamp,
    settings: Settings,
) -> Result<(WriteSet, Head), Fault> {
    let directory = Arc::new(Directory::empty(head.project));
    let mut state = ProjectState::new(directory, head.clone(), [], []);
    let mut change = Change::default();
    change.record_project_event(EventType::ProjectCreated, SYSTEM).with("project", head.project);
    change.records.push(Record::Settings(settings));
    let written = Recorder::new(now.max(head.last_at)).record(&mut state, &mut change)?;
    Ok((written, state.head))
}
