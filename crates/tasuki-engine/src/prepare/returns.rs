//! A return packet, judged against the packet it answers and the contract both are under.

use std::sync::Arc;

use tasuki_packet::check::verify::{Verdict, judge};
use tasuki_packet::leaf::Commitment;
use tasuki_packet::policy::contract::Schemas;
use tasuki_packet::{Code, Kind, Violation};

use super::contract::return_contracts;
use super::packet::{kind_word, read_to_keep};
use super::parties::facts;
use super::text;
use crate::model::Sealed;
use crate::prepare::input::PrepareInput;
use crate::refusal::{Refusal, RefusalCode};

/// Reads, judges and seals a return packet.
pub(crate) fn returning(input: &PrepareInput, source: &[u8]) -> Result<JudgedReturn, Refusal> {
    let (mut opened, mut written) = read_to_keep(source, None)?;
    if opened.packet.kind() != Kind::Return {
        let kind = kind_word(opened.packet.kind());
        let message = format!("a packet of type `{kind}` is no return");
        return Err(
            Refusal::new(RefusalCode::PacketKind, message).hint("add `packet_type: return`")
        );
    }
    let facts = facts(input)?;
    let asked = input.packet().ok_or_else(|| {
        Refusal::new(RefusalCode::HandoffUnknown, "the packet of this handoff is gone")
    })?;
    let mut notes = Vec::new();
    let settings = &input.directory.settings;
    text::packet_without_secrets(settings, &mut opened, &mut written, &mut notes)?;
    if !opened.violations.is_empty() {
        return Err(text::invalid("return packet", opened.violations)
            .hint("`tasuki validate` shows them in the file"));
    }
    let own = input.directory.contract_of(&facts.terms);
    let schemas: &dyn Schemas = match own {
        Some(published) => &published.record.schemas,
        None => &(),
    };
    let verdict = judge(asked, &opened.packet, schemas);
    let mut missing: Vec<Violation> =
        verdict.missing.iter().filter(|found| is_owed(found.code)).cloned().collect();
    for published in return_contracts(&input.directory, &facts.terms) {
        let is_own = own.is_some_and(|own| own.digest == published.digest);
        let mut broken = published.compiled.check(&opened.packet);
        // It is under its own contract; others only say what has to be there as well.
        broken.retain(|found| is_own || found.code != Code::ContractMismatch);
        broken.retain(|found| !missing_already(&verdict.missing, found));
        broken.retain(|found| !missing_already(&missing, found));
        missing.extend(broken);
    }
    notes.extend_from_slice(&verdict.notes);
    let salt = input.seed.salt("return");
    let sealed = Arc::new(Sealed::written(Commitment::Document, written, None, salt));
    Ok(JudgedReturn {
        sealed,
        revision: facts.revision,
        contract: facts.terms.contract.clone(),
        also_returns: facts.terms.also_returns.clone(),
        is_good: verdict.done && missing.is_empty(),
        missing,
        is_unfinished: opened.packet.text("status").is_some_and(|status| status != "completed"),
        verdict,
        notes,
    })
}

/// What is missing keeps a return from being taken; what failed is for whoever judges it.
fn is_owed(code: Code) -> bool {
    matches!(code, Code::ReturnMissing | Code::ReturnTask)
}

fn missing_already(known: &[Violation], found: &Violation) -> bool {
    known.iter().any(|one| one.code == found.code && one.pointer == found.pointer)
}

/// A return packet that was read and judged against the packet it answers.
#[derive(Debug, Clone)]
pub struct JudgedReturn {
    /// Its text.
    pub sealed: Arc<Sealed>,
    /// The revision that it was judged against.
    pub revision: u32,
    /// The contract that it was judged by.
    pub contract: Option<String>,
    /// Contracts of later edges that it was judged by as well.
    pub also_returns: Vec<String>,
    /// What packet or contract require and it lacks.
    pub missing: Vec<Violation>,
    /// Whether every criterion is met.
    pub is_good: bool,
    /// Whether it says itself that the work is not done.
    pub is_unfinished: bool,
    /// The whole verdict.
    pub verdict: Verdict,
    /// What the caller should know.
    pub notes: Vec<String>,
}
