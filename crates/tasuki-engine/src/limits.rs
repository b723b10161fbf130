//! Every bound and every default of the exchange, each with its reason.

use std::time::Duration as StdDuration;

use tasuki_packet::duration::Duration;

/// LIMIT: commands that one commit carries. More gains little and makes the first of them wait.
pub const BATCH_MAX: usize = 256;

/// LIMIT: commands that may wait in one project's queue. A full queue is a refusal with a hint.
pub const QUEUE_MAX: usize = 8_192;

/// A worker that nobody uses ends its thread after this long.
pub const WORKER_IDLE: StdDuration = StdDuration::from_mins(1);

/// LIMIT: how many due handoffs one batch settles beside its commands.
pub const DUE_PER_BATCH: usize = 256;

/// An exchange without a sign of life for this long was away.
pub const OUTAGE_MIN: jiff::SignedDuration = jiff::SignedDuration::from_secs(15);

/// LIMIT: halts, and absences, of a project that are told apart. Every due time is held against each.
pub const PAUSES_MAX: usize = 100;

/// LIMIT: offers looked at beyond those needed, because their receiver may have declined some.
pub const OFFERS_BEYOND: usize = 64;

/// LIMIT: rows on one page of any list.
pub const PAGE_MAX: u32 = 500;

/// LIMIT: bytes of packets and actions on one page of decisions, after which it ends; the last one may
/// go beyond.
pub const DECISIONS_BYTES_MAX: usize = 4 * 1024 * 1024;

/// LIMIT: what a list shows of a goal.
pub const TITLE_CHARACTERS_MAX: usize = 160;

/// LIMIT: a reason, a question, an answer that is text.
pub const REASON_CHARACTERS_MAX: usize = 4_000;

/// LIMIT: questions that one handoff may have open.
pub const QUESTIONS_MAX: usize = 32;

/// LIMIT: an idempotency or claim key.
pub const KEY_CHARACTERS_MAX: usize = 200;

/// How long an idempotency key is remembered, except for a submit.
pub const KEY_REMEMBERED: Duration = days(7);

/// The lease where a process renews it.
pub const LEASE_RENEWED: Duration = seconds(120);

/// The lease of a claim that asks for nothing else.
pub const LEASE_DEFAULT: Duration = seconds(30 * 60);

/// The lease of a person.
pub const LEASE_PERSON: Duration = seconds(8 * 60 * 60);

/// LIMIT: the shortest lease. One of no length would be over before its holder can show the token.
pub const LEASE_MIN: Duration = seconds(1);

/// LIMIT: the longest lease anybody may ask for.
pub const LEASE_MAX: Duration = days(30);

/// How long a token works that asks for nothing else.
pub const TOKEN_LIFE_DEFAULT: Duration = days(30);

/// LIMIT: the shortest life of a token. A shorter one would be over before it is in place.
pub const TOKEN_LIFE_MIN: Duration = seconds(60);

/// LIMIT: the longest life of a token. One that leaks should not work for long.
pub const TOKEN_LIFE_MAX: Duration = days(90);

/// LIMIT: tokens of one party that work at the same time.
pub const TOKENS_MAX: usize = 100;

/// LIMIT: networks that one token may be used from.
pub const NETWORKS_MAX: usize = 32;

/// LIMIT: subscriptions of a project. Every event is held against each.
pub const SUBSCRIPTIONS_MAX: usize = 200;

/// LIMIT: bytes of what a subscription's filter says.
pub const FILTER_BYTES_MAX: usize = 4_000;

/// How long the old secret of a webhook is used beside the new one.
pub const SECRET_OVERLAP: Duration = days(1);

/// LIMIT: attempts that are kept for each subscription.
pub const DELIVERIES_MAX: u32 = 10_000;

/// LIMIT: what is kept of a response.
pub const DELIVERY_RESPONSE_BYTES_MAX: usize = 256;

/// How long a person stays signed in.
pub const SESSION_LIFE: Duration = seconds(8 * 60 * 60);

/// A session that nobody has used for this long is over.
pub const SESSION_IDLE: Duration = seconds(15 * 60);

/// How many claims of one receiver may lapse.
pub const ATTEMPTS_DEFAULT: u32 = 3;

/// How many returns may fail.
pub const REWORKS_DEFAULT: u32 = 2;

/// How many handoffs a chain may have.
pub const HOPS_DEFAULT: u32 = 5;

/// LIMIT: steps of the clock that one handoff takes at once; a ladder has at most so many rungs.
pub const SETTLE_STEPS_MAX: usize = 64;

const fn seconds(count: u64) -> Duration {
    match Duration::from_milliseconds(count * 1_000) {
        Some(duration) => duration,
        None => Duration::MAX,
    }
}

const fn days(count: u64) -> Duration {
    seconds(count * 86_400)
}

/// LIMIT: how far up a chain packets are read to check what may be passed on.
pub(crate) const CHAIN_READ_MAX: usize = 64;
