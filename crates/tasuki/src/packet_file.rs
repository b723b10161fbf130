//! One packet from one input, for every command that works on packets.

use std::path::Path;

use tasuki_packet::open::{Opened, open};
use tasuki_packet::read::{Source, too_large};
use tasuki_packet::{Variant, Violation};

use crate::exit::Failure;
use crate::input::{Content, Input};
use crate::report;

/// What became of one input.
#[derive(Debug)]
pub(crate) struct Looked {
    /// The text that positions refer to; empty if there is none.
    pub(crate) text: String,
    pub(crate) opened: Result<Opened, Violation>,
}

/// Reads and judges one input.
pub(crate) fn look(input: &Input, variant: Option<&Variant>) -> Result<Looked, Failure> {
    let bytes = match input.read()? {
        Content::Bytes(bytes) => bytes,
        Content::TooLarge(size) => {
            return Ok(Looked { text: String::new(), opened: Err(too_large(size)) });
        }
    };
    let opened = Source::packet(&bytes).and_then(|source| open(&source, variant));
    let text = String::from_utf8_lossy(&bytes).into_owned();
    Ok(Looked { text, opened })
}

/// A packet that must be valid, or the command ends with its violations.
pub(crate) fn valid(argument: &Path, variant: Option<&Variant>) -> Result<Opened, Failure> {
    let input = Input::named(argument);
    let looked = look(&input, variant)?;
    let violations = match looked.opened {
        Ok(opened) if opened.violations.is_empty() => return Ok(opened),
        Ok(opened) => opened.violations,
        Err(violation) => vec![violation],
    };
    Err(refused(&input.name, &looked.text, &violations))
}

/// A packet that must be readable; whether it is valid does not matter.
pub(crate) fn readable(argument: &Path) -> Result<Opened, Failure> {
    let input = Input::named(argument);
    let looked = look(&input, None)?;
    looked.opened.map_err(|violation| refused(&input.name, &looked.text, &[violation]))
}

fn refused(name: &str, text: &str, violations: &[Violation]) -> Failure {
    let mut message = format!("{name} is not a valid packet");
    for violation in violations {
        message.push_str("\n\n");
        message.push_str(report::violation(name, text, violation).trim_end());
    }
    Failure::refused(message)
}

/// The variant that `--variant` names: a built-in one, or a file with a team's own.
pub(crate) fn variant(name: &str) -> Result<Option<Variant>, Failure> {
    if name == "auto" {
        return Ok(None);
    }
    if let Some(variant) = Variant::named(name) {
        return Ok(Some(variant));
    }
    let path = Path::new(name);
    if !path.is_file() {
        let names: Vec<_> = Variant::names().collect();
        return Err(Failure::usage(format!("there is no variant `{name}`"))
            .hint(format!("use auto, {}, or the path of a variant file", names.join(", "))));
    }
    let input = Input::named(path);
    let Content::Bytes(bytes) = input.read()? else {
        return Err(Failure::usage(format!("the variant file {name} is too large")));
    };
    let text = String::from_utf8_lossy(&bytes);
    let shown = |violations: &[Violation]| {
        let all: Vec<_> =
            violations.iter().map(|violation| report::violation(name, &text, violation)).collect();
        Failure::usage(format!("the variant file {name} cannot be used\n\n{}", all.join("\n")))
    };
    let source = Source::plain(&bytes).map_err(|violation| shown(&[violation]))?;
    let document = source.read_plain().map_err(|violation| shown(&[violation]))?;
    Variant::from_document(&document.to_value()).map(Some).map_err(|mut violations| {
        source.locate(&document, &mut violations);
        shown(&violations)
    })
}
