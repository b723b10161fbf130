//! Checks a bare store and lists its contents.
//!
//! Used by `bench/powercut` on every clone.

use std::path::Path;

use anyhow::ensure;

use super::store::Store;
use crate::work::{self, Step};

/// Returns the ledger line of an acknowledged step.
pub fn acknowledged(step: Step, number: u64) -> String {
    format!("{} {}", step.name(), work::id(number))
}

/// Checks the whole store: SQLite's integrity check, the numbers and hash chain of the leaves, and
/// the documents that the status of each handoff requires.
pub fn check(directory: &Path) -> anyhow::Result<()> {
    let store = Store::open_existing(directory)?;
    let connection = store.connection();
    let found: String = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0))?;
    ensure!(found == "ok", "integrity_check: {found}");
    check_leaves(&store)?;
    check_documents(&store)
}

/// Returns the ledger line of every step in the store.
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
        ensure!(n == next, "leaf {next} is missing, found {n}");
        ensure!(hash == work::leaf_hash(&bytes), "leaf {n} does not match its hash");
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
    ensure!(wrong == 0, "{wrong} handoffs lack their documents");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bare::Synchronous;
    use crate::scratch::Scratch;

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
    fn written_steps_are_listed() {
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
    fn a_step_of_an_unknown_handoff_is_refused() {
        let scratch = scratch();
        let mut store = written(scratch.path());
        assert!(store.claim(1).is_err(), "already claimed");
        assert!(store.claim(9).is_err());
    }

    #[test]
    fn damage_is_found() {
        for (damage, said) in [
            ("DELETE FROM leaf WHERE n = 2", "leaf 2 is missing, found 3"),
            ("UPDATE leaf SET bytes = x'00' WHERE n = 1", "leaf 1 does not match its hash"),
            ("DELETE FROM packet WHERE number = 0", "1 handoffs lack their documents"),
        ] {
            let scratch = scratch();
            written(scratch.path()).connection().execute_batch(damage).unwrap();
            assert_eq!(check(scratch.path()).unwrap_err().to_string(), said);
        }
    }
}
