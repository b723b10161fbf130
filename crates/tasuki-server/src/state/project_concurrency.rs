//! Limits how much of a shared resource one project may use at once, and one credential within its
//! project.

use tasuki_packet::id::ProjectId;
use tokio::sync::OwnedSemaphorePermit;

use crate::state::limits::RateKey;
use crate::state::permits::Permits;

/// A number of permits per project. One credential may hold half of them, so that no token can shut
/// out the others of its project.
#[derive(Debug)]
pub(crate) struct ProjectConcurrency {
    projects: Permits<ProjectId>,
    credentials: Permits<(ProjectId, RateKey)>,
}

/// A permit of a project and of a credential, released when dropped.
#[derive(Debug)]
pub(crate) struct Permit {
    _credential: OwnedSemaphorePermit,
    _project: OwnedSemaphorePermit,
}

impl ProjectConcurrency {
    /// Gives each project half of the permits, so that no project can shut out all others.
    pub(crate) fn half_of(permits: usize) -> Self {
        let permits = permits.div_ceil(2);
        let credentials = Permits::new(permits.div_ceil(2));
        Self { projects: Permits::new(permits), credentials }
    }

    /// Acquires a permit if one is free.
    pub(crate) fn try_acquire(&self, project: ProjectId, by: &RateKey) -> Option<Permit> {
        let credential = self.credentials.try_acquire(&(project, by.clone()))?;
        Some(Permit { _credential: credential, _project: self.projects.try_acquire(&project)? })
    }

    /// Waits for a permit. A credential waits for its own first, where it delays no other.
    pub(crate) async fn acquire(&self, project: ProjectId, by: &RateKey) -> Option<Permit> {
        let credential = self.credentials.acquire(&(project, by.clone()), 1).await?;
        Some(Permit {
            _credential: credential,
            _project: self.projects.acquire(&project, 1).await?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn person(name: &str) -> RateKey {
        RateKey::Person(name.to_owned())
    }

    #[test]
    fn one_project_gets_half_of_the_permits_and_one_credential_half_of_those() {
        let concurrency = ProjectConcurrency::half_of(8);
        let [one, other] = [1, 2].map(|byte| ProjectId::from_bytes([byte; 16]));
        let all = |project, name: &str| -> Vec<Permit> {
            std::iter::from_fn(|| concurrency.try_acquire(project, &person(name))).collect()
        };
        let of_ana = all(one, "ana");
        let mut of_ben = all(one, "ben");
        assert_eq!((of_ana.len(), of_ben.len()), (2, 2));
        assert!(concurrency.try_acquire(one, &person("cem")).is_none());
        assert!(concurrency.try_acquire(other, &person("ana")).is_some());
        of_ben.pop();
        assert!(concurrency.try_acquire(one, &person("ana")).is_none());
        assert!(concurrency.try_acquire(one, &person("cem")).is_some());
        assert!(ProjectConcurrency::half_of(1).try_acquire(one, &person("ana")).is_some());
    }

    #[tokio::test]
    async fn a_credential_that_waits_delays_no_other() {
        let concurrency = ProjectConcurrency::half_of(4);
        let project = ProjectId::from_bytes([1; 16]);
        let _first = concurrency.try_acquire(project, &person("ana")).unwrap();
        let ana = person("ana");
        let mut waiting = Box::pin(concurrency.acquire(project, &ana));
        let is_waiting = tokio::time::timeout(std::time::Duration::ZERO, &mut waiting).await;
        assert!(is_waiting.is_err());
        assert!(concurrency.acquire(project, &person("ben")).await.is_some());
    }
}
