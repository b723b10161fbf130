//! Prepares a packet: parses and validates it, checks it against its contract, and seals it.

use std::sync::Arc;

use serde_json::Value;
use tasuki_packet::check::{secrets, verify};
use tasuki_packet::id::{HandoffId, PartyId};
use tasuki_packet::leaf::Commitment;
use tasuki_packet::open::{OpenOptions, OpenedPacket, open, open_to_keep};
use tasuki_packet::policy::contract::convert_up;
use tasuki_packet::policy::rules::RuleVariant;
use tasuki_packet::read::{Form, Source};
use tasuki_packet::write::StoredForms;
use tasuki_packet::{Code, Kind, Packet, Variant, Violation, chain as packet_chain};

use super::contract::{self, PacketRoute};
use super::parties::{self, Receiver};
use super::rule_variants;
use super::text;
use super::write_only;
use crate::hmac::hmac_sha256;
use crate::model::{PacketSummary, Published, Sealed, Terms};
use crate::prepare::input::PrepareInput;
use crate::refusal::{Refusal, RefusalCode};
use crate::rules::edge_policy::{self, Edge};
use crate::rules::sign_offs::{self, Parties};

/// A packet that has been parsed, validated and sealed, with everything derived from it.
#[derive(Debug, Clone)]
pub struct PreparedPacket {
    /// The sender.
    pub sender: PartyId,
    /// The receiver.
    pub receiver: Receiver,
    /// The task it names.
    pub task: Option<String>,
    /// The task it names, if that is only a label.
    pub task_label: Option<String>,
    /// The handoff it replaces.
    pub supersedes: Option<HandoffId>,
    /// The parts that the rules need.
    pub summary: PacketSummary,
    /// The terms that contract, gates and project set.
    pub terms: Terms,
    /// The sealed text.
    pub sealed: Arc<Sealed>,
    /// The keyed hash that detects the same packet.
    pub fingerprint: String,
    /// The revision that it replaces, and the receiver at that time.
    pub base: Option<(u32, PartyId)>,
    /// The parts that a return is judged against.
    pub return_requirements: Arc<Packet>,
    /// Notes for the caller.
    pub notes: Vec<String>,
}

/// A packet as it arrives, with its context.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Incoming<'a> {
    /// The packet, in any form.
    pub source: &'a [u8],
    /// The receiver, if it differs from the packet's.
    pub to: Option<&'a str>,
    /// The handoff it replaces, if the packet does not name it.
    pub supersedes: Option<HandoffId>,
    /// `true` if it passes on the work of the input's handoff.
    pub is_passed_on: bool,
    /// `true` if sender and receiver are the caller.
    pub is_own: bool,
    /// `true` if it replaces the current revision of the input's handoff.
    pub is_revision: bool,
    /// The sender's own variant.
    pub variant: Option<&'a Variant>,
}

impl<'a> Incoming<'a> {
    /// Creates a packet that replaces the current revision.
    pub(crate) fn revision(source: &'a [u8]) -> Self {
        Self { source, is_revision: true, ..Self::default() }
    }
}

/// Prepares a packet for a submit, a begin, a pass-on or a revision.
pub(crate) fn prepare_packet(
    input: &PrepareInput,
    incoming: Incoming<'_>,
) -> Result<PreparedPacket, Refusal> {
    let (mut opened, mut written) = read_sealable(incoming.source, None)?;
    require_handoff(&opened.packet)?;
    opened.violations.retain(|violation| !is_filled_in(violation, incoming));
    let mut notes = Vec::new();
    let source = remove_secrets(input, &mut opened, &mut written, incoming.source, &mut notes)?;
    write_only::check(input, &opened.packet, incoming)?;
    let directory = &input.directory;
    let sender = parties::sender(input, &opened.packet, incoming)?;
    let (receiver, to) = parties::receiver(input, &opened.packet, incoming, sender)?;
    let current = input.handoff.as_ref().filter(|_| incoming.is_revision);
    let kept = current.map_or_else(Vec::new, |handoff| handoff.facts.terms.gates.clone());
    let route = route(input, incoming, edge(input, incoming, sender, &receiver, to));
    let contract = contract::of(directory, &opened.packet, &route)?;
    let converted = converted(&opened.packet, contract.as_deref(), &mut notes)?;
    if let Some(converted) = &converted {
        written = StoredForms::of(converted.members());
    }
    let packet = converted.unwrap_or_else(|| std::mem::take(&mut opened.packet));
    let mut violations = std::mem::take(&mut opened.violations);
    let profile = contract.as_deref().and_then(|published| published.compiled.profile());
    for variant in profile.into_iter().chain(incoming.variant) {
        if variant.name() != opened.variant {
            violations.extend(variant_violations(incoming.source, variant, &violations)?);
        }
    }
    let chosen = rule_variants::chosen(directory, &packet, contract.as_deref(), &route.edge, &kept);
    let by_rules = rule_violations(incoming, &chosen, &mut violations)?;
    violations.retain(|violation| {
        !is_filled_in(violation, incoming)
            && !names_supplied_variant(input, incoming, profile, violation)
    });
    violations.extend(missing_schemas(&packet));
    let accepted = accepted_before(input, incoming)?;
    violations.retain(|violation| !contains_violation(&accepted, violation));
    if let Some(published) = &contract {
        violations.extend(contract::check(directory, published, &packet, &route.agreed));
    }
    violations.extend(obligation_violations(input, incoming, &packet, contract.as_deref()));
    let reason = rule_variants::reason(&by_rules).or_else(|| chosen_by_field(&opened));
    require_valid(violations, reason)?;
    let parties = Parties { sender, receiver: receiver.known() };
    sign_offs::require_signers(directory, &packet, parties, signed_off(input, incoming))?;
    debug_assert_eq!(
        written,
        StoredForms::of(packet.members()),
        "the sealed forms match the packet"
    );
    let salt = input.seed.salt("packet");
    let sealed = Arc::new(Sealed::written(Commitment::Packet, written, source, salt));
    let bytes = u64::try_from(sealed.body.len()).unwrap_or(u64::MAX);
    let mut summary = PacketSummary::of(&packet, sealed.digest.clone(), sealed.commitment, bytes);
    summary.found = edge_policy::found_in(directory, &packet);
    let terms = contract::terms(directory, contract.as_deref(), &mut summary, &route.edge, &kept)?;
    let (task, task_label) = task(input, incoming, &packet);
    Ok(PreparedPacket {
        sender,
        receiver,
        task,
        task_label,
        supersedes: incoming.supersedes.or_else(|| packet.text("supersedes")?.parse().ok()),
        fingerprint: fingerprint(input, sender, incoming, &sealed.digest),
        base: current.map(|handoff| (handoff.facts.revision, handoff.facts.receiver)),
        summary,
        terms,
        sealed,
        return_requirements: Arc::new(verify::requirements(packet)),
        notes,
    })
}

/// Refuses a packet with violations, with the reason for its variant if there is one.
fn require_valid(violations: Vec<Violation>, reason: Option<String>) -> Result<(), Refusal> {
    if violations.is_empty() {
        return Ok(());
    }
    let reason = reason.map_or(String::new(), |reason| format!("{reason}; "));
    Err(text::invalid("packet", violations)
        .hint(format!("{reason}fix every violation and send the packet again")))
}

/// Returns the digests of the sign-offs that were given to the work before.
fn signed_off<'b>(input: &'b PrepareInput, incoming: Incoming<'_>) -> &'b [String] {
    let continues = incoming.is_passed_on || incoming.is_revision;
    let before = input.handoff.as_ref().filter(|_| continues);
    before.map_or(&[], |handoff| &handoff.progress.signed_off)
}

/// Returns the task that a packet names, and the name if it is only a label: of a write-only caller,
/// or of the handoff that is passed on.
fn task(
    input: &PrepareInput,
    incoming: Incoming<'_>,
    packet: &Packet,
) -> (Option<String>, Option<String>) {
    let named = packet.text("task_id").map(str::to_owned);
    let parent = input.work.as_ref().filter(|_| incoming.is_passed_on);
    let is_label = !input.receivers.is_empty()
        || parent.is_some_and(|parent| parent.task_label.is_some() && parent.task_label == named);
    if is_label { (None, named) } else { (named, None) }
}

/// Returns the edge of the packet, with all parties behind its two names.
fn edge(
    input: &PrepareInput,
    incoming: Incoming<'_>,
    sender: PartyId,
    receiver: &Receiver,
    to: String,
) -> Edge {
    let directory = &input.directory;
    let current = input.handoff.as_ref().filter(|_| incoming.is_revision);
    let mut writers = current.map_or_else(Vec::new, |handoff| handoff.facts.contributors.clone());
    writers.push(input.caller);
    let members = match receiver {
        Receiver::Cache(party) => directory.party(*party).map(|party| party.members.clone()),
        Receiver::New(_) => None,
    };
    Edge { from: directory.name(sender), to, writers, members: members.unwrap_or_default() }
}

fn route<'b>(input: &'b PrepareInput, incoming: Incoming<'_>, edge: Edge) -> PacketRoute<'b> {
    let current = input.handoff.as_ref().filter(|_| incoming.is_revision);
    let current = current.map(|handoff| handoff.facts.as_ref());
    let directory = &input.directory;
    let first = current.map(|facts| Edge::to(directory, facts, facts.first_receiver));
    let agreed = first.unwrap_or_else(|| edge.clone());
    PacketRoute { edge, agreed, current, is_own: incoming.is_own }
}

fn require_handoff(packet: &Packet) -> Result<(), Refusal> {
    let hint = match packet.kind() {
        Kind::Handoff => return Ok(()),
        Kind::Checkpoint => "send it with `tasuki checkpoint`",
        Kind::Return => "send it with `tasuki return`",
        Kind::Decision => "decisions have their own commands; see `tasuki approve --help`",
    };
    let kind = kind_word(packet.kind());
    let message = format!("a packet of type `{kind}` cannot be submitted");
    Err(Refusal::new(RefusalCode::PacketKind, message).hint(hint))
}

/// Returns the name of a packet kind.
pub(super) const fn kind_word(kind: Kind) -> &'static str {
    match kind {
        Kind::Handoff => "handoff",
        Kind::Checkpoint => "checkpoint",
        Kind::Return => "return",
        Kind::Decision => "decision",
    }
}

/// Refuses a packet that contains a secret, or redacts the secret, before any other check.
///
/// Returns the source to store, if it may be stored.
fn remove_secrets<'s>(
    input: &PrepareInput,
    opened: &mut OpenedPacket,
    written: &mut StoredForms,
    source: &'s [u8],
    notes: &mut Vec<String>,
) -> Result<Option<&'s [u8]>, Refusal> {
    let settings = &input.directory.settings;
    if text::packet_without_secrets(settings, opened, written, notes)? {
        return Ok(None);
    }
    // Comments and the prose around a block belong to the source but not to the packet.
    let has_more = matches!(opened.form, Form::Yaml | Form::Markdown);
    let around = || Value::from(String::from_utf8_lossy(source));
    if has_more && !secrets::scan(&around()).is_empty() {
        let note = "the text around the packet contains what looks like a secret; only the packet was stored";
        notes.push(note.to_owned());
        return Ok(None);
    }
    Ok(Some(source))
}

/// Parses and validates a packet in any form.
pub(super) fn read(source: &[u8], variant: Option<&Variant>) -> Result<OpenedPacket, Refusal> {
    let source = Source::packet(source).map_err(unparsable)?;
    open(&source, OpenOptions { variant, ..OpenOptions::default() }).map_err(unparsable)
}

/// Parses and validates a packet in any form, and keeps the forms to seal.
pub(super) fn read_sealable(
    source: &[u8],
    variant: Option<&Variant>,
) -> Result<(OpenedPacket, StoredForms), Refusal> {
    let source = Source::packet(source).map_err(unparsable)?;
    open_to_keep(&source, OpenOptions { variant, ..OpenOptions::default() }).map_err(unparsable)
}

fn unparsable(violation: Violation) -> Refusal {
    Refusal::new(RefusalCode::PacketInvalid, "the packet cannot be parsed")
        .hint("locate the error with `tasuki validate FILE`")
        .with(vec![violation])
}

/// Returns `true` for a missing field that the exchange knows anyway. The bytes stay as sent.
fn is_filled_in(violation: &Violation, incoming: Incoming<'_>) -> bool {
    violation.code == Code::FieldMissing
        && match violation.pointer.as_str() {
            "/from_agent" | "/task_id" => true,
            "/to_agent" | "/target_agent" => {
                incoming.to.is_some() || incoming.is_own || incoming.is_revision
            }
            _ => false,
        }
}

/// Returns the violations of a variant that applies besides the packet's own: that of the contract's
/// profile, of the sender, or of a rule.
fn variant_violations(
    source: &[u8],
    variant: &Variant,
    known: &[Violation],
) -> Result<Vec<Violation>, Refusal> {
    let is_new =
        |found: &Violation| found.code != Code::SecretFound && !contains_violation(known, found);
    Ok(read(source, Some(variant))?.violations.into_iter().filter(is_new).collect())
}

/// Returns the sentence that names the field by which the packet chose its variant, for the hint of a
/// refusal.
fn chosen_by_field(opened: &OpenedPacket) -> Option<String> {
    let variant = &opened.variant;
    opened.variant_field.map(|field| format!("`{field}` chose the variant `{variant}`"))
}

/// Adds the violations of the variants that rules choose, and returns the rules that are broken.
fn rule_violations(
    incoming: Incoming<'_>,
    chosen: &[(RuleVariant, Variant)],
    violations: &mut Vec<Violation>,
) -> Result<Vec<RuleVariant>, Refusal> {
    let mut broken = Vec::new();
    for (rule, variant) in chosen {
        let mut new = variant_violations(incoming.source, variant, violations)?;
        new.retain(|violation| !is_filled_in(violation, incoming));
        if !new.is_empty() {
            broken.push(rule.clone());
        }
        violations.extend(new);
    }
    Ok(broken)
}

/// Returns `true` if a violation is only that the packet names a variant which is not built in, but
/// supplied: by the contract, by the sender, or before, by the sender of the work that is passed on.
fn names_supplied_variant(
    input: &PrepareInput,
    incoming: Incoming<'_>,
    profile: Option<&Variant>,
    violation: &Violation,
) -> bool {
    let work = input.packet().filter(|_| incoming.is_passed_on);
    let before = work.and_then(|packet| packet.text("profile"));
    let supplied = [profile.map(Variant::name), incoming.variant.map(Variant::name), before];
    violation.pointer == "/profile"
        && violation.found.as_deref().is_some_and(|found| supplied.contains(&Some(found)))
}

/// Returns the schemas of expected outputs that are files. The exchange has none of them, so every
/// return would be refused.
fn missing_schemas(packet: &Packet) -> impl Iterator<Item = Violation> {
    let found = verify::schema_violations(packet, &()).into_iter();
    found.filter(|violation| violation.code == Code::SchemaMissing)
}

/// Returns the violations with which the previous revision, of another dialect, was accepted.
fn accepted_before(
    input: &PrepareInput,
    incoming: Incoming<'_>,
) -> Result<Vec<Violation>, Refusal> {
    let Some(packet) = input.packet().filter(|_| incoming.is_revision) else {
        return Ok(Vec::new());
    };
    Ok(read(packet.to_value().to_string().as_bytes(), None)?.violations)
}

pub(super) fn contains_violation(known: &[Violation], found: &Violation) -> bool {
    known.iter().any(|one| one.code == found.code && one.pointer == found.pointer)
}

/// Converts an older packet to the contract's version. The source keeps the bytes as sent.
fn converted(
    packet: &Packet,
    contract: Option<&Published>,
    notes: &mut Vec<String>,
) -> Result<Option<Packet>, Refusal> {
    let Some(published) = contract else { return Ok(None) };
    let contract = published.compiled.contract();
    match convert_up(contract, packet) {
        Ok(Some(packet)) => {
            notes.push(format!("converted to `{}`", contract.identity()));
            Ok(Some(packet))
        }
        Ok(None) => Ok(None),
        Err(violation) => Err(text::invalid("packet", vec![violation])
            .hint("fix the violation and send the packet again")),
    }
}

/// Returns the obligations that a packet drops, and the limits it widens, when it passes work on.
///
/// A revision of such a packet is checked in the same way. A return requirement may also be part of
/// the contract of the new edge.
fn obligation_violations(
    input: &PrepareInput,
    incoming: Incoming<'_>,
    packet: &Packet,
    contract: Option<&Published>,
) -> Vec<Violation> {
    let is_child = input.handoff.as_ref().is_some_and(|own| own.facts.parent.is_some());
    let chain: &[Arc<Packet>] = match input.chain.as_slice() {
        chain if incoming.is_passed_on => chain,
        [before @ .., _] if incoming.is_revision && is_child => before,
        _ => &[],
    };
    if chain.is_empty() {
        return Vec::new();
    }
    let chain: Vec<&Packet> = chain.iter().map(Arc::as_ref).collect();
    let mut violations = packet_chain::passed_on(&chain, packet);
    violations.extend(contract::owed_returns(input, packet, contract));
    violations
}

/// Returns a keyed hash of sender and digest, from which a packet cannot be guessed.
///
/// A task that a party begins for itself never counts as the same packet as a handoff.
fn fingerprint(
    input: &PrepareInput,
    sender: PartyId,
    incoming: Incoming<'_>,
    digest: &str,
) -> String {
    let step: &[u8] = if incoming.is_own { b"begin" } else { b"" };
    let parts = [sender.as_bytes().as_slice(), digest.as_bytes(), step];
    let hash = hmac_sha256(&input.fingerprint_key, &parts);
    // Half of the hash is enough: it is only compared among the open handoffs of one project.
    let mut half = [0; 16];
    half.copy_from_slice(&hash[..16]);
    format!("{:032x}", u128::from_be_bytes(half))
}

/// Seals an action after a person has edited it.
pub(crate) fn action(input: &PrepareInput, source: &[u8]) -> Result<Sealed, Refusal> {
    let value = text::document("action", source).map_err(|refusal| {
        refusal.hint("the holder asks for approval of an action: edit the action, as JSON")
    })?;
    text::must_have_no_secrets(&value)?;
    Ok(Sealed::document(&value, input.seed.salt("action")))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::command::Command;
    use crate::model::Settings;
    use crate::steps::Submit;
    use crate::testing::{World, claim, packet, pass_on_with, submit};

    fn secret() -> String {
        format!("{}{}", "ghp_", "R7xQ2mZ9bLw4Kc8Vt1Ny6Ps3Hd5Gf0JaWkXo")
    }

    fn redacting() -> World {
        World::with(Settings { redacts_secrets: true, ..Settings::default() })
    }

    fn source(text: String) -> Command {
        Command::Submit(Submit { source: text.into_bytes(), ..Submit::default() })
    }

    fn yaml(more: &str) -> Command {
        let packet = "handoff_version: '1.0'\ntask_id: t\nto_agent: ben\nstatus: in_progress\n\
                      goal: g\ncompleted: []\nremaining: []\n";
        source(format!("{packet}{more}"))
    }

    #[test]
    fn a_sender_brings_its_own_variant() {
        let mut world = World::new();
        let with = |variant: Value, more: Value| {
            let (source, variant) = (packet(&more), Some(variant));
            Command::Submit(Submit { source, variant, ..Submit::default() })
        };
        let team = json!({ "variant": "team", "require": ["ticket"] });
        let refusal = world.refusal("ana", submit(&json!({ "profile": "team", "ticket": 7 })));
        assert!(refusal.contains("unknown variant `team`"), "{refusal}");
        let refusal = world.refusal("ana", with(team.clone(), json!({ "profile": "team" })));
        assert!(refusal.contains("/ticket") && !refusal.contains("/profile"), "{refusal}");
        let refusal =
            world.refusal("ana", with(team.clone(), json!({ "profile": "tean", "ticket": 7 })));
        assert!(refusal.contains("unknown variant `tean`"), "{refusal}");
        // It applies besides the packet's own variant, and frees it from nothing.
        let free = json!({ "variant": "free", "extends": "baseline" });
        let gated = json!({ "profile": "free", "sign_off_gates": ["release"] });
        let refusal = world.refusal("ana", with(free, gated));
        assert!(refusal.contains("variant `regulated`"), "{refusal}");
        let refusal = world.refusal("ana", with(json!({ "variant": 7 }), json!({})));
        assert!(refusal.starts_with("TK-DOCUMENT-INVALID: the variant is invalid"), "{refusal}");
        let large = json!({ "variant": "x".repeat(1 << 20) });
        world.check("ana", with(large, json!({})), "refused TK-DOCUMENT-INVALID");

        let named = json!({ "profile": "team", "ticket": 7 });
        world.check("ana", with(team, named), "offered to ben");
        world.check("ben", claim(world.newest()), "claimed by ben, fence 1");
        world.advance(1);
        let onward = json!({ "profile": "team", "to_agent": "cem", "from_agent": "ben" });
        world.check("ben", pass_on_with(&world, &onward), "offered to cem");
    }

    /// Returns every command that carries text, with this text in it.
    fn commands_with(world: &World, text: &str) -> Vec<(&'static str, &'static str, Command)> {
        let (handoff, shown) = (world.newest(), world.shown());
        let seen = crate::steps::SeenVersion::default();
        let checkpoint = json!({"packet_type": "checkpoint", "completed": [text]});
        let returned = json!({"handoff_version": "1.0", "packet_type": "return",
            "task_id": "task-1", "status": "completed", "summary": text});
        vec![
            (
                "checkpoint",
                "ben",
                Command::Checkpoint(crate::steps::Checkpoint {
                    claim: shown,
                    source: checkpoint.to_string().into_bytes(),
                    work_tree: None,
                }),
            ),
            (
                "hold",
                "ben",
                Command::RequestApproval(crate::steps::RequestApproval {
                    claim: shown,
                    action: json!({"run": text}),
                    to: None,
                    ends_task: false,
                }),
            ),
            (
                "reject",
                "pia",
                Command::Reject(crate::steps::Reject {
                    handoff,
                    seen,
                    reason: Some(text.to_owned()),
                }),
            ),
            (
                "return",
                "ben",
                Command::Return(crate::steps::Return {
                    claim: shown,
                    source: returned.to_string().into_bytes(),
                    work_tree: None,
                }),
            ),
        ]
    }

    #[test]
    fn a_refused_secret_is_neither_stored_nor_shown() {
        let secret = secret();
        let mut world = World::new();
        let refusal =
            world.refusal("ana", submit(&json!({"goal": format!("use {secret}"), "status": "x"})));
        assert!(!refusal.contains(&secret));
        insta::assert_snapshot!(refusal, @"
        TK-SECRET-FOUND: the text contains what looks like a secret
        hint: pass a reference (`secret_ref`) instead of the value, and rotate the secret
        /status 1:71: TK-FIELD-VALUE: `status` must be one of `in_progress`, `blocked`, `failed`, `completed`; allowed: in_progress, blocked, failed, completed
        /goal 1:82: TK-SECRET-FOUND: the text at `/goal` contains a secret: GitHub token
        ");
        for name in ["task_id", "to_agent", "from_agent", "contract", "packet_type"] {
            let refusal = world.refusal("ana", submit(&json!({ name: secret })));
            assert!(refusal.starts_with("TK-"), "{refusal}");
            assert!(!refusal.contains(&secret), "{name}: {refusal}");
        }
        world.run("ana", submit(&json!({}))).unwrap();
        world.run("ben", claim(world.newest())).unwrap();
        for (step, name, command) in commands_with(&world, &secret) {
            let refusal = world.refusal(name, command);
            assert!(!refusal.contains(&secret), "{step}");
            assert!(refusal.starts_with("TK-SECRET-FOUND"), "{step}: {refusal}");
        }
        assert!(!world.everything().contains(&secret));
    }

    #[test]
    fn a_redacted_secret_is_neither_stored_nor_shown() {
        let secret = secret();
        let mut world = redacting();
        let answer =
            world.run("ana", submit(&json!({"goal": format!("use {secret} now")}))).unwrap();
        assert!(!format!("{answer:?}").contains(&secret));
        assert_eq!(answer.notes, ["1 secret was redacted; rotate it"]);
        assert_eq!(answer.handoff.unwrap().goal, "use [redacted: GitHub token] now");
        assert!(world.documents[0].sealed.source.is_none());

        let ask = crate::steps::Ask {
            handoff: world.newest(),
            field: Some(secret.clone()),
            text: format!("is it {secret}?"),
            is_blocking: false,
        };
        world.run("ben", Command::Ask(ask)).unwrap();
        let answer = crate::steps::Answer {
            handoff: world.newest(),
            question: None,
            text: Some(format!("no, {secret}")),
            source: None,
            seen: crate::steps::SeenVersion::default(),
        };
        world.run("ana", Command::Answer(answer)).unwrap();
        world.run("ben", claim(world.newest())).unwrap();
        for (step, name, command) in commands_with(&world, &secret) {
            let output = format!("{:?}", world.run(name, command));
            assert!(!output.contains(&secret), "{step}: {output}");
        }
        assert!(!world.everything().contains(&secret));
        assert!(world.everything().contains("[redacted: GitHub token]"));
    }

    #[test]
    fn an_automatic_verdict_repeats_no_secret() {
        let secret = secret();
        let mut world = redacting();
        world.contract(&json!({"verify": "automatic", "returns": {"require": ["status"]}}));
        world
            .run("ana", submit(&json!({"acceptance": [{"id": "t", "text": "tests pass"}]})))
            .unwrap();
        world.run("ben", claim(world.newest())).unwrap();
        let source = json!({"handoff_version": "1.0", "packet_type": "return", "task_id": "task-1",
            "status": "completed", "summary": "s",
            "verification": [{"criterion": "t", "result": "pass", "evidence": secret}]});
        let source = source.to_string().into_bytes();
        let returned = crate::steps::Return { claim: world.shown(), source, work_tree: None };
        world.run("ben", Command::Return(returned)).unwrap();
        assert!(!world.everything().contains(&secret));
    }

    #[test]
    fn the_source_is_stored_unless_the_text_around_the_packet_has_a_secret() {
        let mut world = World::new();
        let answer = world.run("ana", yaml("# a comment\n")).unwrap();
        assert_eq!(answer.notes, [""; 0]);
        assert!(world.documents[0].sealed.source.as_ref().unwrap().ends_with(b"# a comment\n"));

        let mut world = World::new();
        let secret = secret();
        let answer = world.run("ana", yaml(&format!("# {secret}\n"))).unwrap();
        insta::assert_snapshot!(answer.notes.join("\n"), @"the text around the packet contains what looks like a secret; only the packet was stored");
        assert!(!world.everything().contains(&secret));
    }

    #[test]
    fn a_packet_that_cannot_be_parsed_names_the_position() {
        insta::assert_snapshot!(World::new().refusal("ana", source("just words".to_owned())), @"
        TK-PACKET-INVALID: the packet cannot be parsed
        hint: locate the error with `tasuki validate FILE`
         TK-PACKET-FREE-TEXT: expected a packet, found prose; allowed: an object with fields such as `task_id` and `goal`
        ");
        insta::assert_snapshot!(World::new().refusal("ana", source("a: &x 1\nb: *x\n".to_owned())), @"
        TK-PACKET-INVALID: the packet cannot be parsed
        hint: locate the error with `tasuki validate FILE`
         1:4: TK-YAML-ANCHOR: YAML anchors are not allowed
        ");
        insta::assert_snapshot!(World::new().refusal("ana", submit(&json!({"status": "x", "confidence": 2}))), @"
        TK-PACKET-INVALID: the packet has 2 violations
        hint: fix every violation and send the packet again
        /status 1:71: TK-FIELD-VALUE: `status` must be one of `in_progress`, `blocked`, `failed`, `completed`; allowed: in_progress, blocked, failed, completed
        /confidence 1:158: TK-FIELD-RANGE: `confidence` is out of range; allowed: a number between 0 and 1
        ");
    }

    #[test]
    fn every_kind_of_packet_has_its_own_command() {
        for kind in ["checkpoint", "return", "decision"] {
            let refusal = World::new().refusal("ana", submit(&json!({ "packet_type": kind })));
            assert!(refusal.starts_with("TK-PACKET-KIND"), "{refusal}");
        }
        insta::assert_snapshot!(World::new().refusal("ana", submit(&json!({"packet_type": "return"}))), @"
        TK-PACKET-KIND: a packet of type `return` cannot be submitted
        hint: send it with `tasuki return`
        ");
        let mut world = World::new();
        world.run("ana", submit(&json!({}))).unwrap();
        world.run("ben", claim(world.newest())).unwrap();
        let (shown, source) = (world.shown(), packet(&json!({})));
        let checkpoint = Command::Checkpoint(crate::steps::Checkpoint {
            claim: shown,
            source: source.clone(),
            work_tree: None,
        });
        insta::assert_snapshot!(world.refusal("ben", checkpoint), @"
        TK-PACKET-KIND: expected a packet of type `checkpoint`, found `handoff`
        hint: set `packet_type: checkpoint`
        ");
        let returned =
            Command::Return(crate::steps::Return { claim: shown, source, work_tree: None });
        insta::assert_snapshot!(world.refusal("ben", returned), @"
        TK-PACKET-KIND: expected a packet of type `return`, found `handoff`
        hint: set `packet_type: return`
        ");
    }

    #[test]
    fn the_bytes_stay_as_sent_in_every_form() {
        let mut world = World::new();
        let markdown = "Hello\n\n```tasuki\nhandoff_version: '1.0'\ntask_id: t\nto_agent: ben\nstatus: in_progress\ngoal: g\ncompleted: []\nremaining: []\n```\n";
        world.check("ana", source(markdown.to_owned()), "offered to ben");
        let document = &world.documents[0].sealed;
        assert_eq!(document.source.as_deref(), Some(markdown.as_bytes()));
        let json = document.body.clone();
        let again = world.run("ana", source(json)).unwrap();
        assert!(again.repeated, "the same packet in another form is the same packet");
    }

    #[test]
    fn a_checkpoint_that_names_an_unknown_party_is_still_progress() {
        let mut world = World::new();
        world.run("ana", submit(&json!({}))).unwrap();
        world.run("ben", claim(world.newest())).unwrap();
        let source = json!({"packet_type": "checkpoint", "to_agent": "hermes", "completed": ["a"]});
        let source = source.to_string().into_bytes();
        let left = crate::steps::Checkpoint { claim: world.shown(), source, work_tree: None };
        let answer = world.run("ben", Command::Checkpoint(left)).unwrap();
        insta::assert_snapshot!(answer.notes.join("\n"), @"ignored the receiver in the checkpoint: unknown party `hermes`");
        assert_eq!(world.handoff().progress.checkpoint.as_ref().unwrap().to, None);
    }
}
