//! Chooses the variants that a packet is validated against.

use super::packet::OpenOptions;
use crate::dialect::Dialect;
use crate::document::pointer;
use crate::packet::Packet;
use crate::policy::contract::CompiledContract;
use crate::policy::rules::RuleVariant;
use crate::schema::variant::{PROFILE_FIELD, REGULATED_FIELD, Variant};
use crate::violation::{Code, Violation, shorten, suggest};

/// The variants that a packet is validated against, and the reason for the one that is reported.
pub(super) struct Chosen<'t> {
    /// The packet's own variant.
    pub(super) variant: &'t Variant,
    /// The field that chose it.
    pub(super) field: Option<&'static str>,
    /// The variants that rules of the project require besides, with the names of the rules.
    pub(super) by_rules: Vec<(String, &'static Variant)>,
}

impl<'t> Chosen<'t> {
    /// Chooses the variant of the options alone, or the packet's own and those of the rules.
    pub(super) fn of(dialect: Option<Dialect>, packet: &Packet, options: OpenOptions<'t>) -> Self {
        if let Some(variant) = options.variant {
            return Self { variant, field: None, by_rules: Vec::new() };
        }
        let (variant, field) = own(dialect, packet, options);
        let contract = options.contract.map(CompiledContract::contract);
        let chosen = options.rules.map(|rules| rules.variants(packet, contract));
        let mut by_rules: Vec<(String, &'static Variant)> = Vec::new();
        for RuleVariant { rule, variant: name } in chosen.unwrap_or_default() {
            let Some(added) = Variant::shared(&name) else { continue };
            if !variant.covers(added) && by_rules.iter().all(|(_, known)| !known.covers(added)) {
                by_rules.push((rule, added));
            }
        }
        Self { variant, field, by_rules }
    }

    /// Returns the name of the variant to report, the field that chose it, and the rule that did.
    pub(super) fn report(&self) -> (String, Option<&'static str>, Option<String>) {
        match self.by_rules.first() {
            Some((rule, variant)) => (variant.name().to_owned(), None, Some(rule.clone())),
            None => (self.variant.name().to_owned(), self.field, None),
        }
    }
}

/// Returns the variant of the dialect, else that of the contract's profile, the packet's profile,
/// or the detected one; and the field that chose it.
fn own<'t>(
    dialect: Option<Dialect>,
    packet: &Packet,
    options: OpenOptions<'t>,
) -> (&'t Variant, Option<&'static str>) {
    let of_dialect = || Variant::of_dialect(dialect?.name());
    let of_contract = || options.contract?.profile();
    if let Some(variant) = of_dialect().or_else(of_contract) {
        return (variant, None);
    }
    let detected = match (Variant::detect(packet.members()), dialect) {
        ("regulated", _) => "regulated",
        (_, Some(Dialect::Ahp)) => "ahp",
        (detected, _) => detected,
    };
    let is_regulated = detected == "regulated";
    let named = packet.text(PROFILE_FIELD).and_then(Variant::shared);
    // No name frees a packet with gates from the labels that they need.
    if let Some(variant) = named.filter(|one| !is_regulated || one.is_regulated()) {
        return (variant, Some(PROFILE_FIELD));
    }
    let variant = Variant::shared(detected).expect("detection names built-in variants");
    (variant, is_regulated.then_some(REGULATED_FIELD))
}

/// Reports a profile that neither this build nor the caller knows: its rules would be skipped.
pub(super) fn unknown_profile(packet: &Packet, options: OpenOptions<'_>) -> Option<Violation> {
    let name = packet.text(PROFILE_FIELD).filter(|name| Variant::shared(name).is_none())?;
    let of_contract = options.contract.and_then(CompiledContract::profile);
    let mut supplied = [options.variant, of_contract].into_iter().flatten();
    if supplied.any(|variant| variant.name() == name) {
        return None;
    }
    let message = format!("unknown variant `{}`", shorten::text(name));
    let names: Vec<_> = Variant::names().collect();
    let violation = Violation::new(Code::FieldValue, pointer::join("", PROFILE_FIELD), message)
        .found(shorten::text(name))
        .allowed(names.join(", "));
    Some(match suggest(name, names.iter().copied()) {
        Some(near) => violation.hint(format!("did you mean `{near}`?")),
        None => violation.hint("name a team's own variant as the `profile` of a contract, or pass its file as `--variant`"),
    })
}
