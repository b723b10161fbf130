//! `tasuki schema`: prints the JSON Schema of a variant.

use clap::ValueEnum;
use serde_json::Value;
use tasuki_packet::schema::model_form;
use tasuki_packet::{Kind, Variant, schema};

use crate::exit::{Exit, Failure};
use crate::input::packet_file;
use crate::output::printer::{FAINT, Printer, STRONG};

/// Print the JSON Schema of a variant.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki schema --list\n  tasuki schema regulated > regulated.schema.json\n  tasuki schema our-team.yaml\n  tasuki schema coding --for model --kind return\n\nThe form for models is closed: every member is required, and an empty text, an empty list or null means that it is not stated. `tasuki convert --from model` turns an answer into a packet."
)]
pub(crate) struct Arguments {
    /// A built-in variant, or your own variant file.
    #[arg(default_value = "baseline", value_name = "NAME|FILE")]
    variant: String,
    /// List the built-in variants and their purpose.
    #[arg(long)]
    list: bool,
    /// The reader of the schema.
    #[arg(long = "for", value_enum, default_value = "validator", value_name = "READER")]
    reader: Reader,
    /// The kind of packet that a model writes; only with `--for model`.
    #[arg(long, value_enum, value_name = "KIND")]
    kind: Option<PacketKind>,
}

/// The reader of a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Reader {
    /// Any JSON Schema validator.
    Validator,
    /// The structured-output mode of a model.
    Model,
}

/// The kind of packet that a model writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum PacketKind {
    Handoff,
    Checkpoint,
    Return,
    Decision,
}

impl From<PacketKind> for Kind {
    fn from(kind: PacketKind) -> Self {
        match kind {
            PacketKind::Handoff => Self::Handoff,
            PacketKind::Checkpoint => Self::Checkpoint,
            PacketKind::Return => Self::Return,
            PacketKind::Decision => Self::Decision,
        }
    }
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    if arguments.list {
        list(printer);
        return Ok(Exit::Success);
    }
    let variant = packet_file::variant(&arguments.variant)?.ok_or_else(|| {
        Failure::usage("`auto` has no schema").hint("name a variant: `tasuki schema --list`")
    })?;
    let schema = match (arguments.reader, arguments.kind) {
        (Reader::Model, kind) => {
            model_form::schema(&variant, kind.unwrap_or(PacketKind::Handoff).into())
        }
        (Reader::Validator, None) => schema::of(&variant),
        (Reader::Validator, Some(_)) => {
            return Err(Failure::usage("`--kind` needs `--for model`")
                .hint("the schema for validators covers every kind"));
        }
    };
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
