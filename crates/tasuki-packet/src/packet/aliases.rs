//! Alternative names of members, as AHP and people write them.

use super::Packet;

/// Alternative names, with the name in the format.
const ALIASES: &[(&str, &str)] = &[
    ("handoff_summary", "summary"),
    ("evidence", "evidence_refs"),
    ("changed_files", "changed_paths"),
    ("files_changed", "changed_paths"),
];

/// Returns the name of the member that provides a requested one: present and not null.
pub(crate) fn member_for(name: &str, return_packet: &Packet) -> Option<String> {
    let is_there = |member: &&str| return_packet.get(member).is_some_and(|value| !value.is_null());
    if is_there(&name) {
        return Some(name.to_owned());
    }
    let canonical = canonical_name(name);
    let aliases = ALIASES.iter().filter(|(_, to)| *to == canonical).map(|(from, _)| *from);
    [canonical.as_str()].into_iter().chain(aliases).find(is_there).map(str::to_owned)
}

/// Returns the name in the format: `changed_paths` for `Changed paths`.
pub(crate) fn canonical_name(name: &str) -> String {
    let plain = name.trim().to_ascii_lowercase().replace([' ', '-'], "_");
    let known = ALIASES.iter().find(|(from, _)| *from == plain);
    known.map_or(plain, |(_, to)| (*to).to_owned())
}
