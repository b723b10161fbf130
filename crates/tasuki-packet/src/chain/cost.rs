//! The cost of a chain of packets: money per currency, tokens and seconds. Currencies are not
//! converted.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::amount::{Amount, AmountError};
use crate::document::Members;
use crate::packet::Packet;

/// The sums of the `cost` of every packet in a chain.
///
/// ```
/// use serde_json::json;
/// use tasuki_packet::Packet;
/// use tasuki_packet::chain::totals;
///
/// let packet = |amount: &str| {
///     let cost = json!({"amount": amount, "currency": "USD", "tokens": 100});
///     Packet::from_value(json!({"cost": cost})).unwrap()
/// };
/// let (first, second) = (packet("0.10"), packet("0.2"));
/// let totals = totals(&[&first, &second])?;
/// assert_eq!(totals.amounts["USD"].to_string(), "0.30");
/// assert_eq!(totals.tokens, 200);
/// # Ok::<(), tasuki_packet::chain::TotalsError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ChainTotals {
    /// Amounts by currency, without conversion.
    pub amounts: BTreeMap<String, Amount>,
    /// Tokens read and written by models.
    pub tokens: u64,
    /// Seconds of work.
    pub seconds: u64,
}

/// The error for a `cost` that cannot be added up.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot add up `cost.{member}` of packet {packet} in the chain")]
#[non_exhaustive]
pub struct TotalsError {
    /// The index of the packet, from 0.
    pub packet: usize,
    /// The member of its `cost`.
    pub member: &'static str,
    /// The reason.
    #[source]
    pub reason: AmountError,
}

/// Adds up the `cost` of these packets. A packet without `cost` counts as zero.
pub fn totals(packets: &[&Packet]) -> Result<ChainTotals, TotalsError> {
    let mut totals = ChainTotals::default();
    for (packet, cost) in
        packets.iter().enumerate().filter_map(|(n, p)| Some((n, p.object("cost")?)))
    {
        let failed = |member| move |reason| TotalsError { packet, member, reason };
        totals.add_amount(cost).map_err(failed("amount"))?;
        totals.tokens = sum(totals.tokens, cost.get("tokens")).map_err(failed("tokens"))?;
        totals.seconds = sum(totals.seconds, cost.get("seconds")).map_err(failed("seconds"))?;
    }
    Ok(totals)
}

impl ChainTotals {
    fn add_amount(&mut self, cost: &Members) -> Result<(), AmountError> {
        let currency = cost.get("currency").and_then(Value::as_str);
        let amount = cost.get("amount").filter(|amount| !amount.is_null());
        // Amount and currency belong together; one without the other cannot be added up.
        let (currency, amount) = match (currency, amount) {
            (None, None) => return Ok(()),
            (Some(currency), Some(Value::String(amount))) => (currency, Amount::parse(amount)?),
            _ => return Err(AmountError::Format),
        };
        let total = self.amounts.entry(currency.to_owned()).or_default();
        *total = total.checked_add(amount)?;
        Ok(())
    }
}

fn sum(total: u64, value: Option<&Value>) -> Result<u64, AmountError> {
    match value {
        None | Some(Value::Null) => Ok(total),
        Some(value) => {
            let value = value.as_u64().ok_or(AmountError::Format)?;
            total.checked_add(value).ok_or(AmountError::Overflow)
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn packet(cost: &Value) -> Packet {
        Packet::from_value(json!({"cost": cost})).unwrap()
    }

    #[test]
    fn costs_are_added_per_currency() {
        let packets = [
            packet(&json!({"amount": "0.1", "currency": "USD", "tokens": 41_200, "seconds": 310})),
            packet(&json!({"amount": "0.20", "currency": "USD"})),
            packet(&json!({"amount": "3", "currency": "EUR", "tokens": 8})),
            packet(&json!(null)),
        ];
        let packets: Vec<&Packet> = packets.iter().collect();
        let totals = serde_json::to_value(totals(&packets).unwrap()).unwrap();
        assert_eq!(
            totals,
            json!({"amounts": {"EUR": "3", "USD": "0.30"}, "tokens": 41_208, "seconds": 310})
        );
    }

    #[test]
    fn a_cost_that_cannot_be_added_up_is_reported() {
        for (cost, member, reason) in [
            (json!({"amount": 0.1, "currency": "USD"}), "amount", AmountError::Format),
            (json!({"amount": "-1", "currency": "USD"}), "amount", AmountError::Format),
            (json!({"amount": "1"}), "amount", AmountError::Format),
            (json!({"tokens": -4}), "tokens", AmountError::Format),
            (json!({"seconds": u64::MAX}), "seconds", AmountError::Overflow),
        ] {
            let fine = packet(&json!({"seconds": 1}));
            let error = totals(&[&fine, &packet(&cost)]).unwrap_err();
            assert_eq!(error, TotalsError { packet: 1, member, reason });
        }
    }
}
