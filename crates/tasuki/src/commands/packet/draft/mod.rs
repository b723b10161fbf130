//! `tasuki draft`: turns an issue, a comment or free text into a packet, and lists what is missing.

mod model;
mod policy;

use std::path::PathBuf;

use serde_json::{Value, json};
use tasuki_packet::check::secrets::{self, Allow};
use tasuki_packet::draft::receiver::{Proposal, propose};
use tasuki_packet::draft::{self, Missing};
use tasuki_packet::open::{OpenOptions, open};
use tasuki_packet::read::Source;
use tasuki_packet::write::convert::to_form;
use tasuki_packet::{Members, Variant, Violation};

use super::convert::Target;
use crate::config::Environment;
use crate::exit::{Exit, Failure};
use crate::input::file;
use crate::input::packet_file::{self, SECRETS_HINT, Secrets};
use crate::output::escape::escape;
use crate::output::file as output_file;
use crate::output::printer::{NOTE, Printer, STRONG};
use model::ModelArguments;

/// Draft a packet from an issue or free text.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki draft issue.md --from planner\n  gh issue view 42 --json title,body -q '\"# \\(.title)\\n\\(.body)\"' | tasuki draft - --task issue-42\n  tasuki draft note.md --model qwen3 --model-url http://localhost:11434/v1\n\nHeadings, lists and check boxes become fields; everything else becomes the summary or a note. What the text does not say is listed as missing. The receiver is proposed from the documents in `contracts/` and `rules/`.\n\nExit codes: 0 the packet is valid, 1 something required is missing."
)]
pub(crate) struct Arguments {
    /// The text, or `-` for stdin.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The id of the task.
    #[arg(long, value_name = "ID")]
    task: Option<String>,
    /// The sender.
    #[arg(long, value_name = "PARTY")]
    from: Option<String>,
    /// The receiver.
    #[arg(long, value_name = "PARTY")]
    to: Option<String>,
    /// The variant that says what is required: a built-in name, or your own variant file.
    #[arg(long, default_value = "baseline", value_name = "NAME|FILE")]
    variant: String,
    /// The folder with contracts, for the receiver.
    #[arg(long, default_value = "contracts", value_name = "FOLDER")]
    contracts: PathBuf,
    /// The folder with rules, for the receiver.
    #[arg(long, default_value = "rules", value_name = "FOLDER")]
    rules: PathBuf,
    /// The form to write.
    #[arg(long = "format", value_enum, default_value = "yaml", value_name = "FORM")]
    format: Target,
    #[command(flatten)]
    secrets: Secrets,
    #[command(flatten)]
    model: ModelArguments,
    /// Write to this new file instead of stdout.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// A draft with everything that is open.
struct Drafted {
    members: Members,
    noted: Vec<String>,
    from_model: Vec<String>,
    proposal: Option<Proposal>,
    missing: Vec<Missing>,
    violations: Vec<Violation>,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let variant = packet_file::variant(&arguments.variant)?.ok_or_else(|| {
        Failure::usage("`auto` does not say what is required")
            .hint("name a variant: `tasuki schema --list`")
    })?;
    let text = arguments.read()?;
    let drafted = arguments.draft(&text, &variant)?;
    let written = to_form(&drafted.members, arguments.format.form(), "")
        .map_err(|violation| packet_file::violation_failure(&violation))?;
    if let Some(path) = &arguments.out {
        output_file::create(path, &written)?;
    }
    if printer.is_json() {
        printer.json(&drafted.to_value(arguments.out.is_none().then_some(&written)));
    } else {
        if arguments.out.is_none() {
            printer.data(&written);
        }
        drafted.remarks(printer);
        if let Some(path) = &arguments.out {
            printer.remark(&format!("Wrote {}", path.display()));
        }
    }
    Ok(if drafted.violations.is_empty() { Exit::Success } else { Exit::Found })
}

impl Arguments {
    /// Reads the text. A secret in it is refused, or replaced with `--redact`.
    fn read(&self) -> Result<String, Failure> {
        let bytes = file::bytes(&self.file)?;
        let name = self.file.display();
        let text = String::from_utf8(bytes)
            .map_err(|_invalid| Failure::refused(format!("{name} is not UTF-8")))?;
        let is_packet = Source::packet(text.as_bytes())
            .is_ok_and(|source| open(&source, OpenOptions::default()).is_ok());
        if is_packet {
            return Err(Failure::usage(format!("{name} already has a packet"))
                .hint(format!("`tasuki convert {name} --to yaml` prints it")));
        }
        let allow = Allow::new(&self.secrets.allow);
        let mut value = Value::from(text);
        let found = secrets::redact_with(&mut value, &allow);
        let text = value.as_str().unwrap_or_default().to_owned();
        match found.first() {
            Some(first) if !self.secrets.redact => {
                let kind = &first.kind;
                Err(Failure::refused(format!("{name} contains a secret: {kind}"))
                    .hint(SECRETS_HINT))
            }
            _ => Ok(text),
        }
    }

    fn draft(&self, text: &str, variant: &Variant) -> Result<Drafted, Failure> {
        let draft::Draft { mut members, noted } = draft::draft(text);
        let given = [("task_id", &self.task), ("from_agent", &self.from), ("to_agent", &self.to)];
        for (name, value) in given {
            if let Some(value) = value {
                put(&mut members, name, json!(value));
            }
        }
        let mut from_model = Vec::new();
        if let Some(model) = self.model.configured(&Environment::of_process())? {
            // Redaction above covers the text; the draft quotes it.
            let answer = model.complete(text, variant)?;
            from_model = fill(&mut members, answer);
        }
        let proposal = if members.contains_key("to_agent") {
            None
        } else {
            Some(self.propose(text, &mut members)?)
        };
        let missing = draft::missing(&members, variant);
        let violations = violations(&members, variant)?;
        Ok(Drafted { members, noted, from_model, proposal, missing, violations })
    }

    /// Proposes a receiver, and takes it if it is clear.
    fn propose(&self, text: &str, members: &mut Members) -> Result<Proposal, Failure> {
        let contracts = policy::contracts(&self.contracts)?;
        let rules = policy::rules(&self.rules)?;
        let sender = members.get("from_agent").and_then(Value::as_str).map(str::to_owned);
        let proposal = propose(text, sender.as_deref(), &contracts, &rules);
        if let Some(receiver) = proposal.receiver() {
            put(members, "to_agent", json!(receiver.party));
        }
        Ok(proposal)
    }
}

/// Sets a member, in the order of the format.
fn put(members: &mut Members, name: &str, value: Value) {
    use tasuki_packet::schema::field::index_of;
    let index = index_of(name);
    let place = members.keys().position(|known| index_of(known) > index);
    if members.contains_key(name) {
        members.insert(name.to_owned(), value);
    } else {
        members.shift_insert(place.unwrap_or(members.len()), name.to_owned(), value);
    }
}

/// Adds what the text says by no heading, from the answer of a model. Returns the added names.
fn fill(members: &mut Members, answer: Members) -> Vec<String> {
    let mut added = Vec::new();
    for (name, value) in answer {
        let is_empty = value.as_array().is_some_and(Vec::is_empty);
        if !members.contains_key(&name) && !is_empty {
            put(members, &name, value);
            added.push(name);
        }
    }
    added
}

fn violations(members: &Members, variant: &Variant) -> Result<Vec<Violation>, Failure> {
    let bytes = Value::Object(members.clone()).to_string();
    let options = OpenOptions { variant: Some(variant), ..OpenOptions::default() };
    let opened = Source::packet(bytes.as_bytes()).and_then(|source| open(&source, options));
    opened
        .map(|opened| opened.violations)
        .map_err(|violation| packet_file::violation_failure(&violation))
}

impl Drafted {
    fn to_value(&self, text: Option<&String>) -> Value {
        let missing: Vec<_> = self
            .missing
            .iter()
            .map(|one| json!({ "field": one.field, "required": one.is_required, "purpose": one.purpose }))
            .collect();
        let candidates = self.proposal.iter().flat_map(|proposal| &proposal.candidates);
        let candidates: Vec<_> = candidates
            .map(|one| json!({ "party": one.party, "score": one.score, "reason": one.reason }))
            .collect();
        json!({
            "packet": self.members,
            "text": text,
            "valid": self.violations.is_empty(),
            "missing": missing,
            "violations": self.violations,
            "candidates": candidates,
            "noted": self.noted,
            "from_model": self.from_model,
        })
    }

    fn remarks(&self, printer: &Printer) {
        for line in self.receiver_lines() {
            printer.remark(&line);
        }
        if !self.noted.is_empty() {
            let headings = self.noted.join(", ");
            printer.remark(&format!("Kept as notes: {}", escape(&headings)));
        }
        if !self.from_model.is_empty() {
            let names = self.from_model.join(", ");
            printer.remark(&format!("{NOTE}From the model, to be checked:{NOTE:#} {names}"));
        }
        for Missing { field, purpose, is_required } in &self.missing {
            let word = if *is_required { "missing" } else { "not stated" };
            printer.remark(&format!("{word}: {STRONG}{field}{STRONG:#} ({purpose})"));
        }
        let is_reported = |violation: &&Violation| {
            let field = violation.pointer.trim_start_matches('/');
            self.missing.iter().any(|missing| missing.field == field)
        };
        for violation in self.violations.iter().filter(|violation| !is_reported(violation)) {
            let Violation { code, message, .. } = violation;
            printer.remark(&format!("invalid: {code} {}", escape(message)));
        }
    }

    fn receiver_lines(&self) -> Vec<String> {
        let Some(proposal) = &self.proposal else { return Vec::new() };
        match (proposal.receiver(), proposal.candidates.as_slice()) {
            (Some(best), _) => {
                vec![format!("Proposed receiver: {} ({})", best.party, escape(&best.reason))]
            }
            (None, []) => vec![
                "Cannot propose a receiver: no contract or rule names one for this sender."
                    .to_owned(),
            ],
            (None, all) => {
                let names: Vec<_> = all.iter().map(|one| one.party.as_str()).collect();
                vec![format!(
                    "Cannot propose a receiver: the text fits {} equally. Name one with `--to`.",
                    names.join(", ")
                )]
            }
        }
    }
}
