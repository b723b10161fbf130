//! `tasuki validate`: validates packets, and reports every violation with its position.

use std::path::PathBuf;

use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;
use serde::Serialize;
use tasuki_api::ValidationReport;
use tasuki_packet::check::secrets::Allow;
use tasuki_packet::check::verify;
use tasuki_packet::open::OpenOptions;
use tasuki_packet::policy::rules::ProjectRules;
use tasuki_packet::{Code, Packet, Violation};

use super::held_task::held_task;
use super::project_rules::LoadedRules;
use super::report::sarif::SarifLog;
use super::report::{FileReport, github};
use super::validate_return;
use crate::exit::{Exit, Failure};
use crate::input::contract_file::{ContractFile, SchemaFolder};
use crate::input::document_kind::DocumentKind;
use crate::input::file::{self, Content, Input};
use crate::input::packet_file::{self, InspectedPacket, Secrets};
use crate::input::policy_file;
use crate::output::diagnostics;
use crate::output::escape::{argument, escape};
use crate::output::left_out::LeftOut;
use crate::output::printer::{BAD, FAINT, GOOD, NOTE, Printer, counted};

/// Validate packets.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki validate handoff.yaml\n  tasuki validate packets/ --variant strict\n  tasuki validate handoff.yaml --rules rules/default.yaml\n  tasuki validate --against handoff.yaml return.yaml\n  tasuki validate packets/ --format sarif > packets.sarif\n  cat comment.md | tasuki validate -\n\nReports every violation with its line, the value found and the values allowed.\n\nExit codes: 0 all valid (with --against: done), 1 violations (not done), 2 an input cannot be read."
)]
pub(crate) struct Arguments {
    /// Files, folders, or `-` for stdin; the content decides between YAML, JSON, Markdown and wire.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The variant: auto, a built-in name, or your own variant file.
    #[arg(long, default_value = "auto", value_name = "NAME|FILE")]
    variant: String,
    /// A contract to validate against; its profile is the default variant.
    #[arg(long, value_name = "FILE")]
    contract: Option<PathBuf>,
    /// Rules that may choose a variant; by default those of the exchange, if there is one.
    #[arg(long, value_name = "FILE", conflicts_with = "against")]
    rules: Option<PathBuf>,
    /// The handoff of these return packets; reports whether the work is done.
    #[arg(long, value_name = "HANDOFF")]
    against: Option<PathBuf>,
    /// The packet that these pass on: they may only narrow its authority, and must carry what is owed
    /// and pinned. By default, that of the task if you hold it.
    #[arg(long, value_name = "PACKET", conflicts_with = "against")]
    parent: Option<PathBuf>,
    /// Text that is not a secret, with `*` as wildcard; may be repeated.
    #[arg(long, value_name = "TEXT")]
    allow: Vec<String>,
    /// The output format.
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

/// The output format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people, with the line of each violation.
    Text,
    /// One object per file and line.
    Json,
    /// A SARIF 2.1.0 log, for code scanning.
    Sarif,
    /// Annotations of GitHub Actions.
    Github,
}

/// LIMIT: files whose results are held in memory before they are printed.
const CHUNK_FILES: usize = 256;

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let variant = packet_file::variant(&arguments.variant)?;
    let contract = arguments.contract.as_deref().map(ContractFile::load_compiled).transpose()?;
    let allow = Allow::new(&arguments.allow);
    let format = arguments.output_format(printer)?;
    let parent = parent(arguments, printer)?;
    let rules = rules(arguments, variant.is_some(), printer)?;
    let is_member =
        |party: &str, role: &str| rules.as_ref().is_some_and(|rules| rules.is_member(party, role));
    let rules = rules.as_ref().map(|rules| &rules.compiled);
    let terms = OpenOptions {
        variant: variant.as_ref(),
        contract: contract.as_ref(),
        rules: rules.map(|rules| ProjectRules { rules, is_member: &is_member }),
        parent: parent.as_ref(),
        allow: Some(&allow),
    };
    if let Some(handoff) = &arguments.against {
        return validate_return::run(
            handoff,
            &arguments.files,
            terms,
            format == Format::Json,
            printer,
        );
    }
    validate_all(&Input::expand(&arguments.files)?, terms, format, printer)
}

/// Validates the inputs in parallel, and prints the results in order.
fn validate_all(
    inputs: &[Input],
    terms: OpenOptions<'_>,
    format: Format,
    printer: &Printer,
) -> Result<Exit, Failure> {
    let is_quiet = printer.is_quiet();
    let bar = progress(inputs.len());
    let mut tally = Tally::default();
    let mut log = SarifLog::default();
    for chunk in inputs.chunks(CHUNK_FILES) {
        let rows: Vec<_> = chunk
            .par_iter()
            .map(|input| {
                let row = Row::checked(input, terms)?;
                let shown = match format {
                    Format::Text if is_quiet => row.show_problems(),
                    _ => row.show(format, inputs.len() == 1),
                };
                Ok((row, shown))
            })
            .collect();
        let mut text = String::new();
        let mut failures = Vec::new();
        for row in rows {
            match row {
                Ok((row, shown)) => {
                    tally.count(&row);
                    text.push_str(&shown);
                    if format == Format::Sarif {
                        log.add(&row.file_report());
                    }
                }
                // The other files are still validated.
                Err(failure) => failures.push(failure),
            }
        }
        tally.unreadable += failures.len();
        for failure in &failures {
            log.add_failure(failure);
        }
        bar.suspend(|| {
            printer.data(&text);
            for failure in &failures {
                printer.failure(failure);
            }
        });
        bar.inc(chunk.len() as u64);
    }
    bar.finish_and_clear();
    if format == Format::Sarif {
        printer.data(&format!("{:#}\n", log.to_value()));
    }
    if inputs.len() > 1 || inputs.iter().any(|input| input.is_discovered) {
        printer.remark(&tally.summary());
    }
    tally.exit()
}

impl Arguments {
    /// Returns the format, unless the flags contradict each other.
    fn output_format(&self, printer: &Printer) -> Result<Format, Failure> {
        let is_report = matches!(self.format, Format::Sarif | Format::Github);
        match (is_report, printer.is_json(), &self.against) {
            (true, true, _) => Err(Failure::usage("`--json` and `--format` contradict each other")
                .hint("leave out `--json`")),
            (true, _, Some(_)) => Err(Failure::usage("`--against` reports as text or JSON only")
                .hint("validate the return packets themselves with `--format sarif` or `github`")),
            (false, true, _) => Ok(Format::Json),
            _ => Ok(self.format),
        }
    }
}

/// Returns the packet that these pass on: the named one, or that of the task that the caller holds.
fn parent(arguments: &Arguments, printer: &Printer) -> Result<Option<Packet>, Failure> {
    if let Some(path) = &arguments.parent {
        return Ok(Some(packet_file::load_valid(path, &Secrets::redacted(), None)?.opened.packet));
    }
    let held = if arguments.against.is_some() { None } else { held_task(&arguments.files) };
    if let Some(held) = &held {
        let task = argument(&held.task);
        printer
            .remark(&format!("Checked against {task}, which you hold: what is owed and pinned."));
    }
    Ok(held.map(|held| held.packet))
}

/// Returns the rules that may choose a variant, unless the caller chooses one.
fn rules(
    arguments: &Arguments,
    has_variant: bool,
    printer: &Printer,
) -> Result<Option<LoadedRules>, Failure> {
    match &arguments.rules {
        _ if has_variant || arguments.against.is_some() => Ok(None),
        Some(file) => LoadedRules::of_file(file).map(Some),
        None => Ok(LoadedRules::of_exchange(printer)),
    }
}

/// Returns a progress bar for long runs, hidden for short ones.
fn progress(files: usize) -> ProgressBar {
    if files < 2 * CHUNK_FILES {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} files")
        .expect("the template is a constant");
    ProgressBar::new(files as u64).with_style(style)
}

/// The result for one file.
#[derive(Debug, Default, Serialize)]
struct Row {
    file: String,
    #[serde(flatten)]
    report: ValidationReport,
    #[serde(skip_serializing_if = "Option::is_none")]
    skipped: Option<&'static str>,
    /// The kind of a document that is not a packet.
    #[serde(skip_serializing_if = "Option::is_none")]
    document: Option<&'static str>,
    /// The content that the receiver's brief leaves out.
    #[serde(skip_serializing_if = "Option::is_none")]
    brief: Option<LeftOut>,
    /// The violations with their positions in the text.
    #[serde(skip)]
    violations: Vec<Violation>,
    /// The warnings with their positions in the text.
    #[serde(skip)]
    warnings: Vec<Violation>,
    #[serde(skip)]
    text: String,
}

impl Row {
    /// Checks one input. A folder may have other files; only a named file must be a packet.
    fn checked(input: &Input, terms: OpenOptions<'_>) -> Result<Self, Failure> {
        let content = input.read()?;
        let kind = match &content {
            Content::Bytes(bytes) => DocumentKind::of(input.path(), bytes),
            Content::TooLarge(_) => DocumentKind::Other,
        };
        match (kind, &content) {
            (DocumentKind::Packet, _) => {}
            (DocumentKind::Other, _) if input.is_discovered => {
                let row = Self { file: input.name.clone(), ..Self::default() };
                return Ok(Self { skipped: Some("no packet in it"), ..row });
            }
            (DocumentKind::Other, _) | (_, Content::TooLarge(_)) => {}
            (kind, Content::Bytes(bytes)) => return Self::of_policy(kind, input, bytes),
        }
        Ok(Self::of(input, packet_file::inspect_content(&content, terms)))
    }

    fn of(input: &Input, inspected: InspectedPacket) -> Self {
        let InspectedPacket { text, opened, .. } = inspected;
        let (file, report) = (input.name.clone(), ValidationReport::new(opened.as_ref()));
        let mut row = Self { file, report, text, ..Self::default() };
        match opened {
            Ok(mut opened) => {
                let schemas = SchemaFolder::of(input);
                let missing = verify::schema_violations(&opened.packet, &schemas).into_iter();
                let missing = missing.filter(|violation| violation.code == Code::SchemaMissing);
                opened.warnings.extend(missing);
                row.report = ValidationReport::new(Ok(&opened));
                row.brief = row.report.valid.then(|| LeftOut::of(&opened.packet)).flatten();
                (row.violations, row.warnings) = (opened.violations, opened.warnings);
            }
            Err(violation) => row.violations = vec![violation],
        }
        row
    }

    /// Checks a contract, a gate, rules or a variant.
    fn of_policy(kind: DocumentKind, input: &Input, bytes: &[u8]) -> Result<Self, Failure> {
        let violations = policy_file::violations(kind, input, bytes)?;
        let report = ValidationReport {
            valid: violations.is_empty(),
            violations: violations.iter().map(tasuki_api::Violation::from).collect(),
            ..ValidationReport::default()
        };
        let text = String::from_utf8_lossy(bytes).into_owned();
        let file = input.name.clone();
        Ok(Self { file, report, document: Some(kind.word()), violations, text, ..Self::default() })
    }

    /// Formats the result; a skipped file has none.
    fn show(&self, format: Format, is_only: bool) -> String {
        match format {
            Format::Text => self.show_text(is_only),
            Format::Json => {
                let row = serde_json::to_string(self).expect("a row has text keys only");
                format!("{row}\n")
            }
            Format::Github => github::annotations(&self.file_report()),
            // One document for all files, which is printed at the end.
            Format::Sarif => String::new(),
        }
    }

    fn file_report(&self) -> FileReport {
        let file = (self.file != Input::STDIN).then(|| self.file.clone());
        FileReport::new(file, &self.text, &self.violations, &self.warnings)
    }

    fn show_text(&self, is_only: bool) -> String {
        let is_valid = self.skipped.is_none() && self.report.valid;
        let valid = if is_valid { self.show_valid(is_only) } else { String::new() };
        valid + &self.show_problems()
    }

    /// Formats violations, warnings and what the receiver will not see, which a caller wants to know
    /// even with `--quiet`.
    fn show_problems(&self) -> String {
        match (self.skipped, self.report.valid) {
            (Some(_), _) => String::new(),
            (None, true) => self.show_warnings() + &self.show_brief(),
            (None, false) => self.show_invalid() + &self.show_warnings(),
        }
    }

    fn show_warnings(&self) -> String {
        let file = escape(&self.file);
        let line = |warning: &Violation| {
            let place =
                warning.position.map_or(String::new(), |at| format!(":{}:{}", at.line, at.column));
            let (code, message) = (warning.code, escape(&warning.message));
            format!("{NOTE}warning{NOTE:#}  {file}{place}: {code} {message}\n")
        };
        self.warnings.iter().map(line).collect()
    }

    fn show_brief(&self) -> String {
        let Some(brief) = &self.brief else { return String::new() };
        let file = escape(&self.file);
        format!("{NOTE}note{NOTE:#}     {file}: the receiver's brief {brief}\n")
    }

    fn show_valid(&self, is_only: bool) -> String {
        if let Some(document) = self.document {
            return format!("{GOOD}valid{GOOD:#}    {}  {FAINT}{document}{FAINT:#}\n", self.file);
        }
        let report = &self.report;
        let variant = report.variant.as_deref().unwrap_or_default();
        let because = self.chosen_by().map_or(String::new(), |by| format!(" (chosen by {by})"));
        let form = report.form.as_deref().unwrap_or_default();
        let dialect = match report.dialect.as_deref() {
            Some(dialect) if dialect != variant => format!(" read as {dialect},"),
            _ => String::new(),
        };
        let digest = report.digest.as_deref().unwrap_or_default();
        let shown = if is_only { digest } else { &digest[..digest.len().min(23)] };
        let file = &self.file;
        format!(
            "{GOOD}valid{GOOD:#}    {file}  {FAINT}{variant}{because},{dialect} {form}, {shown}{FAINT:#}\n"
        )
    }

    /// Returns the field or the rule that chose the variant.
    fn chosen_by(&self) -> Option<String> {
        let by_rule = self.report.variant_rule.as_ref().map(|rule| format!("rule `{rule}`"));
        by_rule.or_else(|| self.report.variant_field.as_ref().map(|field| format!("`{field}`")))
    }

    fn show_invalid(&self) -> String {
        let count = counted(self.violations.len(), "violation");
        let because = self.chosen_by().map_or(String::new(), |by| format!(", chosen by {by}"));
        let variant = self.report.variant.as_ref();
        let variant = variant.map_or(String::new(), |name| format!(" of {name}{because}"));
        let mut text =
            format!("{BAD}invalid{BAD:#}  {}  {FAINT}{count}{variant}{FAINT:#}\n", self.file);
        for shown in diagnostics::violations(&self.file, &self.text, &self.violations) {
            text.push('\n');
            text.push_str(&shown);
        }
        text.push('\n');
        text
    }
}

#[derive(Debug, Default)]
struct Tally {
    valid: usize,
    invalid: usize,
    skipped: usize,
    unreadable: usize,
    violations: usize,
}

impl Tally {
    fn exit(&self) -> Result<Exit, Failure> {
        match self {
            Self { unreadable: 1.., .. } => Ok(Exit::Usage),
            Self { invalid: 1.., .. } => Ok(Exit::Found),
            Self { valid: 0, skipped: 0, .. } => Err(file::no_packets_found()),
            _ => Ok(Exit::Success),
        }
    }

    fn count(&mut self, row: &Row) {
        self.violations += row.violations.len();
        match (row.skipped, row.report.valid) {
            (Some(_), _) => self.skipped += 1,
            (None, true) => self.valid += 1,
            (None, false) => self.invalid += 1,
        }
    }

    fn summary(&self) -> String {
        let Self { valid, invalid, skipped, unreadable, violations } = self;
        let mut text = format!("{valid} valid, {invalid} invalid");
        if *violations > 0 {
            text.push_str(&format!(" with {}", counted(*violations, "violation")));
        }
        if *unreadable > 0 {
            text.push_str(&format!(", {unreadable} unreadable"));
        }
        if *skipped > 0 {
            text.push_str(&format!(", {skipped} skipped (not a packet)"));
        }
        text
    }
}
