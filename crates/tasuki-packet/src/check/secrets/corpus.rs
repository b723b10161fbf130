//! Tests the scanner against two corpora: texts with secrets and ordinary texts. Secrets are
//! assembled at run time, so this file contains none.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::scan;

/// A deterministic generator, so that every run has the same texts and none of them is in this
/// file.
pub(super) struct Generator(pub(super) u64);

impl Generator {
    pub(super) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub(super) fn text(&mut self, alphabet: &str, length: usize) -> String {
        let alphabet: Vec<char> = alphabet.chars().collect();
        let size = u64::try_from(alphabet.len()).unwrap();
        (0..length).map(|_| alphabet[usize::try_from(self.next() % size).unwrap()]).collect()
    }

    pub(super) fn alphanumeric(&mut self, length: usize) -> String {
        self.text(ALPHANUMERIC, length)
    }

    pub(super) fn hex(&mut self, length: usize) -> String {
        self.text("0123456789abcdef", length)
    }

    fn base64(&mut self, length: usize) -> String {
        self.text(&[ALPHANUMERIC, "+/"].concat(), length)
    }

    fn url(&mut self, length: usize) -> String {
        self.text(&[ALPHANUMERIC, "_-"].concat(), length)
    }
}

const ALPHANUMERIC: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/// Tokens: the prefix in two halves, the alphabet, the length of the body.
const TOKENS: &[(&str, &str, char, usize)] = &[
    ("AK", "IA", 'U', 16),
    ("AS", "IA", 'U', 16),
    ("gh", "p_", 'a', 36),
    ("gh", "o_", 'a', 36),
    ("gh", "u_", 'a', 36),
    ("gh", "s_", 'a', 36),
    ("gh", "r_", 'a', 36),
    ("github", "_pat_", 'a', 82),
    ("gl", "pat-", 'u', 20),
    ("gl", "rt-", 'u', 20),
    ("xo", "xb-", 'a', 48),
    ("xo", "xp-", 'a', 60),
    ("xa", "pp-", 'a', 60),
    ("sk_", "live_", 'a', 24),
    ("sk_", "test_", 'a', 24),
    ("rk_", "live_", 'a', 24),
    ("wh", "sec_", 'b', 32),
    ("AI", "za", 'u', 35),
    ("ya", "29.", 'u', 60),
    ("GO", "CSPX-", 'u', 28),
    ("s", "k-", 'a', 48),
    ("sk-", "proj-", 'u', 64),
    ("sk-", "ant-api03-", 'u', 90),
    ("np", "m_", 'a', 36),
    ("py", "pi-AgEIcHlwaS5vcmc", 'u', 90),
    ("h", "f_", 'a', 34),
    ("S", "K", 'h', 32),
    ("dop", "_v1_", 'h', 64),
    ("sh", "pat_", 'h', 32),
    ("da", "pi", 'h', 32),
    ("hv", "s.", 'u', 92),
    ("dckr", "_pat_", 'u', 27),
    ("AT", "ATT3", 'u', 100),
    ("gl", "sa_", 'u', 40),
    ("lin", "_api_", 'a', 40),
    ("gs", "k_", 'a', 52),
    ("xa", "i-", 'a', 80),
    ("r", "8_", 'a', 37),
    ("AGE-SECRET", "-KEY-1", 'U', 58),
];

fn token(generator: &mut Generator, row: &(&str, &str, char, usize)) -> String {
    let (first, second, alphabet, length) = row;
    let body = match alphabet {
        'U' => generator.text("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", *length),
        'h' => generator.hex(*length),
        'u' => generator.url(*length),
        'b' => generator.base64(*length),
        _ => generator.alphanumeric(*length),
    };
    [first, second, body.as_str()].concat()
}

/// Texts with a secret, and the part that must not survive redaction.
fn secrets(generator: &mut Generator) -> Vec<(Value, String)> {
    let mut seeded = Vec::new();
    for row in TOKENS {
        let secret = token(generator, row);
        seeded.push((json!(format!("then use {secret} for it")), secret));
    }
    seeded.extend(key_files(generator));
    seeded.extend(shaped(generator));
    seeded.extend(named(generator));
    for _ in 0..10 {
        let secret = generator.base64(40);
        seeded.push((json!({"aws_secret_access_key": secret}), secret));
        let secret = generator.alphanumeric(32);
        seeded.push((json!({"notes": [format!("it answers to {secret}, try it")]}), secret));
    }
    seeded
}

fn key_files(generator: &mut Generator) -> Vec<(Value, String)> {
    let mut seeded = Vec::new();
    for label in ["PRIVATE", "RSA PRIVATE", "EC PRIVATE", "OPENSSH PRIVATE", "ENCRYPTED PRIVATE"] {
        let line = generator.base64(64);
        let block =
            format!("-----BEGIN {label} KEY-----\n{line}\n{line}\n-----END {label} KEY-----\n");
        seeded.push((json!({"extensions": {"file": block}}), line));
    }
    let line = generator.base64(64);
    let putty = ["PuTTY-User-", "Key-File-3: ssh-ed25519\nPrivate-Lines: 1\n"].concat();
    seeded.push((json!(format!("{putty}{line}\nPrivate-MAC: {}\n", generator.hex(64))), line));
    seeded
}

fn shaped(generator: &mut Generator) -> Vec<(Value, String)> {
    let mut seeded = Vec::new();
    let mut add = |before: String, secret: String| {
        seeded.push((json!({"x": [format!("{before}{secret} end")]}), secret));
    };
    let parts = [generator.url(22), generator.url(43)];
    add("key ".to_owned(), format!("{}.{}.{}", "SG", parts[0], parts[1]));
    let claims = [generator.url(30), generator.url(60), generator.url(43)];
    add("cookie ".to_owned(), format!("eyJ{}.eyJ{}.{}", claims[0], claims[1], claims[2]));
    add("AccountName=a;Account".to_owned() + "Key=", generator.base64(86) + "==");
    add(
        "https://hooks.".to_owned() + "slack.com/services/",
        format!("T0AB/B0CD/{}", generator.alphanumeric(24)),
    );
    add(String::new(), format!("81726354{}{}", ":AA", generator.url(33)));
    add("Authorization: Bearer ".to_owned(), generator.url(40));
    add("Authorization: Basic ".to_owned(), "YWRtaW46aHVudGVyMg==".to_owned());
    let own = [generator.hex(8), generator.alphanumeric(8), generator.alphanumeric(49)];
    add(String::new(), format!("tasuki_agent_{}_{}_{}", own[0], own[1], own[2]));
    seeded
}

fn named(generator: &mut Generator) -> Vec<(Value, String)> {
    let mut seeded = Vec::new();
    for scheme in ["postgres", "mysql", "redis", "amqp", "mongodb+srv", "https"] {
        let secret = generator.alphanumeric(12);
        seeded.push((json!(format!("at {scheme}://svc:{secret}@db.internal/app")), secret));
    }
    for before in
        ["password=", "passwd: ", "DB_PASSWORD='", "api_key: ", "client_secret = \"", "--token "]
    {
        let secret = generator.alphanumeric(11) + "7q";
        seeded.push((json!(format!("run x {before}{secret}")), secret));
    }
    for name in
        ["password", "apiKey", "client_secret", "access-token", "PRIVATE_KEY", "credentials"]
    {
        let secret = generator.alphanumeric(16) + "4z";
        seeded.push((json!({"payload": {name: secret}}), secret));
    }
    let secret = generator.alphanumeric(14) + "9k";
    seeded.push((json!([{"name": "DB_PASSWORD", "value": secret}]), secret));
    seeded
}

#[test]
fn every_seeded_secret_is_found_and_redacted() {
    let mut generator = Generator(0x5EED_0001);
    let mut count = 0;
    let mut missed = Vec::new();
    for _ in 0..20 {
        for (mut value, secret) in secrets(&mut generator) {
            count += 1;
            let before = value.clone();
            let found = super::redact(&mut value);
            if found.is_empty() || value.to_string().contains(&secret) {
                missed.push(before.to_string());
            }
        }
    }
    assert!(count >= 60 * 20, "{count}");
    assert!(missed.is_empty(), "{} of {count} missed:\n{}", missed.len(), missed.join("\n"));
}

/// Ordinary texts of packets: prose, paths, versions, digests, commands, log lines.
const ORDINARY: &[&str] = &[
    "Ship the accessible web part",
    "Scaffolded and configured; component logic is not written.",
    "SCSS alias: @fluentui needs explicit path in config/sass.json",
    "Used React hooks instead of class components",
    "The tenant has Fluent UI v9",
    "node_version: 22.11.0, spfx_version: 1.22.2",
    "npm test passes and the bundle is below 300 kB",
    "Stop before publishing external resources",
    "commit:9f2c1e0",
    "trace:4bf92f3577b34da6a3ce929d0e0e4736",
    "commit 9f2c1e0aa81b2c3d4e5f60718293a4b5c6d7e8f9 on main",
    "sha256:4f1d8a0c6b3e9f275d81c40ab9e63f7288d1a6c5e0f47b932ac5d86e1b70f394",
    "the digest is 4f1d8a0c6b3e9f275d81c40ab9e63f7288d1a6c5e0f47b932ac5d86e1b70f394",
    "4f1d8a0c6b3e9f275d81c40ab9e63f7288d1a6c5e0f47b932ac5d86e1b70f394  dist/bundle.js",
    "md5 9e107d9d372bb6826bd81d3542a419d6",
    "hof_0192f0c1a2b37c4d8e5f60718293a4b5 supersedes hof_0192f0c1a2b37c4d8e5f60718293a4b6",
    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    "request 123e4567-e89b-12d3-a456-426614174000 failed with 502",
    "escalate_to_oncall_if_not_progressed_within_300s",
    "correlation-to-investigation@1.2",
    "2026-11-16T18:00:00.000000Z",
    "https://github.com/org/repo/pull/1234#issuecomment-2468013579",
    "https://docs.example/d/1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms/edit?usp=sharing",
    "https://example.org/search?q=password+reset&page=2",
    "postgres://localhost:5432/app without a password",
    "postgres://user:${DB_PASSWORD}@db/app",
    "postgres://postgres:postgres@localhost:5432/test",
    "ssh://git@github.com:22/org/repo.git",
    "git@github.com:org/repo.git",
    "crates/tasuki-packet/src/secrets/ordinary.rs:120:17",
    "/usr/lib/x86_64-linux-gnu/libX11.so.6.4.0",
    "C:\\Users\\dev\\AppData\\Local\\Programs\\Python\\Python312\\python.exe",
    "node_modules/@fluentui/react-components/lib/index.js",
    "target/debug/deps/tasuki_packet-1a2b3c4d5e6f7a8b",
    "dist/assets/index-BX3kd9aQ.js",
    "cargo nextest run -p tasuki-packet --no-fail-fast",
    "docker run -u 1000:1000 -p 8080:80 nginx:1.27.3-alpine",
    "docker pull nginx@sha256:4f1d8a0c6b3e9f275d81c40ab9e63f7288d1a6c5e0f47b932ac5d86e1b70f394",
    "kubectl logs web-7d4b9c6f8d-x2x9k -n production",
    "curl -H \"Authorization: Bearer $TOKEN\" https://api.example/v1/handoffs",
    "curl -H 'Authorization: Bearer <token>' http://127.0.0.1:7420/v1/inbox",
    "export GITHUB_TOKEN=$(gh auth token)",
    "psql -h db.internal -U app -d app",
    "export API_KEY=your-api-key-here",
    "set the password in the vault, then pass secret_ref: vault/kv/app",
    "The API token expired; the owner rotates it on Monday.",
    "Password reset mails are sent twice: once by the API, once by the queue",
    "password: required, at least 12 characters",
    "secret: none",
    "token: valid until Friday",
    "Basic authentication is off; bearer tokens only",
    "The secret is stored in AWS Secrets Manager as arn:aws:secretsmanager:eu-west-1:123456789012:secret:app-db",
    "api_key is read from process.env.API_KEY",
    "const token = getToken(request.headers);",
    "let password = Secret::new(config.password());",
    "if (token === expected) { return next(); }",
    "passwords are hashed with argon2id (m=19456, t=2, p=1)",
    "JWT signed with HS256; the claims are sub, iat and exp",
    "AbstractSingletonProxyFactoryBean was replaced by a plain function",
    "getHTTPResponseCode404FromServerV2 is flaky",
    "thread 'tests::second_receiver_waits_for_the_lease' panicked at src/claim.rs:88:9",
    "error[E0502]: cannot borrow `members` as mutable because it is also borrowed as immutable",
    "TypeError: Cannot read properties of undefined (reading 'tokenCount')",
    "Traceback (most recent call last): File \"app/main.py\", line 42, in <module>",
    "java.lang.IllegalStateException: ApplicationContextInitializerRegistryConfigurer not ready",
    "at Object.<anonymous> (/srv/app/node_modules/jest-circus/build/jestAdapterInit.js:535:34)",
    "HTTP/2 200, content-type: application/json; charset=utf-8, etag: W/\"5d8c72a5edda8d6a\"",
    "p50 12.4 ms, p99 88.1 ms, 1024 connections, 0.02 % errors",
    "| party | open | done |\n|---|---|---|\n| hermes-main | 3 | 12 |",
    "- [x] schema\n- [ ] tests\n- [ ] docs (see docs/guide/handoff-lifecycle.md)",
    "0.45 USD, 41200 tokens, 310 seconds",
    "max_tokens: 4096, temperature: 0.2, model: claude-sonnet-4-20250514",
    "gpt-4o-mini-2024-07-18 and text-embedding-3-large",
    "integrity sha512-q8Zt3Vn1Kx7Rb5Lm2Wd9Yk3bT9xQzLw7RvN2mPdJ5sA8Zt3Vn1Kx7Rb5Lm2Wd9Yk3bT9xQzLw7RvN2mPdJ5w==",
    "checksum = \"4f1d8a0c6b3e9f275d81c40ab9e63f7288d1a6c5e0f47b932ac5d86e1b70f394\"",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ0x7Kq2Wm9Vb4Rt8Zd3Lp6Nc1Yf5Hg ana@laptop",
    "SHA256:q8Zt3Vn1Kx7Rb5Lm2Wd9Yk3bT9xQzLw7RvN2mPdJ5s fingerprint of the host",
    "MongoDB id 507f1f77bcf86cd799439011, ULID 01ARZ3NDEKTSV4RRFFQ69G5FAV",
    "arn:aws:iam::123456789012:role/service-role/AWSLambdaBasicExecutionRole",
    "ami-0abcdef1234567890 in eu-central-1, instance i-0abcdef1234567890",
    "ORA-01017 and SQLSTATE 28P01 were seen in the logs",
    "OFFICIAL-SENSITIVE, UK-DCB0129 4.2, retention P5Y",
    "Wie geht es weiter? Prüfung der Übergabe am 16.11.2026",
    "受け渡しの確認をお願いします",
    "The flag is --password-file /run/secrets/db, never --password on the line",
    "mysql --user root --password app",
    "TASUKI_TOKEN is unset; TASUKI_URL=https://tasuki.example",
    "token_url: https://id.example/oauth2/v2.0/token, token_type: Bearer",
    "the fencing token is 7, the older token 6 was refused",
    "next_page_token=CAUQAA81kd02 gives the second page",
    "password: ****** (masked by the runner)",
    "DATABASE_PASSWORD={{ vault.db_password }}",
    "secret_ref: env:DATABASE_PASSWORD",
    "Replace `xxxxxxxxxxxxxxxxxxxxxxxx` by your own key",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
    "x-request-id: 7f3d2c1b-0a9e-4d8c-b7a6-5f4e3d2c1b0a",
    "feat(packet)!: refuse a stale fencing token (#1234)",
    "v1.2.3-rc.1+build.20261116.9f2c1e0 is tagged",
    "SELECT id, next_n FROM subscription WHERE project = $1 ORDER BY due_at, id LIMIT $5",
    "^[a-z0-9][a-z0-9._-]{0,62}$ and role:[a-z]+",
    "Zoë asked: is `state: verified` with evidence \"log:yo-1\" enough? yes",
    "ISO 8601, RFC 8785, RFC 6901, BCP 47, UTF-8, ED25519, X.509",
    "ThisIsAVeryLongCamelCaseIdentifierThatSomeGeneratorMade2",
    "SCREAMING_SNAKE_CASE_CONSTANT_WITH_MANY_WORDS_IN_IT_2",
    "kebab-case-identifier-with-many-words-and-number-42-in-it",
];

#[test]
fn ordinary_texts_hold_no_secret() {
    assert!(ORDINARY.len() >= 100, "{}", ORDINARY.len());
    let flagged: Vec<String> = ORDINARY
        .iter()
        .flat_map(|text| {
            scan(&json!([text])).into_iter().map(move |finding| {
                format!("{}: {}", finding.kind, &text[finding.start..finding.end])
            })
        })
        .collect();
    assert!(flagged.is_empty(), "{}", flagged.join("\n"));
}

#[test]
fn an_ordinary_packet_holds_no_secret() {
    let packet = json!({
        "handoff_version": "1.0", "task_id": "build-spfx-webpart-42", "from_agent": "hermes-main",
        "to_agent": "role:reviewer", "context": {"token_count": "41200", "node": "22.11.0"},
        "artifacts": [{"kind": "output", "path": "dist/bundle.js", "bytes": 281_034,
            "digest": "sha256:4f1d8a0c6b3e9f275d81c40ab9e63f7288d1a6c5e0f47b932ac5d86e1b70f394"}],
        "provenance": {"parents": ["hof_0192f0c1a2b37c4d8e5f60718293a4b5"], "tools": ["cargo 1.95"]},
        "trace": {"traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"},
        "audit_trail": [{"prev_hash": "9d4e1cf03ba87265e0a94b7c8d1f2630", "n": 4}],
        "extensions": {"vault": {"secret_ref": "kv/app#db", "password": "${DB_PASSWORD}"}},
    });
    assert_eq!(scan(&packet), []);
}

#[test]
fn hostile_texts_are_read_in_one_pass() {
    for part in [
        "sk-proj-",
        "eyJ-",
        "a://",
        "://a:",
        "password=",
        "password ",
        "curl -u a:",
        "AccountKey=",
        "\"token\":",
        "-----BEGIN PRIVATE KEY-----",
        "PuTTY-User-Key-File-",
        "tasuki_a_",
        "é:",
    ] {
        let text = part.repeat(100_000 / part.len());
        let started = Instant::now();
        scan(&json!(text));
        // A recognizer that reads to the end of the text once per prefix needs a minute.
        assert!(started.elapsed() < Duration::from_secs(20), "{part}");
    }
}
