//! Accounts: people and their sessions, token usage, heartbeats.

use std::collections::HashMap;

use tasuki_engine::ports::{AccountStore, MailCodeRecord, SessionHash, SessionRecord, Store};
use tasuki_packet::id::{HandoffId, PartyId, ProjectId, TokenId};

use super::case::on_a_fresh_store;
use crate::samples::at;

/// Returns a session of one hour.
fn session(id: &str, person: &str, second: i64) -> SessionRecord {
    SessionRecord {
        id: SessionHash::of(id),
        person: person.to_owned(),
        created_at: at(second),
        last_seen: at(second),
        expires_at: at(second + 3_600),
        is_remembered: false,
    }
}

/// The last password wins.
pub fn a_person_has_one_password<S: Store + AccountStore, G>(make: impl Fn() -> (S, G)) {
    on_a_fresh_store(make, async |case| {
        let person = async |name: &str| case.store.person(name.to_owned()).await;
        assert_eq!(person("pia").await, Ok(None));
        assert_eq!(case.store.people().await, Ok(Vec::new()));
        for (name, hash) in [("pia", "$1"), ("quin", "$2 '\" ü"), ("pia", "$3")] {
            let set = case.store.set_person(name.to_owned(), hash.to_owned()).await;
            assert_eq!(set, Ok(()));
        }
        let names = ["pia", "quin"].map(str::to_owned).to_vec();
        assert_eq!(case.store.people().await, Ok(names));
        assert_eq!(person("pia").await, Ok(Some("$3".to_owned())));
        assert_eq!(person("quin").await, Ok(Some("$2 '\" ü".to_owned())));
    });
}

/// A session is returned unchanged, and its last use only moves forward.
pub fn a_session_is_kept_touched_and_ended<S: Store + AccountStore, G>(make: impl Fn() -> (S, G)) {
    on_a_fresh_store(make, async |case| {
        let (one, other) = (session("one", "pia", 0), session("other", "pia", 0));
        let other = SessionRecord { is_remembered: true, ..other };
        let found = async |id| case.store.session(id).await.expect("sessions are read");
        assert_eq!(found(one.id).await, None);
        for kept in [&one, &other] {
            assert_eq!(case.store.put_session(kept.clone()).await, Ok(()));
        }
        assert_eq!(found(one.id).await, Some(one.clone()));

        for (second, seen) in [(50, 50), (20, 50), (90, 90)] {
            assert_eq!(case.store.touch_session(one.id, at(second)).await, Ok(()));
            assert_eq!(found(one.id).await.map(|one| one.last_seen), Some(at(seen)));
        }
        assert_eq!(case.store.end_session(one.id).await, Ok(true));
        assert_eq!(case.store.end_session(one.id).await, Ok(false));
        assert_eq!(case.store.touch_session(one.id, at(99)).await, Ok(()));
        assert_eq!(found(one.id).await, None);
        assert_eq!(found(other.id).await, Some(other));
    });
}

/// A mailed code is returned unchanged, is deleted by one caller only, and does not outlive its time
/// by more than the next code.
pub fn a_mailed_code_is_taken_once_and_deleted_when_it_has_expired<S: Store + AccountStore, G>(
    make: impl Fn() -> (S, G),
) {
    on_a_fresh_store(make, async |case| {
        let code = |id: &str, second: i64| MailCodeRecord {
            id: SessionHash::of(id),
            project: ProjectId::from_bytes([1; 16]),
            handoff: HandoffId::from_bytes([2; 16]),
            person: PartyId::from_bytes([3; 16]),
            address: SessionHash::of("ana@example.org"),
            receiver: PartyId::from_bytes([4; 16]),
            revision: 7,
            digest: "sha256:00".to_owned(),
            created_at: at(second),
            expires_at: at(second + 3_600),
        };
        let (one, other, late) = (code("one", 0), code("other", 0), code("late", 3_600));
        for kept in [&one, &other] {
            assert_eq!(case.store.put_mail_code(kept.clone()).await, Ok(()));
        }
        assert_eq!(case.store.mail_code(one.id).await, Ok(Some(one.clone())));
        assert_eq!(case.store.take_mail_code(one.id).await, Ok(true));
        assert_eq!(case.store.take_mail_code(one.id).await, Ok(false));
        assert_eq!(case.store.mail_code(one.id).await, Ok(None));
        assert_eq!(case.store.mail_code(other.id).await, Ok(Some(other.clone())));
        assert_eq!(case.store.put_mail_code(late).await, Ok(()));
        assert_eq!(case.store.mail_code(other.id).await, Ok(None));
    });
}

/// The latest use of each token wins, in any order of writes.
pub fn the_last_use_of_a_token_is_kept<S: Store + AccountStore, G>(make: impl Fn() -> (S, G)) {
    on_a_fresh_store(make, async |case| {
        let [one, other] = [1, 2].map(|number| TokenId::new(number, [3; 10]));
        let note = async |uses: Vec<(TokenId, i64)>| {
            let uses = uses.into_iter().map(|(token, second)| (token, at(second))).collect();
            assert_eq!(case.store.note_token_uses(uses).await, Ok(()));
        };
        assert_eq!(case.store.token_uses().await, Ok(HashMap::new()));
        note(vec![]).await;
        note(vec![(one, 10), (other, 20)]).await;
        note(vec![(other, 15), (one, 30)]).await;
        let expected = HashMap::from([(one, at(30)), (other, at(20))]);
        assert_eq!(case.store.token_uses().await, Ok(expected));
    });
}

/// The latest heartbeat of all servers wins.
pub fn the_last_heartbeat_is_that_of_any_server<S: Store + AccountStore, G>(
    make: impl Fn() -> (S, G),
) {
    on_a_fresh_store(make, async |case| {
        assert_eq!(case.store.last_heartbeat().await, Ok(None));
        for (server, second, last) in [("a", 10, 10), ("b", 30, 30), ("a", 20, 30), ("a", 40, 40)] {
            assert_eq!(case.store.beat(server.to_owned(), at(second)).await, Ok(()));
            assert_eq!(case.store.last_heartbeat().await, Ok(Some(at(last))));
        }
    });
}

/// Expired sessions and sessions of an old password are deleted.
pub fn a_session_ends_with_its_time_and_with_the_password<S: Store + AccountStore, G>(
    make: impl Fn() -> (S, G),
) {
    on_a_fresh_store(make, async |case| {
        let put = async |kept: SessionRecord| {
            assert_eq!(case.store.put_session(kept).await, Ok(()));
        };
        let is_there = async |id: &str| {
            case.store.session(SessionHash::of(id)).await.expect("sessions are read").is_some()
        };
        put(session("old", "pia", 0)).await;
        put(session("young", "pia", 1)).await;
        put(session("other", "quin", 3_600)).await;
        assert!(!is_there("old").await && is_there("young").await && is_there("other").await);

        let set = case.store.set_person("pia".to_owned(), "$1".to_owned()).await;
        assert_eq!(set, Ok(()));
        assert!(!is_there("young").await && is_there("other").await);
    });
}
