//! What a chain of packets has cost: money per currency, tokens and seconds. Nothing is converted.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::amount::{Amount, AmountError};
use crate::document::Members;
use crate::packet::Packet;

/// The sums over the `cost` of every packet of a chain.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ChainTotals {
    /// By currency, never converted into each other.
    pub amounts: BTreeMap<String, Amount>,
    /// Tokens that models have read and written.
    pub tokens: u64,
    /// Seconds of work.
    pub seconds: u64,
}

/// A `cost` that cannot be added up.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`cost.{member}` of packet {packet} in the chain cannot be added up")]
#[non_exhaustive]
pub struct TotalsError {
    /// Which packet, counted from 0 in the order given.
    pub packet: usize,
    /// Which member of its `cost`.
    pub member: &'static str,
    /// Why.
    #[source]
    pub reason: AmountError,
}

/// Adds up the `cost` of these packets. A packet without one cost nothing that is known.
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
        // Amount and currency go together; one without the other says nothing that adds up.
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
    fn a_cost_that_does_not_add_up_is_named() {
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
