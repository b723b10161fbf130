//! The limits of a server: request rates per token, project and address (generic cell rate
//! algorithm), concurrent requests, connections, and bodies in arrival. Each project has a share of
//! the concurrent requests and waiting connections, and each credential a share of its project's.
//! Callers without a credential have permits of their own.
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
use crate::state::arrivals::Arrivals;
use crate::state::permits::Permits;
use crate::state::project_concurrency::{Permit, ProjectConcurrency};

/// LIMIT: keys that are kept before those with a full allowance are dropped.
const KEYS_MAX: usize = 16_384;

/// LIMIT: the time that one read can make the next ones wait.
const DEBT_MAX: Duration = Duration::from_mins(1);

#[derive(Debug)]
pub(crate) struct Limits {
    credentials: Rate<RateKey>,
    projects: Rate<ProjectId>,
    anonymous: Rate<ClientKey>,
    sign_ins: Rate<ClientKey>,
    names: Rate<String>,
    signatures: Rate<String>,
    rows_by_credential: Rate<RateKey>,
    rows_by_project: Rate<ProjectId>,
    passwords: Arc<Semaphore>,
    requests: Semaphore,
    anonymous_requests: Semaphore,
    connections: Permits<ClientKey>,
    pub(crate) arrivals: Arrivals,
    per_project: ProjectConcurrency,
    in_batches: ProjectConcurrency,
    waiting: ProjectConcurrency,
    long: Permits<ProjectId>,
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

/// LIMIT: concurrent reads of the whole log of one project.
const LONG_READS_MAX: usize = 1;

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
            rows_by_credential: Rate::new(settings.rows_per_token, second),
            rows_by_project: Rate::new(settings.rows_per_project, second),
            passwords: Arc::new(Semaphore::new(PASSWORD_CHECKS_MAX)),
            requests: Semaphore::new(settings.requests_at_once),
            anonymous_requests: Semaphore::new(settings.anonymous_at_once),
            connections: Permits::new(settings.connections_per_address),
            arrivals: Arrivals::new(settings.body_bytes),
            per_project: ProjectConcurrency::half_of(settings.requests_at_once),
            in_batches: ProjectConcurrency::half_of(settings.requests_at_once),
            waiting: ProjectConcurrency::half_of(settings.connections),
            long: Permits::new(LONG_READS_MAX),
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

    /// Acquires a permit for a request of an authenticated caller.
    pub(crate) fn acquire(&self) -> Result<SemaphorePermit<'_>, Problem> {
        let busy = || busy("too many concurrent requests on this server");
        self.requests.try_acquire().ok().ok_or_else(busy)
    }

    /// Acquires a permit for a request without a valid credential.
    pub(crate) fn acquire_anonymous(&self) -> Result<SemaphorePermit<'_>, Problem> {
        let busy = || busy("too many concurrent requests without a credential on this server");
        self.anonymous_requests.try_acquire().ok().ok_or_else(busy)
    }

    /// Acquires a permit for a connection of an address, or for a request that a proxy forwards.
    pub(crate) fn acquire_connection(&self, client: ClientKey) -> Option<OwnedSemaphorePermit> {
        self.connections.try_acquire(&client)
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
        let busy = || busy("too many concurrent password checks on this server");
        permit.ok().and_then(Result::ok).ok_or_else(busy)
    }
}

impl Limits {
    /// Acquires a permit for a request of a project, or for one that may wait.
    pub(crate) fn acquire_in_project(
        &self,
        project: ProjectId,
        credential: &RateKey,
        may_wait: bool,
    ) -> Result<Permit, Problem> {
        let concurrency = if may_wait { &self.waiting } else { &self.per_project };
        let busy = || busy("too many concurrent requests with this token or for this project");
        concurrency.try_acquire(project, credential).ok_or_else(busy)
    }

    /// Waits for a permit for a request of a batch, so that an admitted batch never refuses one of
    /// its requests. These permits are separate from those of single requests; otherwise batches
    /// would wait for one another.
    pub(crate) async fn acquire_in_batch(
        &self,
        project: ProjectId,
        credential: &RateKey,
    ) -> Option<Permit> {
        self.in_batches.acquire(project, credential).await
    }

    /// Refuses a read if the rows of earlier ones exceed the rate.
    pub(crate) fn check_rows(
        &self,
        credential: &RateKey,
        project: ProjectId,
    ) -> Result<(), Problem> {
        match self.rows_wait(credential, project) {
            Some(wait) => Err(exceeded("rows were read with this token or in this project", wait)),
            None => Ok(()),
        }
    }

    /// Returns how long a read has to wait because of the rows of earlier ones.
    pub(crate) fn rows_wait(&self, credential: &RateKey, project: ProjectId) -> Option<Duration> {
        let now = Instant::now();
        let of_credential = self.rows_by_credential.debt(credential, now);
        of_credential.max(self.rows_by_project.debt(&project, now))
    }

    /// Charges the rows that a read looked at.
    pub(crate) fn charge_rows(&self, credential: &RateKey, project: ProjectId, rows: u64) {
        let now = Instant::now();
        self.rows_by_credential.charge(credential, rows, now);
        self.rows_by_project.charge(&project, rows, now);
    }

    /// Waits for a permit for a long read of a project.
    pub(crate) async fn acquire_long_read(
        &self,
        project: ProjectId,
    ) -> Option<OwnedSemaphorePermit> {
        self.long.acquire(&project, 1).await
    }
}

/// Reports that all permits are taken.
pub(crate) fn busy(detail: &str) -> Problem {
    Problem::with_code(HttpErrorCode::ServerBusy, detail).hint("try again in a moment")
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

impl<K: Hash + Eq + Clone> Rate<K> {
    /// Takes many after the fact, also beyond the allowance.
    fn charge(&self, key: &K, count: u64, now: Instant) {
        let Some(interval) = self.interval else { return };
        let cost = interval.saturating_mul(u32::try_from(count).unwrap_or(u32::MAX));
        let mut all = self.full_at.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= KEYS_MAX {
            all.retain(|_, full_at| *full_at > now);
        }
        let full_at = all.entry(key.clone()).or_insert(now);
        *full_at = (*full_at).max(now) + cost.min(DEBT_MAX);
    }

    /// Returns how long it takes until the allowance is no longer exceeded.
    fn debt(&self, key: &K, now: Instant) -> Option<Duration> {
        self.interval?;
        let all = self.full_at.lock().unwrap_or_else(PoisonError::into_inner);
        let ahead = all.get(key)?.duration_since(now);
        ahead.checked_sub(self.burst).filter(|debt| !debt.is_zero())
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
    fn a_debt_is_paid_off_with_time() {
        let rate = Rate::new(1_000, Duration::from_secs(1));
        let now = Instant::now();
        rate.charge(&"a", 1_000, now);
        assert_eq!(rate.debt(&"a", now), None, "a burst is free");
        rate.charge(&"a", 500, now);
        assert_eq!(rate.debt(&"a", now), Some(Duration::from_millis(500)));
        assert_eq!(rate.debt(&"a", now + Duration::from_millis(500)), None);
        assert_eq!(rate.debt(&"b", now), None);
        rate.charge(&"b", u64::MAX, now);
        assert!(rate.debt(&"b", now) < Some(DEBT_MAX));
        let free = Rate::new(0, Duration::from_secs(1));
        free.charge(&"a", u64::MAX, now);
        assert_eq!(free.debt(&"a", now), None);
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
