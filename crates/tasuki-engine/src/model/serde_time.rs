//! The stored form of timestamps: a whole number of microseconds, which is shorter and faster to
//! parse than a date. A timestamp with a finer resolution is stored as a date, and dates are always
//! accepted.

use std::fmt;

use jiff::Timestamp;
use serde::de::{Error, Visitor};
use serde::{Deserializer, Serialize, Serializer};

pub(crate) fn serialize<S: Serializer>(
    instant: &Timestamp,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    if instant.subsec_nanosecond() % 1_000 == 0 {
        serializer.serialize_i64(instant.as_microsecond())
    } else {
        instant.serialize(serializer)
    }
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Timestamp, D::Error> {
    deserializer.deserialize_any(Stored)
}

struct Stored;

impl Visitor<'_> for Stored {
    type Value = Timestamp;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("microseconds since the Unix epoch, or a date")
    }

    fn visit_i64<E: Error>(self, microseconds: i64) -> Result<Timestamp, E> {
        Timestamp::from_microsecond(microseconds).map_err(E::custom)
    }

    fn visit_u64<E: Error>(self, microseconds: u64) -> Result<Timestamp, E> {
        self.visit_i64(i64::try_from(microseconds).map_err(E::custom)?)
    }

    fn visit_str<E: Error>(self, date: &str) -> Result<Timestamp, E> {
        date.parse().map_err(E::custom)
    }
}

/// The stored form of an optional timestamp.
pub(crate) mod option {
    use jiff::Timestamp;
    use serde::{Deserialize, Deserializer, Serializer};

    #[expect(clippy::ref_option, reason = "serde requires this signature")]
    pub(crate) fn serialize<S: Serializer>(
        instant: &Option<Timestamp>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match instant {
            Some(instant) => super::serialize(instant, serializer),
            None => serializer.serialize_none(),
        }
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Timestamp>, D::Error> {
        #[derive(Deserialize)]
        struct Instant(#[serde(with = "super")] Timestamp);
        let instant = Option::<Instant>::deserialize(deserializer)?;
        Ok(instant.map(|Instant(instant)| instant))
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use serde::{Deserialize, Serialize};

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Row {
        #[serde(with = "super")]
        at: Timestamp,
        #[serde(default, with = "super::option")]
        until: Option<Timestamp>,
    }

    #[track_caller]
    fn check(stored: &str, instant: &str, written: &str) {
        let at: Timestamp = instant.parse().unwrap();
        let row = Row { at, until: Some(at) };
        let text = |one: &str| format!(r#"{{"at":{one},"until":{one}}}"#);
        assert_eq!(serde_json::from_str::<Row>(&text(stored)).unwrap(), row);
        assert_eq!(serde_json::to_string(&row).unwrap(), text(written));
        assert_eq!(serde_json::from_str::<Row>(&text(written)).unwrap(), row);
    }

    #[test]
    fn microseconds_are_a_number_and_dates_are_read_too() {
        let noon = "2026-11-16T12:00:00.000001Z";
        check("1794830400000001", noon, "1794830400000001");
        check(&format!("\"{noon}\""), noon, "1794830400000001");
        check("-1", "1969-12-31T23:59:59.999999Z", "-1");
    }

    #[test]
    fn an_instant_finer_than_a_microsecond_stays_a_date() {
        let fine = "2026-11-16T12:00:00.000000001Z";
        check(&format!("\"{fine}\""), fine, &format!("\"{fine}\""));
    }

    #[test]
    fn an_instant_may_be_absent_and_other_types_are_rejected() {
        let row = |text: &str| serde_json::from_str::<Row>(text);
        assert_eq!(row(r#"{"at":0}"#).unwrap().until, None);
        assert_eq!(row(r#"{"at":0,"until":null}"#).unwrap().until, None);
        for wrong in ["true", "9223372036854775807", "18446744073709551615", r#""noon""#] {
            assert!(row(&format!(r#"{{"at":{wrong}}}"#)).is_err(), "{wrong}");
        }
    }
}
