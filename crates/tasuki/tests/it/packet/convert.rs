//! `tasuki convert`: every form to every other, dialects in and out, and what is left behind.

use insta::assert_snapshot;

use crate::support::folder::Folder;
use crate::support::samples::{HANDOFF, WRONG, with_handoff};

#[test]
fn a_packet_is_written_in_every_form() {
    let folder = with_handoff();
    let convert = |form| folder.run(&["convert", "handoff.yaml", "--to", form]);
    assert_snapshot!(convert("yaml"), @r#"
    exit 0
    --- stdout
    handoff_version: "1.0"
    task_id: build-42
    from_agent: planner
    to_agent: coder
    status: in_progress
    goal: Ship the web part
    completed:
      - Scaffolded it
    remaining:
      - Write the component
    "#);
    assert_snapshot!(convert("json"), @r#"
    exit 0
    --- stdout
    {
      "handoff_version": "1.0",
      "task_id": "build-42",
      "from_agent": "planner",
      "to_agent": "coder",
      "status": "in_progress",
      "goal": "Ship the web part",
      "completed": [
        "Scaffolded it"
      ],
      "remaining": [
        "Write the component"
      ]
    }
    "#);
    assert_snapshot!(convert("wire"), @r#"
    exit 0
    --- stdout
    {"tasuki":"wire/1","handoff_version":"1.0","task_id":"build-42","from_agent":"planner","to_agent":"coder","status":"in_progress","goal":"Ship the web part","completed":["Scaffolded it"],"remaining":["Write the component"]}
    "#);
    assert_snapshot!(convert("markdown"), @r#"
    exit 0
    --- stdout
    # Handoff build-42

    **Request:** Ship the web part

    **Deadline:** none

    **From:** planner · **To:** coder · **Task:** build-42 · **Status:** in_progress

    ## Done

    1. Scaffolded it

    ## Remaining

    2. Write the component

    ## Details

    | Field | Value |
    | --- | --- |
    | Format version | 1.0 |

    ```tasuki
    handoff_version: "1.0"
    task_id: build-42
    from_agent: planner
    to_agent: coder
    status: in_progress
    goal: Ship the web part
    completed:
      - Scaffolded it
    remaining:
      - Write the component
    ```
    "#);
}

#[test]
fn every_form_comes_back_to_the_same_packet() {
    for form in ["yaml", "json", "wire", "markdown"] {
        let folder = with_handoff();
        let text = folder.stdout(&["convert", "handoff.yaml", "--to", form]);
        let folder = folder.with("other", text);
        assert_eq!(folder.exit(&["diff", "handoff.yaml", "other"]), 0, "{form}");
        let back = folder.stdout(&["convert", "other", "--to", "yaml", "-q"]);
        assert_eq!(back, folder.stdout(&["convert", "handoff.yaml", "--to", "yaml"]), "{form}");
    }
}

#[test]
fn comments_and_prose_are_left_behind_and_said_so() {
    let commented = HANDOFF.replace("status: in_progress", "status: in_progress # for now");
    let folder = Folder::new().with("one.yaml", &commented).with(
        "issue.md",
        format!("# Issue\n\nText.\n\n```tasuki\n# First\n{commented}```\n\nMore.\n"),
    );
    assert_snapshot!(folder.run(&["convert", "one.yaml", "--to", "wire"]), @r#"
    exit 0
    --- stdout
    {"tasuki":"wire/1","handoff_version":"1.0","task_id":"build-42","from_agent":"planner","to_agent":"coder","status":"in_progress","goal":"Ship the web part","completed":["Scaffolded it"],"remaining":["Write the component"]}
    --- stderr
    note: 1 comment is dropped
    "#);
    assert_snapshot!(folder.run(&["convert", "issue.md", "--to", "wire"]), @r#"
    exit 0
    --- stdout
    {"tasuki":"wire/1","handoff_version":"1.0","task_id":"build-42","from_agent":"planner","to_agent":"coder","status":"in_progress","goal":"Ship the web part","completed":["Scaffolded it"],"remaining":["Write the component"]}
    --- stderr
    note: 2 comments are dropped
    note: 4 lines of text around the packet are dropped
    "#);
    assert_snapshot!(folder.run(&["convert", "issue.md", "--to", "wire", "--json"]), @r#"
    exit 0
    --- stdout
    {"form":"wire","text":"{\"tasuki\":\"wire/1\",\"handoff_version\":\"1.0\",\"task_id\":\"build-42\",\"from_agent\":\"planner\",\"to_agent\":\"coder\",\"status\":\"in_progress\",\"goal\":\"Ship the web part\",\"completed\":[\"Scaffolded it\"],\"remaining\":[\"Write the component\"]}\n","notes":["2 comments are dropped","4 lines of text around the packet are dropped"],"lost":[]}
    "#);
    assert_snapshot!(folder.run(&["convert", "issue.md", "--to", "wire", "--quiet"]), @r#"
    exit 0
    --- stdout
    {"tasuki":"wire/1","handoff_version":"1.0","task_id":"build-42","from_agent":"planner","to_agent":"coder","status":"in_progress","goal":"Ship the web part","completed":["Scaffolded it"],"remaining":["Write the component"]}
    --- stderr
    note: 2 comments are dropped
    note: 4 lines of text around the packet are dropped
    "#);
}

#[test]
fn a_document_of_another_system_stays_one_or_becomes_a_packet_with_notes() {
    let folder = Folder::new().with_copy_of("examples/02-dialects");
    assert_snapshot!(folder.run(&["convert", "card.json", "--to", "yaml"]), @"
    exit 0
    --- stdout
    sourceAgent: Web Scraper
    destinationAgent: Data Synthesizer
    goal: Extract pricing tiers into standardized JSON structure.
    summary: I have crawled the target domain and identified 42 pages containing tabular data that likely represent pricing structures.
    payload:
      - label: Scraped URLs
        value: 42 pages processed
      - label: Extraction Rule
        value: Find pricing tables
      - label: Cost Incurred
        value: $0.45
    nextRequest: Please parse the HTML tables in this payload and ensure the resulting JSON matches the ProductTier schema.
    canIntercept: true
    ");
    let packet = ["--dialect", "packet", "--force"];
    let card = folder.run(&[&["convert", "card.json", "--to", "yaml"][..], &packet].concat());
    assert_snapshot!(card, @r#"
    exit 0
    --- stdout
    handoff_version: "1.0"
    packet_type: handoff
    from_agent: Web Scraper
    to_agent: Data Synthesizer
    goal: Extract pricing tiers into standardized JSON structure.
    summary: I have crawled the target domain and identified 42 pages containing tabular data that likely represent pricing structures.
    next_request: Please parse the HTML tables in this payload and ensure the resulting JSON matches the ProductTier schema.
    payload:
      - label: Scraped URLs
        value: 42 pages processed
      - label: Extraction Rule
        value: Find pricing tables
      - label: Cost Incurred
        value: $0.45
    can_intercept: true
    --- stderr
    note: read as card
    note: /sourceAgent: becomes `from_agent`
    note: /destinationAgent: becomes `to_agent`
    note: /nextRequest: becomes `next_request`
    note: /canIntercept: becomes `can_intercept`
    note: the packet: `handoff_version` defaults to `1.0`
    note: the packet: `packet_type` defaults to `handoff`
    "#);
    let ahp = folder.run(&["convert", "ahp-flat.yaml", "--to", "json", "--json"]);
    assert_snapshot!(ahp, @r#"
    exit 0
    --- stdout
    {"form":"json","text":"{\n  \"packet_type\": \"handoff\",\n  \"goal\": \"Implement validator examples\",\n  \"target_agent\": \"executor\",\n  \"constraints\": [\n    \"Do not modify protected runtime data\",\n    \"Note: the schema is frozen for this week\"\n  ],\n  \"inputs\": [\n    \"schemas/packet.schema.json\",\n    \"examples/\"\n  ],\n  \"expected_outputs\": [\n    \"validator result\",\n    \"changed paths\"\n  ],\n  \"acceptance\": [\n    \"Examples validate successfully\"\n  ],\n  \"failure_boundary\": [\n    \"Stop before publishing external resources\"\n  ],\n  \"return_required\": [\n    \"status\",\n    \"changed_paths\",\n    \"verification\",\n    \"blockers\",\n    \"handoff_summary\"\n  ],\n  \"human_brief\": \"Please implement the validator examples and report verification evidence.\"\n}\n","notes":[],"lost":[]}
    "#);
}

#[test]
fn what_another_system_has_no_place_for_is_named() {
    let folder = with_handoff();
    let convert = |dialect| {
        folder.run(&["convert", "handoff.yaml", "--force", "--to", "json", "--dialect", dialect])
    };
    assert_snapshot!(convert("card"), @r#"
    exit 0
    --- stdout
    {
      "sourceAgent": "planner",
      "destinationAgent": "coder",
      "goal": "Ship the web part"
    }
    --- stderr
    lost: /task_id: not supported by `card`
    lost: /status: not supported by `card`
    lost: /completed: not supported by `card`
    lost: /remaining: not supported by `card`
    "#);
    assert_snapshot!(convert("incident"), @r#"
    exit 0
    --- stdout
    {
      "incident_id": "build-42"
    }
    --- stderr
    lost: /from_agent: not supported by `incident`
    lost: /to_agent: not supported by `incident`
    lost: /goal: not supported by `incident`
    lost: /completed: not supported by `incident`
    lost: /remaining: not supported by `incident`
    "#);
    assert_snapshot!(convert("ahb"), @"
    exit 2
    --- stderr
    error: unknown dialect `ahb`
      hint: use one of packet, handoff-protocol, works-with-agents, ahp, incident, fastio, card
    ");
}

#[test]
fn a_dialect_with_room_keeps_everything() {
    let folder = with_handoff();
    let convert = |dialect| {
        folder.run(&["convert", "handoff.yaml", "--force", "--to", "json", "--dialect", dialect])
    };
    assert_snapshot!(convert("ahp"), @r#"
    exit 0
    --- stdout
    {
      "packet_type": "handoff",
      "goal": "Ship the web part",
      "target_agent": "coder",
      "task_id": "build-42",
      "from_agent": "planner",
      "status": "in_progress",
      "completed": [
        "Scaffolded it"
      ],
      "remaining": [
        "Write the component"
      ]
    }
    "#);
}

#[test]
fn a_message_with_parts_carries_the_rest_in_an_extension() {
    let folder = with_handoff();
    let convert =
        |dialect| folder.run(&["convert", "handoff.yaml", "--to", "json", "--dialect", dialect]);
    assert_snapshot!(convert("works-with-agents"), @r#"
    exit 0
    --- stdout
    {
      "task_id": "build-42",
      "sender": {
        "agent_id": "planner"
      },
      "context": {
        "task_description": "Ship the web part",
        "agent_memory": {
          "pending_items": [
            "Write the component"
          ]
        },
        "extensions": {
          "tasuki": {
            "to_agent": "coder",
            "status": "in_progress",
            "completed": [
              "Scaffolded it"
            ]
          }
        }
      }
    }
    "#);
    assert_snapshot!(convert("handoff-protocol"), @r#"
    exit 0
    --- stdout
    {
      "handoff_version": "1.0",
      "task_id": "build-42",
      "from_agent": "planner",
      "to_agent": "coder",
      "status": "in_progress",
      "completed": [
        "Scaffolded it"
      ],
      "remaining": [
        "Write the component"
      ],
      "goal": "Ship the web part"
    }
    "#);
    assert_snapshot!(convert("fastio"), @r#"
    exit 0
    --- stdout
    {
      "handoff_version": "1.0",
      "task_id": "build-42",
      "from_agent": "planner",
      "to_agent": "coder",
      "status": "in_progress",
      "goal": "Ship the web part",
      "completed": [
        "Scaffolded it"
      ],
      "remaining": [
        "Write the component"
      ]
    }
    "#);
}

#[test]
fn a_new_file_is_written_and_an_old_one_is_kept() {
    let folder = with_handoff();
    let convert = || folder.run(&["convert", "handoff.yaml", "--to", "json", "--out", "new.json"]);
    assert_snapshot!(convert(), @"
    exit 0
    --- stderr
    Wrote new.json
    ");
    let written = folder.read("new.json");
    assert_eq!(written, folder.stdout(&["convert", "handoff.yaml", "--to", "json"]));
    assert_snapshot!(convert(), @"
    exit 2
    --- stderr
    error: cannot write new.json: file exists
      hint: choose another name, or remove the file
    ");
    assert_eq!(folder.read("new.json"), written);
    let nowhere = folder.run(&["convert", "handoff.yaml", "--to", "json", "--out", "no/new.json"]);
    assert_snapshot!(nowhere, @"
    exit 2
    --- stderr
    error: cannot write no/new.json: no such file or directory
    ");
}

#[test]
fn an_invalid_packet_is_converted_by_force_and_an_unreadable_one_is_not() {
    let folder = Folder::new().with("wrong.yaml", WRONG).with("torn.json", "{\"goal\": \n");
    assert_eq!(folder.exit(&["convert", "wrong.yaml", "--to", "json"]), 3);
    assert_eq!(folder.exit(&["convert", "wrong.yaml", "--to", "json", "--force"]), 0);
    assert_snapshot!(folder.run(&["convert", "torn.json", "--to", "yaml"]), @"
    exit 3
    --- stderr
    error: torn.json is not a valid packet

    torn.json:2:1: TK-JSON-SYNTAX unexpected end of the document: expected a value
    ");
    assert_snapshot!(folder.run_with(&["convert", "-", "--to", "yaml"], "Go on.\n"), @"
    exit 3
    --- stderr
    error: <stdin> is not a valid packet

    <stdin>: TK-PACKET-FREE-TEXT expected a packet, found prose
      = allowed: an object with fields such as `task_id` and `goal`
      = hint: run `tasuki init --packet` to create a packet
    ");
    assert_snapshot!(folder.run(&["convert", "wrong.yaml"]), @"
    exit 2
    --- stderr
    error: the following required arguments were not provided:
      --to <FORM>

    Usage: tasuki convert --to <FORM> <FILE>

    For more information, try '--help'.
    ");
}
