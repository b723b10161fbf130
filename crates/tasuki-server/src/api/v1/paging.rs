//! Lists come in pages. A page says where the next one begins; that is an opaque text to callers.

use std::str::FromStr;

use tasuki_api::Page;
use tasuki_engine::limits::PAGE_MAX;

use crate::respond::problem::Problem;

/// How many items a page has unless the caller says otherwise.
pub(crate) const LIMIT_DEFAULT: u32 = 50;

/// Returns a list that fits on one page.
pub(crate) fn complete<T>(items: Vec<T>) -> Page<T> {
    Page { items, next: None }
}

/// Returns a page of items, of which one more than the limit was read.
pub(crate) fn truncated<T>(
    mut items: Vec<T>,
    limit: u32,
    cursor: impl Fn(&T) -> String,
) -> Page<T> {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let has_more = items.len() > limit;
    items.truncate(limit);
    let next = items.last().filter(|_| has_more).map(cursor);
    Page { items, next }
}

/// The number of items of a page, at most the maximum.
pub(crate) fn limit(asked: Option<u32>) -> Result<u32, Problem> {
    match asked.unwrap_or(LIMIT_DEFAULT) {
        0 => Err(Problem::argument(format!("`limit` is 0, and a page has 1 to {PAGE_MAX}"))),
        asked => Ok(asked.min(PAGE_MAX)),
    }
}

/// Parses a cursor, which is `next` of the page before.
pub(crate) fn cursor<P: FromStr>(cursor: Option<&str>) -> Result<Option<P>, Problem> {
    // A number may have a sign where Rust reads it. No page has said one.
    let read = |cursor: &str| cursor.parse().ok().filter(|_| !cursor.starts_with('+'));
    cursor.map(|cursor| read(cursor).ok_or_else(invalid_cursor)).transpose()
}

/// Refuses a cursor that no page had.
fn invalid_cursor() -> Problem {
    Problem::argument("that is no cursor").hint("take `next` from the page before")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_what_a_page_has_said() {
        assert_eq!(cursor::<u64>(None).unwrap(), None);
        assert_eq!(cursor::<u64>(Some("5")).unwrap(), Some(5));
        for text in ["+5", "-5", "five", ""] {
            assert!(cursor::<u64>(Some(text)).is_err(), "{text}");
        }
    }

    #[test]
    fn a_page_has_a_next_one_only_if_something_is_on_it() {
        let page = |count: u32| truncated((1..=count).collect(), 2, u32::to_string);
        assert_eq!((page(2).items, page(2).next), (vec![1, 2], None));
        assert_eq!((page(3).items, page(3).next.as_deref()), (vec![1, 2], Some("2")));
        let limits = [None, Some(1), Some(9_999)].map(|asked| limit(asked).unwrap());
        assert_eq!(limits, [50, 1, PAGE_MAX]);
    }
}
