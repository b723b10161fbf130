//! Everything that can be asked over HTTP, as one table: address, who may, what is sent, what comes back.
//!
//! The router is made of it, the matrix of permissions and the OpenAPI document follow it, and a test
//! holds that every operation has a route and every route an operation.

mod admin;
mod claims;
mod events;
mod handoffs;
mod packets;
mod parties;
mod policy;
mod sessions;
mod subscriptions;
mod tasks;
mod tokens;

use axum::http::Method;
use axum::routing::MethodFilter;
use tasuki_engine::scope::{Needs, Question};

pub use admin::{CHECK_LOG, DISCARD, HALT, LIFT, LIST_DEAD, LIST_LEAVES, REDRIVE};
pub use claims::{CLAIM_NEXT, HOLD, PARK, RELEASE, RENEW};
pub use events::{EVENTS, INBOX, LIST_DECISIONS, SEARCH, STATS};
pub use handoffs::{
    ANSWER, ASK, CHECKPOINT, CLAIM, DECIDE, DECLINE, LIST_HANDOFFS, LIST_RETURNS, RETURN, REVISE,
    SHOW_HANDOFF, SHOW_PACKET, SHOW_TRAIL, SUBMIT, VERIFY,
};
pub use packets::{BATCH, OPENAPI, SCHEMA, VALIDATE};
pub use parties::{ADD_PARTY, LIST_PARTIES, SHOW_PARTY, WHOAMI};
pub use policy::{
    LIST_CONTRACTS, LIST_GATES, PUBLISH_CONTRACT, PUBLISH_GATE, SET_PROJECT, SET_RULES,
    SHOW_CONTRACT, SHOW_GATE, SHOW_PROJECT, SHOW_RULES,
};
pub use sessions::{SIGN_IN, SIGN_OUT};
pub use subscriptions::{
    ADD_SUBSCRIPTION, DISABLE_SUBSCRIPTION, ENABLE_SUBSCRIPTION, LIST_DELIVERIES,
    LIST_SUBSCRIPTIONS, REMOVE_SUBSCRIPTION, REPLAY, ROTATE_SECRET, SHOW_SUBSCRIPTION,
    TEST_SUBSCRIPTION,
};
pub use tasks::{BEGIN, RESUME, TIMELINE};
pub use tokens::{CREATE_TOKEN, LIST_TOKENS, REVOKE_TOKEN};

/// One thing that can be asked.
#[derive(Debug)]
pub struct Operation {
    /// Its name, for clients and metrics.
    pub id: &'static str,
    /// The method.
    pub verb: Verb,
    /// The address, with names in braces.
    pub path: &'static str,
    /// What it does, in one sentence.
    pub summary: &'static str,
    /// Who may.
    pub access: Access,
    /// The parameters of the query.
    pub parameters: &'static [Parameter],
    /// What is sent.
    pub carries: Carries,
    /// What comes back if it went well.
    pub gives: Gives,
    /// The status if it went well.
    pub success: u16,
    /// Whether it may wait for news, and so has no place among those that are worked on at once.
    pub waits: bool,
}

/// The method of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    /// Look.
    Get,
    /// Add or do.
    Post,
    /// Put in place of what is there.
    Put,
    /// Change a part.
    Patch,
    /// Take away.
    Delete,
}

impl Verb {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Get, Self::Post, Self::Put, Self::Patch, Self::Delete];

    /// The method as HTTP has it.
    pub const fn method(self) -> Method {
        match self {
            Self::Get => Method::GET,
            Self::Post => Method::POST,
            Self::Put => Method::PUT,
            Self::Patch => Method::PATCH,
            Self::Delete => Method::DELETE,
        }
    }

    pub(crate) const fn filter(self) -> MethodFilter {
        match self {
            Self::Get => MethodFilter::GET,
            Self::Post => MethodFilter::POST,
            Self::Put => MethodFilter::PUT,
            Self::Patch => MethodFilter::PATCH,
            Self::Delete => MethodFilter::DELETE,
        }
    }
}

/// Who may ask for something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Everybody, also without a credential.
    Everybody,
    /// Whoever has a credential with what it needs.
    Credential(Needs),
}

/// A parameter of a query.
#[derive(Debug)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// What its value is.
    pub kind: Kind,
    /// What it means.
    pub summary: &'static str,
}

/// What the value of a parameter is.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// A text.
    Text,
    /// A text of this pattern.
    Form(&'static str),
    /// One of these words.
    Word(fn() -> Vec<&'static str>),
    /// An instant, as RFC 3339.
    Instant,
    /// Some of these words, with commas between.
    Words(fn() -> Vec<&'static str>),
    /// A whole number in this range.
    Number { least: u64, most: u64 },
    /// True or false.
    Flag,
}

/// What a request carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Carries {
    /// Nothing.
    Nothing,
    /// A packet in any form.
    Packet,
    /// A document of this schema.
    Document(&'static str),
    /// A document of this schema, or nothing.
    Maybe(&'static str),
    /// A document of this schema, in JSON only.
    InJson(&'static str),
}

/// What comes back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gives {
    /// Nothing.
    Nothing,
    /// A document of this schema.
    Document(&'static str),
    /// The same, and a page of HTML for browsers.
    DocumentOrPage(&'static str),
    /// A page of documents of this schema.
    Page(&'static str),
    /// A page of documents of this schema, or a stream of them.
    Stream(&'static str),
    /// A packet, as JSON or in the form that was asked for.
    Packet,
    /// A text of this media type.
    Text(&'static str),
}

impl Operation {
    const fn new(verb: Verb, id: &'static str, path: &'static str, summary: &'static str) -> Self {
        Self {
            id,
            verb,
            path,
            summary,
            access: Access::Credential(Needs::Nothing),
            parameters: &[],
            carries: Carries::Nothing,
            gives: Gives::Document("Answer"),
            success: 200,
            waits: false,
        }
    }

    const fn get(id: &'static str, path: &'static str, summary: &'static str) -> Self {
        Self::new(Verb::Get, id, path, summary)
    }

    const fn post(id: &'static str, path: &'static str, summary: &'static str) -> Self {
        Self::new(Verb::Post, id, path, summary)
    }

    const fn needs(self, needs: Needs) -> Self {
        Self { access: Access::Credential(needs), ..self }
    }

    /// What it takes to ask a question is said by the engine.
    const fn asks(self, question: Question) -> Self {
        self.needs(question.needs())
    }

    const fn open(self) -> Self {
        Self { access: Access::Everybody, ..self }
    }

    const fn takes(self, parameters: &'static [Parameter]) -> Self {
        Self { parameters, ..self }
    }

    const fn carries(self, carries: Carries) -> Self {
        Self { carries, ..self }
    }

    const fn gives(self, gives: Gives) -> Self {
        Self { gives, ..self }
    }

    const fn made(self) -> Self {
        Self { success: 201, ..self }
    }

    /// Whether it is about a revision that the caller has seen, and says so with `If-Match`.
    pub fn is_bound(&self) -> bool {
        matches!(self.id, "revise" | "decide" | "answer")
    }

    /// Whether it is done again each time it is asked for, whatever key comes with it.
    pub fn is_never_remembered(&self) -> bool {
        matches!(self.id, "test_subscription" | "replay")
    }

    /// Whether it only looks.
    pub fn is_read(&self) -> bool {
        self.verb == Verb::Get
    }

    /// Every status that it may answer with.
    pub fn statuses(&self) -> Vec<u16> {
        let mut all = vec![self.success, 421, 422, 429, 500, 503];
        if self.success == 201 {
            all.push(200);
        }
        if self.access != Access::Everybody || self.carries == Carries::Document("SignIn") {
            all.extend([401, 403, 404]);
        }
        if self.path.contains('{') || self.parameters.iter().any(|one| one.name == "variant") {
            all.push(404);
        }
        if self.path == SHOW_PACKET.path {
            all.push(304);
        }
        if self.carries != Carries::Nothing {
            all.extend([408, 413, 415]);
        }
        if self.access != Access::Everybody || !self.is_read() {
            all.extend([403, 409]);
        }
        if !self.is_read() {
            all.extend([410, 412, 507]);
        }
        all.sort_unstable();
        all.dedup();
        all
    }
}

const fn parameter(name: &'static str, kind: Kind, summary: &'static str) -> Parameter {
    Parameter { name, kind, summary }
}

const fn text(name: &'static str, summary: &'static str) -> Parameter {
    parameter(name, Kind::Text, summary)
}

const fn number(name: &'static str, summary: &'static str) -> Parameter {
    parameter(name, Kind::Number { least: 0, most: u64::MAX }, summary)
}

const fn small_number(name: &'static str, summary: &'static str) -> Parameter {
    parameter(name, Kind::Number { least: 0, most: u32::MAX as u64 }, summary)
}

const fn yes_or_no(name: &'static str, summary: &'static str) -> Parameter {
    parameter(name, Kind::Flag, summary)
}

const fn limit(summary: &'static str) -> Parameter {
    parameter("limit", Kind::Number { least: 1, most: u32::MAX as u64 }, summary)
}

const LIMIT: Parameter =
    limit("At most so many, 50 unless said otherwise. A page has no more than 500.");
const CURSOR: Parameter = parameter(
    "cursor",
    Kind::Form("^hof_[0-9a-f]{32}$"),
    "Where the page before said that this one begins.",
);
const TOKEN: Parameter =
    number("token", "The fencing token of your claim, which every write of a holder shows.");

/// The whole table.
pub static ALL: &[&Operation] = &[
    &SUBMIT,
    &LIST_HANDOFFS,
    &SHOW_HANDOFF,
    &SHOW_PACKET,
    &SHOW_TRAIL,
    &REVISE,
    &DECIDE,
    &ASK,
    &ANSWER,
    &CLAIM,
    &CHECKPOINT,
    &RETURN,
    &LIST_RETURNS,
    &VERIFY,
    &DECLINE,
    &CLAIM_NEXT,
    &RENEW,
    &RELEASE,
    &PARK,
    &HOLD,
    &BEGIN,
    &TIMELINE,
    &RESUME,
    &INBOX,
    &EVENTS,
    &SEARCH,
    &STATS,
    &LIST_DECISIONS,
    &BATCH,
    &LIST_CONTRACTS,
    &PUBLISH_CONTRACT,
    &SHOW_CONTRACT,
    &LIST_GATES,
    &PUBLISH_GATE,
    &SHOW_GATE,
    &SHOW_RULES,
    &SET_RULES,
    &LIST_PARTIES,
    &SHOW_PARTY,
    &ADD_PARTY,
    &LIST_DEAD,
    &REDRIVE,
    &DISCARD,
    &HALT,
    &LIFT,
    &LIST_LEAVES,
    &CHECK_LOG,
    &SHOW_PROJECT,
    &SET_PROJECT,
    &WHOAMI,
    &LIST_TOKENS,
    &CREATE_TOKEN,
    &REVOKE_TOKEN,
    &LIST_SUBSCRIPTIONS,
    &ADD_SUBSCRIPTION,
    &SHOW_SUBSCRIPTION,
    &DISABLE_SUBSCRIPTION,
    &ENABLE_SUBSCRIPTION,
    &ROTATE_SECRET,
    &LIST_DELIVERIES,
    &TEST_SUBSCRIPTION,
    &REPLAY,
    &REMOVE_SUBSCRIPTION,
    &SIGN_IN,
    &SIGN_OUT,
    &VALIDATE,
    &SCHEMA,
    &OPENAPI,
];
