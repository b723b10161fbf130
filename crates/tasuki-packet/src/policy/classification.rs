//! The order of classifications, from public to top secret.
//!
//! Packets state a classification as text, with or without markings. A limit on classifications
//! needs an order, so every text belongs to one tier.

use crate::types::string_enum::string_enum;

string_enum! {
    /// A tier of classification, lowest first.
    pub enum Tier {
        /// `PUBLIC`, and content without a classification.
        Public = "public",
        /// `INTERNAL` and `OFFICIAL`.
        Internal = "internal",
        /// `CONFIDENTIAL`, `OFFICIAL-SENSITIVE`, and every text that is not known here.
        Confidential = "confidential",
        /// `RESTRICTED`.
        Restricted = "restricted",
        /// `SECRET`.
        Secret = "secret",
        /// `TOP SECRET`.
        TopSecret = "top_secret",
    }
}

impl Tier {
    /// Returns the tier of a stated classification.
    ///
    /// An unknown text is `confidential`: the sender considered the content worth classifying.
    ///
    /// ```
    /// use tasuki_packet::policy::classification::Tier;
    ///
    /// assert_eq!(Tier::of(Some("Secret UK EYES ONLY")), Tier::Secret);
    /// assert!(Tier::of(None) < Tier::of(Some("anything")));
    /// ```
    pub fn of(stated: Option<&str>) -> Self {
        let Some(stated) = stated else { return Self::Public };
        let known = [
            ("PUBLIC", Self::Public),
            ("INTERNAL", Self::Internal),
            ("OFFICIAL", Self::Internal),
            ("RESTRICTED", Self::Restricted),
            ("SECRET", Self::Secret),
            ("TOP SECRET", Self::TopSecret),
        ];
        let found = known.into_iter().find(|(name, _)| is_tier(stated, name));
        found.map_or(Self::Confidential, |(_, tier)| tier)
    }
}

/// Returns `true` if a classification is of this tier, with or without markings after a space.
pub(crate) fn is_tier(stated: &str, tier: &str) -> bool {
    let stated = stated.trim();
    let Some((start, rest)) = stated.split_at_checked(tier.len()) else { return false };
    start.eq_ignore_ascii_case(tier) && (rest.is_empty() || rest.starts_with(' '))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_belongs_to_one_tier() {
        for (stated, tier) in [
            (None, Tier::Public),
            (Some("public"), Tier::Public),
            (Some("OFFICIAL"), Tier::Internal),
            (Some("OFFICIAL-SENSITIVE"), Tier::Confidential),
            (Some("made up"), Tier::Confidential),
            (Some(" restricted "), Tier::Restricted),
            (Some("SECRET UK EYES ONLY"), Tier::Secret),
            (Some("TOP SECRET"), Tier::TopSecret),
        ] {
            assert_eq!(Tier::of(stated), tier, "{stated:?}");
        }
        assert!(Tier::ALL.is_sorted());
    }
}
