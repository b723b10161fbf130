//! Changes to what is stored that no command would make.

use std::sync::Arc;

use tasuki_engine::model::{Handoff, Head, Record};
use tasuki_engine::ports::{LeafRow, Stored};
use tasuki_packet::id::ProjectId;

use super::store::MemoryStore;
use super::tables::Tables;

/// The tables of a project, to be changed as no command would change them.
#[derive(Debug)]
pub struct TamperedTables<'t> {
    tables: &'t mut Tables,
}

impl MemoryStore {
    /// Changes what is stored, as a person with access to the file could.
    ///
    /// # Panics
    ///
    /// If there is no such project.
    pub fn tamper(&self, project: ProjectId, change: impl FnOnce(&mut TamperedTables<'_>)) {
        let mut shared = self.lock();
        let tables = shared.tables(project).expect("the project is there");
        change(&mut TamperedTables { tables });
    }
}

impl TamperedTables<'_> {
    /// The head.
    pub fn head(&mut self) -> &mut Head {
        &mut self.tables.head
    }

    /// Every handoff.
    pub fn handoffs(&mut self, change: impl FnMut(&mut Handoff)) {
        self.tables.change_handoffs(change);
    }

    /// Every document.
    pub fn documents(&mut self) -> impl Iterator<Item = &mut Stored> {
        self.tables.documents.iter_mut().map(Arc::make_mut)
    }

    /// Every leaf.
    pub fn leaves(&mut self) -> impl Iterator<Item = &mut LeafRow> {
        self.tables.leaves.iter_mut().map(Arc::make_mut)
    }

    /// Every entry of the directory.
    pub fn records(&mut self) -> impl Iterator<Item = &mut Record> {
        self.tables.records.iter_mut().map(Arc::make_mut)
    }
}
