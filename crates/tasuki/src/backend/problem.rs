//! Converts errors of the client into failures, with the wording of a local exchange.

use tasuki_api::Violation;
use tasuki_client::{Error, Problem};

use crate::exit::{Exit, Failure};
use crate::output::escape::escape;

/// Converts an error of the client.
pub(crate) fn client_failure(error: Error) -> Failure {
    match error {
        Error::Refused(problem) => problem_failure(&problem),
        other => {
            let hint = hint(&other);
            let exit = Exit::Unavailable;
            Failure { exit, ..Failure::usage(escape(&other.to_string())) }.hint(hint)
        }
    }
}

/// Returns the hint for an error without a response.
fn hint(error: &Error) -> &'static str {
    match error {
        Error::Tls { .. } => {
            "add the certificate authority to this machine, or set `SSL_CERT_FILE`"
        }
        Error::UnexpectedResponse { .. } | Error::InvalidAddress { .. } => {
            "`tasuki config show --origin` shows where the address is set"
        }
        _ => {
            "check that the server is running; `tasuki config show --origin` shows where the address is set"
        }
    }
}

/// Converts a problem document, with every violation.
pub(crate) fn problem_failure(problem: &Problem) -> Failure {
    let mut message = format!("{} [{}]", escape(&problem.detail), escape(&problem.code));
    for violation in &problem.violations {
        message.push_str(&line(violation));
    }
    let hint = problem.hint.as_deref().map(escape);
    Failure { exit: exit(problem), message, hint }
}

/// Formats a violation as `refusal_failure` does.
fn line(violation: &Violation) -> String {
    let Violation { code, pointer, message, .. } = violation;
    let pointer = if pointer.is_empty() { "/" } else { pointer };
    let (code, pointer, message) = (escape(code), escape(pointer), escape(message));
    let mut line = format!("\n  {code} {pointer}: {message}");
    if let Some(allowed) = &violation.allowed {
        line.push_str(&format!("\n    allowed: {}", escape(allowed)));
    }
    if let Some(hint) = &violation.hint {
        line.push_str(&format!("\n    hint: {}", escape(hint)));
    }
    line
}

fn exit(problem: &Problem) -> Exit {
    match problem.status {
        _ if problem.code == "TK-KEY-REUSED" => Exit::Conflict,
        _ if problem.code == "TK-INTERNAL-BUG" => Exit::Unknown,
        401 | 403 => Exit::Denied,
        404 | 405 | 410 => Exit::NotFound,
        409 | 412 => Exit::Conflict,
        428 => Exit::Usage,
        400..=427 => Exit::Refused,
        _ => Exit::Unavailable,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(status: u16, code: &str, violations: Vec<Violation>) -> Problem {
        Problem {
            kind: format!("/docs/errors/{code}"),
            title: "Refused".to_owned(),
            status,
            detail: "the packet has 1 violation".to_owned(),
            code: code.to_owned(),
            hint: Some("repair it".to_owned()),
            violations,
            handoff: None,
        }
    }

    #[test]
    fn every_violation_is_listed() {
        let violation = Violation {
            code: "TK-FIELD-VALUE".to_owned(),
            pointer: "/status".to_owned(),
            message: "no such word".to_owned(),
            allowed: Some("a, b".to_owned()),
            hint: Some("use a".to_owned()),
            ..Violation::default()
        };
        let failure = problem_failure(&problem(422, "TK-PACKET-INVALID", vec![violation]));
        insta::assert_snapshot!(failure.message, @"
        the packet has 1 violation [TK-PACKET-INVALID]
          TK-FIELD-VALUE /status: no such word
            allowed: a, b
            hint: use a
        ");
        assert_eq!((failure.exit, failure.hint.as_deref()), (Exit::Refused, Some("repair it")));
    }

    #[test]
    fn a_status_maps_to_its_exit_code() {
        let statuses = [422, 413, 401, 403, 404, 410, 409, 412, 428, 429, 503, 507, 500];
        let exits = statuses.map(|status| exit(&problem(status, "TK-X-Y", Vec::new())) as u8);
        assert_eq!(exits, [3, 3, 4, 4, 5, 5, 6, 6, 2, 7, 7, 7, 7]);
        assert_eq!(exit(&problem(422, "TK-KEY-REUSED", Vec::new())), Exit::Conflict);
        assert_eq!(exit(&problem(500, "TK-INTERNAL-BUG", Vec::new())), Exit::Unknown);
    }

    #[test]
    fn a_missing_response_is_not_a_refusal() {
        let error = Error::Unreachable {
            address: "http://127.0.0.1:1".to_owned(),
            reason: "connection refused".to_owned(),
        };
        let failure = client_failure(error);
        assert_eq!(failure.exit, Exit::Unavailable);
        assert_eq!(failure.message, "cannot reach http://127.0.0.1:1: connection refused");
    }
}
