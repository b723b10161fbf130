//! Reads: lists, pages, packets in every format, the log, the project.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::client::Answer;
use crate::support::test_server::{TestServer, packet};

fn items(answer: &Value) -> &Vec<Value> {
    answer["items"].as_array().unwrap()
}

#[test]
fn a_list_comes_in_pages_without_a_gap() {
    let server = TestServer::new();
    for number in 0..7 {
        server.submitted(&format!("task-{number}"));
        server.advance(Duration::from_secs(1));
    }
    let mut seen = Vec::new();
    let mut path = "/v1/handoffs?limit=3".to_owned();
    loop {
        let page = server.get(&path).by("ana").send().is(200).body;
        assert!(items(&page).len() <= 3);
        seen.extend(items(&page).iter().map(|one| one["task"].as_str().unwrap().to_owned()));
        let Some(next) = page["next"].as_str() else { break };
        path = format!("/v1/handoffs?limit=3&cursor={next}");
    }
    let expected: Vec<String> = (0..7).rev().map(|number| format!("task-{number}")).collect();
    assert_eq!(seen, expected);
    server.get("/v1/handoffs?cursor=x").by("ana").send().refuses(422, "TK-ARGUMENT-INVALID");
}

#[test]
fn a_list_is_filtered_as_on_the_command_line() {
    let server = TestServer::new();
    server.submitted("a");
    server.advance(Duration::from_secs(1));
    server.claimed("b");
    server.advance(Duration::from_secs(1));
    let cancel = json!({ "decision": "cancel" });
    server.submitted("c");
    server.post("/v1/handoffs/c/decisions").by("ana").json(&cancel).send().is(201);
    let tasks = |query: &str| -> Vec<String> {
        let page = server.get(&format!("/v1/handoffs{query}")).by("ana").send().is(200).body;
        items(&page).iter().map(|one| one["task"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(tasks(""), ["b", "a"]);
    assert_eq!(tasks("?all=true"), ["c", "b", "a"]);
    assert_eq!(tasks("?state=claimed,cancelled"), ["c", "b"]);
    assert_eq!(tasks("?task=a&to=ben&from=ana"), ["a"]);
    assert_eq!(tasks("?to=ana"), Vec::<String>::new());
    server.get("/v1/handoffs?to=nobody").by("ana").send().refuses(404, "TK-PARTY-UNKNOWN");
    server.get("/v1/handoffs?state=lost").by("ana").send().refuses(422, "TK-ARGUMENT-INVALID");
    for query in ["/v1/handoffs?state=", "/v1/handoffs?state=held,", "/v1/events?type="] {
        server.get(query).by("ana").send().refuses(422, "TK-ARGUMENT-INVALID");
    }
    server.get("/v1/handoffs?sate=held").by("ana").send().refuses(422, "TK-ARGUMENT-INVALID");
}

#[test]
fn a_packet_is_shown_in_every_form() {
    let server = TestServer::new();
    let id = server.submitted("a");
    let show =
        |query: &str| server.get(&format!("/v1/handoffs/{id}/packet{query}")).by("ben").send();
    let plain = show("").is(200);
    assert_eq!(plain.body["goal"], "Ship a");
    let tag = plain.header("etag").unwrap();
    let known = server.get(&format!("/v1/handoffs/{id}/packet")).by("ben");
    assert_eq!(known.header("if-none-match", tag).send().is(304).text, "");
    assert_eq!(show("?as=sent").is(200).text, packet("a", ""));
    for (form, media, part) in [
        ("yaml", "application/yaml", "goal: Ship a"),
        ("markdown", "text/markdown", "```"),
        ("wire", "application/json", "Ship a"),
        ("brief", "text/markdown", "Ship a"),
        ("agent&budget=800", "text/markdown", "Ship a"),
        ("card", "text/plain", "Ship a"),
        ("comment", "text/markdown", "Ship a"),
        ("html", "text/html", "Ship a"),
    ] {
        let answer = show(&format!("?as={form}")).is(200);
        assert!(answer.header("content-type").unwrap().starts_with(media), "{form}");
        assert!(answer.text.contains(part), "{form}: {}", answer.text);
    }
    show("?as=pdf").refuses(422, "TK-ARGUMENT-INVALID");
    let small = show("?as=agent&budget=5").refuses(422, "TK-ARGUMENT-INVALID");
    assert_eq!(small.body["detail"], "the brief does not fit into 5 tokens");
    for form in ["json", "brief", "yaml"] {
        show(&format!("?as={form}&budget=800")).refuses(422, "TK-ARGUMENT-INVALID");
    }
    show("?rev=2").refuses(422, "TK-ARGUMENT-INVALID");
    let trail = server.get(&format!("/v1/handoffs/{id}/trail")).by("ana").send().is(200);
    assert_eq!(trail.body["audit_trail"][0]["event"], "handoff.submitted");
}

#[test]
fn a_read_by_its_receiver_delivers_it() {
    let server = TestServer::new();
    let id = server.submitted("a");
    server.get(&format!("/v1/handoffs/{id}")).by("ben").send().is(200);
    let deadline = Instant::now() + Duration::from_secs(5);
    loop {
        let shown = server.get(&format!("/v1/handoffs/{id}")).by("ana").send().is(200);
        if shown.body["handoff"]["delivered_at"].is_string() {
            return;
        }
        assert!(Instant::now() < deadline, "the delivery was not recorded");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn events_are_listed_from_any_number_on() {
    let server = TestServer::new();
    server.claimed("a");
    server.submitted("b");
    let all = server.get("/v1/events").by("ana").send().is(200).body;
    let last = items(&all).last().unwrap()["n"].as_u64().unwrap();
    assert_eq!(all["next"], last.to_string());
    let since = server.get(&format!("/v1/events?since={}", last - 1)).by("ana").send().is(200).body;
    assert_eq!(items(&since).len(), 1);
    let none = server.get(&format!("/v1/events?since={last}")).by("ana").send().is(200).body;
    assert_eq!((items(&none).len(), &none["next"]), (0, &all["next"]));
    let both = format!("/v1/events?since=0&after={}&from=1", last - 1);
    assert_eq!(server.get(&both).by("ana").send().is(200).body, since);
    let claimed = server.get("/v1/events?type=claimed&task=a&party=ben").by("ana").send().is(200);
    assert_eq!(items(&claimed.body).len(), 1);
    let slip =
        server.get("/v1/events?type=claimd").by("ana").send().refuses(422, "TK-ARGUMENT-INVALID");
    assert_eq!(slip.body["hint"], "did you mean `claimed`?");
}

#[test]
fn an_inbox_waits_until_something_is_for_the_caller() {
    let server = TestServer::new();
    let start = Instant::now();
    let empty = server.get("/v1/inbox").by("ben").header("prefer", "wait=1").send().is(200);
    assert_eq!(empty.header("preference-applied"), Some("wait=1"));
    assert!(start.elapsed() >= Duration::from_secs(1));
    assert_eq!(empty.body["handoffs"], json!([]));
    let (inbox, sent) = server.runtime.block_on(async {
        let start = Instant::now();
        let waiting = server.get("/v1/inbox").by("ben").header("prefer", "wait=30").sent();
        let sending = async {
            tokio::time::sleep(Duration::from_millis(50)).await;
            server.post("/v1/handoffs").by("ana").yaml(&packet("news", "")).sent().await
        };
        let both = tokio::join!(waiting, sending);
        assert!(start.elapsed() < Duration::from_secs(10));
        both
    });
    assert_eq!((sent.status, &inbox.body["handoffs"][0]["task"]), (201, &json!("news")));
}

#[test]
fn a_failure_during_a_wait_ends_it_and_an_earlier_one_does_not() {
    let server = TestServer::new();
    let decline = json!({ "reason": "busy" });
    let path = |task: &str| format!("/v1/handoffs/{task}/declines");
    server.submitted("first");
    server.post(&path("first")).by("ben").json(&decline).send().is(201);
    server.submitted("second");
    let inbox = server.runtime.block_on(async {
        let start = Instant::now();
        let waiting = server.get("/v1/inbox").by("ana").header("prefer", "wait=30").sent();
        let failing = async {
            tokio::time::sleep(Duration::from_millis(200)).await;
            server.post(&path("second")).by("ben").json(&decline).sent().await.is(201);
        };
        let (inbox, ()) = tokio::join!(waiting, failing);
        assert!(start.elapsed() < Duration::from_secs(10));
        assert!(start.elapsed() >= Duration::from_millis(200), "the first failure ended the wait");
        inbox.is(200)
    });
    assert_eq!(inbox.body["failures"].as_array().unwrap().len(), 2);
}

#[test]
fn an_inbox_is_answered_when_parked_work_can_be_claimed() {
    let server = TestServer::new();
    server.submitted("later");
    let claimed = server.post("/v1/claims").by("ben").send().is(201).body;
    let claim = claimed["claim"]["id"].as_str().unwrap();
    let park = json!({ "for": "1s" });
    server.post(&format!("/v1/claims/{claim}/park")).by("ben").json(&park).send().is(200);
    let inbox = server.runtime.block_on(async {
        let start = Instant::now();
        let waiting = server.get("/v1/inbox").by("ben").header("prefer", "wait=30").sent();
        let passing = async {
            tokio::time::sleep(Duration::from_millis(50)).await;
            server.advance(Duration::from_secs(2));
        };
        let (inbox, ()) = tokio::join!(waiting, passing);
        assert!(start.elapsed() < Duration::from_secs(10));
        inbox.is(200)
    });
    assert_eq!(inbox.body["handoffs"][0]["task"], "later");
    assert_eq!(inbox.body["as_of"], "2026-11-15T10:00:02.000000Z", "the time of the response");
}

/// Returns the response to a caller that waits for its inbox while its credential changes.
fn waited_while(
    life: &str,
    seconds: u32,
    meanwhile: impl AsyncFnOnce(&TestServer, &str),
) -> Answer {
    let server = TestServer::new();
    let body = json!({ "party": "ben", "for": life });
    let made = server.post("/v1/tokens").by("pia").json(&body).send().is(201).body;
    let token = &made["token"];
    let prefer = format!("wait={seconds}");
    server.runtime.block_on(async {
        let waiting = server.get("/v1/inbox").by(token["text"].as_str().unwrap());
        let waiting = waiting.header("prefer", &prefer).sent();
        let acting = async {
            tokio::time::sleep(Duration::from_millis(100)).await;
            meanwhile(&server, token["id"].as_str().unwrap()).await;
        };
        tokio::join!(waiting, acting).0
    })
}

#[test]
fn a_waiting_caller_whose_token_ends_is_refused() {
    let revoked = waited_while("1h", 30, async |server, id| {
        server.request("DELETE", &format!("/v1/tokens/{id}")).by("pia").sent().await.is(200);
        server.post("/v1/handoffs").by("ana").yaml(&packet("news", "")).sent().await.is(201);
    });
    revoked.refuses(401, "TK-TOKEN-REVOKED");
    let expired = waited_while("1h", 30, async |server, _| {
        server.advance(Duration::from_hours(1));
        server.post("/v1/handoffs").by("ana").yaml(&packet("news", "")).sent().await.is(201);
    });
    expired.refuses(401, "TK-TOKEN-EXPIRED");
    let at_the_end =
        waited_while("1h", 1, async |server, _| server.advance(Duration::from_hours(1)));
    at_the_end.refuses(401, "TK-TOKEN-EXPIRED");
}

#[test]
fn a_waiting_caller_whose_session_ends_is_refused() {
    let server = TestServer::new();
    let cookie = server.signed_in();
    let inbox = server.runtime.block_on(async {
        let waiting = server.get("/v1/inbox").with(&cookie).header("prefer", "wait=30").sent();
        let acting = async {
            tokio::time::sleep(Duration::from_millis(100)).await;
            server.request("DELETE", "/v1/sessions").with(&cookie).sent().await.is(204);
            let to_pia = packet("news", "").replace("to_agent: ben", "to_agent: pia");
            server.post("/v1/handoffs").by("ana").yaml(&to_pia).sent().await.is(201);
        };
        tokio::join!(waiting, acting).0
    });
    inbox.refuses(401, "TK-SESSION-EXPIRED");
}

#[test]
fn words_are_found_but_not_behind_a_gate() {
    let server = TestServer::new();
    let gate = json!({ "document": {
        "gate": "release", "version": "1.0",
        "factors": [{ "name": "people", "roles": ["people"], "approvals": 1 }],
    } });
    let role = json!({ "name": "role:people", "members": ["pia"] });
    server.post("/v1/parties").by("pia").json(&role).send().is(201);
    server.post("/v1/gates").by("pia").json(&gate).send().is(201);
    let contract = json!({ "document": {
        "contract": "work", "version": "1.0", "from": ["ana"], "to": ["ben"], "gates": ["release"],
        "payload_schema": {}, "scope": { "is": "work" }, "confidence": { "required": false },
        "provenance": { "require": [] }, "fallback": [{ "to": "dead_letter" }],
    } });
    server.submitted("open");
    server.post("/v1/contracts").by("pia").json(&contract).send().is(201);
    let secret = packet("closed", "summary: The zanzibar finding\n");
    let held = server.post("/v1/handoffs").by("ana").yaml(&secret).send().is(201);
    assert_eq!(held.body["handoff"]["held_for"], json!(["gate:release"]));
    let found = |who: &str, word: &str| {
        let page = server.get(&format!("/v1/search?q={word}")).by(who).send().is(200).body;
        items(&page).len()
    };
    assert!(found("ben", "ship") > 0);
    assert_eq!(found("ben", "zanzibar"), 0);
    assert_eq!((found("ana", "zanzibar"), found("pia", "zanzibar")), (1, 1));
    server.get("/v1/handoffs/closed").by("ben").send().refuses(409, "TK-GATE-UNSIGNED");
    server.get("/v1/handoffs/closed/packet").by("ben").send().refuses(409, "TK-GATE-UNSIGNED");
    server.get("/v1/search").by("ben").send().refuses(422, "TK-ARGUMENT-INVALID");

    let shown = server.get("/v1/contracts/work").by("ben").send().is(200);
    assert_eq!(shown.body["document"]["gates"], json!(["release"]));
    server.get("/v1/contracts/work@2.0").by("ben").send().refuses(404, "TK-CONTRACT-UNKNOWN");
    assert_eq!(
        items(&server.get("/v1/contracts").by("ben").send().is(200).body)[0]["contract"],
        "work"
    );
    assert_eq!(items(&server.get("/v1/gates").by("ben").send().is(200).body)[0]["gate"], "release");
    assert_eq!(
        server.get("/v1/gates/release").by("ben").send().is(200).body["document"]["gate"],
        "release"
    );
    server.get("/v1/gates/nothing").by("ben").send().refuses(404, "TK-GATE-UNKNOWN");
    let other = json!({ "document": contract["document"].clone(), "schemas": {} });
    assert_eq!(
        server.post("/v1/contracts").by("pia").json(&other).send().is(201).body["repeated"],
        true
    );
    server.post("/v1/contracts").by("ana").json(&other).send().refuses(403, "TK-SCOPE-MISSING");
    server
        .post("/v1/contracts")
        .by("pia")
        .json(&json!({ "document": {} }))
        .send()
        .refuses(422, "TK-DOCUMENT-INVALID");
}

#[test]
fn an_inbox_comes_in_pages() {
    let server = TestServer::new();
    for task in ["one", "two", "three"] {
        server.submitted(task);
    }
    let page = |cursor: &str| {
        server.get(&format!("/v1/inbox?limit=2{cursor}")).by("ben").send().is(200).body
    };
    let first = page("");
    let second = page(&format!("&cursor={}", first["next"].as_str().unwrap()));
    let seen: Vec<_> = [&first, &second]
        .iter()
        .flat_map(|page| page["handoffs"].as_array().unwrap())
        .map(|one| one["task"].as_str().unwrap())
        .collect();
    assert_eq!(seen, ["one", "two", "three"]);
    assert_eq!([&first["more"], &second["more"]], [true, false]);
    assert_eq!(second["next"], json!(null));
    server.get("/v1/inbox?cursor=x").by("ben").send().refuses(422, "TK-ARGUMENT-INVALID");
}

#[test]
fn a_contract_with_lint_errors_is_not_published() {
    let server = TestServer::new();
    let contract = json!({ "document": {
        "contract": "work", "version": "1.0", "from": ["ana"], "to": ["ben"],
        "payload_schema": {}, "confidence": { "required": false }, "provenance": { "require": [] },
        "fallback": [{ "to": "pia", "on": "invalid" }, { "to": "dead_letter" }],
    } });
    let refused = server.post("/v1/contracts").by("pia").json(&contract).send();
    let refused = refused.refuses(422, "TK-DOCUMENT-INVALID");
    let found = refused.body["violations"].as_array().unwrap();
    let violations: Vec<_> = found.iter().map(|one| (&one["code"], &one["pointer"])).collect();
    let expected = [
        (&json!("TK-CONTRACT-PART"), &json!("/scope")),
        (&json!("TK-CONTRACT-LADDER"), &json!("/fallback/0/on")),
    ];
    assert_eq!(violations, expected);
}

#[test]
fn a_name_with_escapes_has_the_same_answer_as_a_plain_one() {
    let server = TestServer::new();
    let body = |path: &str| {
        let answer = server.get(path).by("ana").send().is(200);
        let length = answer.headers["content-length"].to_str().unwrap();
        assert_eq!(length, answer.text.len().to_string());
        let headers = answer.headers.iter().map(|(name, value)| format!("{name}: {value:?}"));
        (headers.collect::<Vec<_>>(), answer.text)
    };
    assert_eq!(body("/v1/parties/pia"), body("/v1/parties/%70ia"));
}

#[test]
fn the_project_is_shown_and_set() {
    let server = TestServer::new();
    let shown = server.get("/v1/project").by("ana").send().is(200);
    assert_eq!((&shown.body["project"], &shown.body["halted"]), (&json!("default"), &json!(false)));
    let set = |body: Value| server.request("PATCH", "/v1/project").by("pia").json(&body).send();
    set(json!({ "hops": 8 })).is(200);
    assert_eq!(server.get("/v1/project").by("ana").send().body["settings"]["hops"], 8);
    let slip = set(json!({ "hop": 8 })).refuses(422, "TK-ARGUMENT-INVALID");
    assert_eq!(slip.body["hint"], "did you mean `hops`?");
    set(json!({ "hops": "many" })).refuses(422, "TK-ARGUMENT-INVALID");

    let rules = server.get("/v1/rules").by("ana").send().is(200);
    assert_eq!(rules.body["document"], Value::Null);
    let document = json!({ "document": { "rules": "ours", "version": "1.0" } });
    let answer = server.request("PUT", "/v1/rules").by("pia").json(&document).send();
    assert!(matches!(answer.status, 200 | 422), "{}", answer.text);

    let who = server.get("/v1/whoami").by("box").send().is(200);
    assert_eq!((&who.body["party"], &who.body["scopes"]), (&json!("box"), &json!(["submit"])));
    let parties = server.get("/v1/parties").by("ana").send().is(200);
    assert_eq!(items(&parties.body).len(), 4);
    let mailbox = json!({ "name": "pia", "email": "pia@example.org" });
    server.post("/v1/parties").by("pia").json(&mailbox).send().is(201);
    let card = server.get("/v1/parties/pia").by("ana").send().is(200);
    assert_eq!(card.body["email"], "pia@example.org");
    assert!(!server.get("/v1/parties").by("ana").send().text.contains("example.org"));
    server.get("/v1/parties/nobody").by("ana").send().refuses(404, "TK-PARTY-UNKNOWN");
}

#[test]
fn a_halt_stops_claims_until_it_is_lifted() {
    let server = TestServer::new();
    let (id, token) = server.claimed("a");
    server.post("/v1/halt").by("ana").send().refuses(403, "TK-SCOPE-MISSING");
    server.post("/v1/halt").by("pia").json(&json!({ "reason": "the key leaked" })).send().is(200);
    let path = format!("/v1/handoffs/{id}/returns?fence={token}");
    let packet = "handoff_version: '1.0'\npacket_type: return\nstatus: completed\nsummary: Done\n";
    server.post(&path).by("ben").yaml(packet).send().refuses(409, "TK-PROJECT-HALTED");
    server.request("DELETE", "/v1/halt").by("pia").send().refuses(422, "TK-REASON-MISSING");
    server.request("DELETE", "/v1/halt?reason=replaced").by("pia").send().is(200);
    server
        .request("DELETE", "/v1/halt?reason=twice")
        .by("pia")
        .send()
        .refuses(409, "TK-PROJECT-RUNNING");
    server.post(&format!("/v1/handoffs/{id}/claims")).by("ben").send().is(201);
}

#[test]
fn the_log_is_printed_as_it_was_hashed_and_checked() {
    let server = TestServer::new();
    server.claimed("a");
    let leaves = server.get("/v1/log/leaves?from=1&limit=2").by("ana").send().is(200);
    assert_eq!(leaves.header("content-type"), Some("application/jsonl"));
    assert_eq!(leaves.text.lines().count(), 2);
    let checked = server.get("/v1/log/check").by("pia").send().is(200);
    assert_eq!(checked.body["intact"], true);
    server.get("/v1/log/check?from=9999").by("pia").send().refuses(422, "TK-ARGUMENT-INVALID");
    server.get("/v1/log/check").by("ana").send().refuses(403, "TK-SCOPE-MISSING");
    let stats = server.get("/v1/stats").by("ana").send().is(200);
    assert_eq!(items(&stats.body)[0]["handoffs"], 1);
}

#[test]
fn a_packet_is_checked_and_nothing_is_stored() {
    let server = TestServer::new();
    let check = |query: &str, text: &str| {
        server.post(&format!("/v1/handoff/validate{query}")).by("box").yaml(text).send()
    };
    let good = check("", &packet("a", "")).is(200).body;
    assert_eq!((&good["valid"], &good["form"]), (&json!(true), &json!("yaml")));
    let bad = check("?variant=strict", &packet("a", "confidence: 74\n")).is(200).body;
    assert_eq!(bad["valid"], false);
    assert!(bad["violations"].as_array().unwrap().iter().any(|one| one["line"].is_u64()));
    check("?variant=none", &packet("a", "")).refuses(422, "TK-ARGUMENT-INVALID");
    check("?contract=none", &packet("a", "")).refuses(404, "TK-CONTRACT-UNKNOWN");
    assert_eq!(check("", "free text").is(200).body["valid"], false);
    assert_eq!(items(&server.get("/v1/handoffs?all=true").by("ana").send().body).len(), 0);
}

#[test]
fn schemas_and_the_openapi_document_are_public() {
    let server = TestServer::new();
    let schema = server.get("/v1/handoff/schema?variant=regulated").send().is(200);
    assert!(schema.body["$id"].as_str().unwrap().ends_with("/regulated.json"));
    assert!(server.get("/v1/handoff/schema").send().is(200).text.contains("/baseline.json"));
    server.get("/v1/handoff/schema?variant=none").send().refuses(422, "TK-ARGUMENT-INVALID");
    assert_eq!(server.get("/v1/openapi.json").send().is(200).body["openapi"], "3.1.0");
}
