//! Entries of the directory.

use serde_json::{Value, json};
use tasuki_engine::model::{
    ContractRecord, GateRecord, Party, PartyKind, Pauses, Record, RulesRecord, Settings,
};
use tasuki_engine::ports::{Store, WriteSet};

use super::case::{Case, on_a_fresh_store};
use crate::samples::{self, at, party};

async fn write<S: Store>(case: &Case<S>, records: Vec<Record>) {
    case.commit([WriteSet { records, ..WriteSet::default() }]).await;
}

/// Returns the directory for readers and transactions, which must be the same.
async fn directory<S: Store>(case: &Case<S>) -> Vec<Record> {
    let read = case.store.directory(case.project()).await.expect("the directory is read");
    let mut transaction = case.store.open(case.project()).await.expect("it opens");
    assert_eq!(transaction.directory().await.as_ref(), Ok(&read));
    read
}

fn party_called(name: &str, kind: PartyKind) -> Party {
    Party::new(party(name), name, kind)
}

fn gate(name: &str, factor: &str) -> Record {
    Record::Gate(GateRecord { document: json!({ "gate": name, "factors": [factor] }) })
}

/// The later of two gates of one name wins, so the order matters.
pub fn records_are_replaced_by_key_and_the_newest_is_last<S: Store, G>(make: impl Fn() -> (S, G)) {
    on_a_fresh_store(make, async |case| {
        assert_eq!(directory(&case).await, []);
        let ana = Record::Party(party_called("ana", PartyKind::Agent));
        let (first, second) = (gate("release", "safety"), gate("release", "quality"));
        write(&case, vec![first.clone(), ana.clone()]).await;
        write(&case, vec![second.clone()]).await;
        assert_eq!(directory(&case).await, [first.clone(), ana, second.clone()]);

        let human = Record::Party(party_called("ana", PartyKind::Human));
        write(&case, vec![human.clone(), first.clone()]).await;
        assert_eq!(directory(&case).await, [second, human, first]);
    });
}

/// All members are kept in their order.
pub fn every_kind_of_record_is_returned_unchanged<S: Store, G>(make: impl Fn() -> (S, G)) {
    on_a_fresh_store(make, async |case| {
        let mut role = party_called("role:reviewer", PartyKind::Role);
        role.aliases = vec!["Reviewer “of” Übergaben".to_owned()];
        role.members = vec![party("ana"), party("ben")];
        role.skills = vec!["python".to_owned()];
        role.reads = vec!["a@1.2".to_owned()];
        role.authority = Some(Vec::new());
        role.sends_for = vec![party("sender")];
        role.channels.email = Some("ana@example.org".to_owned());
        let settings = Settings { redacts_secrets: true, hops: 9, ..Settings::default() };
        let document: Value = json!({ "contract": "a", "version": "1.2", "z": 1.5, "b": [null] });
        let records = vec![
            Record::Party(role),
            Record::Contract(ContractRecord {
                document,
                schemas: [("schemas/x.json".to_owned(), json!({ "type": "object" }))].into(),
            }),
            gate("release", "safety"),
            Record::Rules(RulesRecord { document: json!({ "rules": [{ "name": "words" }] }) }),
            Record::Settings(settings),
            Record::Token(samples::token("ana")),
            Record::Subscription(Box::new(samples::subscription("ana"))),
            Record::Pauses(Pauses::default().halted(at(1)).lifted(at(2)).halted(at(3))),
        ];
        write(&case, records.clone()).await;
        let text = |records: &[Record]| serde_json::to_string(records).expect("they are JSON");
        assert_eq!(text(&directory(&case).await), text(&records));
    });
}
