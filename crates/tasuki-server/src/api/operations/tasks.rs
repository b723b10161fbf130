//! Tasks: begin one, what happened to it, what to go on from.

use tasuki_engine::principal::Scope::{Receive, Submit};
use tasuki_engine::scope::Needs::All;
use tasuki_engine::scope::Question;

use tasuki_packet::read::Form;

use super::{Carries, Gives, Kind, Operation, number, parameter, text, yes_or_no};

/// Begin.
pub static BEGIN: Operation = Operation::post(
    "begin",
    "/v1/tasks",
    "Open a task for yourself, claimed at once; the body is the packet.",
)
.needs(All(&[Submit, Receive]))
.takes(&[
    parameter(
        "lease",
        Kind::Form("^[0-9]{1,8}(ms|s|m|h|d)$"),
        "How long the lease shall be, such as 30m.",
    ),
    yes_or_no("renewed", "A process renews the lease, so it may be short."),
    text("key", "A key of your own: beginning again with it gives the same claim."),
])
.carries(Carries::Packet)
.created();

/// Timeline.
pub static TIMELINE: Operation = Operation::get(
    "timeline",
    "/v1/tasks/{task}/timeline",
    "Everything that happened to a task, oldest first; without `read`, to those of its handoffs that you have a part in.",
)
.asks(Question::Card)
.gives(Gives::Page("Event"));

/// Resume.
pub static RESUME: Operation = Operation::get(
    "resume",
    "/v1/tasks/{task}/packet",
    "What somebody is given to go on from: packet, checkpoints and decisions in one; in the regulated variant with its audit trail.",
)
.asks(Question::Packet)
.takes(&[
    parameter("as", Kind::Word(forms), "A brief is for a model, within a budget."),
    number("budget", "The most tokens of a brief, 1500 unless said otherwise."),
])
.gives(Gives::Packet);

fn forms() -> Vec<&'static str> {
    Form::ALL.iter().map(|form| form.name()).chain(["brief"]).collect()
}
