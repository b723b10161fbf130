//! What is owed goes along: a packet that passes work on carries what the parent must still return.

use serde_json::Value;

use crate::packet::{Item, Packet};
use crate::violation::{Code, Violation};

/// Lists whose entries bind everybody who has the work.
const OWED: [&str; 4] = ["return_required", "acceptance", "constraints", "failure_boundary"];

/// Entries of the parent that the child has dropped.
pub fn owed(parent: &Packet, child: &Packet) -> Vec<Violation> {
    let mut violations = Vec::new();
    for name in OWED {
        let carried: Vec<&Value> = child.list(name).iter().collect();
        for entry in parent.list(name) {
            if !carried.iter().any(|one| is_same(one, entry)) {
                violations.push(dropped(name, entry));
            }
        }
    }
    violations
}

fn is_same(one: &Value, other: &Value) -> bool {
    let text = |value| Item::of(value).map(|item| item.text);
    one == other || text(one).is_some() && text(one) == text(other)
}

fn dropped(name: &str, entry: &Value) -> Violation {
    let text = Item::of(entry).map_or_else(|| entry.to_string(), |item| item.text.to_owned());
    let message = format!("`{name}` drops what the work was handed over with");
    Violation::new(Code::OwedDropped, format!("/{name}"), message)
        .allowed(text)
        .hint("carry it along: whoever has the work owes it")
}
