//! Documents that state the numbers of a run agree with a run.

use serde_json::Value;

use super::report::{json_report, markdown_report};
use crate::support::folder::repository;

const PAGE: &str = "docs/evaluation.md";
const START: &str = "<!-- generated: run -->\n";
const END: &str = "<!-- /generated -->";

/// Replaces the date, which a run of another day does not share.
fn undated(text: &str) -> String {
    let (before, rest) = text.split_once("Run of ").expect("a run has a date");
    let date = &rest[..10];
    assert!(date.parse::<jiff::civil::Date>().is_ok(), "{date}");
    format!("{before}Run of [DATE]{}", &rest[10..])
}

#[test]
fn generated_numbers_of_the_evaluation_are_current() {
    let page = std::fs::read_to_string(repository(PAGE)).unwrap();
    let (before, rest) = page.split_once(START).expect("the page has a marker");
    let (stated, after) = rest.split_once(END).expect("the marker is closed");
    let run = format!("\n{}\n", markdown_report().trim_end());
    let is_current = stated.contains("Run of ") && undated(stated) == undated(&run);
    if !is_current && std::env::var_os("TASUKI_UPDATE").is_some() {
        std::fs::write(repository(PAGE), format!("{before}{START}{run}\n{END}{after}")).unwrap();
        return;
    }
    let run = format!("{run}\n");
    assert!(stated.contains("Run of "), "{PAGE} has no run; run `make generate`");
    assert_eq!(undated(stated), undated(&run), "{PAGE} is not current; run `make generate`");
}

/// What the README says about packets and prose, with the numbers of a run.
fn claim(report: &Value) -> String {
    let totals = &report["totals"];
    let number = |pointer: &str| totals.pointer(pointer).unwrap().as_f64().unwrap();
    format!(
        "a program recognizes {:.2} of the required fields in prose and {:.2} in packets; \
         the wire form costs {:+.0} tokens against prose, a brief {:+.0}",
        number("/accuracy/prose_required"),
        number("/accuracy/packet_required"),
        number("/difference/o200k/wire"),
        number("/difference/o200k/brief"),
    )
}

#[test]
fn the_readme_claims_what_the_run_shows() {
    let report = json_report();
    let readme = std::fs::read_to_string(repository("README.md")).unwrap();
    let expected = format!("{} paired cases: {}", report["totals"]["cases"], claim(&report));
    assert!(readme.contains(&expected), "README.md does not say: {expected}");
    for row in [
        "| not yet proven | that agents finish more tasks with packets than with prose",
        "fewer tokens",
    ] {
        assert!(readme.contains(row), "README.md does not say: {row}");
    }
}
