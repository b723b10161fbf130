//! Email over TLS, to a mail server with a certificate authority made for the test.
//!
//! A process reads its trusted authorities once, from `SSL_CERT_FILE`. Each test therefore creates
//! the authority and runs itself again in a process that trusts it.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use serde_json::json;
use tasuki_server::{MailSettings, MailTls};
use tempfile::TempDir;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};

use crate::support::smtp_server::{self, ReceivedEmail, SmtpBehavior, at};

/// The folder with the certificate of the mail server, for the process that trusts it.
const FILES: &str = "TASUKI_TEST_MAIL_TLS";

#[test]
fn mail_is_encrypted_after_starttls() {
    let email = trusting("mail_is_encrypted_after_starttls", |files| sent(files, MailTls::Start));
    if let Some(email) = email {
        assert!(email.session.contains("AUTH PLAIN "), "{email:?}");
    }
}

#[test]
fn mail_is_encrypted_from_the_first_byte() {
    trusting("mail_is_encrypted_from_the_first_byte", |files| sent(files, MailTls::Implicit));
}

#[test]
fn an_untrusted_mail_server_is_refused() {
    let folder = authority();
    let files = folder.path();
    let (server, smtp) = smtp_server::with(
        |port| settings(port, files, MailTls::Start),
        behavior(files, MailTls::Start),
    );
    let body = json!({ "address": "pia@example.org" });
    let refused = server.post("/v1/subscriptions").by("pia").json(&body).send();
    let refused = refused.refuses(422, "TK-CHANNEL-UNREACHABLE");
    let detail = refused.body["detail"].as_str().unwrap();
    assert!(detail.contains("certificate"), "{detail}");
    assert!(smtp.all().is_empty());
}

/// Runs a test in a process that trusts the authority. Returns `None` in the process that starts
/// it.
fn trusting<T>(name: &str, test: impl FnOnce(&Path) -> T) -> Option<T> {
    if let Some(files) = std::env::var_os(FILES) {
        return Some(test(Path::new(&files)));
    }
    let folder = authority();
    let files = folder.path();
    let again = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", &format!("delivery::email_tls::{name}"), "--nocapture"])
        .env(FILES, files)
        .env("SSL_CERT_FILE", files.join("authority.pem"))
        .output()
        .unwrap();
    assert!(again.status.success(), "{}", String::from_utf8_lossy(&again.stderr));
    None
}

/// Creates an authority and a certificate of a mail server on this machine.
fn authority() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let files = folder.path();
    let key = KeyPair::generate().unwrap();
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let own = params.self_signed(&key).unwrap();
    let issuer = Issuer::new(params, key);
    let shown_key = KeyPair::generate().unwrap();
    let shown = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
    let shown = shown.signed_by(&shown_key, &issuer).unwrap();
    let text = STANDARD.encode(own.der());
    let lines: Vec<&str> =
        text.as_bytes().chunks(64).map(|line| std::str::from_utf8(line).unwrap()).collect();
    let pem = lines.join("\n");
    let pem = format!("-----BEGIN CERTIFICATE-----\n{pem}\n-----END CERTIFICATE-----\n");
    std::fs::write(files.join("authority.pem"), pem).unwrap();
    std::fs::write(files.join("shown.der"), shown.der()).unwrap();
    std::fs::write(files.join("key.der"), shown_key.serialize_der()).unwrap();
    std::fs::write(files.join("password"), "right horse\n").unwrap();
    folder
}

fn settings(port: u16, files: &Path, tls: MailTls) -> MailSettings {
    MailSettings {
        host: "localhost".to_owned(),
        tls,
        user: Some("tasuki".to_owned()),
        password_file: Some(files.join("password")),
        ..at(port)
    }
}

fn behavior(files: &Path, tls: MailTls) -> SmtpBehavior {
    let read = |name: &str| std::fs::read(files.join(name)).unwrap();
    let chain = vec![CertificateDer::from(read("shown.der"))];
    let key = PrivatePkcs8KeyDer::from(read("key.der"));
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(chain, key.into())
        .unwrap();
    SmtpBehavior {
        tls: Some(TlsAcceptor::from(Arc::new(config))),
        starts_in_the_open: tls == MailTls::Start,
        password: Some("right horse"),
    }
}

/// Returns an email that was sent with this encryption.
fn sent(files: &Path, tls: MailTls) -> ReceivedEmail {
    let (server, smtp) = smtp_server::with(|port| settings(port, files, tls), behavior(files, tls));
    let body = json!({ "address": "pia@example.org", "filter": { "type": ["handoff.submitted"] } });
    server.post("/v1/subscriptions").by("pia").json(&body).send().is(201);
    server.submitted("one");
    smtp.wait_for(1)[0].clone()
}
