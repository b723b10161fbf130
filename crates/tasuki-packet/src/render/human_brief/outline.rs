//! The human brief as blocks: which sections a packet has, and in which order.
//!
//! A person must see first what is asked of them and until when. What came back begins with its
//! status and verdict, a decision with the decision. All other sections follow in one order for all
//! kinds; since each member is taken once, nothing is said twice.

use super::page::Page;
use super::sections;
use crate::packet::Packet;
use crate::render::block::Block;
use crate::render::facts;
use crate::schema::Kind;

/// All blocks of the human brief.
pub(crate) fn blocks(packet: &Packet) -> Vec<Block> {
    let mut page = Page::new(packet);
    page.push(Block::Title(crate::render::text::visible(&title(packet))));
    marking(&mut page, packet);
    opening(&mut page, packet);
    sections::progress(&mut page);
    sections::agreement(&mut page);
    sections::results(&mut page);
    sections::data(&mut page);
    sections::circumstances(&mut page);
    sections::regulation(&mut page);
    sections::other(&mut page);
    marking(&mut page, packet);
    page.into_blocks()
}

/// The blocks of a short brief, for a place where the whole packet stands right below it.
pub(crate) fn short_blocks(packet: &Packet) -> Vec<Block> {
    let mut page = Page::new(packet);
    page.push(Block::Title(crate::render::text::visible(&title(packet))));
    marking(&mut page, packet);
    opening(&mut page, packet);
    sections::progress(&mut page);
    sections::cost(&mut page);
    marking(&mut page, packet);
    page.into_blocks()
}

/// What the page is about: `Handoff build-42`.
pub(crate) fn title(packet: &Packet) -> String {
    let kind = facts::kind_name(packet.kind());
    match packet.text("task_id") {
        Some(task) => format!("{kind} {task}"),
        None => kind.to_owned(),
    }
}

fn marking(page: &mut Page<'_>, packet: &Packet) {
    let classification = packet.get("classification").map(facts::marking).unwrap_or_default();
    if crate::render::text::has_text(&classification) {
        page.push(Block::Marking(crate::render::text::visible(&classification)));
    }
}

fn opening(page: &mut Page<'_>, packet: &Packet) {
    match packet.kind() {
        Kind::Handoff | Kind::Checkpoint => sections::request(page, packet),
        Kind::Return => sections::outcome(page),
        Kind::Decision => sections::decision(page),
    }
}
