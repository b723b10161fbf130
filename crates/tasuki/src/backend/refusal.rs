//! From the engine's refusals and faults to what the person at the keyboard reads.

use tasuki_engine::error::{Error, Fault, FaultKind};
use tasuki_engine::refusal::{Refusal, RefusalKind};

use crate::exit::{Exit, Failure};
use crate::output::diagnostics::redacted;

/// Why a command failed.
pub(crate) fn failed(error: Error) -> Failure {
    match error {
        Error::Refused(refusal) => refused(&refusal),
        Error::Failed(failure) => fault(&failure),
    }
}

/// A refusal, every violation of a document named.
pub(crate) fn refused(refusal: &Refusal) -> Failure {
    let mut message = format!("{} [{}]", refusal.message, refusal.code.as_str());
    for violation in refusal.violations.iter().cloned().map(redacted) {
        message.push_str(&format!(
            "\n  {} {}: {}",
            violation.code,
            place(&violation.pointer),
            violation.message
        ));
        if let Some(allowed) = &violation.allowed {
            message.push_str(&format!("\n    allowed: {allowed}"));
        }
        if let Some(hint) = &violation.hint {
            message.push_str(&format!("\n    hint: {hint}"));
        }
    }
    Failure { exit: exit(refusal.kind()), message, hint: refusal.hint.clone() }
}

fn place(pointer: &str) -> &str {
    if pointer.is_empty() { "/" } else { pointer }
}

fn exit(kind: RefusalKind) -> Exit {
    match kind {
        RefusalKind::Invalid | RefusalKind::TooLarge => Exit::Refused,
        RefusalKind::Unauthenticated | RefusalKind::Forbidden => Exit::Denied,
        RefusalKind::NotFound | RefusalKind::Gone => Exit::NotFound,
        RefusalKind::Conflict | RefusalKind::KeyReused | RefusalKind::RevisionChanged => {
            Exit::Conflict
        }
        RefusalKind::Limited => Exit::Unavailable,
    }
}

/// A fault of the store.
pub(crate) fn fault(fault: &Fault) -> Failure {
    let exit = match fault.kind {
        FaultKind::Bug => Exit::Unknown,
        _ => Exit::Unavailable,
    };
    let message = format!("{} [{}]", fault.message, fault.code());
    Failure { exit, message, hint: fault.hint.clone() }
}
