//! Opens a packet in one call: detects form, dialect and variant, then validates.
//!
//! The steps are public too, for callers that already know the form or the variant:
//! [`read`](crate::read), [`dialect`], [`Variant::detect`] and [`validate`].

use serde_json::Value;

use crate::chain;
use crate::check::lint::misspelt;
use crate::check::secrets::{self, Allow};
use crate::check::validate;
use crate::dialect::{self, Dialect, Note, flat_yaml};
use crate::document::limits::VIOLATIONS_MAX;
use crate::document::{Document, Members, Node, pointer};
use crate::packet::Packet;
use crate::policy::contract::CompiledContract;
use crate::read::{Form, Source, wire};
use crate::schema::field;
use crate::schema::variant::{REGULATED_FIELD, Unknown, Variant};
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
    /// The variant to validate against.
    pub variant: Option<&'t Variant>,
    /// The contract to check. Its profile selects the variant unless `variant` is set.
    pub contract: Option<&'t CompiledContract>,
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
    let has_profile = options.contract.is_some_and(|one| one.contract().profile.is_some());
    let is_detected = options.variant.is_none() && !has_profile;
    let variant =
        options.variant.unwrap_or_else(|| variant_of(dialect, packet.members(), options.contract));
    let variant_field = (is_detected && variant.name() == "regulated").then_some(REGULATED_FIELD);
    // AHP is a variant of its own, so it is validated as it was sent.
    let is_validated_as_sent = dialect == Some(Dialect::Ahp) && variant.name() == "ahp";
    let mut found = match (&foreign, &origin) {
        (Some(sent), _) if is_validated_as_sent => violations_of(sent, variant)?,
        (None, Origin::Document(document)) => violations_of_document(document, variant),
        _ => violations_of(packet.members(), variant)?,
    };
    found.extend(options.contract.map_or_else(Vec::new, |compiled| compiled.check(&packet)));
    if let Some(parent) = options.parent {
        found.extend(chain::widened(parent, &packet));
        found.extend(chain::dropped(parent, &packet));
    }
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
    Ok(OpenedPacket {
        form: source.form(),
        dialect,
        notes,
        variant: variant.name().to_owned(),
        variant_field,
        foreign,
        packet,
        violations: found,
        warnings,
        has_secrets,
    })
}

/// Picks the variant: the one of the dialect, else the contract's profile, else the detected one.
fn variant_of(
    dialect: Option<Dialect>,
    packet: &Members,
    contract: Option<&CompiledContract>,
) -> &'static Variant {
    let profile = || Variant::shared(contract?.contract().profile.as_deref()?);
    let detected = match (Variant::detect(packet), dialect) {
        ("regulated", _) => "regulated",
        (_, Some(Dialect::Ahp)) => "ahp",
        (detected, _) => detected,
    };
    dialect
        .and_then(|dialect| Variant::of_dialect(dialect.name()))
        .or_else(profile)
        .or_else(|| Variant::shared(detected))
        .expect("detection names built-in variants")
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

/// The positions of a packet's values in its source.
enum Origin<'s> {
    /// A document that was read with positions.
    Document(Document<'s>),
    /// A document that holds the packet in another shape.
    Folded(Document<'s>),
    /// The lines of a flat YAML text, found by field name.
    Lines,
}

impl Origin<'_> {
    fn locate(&self, source: &Source<'_>, violation: Violation) -> Violation {
        let mut violations = [violation];
        self.locate_all(source, &mut violations, str::to_owned);
        let [violation] = violations;
        violation
    }

    /// Sets the positions; `sent_pointer` maps a pointer of the packet to one of the source
    /// document.
    fn locate_all(
        &self,
        source: &Source<'_>,
        violations: &mut [Violation],
        sent_pointer: impl Fn(&str) -> String,
    ) {
        let mut packet_pointers = Vec::with_capacity(violations.len());
        for violation in violations.iter_mut() {
            let sent = sent_pointer(&violation.pointer);
            packet_pointers.push(std::mem::replace(&mut violation.pointer, sent));
        }
        match self {
            Self::Document(document) | Self::Folded(document) => {
                source.locate(document, violations);
            }
            Self::Lines => {
                source.set_positions(violations, |violation| {
                    line_span(source.content(), &violation.pointer)
                });
            }
        }
        for (violation, pointer) in violations.iter_mut().zip(packet_pointers) {
            violation.pointer = pointer;
        }
    }
}

/// Returns the line of a flat YAML text that a pointer refers to.
fn line_span(text: &str, pointer: &str) -> crate::Span {
    let tokens = pointer::tokens(pointer).unwrap_or_default();
    let name = tokens.first().map(|name| format!("{name}:")).unwrap_or_default();
    let item = tokens.get(1).and_then(|index| index.parse::<usize>().ok());
    let mut start = 0;
    let mut lines = text.split_inclusive('\n').map(|line| {
        start += line.len();
        (start - line.len(), line.trim_end())
    });
    let key = lines.find(|(_, line)| !name.is_empty() && line.starts_with(&name));
    let items = lines.filter(|(_, line)| line.trim_start().starts_with('-'));
    let found = item.and_then(|index| items.into_iter().nth(index)).or(key);
    let (start, length) = found.map_or((0, 0), |(start, line)| (start, line.len()));
    let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    crate::Span { start: offset(start), end: offset(start + length) }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let opened = Source::packet(text.as_bytes())
            .and_then(|source| open(&source, OpenOptions::default()));
        let shown = match opened {
            Ok(opened) => {
                let places = opened.violations.iter().map(|violation| {
                    let position = violation.position.expect("every violation has a position");
                    format!(" {}@{}:{}", violation.pointer, position.line, position.column)
                });
                let dialect = opened.dialect.map_or("none", Dialect::name);
                let form = opened.form.name();
                format!("{form} {dialect} {}{}", opened.variant, places.collect::<String>())
            }
            Err(violation) => violation.code.to_string(),
        };
        assert_eq!(shown, expected, "{text}");
    }

    #[test]
    fn form_dialect_and_variant_are_detected_from_the_content() {
        let ahp = "packet_type: task\ngoal: g\nconstraints: [a]\nacceptance: [a]\n\
                   failure_boundary: [a]\nreturn_required: [status]\n";
        check(ahp, "yaml ahp ahp");
        check(
            "{\"sourceAgent\":\"a\",\"destinationAgent\":\"b\",\"goal\":\"g\",\"summary\":\"s\"}",
            "json card card",
        );
        check(
            "{\"incident_id\":\"i\",\"signal_types\":[],\"primary_hypothesis\":\"h\"}",
            "json incident incident",
        );
        check("Nothing here.", "TK-PACKET-FREE-TEXT");
        check("# Title\n\nNothing here.", "TK-MARKDOWN-NO-PACKET");
        check("[1, 2]", "TK-PACKET-NOT-OBJECT");
        check("name: somebody\nversion: 1", "TK-PACKET-FREE-TEXT");
    }

    #[test]
    fn a_text_with_a_colon_in_ahps_flat_yaml_stays_a_text() {
        let flat = "packet_type: handoff\ngoal: g\nconstraints:\n- Note: keep this\nacceptance:\n- a\n\
                    failure_boundary:\n- a\nreturn_required:\n- status\n";
        check(flat, "yaml ahp ahp");
        check(&flat.replace("goal: g\n", "goal:\n"), "yaml ahp ahp /goal@2:1");
        let with_item = flat.replace("- Note: keep this", "- text: keep this");
        let source = Source::packet(with_item.as_bytes()).unwrap();
        let opened = open(&source, OpenOptions::default()).unwrap();
        assert_eq!(opened.sent()["constraints"][0]["text"], "keep this");
    }

    #[test]
    fn the_lenient_reader_rejects_what_the_strict_one_rejects() {
        let flat = "packet_type: handoff\ngoal: go \u{202e}on\nconstraints:\n- a\nacceptance:\n- a\n\
                    failure_boundary:\n- a\nreturn_required:\n- status\n";
        check(flat, "TK-TEXT-HIDDEN");
    }

    #[test]
    fn a_packet_of_this_format_is_never_read_leniently() {
        let packet = "handoff_version: \"1.0\"\npacket_type: handoff\ngoal: ";
        check(&format!("{packet}[a\n"), "TK-YAML-SYNTAX");
        check(&format!("{packet}*all\n"), "TK-YAML-ALIAS");
        check(&format!("{packet}{}\n", "[".repeat(40)), "TK-PACKET-TOO-DEEP");
    }

    #[test]
    fn a_block_inside_a_text_of_a_yaml_packet_is_not_the_packet() {
        let outer = "task_id: outer\nfrom_agent: a\nto_agent: b\nsummary: |\n  ```tasuki\n  \
                     handoff_version: '1.0'\n  task_id: inner\n  ```\n";
        let source = Source::packet(outer.as_bytes()).unwrap();
        let opened = open(&source, OpenOptions::default()).unwrap();
        assert_eq!(opened.form, Form::Yaml);
        assert_eq!(opened.packet.text("task_id"), Some("outer"));
    }

    #[test]
    fn a_report_is_no_longer_than_its_limit() {
        let token = |index: usize| format!("- ghp_{index:04}aB3dE5gH7jK9mN2pQ4rS6tU8vW0xY1\n");
        let tokens: String = (0..=VIOLATIONS_MAX).map(token).collect();
        let text = format!("handoff_version: '1.0'\nremaining:\n{tokens}");
        let source = Source::packet(text.as_bytes()).unwrap();
        assert_eq!(open(&source, OpenOptions::default()).unwrap().violations.len(), VIOLATIONS_MAX);
    }

    #[test]
    fn a_violation_in_a_block_has_its_position_in_the_whole_text() {
        let text = "Hello\n\n- ```ahp-yaml\n  packet_type: task\n  goal: a\n  goal: b\n  ```\n";
        let source = Source::packet(text.as_bytes()).unwrap();
        let violation = open(&source, OpenOptions::default()).unwrap_err();
        let position = violation.position.unwrap();
        let found = &text[position.span.start as usize..position.span.end as usize];
        assert_eq!((position.line, position.column, found), (6, 3, "goal"));
    }

    #[test]
    fn only_a_sign_off_gate_makes_a_packet_a_regulated_one() {
        let variant = |more: &str| {
            let text = format!("handoff_version: '1.0'\ngoal: g\n{more}\n");
            let source = Source::packet(text.as_bytes()).unwrap();
            open(&source, OpenOptions::default()).unwrap().variant
        };
        assert_eq!(variant("classification: SECRET"), "baseline");
        assert_eq!(variant("regulation_refs: [UK-DCB0129]"), "baseline");
        assert_eq!(variant("sign_off_gates: [clinical-safety]"), "regulated");
    }

    #[test]
    fn a_packet_that_passes_work_on_is_checked_against_its_parent() {
        let parent = serde_json::json!({
            "authority": ["write:src/*"],
            "constraints": [{ "text": "Keep the public API", "pinned": true }],
        });
        let parent = Packet::from_value(parent).unwrap();
        let child = "handoff_version: '1.0'\nauthority: ['deploy:production']\nconstraints: []\n";
        let source = Source::packet(child.as_bytes()).unwrap();
        let options = OpenOptions { parent: Some(&parent), ..OpenOptions::default() };
        let opened = open(&source, options).unwrap();
        let codes: Vec<_> = opened.violations.iter().map(|violation| violation.code).collect();
        assert!(codes.contains(&Code::AuthorityWidened), "{codes:?}");
        assert!(codes.contains(&Code::PinnedDropped), "{codes:?}");
    }

    #[test]
    fn no_violation_quotes_a_secret() {
        let secret = ["ghp_", "0123456789abcdefghijklmnopqrstuvwxyz"].concat();
        for text in [
            format!("{{\"handoff_version\": \"{secret}\"}}"),
            format!("{{\"handoff_version\": \"1.0\", \"{secret}\": 1, \"{secret}\": 2}}"),
            format!("handoff_version: '1.0'\nstatus: {secret}\n{secret}: 1\ncompleted: {secret}\n"),
        ] {
            let source = Source::packet(text.as_bytes()).unwrap();
            let strict = Variant::named("strict");
            let options = OpenOptions { variant: strict.as_ref(), ..OpenOptions::default() };
            let shown = match open(&source, options) {
                Ok(opened) => format!("{:?}", opened.violations),
                Err(violation) => format!("{violation:?}"),
            };
            assert!(!shown.contains(&secret), "{shown}");
        }
    }

    #[test]
    fn a_violation_of_a_dialect_points_to_its_own_member() {
        check(
            "{\"sourceAgent\": 7,\n \"destinationAgent\": \"b\", \"goal\": \" \", \"summary\": \"s\"}",
            "json card card /goal@2:35 /from_agent@1:17",
        );
    }
}
