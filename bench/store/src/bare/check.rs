//! What a reader can say about a store that it did not write: is it whole, and what is in it.
//!
//! For the power cut: `bench/powercut` asks this of every clone.

use std::path::Path;

use anyhow::ensure;

use crate::work::{self, Step};
use super::store::Store;

/// The line that an acknowledged step has in a ledger.
pub fn acknowledged(step: Step, number: u64) -> String {
    format!("{} {}", step.name(), work::id(number))
}

/// Checks the whole store.
///
/// Whole means: SQLite finds nothing wrong, the leaves count up, each holds the hash of the one
/// before, and every handoff has the documents that its status says it must have.
pub fn check(directory: &Path) -> anyhow::Result<()> {
    let store = Store::open_existing(directory)?;
    let connection = store.connection();
    let found: String = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0))?;
    ensure!(found == "ok", "integrity_check: {found}");
    check_leaves(&store)?;
    check_documents(&store)
}

/// The line of every step that is in the store.
pub fn list(directory: &Path) -> anyhow::Result<Vec<String>> {
    let store = Store::open_existing(directory)?;
    let mut statement = store.connection().prepare("SELECT number, status FROM handoff")?;
    let mut rows = statement.query([])?;
    let mut lines = Vec::new();
    while let Some(row) = rows.next()? {
        let (number, status): (u64, String) = (row.get(0)?, row.get(1)?);
        let done = ["offered", "claimed", "returned"].iter().position(|&word| word == status);
        let done = done.map_or(0, |position| position + 1);
        lines.extend(Step::ALL[..done].iter().map(|&step| acknowledged(step, number)));
    }
    Ok(lines)
}

fn check_leaves(store: &Store) -> anyhow::Result<()> {
    let mut statement = store.connection().prepare("SELECT n, bytes, hash FROM leaf ORDER BY n")?;
    let mut rows = statement.query([])?;
    let (mut next, mut previous) = (0_u64, [0; 32]);
    while let Some(row) = rows.next()? {
        let (n, bytes, hash): (u64, Vec<u8>, [u8; 32]) = (row.get(0)?, row.get(1)?, row.get(2)?);
        ensure!(n == next, "leaf {next} is missing, {n} is there");
        ensure!(hash == work::leaf_hash(&bytes), "leaf {n} is not what was hashed");
        let link = format!("\"prev\":\"{}\"", work::hex(&previous));
        ensure!(String::from_utf8_lossy(&bytes).contains(&link), "leaf {n} breaks the chain");
        (next, previous) = (n + 1, hash);
    }
    Ok(())
}

fn check_documents(store: &Store) -> anyhow::Result<()> {
    let wrong: u64 = store.connection().query_row(
        "SELECT count(*) FROM handoff \
         LEFT JOIN packet ON packet.number = handoff.number \
         LEFT JOIN return_packet ON return_packet.number = handoff.number \
         WHERE packet.number IS NULL OR (status = 'returned') <> (return_packet.number IS NOT NULL)",
        [],
        |row| row.get(0),
    )?;
    ensure!(wrong == 0, "{wrong} handoffs are without their documents");
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::bare::Synchronous;
    use crate::scratch::Scratch;
    use super::*;

    fn scratch() -> Scratch {
        let executable = std::env::current_exe().unwrap();
        Scratch::new(executable.parent().unwrap()).unwrap()
    }

    fn written(directory: &Path) -> Store {
        let mut store = Store::open(directory, Synchronous::Full).unwrap();
        store.begin().unwrap();
        for number in 0..3 {
            store.submit(number, &work::packet(number), &[7; 32]).unwrap();
        }
        store.claim(1).unwrap();
        store.claim(2).unwrap();
        store.return_packet(2, &work::return_packet(2), &[8; 32]).unwrap();
        store.commit().unwrap();
        store
    }

    #[test]
    fn what_was_written_is_found_again() {
        let scratch = scratch();
        drop(written(scratch.path()));
        check(scratch.path()).unwrap();
        let lines = list(scratch.path()).unwrap();
        assert_eq!(lines.len(), 6);
        assert!(lines.contains(&acknowledged(Step::Return, 2)));
        assert!(!lines.contains(&acknowledged(Step::Claim, 0)));
        let again = Store::open(scratch.path(), Synchronous::Full).unwrap();
        assert_eq!(again.next_n(), 6);
    }

    #[test]
    fn a_step_of_a_handoff_that_is_not_there_is_refused() {
        let scratch = scratch();
        let mut store = written(scratch.path());
        assert!(store.claim(1).is_err(), "it is claimed already");
        assert!(store.claim(9).is_err());
    }

    #[test]
    fn damage_is_found() {
        for (damage, said) in [
            ("DELETE FROM leaf WHERE n = 2", "leaf 2 is missing, 3 is there"),
            ("UPDATE leaf SET bytes = x'00' WHERE n = 1", "leaf 1 is not what was hashed"),
            ("DELETE FROM packet WHERE number = 0", "1 handoffs are without their documents"),
        ] {
            let scratch = scratch();
            written(scratch.path()).connection().execute_batch(damage).unwrap();
            assert_eq!(check(scratch.path()).unwrap_err().to_string(), said);
        }
    }
}
