//! The OpenAPI document is committed for review and for client generators. It must be current;
//! `TASUKI_UPDATE=1 cargo test` rewrites it.

use std::collections::BTreeSet;

use tasuki_server::openapi::document;
use tasuki_server::operations::ALL;

use crate::support::committed::compare;
use crate::support::test_server::TestServer;

#[test]
fn the_description_is_current() {
    let text = serde_json::to_string_pretty(&document()).unwrap();
    compare("schemas/openapi.json", &format!("{text}\n"));
}

#[test]
fn every_operation_has_a_route_and_a_name_of_its_own() {
    let server = TestServer::new();
    let mut names = BTreeSet::new();
    for operation in ALL {
        assert!(names.insert(operation.id), "{} is there twice", operation.id);
        let path = operation.path.replace(['{', '}'], "");
        let verb = match operation.verb.method().as_str() {
            "GET" => "GET",
            "POST" => "POST",
            "PUT" => "PUT",
            "PATCH" => "PATCH",
            _ => "DELETE",
        };
        let answer = server.request(verb, &path).send();
        let is_there = !matches!(answer.code(), "TK-ROUTE-UNKNOWN" | "TK-METHOD-UNKNOWN");
        assert!(is_there, "{verb} {path}: {}", answer.text);
    }
    server.get("/v1/nothing").by("ana").send().refuses(404, "TK-ROUTE-UNKNOWN");
    server.request("DELETE", "/v1/handoffs").by("ana").send().refuses(405, "TK-METHOD-UNKNOWN");
}
