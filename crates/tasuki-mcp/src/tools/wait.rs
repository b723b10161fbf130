//! `handoff_wait`: waits for a change, for less time than hosts give a tool.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tasuki_api::{Handoff, Inbox};
use tokio::time::{Instant, sleep};

use crate::exchange::{ApiRequest, Refusal};
use crate::output::next;
use crate::session::Session;
use crate::tool::{Effect, Tool};

/// LIMIT: seconds of one call. The shortest timeout of a host is 60 seconds.
const SECONDS_MAX: u64 = 45;

const SECONDS_DEFAULT: u64 = 30;

/// The time between two looks.
const PAUSE: Duration = Duration::from_millis(500);

pub(crate) struct Wait;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Task or id; default: until your inbox has something to do.
    handoff: Option<String>,
    /// Default: any change.
    until: Option<Until>,
    /// At most 45; default 30.
    seconds: Option<u64>,
}

/// The condition that ends a wait for a handoff.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Until {
    Decided,
    Claimed,
    Returned,
    Done,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    /// `true` if the wait ended before its time.
    happened: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    handoff: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    task: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<String>,
    next: String,
}

impl Tool for Wait {
    const NAME: &'static str = "handoff_wait";
    const DESCRIPTION: &'static str = "Wait up to 45 seconds for a handoff, or for work in your inbox. Call it again while happened is false.";
    const EFFECT: Effect = Effect::Read;
    type Input = Input;
    type Output = Output;

    async fn run(session: &Session, input: Input) -> Result<Output, Refusal> {
        let seconds = input.seconds.unwrap_or(SECONDS_DEFAULT).min(SECONDS_MAX);
        let end = Instant::now() + Duration::from_secs(seconds);
        match &input.handoff {
            Some(handoff) => for_handoff(session, handoff, input.until, end).await,
            None => for_inbox(session, end).await,
        }
    }
}

async fn for_handoff(
    session: &Session,
    handoff: &str,
    until: Option<Until>,
    end: Instant,
) -> Result<Output, Refusal> {
    let first = session.card(handoff).await?;
    let id = first.id.clone();
    let mut now = first.clone();
    loop {
        let happened = match until {
            Some(until) => until.is_met(&now),
            None => is_changed(&first, &now),
        };
        if happened || Instant::now() >= end {
            let again = "handoff_wait again, or go on with other work".to_owned();
            return Ok(Output {
                happened,
                next: if happened { next(&now) } else { again },
                handoff: Some(now.id),
                task: Some(now.task),
                state: Some(now.state),
            });
        }
        sleep(PAUSE).await;
        now = session.card(&id).await?;
    }
}

async fn for_inbox(session: &Session, end: Instant) -> Result<Output, Refusal> {
    loop {
        let inbox: Inbox = session.send(ApiRequest::get("/v1/inbox", &[])).await?;
        let is_news = |one: &&Handoff| {
            let is_parked = one.not_before.is_some_and(|instant| instant > inbox.as_of);
            one.holder.as_ref() != Some(&inbox.party) && !is_parked
        };
        let found = inbox.handoffs.iter().find(is_news);
        if found.is_some() || Instant::now() >= end {
            let next = if found.is_some() { "handoff_inbox" } else { "handoff_wait again" };
            return Ok(Output {
                happened: found.is_some(),
                handoff: found.map(|one| one.id.clone()),
                task: found.map(|one| one.task.clone()),
                state: found.map(|one| one.state.clone()),
                next: next.to_owned(),
            });
        }
        sleep(PAUSE).await;
    }
}

impl Until {
    fn is_met(self, handoff: &Handoff) -> bool {
        let is = |states: &[&str]| states.contains(&handoff.state.as_str());
        match self {
            Self::Decided => !is(&["held"]),
            Self::Claimed => !is(&["held", "offered"]),
            Self::Returned => !is(&["held", "offered", "claimed"]),
            Self::Done => !is(&["held", "offered", "claimed", "returned"]),
        }
    }
}

fn is_changed(before: &Handoff, now: &Handoff) -> bool {
    let facts = |one: &Handoff| {
        (
            one.state.clone(),
            one.revision,
            one.holder.clone(),
            one.questions.clone(),
            one.checkpoints,
        )
    };
    facts(before) != facts(now) || before.to != now.to
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_ends_before_the_shortest_timeout_of_a_host() {
        const { assert!(SECONDS_MAX < 50) };
        assert!(Wait::DESCRIPTION.contains(&format!("up to {SECONDS_MAX} seconds")));
    }
}
