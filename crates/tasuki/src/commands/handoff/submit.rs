//! `tasuki submit`: hands work to a receiver.

use std::path::PathBuf;

use serde_json::json;
use tasuki_api as api;
use tasuki_engine::command::Command;
use tasuki_engine::steps::Submit;

use super::draft::{self, Stated};
use crate::backend;
use crate::config::Flags;
use crate::exit::{Exit, Failure};
use crate::git;
use crate::input::file;
use crate::input::packet_file::{self, VariantFlag};
use crate::output::command_result;
use crate::output::handoff::{name, next_sentence, reference};
use crate::output::printer::{GOOD, Printer};

/// Hand work to an agent, a person or a role.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki submit handoff.yaml --as hermes-main\n  tasuki submit --to role:reviewer --goal \"Check the README\" --hold\n  tasuki submit handoff.yaml --supersedes build-42\n  tasuki submit --from-contract planner-to-coder --as planner > handoff.yaml\n\n`--from-contract` and `--from-task` print a packet to complete, and send nothing. Submitting the same packet again while the first is open changes nothing, so retries are safe."
)]
pub(crate) struct Arguments {
    /// The packet, or `-` for stdin; without it, `--to` and `--goal` make one.
    #[arg(value_name = "FILE", required_unless_present_any = ["goal", "from_contract", "from_task"])]
    file: Option<PathBuf>,
    /// The receiver, if the packet names none or another one.
    #[arg(long, value_name = "PARTY")]
    to: Option<String>,
    /// Print a packet with every part that this contract asks for, to fill in and submit.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["file", "from_task"])]
    from_contract: Option<String>,
    /// Print the packet that passes a task on that you hold, as `tasuki pass-on --draft` does.
    #[arg(long, value_name = "ID", num_args = 0..=1, default_missing_value = "", conflicts_with = "file")]
    from_task: Option<String>,
    /// The goal, if there is no packet.
    #[arg(long, value_name = "TEXT", conflicts_with = "file")]
    goal: Option<String>,
    /// The task id, if there is no packet.
    #[arg(long, value_name = "ID", conflicts_with = "file")]
    task: Option<String>,
    /// A step that is done, if there is no packet; may be repeated.
    #[arg(long, value_name = "TEXT", conflicts_with = "file")]
    completed: Vec<String>,
    /// A step that is left, if there is no packet; may be repeated.
    #[arg(long, value_name = "TEXT", conflicts_with = "file")]
    remaining: Vec<String>,
    #[command(flatten)]
    variant: VariantFlag,
    /// Hold it until a person approves it.
    #[arg(long)]
    hold: bool,
    /// The open handoff of the same task that this one replaces.
    #[arg(long, value_name = "ID")]
    supersedes: Option<String>,
    /// An idempotency key: repeating the command with it is always safe.
    #[arg(long, value_name = "KEY")]
    key: Option<String>,
    #[command(flatten)]
    flags: Flags,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    if let Some(contract) = &arguments.from_contract {
        return print_contract_draft(arguments, contract, printer);
    }
    let exchange = backend::open_as_caller(&arguments.flags, printer)?;
    if let Some(task) = &arguments.from_task {
        let task = Some(task.as_str()).filter(|task| !task.is_empty());
        let held = exchange.current_claim(task, None)?;
        return draft::print(&*exchange, held, stated(arguments), printer);
    }
    let supersedes =
        arguments.supersedes.as_deref().map(|id| exchange.resolve_own_id(id)).transpose()?;
    let source = source(arguments)?;
    packet_file::require_variant(&source, arguments.variant.read()?.as_ref())?;
    let notice = packet_file::brief_notice(&source);
    let request = Submit {
        source,
        to: arguments.to.clone(),
        hold: arguments.hold,
        supersedes,
        variant: arguments.variant.document()?,
        work_tree: git::here(),
    };
    let answer = exchange.run(Command::Submit(request), arguments.key.clone())?;
    print(Sent::Submitted, &answer, notice.as_deref(), printer);
    Ok(Exit::Success)
}

/// Prints a packet with every part that a contract asks for.
fn print_contract_draft(
    arguments: &Arguments,
    contract: &str,
    printer: &Printer,
) -> Result<Exit, Failure> {
    // The sender need not be registered yet.
    let exchange = backend::open_anonymous(&arguments.flags)?;
    let contract = exchange.contract(contract)?;
    let first = contract.document.pointer("/from/0").and_then(serde_json::Value::as_str);
    let named = arguments.flags.party.clone().or_else(|| exchange.own_name().ok());
    let own = named.unwrap_or_else(|| first.unwrap_or_default().to_owned());
    printer.data(&draft::of_contract(&contract, &own, stated(arguments)));
    Ok(Exit::Success)
}

/// Returns the members that the flags state.
fn stated(arguments: &Arguments) -> Stated<'_> {
    Stated {
        to: arguments.to.as_deref(),
        goal: arguments.goal.as_deref(),
        task: arguments.task.as_deref(),
        completed: &arguments.completed,
        remaining: &arguments.remaining,
    }
}

/// How a packet was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sent {
    Submitted,
    PassedOn,
}

/// Prints the submitted handoff, what its receiver will not see, and who acts next.
pub(crate) fn print(
    sent: Sent,
    answer: &api::CommandResponse,
    notice: Option<&str>,
    printer: &Printer,
) {
    command_result::registered(answer, printer);
    if printer.is_json() {
        printer.json(answer);
        return;
    }
    let Some(handoff) = &answer.handoff else { return };
    let (name, to) = (name(handoff), &handoff.to);
    let held = match handoff.state.as_str() {
        "held" => format!(" {}", next_sentence(handoff)),
        _ => String::new(),
    };
    let text = match sent {
        _ if answer.repeated => {
            format!("Already submitted: {name} to {to}. {}", next_sentence(handoff))
        }
        Sent::Submitted => format!("Submitted {name} to {to}.{held}"),
        Sent::PassedOn => format!("Passed on to {to}: {name}.{held}"),
    };
    printer.data(&format!("{GOOD}✓{GOOD:#} {text}\n"));
    command_result::notes(answer, printer);
    if !answer.repeated {
        if sent == Sent::PassedOn {
            printer.remark(
                "note: your claim is read-only now, and ends when the new handoff is claimed",
            );
        }
        if let Some(notice) = notice {
            printer.loss(&format!("note: {notice}"));
        }
    }
    match handoff.state.as_str() {
        "offered" => printer.remark(&format!("Next: {to} runs `tasuki claim`")),
        "held" => {
            let reference = reference(handoff);
            printer.remark(&format!("Next: a person runs `tasuki show {reference}`"));
        }
        _ => {}
    }
}

fn source(arguments: &Arguments) -> Result<Vec<u8>, Failure> {
    if let Some(file) = &arguments.file {
        return file::bytes(file);
    }
    if arguments.to.is_none() {
        return Err(Failure::usage("no receiver given").hint("name it with `--to PARTY`"));
    }
    let mut packet = json!({
        "handoff_version": "1.0",
        "to_agent": arguments.to,
        "status": "in_progress",
        "goal": arguments.goal,
    });
    if let Some(task) = &arguments.task {
        packet["task_id"] = json!(task);
    }
    // An absent list means that the sender did not say.
    for (name, steps) in [("completed", &arguments.completed), ("remaining", &arguments.remaining)]
    {
        if !steps.is_empty() {
            packet[name] = json!(steps);
        }
    }
    Ok(packet.to_string().into_bytes())
}
