//! `tasuki schema`: prints the JSON Schema of a variant.

use serde_json::Value;
use tasuki_packet::{Variant, schema};

use crate::exit::{Exit, Failure};
use crate::input::packet_file;
use crate::output::printer::{FAINT, Printer, STRONG};

/// Print the JSON Schema of a variant.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki schema --list\n  tasuki schema regulated > regulated.schema.json\n  tasuki schema our-team.yaml"
)]
pub(crate) struct Arguments {
    /// A built-in variant, or your own variant file.
    #[arg(default_value = "baseline", value_name = "NAME|FILE")]
    variant: String,
    /// List the built-in variants and their purpose.
    #[arg(long)]
    list: bool,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    if arguments.list {
        list(printer);
        return Ok(Exit::Success);
    }
    let variant = packet_file::variant(&arguments.variant)?.ok_or_else(|| {
        Failure::usage("`auto` has no schema").hint("name a variant: `tasuki schema --list`")
    })?;
    let schema = schema::of(&variant);
    if printer.is_json() {
        printer.json(&schema);
    } else {
        let text = serde_json::to_string_pretty(&schema).expect("a schema is a JSON value");
        printer.data(&format!("{text}\n"));
    }
    Ok(Exit::Success)
}

fn list(printer: &Printer) {
    for name in Variant::names() {
        let purpose = Variant::purpose(name).unwrap_or_default();
        if printer.is_json() {
            let row = [("name", name), ("purpose", purpose)];
            printer.json(
                &row.into_iter()
                    .map(|(k, v)| (k, Value::from(v)))
                    .collect::<std::collections::BTreeMap<_, _>>(),
            );
        } else {
            printer.data(&format!("{STRONG}{name:<11}{STRONG:#} {FAINT}{purpose}{FAINT:#}\n"));
        }
    }
}
