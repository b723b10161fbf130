//! A party that a packet or a command names for the first time, where a project takes such in.
//!
//! Only whoever writes the local store adds parties this way. Over a network a wrong name is refused:
//! there nobody looks at a receiver that somebody made up.

use std::sync::Arc;

use tasuki_packet::document::limits::NAME_CHARS_MAX;
use tasuki_packet::id::PartyId;
use tasuki_packet::leaf::{Authentication, EventType};
use tasuki_packet::policy::contract::PartyName;

use crate::model::directory::SKILL;
use crate::model::directory::party::{RESERVED, ROLE, names_role, plain};
use crate::model::{Change, Context, Directory, Party, PartyKind, Record};
use crate::refusal::{Refusal, RefusalCode};

/// Adds a party that a packet names for the first time; [`can_be_added`] has said that it may.
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

/// Whether a name that nobody has can become a party's by being used, by who proved themselves so.
///
/// Not a role, which would have no members; and not a name that is some other party's once it is
/// written as a party's name is.
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

/// The directory with the parties that a change adds, for answers that name them.
pub fn directory_after(context: &Context<'_>, change: &Change) -> Arc<Directory> {
    let mut directory = Arc::clone(&context.state.directory);
    for record in &change.records {
        if let Record::Party(party) = record {
            Arc::make_mut(&mut directory).put_party(party);
        }
    }
    directory
}

/// Other names are free, but not endless, and none that means something else.
pub(crate) fn must_be_alias(alias: &str) -> Result<(), Refusal> {
    let lower = alias.to_lowercase();
    let refuse = |message: String| {
        Err(Refusal::new(RefusalCode::ArgumentInvalid, message).hint("choose another alias"))
    };
    let characters = alias.chars().count();
    if characters == 0 || characters > NAME_CHARS_MAX {
        return refuse(format!("an alias has 1 to {NAME_CHARS_MAX} characters, not {characters}"));
    }
    if lower.starts_with(ROLE) || lower.starts_with(SKILL) {
        return refuse(format!("`{alias}` is the name of a role or a skill, not of a party"));
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
    fn names_of_packets_become_names_of_parties() {
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
