//! The console under `/ui/`. A build without Node serves a page instead, and these tests accept it
//! unless `REQUIRE_CONSOLE` is set, as in CI.

use serde_json::json;

use crate::support::client::Answer;
use crate::support::test_server::{TestServer, cookie};

/// LIMIT: bytes of compressed script in the first load.
const SCRIPT_BYTES_MAX: usize = 200_000;

fn browse(server: &TestServer, path: &str) -> Answer {
    let request = server.get(path).header("accept", "text/html,application/xhtml+xml");
    request.header("accept-encoding", "gzip, deflate").send()
}

/// Returns the console at a path, or `None` if it was not built and need not be.
fn console(server: &TestServer, path: &str) -> Option<Answer> {
    let page = browse(server, path);
    if page.status == 503 {
        assert!(page.text.contains("npm run build"), "{}", page.text);
        let is_required = std::env::var_os("REQUIRE_CONSOLE").is_some();
        assert!(!is_required, "the console is not embedded; run `make console`");
        return None;
    }
    Some(page.is(200))
}

/// Returns the addresses of the attribute of an element in a page.
fn addresses<'p>(page: &'p str, attribute: &str) -> Vec<&'p str> {
    let begins = format!("{attribute}=\"");
    page.split(&begins).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

#[test]
fn the_root_leads_to_the_console() {
    let server = TestServer::new();
    let home = browse(&server, "/").is(307);
    assert_eq!(home.header("location"), Some("/ui/"));
    console(&server, "/ui/");
    browse(&server, "/docs").is(200);
}

#[test]
fn the_console_loads_from_this_server_alone_and_under_a_strict_policy() {
    let server = TestServer::new();
    let Some(page) = console(&server, "/ui/p/default/inbox") else { return };
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.contains("default-src 'none'") && policy.contains("script-src 'self'"));
    assert!(!policy.contains("unsafe") && !policy.contains("http"), "{policy}");
    assert_eq!(page.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(page.header("referrer-policy"), Some("no-referrer"));
    assert_eq!(page.header("cache-control"), Some("no-cache"));
    let files = [addresses(&page.text, "src"), addresses(&page.text, "href")].concat();
    assert!(files.len() >= 3, "{files:?}");
    for file in files {
        assert!(file.starts_with("/ui/"), "{file}");
        browse(&server, file).is(200);
    }
    server.get("/ui/assets/gone.js").send().refuses(404, "TK-ROUTE-UNKNOWN");
}

#[test]
fn the_first_load_has_less_than_200_kb_of_compressed_script() {
    let server = TestServer::new();
    let Some(page) = console(&server, "/ui/") else { return };
    let mut bytes = 0;
    for script in addresses(&page.text, "src") {
        let answer = browse(&server, script).is(200);
        if script.contains("/assets/") {
            assert_eq!(answer.header("content-encoding"), Some("gzip"), "{script}");
            assert_eq!(answer.header("cache-control"), Some("public, max-age=31536000, immutable"));
        }
        let length = answer.header("content-length").unwrap();
        bytes += length.parse::<usize>().unwrap();
    }
    assert!((1..SCRIPT_BYTES_MAX).contains(&bytes), "{bytes} bytes");
}

#[test]
fn the_card_is_an_item_of_a_registry() {
    let server = TestServer::new();
    if console(&server, "/ui/").is_none() {
        return;
    }
    let item = server.get("/r/handoff-protocol.json").send().is(200);
    assert_eq!(item.header("content-type"), Some("application/json"));
    assert_eq!(item.body["name"], json!("handoff-protocol"));
    assert_eq!(item.body["type"], json!("registry:component"));
    let files = item.body["files"].as_array().unwrap();
    for file in files {
        let name = file["path"].as_str().unwrap().rsplit('/').next().unwrap();
        let source = format!("../../packages/handoff-protocol/src/{name}");
        assert_eq!(file["content"], json!(std::fs::read_to_string(source).unwrap()), "{name}");
    }
    assert!(files.len() > 5, "{files:?}");
    server.get("/r/other.json").send().refuses(404, "TK-ROUTE-UNKNOWN");
}

#[test]
fn the_page_of_the_sign_in_link_redeems_nothing() {
    let server = TestServer::new();
    let path = format!("/ui/welcome?t={}", server.sign_in_code);
    for verb in ["HEAD", "GET", "GET"] {
        let page = server.request(verb, &path).header("accept", "text/html").send();
        assert_eq!(page.header("set-cookie"), None, "{verb}");
    }
    console(&server, &path);
    let body = json!({ "code": server.sign_in_code });
    let signed_in = server.post("/v1/sessions").json(&body).send().is(201);
    let who = server.get("/v1/whoami").with(&cookie(&signed_in)).send().is(200);
    assert_eq!(who.body["party"], json!("pia"));
    server.post("/v1/sessions").json(&body).send().refuses(401, "TK-SIGN-IN-WRONG");
}
