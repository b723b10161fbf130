//! The description of an operation: its address, who may ask for it, what it takes and what it answers.
//!
//! The table of all operations is `api::operations`.

use axum::http::Method;
use axum::routing::MethodFilter;
use tasuki_engine::scope::{Needs, Question};

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
    pub(crate) const fn new(
        verb: Verb,
        id: &'static str,
        path: &'static str,
        summary: &'static str,
    ) -> Self {
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

    pub(crate) const fn get(id: &'static str, path: &'static str, summary: &'static str) -> Self {
        Self::new(Verb::Get, id, path, summary)
    }

    pub(crate) const fn post(id: &'static str, path: &'static str, summary: &'static str) -> Self {
        Self::new(Verb::Post, id, path, summary)
    }

    pub(crate) const fn needs(self, needs: Needs) -> Self {
        Self { access: Access::Credential(needs), ..self }
    }

    /// What it takes to ask a question is said by the engine.
    pub(crate) const fn asks(self, question: Question) -> Self {
        self.needs(question.needs())
    }

    pub(crate) const fn open(self) -> Self {
        Self { access: Access::Everybody, ..self }
    }

    pub(crate) const fn takes(self, parameters: &'static [Parameter]) -> Self {
        Self { parameters, ..self }
    }

    pub(crate) const fn carries(self, carries: Carries) -> Self {
        Self { carries, ..self }
    }

    pub(crate) const fn gives(self, gives: Gives) -> Self {
        Self { gives, ..self }
    }

    pub(crate) const fn created(self) -> Self {
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

    /// Whether its body may have a password, which no digest keeps.
    pub(crate) fn may_carry_password(&self) -> bool {
        self.id == "decide"
    }

    /// Whether it only looks.
    pub fn is_read(&self) -> bool {
        self.verb == Verb::Get
    }
}
