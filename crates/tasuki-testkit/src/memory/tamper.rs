//! Changes to stored data that no command makes.

use std::sync::Arc;

use tasuki_engine::model::{Handoff, Head, Record};
use tasuki_engine::ports::{LeafRow, Stored};
use tasuki_packet::id::ProjectId;

use super::store::MemoryStore;
use super::tables::Tables;

/// The tables of a project, open to changes that no command makes.
#[derive(Debug)]
pub struct TamperedTables<'t> {
    tables: &'t mut Tables,
}

impl MemoryStore {
    /// Changes stored data, as a person with access to the file could.
    ///
    /// # Panics
    ///
    /// Panics if the project does not exist.
    pub fn tamper(&self, project: ProjectId, change: impl FnOnce(&mut TamperedTables<'_>)) {
        let mut shared = self.lock();
        let tables = shared.tables(project).expect("the project exists");
        change(&mut TamperedTables { tables });
    }
}

impl TamperedTables<'_> {
    /// Returns the head.
    pub fn head(&mut self) -> &mut Head {
        &mut self.tables.head
    }

    /// Changes every handoff.
    pub fn handoffs(&mut self, change: impl FnMut(&mut Handoff)) {
        self.tables.change_handoffs(change);
    }

    /// Returns every document.
    pub fn documents(&mut self) -> impl Iterator<Item = &mut Stored> {
        self.tables.documents.iter_mut().map(Arc::make_mut)
    }

    /// Returns every leaf.
    pub fn leaves(&mut self) -> impl Iterator<Item = &mut LeafRow> {
        self.tables.leaves.iter_mut().map(Arc::make_mut)
    }

    /// Returns every entry of the directory.
    pub fn records(&mut self) -> impl Iterator<Item = &mut Record> {
        self.tables.records.iter_mut().map(Arc::make_mut)
    }
}
