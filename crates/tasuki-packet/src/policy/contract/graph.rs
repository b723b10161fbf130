//! The graph of a set of contracts: handoffs, returns and fallbacks between parties.
//!
//! The graph is drawn from the newest version of each contract, as text for a terminal, Mermaid for
//! a README, or DOT for Graphviz. The output is deterministic, so a drawing can be committed and
//! compared.
//!
//! ```
//! use serde_json::json;
//! use tasuki_packet::policy::contract::Contract;
//! use tasuki_packet::policy::contract::graph::Graph;
//!
//! let contract = Contract::read(&json!({
//!     "contract": "review", "version": "1.0", "from": ["coder"], "to": ["role:reviewer"],
//! }))
//! .unwrap();
//! assert!(Graph::of(&[contract]).to_text().contains("coder --> role:reviewer"));
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::document::{Contract, Destination, Rung};
use super::edges::{edges, newest, return_pairs};

/// Parties and the arrows between them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Graph {
    nodes: BTreeMap<String, NodeKind>,
    arrows: BTreeSet<Arrow>,
}

/// The kind of a node. Each kind is drawn in its own shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NodeKind {
    /// A party that is not known to be a person.
    Party,
    /// A person.
    Person,
    /// Any member of a role.
    Role,
    /// The dead letter queue, where abandoned work ends.
    DeadLetter,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Arrow {
    from: String,
    kind: ArrowKind,
    to: String,
    label: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum ArrowKind {
    Handoff,
    Return,
    Fallback,
}

impl Graph {
    /// Returns the graph of these contracts.
    pub fn of(contracts: &[Contract]) -> Self {
        let mut graph = Self { nodes: BTreeMap::new(), arrows: BTreeSet::new() };
        let newest = newest(contracts);
        let edges = edges(&newest);
        let returns = return_pairs(&edges);
        for edge in &edges {
            let is_return = returns.contains(&(edge.from, edge.to));
            let kind = if is_return { ArrowKind::Return } else { ArrowKind::Handoff };
            graph.add(edge.from, edge.to, kind, edge.contract.identity().to_string());
            let returned = &edge.contract.returns.require;
            if !returned.is_empty() {
                let label = format!("returns {}", returned.join(", "));
                graph.add(edge.to, edge.from, ArrowKind::Return, label);
            }
            graph.add_ladder(edge.to, edge.contract.fallback.as_deref().unwrap_or_default());
        }
        graph
    }

    /// Draws these parties as people. Contracts do not state which parties are people.
    #[must_use]
    pub fn with_people<'p>(mut self, people: impl IntoIterator<Item = &'p str>) -> Self {
        for person in people {
            if let Some(kind @ NodeKind::Party) = self.nodes.get_mut(person) {
                *kind = NodeKind::Person;
            }
        }
        self
    }

    /// Draws one line per arrow, for a terminal.
    pub fn to_text(&self) -> String {
        let width = |name: fn(&Arrow) -> &String| {
            self.arrows.iter().map(|arrow| name(arrow).chars().count()).max().unwrap_or_default()
        };
        let (from_width, to_width) = (width(|arrow| &arrow.from), width(|arrow| &arrow.to));
        let mut text = String::new();
        for arrow in &self.arrows {
            let line = match arrow.kind {
                ArrowKind::Handoff => "-->",
                ArrowKind::Return => "- >",
                ArrowKind::Fallback => "..>",
            };
            let label = arrow.label.replace(char::is_control, " ");
            let (from, to) = (&arrow.from, &arrow.to);
            put(&mut text, format_args!("{from:from_width$} {line} {to:to_width$}  {label}\n"));
        }
        text
    }

    /// Draws a Mermaid flowchart.
    pub fn to_mermaid(&self) -> String {
        let mut text = "flowchart LR\n".to_owned();
        let ids: BTreeMap<&str, usize> =
            self.nodes.keys().enumerate().map(|(id, name)| (name.as_str(), id)).collect();
        for (name, kind) in &self.nodes {
            let (open, close) = match kind {
                NodeKind::Party => ("[", "]"),
                NodeKind::Person => ("{{", "}}"),
                NodeKind::Role => ("([", "])"),
                NodeKind::DeadLetter => ("[(", ")]"),
            };
            let id = ids[name.as_str()];
            put(&mut text, format_args!("  n{id}{open}\"{}\"{close}\n", mermaid_text(name)));
        }
        for arrow in &self.arrows {
            let line = if arrow.kind == ArrowKind::Fallback { "-.->" } else { "-->" };
            let (from, to) = (ids[arrow.from.as_str()], ids[arrow.to.as_str()]);
            let label = mermaid_text(&arrow.label);
            put(&mut text, format_args!("  n{from} {line}|\"{label}\"| n{to}\n"));
        }
        // Mermaid has no dashed arrow, only a style by number.
        for (number, _) in
            self.arrows.iter().enumerate().filter(|(_, arrow)| arrow.kind == ArrowKind::Return)
        {
            put(&mut text, format_args!("  linkStyle {number} stroke-dasharray: 8 4\n"));
        }
        text
    }

    /// Draws a Graphviz digraph.
    pub fn to_dot(&self) -> String {
        let mut text = "digraph contracts {\n  rankdir=LR;\n".to_owned();
        for (name, kind) in &self.nodes {
            let shape = match kind {
                NodeKind::Party => "box",
                NodeKind::Person => "hexagon",
                NodeKind::Role => "ellipse",
                NodeKind::DeadLetter => "cylinder",
            };
            put(&mut text, format_args!("  {} [shape={shape}];\n", dot_text(name)));
        }
        for arrow in &self.arrows {
            let style = match arrow.kind {
                ArrowKind::Handoff => "solid",
                ArrowKind::Return => "dashed",
                ArrowKind::Fallback => "dotted",
            };
            let [from, to, label] =
                [&arrow.from, &arrow.to, &arrow.label].map(|text| dot_text(text));
            put(&mut text, format_args!("  {from} -> {to} [style={style}, label={label}];\n"));
        }
        text.push_str("}\n");
        text
    }

    fn add(&mut self, from: &str, to: &str, kind: ArrowKind, label: String) {
        for name in [from, to] {
            self.nodes.entry(name.to_owned()).or_insert_with(|| node_kind(name));
        }
        self.arrows.insert(Arrow { from: from.to_owned(), to: to.to_owned(), kind, label });
    }

    /// Adds the ladder of a receiver. Each rung is attached to the previous one.
    fn add_ladder(&mut self, receiver: &str, rungs: &[Rung]) {
        let mut from = receiver;
        for rung in rungs {
            self.add(from, rung.to.as_str(), ArrowKind::Fallback, rung_label(rung));
            from = rung.to.as_str();
        }
    }
}

fn node_kind(name: &str) -> NodeKind {
    if name == Destination::DeadLetter.as_str() {
        NodeKind::DeadLetter
    } else if name.starts_with("role:") {
        NodeKind::Role
    } else {
        NodeKind::Party
    }
}

fn rung_label(rung: &Rung) -> String {
    let after = rung.after.map(|after| format!(" after {after}"));
    let on = rung.on.map(|on| format!(" on {}", on.as_str()));
    format!("fallback{}{}", after.unwrap_or_default(), on.unwrap_or_default())
}

/// Escapes a text for Mermaid, which reads entities inside quotes. No character may end the quotes
/// or look like markup.
fn mermaid_text(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '"' | '#' | '<' | '>' | '&' | '`' | '\\' => {
                put(&mut escaped, format_args!("#{};", u32::from(character)));
            }
            control if control.is_control() => escaped.push(' '),
            plain => escaped.push(plain),
        }
    }
    escaped
}

fn dot_text(text: &str) -> String {
    let mut quoted = "\"".to_owned();
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            control if control.is_control() => quoted.push(' '),
            plain => quoted.push(plain),
        }
    }
    quoted.push('"');
    quoted
}

fn put(text: &mut String, piece: std::fmt::Arguments<'_>) {
    text.write_fmt(piece).expect("writing to a string does not fail");
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::policy::contract::read::tests::incident_contract;

    fn graph() -> Graph {
        let mut first = incident_contract();
        let older = {
            let mut older = first.clone();
            older["version"] = json!("1.1");
            older["from"] = json!(["forgotten"]);
            older
        };
        first["to"] = json!(["role:investigator", "ana"]);
        let back = json!({
            "contract": "finding", "version": "1.0",
            "from": ["role:investigator"], "to": ["correlator"],
        });
        let contracts = [older, first, back].map(|document| Contract::read(&document).unwrap());
        Graph::of(&contracts).with_people(["ana", "role:oncall", "nobody"])
    }

    #[test]
    fn text_has_one_line_per_arrow() {
        insta::assert_snapshot!(graph().to_text(), @"
        ana               - > correlator         returns status, verification
        ana               ..> role:oncall        fallback
        correlator        --> ana                correlation-to-investigation@1.2
        correlator        --> role:investigator  correlation-to-investigation@1.2
        role:human-queue  ..> dead_letter        fallback
        role:investigator - > correlator         finding@1.0
        role:investigator - > correlator         returns status, verification
        role:investigator ..> role:oncall        fallback
        role:oncall       ..> role:human-queue   fallback after 15m on no_progress
        ");
    }

    #[test]
    fn mermaid_draws_shapes_and_lines() {
        insta::assert_snapshot!(graph().to_mermaid(), @r#"
        flowchart LR
          n0{{"ana"}}
          n1["correlator"]
          n2[("dead_letter")]
          n3(["role:human-queue"])
          n4(["role:investigator"])
          n5(["role:oncall"])
          n0 -->|"returns status, verification"| n1
          n0 -.->|"fallback"| n5
          n1 -->|"correlation-to-investigation@1.2"| n0
          n1 -->|"correlation-to-investigation@1.2"| n4
          n3 -.->|"fallback"| n2
          n4 -->|"finding@1.0"| n1
          n4 -->|"returns status, verification"| n1
          n4 -.->|"fallback"| n5
          n5 -.->|"fallback after 15m on no_progress"| n3
          linkStyle 0 stroke-dasharray: 8 4
          linkStyle 5 stroke-dasharray: 8 4
          linkStyle 6 stroke-dasharray: 8 4
        "#);
    }

    #[test]
    fn dot_draws_shapes_and_lines() {
        insta::assert_snapshot!(graph().to_dot(), @r#"
        digraph contracts {
          rankdir=LR;
          "ana" [shape=hexagon];
          "correlator" [shape=box];
          "dead_letter" [shape=cylinder];
          "role:human-queue" [shape=ellipse];
          "role:investigator" [shape=ellipse];
          "role:oncall" [shape=ellipse];
          "ana" -> "correlator" [style=dashed, label="returns status, verification"];
          "ana" -> "role:oncall" [style=dotted, label="fallback"];
          "correlator" -> "ana" [style=solid, label="correlation-to-investigation@1.2"];
          "correlator" -> "role:investigator" [style=solid, label="correlation-to-investigation@1.2"];
          "role:human-queue" -> "dead_letter" [style=dotted, label="fallback"];
          "role:investigator" -> "correlator" [style=dashed, label="finding@1.0"];
          "role:investigator" -> "correlator" [style=dashed, label="returns status, verification"];
          "role:investigator" -> "role:oncall" [style=dotted, label="fallback"];
          "role:oncall" -> "role:human-queue" [style=dotted, label="fallback after 15m on no_progress"];
        }
        "#);
    }

    #[test]
    fn the_order_of_contracts_does_not_matter() {
        let mut other = incident_contract();
        other["contract"] = json!("another");
        let mut contracts =
            [incident_contract(), other].map(|document| Contract::read(&document).unwrap());
        let drawn = Graph::of(&contracts).to_dot();
        contracts.reverse();
        assert_eq!(Graph::of(&contracts).to_dot(), drawn);
    }

    #[test]
    fn a_return_requirement_cannot_break_the_drawing() {
        // A document cannot state such names, but other callers can.
        let mut contract = Contract::read(&incident_contract()).unwrap();
        contract.returns.require = vec!["a\"] --> b\\".to_owned(), "<i>#x\ny".to_owned()];
        let graph = Graph::of(&[contract]);
        assert!(
            graph.to_mermaid().contains(r#"|"returns a#34;] --#62; b#92;, #60;i#62;#35;x y"|"#)
        );
        assert!(graph.to_dot().contains(r#"label="returns a\"] --> b\\, <i>#x y"]"#));
        assert_eq!(graph.to_text().lines().count(), 5);
    }
}
