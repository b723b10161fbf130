//! The log and the state as an auditor reads them: one row each, JSON as text, and columns that
//! repeat its members.

use tasuki_engine::model::{DocumentKind, StateWord};
use tasuki_packet::leaf::EventType;
use tasuki_testkit::samples;

use crate::fixture::{commit, with_project};

#[test]
fn leaves_documents_and_handoffs_are_rows_of_json_text() {
    let (store, mut log, folder) = with_project();
    let handoff = samples::handoff(StateWord::Offered);
    let mut written = log.submitted(handoff.clone());
    for (kind, id) in [(DocumentKind::Packet, "1"), (DocumentKind::Reason, "why")] {
        let document = samples::document(handoff.id, kind, id, &samples::packet("Ship it"));
        written.documents.push((0, document));
    }
    commit(&store, &log, written).unwrap();
    let written = log.changed(handoff, EventType::Declined);
    commit(&store, &log, written).unwrap();

    let raw = folder.raw();
    let count = |query: &str| raw.query_row(query, [], |row| row.get::<_, i64>(0)).unwrap();
    let leaves = "SELECT count(*) FROM leaf
                   WHERE body ->> '$.n' = n AND body ->> '$.type' = type
                     AND body ->> '$.subj.h' = handoff AND body ->> '$.subj.prev_n' IS previous_n
                     AND unixepoch(body ->> '$.t') = at / 1000000 AND json_valid(detail)";
    assert_eq!(count(leaves), 2);
    let documents = "SELECT count(*) FROM document
                      WHERE n = 0 AND place = CASE kind WHEN 'packet' THEN 0 ELSE 1 END
                        AND body ->> '$.goal' = 'Ship it' AND typeof(body) = 'text'
                        AND (kind = 'packet') = (typeof(source) = 'blob')";
    assert_eq!(count(documents), 2);
    let handoffs = "SELECT count(*) FROM handoff JOIN facts USING (seq)
                     WHERE progress ->> '$.state.is' = state AND body ->> '$.task' = task";
    assert_eq!(count(handoffs), 1);
}
