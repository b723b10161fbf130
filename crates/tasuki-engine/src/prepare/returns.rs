//! Prepares a return packet and judges it against its packet and its contracts.

use std::sync::Arc;

use tasuki_packet::chain::{DueSignOff, DueStep};
use tasuki_packet::check::verify::{Verdict, judge};
use tasuki_packet::leaf::Commitment;
use tasuki_packet::policy::contract::Schemas;
use tasuki_packet::{Code, Kind, Violation};

use super::contract::return_contracts;
use super::packet::{kind_word, read_sealable};
use super::parties::facts;
use super::text;
use crate::model::Sealed;
use crate::prepare::input::PrepareInput;
use crate::refusal::{Refusal, RefusalCode};
use crate::rules::sign_offs;

/// Parses, judges and seals a return packet.
pub(crate) fn returning(input: &PrepareInput, source: &[u8]) -> Result<JudgedReturn, Refusal> {
    let (mut opened, mut written) = read_sealable(source, None)?;
    if opened.packet.kind() != Kind::Return {
        let kind = kind_word(opened.packet.kind());
        let message = format!("expected a packet of type `return`, found `{kind}`");
        return Err(
            Refusal::new(RefusalCode::PacketKind, message).hint("set `packet_type: return`")
        );
    }
    let facts = facts(input)?;
    let asked = input.packet().ok_or_else(|| {
        Refusal::new(RefusalCode::HandoffUnknown, "the packet of this handoff is missing")
    })?;
    let mut notes = Vec::new();
    let settings = &input.directory.settings;
    text::packet_without_secrets(settings, &mut opened, &mut written, &mut notes)?;
    if !opened.violations.is_empty() {
        return Err(text::invalid("return packet", opened.violations)
            .hint("locate them with `tasuki validate FILE`"));
    }
    let own = input.directory.contract_of(&facts.terms);
    let schemas: &dyn Schemas = match own {
        Some(published) => &published.record.schemas,
        None => &(),
    };
    let mut verdict = judge(asked, &opened.packet, schemas);
    // The packet names the label of the task, the return may name the task itself.
    if opened.packet.text("task_id").is_some_and(|task| facts.is_task(task)) {
        verdict.missing.retain(|found| found.code != Code::ReturnTask);
        verdict.done = verdict.missing.is_empty();
    }
    let mut missing: Vec<Violation> =
        verdict.missing.iter().filter(|found| blocks_return(found.code)).cloned().collect();
    for published in return_contracts(&input.directory, &facts.terms) {
        let is_own = own.is_some_and(|own| own.digest == published.digest);
        let mut broken = published.compiled.check(&opened.packet);
        // Only its own contract must match; the others add requirements.
        broken.retain(|found| is_own || found.code != Code::ContractMismatch);
        broken.retain(|found| !contains_violation(&verdict.missing, found));
        broken.retain(|found| !contains_violation(&missing, found));
        missing.extend(broken);
    }
    notes.extend_from_slice(&verdict.notes);
    let is_unfinished = opened.packet.text("status").is_some_and(|status| status != "completed");
    let due = sign_offs::due_before(asked, DueStep::Return);
    let salt = input.seed.salt("return");
    let sealed = Arc::new(Sealed::written(Commitment::Document, written, None, salt));
    Ok(JudgedReturn {
        sealed,
        revision: facts.revision,
        contract: facts.terms.contract.clone(),
        also_returns: facts.terms.also_returns.clone(),
        is_good: verdict.done && missing.is_empty(),
        missing,
        is_unfinished,
        due,
        verdict,
        notes,
    })
}

/// Returns `true` for a missing part, which blocks the return. A failed criterion is for the judge.
fn blocks_return(code: Code) -> bool {
    matches!(code, Code::ReturnMissing | Code::ReturnTask)
}

fn contains_violation(known: &[Violation], found: &Violation) -> bool {
    known.iter().any(|one| one.code == found.code && one.pointer == found.pointer)
}

/// A return packet, judged against its packet.
#[derive(Debug, Clone)]
pub struct JudgedReturn {
    /// The sealed text.
    pub sealed: Arc<Sealed>,
    /// The revision that it was judged against.
    pub revision: u32,
    /// The contract that it was judged by.
    pub contract: Option<String>,
    /// The contracts of later edges that it was also judged by.
    pub also_returns: Vec<String>,
    /// Violations of the requirements of packet and contracts.
    pub missing: Vec<Violation>,
    /// `true` if every criterion is met.
    pub is_good: bool,
    /// `true` if its status states that the work is not completed.
    pub is_unfinished: bool,
    /// The sign-offs that are due before the return.
    pub due: Vec<DueSignOff>,
    /// The full verdict.
    pub verdict: Verdict,
    /// Notes for the caller.
    pub notes: Vec<String>,
}
