//! Limits how much of a shared resource one project may use at once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tasuki_packet::id::ProjectId;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// A number of permits per project.
#[derive(Debug)]
pub(crate) struct ProjectConcurrency {
    permits: usize,
    projects: Mutex<HashMap<ProjectId, Arc<Semaphore>>>,
}

/// A permit of a project, released when dropped.
pub(crate) type Permit = OwnedSemaphorePermit;

impl ProjectConcurrency {
    /// Gives each project half of the permits, so that no project can shut out all others.
    pub(crate) fn half_of(permits: usize) -> Self {
        Self::new(permits.div_ceil(2))
    }

    /// Gives each project this many permits.
    pub(crate) fn new(permits: usize) -> Self {
        Self { permits, projects: Mutex::default() }
    }

    /// Acquires a permit if one is free.
    pub(crate) fn try_acquire(&self, project: ProjectId) -> Option<Permit> {
        self.project(project).try_acquire_owned().ok()
    }

    /// Waits for a permit, first come, first served.
    pub(crate) async fn acquire(&self, project: ProjectId) -> Option<Permit> {
        self.project(project).acquire_owned().await.ok()
    }

    fn project(&self, project: ProjectId) -> Arc<Semaphore> {
        let mut projects = self.projects.lock().unwrap_or_else(PoisonError::into_inner);
        let permits = projects.entry(project);
        Arc::clone(permits.or_insert_with(|| Arc::new(Semaphore::new(self.permits))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_project_gets_half_of_the_permits() {
        let concurrency = ProjectConcurrency::half_of(5);
        let [one, other] = [1, 2].map(|byte| ProjectId::from_bytes([byte; 16]));
        let mut taken: Vec<Permit> = std::iter::from_fn(|| concurrency.try_acquire(one)).collect();
        assert_eq!(taken.len(), 3);
        assert!(concurrency.try_acquire(other).is_some());
        taken.pop();
        assert!(concurrency.try_acquire(one).is_some());
        assert!(ProjectConcurrency::half_of(1).try_acquire(one).is_some());
    }
}
