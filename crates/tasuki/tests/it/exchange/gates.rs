//! Gates: the packet stays hidden until it is signed, and only a person at a terminal signs.

use insta::assert_snapshot;
use serde_json::json;

use crate::support::folder::Folder;
use crate::support::server_process::ServerProcess;
use crate::support::shared_exchange::SharedExchange;

const PACKET: &str = "handoff_version: \"1.0\"\ntask_id: ward-1\nto_agent: worker\n\
                      status: in_progress\ngoal: Change the dose\n\
                      summary: The secret of the ward\ncompleted: []\nremaining: [Apply]\n\
                      sign_off_gates: [release]\nclassification: OFFICIAL\n\
                      retention: { period: P8Y, schedule_ref: s-1 }\n\
                      regulation_refs: [{ scheme: UK-DCB0129, ref: \"4.2\" }]\nevidence_refs: [\"log:trial-1\"]\n";

fn gated() -> SharedExchange {
    let exchange = SharedExchange::new();
    exchange.run("", "party add role:officer --member pia");
    exchange.gate(json!({
        "gate": "release", "version": "1.0",
        "factors": [{ "name": "officer", "roles": ["officer"], "approvals": 1, "meaning": ["approved"] }],
        "requires_opened": ["packet", "evidence"],
    }));
    std::fs::write(exchange.folder.path("packet.yaml"), PACKET).unwrap();
    std::fs::write(exchange.folder.path("other.yaml"), PACKET.replace("Change", "Halve")).unwrap();
    exchange.run("main", "submit packet.yaml");
    exchange
}

#[test]
fn what_a_gate_keeps_back_is_in_no_export_for_agents() {
    let exchange = gated();
    exchange.run("pia", "reject ward-1 -m 'Not this one'");
    let export = |who: &str| exchange.says(who, "decisions export");
    for who in ["worker", ""] {
        assert!(export(who).contains("0 decisions."), "{}", export(who));
    }
    for who in ["pia", "main"] {
        assert!(export(who).contains("The secret of the ward"), "{}", export(who));
    }
}

#[test]
fn no_command_gives_an_agent_the_packet_before_the_gate_is_signed() {
    let exchange = gated();
    exchange.run("", "party add other");
    let said = exchange.play(&[
        "worker: show ward-1",
        "worker: show ward-1 --packet",
        "worker: show ward-1@1 --json",
        "worker: resume ward-1",
        "worker: resume ward-1 --as-packet",
        "worker: claim ward-1",
        "worker: claim",
        "worker: edit ward-1",
        "worker: intercept ward-1 -m 'Now'",
        "other: show ward-1",
        ": show ward-1",
    ]);
    assert!(!said.contains("secret of the ward"), "{said}");
    assert_snapshot!(said, @"
    worker$ show ward-1
    error: gate `release` is not signed for [handoff]@1 [TK-GATE-UNSIGNED]
      hint: its signers run `tasuki sign-off [handoff] --gate release`
    [exit 6]

    worker$ show ward-1 --packet
    error: gate `release` is not signed for [handoff]@1 [TK-GATE-UNSIGNED]
      hint: its signers run `tasuki sign-off [handoff] --gate release`
    [exit 6]

    worker$ show ward-1@1 --json
    error: gate `release` is not signed for [handoff]@1 [TK-GATE-UNSIGNED]
      hint: its signers run `tasuki sign-off [handoff] --gate release`
    [exit 6]

    worker$ resume ward-1
    error: gate `release` is not signed for [handoff]@1 [TK-GATE-UNSIGNED]
      hint: its signers run `tasuki sign-off [handoff] --gate release`
    [exit 6]

    worker$ resume ward-1 --as-packet
    error: gate `release` is not signed for [handoff]@1 [TK-GATE-UNSIGNED]
      hint: its signers run `tasuki sign-off [handoff] --gate release`
    [exit 6]

    worker$ claim ward-1
    error: cannot claim handoff [handoff]: it is held, but must be offered [TK-STATE-CONFLICT]
      hint: `tasuki show` lists the commands that are possible now
    [exit 6]

    worker$ claim
    error: nothing is offered to `worker` [TK-NOTHING-OFFERED]
      hint: `tasuki wait` blocks until something is offered
    [exit 5]

    worker$ edit ward-1
    error: gate `release` is not signed for [handoff]@1 [TK-GATE-UNSIGNED]
      hint: its signers run `tasuki sign-off [handoff] --gate release`
    [exit 6]

    worker$ intercept ward-1 -m 'Now'
    error: only a person can decide; you are an agent [TK-PERSON-NEEDED]
      hint: ask a person to decide, in the console or with the command line under their own name
    [exit 4]

    other$ show ward-1
    error: gate `release` is not signed for [handoff]@1 [TK-GATE-UNSIGNED]
      hint: its signers run `tasuki sign-off [handoff] --gate release`
    [exit 6]

    $ show ward-1
    error: gate `release` is not signed for [handoff]@1 [TK-GATE-UNSIGNED]
      hint: its signers run `tasuki sign-off [handoff] --gate release`
    [exit 6]
    ");
    // Its sender and people may read it; they must.
    for reader in ["main", "pia", "quin"] {
        for line in ["show ward-1", "resume ward-1"] {
            let said = exchange.says(reader, line);
            assert!(said.contains("secret of the ward"), "{said}");
        }
    }
}

#[test]
fn a_search_finds_nothing_in_what_the_caller_may_not_read() {
    let exchange = gated();
    let said = exchange.play(&[
        "worker: search secret ward",
        "worker: search secret ward --json",
        ": search secret ward",
    ]);
    assert_snapshot!(said, @"
    worker$ search secret ward
    No results.

    worker$ search secret ward --json

    $ search secret ward
    No results.
    ");
    for reader in ["main", "pia", "quin"] {
        let said = exchange.says(reader, "search secret ward");
        assert!(said.contains("secret of the ward"), "{said}");
    }
}

#[test]
fn a_card_shows_the_progress_of_a_gate() {
    let said = gated().says("pia", "show ward-1");
    assert!(said.contains("Gate         release@1.0: officer 0 of 1\n"), "{said}");
}

#[test]
fn no_command_bypasses_the_gate_and_signing_needs_a_terminal() {
    let said = gated().play(&[
        "pia: approve ward-1@seen",
        "pia: intercept ward-1",
        "pia: sign-off ward-1 --meaning approved",
        "worker: sign-off ward-1 --meaning approved",
    ]);
    assert_snapshot!(said, @"
    pia$ approve ward-1@seen
    error: gate `release` is not signed for [handoff]@1 [TK-GATE-UNSIGNED]
      hint: its signers run `tasuki sign-off [handoff] --gate release`
    [exit 6]

    pia$ intercept ward-1
    error: gate `release` is not signed for [handoff]@1 [TK-GATE-UNSIGNED]
      hint: its signers run `tasuki sign-off [handoff] --gate release`
    [exit 6]

    pia$ sign-off ward-1 --meaning approved
    error: `pia` has no password
      hint: set one: `tasuki party add pia --human`
    [exit 4]

    worker$ sign-off ward-1 --meaning approved
    error: only a person can sign at a gate; you are an agent [TK-PERSON-NEEDED]
      hint: ask a person to sign with `tasuki sign-off` in a terminal
    [exit 4]
    ");
}

#[test]
fn a_person_signs_with_the_password_and_the_packet_is_released() {
    let exchange = gated();
    let password = ["correct horse", "correct horse"];
    let Some(set) = exchange.at_terminal("", "party add pia --human", &password) else { return };
    assert!(set.contains("pia (human)"), "{set}");
    let without = exchange.says("pia", "sign-off ward-1 --meaning approved");
    assert!(without.contains("cannot ask for a password"), "{without}");

    let sign = |typed: &str, line: &str| exchange.at_terminal("pia", line, &["y", typed]).unwrap();
    let unopened =
        exchange.at_terminal("pia", "sign-off ward-1 --meaning approved", &["n", "correct horse"]);
    let refusal = "requires that you open `evidence` first [TK-GATE-FORBIDDEN]";
    assert!(unopened.as_ref().unwrap().contains(refusal), "{unopened:?}");
    let wrong = sign("correct horsf", "sign-off ward-1 --meaning approved");
    let refusal = "error: wrong password [TK-SIGN-IN-WRONG]\n[exit 4]\n";
    assert!(wrong.ends_with(refusal), "{wrong}");
    let older = sign("correct horse", "sign-off ward-1@2 --meaning approved");
    assert!(older.contains("TK-REVISION-CHANGED"), "{older}");
    let signed = sign("correct horse", "sign-off ward-1 --meaning approved");
    assert_snapshot!(signed, @"
    ward-1  main → worker  waits for sign-off at release

    Handoff ward-1

    OFFICIAL
      Request: Change the dose
      Deadline: none
      From: main · To: worker · Task: ward-1 · Status: in_progress

    Summary:
      The secret of the ward

    Done:
      none

    Remaining:
      1. Apply

    Evidence references:
      - log:trial-1

    Details:
      - Format version: 1.0

    Classification and regulation:
      - Classification: OFFICIAL
      - Regulation: UK-DCB0129 4.2
      - Sign-off gates: release
      - Retention: period: P8Y; schedule_ref: s-1

    OFFICIAL

    Evidence: log:trial-1
    Have you opened the evidence? [y/N] y

    Signing [handoff]@1
            [digest]
    Password for pia: 
    ✓ Signed ward-1. It is offered to worker.
    ");
    assert!(!signed.contains("correct horse"));

    let said = exchange.says("worker", "claim ward-1");
    assert!(said.contains("✓ Claimed"), "{said}");
    assert!(exchange.says("worker", "resume ward-1").contains("secret of the ward"));
}

#[test]
fn a_person_signs_at_a_server_with_the_password() {
    let exchange = gated();
    // Once there is a password, a token of a person needs it.
    let token = exchange.folder.stdout(&["token", "create", "--as", "pia", "-q"]);
    let Some(_) = exchange.at_terminal("", "party add pia --human", &["correct horse"; 2]) else {
        return;
    };
    let (server, client_dir) =
        (ServerProcess::start(&exchange.folder), Folder::outside_repository());
    let sign = |password: &str, line: &str| {
        exchange
            .typed(&server.client_command(&client_dir, token.trim(), line), &["y", password])
            .unwrap()
    };
    let wrong = sign("correct horsf", "sign-off ward-1 --meaning approved");
    let refusal = "error: wrong password [TK-SIGN-IN-WRONG]\n[exit 4]\n";
    assert!(wrong.ends_with(refusal), "{wrong}");
    let signed = sign("correct horse", "sign-off ward-1 --meaning approved");
    let end = signed.find("Signing").unwrap();
    assert_snapshot!(signed[end..], @"
    Signing [handoff]@1
            [digest]
    Password for pia: 
    ✓ Signed ward-1. It is offered to worker.
    ");
    assert!(!signed.contains("correct horse"));
    let said = exchange.says("worker", "claim ward-1");
    assert!(said.contains("✓ Claimed"), "{said}");
    assert_eq!(exchange.json("main", "events --type signed_off")["actor"], "pia");
}

#[test]
fn a_denial_closes_the_gate_and_a_revision_that_was_kept_back_stays_so() {
    let exchange = gated();
    let Some(_) = exchange.at_terminal("", "party add pia --human", &["correct horse"; 2]) else {
        return;
    };
    exchange.run("main", "revise ward-1 other.yaml");
    let sign = |line: &str| exchange.at_terminal("pia", line, &["correct horse"]).unwrap();
    let signed = sign("sign-off ward-1 --meaning approved --opened evidence");
    assert!(signed.contains("✓ Signed"), "{signed}");
    let said = exchange.play(&["worker: show ward-1@2 --packet", "worker: show ward-1@1 --packet"]);
    assert_snapshot!(said, @r#"
    worker$ show ward-1@2 --packet
    handoff_version: "1.0"
    task_id: ward-1
    to_agent: worker
    status: in_progress
    goal: Halve the dose
    summary: The secret of the ward
    completed: []
    remaining: [Apply]
    sign_off_gates: [release]
    classification: OFFICIAL
    retention: { period: P8Y, schedule_ref: s-1 }
    regulation_refs: [{ scheme: UK-DCB0129, ref: "4.2" }]
    evidence_refs: ["log:trial-1"]

    worker$ show ward-1@1 --packet
    error: revision 1 of handoff [handoff] is hidden by a gate [TK-GATE-UNSIGNED]
      hint: only people and the sender can read it
    [exit 6]
    "#);

    exchange.run("main", "revise ward-1 packet.yaml");
    let silent = sign("sign-off ward-1 --deny");
    assert!(silent.contains("TK-REASON-MISSING"), "{silent}");
    let denied = sign("sign-off ward-1 --deny -m 'The dose is wrong'");
    assert!(denied.contains("Refusing to sign ") && denied.contains("✓ Refused"), "{denied}");
    let said = exchange.says("worker", "show ward-1");
    assert!(said.contains("TK-GATE-UNSIGNED"), "{said}");
}
