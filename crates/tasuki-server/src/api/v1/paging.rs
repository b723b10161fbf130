//! Pages of lists. The cursor of the next page is opaque to callers.

use std::str::FromStr;

use serde::Deserialize;
use tasuki_api::Page;
use tasuki_engine::limits::PAGE_MAX;

use crate::respond::problem::Problem;

/// The default number of items on a page.
pub(crate) const LIMIT_DEFAULT: u32 = 50;

/// Returns a list that fits on one page.
pub(crate) fn complete<T>(items: Vec<T>) -> Page<T> {
    Page::new(items, None)
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
    Page::new(items, next)
}

/// The query of a list in the order of events.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AfterQuery {
    limit: Option<u32>,
    cursor: Option<String>,
}

/// Returns the page of items whose event comes after the cursor.
pub(crate) fn after<T>(
    mut items: Vec<T>,
    query: &AfterQuery,
    number: impl Fn(&T) -> u64,
) -> Result<Page<T>, Problem> {
    if let Some(seen) = cursor::<u64>(query.cursor.as_deref())? {
        items.retain(|item| number(item) > seen);
    }
    Ok(truncated(items, limit(query.limit)?, |item| number(item).to_string()))
}

/// Returns the number of items on a page, at most the maximum.
pub(crate) fn limit(asked: Option<u32>) -> Result<u32, Problem> {
    match asked.unwrap_or(LIMIT_DEFAULT) {
        0 => Err(Problem::argument(format!("`limit` must be 1 to {PAGE_MAX}, not 0"))),
        asked => Ok(asked.min(PAGE_MAX)),
    }
}

/// Parses a cursor, which is `next` of the previous page.
pub(crate) fn cursor<P: FromStr>(cursor: Option<&str>) -> Result<Option<P>, Problem> {
    // `parse` accepts a leading `+`, which no page has sent.
    let read = |cursor: &str| cursor.parse().ok().filter(|_| !cursor.starts_with('+'));
    cursor.map(|cursor| read(cursor).ok_or_else(invalid_cursor)).transpose()
}

/// Returns the refusal of an invalid cursor.
fn invalid_cursor() -> Problem {
    Problem::argument("invalid cursor").hint("use `next` of the previous page")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_one_that_a_page_returned() {
        assert_eq!(cursor::<u64>(None).unwrap(), None);
        assert_eq!(cursor::<u64>(Some("5")).unwrap(), Some(5));
        for text in ["+5", "-5", "five", ""] {
            assert!(cursor::<u64>(Some(text)).is_err(), "{text}");
        }
    }

    #[test]
    fn a_page_has_a_cursor_only_if_there_are_more_items() {
        let page = |count: u32| truncated((1..=count).collect(), 2, u32::to_string);
        assert_eq!((page(2).items, page(2).next), (vec![1, 2], None));
        assert_eq!((page(3).items, page(3).next.as_deref()), (vec![1, 2], Some("2")));
        let limits = [None, Some(1), Some(9_999)].map(|asked| limit(asked).unwrap());
        assert_eq!(limits, [50, 1, PAGE_MAX]);
    }
}
