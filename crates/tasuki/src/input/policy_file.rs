//! Checks a contract, a gate, rules or a variant that a folder contains beside its packets.

use serde_json::Value;
use tasuki_packet::policy::gate::Gate;
use tasuki_packet::policy::rules::Rules;
use tasuki_packet::read::Source;
use tasuki_packet::{Variant, Violation};

use super::contract_file::ContractFile;
use super::document_kind::DocumentKind;
use super::file::Input;
use crate::exit::Failure;

/// Returns everything that is wrong with a document that is not a packet.
pub(crate) fn violations(
    kind: DocumentKind,
    input: &Input,
    bytes: &[u8],
) -> Result<Vec<Violation>, Failure> {
    Ok(match kind {
        DocumentKind::Contract => match ContractFile::read(input)?.read {
            Ok((_, compiled)) => compiled.err().unwrap_or_default(),
            Err(violations) => violations,
        },
        DocumentKind::Gate => checked(bytes, |document| Gate::read(document).map(drop)),
        DocumentKind::Rules => {
            checked(bytes, |document| Rules::read(document)?.compile().map(drop))
        }
        DocumentKind::Variant => {
            checked(bytes, |document| Variant::from_document(document).map(drop))
        }
        DocumentKind::Packet | DocumentKind::Other => Vec::new(),
    })
}

fn checked(bytes: &[u8], judge: impl Fn(&Value) -> Result<(), Vec<Violation>>) -> Vec<Violation> {
    let read = || {
        let source = Source::plain(bytes).map_err(|violation| vec![violation])?;
        let document = source.read_plain().map_err(|violation| vec![violation])?;
        judge(&document.to_value()).map_err(|mut violations| {
            source.locate(&document, &mut violations);
            violations
        })
    };
    read().err().unwrap_or_default()
}
