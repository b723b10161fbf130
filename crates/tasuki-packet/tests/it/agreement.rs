//! The quick check, the list of violations and the published JSON Schema in an independent
//! validator must agree.
//!
//! They are compared for every vector under every variant, and for generated packets, about half of
//! which are invalid.

use jsonschema::Validator;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};
use tasuki_packet::check::validate::{is_valid, violations};
use tasuki_packet::document::Document;
use tasuki_packet::schema::field::Format;
use tasuki_packet::{Variant, schema};

use crate::cases::{RuleFile, variant_packets};
use crate::files::{self, assert_none, shorten};
use crate::generate::Generator;
use crate::vectors::readable;

/// A variant and its schema.
struct Judge {
    variant: Variant,
    schema: Validator,
}

impl Judge {
    fn of(variant: Variant) -> Self {
        let schema = jsonschema::draft202012::options()
            .should_validate_formats(true)
            .with_format("tasuki-task-id", |text: &str| Format::TaskId.holds(text))
            .build(&schema::of(&variant))
            .unwrap_or_else(|error| panic!("the schema of {}: {error}", variant.name()));
        Self { variant, schema }
    }

    /// Every built-in variant, and a team's own that uses every member of a variant file.
    fn all() -> Vec<Self> {
        let own = json!({
            "variant": "our-team", "extends": "executor",
            "require": ["confidence", "ticket"], "optional": ["inputs", "task_id"],
            "refuse": ["cost", "notes"], "filled": ["constraints", "decisions"],
            "unknown": "refuse",
        });
        let built_in = Variant::names().map(|name| Variant::named(name).unwrap());
        let own = Variant::from_document(&own).unwrap();
        built_in.chain([own]).map(Self::of).collect()
    }

    /// Returns the validity of the packet, if all three agree.
    fn agreed(&self, packet: &Value, document: &Document<'_>) -> Result<bool, String> {
        let quick = is_valid(document, &self.variant);
        let named = violations(document, &self.variant);
        if quick == named.is_empty() && quick == self.schema.is_valid(packet) {
            return Ok(quick);
        }
        let named: Vec<_> = named.iter().map(|each| format!("{} {each}", each.pointer)).collect();
        let schema = self
            .schema
            .validate(packet)
            .err()
            .map(|error| format!("{} {error}", error.instance_path()));
        Err(format!(
            "{}: is_valid {quick}, violations {}, schema {}",
            self.variant.name(),
            shorten(&named.join("; ")),
            shorten(&schema.unwrap_or_default()),
        ))
    }
}

/// Returns the number of variants that accept the packet, or the first disagreement.
fn agreed(judges: &[Judge], packet: &Value) -> Result<usize, String> {
    let document = Document::from_value(packet).unwrap();
    let mut count = 0;
    for judge in judges {
        count += usize::from(judge.agreed(packet, &document)?);
    }
    Ok(count)
}

/// Generates packets from those of the vectors.
fn generator() -> Generator {
    let mut seeds: Vec<_> = variant_packets().into_iter().map(|entry| entry.2).collect();
    seeds.retain(|packet| !packet.is_null());
    seeds.push(files::json("vectors/valid/complete.json"));
    Generator::new(seeds)
}

fn choices() -> impl Strategy<Value = Vec<u32>> {
    proptest::collection::vec(any::<u32>(), 0..64)
}

#[test]
fn all_three_agree_on_every_vector() {
    let judges = Judge::all();
    let mut packets = readable();
    for file in RuleFile::all() {
        let cases = file.valid.into_iter().chain(file.invalid);
        packets.extend(cases.map(|case| (format!("{}, {}", file.name, case.why), case.packet)));
    }
    for (variant, kind, packet) in variant_packets() {
        packets.push((format!("_variants.json, {variant} {kind}"), packet));
    }
    let disagreed = packets.iter().filter_map(|(name, packet)| {
        agreed(&judges, packet).err().map(|difference| format!("{name}: {difference}"))
    });
    assert_none(&disagreed.collect::<Vec<_>>());
}

#[test]
fn all_three_agree_on_generated_packets() {
    let (judges, generator) = (Judge::all(), generator());
    let config = Config { cases: 1024, failure_persistence: None, ..Config::default() };
    let outcome = TestRunner::new(config).run(&choices(), |choices| {
        let packet = generator.packet(&choices);
        let difference = agreed(&judges, &packet).err();
        prop_assert_eq!(difference, None, "{}", shorten(&packet.to_string()));
        Ok(())
    });
    assert!(outcome.is_ok(), "{}", shorten(&outcome.unwrap_err().to_string()));
}

#[test]
fn generated_packets_are_valid_and_invalid_in_about_equal_parts() {
    let (judges, generator) = (Judge::all(), generator());
    let (mut runner, strategy) = (TestRunner::deterministic(), choices());
    let mut valid = 0;
    for _ in 0..200 {
        let choices = strategy.new_tree(&mut runner).unwrap().current();
        let variants = agreed(&judges, &generator.packet(&choices)).unwrap();
        valid += usize::from(variants > 0);
    }
    assert!((60..140).contains(&valid), "{valid} of 200 are valid under some variant");
}
