//! The reference of a decision that must name what the person saw.
//!
//! A reference that `tasuki show` printed names it. Without one, a person at a terminal sees the card
//! and confirms; the decision is then bound to that card. Otherwise the exchange refuses the decision.

use tasuki_api as api;
use tasuki_engine::steps::{Attention, SeenVersion};
use tasuki_packet::id::ReturnId;

use crate::backend::{Backend, current_version};
use crate::commands::query::show;
use crate::exit::Failure;
use crate::input::confirm::confirm;
use crate::input::handoff_ref::{NamedVersion, parse_version};
use crate::output::printer::Printer;

/// The answer of a person who was asked about a card.
pub(crate) enum Asked<T> {
    /// The decision is about this.
    Decided(T),
    /// The person did not confirm.
    Declined,
}

/// Resolves a reference to a held handoff and to the version that the person saw.
pub(crate) fn seen_handoff(
    exchange: &dyn Backend,
    written: &str,
    question: &str,
    printer: &Printer,
) -> Result<Asked<(api::Handoff, SeenVersion)>, Failure> {
    if written.contains('@') {
        return exchange.resolve_with_version(written).map(Asked::Decided);
    }
    let handoff = exchange.resolve(written)?;
    if handoff.state != "held" || !printer.may_prompt() {
        return Ok(Asked::Decided((handoff, SeenVersion::default())));
    }
    let since = exchange.now();
    let shown = show_card(exchange, written, printer)?;
    if !confirm(question, printer)? {
        return Ok(Asked::Declined);
    }
    let seconds = u64::try_from(exchange.now().duration_since(since).as_secs()).ok();
    let opened = vec!["packet".to_owned()];
    let attention = Attention { seconds, opened };
    let seen = SeenVersion { attention, ..current_version(&shown.handoff) };
    Ok(Asked::Decided((shown.handoff, seen)))
}

/// Returns the return packet that the verifier saw.
pub(crate) fn seen_return(
    exchange: &dyn Backend,
    written: &str,
    question: &str,
    printer: &Printer,
) -> Result<Asked<Option<ReturnId>>, Failure> {
    match parse_version(written)? {
        Some(NamedVersion::Return(return_packet)) => Ok(Asked::Decided(Some(return_packet))),
        None if printer.may_prompt() => {
            let shown = show_card(exchange, written, printer)?;
            let return_packet = shown.handoff.return_id.and_then(|id| id.parse().ok());
            match return_packet {
                Some(_) if !confirm(question, printer)? => Ok(Asked::Declined),
                return_packet => Ok(Asked::Decided(return_packet)),
            }
        }
        Some(NamedVersion::Revision(..)) | None => Ok(Asked::Decided(None)),
    }
}

/// Shows the text of `tasuki show`, on stderr.
fn show_card(
    exchange: &dyn Backend,
    written: &str,
    printer: &Printer,
) -> Result<api::HandoffDetails, Failure> {
    exchange.apply_due()?;
    let shown = exchange.details(written, None)?;
    printer.show(&format!("{}\n", show::card(exchange, &shown)));
    Ok(shown)
}
