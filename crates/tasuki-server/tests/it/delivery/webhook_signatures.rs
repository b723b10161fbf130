//! Signed requests that the published Standard Webhooks libraries verify
//! (`scripts/check-webhooks`). With `TASUKI_SIGNED` they are written to the file of that name.

use serde_json::{Value, json};
use tasuki_api::Secret;
use tasuki_engine::model::SigningSecret;
use tasuki_engine::ports::{Clock as _, System};
use tasuki_server::webhook::signature;

const SHARED: &str = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=";
const OLD: &str = "whsec_YWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXphYmNkZWY=";
const PAIR: &str = "whsk_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=";

#[test]
fn what_the_libraries_check_is_what_is_sent() {
    let now = System.now().as_second();
    let requests = [
        request("one secret", &[SHARED], now),
        request("two secrets", &[SHARED, OLD], now),
        request("too old", &[SHARED], now - 3_600),
        request("a key pair", &[PAIR], now),
    ];
    assert!(requests.iter().all(|one| !one["headers"]["webhook-signature"].is_null()));
    if let Some(path) = std::env::var_os("TASUKI_SIGNED") {
        let document = json!({
            "secret": SHARED, "old_secret": OLD, "public_key": secret(PAIR).public_key(),
            "requests": requests,
        });
        std::fs::write(path, document.to_string()).unwrap();
    }
}

fn request(name: &str, secrets: &[&str], seconds: i64) -> Value {
    let (id, body) =
        ("prj_00000000000070008000000000000001:7", r#"{"type":"ping","data":"ä\u0000"}"#);
    let secrets: Vec<SigningSecret> = secrets.iter().map(|text| secret(text)).collect();
    let secrets: Vec<&SigningSecret> = secrets.iter().collect();
    let signature = signature::header(&secrets, id, seconds, body.as_bytes());
    json!({ "name": name, "body": body, "headers": {
        "webhook-id": id,
        "webhook-timestamp": seconds.to_string(),
        "webhook-signature": signature,
    } })
}

fn secret(text: &str) -> SigningSecret {
    SigningSecret { secret: Secret(text.to_owned()), until: None }
}
