//! Converts refusals and faults of the engine into failures.

use tasuki_engine::error::{Error, Fault, FaultKind};
use tasuki_engine::refusal::{Refusal, RefusalKind};

use crate::exit::{Exit, Failure};
use crate::output::diagnostics::{escaped, redacted};
use crate::output::escape::escape;

/// Converts an error of the engine.
pub(crate) fn engine_failure(error: Error) -> Failure {
    match error {
        Error::Refused(refusal) => refusal_failure(&refusal),
        Error::Failed(failure) => fault_failure(&failure),
    }
}

/// Converts a refusal, with every violation.
pub(crate) fn refusal_failure(refusal: &Refusal) -> Failure {
    let mut message = format!("{} [{}]", escape(&refusal.message), refusal.code.as_str());
    for violation in refusal.violations.iter().cloned().map(redacted).map(escaped) {
        message.push_str(&format!(
            "\n  {} {}: {}",
            violation.code,
            shown_pointer(&violation.pointer),
            violation.message
        ));
        if let Some(allowed) = &violation.allowed {
            message.push_str(&format!("\n    allowed: {allowed}"));
        }
        if let Some(hint) = &violation.hint {
            message.push_str(&format!("\n    hint: {hint}"));
        }
    }
    Failure { exit: exit(refusal.kind()), message, hint: refusal.hint.as_deref().map(escape) }
}

fn shown_pointer(pointer: &str) -> &str {
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
        RefusalKind::RevisionMissing => Exit::Usage,
        RefusalKind::Limited => Exit::Unavailable,
    }
}

/// Converts a fault of the store.
pub(crate) fn fault_failure(fault: &Fault) -> Failure {
    let exit = match fault.kind {
        FaultKind::Bug => Exit::Unknown,
        _ => Exit::Unavailable,
    };
    let message = format!("{} [{}]", fault.message, fault.code());
    Failure { exit, message, hint: fault.hint.clone() }
}
