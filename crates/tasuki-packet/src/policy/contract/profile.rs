//! The profile of a contract: a built-in variant, or a variant file beside the contract.

use serde_json::Value;

use crate::policy::located_value::LocatedValue;
use crate::{Code, Variant, Violation};

/// Reads the name of a variant, or the path of a variant file. A misspelt name would leave packets
/// without its requirements; a missing file is reported when the contract is compiled.
pub(super) fn profile(place: &LocatedValue<'_>, found: &mut Vec<Violation>) -> Option<String> {
    if let Some(path) = place.value.as_str().filter(|text| is_file(text)) {
        return Some(path.to_owned());
    }
    let variants: Vec<(&str, &str)> = Variant::names().map(|name| (name, name)).collect();
    place.word(&variants, found).map(str::to_owned)
}

/// Returns `true` if a profile is the path of a variant file.
pub(super) fn is_file(profile: &str) -> bool {
    profile.contains('/') || [".yaml", ".yml", ".json"].iter().any(|end| profile.ends_with(end))
}

/// Returns the variant of a profile: a built-in one, or that of a file beside the contract.
pub(super) fn variant(name: &str, document: Option<&Value>) -> Result<Variant, Vec<Violation>> {
    let missing = |message: String| {
        vec![
            Violation::new(Code::VariantInvalid, "/profile", message)
                .found(name)
                .hint("the path is relative to the contract's folder"),
        ]
    };
    match document {
        Some(document) => Variant::from_document(document).map_err(|mut violations| {
            for violation in &mut violations {
                let inside = std::mem::replace(&mut violation.pointer, "/profile".to_owned());
                violation.message = format!("`{name}#{inside}`: {}", violation.message);
            }
            violations
        }),
        None => Variant::named(name)
            .ok_or_else(|| missing(format!("the variant file `{name}` was not found"))),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::json;

    use super::*;
    use crate::policy::contract::{CompiledContract, Contract, breaking};

    #[test]
    fn a_profile_may_be_a_variant_file_beside_the_contract() {
        let document = json!({
            "contract": "c", "version": "1.0", "from": ["a"], "to": ["b"],
            "profile": "variants/team.yaml",
        });
        let contract = Contract::read(&document).unwrap();
        let missing = CompiledContract::new(&contract, &()).unwrap_err();
        assert_eq!(missing[0].code, Code::VariantInvalid);
        let file = |file: Value| BTreeMap::from([("variants/team.yaml".to_owned(), file)]);
        let team = file(json!({"variant": "team", "require": ["ticket"]}));
        let compiled = CompiledContract::new(&contract, &team).unwrap();
        assert_eq!(compiled.profile().map(Variant::name), Some("team"));
        let wrong =
            CompiledContract::new(&contract, &file(json!({"variant": "team", "requires": []})));
        let wrong = wrong.unwrap_err();
        assert_eq!(wrong[0].pointer, "/profile");
        assert!(wrong[0].message.contains("requires"), "{}", wrong[0].message);
        let changed = file(json!({"variant": "team", "require": ["ticket", "goal"]}));
        let changed = CompiledContract::new(&contract, &changed).unwrap();
        assert_eq!(breaking(&compiled, &changed).len(), 1);
        assert!(breaking(&compiled, &compiled).is_empty());
    }

    #[test]
    fn a_profile_is_a_known_variant() {
        let document = json!({
            "contract": "c", "version": "1.0", "from": ["a"], "to": ["b"], "profile": "stritc",
        });
        let violations = Contract::read(&document).unwrap_err();
        assert_eq!(violations.len(), 1, "{violations:?}");
        assert_eq!(violations[0].pointer, "/profile");
        assert_eq!(violations[0].hint.as_deref(), Some("did you mean `strict`?"));
    }
}
