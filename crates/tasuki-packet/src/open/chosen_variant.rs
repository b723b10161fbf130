//! Chooses the variant that a packet is validated against.

use super::packet::OpenOptions;
use crate::dialect::Dialect;
use crate::document::pointer;
use crate::packet::Packet;
use crate::policy::contract::CompiledContract;
use crate::schema::variant::{PROFILE_FIELD, REGULATED_FIELD, Variant};
use crate::violation::{Code, Violation, shorten, suggest};

/// The variant that a packet is validated against, and the field that chose it.
pub(super) struct Chosen<'t> {
    pub(super) variant: &'t Variant,
    pub(super) field: Option<&'static str>,
}

impl<'t> Chosen<'t> {
    /// Chooses the variant of the options, else that of the dialect, the contract's profile, the
    /// packet's profile, or the detected one.
    pub(super) fn of(dialect: Option<Dialect>, packet: &Packet, options: OpenOptions<'t>) -> Self {
        let of_dialect = || Variant::of_dialect(dialect?.name());
        let of_contract = || options.contract?.profile();
        let set = options.variant.or_else(of_dialect).or_else(of_contract);
        if let Some(variant) = set {
            return Self { variant, field: None };
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
            return Self { variant, field: Some(PROFILE_FIELD) };
        }
        let variant = Variant::shared(detected).expect("detection names built-in variants");
        Self { variant, field: is_regulated.then_some(REGULATED_FIELD) }
    }
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
