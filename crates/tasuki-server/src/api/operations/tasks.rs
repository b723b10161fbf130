//! Tasks: begin one, read its timeline, resume it.

use tasuki_api::{Event, Snapshot};
use tasuki_engine::model::Scope::{Receive, Submit};
use tasuki_engine::rules::scopes::ReadOperation;
use tasuki_engine::rules::scopes::RequiredScopes::{All, Any};
use tasuki_packet::read::Form;

use super::{
    CURSOR, LIMIT, Operation, ParameterKind, RequestBody, ResponseBody, flag, number, parameter,
    text,
};

/// Begins a task.
pub static BEGIN: Operation = Operation::post(
    "begin",
    "/v1/tasks",
    "Begin a task, which the caller holds at once. The body is the packet.",
)
.requires(All(&[Submit, Receive]))
.parameters(&[
    parameter(
        "lease",
        ParameterKind::Pattern("^[0-9]{1,8}(ms|s|m|h|d)$"),
        "The requested length of the lease, such as `30m`.",
    ),
    flag("renewed", "A process renews the lease, which may then be short."),
    text("key", "A key of the caller. Beginning again with the same key returns the same claim."),
    flag(
        "automatic",
        "A program begins the task by itself. It has no ladder, is in no inbox, and ends 7 days after its last checkpoint.",
    ),
])
.request(RequestBody::PacketWithWorkTree)
.created();

/// Shows a timeline.
pub static TIMELINE: Operation = Operation::get(
    "timeline",
    "/v1/tasks/{task}/timeline",
    "List the events of a task, oldest first. A long timeline has several pages, each with whole handoffs. Without the scope `read`, only those of handoffs that the caller takes part in.",
)
.reads(ReadOperation::Card)
.parameters(&[CURSOR])
.response(ResponseBody::page::<Event>());

/// Lists the leaves of a task.
pub static LIST_TASK_LEAVES: Operation = Operation::get(
    "list_task_leaves",
    "/v1/tasks/{task}/leaves",
    "List the leaves of a task exactly as they were hashed, one per line, each with the leaf before it \
     and the leaf after it in the log. With them a reader recomputes every hash and every link. `limit` \
     counts the leaves of the task.",
)
.reads(ReadOperation::Log)
.parameters(&[number("from", "The number of the first leaf."), LIMIT])
.response(ResponseBody::Text("application/jsonl"));

/// Resumes a task.
pub static RESUME: Operation = Operation::get(
    "resume",
    "/v1/tasks/{task}/packet",
    "Show the packet to continue from, with all checkpoints and decisions. A packet of the regulated variant includes its audit trail.",
)
.reads(ReadOperation::Packet)
.parameters(&[
    parameter("as", ParameterKind::OneOf(forms), "The form, or `brief` for a model. The default is `json`."),
    number("budget", "The most tokens of a brief. The default is 1500."),
])
.response(ResponseBody::Packet);

/// Adds a snapshot.
pub static ADD_SNAPSHOT: Operation = Operation::post(
    "add_snapshot",
    "/v1/tasks/{task}/snapshots",
    "Add a snapshot of the work tree, as a git bundle with one reference below `refs/tasuki/`. While the work is claimed, only its holder adds one.",
)
.requires(Any(&[Submit, Receive]))
.request(RequestBody::Bundle)
.response(ResponseBody::document::<Snapshot>())
.created();

/// Lists snapshots.
pub static LIST_SNAPSHOTS: Operation = Operation::get(
    "list_snapshots",
    "/v1/tasks/{task}/snapshots",
    "List the snapshots of a task, newest first.",
)
.reads(ReadOperation::Packet)
.response(ResponseBody::page::<Snapshot>());

/// Returns the bundle of a snapshot.
pub static SNAPSHOT_BUNDLE: Operation = Operation::get(
    "snapshot_bundle",
    "/v1/tasks/{task}/snapshots/bundle",
    "Return a snapshot as a git bundle.",
)
.reads(ReadOperation::Packet)
.parameters(&[number("number", "The number of the snapshot. The default is the newest one.")])
.response(ResponseBody::Bundle);

fn forms() -> Vec<&'static str> {
    Form::ALL.iter().map(|form| form.name()).chain(["brief"]).collect()
}
