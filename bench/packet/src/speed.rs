//! Packets per second: ours, and the alternatives of a Rust program.
//!
//! A measurement reads the same bytes repeatedly for a given time. Time is processor time, so that
//! other load on the machine matters less. What is created once in real use (the variant, the
//! compiled schema) is created once here.

use std::hint::black_box;
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use cpu_time::ProcessTime;
use jsonschema::Validator;
use serde_json::Value;
use tasuki_packet::check::validate;
use tasuki_packet::read::Source;
use tasuki_packet::{Variant, schema};

/// The measured packet, about 2 KB.
const JSON: &[u8] = include_bytes!("../packet.json");
/// The same packet as a person writes it.
const YAML: &[u8] = include_bytes!("../packet.yaml");

/// The names of the measurements, in the order of the table.
pub const NAMES: &[&str] = &["tasuki json", "tasuki yaml", "serde_json", "serde_json + jsonschema"];

/// The state that all measurements share.
#[derive(Debug)]
pub struct Speed {
    variant: Variant,
    schema: Validator,
}

impl Speed {
    /// Compiles the schema, and checks that every reader accepts the same packet.
    pub fn new() -> anyhow::Result<Self> {
        let variant = Variant::named("baseline").context("variant `baseline` is missing")?;
        let schema = jsonschema::options()
            .should_validate_formats(true)
            .build(&schema::of(&variant))
            .context("the schema does not compile")?;
        let speed = Self { variant, schema };
        speed.check()?;
        Ok(speed)
    }

    /// Reads packets for `time`. Returns packets per second.
    pub fn measure(&self, name: &str, time: Duration) -> anyhow::Result<f64> {
        Ok(match name {
            "tasuki json" => rate(time, || self.is_packet(JSON)),
            "tasuki yaml" => rate(time, || self.is_packet(YAML)),
            "serde_json" => rate(time, || serde_json::from_slice::<Value>(JSON).is_ok()),
            "serde_json + jsonschema" => rate(time, || {
                serde_json::from_slice(JSON).is_ok_and(|value| self.schema.is_valid(&value))
            }),
            _ => bail!("unknown measurement `{name}`"),
        })
    }

    fn is_packet(&self, bytes: &[u8]) -> bool {
        Source::packet(bytes).is_ok_and(|source| {
            source.read_packet().is_ok_and(|document| validate::is_valid(&document, &self.variant))
        })
    }

    fn check(&self) -> anyhow::Result<()> {
        let json: Value = serde_json::from_slice(JSON)?;
        let source = Source::packet(YAML)?;
        ensure!(source.read_packet()?.to_value() == json, "packet.yaml and packet.json differ");
        ensure!(self.schema.is_valid(&json), "packet.json does not satisfy the schema");
        ensure!(self.is_packet(JSON) && self.is_packet(YAML), "the packet is not valid");
        Ok(())
    }
}

/// Returns how often `code` succeeds per second of processor time.
fn rate(time: Duration, code: impl Fn() -> bool) -> f64 {
    // The clock is read rarely, so that its cost does not matter.
    const BETWEEN_LOOKS: u32 = 64;
    let start = ProcessTime::now();
    let mut count = 0_u32;
    loop {
        for _ in 0..BETWEEN_LOOKS {
            assert!(black_box(code()), "a valid packet became invalid");
        }
        count += BETWEEN_LOOKS;
        let elapsed = start.elapsed();
        if elapsed >= time {
            return f64::from(count) / elapsed.as_secs_f64();
        }
    }
}
