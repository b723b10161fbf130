//! Every limit and default of the exchange, each with its reason.

use std::time::Duration as StdDuration;

use tasuki_packet::duration::Duration;

/// LIMIT: commands in one commit. More gains little and delays the first of them.
pub const BATCH_MAX: usize = 256;

/// LIMIT: commands waiting in one project's queue. A full queue refuses with a hint.
pub const QUEUE_MAX: usize = 8_192;

/// Time after which an idle worker stops its thread.
pub const WORKER_IDLE: StdDuration = StdDuration::from_mins(1);

/// LIMIT: due handoffs that one batch processes besides its commands.
pub const DUE_PER_BATCH: usize = 256;

/// Time without a heartbeat after which the exchange counts as having been down.
pub const OUTAGE_MIN: jiff::SignedDuration = jiff::SignedDuration::from_secs(15);

/// How far the clock of a process may be off before it is refused.
pub const CLOCK_TOLERANCE: jiff::SignedDuration = jiff::SignedDuration::from_mins(10);

/// Time after which a process records its reading of the clock again.
pub const CLOCK_RECORDED: jiff::SignedDuration = jiff::SignedDuration::from_mins(1);

/// LIMIT: halts, and outages, of a project that are kept apart. Every due time is adjusted by each.
pub const PAUSES_MAX: usize = 100;

/// LIMIT: offers loaded beyond those needed, because the receiver may have declined some.
pub const OFFERS_BEYOND: usize = 64;

/// LIMIT: rows on one page of any list.
pub const PAGE_MAX: u32 = 500;

/// LIMIT: rows that one request of a list looks at. A page may end there, with a cursor, although it
/// has fewer items than requested.
pub const ROWS_PER_READ: u32 = 10_000;

/// LIMIT: bytes of packets and actions on one page of decisions; the last decision may exceed it.
pub const DECISIONS_BYTES_MAX: usize = 4 * 1024 * 1024;

/// LIMIT: characters of a goal in lists.
pub const TITLE_CHARACTERS_MAX: usize = 160;

/// LIMIT: characters of a reason, a question or a text answer.
pub const REASON_CHARACTERS_MAX: usize = 4_000;

/// LIMIT: open questions of one handoff.
pub const QUESTIONS_MAX: usize = 32;

/// LIMIT: receivers of one write-only token. A role has any number of members.
pub const TOKEN_RECEIVERS_MAX: usize = 16;

/// LIMIT: characters of an idempotency key or claim key.
pub const KEY_CHARACTERS_MAX: usize = 200;

/// How long an idempotency key is kept; a key of a submit never expires.
pub const KEY_REMEMBERED: Duration = days(7);

/// The lease of a claim that a process renews.
pub const LEASE_RENEWED: Duration = seconds(120);

/// The default lease.
pub const LEASE_DEFAULT: Duration = seconds(30 * 60);

/// The default lease of a person.
pub const LEASE_PERSON: Duration = seconds(8 * 60 * 60);

/// LIMIT: the shortest lease. A zero lease would expire before its holder can use the fence.
pub const LEASE_MIN: Duration = seconds(1);

/// LIMIT: the longest lease.
pub const LEASE_MAX: Duration = days(30);

/// The default lifetime of a token.
pub const TOKEN_LIFE_DEFAULT: Duration = days(30);

/// LIMIT: the shortest lifetime of a token. A shorter one would expire before it is installed.
pub const TOKEN_LIFE_MIN: Duration = seconds(60);

/// LIMIT: the longest lifetime of a token, which bounds the damage of a leak.
pub const TOKEN_LIFE_MAX: Duration = days(90);

/// LIMIT: live tokens of one party.
pub const TOKENS_MAX: usize = 100;

/// LIMIT: networks of one token.
pub const NETWORKS_MAX: usize = 32;

/// LIMIT: subscriptions of a project. Every event is matched against each.
pub const SUBSCRIPTIONS_MAX: usize = 200;

/// LIMIT: bytes of a subscription's filter.
pub const FILTER_BYTES_MAX: usize = 4_000;

/// How long the previous secret of a webhook stays valid after a rotation.
pub const SECRET_OVERLAP: Duration = days(1);

/// LIMIT: delivery attempts kept for each subscription.
pub const DELIVERIES_MAX: u32 = 10_000;

/// LIMIT: bytes kept of a webhook response.
pub const DELIVERY_RESPONSE_BYTES_MAX: usize = 256;

/// LIMIT: snapshots of a work tree kept for each task.
pub const SNAPSHOTS_MAX: usize = 20;

/// How long the snapshots of a task are kept after its end.
pub const SNAPSHOTS_KEPT: Duration = days(14);

/// The lifetime of a session.
pub const SESSION_LIFE: Duration = days(30);

/// Time after which an unused session expires, unless the device is remembered.
pub const SESSION_IDLE: Duration = seconds(12 * 60 * 60);

/// LIMIT: the time for which a deputy stands in for a person.
pub const ABSENCE_MAX: Duration = days(90);

/// The default number of claims by one receiver that may expire.
pub const ATTEMPTS_DEFAULT: u32 = 3;

/// How long a task that a program began by itself lasts without a checkpoint.
pub const AUTOMATIC_TASK_LIFE: Duration = days(7);

/// The default number of returns that may fail.
pub const REWORKS_DEFAULT: u32 = 2;

/// The default time to judge a return before another party is asked.
pub const VERIFY_DEFAULT: Duration = days(1);

/// The default time after which a person is reminded.
pub const REMIND_AFTER_DEFAULT: Duration = days(1);

/// The shortest time after which a person is reminded.
pub const REMIND_AFTER_MIN: Duration = seconds(3_600);

/// The default number of handoffs in a chain.
pub const HOPS_DEFAULT: u32 = 5;

/// LIMIT: deadlines applied to one handoff in a row; a ladder has at most this many rungs.
pub const SETTLE_STEPS_MAX: usize = 64;

/// LIMIT: characters of a goal or action in a message to a person.
pub const QUOTED_CHARACTERS_MAX: usize = 200;

const fn seconds(count: u64) -> Duration {
    match Duration::from_milliseconds(count * 1_000) {
        Some(duration) => duration,
        None => Duration::MAX,
    }
}

const fn days(count: u64) -> Duration {
    seconds(count * 86_400)
}

/// LIMIT: ancestors whose packets are read to check what may be passed on.
pub(crate) const CHAIN_READ_MAX: usize = 64;

/// How long the heartbeat of a server that is gone is kept: a day.
pub const HEARTBEAT_KEPT_MICROSECONDS: i64 = 24 * 3_600 * 1_000_000;
