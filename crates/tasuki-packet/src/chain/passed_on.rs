//! The one check of a packet that passes work on.

use super::{dropped, dropped_obligations, widened_along};
use crate::packet::Packet;
use crate::violation::Violation;

/// Returns everything that a packet drops or widens when it passes on the work of a chain.
///
/// `tasuki validate --parent` and the exchange use it, so a packet that the one accepts is not
/// refused by the other. The exchange also checks the contracts of the chain.
///
/// ```
/// use serde_json::json;
/// use tasuki_packet::Packet;
/// use tasuki_packet::chain::passed_on;
///
/// let parent = json!({"constraints": ["Keep the API"], "authority": ["write:src/*"]});
/// let parent = Packet::from_value(parent).unwrap();
/// let child = Packet::from_value(json!({"authority": ["deploy:production"]})).unwrap();
/// let codes: Vec<_> = passed_on(&[&parent], &child).iter().map(|found| found.code).collect();
/// assert_eq!(codes.len(), 2);
/// ```
pub fn passed_on(chain: &[&Packet], child: &Packet) -> Vec<Violation> {
    let Some(parent) = chain.last() else { return Vec::new() };
    let mut violations = widened_along(chain, child);
    violations.extend(dropped(parent, child));
    violations.extend(dropped_obligations(parent, child));
    violations
}
