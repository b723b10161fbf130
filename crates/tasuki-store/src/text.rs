//! Texts that are bound to statements without a detour over the heap, because a batch binds
//! thousands of them.

use rusqlite::ToSql;
use rusqlite::types::{ToSqlOutput, ValueRef};
use tasuki_engine::error::{Fault, FaultKind};
use tasuki_packet::id::{HandoffId, PartyId};

use crate::shorthand::{Columns, Shorthand};

/// Most answers fit into this without growing.
const JSON_BYTES: usize = 1_536;

/// An id as it is printed.
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

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.0
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

/// A text that was made for one statement.
#[derive(Debug)]
pub(crate) struct Text(Vec<u8>);

impl Text {
    /// A value as JSON.
    pub(crate) fn json(value: &impl serde::Serialize) -> Result<Self, Fault> {
        let mut bytes = Vec::with_capacity(JSON_BYTES);
        write_json(value, &mut bytes)?;
        Ok(Self(bytes))
    }
}

/// Writes values in shorthand, one after the other in the same place.
#[derive(Debug, Default)]
pub(crate) struct Pen {
    json: Vec<u8>,
    short: Vec<u8>,
}

impl Pen {
    /// A value as JSON in shorthand.
    pub(crate) fn short(
        &mut self,
        shorthand: &Shorthand,
        value: &impl serde::Serialize,
    ) -> Result<ShortText<'_>, Fault> {
        self.json.clear();
        self.short.clear();
        write_json(value, &mut self.json)?;
        shorthand.shorten(&self.json, Columns::default(), &mut self.short);
        Ok(ShortText(&self.short))
    }
}

/// A text that stands where the next one will be written.
#[derive(Debug)]
pub(crate) struct ShortText<'p>(&'p [u8]);

impl ToSql for ShortText<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(ValueRef::Text(self.0)))
    }
}

fn write_json(value: &impl serde::Serialize, bytes: &mut Vec<u8>) -> Result<(), Fault> {
    serde_json::to_writer(bytes, value)
        .map_err(|error| Fault::new(FaultKind::Bug, format!("no JSON can be made: {error}")))
}

impl ToSql for Text {
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
