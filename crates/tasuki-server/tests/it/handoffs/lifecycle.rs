//! The life of a handoff over HTTP.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tasuki_api::handoff::PACKET_REQUEST_MEDIA;
use tasuki_server::{Limits, Settings};
use tasuki_store::{Options, SqliteStore};

use crate::support::test_server::{TestServer, packet};

const RETURN: &str =
    "handoff_version: '1.0'\npacket_type: return\nstatus: completed\nsummary: Shipped\n";
const CHECKPOINT: &str =
    "handoff_version: '1.0'\npacket_type: checkpoint\ncompleted: [wrote the parser]\n";

#[test]
fn the_next_process_of_a_holder_adopts_its_claim_and_the_former_one_is_refused() {
    let server = TestServer::new();
    server.submitted("build-42");
    let claimed = server.post("/v1/claims").by("ben").send().is(201);
    let path = format!("/v1/claims/{}/adopt", claimed.body["claim"]["id"].as_str().unwrap());
    assert_eq!(server.post(&path).by("ana").send().is(409).code(), "TK-CLAIM-STALE");
    let adopted = server.post(&path).by("ben").send().is(200);
    assert_eq!(adopted.body["claim"]["fence"], 2);
    assert_ne!(adopted.body["claim"]["id"], claimed.body["claim"]["id"]);
    assert_eq!(adopted.body["handoff"]["attempt"], 1);
    assert_eq!(server.post(&path).by("ben").send().is(409).code(), "TK-CLAIM-STALE");
    for (fence, status) in [(1, 409), (2, 201)] {
        let path = format!("/v1/handoffs/build-42/checkpoints?fence={fence}");
        server.post(&path).by("ben").yaml(CHECKPOINT).send().is(status);
    }
}

#[test]
fn a_submit_may_bring_the_variant_of_its_packet() {
    let server = TestServer::new();
    let variant = json!({ "variant": "team", "require": ["ticket"] });
    let send = |path: &str, by: &str, source: &str| {
        let body = json!({ "packet": source, "variant": variant });
        server.post(path).by(by).body(PACKET_REQUEST_MEDIA, body.to_string().as_bytes()).send()
    };
    let missing = send("/v1/handoffs", "ana", &packet("a", "profile: team\n"));
    assert_eq!(missing.is(422).body["violations"][0]["pointer"], "/ticket");
    let source = packet("a", "profile: team\nticket: 7\n");
    server.post("/v1/handoffs").by("ana").yaml(&source).send().is(422);
    let id = send("/v1/handoffs", "ana", &source).is(201).body["handoff"]["id"].clone();
    let path = format!("/v1/handoffs/{}", id.as_str().unwrap());
    let claim = server.post(&format!("{path}/claims")).by("ben").send().is(201);
    let path = format!("{path}/checkpoints?fence={}", claim.body["claim"]["fence"]);
    send(&path, "ben", CHECKPOINT).refuses(422, "TK-ARGUMENT-INVALID");
}

#[test]
fn work_is_handed_over_claimed_returned_and_verified() {
    handed_over_claimed_returned_and_verified(&TestServer::new());
}

#[test]
fn the_same_on_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(
        SqliteStore::open(folder.path(), Options { serve: true, ..Options::default() }).unwrap(),
    );
    let server = TestServer::on(store, Settings::default());
    handed_over_claimed_returned_and_verified(&server);
}

fn handed_over_claimed_returned_and_verified(server: &TestServer) {
    let more = "return_required: [status, summary]\n";
    let sent = server.post("/v1/handoffs").by("ana").yaml(&packet("build-42", more)).send().is(201);
    let id = sent.body["handoff"]["id"].as_str().unwrap().to_owned();
    assert_eq!(sent.header("location"), Some(format!("/v1/handoffs/{id}").as_str()));
    assert!(sent.header("etag").unwrap().starts_with("\"1-"));

    let inbox = server.get("/v1/inbox").by("ben").send().is(200);
    assert_eq!(inbox.body["handoffs"][0]["task"], "build-42");

    let claimed = server.post("/v1/claims").by("ben").send().is(201);
    let (token, claim) = (&claimed.body["claim"]["fence"], &claimed.body["claim"]["id"]);
    assert_eq!((token.as_u64(), &claimed.body["claim"]["lease"]), (Some(1), &json!("30m")));

    let path = format!("/v1/handoffs/{id}/checkpoints?fence={token}");
    let left = server.post(&path).by("ben").yaml(CHECKPOINT).send().is(201);
    assert_eq!(left.body["handoff"]["checkpoints"], 1);

    let path = format!("/v1/claims/{}/renew", claim.as_str().unwrap());
    server.advance(Duration::from_mins(5));
    let renewed = server.post(&path).by("ben").json(&json!({ "lease": "2h" })).send().is(200);
    assert_eq!(renewed.body["claim"]["until"], "2026-11-15T12:05:00.000000Z");

    let path = format!("/v1/handoffs/build-42/returns?fence={token}");
    let returned = server.post(&path).by("ben").yaml(RETURN).send().is(201);
    assert_eq!(returned.body["handoff"]["state"], "returned");

    let path = format!("/v1/handoffs/{}/verdicts", &id[id.len() - 6..]);
    let verdict = json!({ "result": "pass", "return": returned.body["handoff"]["return_id"] });
    let verified = server.post(&path).by("ana").json(&verdict).send().is(201);
    assert_eq!(verified.body["handoff"]["state"], "done");

    let timeline = server.get("/v1/tasks/build-42/timeline").by("ana").send().is(200);
    let kinds: Vec<&str> = timeline.body["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|event| event["type"].as_str().unwrap())
        .collect();
    assert_eq!(kinds[0], "handoff.submitted");
    assert_eq!(*kinds.last().unwrap(), "handoff.done");
}

#[test]
fn every_form_of_a_packet_is_read() {
    let server = TestServer::new();
    let value = json!({
        "handoff_version": "1.0", "task_id": "a", "from_agent": "ana", "to_agent": "ben",
        "status": "in_progress", "goal": "Ship", "completed": [], "remaining": [],
    });
    server.post("/v1/handoffs").by("ana").json(&value).send().is(201);
    server.post("/v1/handoffs").by("ana").yaml(&packet("b", "")).send().is(201);
    let comment = format!("I have to stop here.\n\n```yaml\n{}```\n", packet("c", ""));
    let sent = server.post("/v1/handoffs").by("ana").body("text/markdown", comment.as_bytes());
    sent.send().is(201);
    let sent = server.post("/v1/handoffs").by("ana").body("text/plain", packet("d", "").as_bytes());
    sent.send().refuses(415, "TK-MEDIA-UNKNOWN");
}

#[test]
fn a_person_decides_about_the_receiver_that_they_saw() {
    let server = TestServer::new();
    let held = packet("release", "can_intercept: true\n");
    server.post("/v1/handoffs").by("ana").yaml(&held).send().is(201);
    let shown = server.get("/v1/handoffs/release").by("pia").send().is(200);
    let seen = shown.header("etag").unwrap().to_owned();
    let of_packet = server.get("/v1/handoffs/release/packet").by("pia").send().is(200);
    let of_packet = of_packet.header("etag").unwrap().to_owned();
    let digest = &shown.body["handoff"]["digest"];

    let path = "/v1/handoffs/release/decisions";
    let reroute = json!({ "decision": "reroute", "to": "box" });
    server.post(path).by("ana").json(&reroute).send().is(201);
    let accept = json!({ "decision": "accept", "revision": 1, "digest": digest });
    for tag in [&seen, &of_packet] {
        let stale = server.post(path).by("pia").header("if-match", tag).json(&accept).send();
        stale.refuses(412, "TK-REVISION-CHANGED");
    }
    server.post(path).by("pia").json(&accept).send().refuses(412, "TK-REVISION-CHANGED");
    let mut named = accept;
    named["receiver"] = json!("ben");
    server.post(path).by("pia").json(&named).send().refuses(412, "TK-REVISION-CHANGED");
    named["receiver"] = json!("nobody");
    server.post(path).by("pia").json(&named).send().refuses(404, "TK-PARTY-UNKNOWN");
    named["receiver"] = json!("box");
    let accepted = server.post(path).by("pia").json(&named).send().is(201);
    assert_eq!(accepted.body["handoff"]["state"], "offered");
}

#[test]
fn a_person_decides_and_a_changed_revision_is_noticed() {
    let server = TestServer::new();
    let held = packet("release", "can_intercept: true\n");
    let sent = server.post("/v1/handoffs").by("ana").yaml(&held).send().is(201);
    assert_eq!(sent.body["handoff"]["state"], "held");
    let seen = sent.header("etag").unwrap().to_owned();

    let revised = packet("release", "can_intercept: true\nsummary: Canary clean\n");
    let path = "/v1/handoffs/release/revisions";
    let answer =
        server.post(path).by("ana").header("if-match", &seen).yaml(&revised).send().is(201);
    assert_eq!(answer.body["handoff"]["revision"], 2);
    let newest = answer.header("etag").unwrap().to_owned();

    let path = "/v1/handoffs/release/decisions";
    let accept = json!({ "decision": "accept", "reason": "Watch the error rate" });
    let stale = server.post(path).by("pia").header("if-match", &seen).json(&accept).send();
    stale.refuses(412, "TK-REVISION-CHANGED");
    server.post(path).by("ana").json(&accept).send().refuses(403, "TK-PERSON-NEEDED");
    let accepted = server.post(path).by("pia").header("if-match", &newest).json(&accept).send();
    assert_eq!(accepted.is(201).body["handoff"]["state"], "offered");

    let reroute = json!({ "decision": "reroute", "to": "ana" });
    server.post(path).by("pia").json(&json!({ "decision": "reroute" })).send().is(422);
    server.post(path).by("pia").json(&reroute).send().refuses(409, "TK-CHAIN-LOOP");
    let taken = server.post(path).by("pia").json(&json!({ "decision": "intercept" })).send();
    let taken = taken.is(201).body;
    assert_eq!(taken["claim"]["holder"], "pia");
    assert!(taken["brief"].as_str().unwrap().contains("Canary clean"));
    let cancel = json!({ "decision": "cancel", "reason": "Not needed any more" });
    let cancelled = server.post(path).by("pia").json(&cancel).send().is(201);
    assert_eq!(cancelled.body["handoff"]["state"], "cancelled");

    let exported = server.get("/v1/decisions").by("pia").send().is(200);
    assert_eq!(exported.body["items"][0]["decision"], "accept");
}

#[test]
fn a_decision_without_what_was_seen_is_refused() {
    let server = TestServer::new();
    let held = packet("release", "can_intercept: true\n");
    let sent = server.post("/v1/handoffs").by("ana").yaml(&held).send().is(201);
    let (path, digest) = ("/v1/handoffs/release/decisions", &sent.body["handoff"]["digest"]);
    let accept = json!({ "decision": "accept" });
    for body in [
        accept.clone(),
        json!({ "decision": "accept", "revision": 1 }),
        json!({ "decision": "accept", "digest": digest }),
        json!({ "decision": "accept", "receiver": "ben" }),
    ] {
        let refused = server.post(path).by("pia").json(&body).send();
        let refused = refused.refuses(428, "TK-REVISION-MISSING");
        assert!(refused.body["hint"].as_str().unwrap().contains("tasuki show"), "{body}");
        let any = server.post(path).by("pia").header("if-match", "*").json(&body).send();
        any.refuses(428, "TK-REVISION-MISSING");
    }
    // The others need none, but a stale one is refused.
    for decision in ["reject", "cancel", "reroute", "intercept"] {
        let mut body = json!({ "decision": decision, "reason": "No", "revision": 2 });
        if decision == "reroute" {
            body["to"] = json!("box");
        }
        server.post(path).by("pia").json(&body).send().refuses(412, "TK-REVISION-CHANGED");
    }
    let accept = json!({ "decision": "accept", "revision": 1, "digest": digest });
    server.post(path).by("pia").json(&accept).send().is(201);
}

#[test]
fn a_verdict_names_the_return_that_was_seen() {
    let server = TestServer::new();
    let asks = packet("a", "return_required: [status]\n");
    server.post("/v1/handoffs").by("ana").yaml(&asks).send().is(201);
    let give_back = || {
        let claimed = server.post("/v1/handoffs/a/claims").by("ben").send().is(201);
        let path = format!("/v1/handoffs/a/returns?fence={}", claimed.body["claim"]["fence"]);
        server.post(&path).by("ben").yaml(RETURN).send().is(201).body["handoff"]["return_id"]
            .clone()
    };
    let first = give_back();
    let judge =
        |who: &str, body: Value| server.post("/v1/handoffs/a/verdicts").by(who).json(&body).send();
    judge("ana", json!({ "result": "pass" })).refuses(428, "TK-REVISION-MISSING");
    judge("ana", json!({ "result": "pass", "return": "ret_1" }))
        .refuses(422, "TK-ARGUMENT-INVALID");
    judge("pia", json!({ "result": "fail", "reason": "No", "return": first })).is(201);
    let second = give_back();
    judge("ana", json!({ "result": "pass", "return": first })).refuses(412, "TK-REVISION-CHANGED");
    judge("ana", json!({ "result": "pass", "return": second })).is(201);
}

#[test]
fn verdicts_and_decisions_about_dead_letters_record_the_attention_of_the_person() {
    let server = TestServer::new();
    let asks = packet("a", "return_required: [status]\n");
    server.post("/v1/handoffs").by("ana").yaml(&asks).send().is(201);
    let claimed = server.post("/v1/handoffs/a/claims").by("ben").send().is(201);
    let path = format!("/v1/handoffs/a/returns?fence={}", claimed.body["claim"]["fence"]);
    let returned = server.post(&path).by("ben").yaml(RETURN).send().is(201).body;
    let verdict = json!({
        "result": "pass", "return": returned["handoff"]["return_id"],
        "seconds": 31, "opened": ["packet", "a secret"],
    });
    server.post("/v1/handoffs/a/verdicts").by("pia").json(&verdict).send().is(201);
    let shown = server.get("/v1/handoffs/a/returns").by("ana").send().is(200).body;
    let judged = &shown["items"][0]["verdict"];
    assert_eq!((&judged["seconds"], &judged["opened"]), (&json!(31), &json!(["packet"])));

    let id = server.submitted("b");
    for (verb, seconds) in [("redrive", 7), ("discard", 9)] {
        let decline = json!({ "reason": "busy" });
        server.post("/v1/handoffs/b/declines").by("ben").json(&decline).send().is(201);
        let decision = json!({ "reason": "Again", "seconds": seconds, "opened": ["evidence"] });
        server.post(&format!("/v1/dead/{id}/{verb}")).by("pia").json(&decision).send().is(200);
    }
    let shown = server.get(&format!("/v1/handoffs/{id}")).by("pia").send().is(200).body;
    let recorded: Vec<(&Value, &Value, &Value)> = shown["decisions"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|one| (&one["decision"], &one["seconds"], &one["opened"]))
        .collect();
    let opened = json!(["evidence"]);
    let expected =
        [(&json!("redrive"), &json!(7), &opened), (&json!("discard"), &json!(9), &opened)];
    assert_eq!(recorded, expected);
}

#[test]
fn a_person_edits_and_rejects() {
    let server = TestServer::new();
    let held = packet("a", "can_intercept: true\n");
    server.post("/v1/handoffs").by("ana").yaml(&held).send().is(201);
    let edited = packet("a", "can_intercept: true\nsummary: Corrected\n");
    let path = "/v1/handoffs/a/revisions?edit=true&reason=A%20slip";
    let answer = server.post(path).by("pia").yaml(&edited).send().is(201);
    assert_eq!(answer.body["handoff"]["revision"], 2);
    let path = "/v1/handoffs/a/decisions";
    let reject = |reason: Option<&str>| json!({ "decision": "reject", "reason": reason });
    let without = server.post(path).by("pia").json(&json!({ "decision": "reject" })).send();
    without.refuses(422, "TK-REASON-MISSING");
    let rejected = server.post(path).by("pia").json(&reject(Some("Too early"))).send().is(201);
    assert_eq!(rejected.body["handoff"]["state"], "rejected");
}

#[test]
fn a_receiver_asks_and_declines() {
    let server = TestServer::new();
    let id = server.submitted("a");
    let question = json!({ "question": "Which tenant?", "field": "/context", "blocking": true });
    let path = format!("/v1/handoffs/{id}/questions");
    let asked = server.post(&path).by("ben").json(&question).send().is(201);
    let number = asked.body["document"].as_str().unwrap();
    server
        .post(&format!("/v1/handoffs/{id}/claims"))
        .by("ben")
        .send()
        .refuses(409, "TK-QUESTION-OPEN");
    let path = format!("/v1/handoffs/{id}/answers");
    let answer = json!({ "question": number, "answer": "The second" });
    server.post(&path).by("ana").json(&answer).send().is(201);
    let path = format!("/v1/handoffs/{id}/declines");
    server.post(&path).by("ben").json(&json!({})).send().refuses(422, "TK-REASON-MISSING");
    let declined =
        server.post(&path).by("ben").json(&json!({ "reason": "No time" })).send().is(201);
    assert_eq!(declined.body["handoff"]["state"], "dead");

    let dead = server.get("/v1/dead").by("ana").send().is(200);
    assert_eq!(dead.body["items"][0]["id"], id.as_str());
    let path = format!("/v1/dead/{id}/redrive");
    server.post(&path).by("ana").send().refuses(403, "TK-SCOPE-MISSING");
    server.post(&path).by("pia").json(&json!({ "reason": "Ben is back" })).send().is(200);
    server
        .post(&format!("/v1/handoffs/{id}/declines"))
        .by("ben")
        .json(&json!({ "reason": "No" }))
        .send();
    let path = format!("/v1/dead/{id}/discard");
    let discarded = server.post(&path).by("pia").json(&json!({ "reason": "Given up" })).send();
    assert_eq!(discarded.is(200).body["handoff"]["state"], "discarded");
}

#[test]
fn a_holder_requests_approval_parks_releases_and_passes_on() {
    let server = TestServer::new();
    let (id, token) = server.claimed("a");
    let claim = |server: &TestServer| {
        let shown = server.get("/v1/inbox").by("ben").send().is(200);
        assert_eq!(shown.body["handoffs"][0]["holder"], "ben");
        let again = server.post(&format!("/v1/handoffs/{id}/claims")).by("ben").send();
        again.body["claim"]["id"].as_str().map(str::to_owned)
    };
    assert_eq!(claim(&server), None, "the holder cannot claim it again without a key");
    let path = format!("/v1/handoffs/{id}/claims");
    server
        .post("/v1/claims/clm_00000000000000000000000000000000/release")
        .by("ben")
        .send()
        .refuses(409, "TK-CLAIM-STALE");
    server.post("/v1/claims/nothing/release").by("ben").send().refuses(422, "TK-ARGUMENT-INVALID");

    // Passing on names the claim in the path.
    let passed = server
        .post(&format!("/v1/handoffs?parent={id}&fence={token}"))
        .by("ben")
        .yaml(
            &packet("a", "")
                .replace("from_agent: ana", "from_agent: ben")
                .replace("to_agent: ben", "to_agent: pia"),
        )
        .send()
        .is(201);
    assert_eq!(passed.body["handoff"]["parent"], id.as_str());
    let child = passed.body["handoff"]["id"].as_str().unwrap();
    let cancel = json!({ "decision": "cancel" });
    server.post(&format!("/v1/handoffs/{child}/decisions")).by("ben").json(&cancel).send().is(201);

    let claimed =
        server.post(&path).by("ben").json(&json!({ "key": "k", "lease": "5m" })).send().is(201);
    let clm = claimed.body["claim"]["id"].as_str().unwrap().to_owned();
    let again =
        server.post(&path).by("ben").json(&json!({ "key": "k", "lease": "5m" })).send().is(201);
    assert_eq!(again.body["claim"]["id"], clm.as_str());
    let action = json!({ "action": { "run": "deploy --production" } });
    let held = server
        .post(&format!("/v1/claims/{clm}/request-approval"))
        .by("ben")
        .json(&action)
        .send()
        .is(200);
    assert_eq!(held.body["handoff"]["held_for"], json!(["action"]));
    let shown = server.get(&format!("/v1/handoffs/{id}")).by("pia").send().is(200);
    assert_eq!(shown.body["action"], action["action"]);
    server.accept(&id);
    server.post(&format!("/v1/claims/{clm}/park")).by("ben").json(&json!({})).send().is(422);
    let parked =
        server.post(&format!("/v1/claims/{clm}/park")).by("ben").json(&json!({ "for": "1h" }));
    assert_eq!(parked.send().is(200).body["handoff"]["not_before"], "2026-11-15T11:00:00.000000Z");
    server.advance(Duration::from_hours(2));
    let claimed = server.post("/v1/claims").by("ben").send().is(201);
    let clm = claimed.body["claim"]["id"].as_str().unwrap().to_owned();
    let released = server.post(&format!("/v1/claims/{clm}/release")).by("ben").send().is(200);
    assert_eq!(released.body["handoff"]["state"], "offered");
}

#[test]
fn an_approval_is_for_the_action_that_was_seen() {
    let server = TestServer::new();
    let id = server.submitted("a");
    let claims = format!("/v1/handoffs/{id}/claims");
    let claim = server.post(&claims).by("ben").send().is(201).body["claim"]["id"].clone();
    let ask = |run: &str| {
        let path = format!("/v1/claims/{}/request-approval", claim.as_str().unwrap());
        server.post(&path).by("ben").json(&json!({ "action": { "run": run } })).send().is(200);
        let shown = server.get(&format!("/v1/handoffs/{id}")).by("pia").send().is(200);
        let digest = shown.body["handoff"]["action"]["digest"].as_str().unwrap().to_owned();
        (shown.header("etag").unwrap().to_owned(), digest)
    };
    let path = format!("/v1/handoffs/{id}/decisions");
    let (seen, digest) = ask("deploy");
    let reject = json!({ "decision": "reject", "reason": "Not on a Friday" });
    server.post(&path).by("pia").json(&reject).send().is(201);
    let (now, _) = ask("drop the database");

    let accept = json!({ "decision": "accept" });
    let stale = server.post(&path).by("pia").header("if-match", &seen).json(&accept).send();
    stale.refuses(412, "TK-REVISION-CHANGED");
    let named = json!({ "decision": "accept", "revision": 1, "digest": digest });
    server.post(&path).by("pia").json(&named).send().refuses(412, "TK-REVISION-CHANGED");
    let of_packet = server.get(&format!("/v1/handoffs/{id}/packet")).by("pia").send().is(200);
    let of_packet = of_packet.header("etag").unwrap();
    let unnamed = server.post(&path).by("pia").header("if-match", of_packet).json(&accept).send();
    unnamed.refuses(428, "TK-REVISION-MISSING");
    for named in [
        json!({ "decision": "accept", "revision": 1, "receiver": "ben" }),
        json!({ "decision": "accept", "receiver": "ben" }),
    ] {
        server.post(&path).by("pia").json(&named).send().refuses(428, "TK-REVISION-MISSING");
    }
    server.post(&path).by("pia").header("if-match", &now).json(&accept).send().is(201);
}

#[test]
fn a_task_is_begun_and_resumed() {
    let server = TestServer::new();
    let own = packet("mine", "").replace("to_agent: ben", "to_agent: ana");
    let begun = server.post("/v1/tasks?lease=2h").by("ana").yaml(&own).send().is(201);
    let token = begun.body["claim"]["fence"].as_u64().unwrap();
    let path = format!("/v1/handoffs/mine/checkpoints?fence={token}");
    server.post(&path).by("ana").yaml(CHECKPOINT).send().is(201);
    let packet = server.get("/v1/tasks/mine/packet").by("ana").send().is(200);
    assert_eq!(packet.body["completed"], json!(["scaffold", "wrote the parser"]));
    let brief = server.get("/v1/tasks/mine/packet?as=brief&budget=900").by("ana").send().is(200);
    assert!(brief.body["text"].as_str().unwrap().contains("wrote the parser"));
    let small = server.get("/v1/tasks/mine/packet?as=brief&budget=3").by("ana").send();
    small.refuses(422, "TK-ARGUMENT-INVALID");
    let html = server.get("/v1/tasks/mine/packet?as=html").by("ana").send();
    let html = html.refuses(422, "TK-ARGUMENT-INVALID");
    assert_eq!(html.body["hint"], "the forms are json, yaml, markdown, wire, brief");
    let yaml = server.get("/v1/tasks/mine/packet?as=yaml").by("ana").send().is(200);
    assert!(yaml.text.contains("- wrote the parser"));
}

#[test]
fn the_same_key_has_the_same_response() {
    let server = TestServer::new();
    let send = |task: &str| {
        server.post("/v1/handoffs").by("ana").key("k-1").yaml(&packet(task, "")).send()
    };
    let first = send("a").is(201);
    assert_eq!(first.header("idempotency-replayed"), None);
    let again = send("a").is(201);
    assert_eq!(again.header("idempotency-replayed"), Some("true"));
    assert_eq!(again.body["handoff"], first.body["handoff"]);
    send("b").refuses(422, "TK-KEY-REUSED");
    let quoted = server.post("/v1/handoffs").by("ana").key("\"k-1\"").yaml(&packet("a", "")).send();
    assert_eq!(quoted.header("idempotency-replayed"), Some("true"));
    server.post("/v1/handoffs").by("ana").key("two words").yaml(&packet("c", "")).send().is(422);
}

#[test]
fn a_batch_has_a_response_for_each_request() {
    let server = TestServer::new();
    let single = |task: &str| {
        json!({
            "method": "POST", "path": "/v1/handoffs", "key": task,
            "body": packet(task, ""), "content_type": "application/yaml",
        })
    };
    let mut requests: Vec<_> = (0..20).map(|number| single(&format!("task-{number}"))).collect();
    requests.push(json!({ "method": "POST", "path": "/v1/claims" }));
    requests.push(json!({ "method": "GET", "path": "/v1/handoffs/nothing-here" }));
    requests.push(json!({ "method": "POST", "path": "/v1/halt" }));
    let answer =
        server.post("/v1/batch").by("ana").json(&json!({ "requests": requests })).send().is(200);
    let statuses: Vec<u64> = answer.body["answers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["status"].as_u64().unwrap())
        .collect();
    assert_eq!(statuses[..20], [201; 20]);
    assert_eq!(statuses[20..], [404, 404, 403]);
    assert_eq!(answer.body["answers"][20]["body"]["code"], "TK-NOTHING-OFFERED");
    let again = json!({ "requests": [single("task-1")] });
    let again = server.post("/v1/batch").by("ana").json(&again).send().is(200);
    assert_eq!(again.body["answers"][0]["replayed"], true);
    let outside = json!({ "requests": [{ "method": "GET", "path": "/metrics" }] });
    server.post("/v1/batch").by("ana").json(&outside).send().refuses(422, "TK-ARGUMENT-INVALID");
    let nested = json!({ "requests": [{ "method": "POST", "path": "/v1/batch", "body": { "requests": [] } }] });
    let nested = server.post("/v1/batch").by("ana").json(&nested).send().is(200);
    assert_eq!(nested.body["answers"][0]["status"], 404);
    assert_eq!(nested.body["answers"][0]["body"]["code"], "TK-ROUTE-UNKNOWN");
    let strange = json!({ "requests": [{ "method": "PUT", "path": "/v1/handoffs" }] });
    let strange = server.post("/v1/batch").by("ana").json(&strange).send().is(200);
    assert_eq!(strange.body["answers"][0]["body"]["code"], "TK-METHOD-UNKNOWN");
    for odd in [
        json!({ "method": "GET", "path": "/v1/whoami", "content_type": "°" }),
        json!({ "method": "AAA", "path": "/v1/whoami" }),
        json!({ "method": "GET", "path": "/v1/parties/ä" }),
    ] {
        let odd = json!({ "requests": [odd] });
        server.post("/v1/batch").by("ana").json(&odd).send().refuses(422, "TK-ARGUMENT-INVALID");
    }
    let yaml = server.post("/v1/batch").by("ana").yaml("requests: []\n").send();
    yaml.refuses(415, "TK-MEDIA-UNKNOWN");
}

#[test]
fn the_requests_of_a_batch_wait_for_permits() {
    let limits = Limits { requests_at_once: 2, ..Limits::default() };
    let server = TestServer::with(Settings { limits, ..Settings::default() });
    let submit = |n: u8| json!({ "method": "POST", "path": "/v1/handoffs", "content_type": "application/yaml", "body": packet(&format!("t{n}"), "") });
    let mut requests: Vec<Value> = (0..16).map(submit).collect();
    requests.push(json!({ "method": "GET", "path": "/v1/inbox" }));
    requests.push(json!({ "method": "GET", "path": "/v1/schemas/packet" }));
    let batch = json!({ "requests": requests });
    let answer = server.post("/v1/batch").by("ana").json(&batch).send().is(200);
    let answers = answer.body["answers"].as_array().unwrap();
    let busy: Vec<&Value> = answers.iter().filter(|one| one["status"] == 503).collect();
    assert!(busy.is_empty(), "{busy:?}");
    assert_eq!(answers.iter().filter(|one| one["status"] == 201).count(), 16);
}

#[test]
fn the_responses_of_a_batch_share_one_limit() {
    let server = TestServer::new();
    let large =
        packet("large", &format!("extensions: {{ x: {{ text: {} }} }}\n", "x".repeat(1_000_000)));
    server.post("/v1/handoffs").by("ana").yaml(&large).send().is(201);
    let read = json!({ "method": "GET", "path": "/v1/handoffs/large/packet" });
    let write = json!({ "method": "POST", "path": "/v1/handoffs", "content_type": "application/yaml",
        "body": packet("small", "") });
    let mut requests = vec![read; 40];
    requests.push(write);
    let batch = json!({ "requests": requests });
    let answer = server.post("/v1/batch").by("ana").json(&batch).send().is(200);
    let answers = answer.body["answers"].as_array().unwrap();
    let with = |status: u16| answers.iter().filter(|one| one["status"] == status).count();
    assert_eq!((with(200), with(413)), (16, 24));
    let refused = answers.iter().find(|one| one["status"] == 413).unwrap();
    assert_eq!(refused["body"]["code"], "TK-BODY-TOO-LARGE");
    assert_eq!(answers[40]["status"], 201, "a completed command keeps its response");
}

#[test]
fn the_key_of_a_batch_makes_all_of_it_safe_to_retry() {
    let server = TestServer::new();
    let single = |task: &str| {
        json!({
            "method": "POST", "path": "/v1/handoffs",
            "body": packet(task, ""), "content_type": "application/yaml",
        })
    };
    let send = |tasks: [&str; 2]| {
        let requests = json!({ "requests": tasks.map(single) });
        server.post("/v1/batch").by("ana").key("once").json(&requests).send().is(200).body
    };
    let (first, again) = (send(["a", "b"]), send(["a", "b"]));
    for at in 0..2 {
        let (first, again) = (&first["answers"][at], &again["answers"][at]);
        assert_eq!(first["body"]["handoff"]["id"], again["body"]["handoff"]["id"]);
        assert_eq!((&first["replayed"], &again["replayed"]), (&json!(null), &json!(true)));
    }
    assert_eq!(send(["a", "c"])["answers"][1]["body"]["code"], "TK-KEY-REUSED");
    let wrong = server.post("/v1/batch").by("ana").key("two words");
    wrong.json(&json!({ "requests": [] })).send().refuses(422, "TK-ARGUMENT-INVALID");
}

#[test]
fn a_null_member_is_absent() {
    let server = TestServer::new();
    let id = server.submitted("a");
    let claims = format!("/v1/handoffs/{id}/claims");
    for body in [json!({ "drift": false }), json!({ "read_back": [] }), json!({ "leese": null })] {
        server.post(&claims).by("ben").json(&body).send().refuses(422, "TK-ARGUMENT-INVALID");
    }
    let nothing = json!({ "lease": null, "renewed": null, "key": null, "reads": null });
    server.post(&claims).by("ben").json(&nothing).send().is(201);
    let verdict = json!({ "result": null });
    server.post(&format!("/v1/handoffs/{id}/verdicts")).by("ana").json(&verdict).send().is(422);
}

#[test]
fn a_batch_validates_bodies_as_they_were_sent() {
    let server = TestServer::new();
    let text = r#"{"requests":[{"method":"POST","path":"/v1/handoffs","body":{"goal":"a","goal":"b"}},
        {"method":"POST","path":"/v1/handoffs","body":{"goal":"a","cost":{"tokens":9007199254740993}}}]}"#;
    let answer =
        server.post("/v1/batch").by("ana").body("application/json", text.as_bytes()).send();
    let codes: Vec<String> = answer.is(200).body["answers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["body"]["violations"][0]["code"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(codes, ["TK-JSON-DUPLICATE", "TK-NUMBER-RANGE"]);
}
