//! The limits of a server: request rates per token, project and address (generic cell rate
//! algorithm), and concurrent requests. Each project has a share of the concurrent requests,
//! waiting connections and long reads.
//!
//! A cell holds the time at which the allowance of its key is full again. A burst may use one
//! second's worth at once. A refusal states when to retry.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tasuki_api::problem::HttpErrorCode;
use tasuki_packet::id::{ProjectId, TokenId};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, SemaphorePermit};
use tokio::time::timeout;

use crate::middleware::client_address::ClientKey;
use crate::respond::problem::Problem;
use crate::settings::Limits as Settings;
use crate::state::project_concurrency::{Permit, ProjectConcurrency};

/// LIMIT: keys that are kept before those with a full allowance are dropped.
const KEYS_MAX: usize = 16_384;

#[derive(Debug)]
pub(crate) struct Limits {
    credentials: Rate<RateKey>,
    projects: Rate<ProjectId>,
    anonymous: Rate<ClientKey>,
    sign_ins: Rate<ClientKey>,
    names: Rate<String>,
    signatures: Rate<String>,
    passwords: Arc<Semaphore>,
    requests: Semaphore,
    per_project: ProjectConcurrency,
    in_batches: ProjectConcurrency,
    waiting: ProjectConcurrency,
    long: ProjectConcurrency,
}

/// The key by which a credential is counted.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum RateKey {
    Token(Option<TokenId>),
    Person(String),
}

/// LIMIT: wrong passwords for one name, as a multiple of the limit per address. Names are public: a
/// tighter limit would let a few attackers lock a person out.
const ADDRESSES_PER_NAME: u32 = 100;

/// LIMIT: concurrent password checks. Each takes 19 MiB and a core for some time.
const PASSWORD_CHECKS_MAX: usize = 4;

/// LIMIT: how long a password waits for its check.
const PASSWORD_WAIT: Duration = Duration::from_secs(2);

/// LIMIT: concurrent long reads of one project. Each blocks a thread, of which a process has some
/// hundred.
const LONG_READS_MAX: usize = 16;

impl Limits {
    pub(crate) fn new(settings: Settings) -> Self {
        let (second, minute) = (Duration::from_secs(1), Duration::from_mins(1));
        Self {
            credentials: Rate::new(settings.requests_per_token, second),
            projects: Rate::new(settings.requests_per_project, second),
            anonymous: Rate::new(settings.requests_per_address, second),
            sign_ins: Rate::new(settings.sign_ins_per_minute, minute),
            names: Rate::new(
                settings.sign_ins_per_minute.saturating_mul(ADDRESSES_PER_NAME),
                minute,
            ),
            signatures: Rate::new(settings.sign_ins_per_minute, minute),
            passwords: Arc::new(Semaphore::new(PASSWORD_CHECKS_MAX)),
            requests: Semaphore::new(settings.requests_at_once),
            per_project: ProjectConcurrency::half_of(settings.requests_at_once),
            in_batches: ProjectConcurrency::half_of(settings.requests_at_once),
            waiting: ProjectConcurrency::half_of(settings.connections),
            long: ProjectConcurrency::new(LONG_READS_MAX),
        }
    }

    pub(crate) fn take(&self, credential: &RateKey, project: ProjectId) -> Result<(), Problem> {
        let now = Instant::now();
        let what = "requests with this token";
        self.credentials.take(credential, now).map_err(|wait| exceeded(what, wait))?;
        let what = "requests in this project";
        self.projects.take(&project, now).map_err(|wait| exceeded(what, wait))
    }

    /// Counts one request without a valid credential.
    pub(crate) fn take_anonymous(&self, client: ClientKey) -> Result<(), Problem> {
        let what = "requests without a valid credential from this address";
        self.anonymous.take(&client, Instant::now()).map_err(|wait| exceeded(what, wait))
    }

    /// Returns `true` if a request without a valid credential would be admitted.
    pub(crate) fn has_room_for_anonymous(&self, client: ClientKey) -> bool {
        self.anonymous.has_room(&client, Instant::now())
    }

    /// Acquires a permit for a request.
    pub(crate) fn acquire(&self) -> Result<SemaphorePermit<'_>, Problem> {
        self.requests.try_acquire().ok().ok_or_else(|| {
            let detail = "too many concurrent requests on this server";
            Problem::with_code(HttpErrorCode::ServerBusy, detail).hint("try again in a moment")
        })
    }
}

impl Limits {
    /// Counts one sign-in attempt from an address.
    pub(crate) fn take_sign_in_from(&self, client: ClientKey) -> Result<(), Problem> {
        self.sign_ins
            .take(&client, Instant::now())
            .map_err(|wait| exceeded("sign-in attempts", wait))
    }

    /// Counts one sign-in attempt under a name.
    pub(crate) fn take_sign_in_as(&self, name: &str) -> Result<(), Problem> {
        let taken = self.names.take(&name.to_owned(), Instant::now());
        taken.map_err(|wait| exceeded("sign-in attempts", wait))
    }

    /// Refunds a successful sign-in.
    pub(crate) fn refund_sign_in(&self, client: ClientKey, name: &str) {
        self.sign_ins.refund(&client);
        self.names.refund(&name.to_owned());
    }

    /// Counts one password that a signed-in person enters for a signature. Only that person can use
    /// up the allowance.
    pub(crate) fn take_signature(&self, person: &str) -> Result<(), Problem> {
        let taken = self.signatures.take(&person.to_owned(), Instant::now());
        taken.map_err(|wait| exceeded("signatures with a wrong password", wait))
    }

    /// Refunds a signature with the correct password.
    pub(crate) fn refund_signature(&self, person: &str) {
        self.signatures.refund(&person.to_owned());
    }

    /// Acquires a permit for a password check.
    pub(crate) async fn acquire_password_check(&self) -> Result<OwnedSemaphorePermit, Problem> {
        self.acquire_password_check_within(PASSWORD_WAIT).await
    }

    async fn acquire_password_check_within(
        &self,
        wait: Duration,
    ) -> Result<OwnedSemaphorePermit, Problem> {
        let permit = timeout(wait, self.passwords.clone().acquire_owned()).await;
        permit.ok().and_then(Result::ok).ok_or_else(|| {
            let detail = "too many concurrent password checks on this server";
            Problem::with_code(HttpErrorCode::ServerBusy, detail).hint("try again in a moment")
        })
    }
}

impl Limits {
    /// Acquires a permit for a request of a project, or for one that may wait.
    pub(crate) fn acquire_in_project(
        &self,
        project: ProjectId,
        may_wait: bool,
    ) -> Result<Permit, Problem> {
        let concurrency = if may_wait { &self.waiting } else { &self.per_project };
        concurrency.try_acquire(project).ok_or_else(|| {
            let detail = "too many concurrent requests for this project";
            Problem::with_code(HttpErrorCode::ServerBusy, detail).hint("try again in a moment")
        })
    }

    /// Waits for a permit for a request of a batch, so that an admitted batch never refuses one of
    /// its requests. These permits are separate from those of single requests; otherwise batches
    /// would wait for one another.
    pub(crate) async fn acquire_in_batch(&self, project: ProjectId) -> Option<Permit> {
        self.in_batches.acquire(project).await
    }

    /// Waits for a permit for a long read of a project.
    pub(crate) async fn acquire_long_read(&self, project: ProjectId) -> Option<Permit> {
        self.long.acquire(project).await
    }
}

fn exceeded(what: &str, wait: Duration) -> Problem {
    // The header has whole seconds.
    let seconds = wait.as_secs() + 1;
    Problem::with_code(HttpErrorCode::RateExceeded, format!("too many {what}"))
        .hint(format!("try again in {seconds} s"))
        .retry_after(seconds)
}

#[derive(Debug)]
struct Rate<K> {
    /// The interval between two; `None` is unlimited.
    interval: Option<Duration>,
    /// The size of a burst, as time.
    burst: Duration,
    full_at: Mutex<HashMap<K, Instant>>,
}

impl<K: Hash + Eq + Clone> Rate<K> {
    fn new(count: u32, time: Duration) -> Self {
        let interval = (count > 0).then(|| time / count);
        Self { interval, burst: time, full_at: Mutex::default() }
    }

    /// Returns `true` if one could be taken.
    fn has_room(&self, key: &K, now: Instant) -> bool {
        let Some(interval) = self.interval else { return true };
        let all = self.full_at.lock().unwrap_or_else(PoisonError::into_inner);
        all.get(key).is_none_or(|full_at| full_at.duration_since(now) + interval <= self.burst)
    }

    /// Takes one, or returns how long to wait.
    fn take(&self, key: &K, now: Instant) -> Result<(), Duration> {
        let Some(interval) = self.interval else { return Ok(()) };
        let mut all = self.full_at.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= KEYS_MAX {
            all.retain(|_, full_at| *full_at > now);
        }
        let known = all.get_mut(key);
        let full_at = known.as_deref().copied().unwrap_or(now).max(now) + interval;
        let ahead = full_at.duration_since(now);
        if ahead > self.burst {
            return Err(ahead.saturating_sub(self.burst));
        }
        match known {
            Some(known) => *known = full_at,
            None => drop(all.insert(key.clone(), full_at)),
        }
        Ok(())
    }
}

impl<K: Hash + Eq> Rate<K> {
    /// Refunds one that was taken.
    fn refund(&self, key: &K) {
        let Some(interval) = self.interval else { return };
        let mut all = self.full_at.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(full_at) = all.get_mut(key) {
            *full_at = full_at.checked_sub(interval).unwrap_or(*full_at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refund_restores_the_allowance() {
        let rate = Rate::new(2, Duration::from_secs(1));
        let now = Instant::now();
        for _ in 0..100 {
            assert!(rate.take(&"a", now).is_ok());
            rate.refund(&"a");
        }
        rate.refund(&"b");
        assert!(rate.take(&"a", now).is_ok() && rate.take(&"a", now).is_ok());
        assert!(rate.take(&"a", now).is_err());
    }

    #[tokio::test]
    async fn excess_password_checks_wait_for_a_limited_time() {
        let limits = Limits::new(Settings::default());
        let mut permits = Vec::new();
        for _ in 0..PASSWORD_CHECKS_MAX {
            permits.push(limits.acquire_password_check().await.unwrap());
        }
        let refused = limits.acquire_password_check_within(Duration::ZERO).await.unwrap_err();
        assert_eq!((refused.status(), refused.code()), (503, "TK-SERVER-BUSY"));
        drop(permits.pop());
        assert!(limits.acquire_password_check().await.is_ok());
    }

    #[test]
    fn a_burst_is_taken_then_a_steady_rate() {
        let rate = Rate::new(10, Duration::from_secs(1));
        let start = Instant::now();
        let taken = |at: Instant| (0..100).take_while(|_| rate.take(&"a", at).is_ok()).count();
        assert_eq!(taken(start), 10);
        assert!(!rate.has_room(&"a", start) && rate.has_room(&"b", start));
        let wait = rate.take(&"a", start).unwrap_err();
        assert!(rate.has_room(&"a", start + wait));
        assert_eq!(wait, Duration::from_millis(100));
        assert_eq!(taken(start + wait), 1);
        assert_eq!(taken(start + Duration::from_mins(1)), 10, "an allowance does not grow");
    }

    #[test]
    fn one_key_takes_nothing_from_another_and_zero_is_no_limit() {
        let rate = Rate::new(1, Duration::from_secs(1));
        let now = Instant::now();
        assert!(rate.take(&"a", now).is_ok() && rate.take(&"a", now).is_err());
        assert!(rate.take(&"b", now).is_ok());
        let free = Rate::new(0, Duration::from_secs(1));
        assert!((0..1_000).all(|_| free.take(&"a", now).is_ok()));
    }
}
