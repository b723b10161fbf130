//! The statistics of projects, continued with each request.
//!
//! All requests of a project share one set of totals, so that neither memory nor time grows with
//! their number.

use std::sync::{Arc, Mutex, PoisonError};

use tasuki_engine::query::stats::Totals;
use tasuki_packet::id::ProjectId;
use tokio::sync::Mutex as AsyncMutex;

/// LIMIT: projects whose totals are kept; the one that was not used for the longest time goes.
const PROJECTS_MAX: usize = 8;

type SharedTotals = Arc<AsyncMutex<Totals>>;

/// The totals of some projects, the last used one last.
#[derive(Debug, Default)]
pub(crate) struct StatsTotals(Mutex<Vec<(ProjectId, SharedTotals)>>);

impl StatsTotals {
    /// Returns the totals of a project.
    pub(crate) fn of(&self, project: ProjectId) -> SharedTotals {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = kept.iter().position(|(known, _)| *known == project);
        let entry = match known {
            Some(at) => kept.remove(at),
            None => (project, SharedTotals::default()),
        };
        let totals = Arc::clone(&entry.1);
        if kept.len() >= PROJECTS_MAX {
            kept.remove(0);
        }
        kept.push(entry);
        totals
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_share_totals_and_few_projects_are_kept() {
        let kept = StatsTotals::default();
        let of = |byte: u8| kept.of(ProjectId::from_bytes([byte; 16]));
        let first = of(0);
        assert!(Arc::ptr_eq(&first, &of(0)));
        for byte in 1..8 {
            of(byte);
        }
        assert!(Arc::ptr_eq(&first, &of(0)));
        for byte in 8..16 {
            of(byte);
        }
        assert!(!Arc::ptr_eq(&first, &of(0)));
    }
}
