//! `tasuki mcp` as a process: its tools on a local store and against a server, in both eras.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::fixture::Fixture;
use crate::support::folder::Folder;
use crate::support::http::HttpServer;
use crate::support::mcp_host::{MODERN, McpHost};
use crate::support::server_process::ServerProcess;

/// An exchange, and the way in which agents reach it.
struct Place {
    exchange: Fixture,
    remote: Option<(ServerProcess, Folder)>,
}

impl Place {
    fn local() -> Self {
        Self { exchange: Fixture::new(), remote: None }
    }

    fn remote() -> Self {
        let exchange = Fixture::new();
        for party in ["planner", "coder", "tester"] {
            exchange.run(&format!("party add {party}"));
        }
        let server = ServerProcess::start(&exchange.folder);
        Self { exchange, remote: Some((server, Folder::outside_repository())) }
    }

    fn command(&self, party: &str) -> Command {
        let Some((server, folder)) = &self.remote else {
            return self.exchange.command(&format!("mcp --as {party}"));
        };
        let token = self.exchange.stdout(&format!("token create --as {party}"));
        server.client_command(folder, token.trim(), "mcp")
    }
}

/// Plays a whole handoff, and returns the states that its sender saw.
fn play(planner: &mut McpHost, coder: &mut McpHost) -> Vec<Value> {
    let sent = planner.call(
        "handoff_submit",
        json!({ "to": "coder", "goal": "Port the exporter", "task": "export-7",
            "packet": { "constraints": ["No new dependencies"] } }),
    );
    let inbox = coder.call("handoff_inbox", json!({}));
    assert_eq!(inbox["waiting"][0]["tool"], "handoff_claim", "{inbox}");
    let claim = coder.call("handoff_claim", json!({ "goal_in_my_words": "Port it" }));
    let holder = json!({ "handoff": "export-7", "fence": claim["fence"] });
    let with = |more: Value| {
        let mut arguments = holder.clone();
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        arguments
    };
    let brief = coder.call("handoff_brief", json!({ "handoff": "export-7" }));
    let text = brief["brief"].as_str().unwrap();
    assert!(text.contains("No new dependencies") && text.contains("TASUKI-DATA"), "{text}");
    coder.call("handoff_checkpoint", with(json!({ "completed": ["Wrote the writer"] })));
    coder.call("handoff_renew", with(json!({})));
    let stale = json!({ "handoff": "export-7", "fence": 99, "completed": ["Late"] });
    assert!(coder.refused("handoff_checkpoint", stale).contains("TK-"), "a stale fence is refused");
    let returned = coder.call("handoff_return", with(json!({ "summary": "All tests pass" })));
    let waited = planner.call("handoff_wait", json!({ "handoff": "export-7", "until": "done" }));
    vec![sent["state"].clone(), returned["state"].clone(), waited["state"].clone()]
}

#[test]
fn a_handoff_goes_through_the_tools_on_a_local_store_in_both_eras() {
    let place = Place::local();
    let mut planner = McpHost::legacy(place.command("planner"));
    let mut coder = McpHost::modern(place.command("coder"));
    assert_eq!(play(&mut planner, &mut coder), ["offered", "done", "done"]);
    assert!(planner.leave().success());
    assert!(coder.leave().success());
}

#[test]
fn a_handoff_goes_through_the_tools_against_a_server_in_both_eras() {
    let place = Place::remote();
    let mut planner = McpHost::modern(place.command("planner"));
    let mut coder = McpHost::legacy(place.command("coder"));
    assert_eq!(play(&mut planner, &mut coder), ["offered", "done", "done"]);
}

#[test]
fn work_is_passed_on_with_its_obligations() {
    let place = Place::local();
    let mut coder = McpHost::legacy(place.command("coder"));
    let begun = coder.call(
        "handoff_begin",
        json!({ "goal": "Ship it", "task": "ship", "packet": { "acceptance": ["Tests pass"] } }),
    );
    let fence = &begun["fence"];
    coder.call(
        "handoff_checkpoint",
        json!({ "handoff": "ship", "fence": fence, "completed": ["Half"] }),
    );
    let passed =
        coder.call("handoff_pass_on", json!({ "handoff": "ship", "fence": fence, "to": "tester" }));
    assert_eq!((&passed["state"], &passed["to"]), (&json!("offered"), &json!("tester")));
    let brief = coder.call("handoff_brief", json!({ "handoff": passed["handoff"] }));
    let text = brief["brief"].as_str().unwrap();
    assert!(text.contains("Tests pass") && text.contains("Half"), "{text}");
}

#[test]
fn a_packet_of_another_dialect_without_a_status_is_passed_on() {
    let place = Place::local();
    let ahp = include_str!("../../../../../vectors/valid/seed-001-ahp.yaml");
    place.exchange.write("ahp.yaml", ahp);
    place.exchange.run("submit ahp.yaml --as planner --to coder");
    let mut coder = McpHost::legacy(place.command("coder"));
    let claimed = coder.call("handoff_claim", json!({}));
    let over = json!({ "handoff": claimed["handoff"], "fence": claimed["fence"], "to": "tester" });
    assert_eq!(coder.call("handoff_pass_on", over)["state"], "offered");
}

/// Calls a tool that succeeds, and checks its result against the output schema of the tool.
fn checked(host: &mut McpHost, tools: &Value, name: &str, arguments: Value) -> Value {
    let output = host.call(name, arguments);
    let is_it = |tool: &&Value| tool["name"] == name;
    let schema = &tools.as_array().unwrap().iter().find(is_it).unwrap()["outputSchema"];
    let validator = jsonschema::validator_for(schema).unwrap();
    assert!(validator.is_valid(&output), "{name}: {output} {schema}");
    output
}

#[test]
fn every_result_conforms_to_the_output_schema_of_its_tool() {
    let place = Place::local();
    let mut planner = McpHost::legacy(place.command("planner"));
    let mut coder = McpHost::modern(place.command("coder"));
    let tools = coder.request("tools/list", json!({}))["tools"].clone();
    let mut sends = |name, arguments| checked(&mut planner, &tools, name, arguments);
    let mut works = |name, arguments| checked(&mut coder, &tools, name, arguments);
    let begun = works("handoff_begin", json!({ "goal": "One", "task": "one", "lease": "10m" }));
    let fence = &begun["fence"];
    works("handoff_inbox", json!({}));
    works("handoff_brief", json!({ "handoff": "one", "budget": 800 }));
    works("handoff_renew", json!({ "handoff": "one", "fence": fence }));
    let action = json!({ "handoff": "one", "fence": fence, "action": "rm -rf build" });
    assert_eq!(works("handoff_request_approval", action)["state"], "held");
    works("handoff_wait", json!({ "handoff": "one", "seconds": 0 }));
    works("handoff_wait", json!({ "seconds": 0 }));
    works("handoff_search", json!({ "words": "One" }));
    sends("handoff_submit", json!({ "to": "coder", "goal": "Two", "task": "two" }));
    works("handoff_ask", json!({ "handoff": "two", "question": "Which one?" }));
    sends("handoff_answer", json!({ "handoff": "two", "answer": "This one" }));
    let fence = works("handoff_claim", json!({ "handoff": "two" }))["fence"].clone();
    works("handoff_release", json!({ "handoff": "two", "fence": fence, "reason": "Full" }));
    let fence = works("handoff_claim", json!({ "handoff": "two" }))["fence"].clone();
    let until = json!({ "handoff": "two", "fence": fence, "for": "1h", "reason": "Quota" });
    works("handoff_park", until);
    sends("handoff_cancel", json!({ "handoff": "two", "reason": "Not needed" }));
    sends("handoff_submit", json!({ "to": "coder", "goal": "Three", "task": "three" }));
    works("handoff_decline", json!({ "handoff": "three", "reason": "No time" }));
}

#[test]
fn leases_are_renewed_while_the_host_lives_and_end_with_it() {
    let place = Place::local();
    let mut coder = McpHost::legacy(place.command("coder"));
    let begun =
        coder.call("handoff_begin", json!({ "goal": "Long", "task": "long", "lease": "2s" }));
    let until = |line: &str| place.exchange.objects(line)[0]["due_at"].as_str().unwrap().to_owned();
    let first = begun["lease_until"].as_str().unwrap().to_owned();
    wait_until(|| until("list --task long") > first);
    assert!(coder.leave().success());
    wait_until(|| place.exchange.objects("list --task long")[0]["state"] == "offered");
}

#[test]
fn leases_end_with_a_host_that_was_killed_although_stdin_stays_open() {
    let place = Place::local();
    let server = place.command("coder");
    let mut host = Command::new("sh");
    host.args(["-c", "exec 3<&0; \"$@\" <&3 & wait", "host"]).arg(server.get_program());
    host.args(server.get_args()).current_dir(server.get_current_dir().unwrap()).env_clear();
    host.envs(server.get_envs().filter_map(|(name, value)| Some((name, value?))));
    host.env("PATH", std::env::var_os("PATH").unwrap());
    let mut host = McpHost::legacy(host);
    let begun =
        host.call("handoff_begin", json!({ "goal": "Long", "task": "long", "lease": "2s" }));
    let until =
        || place.exchange.objects("list --task long")[0]["due_at"].as_str().map(str::to_owned);
    let first = begun["lease_until"].as_str().map(str::to_owned);
    wait_until(|| until() > first);
    host.kill();
    wait_until(|| place.exchange.objects("list --task long")[0]["state"] == "offered");
}

/// Waits for a condition that a clock brings about.
fn wait_until(is_met: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_secs(20);
    while !is_met() {
        assert!(Instant::now() < end, "it did not happen");
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn the_inbox_shows_what_no_one_will_finish() {
    let place = Place::local();
    let mut planner = McpHost::modern(place.command("planner"));
    let submit = json!({ "to": "coder", "goal": "Port it", "task": "port", "hold": true });
    planner.call("handoff_submit", submit);
    place.exchange.run("party add ana --human --no-password");
    place.exchange.run("reject port --as ana -m 'Out of scope'");
    let inbox = planner.call("handoff_inbox", json!({}));
    let failure = &inbox["failures"][0];
    assert_eq!(
        (&failure["task"], &failure["kind"]),
        (&json!("port"), &json!("rejected")),
        "{inbox}"
    );
    assert_eq!(failure["reason"], "Out of scope", "{inbox}");
}

#[test]
fn no_tool_acts_for_a_person() {
    let exchange = Fixture::new();
    exchange.run("party add ana --human --no-password");
    let said = exchange.says("mcp --as ana");
    assert!(said.contains("`ana` is a person, and MCP tools act for agents"), "{said}");
    assert!(said.contains("[exit 4]"), "{said}");
}

#[test]
fn a_host_that_leaves_without_a_word_is_no_error() {
    let place = Place::local();
    assert!(McpHost::modern(place.command("coder")).leave().success());
}

#[test]
fn a_host_that_declares_the_handoff_extension_calls_its_methods() {
    let place = Place::local();
    let declared = || json!({ "extensions": { "dev.tasuki/handoff": {} } });
    let mut planner = McpHost::legacy_with(place.command("planner"), declared());
    let mut coder = McpHost::modern_with(place.command("coder"), declared());
    let submit = json!({ "to": "coder", "goal": "Port it", "task": "port" });
    let sent = planner.request("handoff/submit", submit);
    assert_eq!((&sent["state"], sent.get("resultType")), (&json!("offered"), None), "{sent}");
    let claimed = coder.request("handoff/claim", json!({ "handoff": "port" }));
    assert_eq!(claimed["resultType"], "complete", "{claimed}");
    let late = json!({ "handoff": "port", "fence": 99, "summary": "Late" });
    assert_eq!(coder.request("handoff/return", late)["code"], 409);
    let mut other = McpHost::modern(place.command("coder"));
    assert_eq!(other.request("handoff/inbox", json!({}))["code"], -32021);
    let mut other = McpHost::legacy(place.command("coder"));
    assert_eq!(other.request("handoff/inbox", json!({}))["code"], -32021);
}

#[test]
fn wrong_arguments_are_a_result_that_the_model_sees() {
    let place = Place::local();
    let mut coder = McpHost::legacy(place.command("coder"));
    let said = coder.refused("handoff_claim", json!({ "task": "one" }));
    assert!(said.contains("unknown field `task`"), "{said}");
    let unknown = coder.request("tools/call", json!({ "name": "handoff_decide", "arguments": {} }));
    assert_eq!(unknown["code"], -32602, "{unknown}");
}

#[test]
fn resources_show_the_inbox_and_every_view_of_a_handoff() {
    let place = Place::local();
    place.exchange.run("submit --as planner --to coder --task a/b --goal 'Ship the part'");
    let mut coder = McpHost::modern(place.command("coder"));
    let listed = coder.request("resources/list", json!({}));
    assert_eq!(listed["resources"][0]["uri"], "handoff://inbox", "{listed}");
    assert_eq!(listed["resources"][1]["name"], "a/b", "{listed}");
    let templates = coder.request("resources/templates/list", json!({}));
    assert_eq!(templates["resourceTemplates"][0]["uriTemplate"], "handoff://{handoff}/brief");
    for (uri, has) in [
        ("handoff://inbox", "\"task\": \"a/b\""),
        ("handoff://a%2Fb/brief", "TASUKI-DATA"),
        ("handoff://a%2Fb/packet", "\"goal\": \"Ship the part\""),
        ("handoff://a%2Fb/timeline", "handoff.submitted"),
    ] {
        let read = coder.request("resources/read", json!({ "uri": uri }));
        let text = read["contents"][0]["text"].as_str().unwrap_or_else(|| panic!("{read}"));
        assert!(text.contains(has), "{uri}: {text}");
    }
    for uri in ["handoff://unknown/brief", "file:///etc/passwd"] {
        let error = coder.request("resources/read", json!({ "uri": uri }));
        assert_eq!(error["code"], -32602, "{uri}: {error}");
    }
}

#[test]
fn a_subscriber_hears_of_work_in_both_eras() {
    let place = Place::local();
    let mut legacy = McpHost::legacy(place.command("coder"));
    legacy.request("resources/subscribe", json!({ "uri": "handoff://inbox" }));
    let mut modern = McpHost::modern(place.command("coder"));
    let uris = json!({ "resourceSubscriptions": ["handoff://inbox", "file:///x"] });
    modern.send("subscriptions/listen", json!({ "notifications": uris }));
    let is = |method: &'static str| move |message: &Value| message["method"] == method;
    let accepted = modern.read_until(is("notifications/subscriptions/acknowledged"));
    let kept = &accepted["params"]["notifications"]["resourceSubscriptions"];
    assert_eq!(kept, &json!(["handoff://inbox"]), "{accepted}");
    let has_heard = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for host in [&mut legacy, &mut modern] {
                let update = host.read_until(is("notifications/resources/updated"));
                assert_eq!(update["params"]["uri"], "handoff://inbox", "{update}");
            }
            has_heard.store(true, Ordering::SeqCst);
        });
        // A change before the first look of a subscription is no news for it.
        let news = (0..).take_while(|_| !has_heard.load(Ordering::SeqCst));
        for number in news {
            let line = format!("submit --as planner --to coder --task n{number} --goal 'Ship it'");
            place.exchange.run(&line);
        }
    });
    legacy.request("resources/unsubscribe", json!({ "uri": "handoff://inbox" }));
}

#[test]
fn prompts_brief_the_next_holder_and_the_reviewer() {
    let place = Place::local();
    let mut planner = McpHost::legacy(place.command("planner"));
    let mut coder = McpHost::legacy(place.command("coder"));
    let sent = json!({ "to": "coder", "goal": "Ship the part", "task": "build",
        "packet": { "acceptance": [{ "id": "tests", "text": "All tests pass" }] } });
    planner.call("handoff_submit", sent);
    let names: Vec<Value> = {
        let listed = coder.request("prompts/list", json!({}));
        listed["prompts"].as_array().unwrap().iter().map(|one| one["name"].clone()).collect()
    };
    assert_eq!(names, ["brief_me", "hand_over", "review"]);
    let text = |host: &mut McpHost, name: &str, arguments: Value| {
        let result = host.request("prompts/get", json!({ "name": name, "arguments": arguments }));
        let text = result["messages"][0]["content"]["text"].as_str();
        text.map_or_else(|| result.to_string(), str::to_owned)
    };
    let brief = text(&mut coder, "brief_me", json!({ "handoff": "build" }));
    assert!(brief.contains("All tests pass") && brief.contains("TASUKI-DATA"), "{brief}");
    let over = text(&mut coder, "hand_over", json!({ "to": "tester" }));
    assert!(over.contains("handoff_pass_on with `to` = `tester`"), "{over}");
    let review = text(&mut planner, "review", json!({ "handoff": "build" }));
    assert!(review.contains("`build` has no return that waits for a verdict"), "{review}");
    let claimed = coder.call("handoff_claim", json!({ "handoff": "build" }));
    let returned = json!({ "handoff": "build", "fence": claimed["fence"], "summary": "It is green",
        "verification": [{ "criterion": "tests", "result": "pass", "evidence": "log:ci-7" }] });
    assert_eq!(coder.call("handoff_return", returned)["state"], "returned");
    let review = text(&mut planner, "review", json!({ "handoff": "build" }));
    assert!(review.contains("It is green") && review.contains("log:ci-7"), "{review}");
    let seen = planner.call("handoff_brief", json!({ "handoff": "build" }))["return_id"].clone();
    let verdict = |id: &Value| json!({ "handoff": "build", "return_id": id, "result": "pass" });
    let other = json!("ret_00000000000000000000000000000000");
    let said = planner.refused("handoff_verify", verdict(&other));
    assert!(said.contains("TK-REVISION-CHANGED"), "{said}");
    assert_eq!(planner.call("handoff_verify", verdict(&seen))["state"], "done");
}

#[test]
fn a_server_that_stops_ends_the_subscriptions_of_its_clients() {
    let folder = Folder::outside_repository();
    let server = HttpServer::start_with_log(&folder, &[], "warn");
    let token = server.token("coder");
    let listen = json!({ "jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": {
        "notifications": { "resourceSubscriptions": ["handoff://inbox"] },
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": MODERN,
            "io.modelcontextprotocol/clientCapabilities": {},
        },
    } })
    .to_string();
    let mut stream = TcpStream::connect(&server.address).unwrap();
    let request = format!(
        "POST /mcp HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {token}\r\n\
         content-type: application/json\r\naccept: application/json, text/event-stream\r\n\
         mcp-protocol-version: {MODERN}\r\nmcp-method: subscriptions/listen\r\n\
         content-length: {}\r\n\r\n{listen}",
        server.address,
        listen.len()
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut lines = BufReader::new(stream).lines();
    lines.find(|line| line.as_ref().unwrap().contains("acknowledged")).unwrap().unwrap();
    let began = Instant::now();
    server.signal("TERM");
    let (code, log) = server.ended();
    assert_eq!(code, Some(0), "{log}");
    assert!(began.elapsed() < Duration::from_secs(15), "it waited for the subscription");
}
