//! Shared code of contracts, gates and rules: reading, printing and publishing documents.

use std::path::Path;

use serde_json::Value;
use tasuki_api as api;
use tasuki_packet::read::Source;
use tasuki_packet::{Violation, write};

use crate::exit::Failure;
use crate::input::file;
use crate::output::diagnostics;
use crate::output::printer::{GOOD, Printer};

/// Reads a document such as a gate, and reports violations with their positions.
pub(crate) fn read_document<T>(
    file: &Path,
    what: &str,
    judge: impl FnOnce(&Value) -> Result<T, Vec<Violation>>,
) -> Result<(Value, T), Failure> {
    let bytes = file::bytes(file)?;
    let text = String::from_utf8_lossy(&bytes);
    let name = file.display().to_string();
    let refused = |violations: &[Violation]| {
        let all = diagnostics::violations(&name, &text, violations).join("\n");
        let all = all.trim_end();
        Failure::refused(format!("invalid {what}: {name}\n\n{all}"))
    };
    let source = Source::plain(&bytes).map_err(|violation| refused(&[violation]))?;
    let document = source.read_plain().map_err(|violation| refused(&[violation]))?;
    let value = document.to_value();
    match judge(&value) {
        Ok(judged) => Ok((value, judged)),
        Err(mut violations) => {
            source.locate(&document, &mut violations);
            Err(refused(&violations))
        }
    }
}

/// Prints what was published, or that it was published already.
pub(super) fn print_published(what: &str, answer: &api::CommandResponse, printer: &Printer) {
    if printer.is_json() {
        printer.json(answer);
        return;
    }
    let name = answer.published.as_deref().unwrap_or(what);
    if answer.repeated {
        printer.data(&format!("{GOOD}✓{GOOD:#} Nothing changed: {name} is already published\n"));
    } else {
        printer.data(&format!("{GOOD}✓{GOOD:#} Published {name}\n"));
    }
}

/// Formats a document as YAML.
pub(super) fn to_yaml(document: &Value) -> String {
    match document {
        Value::Object(members) => write::yaml(members),
        other => format!("{other:#}\n"),
    }
}

/// Returns a prefix of a digest, enough to tell two apart.
pub(super) fn short_digest(digest: &str) -> String {
    digest.chars().take("sha256:".len() + 12).collect()
}
