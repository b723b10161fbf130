//! Tests of [`open`].

use super::{OpenOptions, OpenedPacket, open};
use crate::dialect::Dialect;
use crate::document::limits::VIOLATIONS_MAX;
use crate::packet::Packet;
use crate::policy::rules::{CompiledRules, ProjectRules, Rules};
use crate::read::{Form, Source};
use crate::schema::variant::Variant;
use crate::violation::{Code, Violation};

fn check(text: &str, expected: &str) {
    let opened =
        Source::packet(text.as_bytes()).and_then(|source| open(&source, OpenOptions::default()));
    let shown = match opened {
        Ok(opened) => {
            let places = opened.violations.iter().map(|violation| {
                let position = violation.position.expect("every violation has a position");
                format!(" {}@{}:{}", violation.pointer, position.line, position.column)
            });
            let dialect = opened.dialect.map_or("none", Dialect::name);
            let form = opened.form.name();
            format!("{form} {dialect} {}{}", opened.variant, places.collect::<String>())
        }
        Err(violation) => violation.code.to_string(),
    };
    assert_eq!(shown, expected, "{text}");
}

#[test]
fn form_dialect_and_variant_are_detected_from_the_content() {
    let ahp = "packet_type: task\ngoal: g\nconstraints: [a]\nacceptance: [a]\n\
               failure_boundary: [a]\nreturn_required: [status]\n";
    check(ahp, "yaml ahp ahp");
    check(
        "{\"sourceAgent\":\"a\",\"destinationAgent\":\"b\",\"goal\":\"g\",\"summary\":\"s\"}",
        "json card card",
    );
    check(
        "{\"incident_id\":\"i\",\"signal_types\":[],\"primary_hypothesis\":\"h\"}",
        "json incident incident",
    );
    check("Nothing here.", "TK-PACKET-FREE-TEXT");
    check("# Title\n\nNothing here.", "TK-MARKDOWN-NO-PACKET");
    check("[1, 2]", "TK-PACKET-NOT-OBJECT");
    check("name: somebody\nversion: 1", "TK-PACKET-FREE-TEXT");
}

#[test]
fn a_text_with_a_colon_in_ahps_flat_yaml_stays_a_text() {
    let flat = "packet_type: handoff\ngoal: g\nconstraints:\n- Note: keep this\nacceptance:\n- a\n\
                failure_boundary:\n- a\nreturn_required:\n- status\n";
    check(flat, "yaml ahp ahp");
    check(&flat.replace("goal: g\n", "goal:\n"), "yaml ahp ahp /goal@2:1");
    let with_item = flat.replace("- Note: keep this", "- text: keep this");
    let source = Source::packet(with_item.as_bytes()).unwrap();
    let opened = open(&source, OpenOptions::default()).unwrap();
    assert_eq!(opened.sent()["constraints"][0]["text"], "keep this");
}

#[test]
fn the_lenient_reader_rejects_what_the_strict_one_rejects() {
    let flat = "packet_type: handoff\ngoal: go \u{202e}on\nconstraints:\n- a\nacceptance:\n- a\n\
                failure_boundary:\n- a\nreturn_required:\n- status\n";
    check(flat, "TK-TEXT-HIDDEN");
}

#[test]
fn a_packet_of_this_format_is_never_read_leniently() {
    let packet = "handoff_version: \"1.0\"\npacket_type: handoff\ngoal: ";
    check(&format!("{packet}[a\n"), "TK-YAML-SYNTAX");
    check(&format!("{packet}*all\n"), "TK-YAML-ALIAS");
    check(&format!("{packet}{}\n", "[".repeat(40)), "TK-PACKET-TOO-DEEP");
}

#[test]
fn a_block_inside_a_text_of_a_yaml_packet_is_not_the_packet() {
    let outer = "task_id: outer\nfrom_agent: a\nto_agent: b\nsummary: |\n  ```tasuki\n  \
                 handoff_version: '1.0'\n  task_id: inner\n  ```\n";
    let source = Source::packet(outer.as_bytes()).unwrap();
    let opened = open(&source, OpenOptions::default()).unwrap();
    assert_eq!(opened.form, Form::Yaml);
    assert_eq!(opened.packet.text("task_id"), Some("outer"));
}

#[test]
fn a_report_is_no_longer_than_its_limit() {
    let token = |index: usize| format!("- ghp_{index:04}aB3dE5gH7jK9mN2pQ4rS6tU8vW0xY1\n");
    let tokens: String = (0..=VIOLATIONS_MAX).map(token).collect();
    let text = format!("handoff_version: '1.0'\nremaining:\n{tokens}");
    let source = Source::packet(text.as_bytes()).unwrap();
    assert_eq!(open(&source, OpenOptions::default()).unwrap().violations.len(), VIOLATIONS_MAX);
}

#[test]
fn a_violation_in_a_block_has_its_position_in_the_whole_text() {
    let text = "Hello\n\n- ```ahp-yaml\n  packet_type: task\n  goal: a\n  goal: b\n  ```\n";
    let source = Source::packet(text.as_bytes()).unwrap();
    let violation = open(&source, OpenOptions::default()).unwrap_err();
    let position = violation.position.unwrap();
    let found = &text[position.span.start as usize..position.span.end as usize];
    assert_eq!((position.line, position.column, found), (6, 3, "goal"));
}

#[test]
fn only_a_sign_off_gate_makes_a_packet_a_regulated_one() {
    let variant = |more: &str| {
        let text = format!("handoff_version: '1.0'\ngoal: g\n{more}\n");
        let source = Source::packet(text.as_bytes()).unwrap();
        open(&source, OpenOptions::default()).unwrap().variant
    };
    assert_eq!(variant("classification: SECRET"), "baseline");
    assert_eq!(variant("regulation_refs: [UK-DCB0129]"), "baseline");
    assert_eq!(variant("sign_off_gates: [clinical-safety]"), "regulated");
}

#[test]
fn a_packet_that_passes_work_on_is_checked_against_its_parent() {
    let parent = serde_json::json!({
        "authority": ["write:src/*"],
        "constraints": [{ "text": "Keep the public API", "pinned": true }],
    });
    let parent = Packet::from_value(parent).unwrap();
    let child = "handoff_version: '1.0'\nauthority: ['deploy:production']\nconstraints: []\n";
    let source = Source::packet(child.as_bytes()).unwrap();
    let options = OpenOptions { parent: Some(&parent), ..OpenOptions::default() };
    let opened = open(&source, options).unwrap();
    let codes: Vec<_> = opened.violations.iter().map(|violation| violation.code).collect();
    assert!(codes.contains(&Code::AuthorityWidened), "{codes:?}");
    assert!(codes.contains(&Code::PinnedDropped), "{codes:?}");
}

#[test]
fn a_page_with_front_matter_is_no_yaml() {
    let code = |text: &str| {
        let source = Source::packet(text.as_bytes());
        source.and_then(|source| open(&source, OpenOptions::default())).unwrap_err().code
    };
    assert_eq!(code("---\ntitle: Hello\n---\n\n# Hello\n\nGoal: none\n"), Code::MarkdownNoPacket);
    assert_eq!(code("---\ntitle: Hello\n---\n```sh\nls\n```\n"), Code::MarkdownNoPacket);
    assert_eq!(code("---\ngoal: one\n---\ngoal: two\n"), Code::YamlDocuments);
}

#[test]
fn a_child_is_checked_as_the_exchange_checks_it() {
    let parent = serde_json::json!({
        "constraints": ["Keep the public API"], "return_required": ["summary"],
    });
    let parent = Packet::from_value(parent).unwrap();
    let child = "handoff_version: '1.0'\ngoal: g\n";
    let source = Source::packet(child.as_bytes()).unwrap();
    let options = OpenOptions { parent: Some(&parent), ..OpenOptions::default() };
    let opened = open(&source, options).unwrap();
    let owed = opened.violations.iter().filter(|found| found.code == Code::OwedDropped);
    let places: Vec<_> = owed.map(|found| found.pointer.as_str()).collect();
    assert_eq!(places, ["/return_required", "/constraints"]);
}

fn first_violation(text: &str, code: Code) -> Option<Violation> {
    let source = Source::packet(text.as_bytes()).unwrap();
    let found = open(&source, OpenOptions::default()).unwrap().violations;
    found.into_iter().find(|violation| violation.code == code)
}

#[test]
fn a_packet_chooses_its_variant_by_name_and_an_unknown_name_is_refused() {
    let packet =
        "handoff_version: '1.0'\ntask_id: t\nfrom_agent: a\nto_agent: b\nstatus: blocked\n";
    let open = |more: &str| {
        let text = format!("{packet}{more}\n");
        let source = Source::packet(text.as_bytes()).unwrap();
        open(&source, OpenOptions::default()).unwrap()
    };
    let strict = open("profile: strict");
    assert_eq!((strict.variant.as_str(), strict.variant_field), ("strict", Some("profile")));
    let gates = open("profile: baseline\nsign_off_gates: [safety]");
    assert_eq!(gates.variant, "regulated", "no name frees a packet from its labels");
    assert_eq!(open("profile: nhs\nsign_off_gates: [safety]").variant, "nhs");
    let misspelt = open("profile: stritc");
    assert_eq!(misspelt.violations[0].pointer, "/profile");
    assert_eq!(misspelt.violations[0].hint.as_deref(), Some("did you mean `strict`?"));
    let own = serde_json::json!({"variant": "our-team"});
    let own = Variant::from_document(&own).unwrap();
    let text = format!("{packet}profile: our-team\n");
    let options = OpenOptions { variant: Some(&own), ..OpenOptions::default() };
    let opened = super::open(&Source::packet(text.as_bytes()).unwrap(), options).unwrap();
    assert_eq!(opened.violations, []);
}

#[test]
fn a_schema_in_a_packet_is_compiled_when_the_packet_is_read() {
    let text = "handoff_version: '1.0'\nexpected_outputs:\n- name: report\n  schema: {type: 7}\n";
    let found = first_violation(text, Code::SchemaInvalid).unwrap();
    assert_eq!(found.pointer, "/expected_outputs/0/schema/type");
    assert_eq!(found.position.unwrap().line, 4);
    let file = text.replace("{type: 7}", "{$ref: schemas/report.json}");
    assert_eq!(first_violation(&file, Code::SchemaMissing), None, "the caller knows its files");
}

#[test]
fn a_hint_fits_the_form_of_the_document() {
    let hint = |text: &str| first_violation(text, Code::FieldType).unwrap().hint.unwrap();
    let yaml = "handoff_version: '1.0'\nconstraints: one\n";
    assert!(hint(yaml).contains("start the line with"), "{}", hint(yaml));
    let json = "{\"handoff_version\": \"1.0\", \"constraints\": \"one\"}";
    assert_eq!(hint(json), "write it as a list: `[\"…\"]`");
}

#[test]
fn a_nested_violation_names_the_whole_path() {
    let text = "handoff_version: '1.0'\nacceptance:\n- text: a\n  evidence: {kind: log}\n";
    let found = first_violation(text, Code::FieldType).unwrap();
    assert_eq!(found.message, "`acceptance[0].evidence` has the wrong type");
}

#[test]
fn an_ignored_pin_is_a_violation() {
    let text = "handoff_version: '1.0'\nartifacts:\n- kind: output\n  path: a\n  pinned: true\n";
    let found = first_violation(text, Code::FieldUnknown).unwrap();
    assert_eq!(found.pointer, "/artifacts/0/pinned");
    assert_eq!(found.message, "item 1 of `artifacts` cannot be pinned");
    let lesson =
        "handoff_version: '1.0'\nfailed_approaches:\n- tried: a\n  result: b\n  pinned: true\n";
    assert_eq!(first_violation(lesson, Code::FieldUnknown), None);
}

#[test]
fn an_ignored_pin_in_free_data_is_a_violation() {
    let found = |text: &str| {
        let text = format!("handoff_version: '1.0'\n{text}\n");
        first_violation(&text, Code::FieldUnknown).map(|found| (found.pointer, found.message))
    };
    let named = |pointer: &str, owner: &str| {
        Some((pointer.to_owned(), format!("{owner} cannot be pinned")))
    };
    assert_eq!(found("pinned: true"), named("/pinned", "the packet"));
    assert_eq!(
        found("context: {api: {text: x, pinned: true}}"),
        named("/context/api/pinned", "`context.api`")
    );
    assert_eq!(
        found("payload: {a: [{b: {text: x, pinned: true}}]}"),
        named("/payload/a/0/b/pinned", "`payload.a[0].b`")
    );
    assert_eq!(found("x_rule: {text: x, pinned: true}"), named("/x_rule/pinned", "`x_rule`"));
    // These are carried on, or no pins of a statement, or data of another format.
    for text in [
        "context: {rules: [{text: x, pinned: true}]}",
        "x_rules: [{text: x, pinned: true}]",
        "context: {dependencies: {node: '22', pinned: true}}",
        "context: {api: {text: x, pinned: false}}",
        "extensions: {chat: {text: x, pinned: true}}",
    ] {
        assert_eq!(found(text), None, "{text}");
    }
}

#[test]
fn a_sentence_is_no_name_of_a_return_field() {
    let text = "handoff_version: '1.0'\nreturn_required: [summary, Changed paths, Please report the results]\n";
    let found = first_violation(text, Code::FieldFormat).unwrap();
    assert_eq!(found.pointer, "/return_required/2");
    assert!(found.hint.unwrap().contains("`acceptance`"));
}

#[test]
fn no_violation_quotes_a_secret() {
    let secret = ["ghp_", "0123456789abcdefghijklmnopqrstuvwxyz"].concat();
    for text in [
        format!("{{\"handoff_version\": \"{secret}\"}}"),
        format!("{{\"handoff_version\": \"1.0\", \"{secret}\": 1, \"{secret}\": 2}}"),
        format!("handoff_version: '1.0'\nstatus: {secret}\n{secret}: 1\ncompleted: {secret}\n"),
    ] {
        let source = Source::packet(text.as_bytes()).unwrap();
        let strict = Variant::named("strict");
        let options = OpenOptions { variant: strict.as_ref(), ..OpenOptions::default() };
        let shown = match open(&source, options) {
            Ok(opened) => format!("{:?}", opened.violations),
            Err(violation) => format!("{violation:?}"),
        };
        assert!(!shown.contains(&secret), "{shown}");
    }
}

#[test]
fn a_violation_of_a_dialect_points_to_its_own_member() {
    check(
        "{\"sourceAgent\": 7,\n \"destinationAgent\": \"b\", \"goal\": \" \", \"summary\": \"s\"}",
        "json card card /goal@2:35 /from_agent@1:17",
    );
}

fn rules(rules: &serde_json::Value) -> CompiledRules {
    Rules::read(&serde_json::json!({ "rules": rules })).unwrap().compile().unwrap()
}

fn under(rules: &CompiledRules, more: &str) -> OpenedPacket {
    let packet = "handoff_version: '1.0'\ntask_id: t\nfrom_agent: a\nto_agent: ana\nstatus: blocked\ngoal: g\n";
    let text = format!("{packet}{more}\n");
    let is_member = |party: &str, role: &str| (party, role) == ("ana", "role:clinic");
    let rules = Some(ProjectRules { rules, is_member: &is_member });
    let options = OpenOptions { rules, ..OpenOptions::default() };
    open(&Source::packet(text.as_bytes()).unwrap(), options).unwrap()
}

#[test]
fn a_rule_of_the_project_chooses_a_variant_and_is_named() {
    let secret = rules(&serde_json::json!([
        {"name": "patient-data", "when": {"classification": ["SECRET"]}, "variant": "regulated"},
    ]));
    let plain = under(&secret, "");
    assert_eq!((plain.variant.as_str(), plain.variant_rule), ("baseline", None));
    assert_eq!(plain.violations, []);
    let chosen = under(&secret, "classification: SECRET");
    assert_eq!(chosen.variant, "regulated");
    assert_eq!(chosen.variant_rule.as_deref(), Some("patient-data"));
    assert_eq!(chosen.variant_field, None);
    let missing: Vec<_> = chosen.violations.iter().map(|one| one.pointer.as_str()).collect();
    assert!(missing.contains(&"/sign_off_gates") && missing.contains(&"/retention"), "{missing:?}");
    let by_field = under(&secret, "classification: SECRET\nsign_off_gates: [safety]");
    assert_eq!((by_field.variant_field, by_field.variant_rule), (Some("sign_off_gates"), None));
}

#[test]
fn a_rule_only_adds_to_the_variant_of_a_packet() {
    let clinic = rules(&serde_json::json!([
        {"name": "clinic", "when": {"edge": [{"to": "role:clinic"}]}, "variant": "regulated"},
        {"name": "all", "when": {"risk": "low"}, "variant": "baseline"},
    ]));
    let both = under(&clinic, "profile: executor");
    assert_eq!(
        (both.variant.as_str(), both.variant_rule.as_deref()),
        ("regulated", Some("clinic"))
    );
    let missing: Vec<_> = both.violations.iter().map(|one| one.pointer.as_str()).collect();
    assert!(missing.contains(&"/acceptance"), "of executor: {missing:?}");
    assert!(missing.contains(&"/retention"), "of regulated: {missing:?}");
    let count = missing.len();
    let distinct: std::collections::BTreeSet<_> = missing.into_iter().collect();
    assert_eq!(distinct.len(), count, "nothing is reported twice");
}
