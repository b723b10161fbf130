//! The order of fields in an imported packet.
//!
//! People read a packet from the top: its type, the parties, the request, and the completed work.
//! Rules and labels follow, and members of other systems come last.

use crate::document::Members;
use crate::schema::field;

/// The name of every packet field except `extensions`, which always comes last.
pub(super) const FIELDS: &[&str] = &{
    let mut names = [""; field::FIELDS.len() - 1];
    let mut index = 0;
    while index < names.len() {
        names[index] = field::FIELDS[index].name;
        index += 1;
    }
    names
};

/// Returns the members in the order of `names`, then the others in their own order, then
/// `extensions`.
pub(super) fn arrange(mut members: Members, names: &[&str]) -> Members {
    let extensions = members.shift_remove("extensions");
    let mut arranged = Members::new();
    for name in names {
        if let Some(value) = members.shift_remove(*name) {
            arranged.insert((*name).to_owned(), value);
        }
    }
    arranged.append(&mut members);
    arranged.extend(extensions.map(|value| ("extensions".to_owned(), value)));
    arranged
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn unknown_members_follow_and_extensions_come_last() {
        let packet = json!({"extensions": {}, "x": 1, "goal": "g", "handoff_version": "1.0"});
        let arranged = arrange(packet.as_object().expect("an object").clone(), FIELDS);
        let names: Vec<&str> = arranged.keys().map(String::as_str).collect();
        assert_eq!(names, ["handoff_version", "goal", "x", "extensions"]);
    }
}
