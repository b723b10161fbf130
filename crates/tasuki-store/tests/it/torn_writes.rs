//! Writes that a power cut tears: a commit that was synced is there, and a torn one is dropped as a
//! whole, never served in part.
//!
//! Each image is a store as a disk may have it: the bytes that were synced, and of later writes a
//! part, zeros, what stood there before, or everything but one sector.

use std::path::{Path, PathBuf};

use tasuki_engine::model::{Handoff, StateWord};
use tasuki_engine::ports::{LeafRow, Order, Query, Store as _};
use tasuki_store::SqliteStore;
use tasuki_testkit::random::Random;
use tasuki_testkit::samples::{self, Log};

use crate::fixture::{Folder, commit, database_in, now, open};

/// The smallest unit that a disk writes as a whole.
const SECTOR: usize = 512;

const WAL_HEADER: usize = 32;

const FRAME_HEADER: usize = 24;

const FRAME: usize = FRAME_HEADER + 8192;

/// Everything that a store has of its project.
#[derive(Debug, Clone, PartialEq)]
struct Content {
    leaves: Vec<LeafRow>,
    handoffs: Vec<Handoff>,
}

fn content(store: &SqliteStore) -> Content {
    let project = samples::project("default");
    let query = Query { order: Order::Oldest, limit: u32::MAX, ..Query::default() };
    Content {
        leaves: now(store.leaves(project, 0, u32::MAX)).unwrap(),
        handoffs: now(store.handoffs(project, query)).unwrap(),
    }
}

/// The files of a project after a commit, and what the store had then.
struct Synced {
    database: Vec<u8>,
    wal: Vec<u8>,
    content: Content,
}

impl Synced {
    fn of(store: &SqliteStore, database: &Path) -> Self {
        Self {
            database: std::fs::read(database).unwrap(),
            wal: std::fs::read(wal_of(database)).unwrap(),
            content: content(store),
        }
    }

    /// Returns the length of the WAL up to the end of its last commit. Frames of an earlier use of
    /// the file may follow.
    fn end(&self) -> usize {
        let mut end = WAL_HEADER;
        for (number, frame) in self.wal[WAL_HEADER..].chunks_exact(FRAME).enumerate() {
            if frame[8..16] != self.wal[16..24] {
                break;
            }
            if frame[4..8] != [0; 4] {
                end = WAL_HEADER + (number + 1) * FRAME;
            }
        }
        end
    }
}

fn wal_of(database: &Path) -> PathBuf {
    database.with_extension("db-wal")
}

/// Commits some handoffs, and keeps the files after each. The WAL is used a second time, so that
/// old frames stand behind the new ones.
fn history() -> (Folder, Vec<Synced>) {
    let folder = Folder::in_memory();
    let store = open(folder.path());
    let mut log = Log::new(samples::project("default"));
    now(store.create(log.head.clone(), "default".to_owned())).unwrap();
    let mut submit = |number| {
        let written = log.submitted(samples::handoff_numbered(number, StateWord::Offered));
        commit(&store, &log, written).unwrap();
        Synced::of(&store, &folder.database())
    };
    let used = (1..=6).map(&mut submit).last().unwrap();
    folder.raw().query_row("PRAGMA wal_checkpoint(RESTART)", [], |_| Ok(())).unwrap();
    let history: Vec<Synced> = (7..=9).map(submit).collect();
    let last = history.last().unwrap();
    assert!(last.wal.len() == used.wal.len() && last.end() < used.end(), "old frames stay");
    // The store is closed after its files were read.
    drop(store);
    (folder, history)
}

/// A store directory whose project is replaced by images.
struct Disk {
    folder: Folder,
    database: PathBuf,
}

impl Disk {
    /// Copies what all projects share.
    fn new(original: &Folder) -> Self {
        let folder = Folder::in_memory();
        let database = database_in(folder.path(), samples::project("default"));
        std::fs::create_dir_all(database.parent().unwrap()).unwrap();
        let exchange = "exchange.db";
        std::fs::copy(original.path().join(exchange), folder.path().join(exchange)).unwrap();
        Self { folder, database }
    }

    /// Starts with these files after the power is back, and returns what the store has.
    fn start(&self, database: &[u8], wal: &[u8]) -> Content {
        for suffix in ["-shm", "-head"] {
            let path = self.database.with_extension(format!("db{suffix}"));
            if path.exists() {
                std::fs::remove_file(path).unwrap();
            }
        }
        std::fs::write(&self.database, database).unwrap();
        std::fs::write(wal_of(&self.database), wal).unwrap();
        content(&open(self.folder.path()))
    }
}

/// Returns the places at which a write is torn: each byte of the header of a frame, and sectors.
fn places(from: usize, to: usize) -> impl Iterator<Item = usize> {
    (from..to).filter(move |place| {
        let within = (place - WAL_HEADER) % FRAME;
        let is_near_the_end = *place + 8 > to;
        within <= FRAME_HEADER || is_near_the_end || within.is_multiple_of(4 * SECTOR)
    })
}

/// Returns the WAL of a commit that was torn at this place, in each way.
fn torn(before: &[u8], after: &[u8], place: usize) -> [Vec<u8>; 4] {
    let cut = after[..place].to_vec();
    let mut zeros = cut.clone();
    zeros.resize(after.len(), 0);
    let mut old = cut.clone();
    old.extend(&before[place.min(before.len())..]);
    // One sector is missing, and the following ones are there.
    let mut hole = after.to_vec();
    let sector = place..(place + SECTOR).min(after.len());
    let old_sector = before.get(sector.clone()).map_or(vec![0; sector.len()], <[u8]>::to_vec);
    hole[sector].copy_from_slice(&old_sector);
    [cut, zeros, old, hole]
}

#[test]
fn a_torn_commit_is_dropped_and_every_synced_one_stays() {
    let (folder, history) = history();
    let disk = Disk::new(&folder);
    let mut dropped = 0;
    for pair in history.windows(2) {
        let [before, after] = pair else { unreachable!("windows of two") };
        for place in places(before.end(), after.end()) {
            for (way, wal) in torn(&before.wal, &after.wal, place).iter().enumerate() {
                let is_whole = wal.get(..after.end()) == Some(&after.wal[..after.end()]);
                let expected = if is_whole { after } else { before };
                let found = disk.start(&after.database, wal);
                assert_eq!(found, expected.content, "torn at {place}, way {way}");
                dropped += usize::from(!is_whole);
            }
        }
    }
    assert!(dropped > 500, "only {dropped} images were torn");
}

#[test]
fn a_torn_checkpoint_loses_nothing_that_the_wal_has() {
    let (folder, history) = history();
    let last = history.last().unwrap();
    // Closing the store moved the WAL into the database.
    let moved = std::fs::read(folder.database()).unwrap();
    assert!(!wal_of(&folder.database()).exists() && moved != last.database);
    let disk = Disk::new(&folder);
    let mut random = Random::new(7);
    for _ in 0..60 {
        let length = last.database.len().max(random.index(moved.len() + 1));
        let mut torn = moved[..length.min(moved.len())].to_vec();
        let share = 1 + random.below(99);
        for (number, sector) in torn.chunks_mut(SECTOR).enumerate() {
            let at = number * SECTOR;
            let old = last.database.get(at..at + sector.len());
            if let Some(old) = old.filter(|_| random.chance(share)) {
                sector.copy_from_slice(old);
            }
        }
        assert_eq!(disk.start(&torn, &last.wal), last.content);
        let problems: String = rusqlite::Connection::open(&disk.database)
            .and_then(|raw| raw.query_row("PRAGMA integrity_check", [], |row| row.get(0)))
            .unwrap();
        assert_eq!(problems, "ok");
    }
}
