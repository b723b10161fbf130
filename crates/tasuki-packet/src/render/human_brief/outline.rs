//! The outline of the human brief: the sections of a packet and their order.
//!
//! A handoff starts with the request and its deadline, a return with its status and verdict, and a
//! decision with the decision. All other sections follow in the same order for all kinds. Each
//! member is taken once, so nothing is repeated.

use super::page::Page;
use super::sections;
use crate::chain::continuation::Step;
use crate::packet::Packet;
use crate::render::block::Block;
use crate::render::facts;
use crate::schema::Kind;

pub(crate) fn blocks(packet: &Packet) -> Vec<Block> {
    let mut page = Page::new(packet);
    page.push(Block::Title(crate::render::text::visible(&title(packet))));
    marking(&mut page, packet);
    opening(&mut page, packet);
    sections::progress(&mut page);
    sections::agreement(&mut page);
    sections::results(&mut page);
    sections::data(&mut page);
    sections::details(&mut page);
    sections::regulation(&mut page);
    sections::other(&mut page);
    marking(&mut page, packet);
    page.into_blocks()
}

/// Returns the blocks of a short brief, which is followed by the whole packet.
pub(crate) fn short_blocks(packet: &Packet) -> Vec<Block> {
    short(Page::new(packet), packet)
}

/// Returns the blocks of a short brief of a task, whose steps keep their numbers.
pub(crate) fn short_blocks_of_task(packet: &Packet, steps: &[Step]) -> Vec<Block> {
    short(Page::with_steps(packet, steps), packet)
}

fn short(mut page: Page<'_>, packet: &Packet) -> Vec<Block> {
    page.push(Block::Title(crate::render::text::visible(&title(packet))));
    marking(&mut page, packet);
    opening(&mut page, packet);
    sections::progress(&mut page);
    sections::cost(&mut page);
    marking(&mut page, packet);
    page.into_blocks()
}

/// Returns the title: `Handoff build-42`.
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
