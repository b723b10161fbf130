//! Tasks: begin one, what happened to it, what to go on from.

use tasuki_api::Event;
use tasuki_engine::model::Scope::{Receive, Submit};
use tasuki_engine::rules::scopes::ReadOperation;
use tasuki_engine::rules::scopes::RequiredScopes::All;
use tasuki_packet::read::Form;

use super::{Operation, ParameterKind, RequestBody, ResponseBody, flag, number, parameter, text};

/// Begin.
pub static BEGIN: Operation = Operation::post(
    "begin",
    "/v1/tasks",
    "Open a task for yourself, claimed at once; the body is the packet.",
)
.requires(All(&[Submit, Receive]))
.parameters(&[
    parameter(
        "lease",
        ParameterKind::Pattern("^[0-9]{1,8}(ms|s|m|h|d)$"),
        "How long the lease shall be, such as 30m.",
    ),
    flag("renewed", "A process renews the lease, so it may be short."),
    text("key", "A key of your own: beginning again with it gives the same claim."),
])
.request(RequestBody::Packet)
.created();

/// Timeline.
pub static TIMELINE: Operation = Operation::get(
    "timeline",
    "/v1/tasks/{task}/timeline",
    "Everything that happened to a task, oldest first; without `read`, to those of its handoffs that you have a part in.",
)
.reads(ReadOperation::Card)
.response(ResponseBody::page::<Event>());

/// Resume.
pub static RESUME: Operation = Operation::get(
    "resume",
    "/v1/tasks/{task}/packet",
    "What somebody is given to go on from: packet, checkpoints and decisions in one; in the regulated variant with its audit trail.",
)
.reads(ReadOperation::Packet)
.parameters(&[
    parameter("as", ParameterKind::OneOf(forms), "A brief is for a model, within a budget."),
    number("budget", "The most tokens of a brief, 1500 unless said otherwise."),
])
.response(ResponseBody::Packet);

fn forms() -> Vec<&'static str> {
    Form::ALL.iter().map(|form| form.name()).chain(["brief"]).collect()
}
