//! Import and export by dialect, and their reports.

use serde::Serialize;

use super::name::Dialect;
use super::table::Table;
use super::{ahp, card, fastio, handoff_protocol, incident, works_with_agents};
use crate::document::{Members, pointer};
use crate::violation::Violation;

/// A packet that was imported from a document of another system.
#[derive(Debug, Clone, PartialEq)]
pub struct Import {
    /// The packet. Members without a field are under `extensions.<dialect>`.
    pub packet: Members,
    /// The dialect of the document.
    pub dialect: Dialect,
    /// The members that were moved, preserved or assumed.
    pub notes: Vec<Note>,
}

/// A note about one member of the source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Note {
    /// An RFC 6901 pointer into the source, or `""` for a value that the source does not state.
    pub pointer: String,
    /// The action, as one sentence without a full stop.
    pub message: String,
}

/// A document of another system, exported from a packet.
#[derive(Debug, Clone, PartialEq)]
pub struct Export {
    /// The document.
    pub document: Members,
    /// The parts of the packet that are not in the document.
    pub lost: Vec<Lost>,
}

/// A part of a packet that an export cannot represent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Lost {
    /// RFC 6901 pointer into the packet.
    pub pointer: String,
    /// The reason, as one sentence without a full stop.
    pub reason: String,
}

/// Imports a document of a dialect as a packet.
///
/// Nothing is dropped: exporting the packet to the same dialect gives the document again.
///
/// # Errors
///
/// Returns a violation if the document does not belong to the dialect, or is a message of the
/// dialect that hands over no work.
///
/// ```
/// use serde_json::json;
/// use tasuki_packet::dialect::{Dialect, export, import};
///
/// let card = json!({"sourceAgent": "Web Scraper", "destinationAgent": "Data Synthesizer"});
/// let import = import(Dialect::Card, card.as_object().unwrap()).unwrap();
/// assert_eq!(import.packet["to_agent"], "Data Synthesizer");
///
/// let export = export(Dialect::Card, &import.packet).unwrap();
/// assert_eq!(json!(export.document), card);
/// ```
pub fn import(dialect: Dialect, document: &Members) -> Result<Import, Violation> {
    match dialect {
        Dialect::HandoffProtocol => handoff_protocol::import(document),
        Dialect::WorksWithAgents => works_with_agents::import(document),
        Dialect::Ahp => ahp::import(document),
        Dialect::Incident => incident::import(document),
        Dialect::Fastio => fastio::import(document),
        Dialect::Card => card::import(document),
    }
}

/// Exports a packet as a document of a dialect.
///
/// An open dialect carries the whole packet. For a closed one, `lost` lists the parts that are left
/// out.
///
/// # Errors
///
/// Returns a violation if the dialect has no document for this kind of packet.
pub fn export(dialect: Dialect, packet: &Members) -> Result<Export, Violation> {
    match dialect {
        Dialect::HandoffProtocol => Ok(handoff_protocol::export(packet)),
        Dialect::WorksWithAgents => works_with_agents::export(packet),
        Dialect::Ahp => Ok(ahp::export(packet)),
        Dialect::Incident => incident::export(packet),
        Dialect::Fastio => Ok(fastio::export(packet)),
        Dialect::Card => card::export(packet),
    }
}

/// Returns the pointer in the document for a pointer in the imported packet.
///
/// A pointer without a counterpart is returned unchanged, so that the closest enclosing value can
/// be shown.
pub(crate) fn source_pointer(dialect: Dialect, document: &Members, pointer: &str) -> String {
    let tables: &[&Table] = match dialect {
        Dialect::HandoffProtocol => &[&handoff_protocol::TABLE],
        Dialect::WorksWithAgents => works_with_agents::TABLES,
        Dialect::Ahp => &[&ahp::TABLE],
        Dialect::Incident => &[&incident::TABLE],
        Dialect::Card => &[&card::TABLE],
        Dialect::Fastio => {
            let wrapper = fastio::wrapper(document).filter(|_| !fastio::is_packet(document));
            return wrapper.map_or_else(String::new, |name| pointer::join("", name)) + pointer;
        }
    };
    let slots = tables.iter().flat_map(|table| table.slots);
    slots
        .filter(|slot| !slot.is_alias)
        .find_map(|slot| {
            let rest = pointer.strip_prefix(&format!("/{}", slot.field.join("/")))?;
            let is_inside = rest.is_empty() || rest.starts_with('/');
            is_inside.then(|| format!("/{}{rest}", slot.place.join("/")))
        })
        .unwrap_or_else(|| pointer.to_owned())
}
