//! The fields of a packet in the order in which an imported packet has them.
//!
//! People read a packet from the top: what it is, who hands it to whom, what is asked, what is done;
//! rules and labels follow, and what only other systems understand comes last.

use crate::document::Members;
use crate::schema::field;

/// The name of every field of a packet but `extensions`, which always comes last.
pub(super) const FIELDS: &[&str] = &{
    let mut names = [""; field::FIELDS.len() - 1];
    let mut index = 0;
    while index < names.len() {
        names[index] = field::FIELDS[index].name;
        index += 1;
    }
    names
};

/// The members in the order of `names`; the others follow in their own order, `extensions` last.
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
