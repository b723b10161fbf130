//! The authority that a packet grants: narrowed by sender, receiver and claimer.

use tasuki_packet::chain;
use tasuki_packet::id::PartyId;

use crate::model::{Directory, Facts, Handoff};

/// Returns the authority of a claimer: the intersection of the limits of packet, sender, receiver
/// and claimer.
///
/// `None` means unlimited. A person who intercepted the work is not bound by the receiver's limit.
pub fn granted(directory: &Directory, handoff: &Handoff, holder: PartyId) -> Option<Vec<String>> {
    let limit = |party: PartyId| directory.party(party).and_then(|own| own.authority.clone());
    let Facts { summary, sender, receiver, .. } = handoff.facts.as_ref();
    let receiver = Some(*receiver).filter(|role| directory.is_or_is_in(holder, *role));
    let all = [summary.authority.clone(), limit(*sender), receiver.and_then(limit), limit(holder)];
    narrowest(all.into_iter().flatten())
}

/// Returns the intersection of these limits, or `None` without any.
pub fn narrowest(limits: impl Iterator<Item = Vec<String>>) -> Option<Vec<String>> {
    limits.reduce(|one, other| {
        let mut both = covered(&one, &other);
        both.extend(covered(&other, &one).into_iter().filter(|entry| !one.contains(entry)));
        both.sort();
        both.dedup();
        both
    })
}

/// Returns the granted entries for display, with `nothing` for an empty list.
pub fn worded(granted: &[String]) -> Vec<String> {
    if granted.is_empty() { vec!["nothing".to_owned()] } else { granted.to_vec() }
}

/// Returns the entries that an entry of the limit covers.
pub(crate) fn covered(entries: &[String], limit: &[String]) -> Vec<String> {
    let is_covered = |entry: &&String| limit.iter().any(|wide| chain::covers(wide, entry));
    entries.iter().filter(is_covered).cloned().collect()
}

/// Returns the entries of a packet's authority that exceed a party's limit, with that party's name.
pub fn excess_grants(
    directory: &Directory,
    stated: &[String],
    parties: impl IntoIterator<Item = PartyId>,
) -> Vec<(String, String)> {
    let mut surplus = Vec::new();
    for party in parties.into_iter().filter_map(|id| directory.party(id)) {
        let Some(limit) = &party.authority else { continue };
        surplus.extend(beyond(stated, limit).map(|entry| (entry.clone(), party.name.clone())));
    }
    surplus
}

/// Returns the entries that no entry of the limit covers.
pub fn beyond<'s>(stated: &'s [String], limit: &[String]) -> impl Iterator<Item = &'s String> {
    stated.iter().filter(move |entry| !limit.iter().any(|wide| chain::covers(wide, entry)))
}
