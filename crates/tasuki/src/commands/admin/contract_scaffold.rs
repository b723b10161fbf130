//! A new contract between two parties, with every part that a contract needs.

use tasuki_packet::policy::contract::Contract;
use tasuki_packet::read::Source;

use crate::exit::Failure;

/// LIMIT: characters of a contract's name, as in the specification.
const NAME_CHARS_MAX: usize = 63;

/// Returns the name and the text of a contract between two parties.
pub(super) fn scaffold(from: &str, to: &str) -> Result<(String, String), Failure> {
    let name = name(from, to)?;
    let quoted = |party: &str| serde_json::Value::from(party).to_string();
    let (sender, receiver) = (quoted(from), quoted(to));
    let text = format!(
        r#"# What {from} hands to {to}. Change what does not fit. Then:
#   tasuki contract check {name}.yaml
#   tasuki contract publish {name}.yaml
contract: {name}
version: "1.0"
description: {description}
from: [{sender}]
to: [{receiver}]

# The data of every packet, as JSON Schema. Keep it closed and small.
payload_schema:
  type: object
  additionalProperties: false
  properties:
    paths: {{ type: array, items: {{ type: string, minLength: 1 }} }}

# What a packet is, and what it is not. Members of the payload named under `forbid` are refused.
scope:
  is: {work}
  is_not: [an approval]
  forbid: [approval]

# A sender states its confidence. Below `hold_below` a person decides first.
confidence: {{ required: true, hold_below: 0.5 }}

# What a sender must name: inputs, sources, tools, model, parents.
provenance: {{ require: [inputs] }}

# Where the work goes if its receiver does not continue. The last rung is the dead letter, which a
# person finds in `tasuki status` and sends on with `tasuki dead redrive`.
fallback:
  - {{ to: dead_letter }}

# How long a claim holds, and how many claims may expire before the next rung.
lease: {{ for: 30m, attempts: 3 }}

# How long each step may take.
deadlines: {{ claim: 1h, progress: 2h, return: 1d, verify: 1d }}

# What must come back.
returns:
  allowed: true
  require: [status, summary]
"#,
        description = quoted(&format!("Work that {from} hands to {to}")),
        work = quoted(&format!("work for {to}")),
    );
    if is_contract(&text) { Ok((name, text)) } else { Err(refused()) }
}

/// Returns whether a text is a contract, which a name that no party can have prevents.
fn is_contract(text: &str) -> bool {
    let document =
        Source::plain(text.as_bytes()).and_then(|source| Ok(source.read_plain()?.to_value()));
    document.is_ok_and(|document| Contract::read(&document).is_ok())
}

fn refused() -> Failure {
    Failure::usage("cannot write a contract between these parties")
        .hint("use short names with letters or digits, such as `planner` or `role:reviewer`")
}

/// Returns the name of a contract between two parties: `planner-to-coder`.
fn name(from: &str, to: &str) -> Result<String, Failure> {
    let [sender, receiver] = [from, to].map(word);
    let name = format!("{sender}-to-{receiver}");
    let is_named = !sender.is_empty() && !receiver.is_empty();
    if !is_named
        || name.chars().count() > NAME_CHARS_MAX
        || from.contains('\n')
        || to.contains('\n')
    {
        return Err(refused());
    }
    Ok(name)
}

/// Returns a party as a part of a contract's name, without `role:`.
fn word(party: &str) -> String {
    let party = party.trim_start_matches("role:").to_lowercase();
    let plain = |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '-' };
    party.chars().map(plain).collect::<String>().trim_matches(['-', '.', '_']).to_owned()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::Value;
    use tasuki_packet::policy::contract::CompiledContract;
    use tasuki_packet::policy::contract::check::{Entry, contracts};

    use super::*;

    #[test]
    fn a_new_contract_has_no_findings() {
        for (from, to) in [("planner", "coder"), ("ana.b", "role:reviewer")] {
            let (name, text) = scaffold(from, to).unwrap();
            let source = Source::plain(text.as_bytes()).unwrap();
            let value = source.read_plain().unwrap().to_value();
            let contract = Contract::read(&value).unwrap();
            assert_eq!((contract.name.as_str(), contract.to[0].as_str()), (name.as_str(), to));
            let no_files = BTreeMap::<String, Value>::new();
            let compiled = CompiledContract::new(&contract, &no_files);
            let report = contracts(&[Entry { source: name, contract, compiled }]);
            assert!(report.findings.is_empty(), "{:?}", report.findings);
        }
    }

    #[test]
    fn a_party_without_letters_is_refused() {
        assert!(scaffold("role:", "coder").is_err());
        assert!(scaffold("a", &"b".repeat(63)).is_err());
        assert_eq!(scaffold("planner", "role:reviewer").unwrap().0, "planner-to-reviewer");
    }
}
