//! An empty list states that there are none, and an absent one states nothing: in every rendering
//! that shows the list when it has entries.

use serde_json::{Value, json};

use super::samples::packet;
use super::{CardOptions, agent_brief, brief_text, card, comment, html_fragment, human_brief};
use crate::packet::Packet;
use crate::schema::field::{FIELDS, Shape};

/// The only entry of a filled list. No rendering has it otherwise.
const ENTRY: &str = "zq7";

type Rendering = (&'static str, fn(&Packet) -> String);

const RENDERINGS: &[Rendering] = &[
    ("brief", human_brief),
    ("text", brief_text),
    ("html", html_fragment),
    ("comment", text_of_comment),
    ("agent", whole_agent_brief),
    ("card", |packet| card(packet, CardOptions::default())),
];

/// Returns the text before the packet, which contains every value anyway.
fn text_of_comment(packet: &Packet) -> String {
    let comment = comment(packet);
    comment.split_once("```tasuki").expect("a comment has a packet").0.to_owned()
}

fn whole_agent_brief(packet: &Packet) -> String {
    agent_brief(packet, None, &str::len).expect("no budget").text
}

/// A list of the field table: a field, or a member of a field.
#[derive(Debug, Clone, Copy)]
struct List {
    field: &'static str,
    member: Option<&'static str>,
}

impl List {
    fn all() -> Vec<Self> {
        let mut lists = Vec::new();
        for field in FIELDS {
            if field.shape.item().is_some() {
                lists.push(Self { field: field.name, member: None });
            }
            let members = members_of(field.shape).filter(|(_, shape)| shape.item().is_some());
            lists.extend(members.map(|(name, _)| Self { field: field.name, member: Some(name) }));
        }
        lists
    }

    /// Returns a packet of a kind in which the list has this content.
    fn packet(self, kind: &str, content: Option<Value>) -> Packet {
        // The deadline would be `none` without an expiry.
        let mut members = json!({ "packet_type": kind, "expires_at": "2026-11-16T18:00:00Z" });
        match (self.member, content) {
            (None, Some(content)) => members[self.field] = content,
            (Some(member), Some(content)) => members[self.field] = json!({ member: content }),
            (_, None) => {}
        }
        packet(members)
    }
}

fn members_of(shape: &'static Shape) -> Box<dyn Iterator<Item = (&'static str, &'static Shape)>> {
    match shape.resolved() {
        Shape::Object(object) => {
            Box::new(object.members.iter().map(|each| (each.name, each.shape)))
        }
        Shape::Either(shapes) => Box::new(shapes.iter().flat_map(members_of)),
        _ => Box::new(std::iter::empty()),
    }
}

#[test]
fn an_empty_list_is_none_and_an_absent_one_is_nothing() {
    let mut silent = Vec::new();
    let mut shown = 0;
    for list in List::all() {
        for kind in ["handoff", "checkpoint", "return", "decision"] {
            for (name, render) in RENDERINGS {
                let of = |content: Option<Value>| render(&list.packet(kind, content));
                let (filled, empty) = (of(Some(json!([ENTRY]))), of(Some(json!([]))));
                assert!(!of(None).contains("none"), "{name}, {kind}: {}", of(None));
                let is_shown = filled.contains(ENTRY);
                shown += usize::from(is_shown);
                if is_shown != empty.contains("none") {
                    silent.push(format!("{name}, {kind}: {list:?}"));
                }
            }
        }
    }
    assert!(shown > 500, "{shown} lists are shown");
    assert!(silent.is_empty(), "{}", silent.join("\n"));
}
