//! `tasuki contract`: checks, publishes and shows contracts between senders and receivers.

use std::path::{Path, PathBuf};

use clap::{Subcommand, ValueEnum};
use serde_json::json;
use tasuki_engine::command::Command as EngineCommand;
use tasuki_engine::steps::PublishContract;
use tasuki_packet::Violation;
use tasuki_packet::policy::contract::check::{Entry, Severity, contracts};
use tasuki_packet::policy::contract::{Contract, Graph};

use super::{contract_docs, contract_scaffold, documents};
use crate::backend;
use crate::config::Flags;
use crate::exit::{Exit, Failure};
use crate::input::contract_file::ContractFile;
use crate::input::file::Input;
use crate::output::escape::argument;
use crate::output::printer::{BAD, GOOD, NOTE, Printer, counted};
use crate::output::table::columns;
use crate::output::{diagnostics, file};

/// Check, publish and show contracts.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Write a new contract between two parties.
    #[command(
        after_help = "Examples:\n  tasuki contract new planner coder > contracts/planner-to-coder.yaml\n  tasuki contract new coder role:reviewer --out contracts/coder-to-reviewer.yaml\n\nThe contract has every part that a contract needs, with a comment on each. It is valid as it is: change what does not fit, then check and publish it."
    )]
    New {
        /// The sender.
        #[arg(value_name = "FROM")]
        from: String,
        /// The receiver, such as coder or role:reviewer.
        #[arg(value_name = "TO")]
        to: String,
        /// Write to this new file instead of stdout.
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// Check contract documents.
    #[command(
        after_help = "Example:\n  tasuki contract check contracts/\n\nFinds missing parts, ladders without an end, loops, and versions that break older ones.\n\nExit codes: 0 no errors, 1 errors."
    )]
    Check {
        /// Files or folders with contract documents.
        #[arg(required = true, value_name = "FILE|FOLDER")]
        files: Vec<PathBuf>,
    },
    /// Draw the graph of senders and receivers.
    #[command(after_help = "Example:\n  tasuki contract graph contracts/ --format mermaid")]
    Graph {
        /// Files or folders with contract documents.
        #[arg(required = true, value_name = "FILE|FOLDER")]
        files: Vec<PathBuf>,
        /// The format of the graph.
        #[arg(long, value_enum, default_value = "text")]
        format: GraphFormat,
    },
    /// Write a page about each contract.
    #[command(
        after_help = "Examples:\n  tasuki contract docs contracts/ --to docs/contracts\n  tasuki contract docs contracts/review.yaml\n\nWrites Markdown: a page for each version, and an index with the graph. Pages of an earlier run are replaced; any other file is left alone."
    )]
    Docs {
        /// Files or folders with contract documents.
        #[arg(required = true, value_name = "FILE|FOLDER")]
        files: Vec<PathBuf>,
        /// Write the pages to this folder instead of stdout.
        #[arg(long, value_name = "FOLDER")]
        to: Option<PathBuf>,
    },
    /// Publish contracts.
    #[command(
        after_help = "Example:\n  tasuki contract publish contracts/\n\nSchemas that a contract refers to by path are published with it. A version is immutable: publishing it again changes nothing, and other content under the same version is refused. A contract with errors (`tasuki contract check`) is refused too."
    )]
    Publish {
        /// Files or folders with contract documents.
        #[arg(required = true, value_name = "FILE|FOLDER")]
        files: Vec<PathBuf>,
        #[command(flatten)]
        flags: Flags,
    },
    /// List the contracts of the project.
    #[command(visible_alias = "ls")]
    List {
        #[command(flatten)]
        flags: Flags,
    },
    /// Show a contract.
    #[command(
        after_help = "Examples:\n  tasuki contract show planner-to-coder\n  tasuki contract show planner-to-coder@1.0 --json"
    )]
    Show {
        /// The name; `@1.0` names a version, by default the newest.
        #[arg(value_name = "NAME[@VERSION]")]
        name: String,
        #[command(flatten)]
        flags: Flags,
    },
}

/// The format of the graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum GraphFormat {
    Text,
    Mermaid,
    Dot,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    match &arguments.command {
        Command::New { from, to, out } => new(from, to, out.as_deref(), printer),
        Command::Check { files } => check(files, printer),
        Command::Graph { files, format } => graph(files, *format, printer),
        Command::Docs { files, to } => {
            contract_docs::run(&read_all(files)?, to.as_deref(), printer)
        }
        Command::Publish { files, flags } => publish(files, flags, printer),
        Command::List { flags } => list(flags, printer),
        Command::Show { name, flags } => show(name, flags, printer),
    }
}

/// Reads contract documents; in a folder, the YAML and JSON files with a `contract` member.
fn read_all(files: &[PathBuf]) -> Result<Vec<ContractFile>, Failure> {
    let mut found = Vec::new();
    for input in Input::expand(files)? {
        let is_markdown =
            input.path().is_some_and(|path| path.extension().is_some_and(|e| e == "md"));
        if input.is_discovered && is_markdown {
            continue;
        }
        let file = ContractFile::read(&input)?;
        let is_contract = file.text.lines().any(|line| {
            line.starts_with("contract:") || line.trim_start().starts_with("\"contract\":")
        });
        if is_contract || !input.is_discovered {
            found.push(file);
        }
    }
    if found.is_empty() {
        return Err(Failure::usage("no contract documents found")
            .hint("a contract document has a member `contract`"));
    }
    Ok(found)
}

fn new(from: &str, to: &str, out: Option<&Path>, printer: &Printer) -> Result<Exit, Failure> {
    let (name, text) = contract_scaffold::scaffold(from, to)?;
    let Some(path) = out else {
        if printer.is_json() {
            printer.json(&json!({ "contract": name, "text": text }));
        } else {
            printer.data(&text);
        }
        return Ok(Exit::Success);
    };
    file::create(path, &text)?;
    let path = argument(&path.display().to_string());
    printer.remark(&format!("Wrote {path}. Next: change it, then tasuki contract publish {path}"));
    Ok(Exit::Success)
}

fn check(files: &[PathBuf], printer: &Printer) -> Result<Exit, Failure> {
    let files = read_all(files)?;
    let mut shown = Vec::new();
    let mut entries = Vec::new();
    for file in &files {
        match &file.read {
            Ok((contract, compiled)) => entries.push(Entry {
                source: file.name.clone(),
                contract: contract.clone(),
                compiled: compiled.clone(),
            }),
            Err(violations) => {
                shown.extend(violations.iter().map(|one| (Severity::Error, file, one.clone())));
            }
        }
    }
    let report = contracts(&entries);
    for finding in report.findings {
        let file = files.iter().find(|file| file.name == finding.source);
        if let Some(file) = file {
            let mut violations = [finding.violation];
            file.locate(&mut violations);
            let [violation] = violations;
            shown.push((finding.severity, file, violation));
        }
    }
    let errors = shown.iter().filter(|(severity, ..)| *severity == Severity::Error).count();
    for (severity, file, violation) in &shown {
        print_finding(printer, *severity, file, violation);
    }
    let summary = &report.summary;
    if printer.is_json() {
        printer.json(
            &json!({ "summary": summary, "errors": errors, "warnings": shown.len() - errors }),
        );
    } else if errors == 0 {
        printer.data(&format!("{GOOD}ok{GOOD:#}  {summary}\n"));
    } else {
        printer.data(&format!("{BAD}{}{BAD:#}  {summary}\n", counted(errors, "error")));
    }
    Ok(if errors == 0 { Exit::Success } else { Exit::Found })
}

fn print_finding(
    printer: &Printer,
    severity: Severity,
    file: &ContractFile,
    violation: &Violation,
) {
    if printer.is_json() {
        let violation = diagnostics::redacted(violation.clone());
        return printer
            .json(&json!({ "severity": severity, "file": file.name, "violation": violation }));
    }
    let word = match severity {
        Severity::Error => format!("{BAD}error{BAD:#}"),
        Severity::Warning => format!("{NOTE}warning{NOTE:#}"),
    };
    printer.data(&format!(
        "{word} {}\n",
        diagnostics::only_violation(&file.name, &file.text, violation)
    ));
}

fn graph(files: &[PathBuf], format: GraphFormat, printer: &Printer) -> Result<Exit, Failure> {
    let files = read_all(files)?;
    let mut read: Vec<Contract> = Vec::new();
    for file in &files {
        read.push(file.contract()?.clone());
    }
    let graph = Graph::of(&read);
    let (name, drawn) = match format {
        GraphFormat::Text => ("text", graph.to_text()),
        GraphFormat::Mermaid => ("mermaid", graph.to_mermaid()),
        GraphFormat::Dot => ("dot", graph.to_dot()),
    };
    if printer.is_json() {
        printer.json(&json!({ "format": name, "text": drawn }));
    } else {
        printer.data(&drawn);
    }
    Ok(Exit::Success)
}

fn publish(files: &[PathBuf], flags: &Flags, printer: &Printer) -> Result<Exit, Failure> {
    let files = read_all(files)?;
    // All documents are valid, or none is published.
    let mut records = files.iter().map(ContractFile::publishable).collect::<Result<Vec<_>, _>>()?;
    // A version may refer to older ones, which must be published first.
    records.sort_by(|one, other| one.0.cmp(&other.0));
    let exchange = backend::open_as_operator(flags, printer)?;
    for (_, record) in records {
        let answer = exchange.run(EngineCommand::PublishContract(PublishContract(record)), None)?;
        documents::print_published("contract", &answer, printer);
    }
    Ok(Exit::Success)
}

fn list(flags: &Flags, printer: &Printer) -> Result<Exit, Failure> {
    let exchange = backend::open_anonymous(flags)?;
    let mut rows = vec![["CONTRACT", "FROM", "TO", "DIGEST"].map(str::to_owned)];
    for line in exchange.contracts()? {
        if printer.is_json() {
            printer.json(&line);
        }
        rows.push([
            format!("{}@{}", line.contract, line.version),
            line.from.join(", "),
            line.to.join(", "),
            documents::short_digest(&line.digest),
        ]);
    }
    if !printer.is_json() && rows.len() == 1 {
        printer.remark("No contracts yet. Next: tasuki contract publish FILE");
    } else if !printer.is_json() {
        printer.data(&columns(&rows));
    }
    Ok(Exit::Success)
}

fn show(name: &str, flags: &Flags, printer: &Printer) -> Result<Exit, Failure> {
    let exchange = backend::open_anonymous(flags)?;
    let shown = exchange.contract(name)?;
    if printer.is_json() {
        printer.json(&shown);
        return Ok(Exit::Success);
    }
    printer.data(&documents::to_yaml(&shown.document));
    let schemas: Vec<&str> = shown.schemas.keys().map(String::as_str).collect();
    if !schemas.is_empty() {
        printer.remark(&format!(
            "note: it has the schemas {}; `--json` prints them",
            schemas.join(", ")
        ));
    }
    Ok(Exit::Success)
}
