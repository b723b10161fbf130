//! The context of a handoff, and the conditions that gates and rules place on it.
//!
//! If a packet leaves a detail open, the condition on it counts as met. Omitting a clause of a
//! regulation must not bypass the gate for that clause.

use crate::policy::classification::is_tier;
use crate::policy::contract::PartyName;
use crate::policy::trigger::TriggerKind;

/// The facts about a handoff that determine which gates and rules apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GateContext<'a> {
    /// The classification of the content, as returned by [`classification`](super::classification).
    pub classification: Option<&'a str>,
    /// The scheme and reference of each regulation that the packet names; the reference may be
    /// empty.
    pub regulations: &'a [(&'a str, &'a str)],
    /// The kind of the trigger.
    pub trigger: Option<&'a str>,
    /// The sender.
    pub from: &'a str,
    /// The receiver: a party or a role.
    pub to: &'a str,
}

/// Conditions on a handoff. Each list that is not empty must have a matching entry.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Conditions {
    /// Classification tiers, with or without markings.
    pub classification: Vec<String>,
    /// Schemes (`UK-DCB0129`), or clauses of a scheme (`UK-DCB0129:4.2`).
    pub regulation: Vec<String>,
    /// Trigger kinds.
    pub trigger: Vec<TriggerKind>,
    /// Edges.
    pub edge: Vec<Edge>,
}

/// An edge from senders to receivers. An absent side matches any party.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edge {
    /// The sender.
    pub from: Option<PartyName>,
    /// The receiver.
    pub to: Option<PartyName>,
}

impl Conditions {
    /// Returns `true` if there are no conditions.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns `true` if all conditions are met. An empty list is always met.
    ///
    /// `is_member` is called with a party and a role, including the `role:` prefix.
    pub fn hold(&self, context: &GateContext<'_>, is_member: &dyn Fn(&str, &str) -> bool) -> bool {
        let GateContext { classification, regulations, trigger, from, to } = *context;
        let is_class = |tier: &String| classification.is_some_and(|stated| is_tier(stated, tier));
        let is_named = |entry: &String| regulations.iter().any(|stated| names(*stated, entry));
        let is_kind = |kind: &TriggerKind| trigger == Some(kind.as_str());
        let is_edge = |edge: &Edge| edge.is_met_by(from, to, is_member);
        one_of(&self.classification, is_class)
            && one_of(&self.regulation, is_named)
            && one_of(&self.trigger, is_kind)
            && one_of(&self.edge, is_edge)
    }
}

impl Edge {
    /// Returns `true` if a handoff from `from` to `to` is on this edge.
    pub fn is_met_by(&self, from: &str, to: &str, is_member: &dyn Fn(&str, &str) -> bool) -> bool {
        let is_met = |side: &Option<PartyName>, party: &str| {
            side.as_ref().is_none_or(|name| name.is_met_by(party, is_member))
        };
        is_met(&self.from, from) && is_met(&self.to, to)
    }
}

fn one_of<T>(asked: &[T], holds: impl Fn(&T) -> bool) -> bool {
    asked.is_empty() || asked.iter().any(holds)
}

/// Returns `true` if a packet's regulation reference matches an entry.
fn names((scheme, reference): (&str, &str), entry: &str) -> bool {
    let (asked, clause) = entry.split_once(':').unwrap_or((entry, ""));
    let is_whole = scheme.eq_ignore_ascii_case(entry);
    let is_clause = |stated: &str| {
        // A packet that names only a scheme refers to all of its clauses.
        clause.is_empty() || stated.is_empty() || stated.eq_ignore_ascii_case(clause)
    };
    let is_split = scheme.eq_ignore_ascii_case(asked) && is_clause(reference);
    let written_as_one = if reference.is_empty() { after(scheme, asked) } else { None };
    is_whole || is_split || written_as_one.is_some_and(is_clause)
}

/// Returns the text after `scheme` in a reference written as one text: `UK-DCB0129 4.2`.
fn after<'t>(text: &'t str, scheme: &str) -> Option<&'t str> {
    let (start, rest) = text.split_at_checked(scheme.len())?;
    let is_end = rest.starts_with([' ', ':', ',', '/', '#', '(']);
    (start.eq_ignore_ascii_case(scheme) && is_end)
        .then(|| rest.trim_matches(|character: char| !character.is_alphanumeric()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTHING: GateContext<'static> = GateContext {
        classification: None,
        regulations: &[],
        trigger: None,
        from: "coder",
        to: "role:reviewer",
    };

    fn directory(party: &str, role: &str) -> bool {
        [("ana", "role:reviewer"), ("coder", "role:agent")].contains(&(party, role))
    }

    fn texts(items: &[&str]) -> Vec<String> {
        items.iter().map(|item| (*item).to_owned()).collect()
    }

    #[track_caller]
    fn check(conditions: &Conditions, context: GateContext<'_>, expected: bool) {
        assert_eq!(conditions.hold(&context, &directory), expected);
    }

    #[test]
    fn a_classification_is_met_by_its_tier_with_or_without_markings() {
        let conditions =
            Conditions { classification: texts(&["OFFICIAL", "SECRET"]), ..Default::default() };
        let check = |stated: Option<&str>, expected| {
            check(&conditions, GateContext { classification: stated, ..NOTHING }, expected);
        };
        check(Some("OFFICIAL"), true);
        check(Some("official"), true);
        check(Some("SECRET UK EYES ONLY"), true);
        check(Some("OFFICIAL-SENSITIVE"), false);
        check(Some("TOP SECRET"), false);
        check(Some("SECRETÉ"), false);
        check(None, false);
    }

    #[track_caller]
    fn check_regulation(entry: &str, stated: (&str, &str), expected: bool) {
        let conditions = Conditions { regulation: texts(&[entry]), ..Default::default() };
        check(&conditions, GateContext { regulations: &[stated], ..NOTHING }, expected);
    }

    #[test]
    fn a_scheme_is_met_by_each_of_its_clauses() {
        check_regulation("UK-DCB0129", ("UK-DCB0129", "4.2"), true);
        check_regulation("UK-DCB0129", ("uk-dcb0129", ""), true);
        check_regulation("UK-DCB0129", ("UK-DCB0129 4.2", ""), true);
        check_regulation("UK-DCB0129", ("UK-DCB0129:4.2", ""), true);
        check_regulation("UK-DCB0129", ("UK-DCB0160", "4.2"), false);
        check_regulation("UK-DCB0129", ("UK-DCB01291", ""), false);
        check_regulation("UK", ("UK-DCB0129", "4.2"), false);
    }

    #[test]
    fn a_clause_is_met_by_itself_and_by_the_scheme_as_a_whole() {
        check_regulation("UK-DCB0129:4.2", ("UK-DCB0129", "4.2"), true);
        check_regulation("UK-DCB0129:4.2", ("UK-DCB0129", ""), true);
        check_regulation("UK-DCB0129:4.2", ("UK-DCB0129 (4.2)", ""), true);
        check_regulation("UK-DCB0129:4.2", ("UK-DCB0129:4.2", ""), true);
        check_regulation("UK-DCB0129:4.2", ("UK-DCB0129", "4.3"), false);
        check_regulation("UK-DCB0129:4.2", ("UK-DCB0129 4.3", ""), false);
        check_regulation("ISO:27001", ("ISO:27001", "A.5"), true);
    }

    #[test]
    fn an_empty_reference_matches_no_regulation() {
        let conditions = Conditions { regulation: texts(&["DTAC"]), ..Default::default() };
        check(&conditions, NOTHING, false);
    }

    #[test]
    fn a_trigger_is_met_by_its_kind() {
        let trigger = vec![TriggerKind::Stuck, TriggerKind::Error];
        let conditions = Conditions { trigger, ..Default::default() };
        check(&conditions, GateContext { trigger: Some("error"), ..NOTHING }, true);
        check(&conditions, GateContext { trigger: Some("manual"), ..NOTHING }, false);
        check(&conditions, NOTHING, false);
    }

    #[track_caller]
    fn check_edge(from: Option<&str>, to: Option<&str>, parties: (&str, &str), expected: bool) {
        let [from, to] = [from, to].map(|name| name.map(|name| name.parse().unwrap()));
        let conditions = Conditions { edge: vec![Edge { from, to }], ..Default::default() };
        check(&conditions, GateContext { from: parties.0, to: parties.1, ..NOTHING }, expected);
    }

    #[test]
    fn an_edge_is_met_by_its_parties_and_by_members_of_its_roles() {
        let reviewer = Some("role:reviewer");
        check_edge(Some("coder"), reviewer, ("coder", "role:reviewer"), true);
        check_edge(Some("coder"), reviewer, ("coder", "ana"), true);
        check_edge(Some("role:agent"), reviewer, ("coder", "ana"), true);
        check_edge(Some("coder"), reviewer, ("ana", "role:reviewer"), false);
        check_edge(Some("coder"), reviewer, ("coder", "ben"), false);
        check_edge(None, reviewer, ("anybody", "ana"), true);
        check_edge(Some("coder"), None, ("coder", "anybody"), true);
        check_edge(Some("coder"), None, ("ana", "anybody"), false);
    }

    #[test]
    fn all_conditions_must_hold() {
        let conditions = Conditions {
            classification: texts(&["SECRET"]),
            trigger: vec![TriggerKind::Error],
            ..Default::default()
        };
        let both =
            GateContext { classification: Some("SECRET"), trigger: Some("error"), ..NOTHING };
        check(&conditions, both, true);
        check(&conditions, GateContext { classification: None, ..both }, false);
        check(&conditions, GateContext { trigger: None, ..both }, false);
    }
}
