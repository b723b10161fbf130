//! The transcript of a run, one line per step.

use tasuki_engine::command::Command;
use tasuki_engine::engine::Call;
use tasuki_engine::error::Error;
use tasuki_engine::model::Directory;

use super::checks::ledger::shown;
use super::engines::Response;
use crate::memory::FaultPoint;

/// Describes a call: the caller, the command and its handoff.
pub(super) fn call(call: &Call, directory: &Directory) -> String {
    let name = directory.name(call.principal.party);
    let word = call.command.name();
    let about = match (shown(&call.command), about(&call.command)) {
        (Some(shown), _) => format!(" {} by fence {}", short(&shown.handoff), shown.fence),
        (None, Some(id)) => format!(" {}", short(&id)),
        (None, None) => String::new(),
    };
    let key = if call.key.is_some() { " (key)" } else { "" };
    format!("{name}: {word}{about}{key}")
}

/// Describes the response to a call.
pub(super) fn response(response: &Response) -> String {
    match response {
        Ok(answer) => {
            let again = if answer.repeated { ", replayed" } else { "" };
            match &answer.handoff {
                Some(handoff) => format!("{} {}{again}", short(&handoff.id), handoff.state),
                None => format!("done{again}"),
            }
        }
        Err(Error::Refused(refusal)) => format!("refused {}, {refusal}", refusal.code.as_str()),
        Err(Error::Failed(fault)) => format!("failed {}, {fault}", fault.code()),
    }
}

/// Describes the faults of a call.
pub(super) fn with_faults(faults: &[FaultPoint]) -> String {
    if faults.is_empty() { String::new() } else { format!(" with faults {faults:?}") }
}

/// Returns the end of an id, which is unique in one run.
fn short(id: &impl ToString) -> String {
    let id = id.to_string();
    format!("…{}", &id[id.len().saturating_sub(4)..])
}

/// Returns the handoff of a command, as its request prints it.
fn about(command: &Command) -> Option<String> {
    let printed = format!("{command:?}");
    let at = printed.find("HandoffId(")?;
    Some(
        printed[at..].chars().skip_while(|c| *c != '(').skip(1).take_while(|c| *c != ')').collect(),
    )
}
