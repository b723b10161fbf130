//! Records when tokens were last used: in memory per request, saved periodically in the background.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use jiff::{SignedDuration, Timestamp};
use tasuki_engine::ports::AccountStore;
use tasuki_packet::id::TokenId;

/// The resolution of the saved times.
const RESOLUTION: SignedDuration = SignedDuration::from_hours(1);

#[derive(Debug, Default)]
pub(crate) struct TokenUsage {
    usage: Mutex<HashMap<TokenId, Usage>>,
}

#[derive(Debug, Clone, Copy)]
struct Usage {
    at: Timestamp,
    saved: Option<Timestamp>,
}

impl Usage {
    fn is_unsaved(&self) -> bool {
        self.saved.is_none_or(|saved| self.at.duration_since(saved) >= RESOLUTION)
    }
}

impl TokenUsage {
    pub(crate) fn record(&self, token: TokenId, now: Timestamp) {
        let mut usage = self.usage.lock().unwrap_or_else(PoisonError::into_inner);
        usage.entry(token).or_insert(Usage { at: now, saved: None }).at = now;
    }

    /// Saves unsaved uses. If the store fails, the next flush retries.
    pub(crate) async fn flush(&self, people: &dyn AccountStore, now: Timestamp) {
        let unsaved = self.unsaved(now);
        if unsaved.is_empty() {
            return;
        }
        match people.note_token_uses(unsaved.clone()).await {
            Ok(()) => self.mark_saved(&unsaved),
            Err(fault) => tracing::warn!(%fault, "saving token usage failed"),
        }
    }

    /// LIMIT: drops tokens whose last use is saved and older than an hour.
    fn unsaved(&self, now: Timestamp) -> Vec<(TokenId, Timestamp)> {
        let mut usage = self.usage.lock().unwrap_or_else(PoisonError::into_inner);
        usage.retain(|_, one| one.is_unsaved() || now.duration_since(one.at) < RESOLUTION);
        usage
            .iter()
            .filter(|(_, one)| one.is_unsaved())
            .map(|(token, one)| (*token, one.at))
            .collect()
    }

    fn mark_saved(&self, uses: &[(TokenId, Timestamp)]) {
        let mut usage = self.usage.lock().unwrap_or_else(PoisonError::into_inner);
        for (token, at) in uses {
            if let Some(one) = usage.get_mut(token) {
                one.saved = Some(*at);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(minute: i64) -> Timestamp {
        Timestamp::from_second(minute * 60).unwrap()
    }

    #[test]
    fn a_use_is_unsaved_at_first_and_then_once_an_hour() {
        let (uses, token) = (TokenUsage::default(), TokenId::new(1, [1; 10]));
        let mut unsaved = Vec::new();
        for minute in 0..=130 {
            uses.record(token, at(minute));
            let found = uses.unsaved(at(minute));
            uses.mark_saved(&found);
            unsaved.extend(found.into_iter().map(|(_, at)| at));
        }
        assert_eq!(unsaved, [at(0), at(60), at(120)]);
    }

    #[test]
    fn a_failed_save_stays_unsaved_and_idle_tokens_are_dropped() {
        let (uses, token) = (TokenUsage::default(), TokenId::new(1, [1; 10]));
        uses.record(token, at(0));
        assert_eq!(uses.unsaved(at(500)), [(token, at(0))]);
        uses.mark_saved(&[(token, at(0))]);
        assert_eq!(uses.unsaved(at(501)), []);
        assert!(uses.usage.lock().unwrap().is_empty());
    }
}
