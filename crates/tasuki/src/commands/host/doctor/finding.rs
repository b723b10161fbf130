//! The result of one check.

use std::borrow::Cow;

use serde_json::{Value, json};
use tasuki_api as api;

use crate::output::printer::{BAD, GOOD, NOTE};

/// The result of one check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Finding {
    /// The name of the check: `store`.
    pub(super) check: Cow<'static, str>,
    pub(super) health: Health,
    /// The finding.
    pub(super) message: String,
    /// How to repair it.
    pub(super) remedy: Option<String>,
}

/// The severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Health {
    Good,
    /// It works, but needs attention.
    Warning,
    Bad,
}

impl Finding {
    pub(super) fn good(check: &'static str, message: impl Into<String>) -> Self {
        let check = Cow::Borrowed(check);
        Self { check, health: Health::Good, message: message.into(), remedy: None }
    }

    pub(super) fn warning(check: &'static str, message: impl Into<String>) -> Self {
        Self { health: Health::Warning, ..Self::good(check, message) }
    }

    pub(super) fn bad(check: &'static str, message: impl Into<String>) -> Self {
        Self { health: Health::Bad, ..Self::good(check, message) }
    }

    /// Adds how to repair it.
    pub(super) fn remedy(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = Some(remedy.into());
        self
    }

    /// Formats the finding for people: `✓ store  …`.
    pub(super) fn line(&self) -> String {
        let mark = match self.health {
            Health::Good => format!("{GOOD}✓{GOOD:#}"),
            Health::Warning => format!("{NOTE}!{NOTE:#}"),
            Health::Bad => format!("{BAD}✗{BAD:#}"),
        };
        let remedy = self.remedy.as_ref().map(|remedy| format!("  → {remedy}"));
        format!("{mark} {:<13} {}{}\n", self.check, self.message, remedy.unwrap_or_default())
    }

    /// Formats the finding as JSON.
    pub(super) fn to_json(&self) -> Value {
        let health = match self.health {
            Health::Good => "ok",
            Health::Warning => "warning",
            Health::Bad => "error",
        };
        let (check, message) = (&self.check, &self.message);
        json!({ "check": check, "state": health, "message": message, "remedy": self.remedy })
    }
}

impl From<api::Finding> for Finding {
    fn from(finding: api::Finding) -> Self {
        let health = match api::Health::named(&finding.state) {
            Some(api::Health::Ok) => Health::Good,
            Some(api::Health::Warning) => Health::Warning,
            Some(api::Health::Error) | None => Health::Bad,
        };
        let (check, message) = (Cow::Owned(finding.check), finding.message);
        Self { check, health, message, remedy: finding.remedy }
    }
}
