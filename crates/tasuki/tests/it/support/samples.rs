//! Small packets for the tests. Secrets are put together at run time, so that no file holds one.

use crate::support::folder::Folder;

/// The smallest handoff.
pub(crate) const HANDOFF: &str = r#"handoff_version: "1.0"
task_id: build-42
from_agent: planner
to_agent: coder
status: in_progress
goal: Ship the web part
completed: [Scaffolded it]
remaining: [Write the component]
"#;

/// A handoff with two mistakes.
pub(crate) const WRONG: &str = r#"handoff_version: "1.0"
task_id: build-42
from_agent: planner
to_agent: coder
status: done
goal: Ship the web part
completed: [Scaffolded it]
remaining: [Write the component]
confidence: 74
"#;

/// A return packet for [`HANDOFF`].
pub(crate) const RETURN: &str = r#"handoff_version: "1.0"
packet_type: return
task_id: build-42
from_agent: coder
to_agent: planner
status: completed
summary: The component works.
"#;

/// A token of the right shape.
pub(crate) fn token() -> String {
    ["gh", "p_", "k3Jx9QmT7vLz2RbN", "8wYc4HdF6sGp1KaE5uXo"].concat()
}

/// A folder with [`HANDOFF`] as `handoff.yaml`.
pub(crate) fn with_handoff() -> Folder {
    Folder::new().with("handoff.yaml", HANDOFF)
}
