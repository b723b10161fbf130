//! Search: all words, each as a prefix, without case, newest first.
//!
//! A store may fill its index after the commit, so a case retries until the result is complete.

use tasuki_engine::model::{DocumentKind, StateWord};
use tasuki_engine::ports::{Found, Store, WriteSet};
use tasuki_packet::leaf::EventType;

use super::case::{Case, TIMEOUT, on_a_fresh_store};
use crate::samples;

/// Submits one handoff with a packet for each goal; the number of its leaf is the index of the
/// goal.
async fn submit_goals<S: Store>(case: &mut Case<S>, goals: &[&str]) {
    for (number, goal) in (1..).zip(goals) {
        let handoff = samples::handoff_numbered(number, StateWord::Offered);
        let mut written = case.log.submitted(handoff.clone());
        let packet =
            serde_json::json!({ "goal": goal, "nested": { "list": [1, { "x": "deep" }] } });
        let document = samples::document(handoff.id, DocumentKind::Packet, "1", &packet);
        written.documents.push((u64::from(number) - 1, document));
        case.commit([written]).await;
    }
}

/// Searches until the result is complete, and returns the last one if it never is.
pub(super) async fn search_until<S: Store>(
    case: &Case<S>,
    words: &str,
    limit: u32,
    is_expected: impl Fn(&[Found]) -> bool,
) -> Vec<Found> {
    let pause = TIMEOUT / 1_000;
    for _ in 0..1_000 {
        let found = case.store.search(case.project(), words.to_owned(), None, limit).await;
        if found.as_ref().is_ok_and(|found| is_expected(found)) {
            break;
        }
        tokio::time::sleep(pause).await;
    }
    case.store.search(case.project(), words.to_owned(), None, limit).await.expect("search works")
}

async fn check<S: Store>(case: &Case<S>, words: &str, expected: &[u64]) {
    let numbers = |found: &[Found]| found.iter().map(|found| found.n).collect::<Vec<_>>();
    let found = search_until(case, words, 50, |found| numbers(found) == expected).await;
    assert_eq!(numbers(&found), expected, "{words:?}");
}

/// In any order and anywhere in the document, but not in the names of members.
pub fn search_finds_all_words_by_their_beginnings<S: Store, G>(make: impl Fn() -> (S, G)) {
    on_a_fresh_store(make, async |mut case| {
        submit_goals(&mut case, &["Ship the web part", "Web shop:\nnew cart", "shipped carts"])
            .await;
        check(&case, "ship", &[2, 0]).await;
        check(&case, "SHIP", &[2, 0]).await;
        check(&case, "part web", &[0]).await;
        check(&case, "web cart", &[1]).await;
        check(&case, "new", &[1]).await;
        check(&case, "deep", &[2, 1, 0]).await;
        check(&case, "ipped", &[]).await;
        check(&case, "ship nothing", &[]).await;
        check(&case, "goal", &[]).await;
        check(&case, "nested", &[]).await;

        let found = search_until(&case, "cart shop", 50, |found| found.len() == 1).await;
        assert_eq!(found[0].handoff, Some(samples::handoff_id(2)));
        assert_eq!(found[0].kind, "packet");
        let excerpt = found[0].excerpt.to_lowercase();
        assert!(excerpt.contains("shop") || excerpt.contains("cart"), "{excerpt}");
    });
}

/// The limit cuts off the oldest.
pub fn search_returns_the_newest_first_up_to_the_limit<S: Store, G>(make: impl Fn() -> (S, G)) {
    on_a_fresh_store(make, async |mut case| {
        submit_goals(&mut case, &["word word word", "other", "word", "a word"]).await;
        check(&case, "word", &[3, 2, 0]).await;
        let found = search_until(&case, "word", 2, |found| found.len() == 2).await;
        assert_eq!(found.iter().map(|found| found.n).collect::<Vec<_>>(), [3, 2]);
        let none = case.store.search(case.project(), "word".to_owned(), None, 0).await;
        assert_eq!(none, Ok(Vec::new()));
        let older = case.store.search(case.project(), "word".to_owned(), Some(3), 1).await;
        assert_eq!(older.unwrap_or_default().iter().map(|found| found.n).collect::<Vec<_>>(), [2]);
        let first = case.store.search(case.project(), "word".to_owned(), Some(0), 9).await;
        assert_eq!(first, Ok(Vec::new()));
    });
}

/// The reason is in the detail of the event, not in the leaf.
pub fn search_finds_the_reasons_of_events<S: Store, G>(make: impl Fn() -> (S, G)) {
    on_a_fresh_store(make, async |mut case| {
        let handoff = samples::handoff(StateWord::Offered);
        submit_goals(&mut case, &["Ship it"]).await;
        let of_handoff = case.log.leaf(EventType::Released, Some(&handoff), Some("Quota ran out"));
        let of_project = case.log.leaf(EventType::ProjectHalted, None, Some("quota audit"));
        let leaves = vec![of_handoff, of_project];
        case.commit([WriteSet { leaves, ..WriteSet::default() }]).await;

        let found = search_until(&case, "quota", 50, |found| found.len() == 2).await;
        let reasons: Vec<_> =
            found.iter().map(|one| (one.n, one.handoff, one.kind.as_str())).collect();
        assert_eq!(
            reasons,
            [(2, None, "project.halted"), (1, Some(handoff.id), "handoff.released")]
        );
        check(&case, "handoff released", &[]).await;
    });
}

/// There is no query language: quotes and punctuation only separate words.
pub fn search_treats_any_text_as_words<S: Store, G>(make: impl Fn() -> (S, G)) {
    on_a_fresh_store(make, async |mut case| {
        let goals =
            ["either or neither", "say \"quoted words\" near it's end", "50% of a_b (c) not-d"];
        submit_goals(&mut case, &goals).await;
        for (words, expected) in [
            ("either OR missing", &[][..]),
            ("neither OR either", &[0]),
            ("\"words quoted\"", &[1]),
            ("\"unbalanced", &[]),
            ("quo*", &[1]),
            ("*", &[]),
            ("*uoted", &[]),
            ("NEAR(quoted words)", &[1]),
            ("goal:either", &[]),
            ("goal : say", &[]),
            ("NOT d", &[2]),
            ("-either", &[0]),
            ("^either", &[0]),
            ("a_b", &[2]),
            ("50%", &[2]),
            ("it's", &[1]),
            ("'; DROP TABLE search; --", &[]),
            ("{goal say} : \"", &[]),
            ("a + b + c", &[2]),
            ("\u{0}either\u{0}", &[0]),
            ("\\", &[]),
            ("", &[]),
            ("   ", &[]),
            ("\"\"", &[]),
        ] {
            check(&case, words, expected).await;
        }
        check(&case, &"either ".repeat(200), &[0]).await;
        check(&case, &"e".repeat(10_000), &[]).await;
    });
}

/// Case is folded and accents are kept, so that every store returns the same results.
pub fn search_supports_letters_beyond_ascii<S: Store, G>(make: impl Fn() -> (S, G)) {
    on_a_fresh_store(make, async |mut case| {
        submit_goals(&mut case, &["Die Übergabe", "引き継ぎ を 書く", "ПЕРЕДАЧА дел", "Ubergabe"])
            .await;
        check(&case, "übergabe", &[0]).await;
        check(&case, "ÜBER", &[0]).await;
        check(&case, "uber", &[3]).await;
        check(&case, "引き", &[1]).await;
        check(&case, "передача", &[2]).await;
        check(&case, "\u{1f3bd}", &[]).await;
    });
}
