//! The packet of a task that this machine holds, for a packet that passes it on.
//!
//! `tasuki validate` checks what is owed without `--parent`, if the caller holds the task of the
//! packet. Without an exchange, without a claim, or for a packet of another sender it checks nothing
//! more.

use std::path::PathBuf;

use tasuki_packet::{Kind, Packet};

use crate::backend;
use crate::config::Flags;
use crate::data_dir::sessions::{Sessions, StoredClaim};
use crate::input::packet_file::{self, Secrets};
use crate::output::printer::Printer;

/// A held task.
#[derive(Debug)]
pub(super) struct HeldTask {
    /// Its name.
    pub(super) task: String,
    /// The packet as its holder received it.
    pub(super) packet: Packet,
}

/// Returns the held task that the only file passes on.
pub(super) fn held_task(files: &[PathBuf]) -> Option<HeldTask> {
    let [file] = files else { return None };
    if !file.is_file() {
        return None;
    }
    let packet = packet_file::load(file, &Secrets::redacted()).ok()?.opened.packet;
    if packet.kind() != Kind::Handoff {
        return None;
    }
    let task = packet.text("task_id")?.to_owned();
    let folder = backend::state_folder(&Flags::default()).ok()?;
    let claim = claim_on(&Sessions::in_folder(folder.join("sessions")), &task, &packet)?;
    let flags = Flags { party: claim.party.clone(), ..Flags::default() };
    let exchange = backend::open_to_read(&flags, &Printer::silent()).ok()?;
    if !exchange.is_claim_live(&claim) {
        return None;
    }
    Some(HeldTask { task, packet: exchange.packet(claim.handoff).ok()? })
}

/// Returns the claim on a task of the party that sends the packet.
fn claim_on(sessions: &Sessions, task: &str, packet: &Packet) -> Option<StoredClaim> {
    let sender = packet.text("from_agent");
    let names = sessions.names().ok()?;
    let stored = names.iter().filter_map(|name| sessions.read(name).ok());
    let mut claims = stored.flat_map(|session| session.claims);
    claims.find(|claim| {
        let is_sender = sender.is_none() || claim.party.as_deref() == sender;
        claim.task == task && is_sender
    })
}
