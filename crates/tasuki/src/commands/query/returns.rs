//! Formats the claim and the return of a handoff for `tasuki show`.

use serde_json::Value;
use tasuki_api as api;
use tasuki_packet::check::verify::judge;
use tasuki_packet::{Packet, render};

use crate::backend::Backend;
use crate::exit::{Exit, Failure};
use crate::output::escape::escape;
use crate::output::handoff::short_id;
use crate::output::printer::{BAD, FAINT, GOOD, Printer, STRONG};
use crate::output::time::TimeFormatter;

/// Prints the last return packet as JSON.
pub(crate) fn run(
    exchange: &dyn Backend,
    handoff: &str,
    printer: &Printer,
) -> Result<Exit, Failure> {
    let returned = exchange.last_return(handoff)?.ok_or_else(|| {
        let message = "this handoff has no return yet";
        Failure { exit: Exit::NotFound, ..Failure::usage(message) }
            .hint("`tasuki wait ID --until returned` waits for one")
    })?;
    printer.json(&returned.packet);
    Ok(Exit::Success)
}

/// Formats the claim: the goal and first step in the words of the holder, and the drift it reported.
pub(crate) fn claim_section(claim: &api::ClaimStatement, times: TimeFormatter) -> String {
    let mut text =
        format!("\n{STRONG}Claimed by {} at {}{STRONG:#}\n", claim.by, times.clock(claim.at));
    let mut line = |name: &str, value: &str| {
        text.push_str(&format!("{FAINT}{name:<12}{FAINT:#} {}\n", escape(value)));
    };
    for (name, value) in claim.read_back.iter().filter_map(Value::as_object).flatten() {
        if !value.is_null() {
            line(&name.replace('_', " "), &text_of(value));
        }
    }
    for finding in claim.drift.iter().flat_map(drift_lines) {
        line("drift", &finding);
    }
    text
}

/// Formats the return and its verdict. `shown` is the id of the handoff on the card; work that was passed
/// on is returned on another one.
pub(crate) fn return_section(
    returned: &api::Return,
    shown: &str,
    asked: &Packet,
    times: TimeFormatter,
) -> String {
    let (by, when) = (&returned.by, times.clock(returned.at));
    let on = if returned.handoff == shown {
        String::new()
    } else {
        format!(" on {}", short_id(&returned.handoff))
    };
    let mut text = format!("\n{STRONG}Returned by {by}{on} at {when}{STRONG:#}\n");
    if let Some(verdict) = &returned.verdict {
        let (style, word) = match verdict.result.as_str() {
            "pass" => (GOOD, "Verified"),
            _ => (BAD, "Rejected"),
        };
        let reason = verdict.reason.as_deref().map(|reason| format!(": {}", escape(reason)));
        let (by, when) = (&verdict.by, times.clock(verdict.at));
        let reason = reason.unwrap_or_default();
        text.push_str(&format!("{style}{word}{style:#} by {by} at {when}{reason}\n"));
    }
    let packet = Packet::new(returned.packet.as_object().cloned().unwrap_or_default());
    let asked = (returned.handoff == shown).then_some(asked);
    for finding in return_problems(returned, &packet, asked) {
        text.push_str(&format!("{BAD}✗{BAD:#} {}\n", escape(&finding)));
    }
    text.push('\n');
    text.push_str(&render::brief_text_from(&packet, &returned.by));
    text
}

/// Returns the problems of a return: those of the verdict, or before a verdict those that the packet's own
/// requirements show.
fn return_problems(returned: &api::Return, packet: &Packet, asked: Option<&Packet>) -> Vec<String> {
    let by_contract = |verdict: &api::Verdict| {
        let missing = verdict.found.as_ref().and_then(|found| found["missing"].as_array());
        missing.into_iter().flatten().map(|one| text_of(&one["message"])).collect()
    };
    match (&returned.verdict, asked) {
        (Some(verdict), _) => by_contract(verdict),
        (None, Some(asked)) => {
            judge(asked, packet, &()).missing.into_iter().map(|one| one.message).collect()
        }
        (None, None) => Vec::new(),
    }
}

/// Formats the drift that a claimer reported, one line per finding. It may have any form.
fn drift_lines(drift: &Value) -> Vec<String> {
    let Some(findings) = drift["findings"].as_array() else { return vec![drift.to_string()] };
    let is_other =
        |finding: &&Value| finding["outcome"] != "same" && finding["outcome"] != "not_looked";
    let line = |finding: &Value| {
        let [what, name, expected] = ["what", "name", "expected"].map(|one| text_of(&finding[one]));
        let subject = if what == name { what } else { format!("{what} {name}") };
        match finding.get("found").map(text_of) {
            None => format!("missing: {name}"),
            Some(found) => format!("{subject}: {found}, expected {expected}"),
        }
    };
    findings.iter().filter(is_other).map(line).collect()
}

fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_differences_from_the_packet_are_listed() {
        let drift = json!({ "findings": [
            { "what": "branch", "name": "branch", "expected": "main", "found": "dev", "outcome": "differs" },
            { "what": "artifact", "name": "dist/a.js", "expected": "sha256:00", "outcome": "missing" },
            { "what": "commit", "name": "commit", "expected": "9f2c", "found": "9f2c", "outcome": "same" },
            { "what": "tool", "name": "npm", "expected": "22", "outcome": "not_looked" },
        ] });
        insta::assert_snapshot!(drift_lines(&drift).join("\n"), @"
        branch: dev, expected main
        missing: dist/a.js
        ");
        assert_eq!(drift_lines(&json!({ "own": 1 })), [r#"{"own":1}"#]);
    }

    #[test]
    fn missing_parts_are_listed_until_there_is_a_verdict() {
        let packet = |value: &Value| Packet::new(value.as_object().cloned().unwrap());
        let asked =
            packet(&json!({ "acceptance": [{ "id": "tests", "text": "npm test passes" }] }));
        let mut returned: api::Return = serde_json::from_value(json!({
            "id": "ret_1", "handoff": "hof_1", "by": "ben", "at": "2026-11-15T10:00:00Z",
            "digest": "sha256:00",
            "packet": { "status": "completed",
                "verification": [{ "criterion": "tests", "result": "fail", "evidence": "log:1" }] },
        }))
        .unwrap();
        let problems = |returned: &api::Return, asked| {
            return_problems(returned, &packet(&returned.packet), asked).join("\n")
        };
        insta::assert_snapshot!(problems(&returned, Some(&asked)), @"criterion `tests` failed");
        assert_eq!(problems(&returned, None), "");
        let mut verdict = json!({
            "id": "vrd_1", "result": "fail", "by": "contract", "at": "2026-11-15T10:00:00Z",
            "found": { "missing": [{ "message": "too large" }] },
        });
        returned.verdict = Some(serde_json::from_value(verdict.clone()).unwrap());
        assert_eq!(problems(&returned, Some(&asked)), "too large");
        verdict.as_object_mut().unwrap().remove("found");
        returned.verdict = Some(serde_json::from_value(verdict).unwrap());
        assert_eq!(problems(&returned, Some(&asked)), "");
    }
}
