//! A decision about a handoff, as one sentence.

/// A decision about a handoff.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DecisionNote<'n> {
    /// The decision: `accept`, `edit`, `reject`, `reroute`, `intercept`, `cancel`, `sign_off`.
    pub decision: &'n str,
    /// The party that decided.
    pub by: &'n str,
    /// The reason, if one was given.
    pub reason: Option<&'n str>,
    /// The time, as RFC 3339.
    pub at: &'n str,
}

impl DecisionNote<'_> {
    /// Returns the decision as a self-contained sentence.
    ///
    /// ```
    /// use tasuki_packet::chain::continuation::DecisionNote;
    ///
    /// let note = DecisionNote {
    ///     decision: "reject",
    ///     by: "ana",
    ///     reason: Some("the tests are missing"),
    ///     at: "2026-11-16T18:00:00.000000Z",
    /// };
    /// assert_eq!(
    ///     note.sentence(),
    ///     "ana rejected at 2026-11-16T18:00:00.000000Z, reason: the tests are missing"
    /// );
    /// ```
    pub fn sentence(&self) -> String {
        let Self { by, at, .. } = self;
        let mut sentence = match self.verb() {
            Some(verb) => format!("{by} {verb} at {at}"),
            None => format!("{by} decided `{}` at {at}", self.decision),
        };
        if let Some(reason) = self.reason {
            sentence.extend([", reason: ", reason]);
        }
        sentence
    }

    fn verb(&self) -> Option<&'static str> {
        Some(match self.decision {
            "accept" => "accepted",
            "edit" => "edited",
            "reject" => "rejected",
            "reroute" => "rerouted",
            "intercept" => "intercepted",
            "cancel" => "cancelled",
            "sign_off" => "signed off",
            "deny" => "refused to sign",
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::field::{FIELDS, Shape};

    #[test]
    fn every_decision_of_the_format_has_a_verb() {
        let shape = FIELDS.iter().find(|field| field.name == "decision").map(|field| field.shape);
        let Some(Shape::Word(words)) = shape else { panic!("`decision` is a word") };
        for decision in *words {
            let note = DecisionNote { decision, by: "ana", reason: None, at: "noon" };
            assert!(note.verb().is_some(), "{decision}");
        }
    }

    #[test]
    fn an_unknown_decision_is_quoted_verbatim() {
        let note = DecisionNote { decision: "redrive", by: "ops", reason: None, at: "noon" };
        assert_eq!(note.sentence(), "ops decided `redrive` at noon");
    }
}
