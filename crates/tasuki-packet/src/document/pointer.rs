//! RFC 6901 pointers: built during a walk, parsed when a patch or a report names a place.
//!
//! ```
//! use tasuki_packet::document::pointer;
//!
//! assert_eq!(pointer::join("/context", "a/b"), "/context/a~1b");
//! assert_eq!(pointer::tokens("/context/a~1b").unwrap(), ["context", "a/b"]);
//! ```

use serde_json::Value;

/// Returns `pointer` extended by one member name or index.
pub fn join(pointer: &str, token: &str) -> String {
    let mut joined = String::with_capacity(pointer.len() + token.len() + 1);
    joined.push_str(pointer);
    push(&mut joined, token);
    joined
}

/// Appends one member name or index to `pointer`.
pub fn push(pointer: &mut String, token: &str) {
    pointer.push('/');
    for character in token.chars() {
        match character {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            other => pointer.push(other),
        }
    }
}

/// Returns the unescaped tokens of a pointer, or `None` if it is malformed.
pub fn tokens(pointer: &str) -> Option<Vec<String>> {
    if pointer.is_empty() {
        return Some(Vec::new());
    }
    pointer.strip_prefix('/')?.split('/').map(unescape).collect()
}

/// Calls `visit` with the pointer and content of every text in `value`, except member names.
pub fn each_text<'v>(value: &'v Value, visit: &mut impl FnMut(&str, &'v str)) {
    walk(value, &mut String::new(), visit);
}

fn walk<'v>(value: &'v Value, pointer: &mut String, visit: &mut impl FnMut(&str, &'v str)) {
    match value {
        Value::String(text) => visit(pointer, text),
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                let length = pointer.len();
                push(pointer, &index.to_string());
                walk(item, pointer, visit);
                pointer.truncate(length);
            }
        }
        Value::Object(members) => {
            for (name, member) in members {
                let length = pointer.len();
                push(pointer, name);
                walk(member, pointer, visit);
                pointer.truncate(length);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn unescape(token: &str) -> Option<String> {
    let mut plain = String::with_capacity(token.len());
    let mut characters = token.chars();
    while let Some(character) = characters.next() {
        match (character, character == '~') {
            (_, true) => match characters.next()? {
                '0' => plain.push('~'),
                '1' => plain.push('/'),
                _ => return None,
            },
            (other, false) => plain.push(other),
        }
    }
    Some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_undo_join() {
        let pointer = join(&join("", "a/b"), "m~n");
        assert_eq!(pointer, "/a~1b/m~0n");
        assert_eq!(tokens(&pointer), Some(vec!["a/b".to_owned(), "m~n".to_owned()]));
        assert_eq!(tokens("a"), None);
        assert_eq!(tokens("/~2"), None);
    }
}
