//! When tokens were last used: noted with every request, written down seldom and by nobody who waits.

use std::sync::{Mutex, PoisonError};

use jiff::{SignedDuration, Timestamp};
use tasuki_engine::by_id::ById;
use tasuki_engine::people::People;
use tasuki_packet::id::TokenId;

/// How old what is written down of a token in use may become.
const COARSE: SignedDuration = SignedDuration::from_hours(1);

/// The tokens that this server has seen lately.
#[derive(Debug, Default)]
pub(crate) struct Uses {
    seen: Mutex<ById<TokenId, Seen>>,
}

#[derive(Debug, Clone, Copy)]
struct Seen {
    at: Timestamp,
    written: Option<Timestamp>,
}

impl Seen {
    fn is_news(&self) -> bool {
        self.written.is_none_or(|written| self.at.duration_since(written) >= COARSE)
    }
}

impl Uses {
    /// Somebody shows a token.
    pub(crate) fn note(&self, token: TokenId, now: Timestamp) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.entry(token).or_insert(Seen { at: now, written: None }).at = now;
    }

    /// Writes down what is news. A store that does not take it now is asked again later.
    pub(crate) async fn write(&self, people: &dyn People, now: Timestamp) {
        let news = self.news(now);
        if news.is_empty() {
            return;
        }
        match people.note_token_uses(news.clone()).await {
            Ok(()) => self.written(&news),
            Err(fault) => tracing::warn!(%fault, "the use of tokens could not be noted"),
        }
    }

    /// LIMIT: a token that nobody has shown for an hour, and whose use is written down, is forgotten.
    fn news(&self, now: Timestamp) -> Vec<(TokenId, Timestamp)> {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.retain(|_, one| one.is_news() || now.duration_since(one.at) < COARSE);
        seen.iter().filter(|(_, one)| one.is_news()).map(|(token, one)| (*token, one.at)).collect()
    }

    fn written(&self, uses: &[(TokenId, Timestamp)]) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        for (token, at) in uses {
            if let Some(one) = seen.get_mut(token) {
                one.written = Some(*at);
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
    fn a_use_is_news_at_first_and_then_once_an_hour() {
        let (uses, token) = (Uses::default(), TokenId::new(1, [1; 10]));
        let mut news = Vec::new();
        for minute in 0..=130 {
            uses.note(token, at(minute));
            let found = uses.news(at(minute));
            uses.written(&found);
            news.extend(found.into_iter().map(|(_, at)| at));
        }
        assert_eq!(news, [at(0), at(60), at(120)]);
    }

    #[test]
    fn what_could_not_be_written_stays_news_and_what_rests_is_forgotten() {
        let (uses, token) = (Uses::default(), TokenId::new(1, [1; 10]));
        uses.note(token, at(0));
        assert_eq!(uses.news(at(500)), [(token, at(0))]);
        uses.written(&[(token, at(0))]);
        assert_eq!(uses.news(at(501)), []);
        assert!(uses.seen.lock().unwrap().is_empty());
    }
}
