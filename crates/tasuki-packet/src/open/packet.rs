//! Reads bytes as a packet, and collects everything that is wrong with it.

use serde_json::Value;

use super::chosen_variant::{Chosen, unknown_profile};
use super::origin::Origin;
use crate::chain;
use crate::check::lint::misspelt;
use crate::check::secrets::{self, Allow};
use crate::check::{validate, verify};
use crate::dialect::{self, Dialect, Note, flat_yaml};
use crate::document::limits::VIOLATIONS_MAX;
use crate::document::{Document, Members, Node};
use crate::packet::Packet;
use crate::policy::contract::CompiledContract;
use crate::policy::rules::ProjectRules;
use crate::read::{Form, Source, wire};
use crate::schema::field;
use crate::schema::variant::{Unknown, Variant};
use crate::violation::{Code, Violation};
use crate::write::StoredForms;

/// A packet that was read, with everything that is wrong with it.
///
/// See [`open`].
#[derive(Debug, Clone)]
pub struct OpenedPacket {
    /// The form it was written in.
    pub form: Form,
    /// The dialect it was imported from; `None` for a packet of this format.
    pub dialect: Option<Dialect>,
    /// Fields that the import of a dialect moved, set aside or assumed.
    pub notes: Vec<Note>,
    /// The variant it was validated against.
    pub variant: String,
    /// The field for which the variant was chosen; `None` if it was chosen otherwise.
    pub variant_field: Option<&'static str>,
    /// The rule of the project that chose the variant; `None` if it was chosen otherwise.
    pub variant_rule: Option<String>,
    /// The members before the import of a dialect; `None` for a packet of this format.
    pub foreign: Option<Members>,
    /// The packet, valid or not.
    pub packet: Packet,
    /// Everything that is wrong with it; empty if it is valid.
    pub violations: Vec<Violation>,
    /// Probable mistakes that do not make it invalid: misspelt fields.
    pub warnings: Vec<Violation>,
    /// `true` if the packet contains a secret, even if `violations` was cut at its limit.
    pub has_secrets: bool,
}

impl OpenedPacket {
    /// Returns the members as the sender wrote them.
    pub fn sent(&self) -> &Members {
        self.foreign.as_ref().unwrap_or_else(|| self.packet.members())
    }
}

/// The rules a packet is checked against.
///
/// By default the variant is detected from the fields, and there is neither contract nor parent.
///
/// ```
/// use tasuki_packet::Variant;
/// use tasuki_packet::open::{OpenOptions, open};
/// use tasuki_packet::read::Source;
///
/// let strict = Variant::named("strict");
/// let options = OpenOptions { variant: strict.as_ref(), ..OpenOptions::default() };
/// let opened = open(&Source::packet(b"{\"goal\": \"Ship it\", \"ticket\": 7}")?, options)?;
/// assert_eq!(opened.variant, "strict");
/// assert!(opened.violations.iter().any(|violation| violation.pointer == "/ticket"));
/// # Ok::<(), tasuki_packet::Violation>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct OpenOptions<'t> {
    /// The variant to validate against. Rules of the project choose no other one then.
    pub variant: Option<&'t Variant>,
    /// The contract to check. Its profile selects the variant unless `variant` is set.
    pub contract: Option<&'t CompiledContract>,
    /// The rules of the project. A variant that they choose applies in addition to the packet's own.
    pub rules: Option<ProjectRules<'t>>,
    /// The packet that this one continues. Authority may only narrow, and pinned items must be
    /// kept.
    pub parent: Option<&'t Packet>,
    /// Strings that look like secrets but are not.
    pub allow: Option<&'t Allow>,
}

/// Reads a packet in any form and dialect, and validates it.
///
/// ```
/// use tasuki_packet::open::{OpenOptions, open};
/// use tasuki_packet::read::Source;
///
/// let source = Source::packet(b"handoff_version: '1.0'\nstatus: done\n")?;
/// let opened = open(&source, OpenOptions::default())?;
/// assert_eq!(opened.variant, "baseline");
/// assert_eq!(opened.violations[0].code.as_str(), "TK-FIELD-VALUE");
/// assert_eq!(opened.violations[0].position.unwrap().line, 2);
/// # Ok::<(), tasuki_packet::Violation>(())
/// ```
///
/// # Errors
///
/// The one violation that prevents the document from being read.
pub fn open(source: &Source<'_>, options: OpenOptions<'_>) -> Result<OpenedPacket, Violation> {
    let mut opened = read_and_validate(source, options);
    match &mut opened {
        Ok(opened) => {
            let OpenedPacket { violations, warnings, .. } = opened;
            violations.iter_mut().chain(warnings).for_each(hide_secrets);
        }
        Err(violation) => hide_secrets(violation),
    }
    opened
}

/// Opens a packet and writes the texts that an exchange stores and hashes.
///
/// # Errors
///
/// Same as [`open`].
pub fn open_to_keep(
    source: &Source<'_>,
    options: OpenOptions<'_>,
) -> Result<(OpenedPacket, StoredForms), Violation> {
    let opened = open(source, options)?;
    let written = StoredForms::of(opened.packet.members());
    Ok((opened, written))
}

fn read_and_validate(
    source: &Source<'_>,
    options: OpenOptions<'_>,
) -> Result<OpenedPacket, Violation> {
    let (sent, origin) = sent(source)?;
    let dialect = dialect::detect(&sent);
    let (packet, foreign, notes) = match dialect {
        Some(dialect) => {
            let import = dialect::import(dialect, &sent);
            let import = import.map_err(|violation| origin.locate(source, violation))?;
            (Packet::new(import.packet), Some(sent), import.notes)
        }
        None => (Packet::new(sent), None, Vec::new()),
    };
    if !packet.members().keys().any(|name| field::index_of(name).is_some()) {
        return Err(origin.locate(source, no_field()));
    }
    let chosen = Chosen::of(dialect, &packet, options);
    let (reported, variant_field, variant_rule) = chosen.report();
    let variant = chosen.variant;
    // AHP is a variant of its own, so it is validated as it was sent.
    let is_validated_as_sent = dialect == Some(Dialect::Ahp) && variant.name() == "ahp";
    let mut found = match (&foreign, &origin) {
        (Some(sent), _) if is_validated_as_sent => violations_of(sent, variant)?,
        (None, Origin::Document(document)) => violations_of_document(document, variant),
        _ => violations_of(packet.members(), variant)?,
    };
    for (_, added) in &chosen.by_rules {
        let more = violations_of(packet.members(), added)?;
        found.extend(more.into_iter().filter(|one| !is_reported(&found, one)).collect::<Vec<_>>());
    }
    found.extend(unknown_profile(&packet, options));
    found.extend(options.contract.map_or_else(Vec::new, |compiled| compiled.check(&packet)));
    if let Some(parent) = options.parent {
        found.extend(chain::passed_on(&[parent], &packet));
    }
    // Only the caller knows the files that a schema refers to.
    let schemas = verify::schema_violations(&packet, &()).into_iter();
    found.extend(schemas.filter(|violation| violation.code != Code::SchemaMissing));
    let secrets = secrets_in(&packet, options.allow);
    let has_secrets = !secrets.is_empty();
    found.extend(secrets);
    found.truncate(VIOLATIONS_MAX);
    // In a dialect, and where unknown members are refused, there is nothing left to warn of.
    let is_warned = foreign.is_none() && variant.unknown() == Unknown::Keep;
    let mut warnings = if is_warned { misspelt(packet.members()) } else { Vec::new() };
    origin.locate_all(source, &mut warnings, str::to_owned);
    let foreign_source = dialect.zip(foreign.as_ref()).filter(|_| !is_validated_as_sent);
    origin.locate_all(source, &mut found, |pointer| match foreign_source {
        Some((dialect, sent)) => dialect::source_pointer(dialect, sent, pointer),
        None => pointer.to_owned(),
    });
    if source.is_json() {
        found.iter_mut().for_each(fit_hint_to_json);
    }
    Ok(OpenedPacket {
        form: source.form(),
        dialect,
        notes,
        variant: reported,
        variant_field,
        variant_rule,
        foreign,
        packet,
        violations: found,
        warnings,
        has_secrets,
    })
}

/// Returns `true` if the same violation was found under another variant.
fn is_reported(found: &[Violation], one: &Violation) -> bool {
    found.iter().any(|known| known.code == one.code && known.pointer == one.pointer)
}

/// Replaces a hint that only fits YAML.
fn fit_hint_to_json(violation: &mut Violation) {
    let hint = violation.hint.as_deref().and_then(validate::hint_in_json);
    if let Some(hint) = hint {
        violation.hint = Some(hint.to_owned());
    }
}

/// Reports every secret: a packet that contains one must not be handed over.
fn secrets_in(packet: &Packet, allow: Option<&Allow>) -> Vec<Violation> {
    let nothing = Allow::nothing();
    let found = secrets::scan_members(packet.members(), allow.unwrap_or(&nothing));
    found.iter().map(Violation::from).collect()
}

/// Redacts secrets that a violation quotes, because violations are shown and logged.
fn hide_secrets(violation: &mut Violation) {
    let hide = |text: &mut String| {
        let mut value = Value::String(std::mem::take(text));
        secrets::redact(&mut value);
        if let Value::String(redacted) = value {
            *text = redacted;
        }
    };
    hide(&mut violation.message);
    hide(&mut violation.pointer);
    violation.found.iter_mut().for_each(hide);
}

fn violations_of(members: &Members, variant: &Variant) -> Result<Vec<Violation>, Violation> {
    let value = Value::Object(members.clone());
    Ok(violations_of_document(&Document::from_value(&value)?, variant))
}

fn violations_of_document(document: &Document<'_>, variant: &Variant) -> Vec<Violation> {
    if validate::is_valid(document, variant) {
        return Vec::new();
    }
    validate::violations(document, variant)
}

/// Returns the members that were sent, and their positions in the source.
fn sent<'s>(source: &'s Source<'_>) -> Result<(Members, Origin<'s>), Violation> {
    let strict = source.read_packet();
    if let Some(flat) = flat_members(source, strict.as_ref().ok()) {
        return flat.map(|members| (members, Origin::Lines));
    }
    let document = strict?;
    let Value::Object(members) = document.to_value() else {
        return Err(not_an_object(source, &document));
    };
    if !wire::is_wire(&members) {
        return Ok((members, Origin::Document(document)));
    }
    let origin = Origin::Folded(document);
    match wire::unfold(members) {
        Ok(members) => Ok((members, origin)),
        Err(violation) => Err(origin.locate(source, violation)),
    }
}

/// Reads AHP's own YAML, where strict YAML fails or turns a text with a colon into an object.
fn flat_members(
    source: &Source<'_>,
    strict: Option<&Document<'_>>,
) -> Option<Result<Members, Violation>> {
    let is_yaml = !source.is_json() && flat_yaml::looks_flat(source.content());
    let misread = strict.is_none_or(has_object_in_list);
    (is_yaml && misread).then(|| {
        flat_yaml::read(source.content()).map_err(|violation| {
            // The reader sees only the content, which in Markdown is a part of the source.
            let position = violation.position.map(|of_content| source.position(of_content.span));
            violation.at(position)
        })
    })
}

/// Returns `true` if an item is an object with one member that no item type has.
///
/// Strict YAML reads an item of text with a colon that way.
fn has_object_in_list(document: &Document<'_>) -> bool {
    const ITEM_MEMBERS: &[&str] =
        &["text", "id", "name", "label", "tried", "to", "kind", "gate", "scheme", "criterion"];
    let is_misread = |item: Node<'_, '_>| {
        let mut members = item.members();
        let first = members.next().and_then(|(name, _)| name.as_text());
        members.next().is_none() && first.is_some_and(|name| !ITEM_MEMBERS.contains(&name))
    };
    document.root().members().any(|(_, list)| list.items().any(is_misread))
}

fn not_an_object(source: &Source<'_>, document: &Document<'_>) -> Violation {
    let root = document.root();
    // YAML reads prose as one long text.
    let violation = if root.as_text().is_some() {
        Violation::new(Code::PacketFreeText, "", "expected a packet, found prose")
    } else {
        Violation::new(Code::PacketNotObject, "", "a packet must be an object")
            .found(format!("a {}", root.type_name()))
    };
    violation.hint("run `tasuki init --packet` to create a packet").at(source.position(root.span()))
}

fn no_field() -> Violation {
    Violation::new(Code::PacketFreeText, "", "the document has no field of a packet")
        .allowed("a document with fields such as `handoff_version`, `task_id` and `goal`")
        .hint("run `tasuki init --packet` to create a packet")
}
