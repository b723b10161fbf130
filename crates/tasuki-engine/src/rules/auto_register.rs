//! Registers a party when a packet or a command names it for the first time.
//!
//! This only happens for callers of the local store, and only if the project allows it. Over the
//! network an unknown name is refused, because a typo would create a receiver that no one runs.

use std::sync::Arc;

use tasuki_packet::document::limits::NAME_CHARS_MAX;
use tasuki_packet::id::PartyId;
use tasuki_packet::leaf::{Authentication, EventType};
use tasuki_packet::policy::contract::PartyName;

use crate::model::directory::SKILL;
use crate::model::directory::party::{RESERVED, ROLE, names_role, plain};
use crate::model::{Change, Context, Directory, Party, PartyKind, Record};
use crate::refusal::{Refusal, RefusalCode};

/// Registers a party on first use. [`can_be_added`] must have returned `true`.
pub fn on_first_use(context: &Context<'_>, name: &str, change: &mut Change) -> PartyId {
    let plain = plain(name);
    let id: PartyId = context.seed.id(&format!("party {plain}"), context.now);
    if change.answer.registered.contains(&plain) {
        return id;
    }
    let mut party = Party::new(id, plain.clone(), PartyKind::Agent);
    if plain != name {
        party.aliases.push(name.trim().to_owned());
    }
    change
        .record_project_event(EventType::PartyAdded, context.actor())
        .with("party", id)
        .with("kind", party.kind.as_str())
        .with("stated", party.commitment(&context.state.head));
    change.answer.registered.push(plain);
    change.records.push(Record::Party(party));
    id
}

/// Returns `true` if an unknown name may be registered as a party by using it. A role may not: it
/// would have no members. Neither may a name that belongs to another party once it is normalized.
pub fn can_be_added(directory: &Directory, by: Authentication, name: &str) -> bool {
    let plain = plain(name);
    let is_unknown =
        |name: &str| directory.find(name).is_err_and(|no| no.code == RefusalCode::PartyUnknown);
    directory.settings.registers_on_first_use
        && by == Authentication::Local
        && !names_role(name)
        && !name.starts_with(SKILL)
        && must_be_alias(name.trim()).is_ok()
        && plain.parse::<PartyName>().is_ok()
        && is_unknown(name)
        && is_unknown(&plain)
}

/// Returns the directory including the parties that a change adds, for responses that name them.
pub fn directory_after(context: &Context<'_>, change: &Change) -> Arc<Directory> {
    let mut directory = Arc::clone(&context.state.directory);
    for record in &change.records {
        if let Record::Party(party) = record {
            Arc::make_mut(&mut directory).put_party(party);
        }
    }
    directory
}

/// Checks the length of an alias, and that it is neither reserved nor the name of a role or skill.
pub(crate) fn must_be_alias(alias: &str) -> Result<(), Refusal> {
    let lower = alias.to_lowercase();
    let refuse = |message: String| {
        Err(Refusal::new(RefusalCode::ArgumentInvalid, message).hint("choose another alias"))
    };
    let characters = alias.chars().count();
    if characters == 0 || characters > NAME_CHARS_MAX {
        return refuse(format!(
            "an alias must have 1 to {NAME_CHARS_MAX} characters, not {characters}"
        ));
    }
    if lower.starts_with(ROLE) || lower.starts_with(SKILL) {
        return refuse(format!("`{alias}` names a role or a skill, not a party"));
    }
    if RESERVED.contains(&lower.as_str()) {
        return refuse(format!("`{alias}` is reserved"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_packets_are_normalized_to_party_names() {
        for (name, expected) in [
            ("Web Scraper", "web-scraper"),
            (" role: On Call ", "role:on-call"),
            ("Müller & Söhne", "m-ller---s-hne"),
            ("***", ""),
        ] {
            assert_eq!(plain(name), expected, "{name}");
        }
        assert_eq!(plain(&"x".repeat(99)).len(), 63);
    }
}
