//! The members of a JSON object, in order, and a fast lookup.

use serde_json::{Map, Value};

/// The members of a packet or of a part of it, in order.
pub type Members = Map<String, Value>;

/// Returns a member of an object.
pub(crate) fn member<'m>(members: &'m Members, name: &str) -> Option<&'m Value> {
    // Up to this size, comparing names is cheaper than hashing one.
    const COMPARED_MAX: usize = 16;
    if members.len() > COMPARED_MAX {
        return members.get(name);
    }
    members.iter().find(|(known, _)| *known == name).map(|(_, value)| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_is_found_in_an_object_of_any_size() {
        for count in [0, 1, 15, 16, 17, 40] {
            let named = |number: usize| (format!("name_{number}"), Value::from(number));
            let members: Members = (0..count).map(named).collect();
            for name in (0..=count).map(|number| named(number).0) {
                assert_eq!(member(&members, &name), members.get(&name), "{name} of {count}");
            }
        }
    }
}
