//! A packet becomes a paper: valid, under its contract, sealed, with its sheet and its terms.

use serde_json::Value;
use sha2::{Digest as _, Sha256};
use tasuki_packet::contract::convert_up;
use tasuki_packet::id::{HandoffId, PartyId};
use tasuki_packet::open::{Opened, Terms as OpenTerms, open};
use tasuki_packet::read::Source;
use tasuki_packet::{Code, Kind, Packet, Variant, Violation, chain as packet_chain};

use super::background::Background;
use super::contract::{self, Edge};
use super::text;
use crate::authority::may_send_for;
use crate::directory::Published;
use crate::document::Sealed;
use crate::refusal::{Refusal, RefusalCode};
use crate::sheet::Sheet;
use crate::terms::Terms;

/// A packet that was read, checked and sealed, and all that follows from it.
#[derive(Debug, Clone)]
pub struct Paper {
    /// Who hands over.
    pub sender: PartyId,
    /// Who it is for.
    pub receiver: Receiver,
    /// The task it names.
    pub task: Option<String>,
    /// The handoff it replaces.
    pub supersedes: Option<HandoffId>,
    /// What the rules need to know of it.
    pub sheet: Sheet,
    /// What contract, gates and project fix for it.
    pub terms: Terms,
    /// Its text.
    pub sealed: Sealed,
    /// The keyed hash by which the same packet is told.
    pub fingerprint: String,
    /// The version of the directory that it was prepared with.
    pub directory_version: u64,
    /// What the caller should know.
    pub notes: Vec<String>,
}

/// Who a packet is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Receiver {
    /// A party of the project.
    Known(PartyId),
    /// A name that the project takes in on first use.
    New(String),
}

/// How a packet comes in.
#[derive(Debug, Clone, Copy)]
pub(super) struct Incoming<'a> {
    /// The packet in any form.
    pub source: &'a [u8],
    /// The receiver, if it is another one than the packet names.
    pub to: Option<&'a str>,
    /// The handoff it replaces, if the packet does not say so.
    pub supersedes: Option<HandoffId>,
    /// Whether it passes on the work of the background's handoff.
    pub is_passed_on: bool,
    /// Whether it goes from and to the caller.
    pub is_own: bool,
    /// Whether it takes the place of the background's current revision.
    pub is_revision: bool,
}

/// Prepares a packet that is handed over.
pub(super) fn paper(background: &Background, incoming: Incoming<'_>) -> Result<Paper, Refusal> {
    let mut opened = read(incoming.source, None)?;
    if opened.packet.kind() != Kind::Handoff {
        let kind = opened.packet.text("packet_type").unwrap_or("handoff");
        let message = format!("a packet of type `{kind}` cannot be handed over");
        return Err(Refusal::new(RefusalCode::PacketKind, message)
            .hint("checkpoints and returns have commands of their own"));
    }
    let sender = sender(background, &opened.packet, incoming)?;
    let (receiver, receiver_name) = receiver(background, &opened.packet, incoming)?;
    let directory = &background.directory;
    let edge = Edge { from: directory.name(sender), to: receiver_name };
    let contract = contract::of(directory, &opened.packet, &edge, incoming.is_own)?;
    opened = under_profile(opened, incoming.source, contract.as_deref())?;
    let (packet, mut notes) = converted(&opened, contract.as_deref())?;
    let mut violations = std::mem::take(&mut opened.violations);
    violations.retain(|violation| !is_filled_in(violation, incoming));
    if let Some(published) = &contract {
        violations.extend(contract::check(directory, published, &packet, &edge));
    }
    if incoming.is_passed_on {
        violations.extend(owed(background, &packet));
    }
    let packet = judged(background, packet, violations, &mut notes)?;
    let value = packet.to_value();
    let sealed = Sealed::packet(&value, Some(incoming.source), background.draw.salt("packet"));
    let bytes = u64::try_from(sealed.body.len()).unwrap_or(u64::MAX);
    let mut sheet = Sheet::of(&packet, sealed.digest.clone(), sealed.commitment, bytes);
    let terms = contract::terms(directory, contract.as_deref(), &packet, &mut sheet, &edge)?;
    Ok(Paper {
        sender,
        receiver,
        task: packet.text("task_id").map(str::to_owned),
        supersedes: incoming.supersedes.or_else(|| packet.text("supersedes")?.parse().ok()),
        fingerprint: fingerprint(background, sender, &sealed.digest),
        sheet,
        terms,
        sealed,
        directory_version: directory.version,
        notes,
    })
}

/// Reads a packet in any form and judges it.
pub(super) fn read(source: &[u8], variant: Option<&Variant>) -> Result<Opened, Refusal> {
    let invalid = |violation: Violation| {
        Refusal::new(RefusalCode::PacketInvalid, "the packet cannot be read").with(vec![violation])
    };
    let source = Source::packet(source).map_err(invalid)?;
    open(&source, OpenTerms { variant, ..OpenTerms::default() }).map_err(invalid)
}

/// What the exchange knows by itself need not stand in the packet: its bytes stay as sent.
fn is_filled_in(violation: &Violation, incoming: Incoming<'_>) -> bool {
    violation.code == Code::FieldMissing
        && match violation.pointer.as_str() {
            "/from_agent" | "/task_id" => true,
            "/to_agent" => incoming.to.is_some() || incoming.is_own || incoming.is_revision,
            _ => false,
        }
}

/// A contract's profile is the variant that its packets are judged by.
fn under_profile(
    opened: Opened,
    source: &[u8],
    contract: Option<&Published>,
) -> Result<Opened, Refusal> {
    let profile = contract.and_then(|published| published.compiled.contract().profile.as_deref());
    match profile.filter(|profile| *profile != opened.variant).and_then(Variant::named) {
        Some(variant) => read(source, Some(&variant)),
        None => Ok(opened),
    }
}

/// An older packet is converted upwards before anybody looks; what was sent is kept as its source.
fn converted(
    opened: &Opened,
    contract: Option<&Published>,
) -> Result<(Packet, Vec<String>), Refusal> {
    let Some(published) = contract else { return Ok((opened.packet.clone(), Vec::new())) };
    let contract = published.compiled.contract();
    match convert_up(contract, &opened.packet) {
        Ok(Some(packet)) => {
            let note = format!("converted to `{}`", contract.identity());
            Ok((packet, vec![note]))
        }
        Ok(None) => Ok((opened.packet.clone(), Vec::new())),
        Err(violation) => Err(Refusal::new(
            RefusalCode::PacketInvalid,
            "the packet's contract version is not read here",
        )
        .with(vec![violation])),
    }
}

/// Refuses a packet with violations; a secret is refused or cut out, as the project wants.
fn judged(
    background: &Background,
    packet: Packet,
    violations: Vec<Violation>,
    notes: &mut Vec<String>,
) -> Result<Packet, Refusal> {
    let (secrets, others): (Vec<_>, Vec<_>) =
        violations.into_iter().partition(|violation| violation.code == Code::SecretFound);
    if !others.is_empty() {
        let count = others.len();
        let message = format!(
            "the packet has {count} {}",
            if count == 1 { "violation" } else { "violations" }
        );
        return Err(Refusal::new(RefusalCode::PacketInvalid, message)
            .hint("`tasuki validate` shows them in the file")
            .with(others));
    }
    if secrets.is_empty() {
        return Ok(packet);
    }
    if !background.directory.settings.redacts_secrets {
        return Err(text::secret(secrets));
    }
    let mut value = packet.to_value();
    text::without_secrets(&mut value, &background.directory.settings)?;
    notes.push(format!("{} secrets were cut out", secrets.len()));
    Packet::from_value(value).map_err(|_| text::secret(secrets))
}

/// The sender is the caller, or a party that the caller may send for.
fn sender(
    background: &Background,
    packet: &Packet,
    incoming: Incoming<'_>,
) -> Result<PartyId, Refusal> {
    let directory = &background.directory;
    if incoming.is_revision
        && let Some(handoff) = &background.handoff
    {
        return Ok(handoff.facts.sender);
    }
    let Some(name) = packet.text("from_agent") else { return Ok(background.caller) };
    let named = directory.find(name);
    if let Ok(party) = &named
        && may_send_for(directory, background.caller, party.id)
    {
        return Ok(party.id);
    }
    let caller = directory.name(background.caller);
    let message = format!("the packet is from `{name}`, you are `{caller}`");
    Err(Refusal::new(RefusalCode::SenderMismatch, message)
        .hint(format!("leave `from_agent` out, or let `{caller}` send for `{name}`")))
}

fn receiver(
    background: &Background,
    packet: &Packet,
    incoming: Incoming<'_>,
) -> Result<(Receiver, String), Refusal> {
    let directory = &background.directory;
    if incoming.is_own {
        return Ok((Receiver::Known(background.caller), directory.name(background.caller)));
    }
    if incoming.is_revision
        && let Some(handoff) = &background.handoff
    {
        let receiver = handoff.facts.receiver;
        return Ok((Receiver::Known(receiver), directory.name(receiver)));
    }
    let Some(name) = incoming.to.or_else(|| packet.receiver()) else {
        return Err(Refusal::new(RefusalCode::ReceiverMissing, "nobody is named to receive it")
            .hint("set `to_agent` in the packet, or say `--to`"));
    };
    match directory.find(name) {
        Ok(party) => Ok((Receiver::Known(party.id), party.name.clone())),
        Err(refusal) => {
            let is_new = refusal.code == RefusalCode::PartyUnknown
                && directory.settings.registers_on_first_use
                && !name.starts_with("role:")
                && !name.starts_with("skill:")
                && !crate::enrol::plain(name).is_empty();
            if is_new {
                Ok((Receiver::New(name.to_owned()), crate::enrol::plain(name)))
            } else {
                Err(refusal)
            }
        }
    }
}

/// What a packet that passes work on must carry, and may not widen.
fn owed(background: &Background, packet: &Packet) -> Vec<Violation> {
    let chain: Vec<&Packet> = background.chain.iter().collect();
    let mut violations = packet_chain::widened_along(&chain, packet);
    if let Some(parent) = background.packet() {
        violations.extend(packet_chain::dropped(parent, packet));
        violations.extend(packet_chain::owed(parent, packet));
    }
    violations
}

/// HMAC-SHA-256 over sender and digest, so that nobody can guess a packet from its fingerprint.
fn fingerprint(background: &Background, sender: PartyId, digest: &str) -> String {
    let keyed = |pad: u8| {
        let mut block = [pad; 64];
        for (byte, key) in block.iter_mut().zip(background.fingerprint_key) {
            *byte ^= key;
        }
        Sha256::new().chain_update(block)
    };
    let inner = keyed(0x36).chain_update(sender.as_bytes()).chain_update(digest).finalize();
    let outer: [u8; 32] = keyed(0x5c).chain_update(inner).finalize().into();
    // Half of it tells packets of one project apart; it is only compared while one is open.
    outer[..16].iter().fold(String::with_capacity(32), |hex, byte| hex + &format!("{byte:02x}"))
}

/// A document that is a JSON object, for actions and the like.
pub(super) fn action(background: &Background, source: &[u8]) -> Result<Sealed, Refusal> {
    let mut value: Value = serde_json::from_slice(source).map_err(|error| {
        Refusal::new(RefusalCode::ArgumentInvalid, format!("the action is no JSON: {error}"))
    })?;
    text::without_secrets(&mut value, &background.directory.settings)?;
    Ok(Sealed::document(&value, background.draw.salt("action")))
}
