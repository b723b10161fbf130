//! Values bound to statements. Ids are formatted on the stack, because a batch binds thousands.

use rusqlite::ToSql;
use rusqlite::types::{ToSqlOutput, ValueRef};
use tasuki_engine::error::{Fault, FaultKind};
use tasuki_packet::id::{HandoffId, PartyId};

/// The initial capacity, which fits most facts.
const JSON_BYTES: usize = 1_536;

/// An id in its printed form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct IdText([u8; 36]);

impl IdText {
    fn new(prefix: &str, bytes: &[u8; 16]) -> Self {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut text = [b'_'; 36];
        text[..3].copy_from_slice(prefix.as_bytes());
        for (place, byte) in text[4..].chunks_exact_mut(2).zip(bytes) {
            place[0] = DIGITS[usize::from(byte >> 4)];
            place[1] = DIGITS[usize::from(byte & 0x0f)];
        }
        Self(text)
    }
}

impl From<HandoffId> for IdText {
    fn from(id: HandoffId) -> Self {
        Self::new(HandoffId::PREFIX, id.as_bytes())
    }
}

impl From<PartyId> for IdText {
    fn from(id: PartyId) -> Self {
        Self::new(PartyId::PREFIX, id.as_bytes())
    }
}

impl ToSql for IdText {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(ValueRef::Text(&self.0)))
    }
}

/// A value as JSON text for one statement.
#[derive(Debug)]
pub(crate) struct JsonText(Vec<u8>);

impl JsonText {
    pub(crate) fn of(value: &impl serde::Serialize) -> Result<Self, Fault> {
        let mut bytes = Vec::with_capacity(JSON_BYTES);
        serde_json::to_writer(&mut bytes, value).map_err(|error| {
            Fault::new(FaultKind::Bug, format!("cannot serialize to JSON: {error}"))
        })?;
        Ok(Self(bytes))
    }
}

impl ToSql for JsonText {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(ValueRef::Text(&self.0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_bound_as_it_is_printed() {
        let handoff = HandoffId::new(0x0193_2f5a_bcde, [0x9f; 10]);
        assert_eq!(IdText::from(handoff).0, handoff.to_string().as_bytes());
        let party = PartyId::new(0, [0; 10]);
        assert_eq!(IdText::from(party).0, party.to_string().as_bytes());
    }
}
