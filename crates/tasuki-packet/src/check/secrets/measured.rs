//! Measures the scanner on texts that are made at test time: at least 200 secrets in sentences and
//! commands, and at least 1,000 ordinary texts with ids, commands and sentences about passwords.

use serde_json::json;

use super::corpus::Generator;
use super::scan;

/// Texts around a secret; `%` stands for it.
const AROUND: &[&str] = &[
    "the password is %",
    "the password for the staging database is %.",
    "Password of user admin is `%`, change it after the demo",
    "root passwd was %",
    "the new passphrase is now %",
    "its password is set to \"%\"",
    "the password is: %",
    "login as root, the password was: `%`",
    "the admin password is:%",
    "curl -u admin:% https://api.example/v1/items",
    "curl -sS --user 'deploy:%' https://api.example",
    "curl -sSu bob:% http://api.example",
    "curl -fsSLubob:% http://api.example",
    "then `curl --user=ci:% -X POST https://hooks.example`",
    "mysql -u root -p% app < dump.sql",
    "mysqldump --single-transaction -p'%' app",
    "mariadb -h db -p% -e 'select 1'",
    "sshpass -p % ssh deploy@host uptime",
    "redis-cli -a % ping",
];

/// Ids of other systems, which agents write into packets all the time; `%` stands for the rest.
const IDS: &[&str] = &[
    "run_%",
    "resp_%",
    "msg_%",
    "req_%",
    "call_%",
    "thread_%",
    "asst_%",
    "toolu_%",
    "chatcmpl-%",
    "batch_%",
    "evt_%",
    "job_%",
    "session_%",
    "trace_%",
    "item_%",
    "file-%",
];

/// Kinds of things that have ids. No list of them is complete.
const KINDS: &[&str] = &[
    "step",
    "ses",
    "tsk",
    "span",
    "conv",
    "wf",
    "node",
    "task",
    "agent",
    "turn",
    "plan",
    "branch",
    "artifact",
    "checkpoint",
    "conversation",
    "handoff",
];

/// The first words of credentials, which are followed by the same bodies as ids.
const CREDENTIALS: &[&str] = &[
    "ghp", "gho", "sk", "pk", "rk", "xoxb", "hf", "npm", "shpat", "key", "api", "token", "secret",
];

/// Sentences about passwords, and commands without one; `%` stands for a harmless word.
const HARMLESS: &[&str] = &[
    "the password is %",
    "the password field is %",
    "the password for the database is % in the vault",
    "curl -u \"$USER:$PASS\" https://api.example/%",
    "curl -u user:${TOKEN} https://api.example/%",
    "the password is: %",
    "curl -sSu $USER:$PASS https://api.example/%",
    "curl -sSo out:%1234 https://api.example",
    "mysql -p % < schema.sql",
    "mkdir -p build/% && cp -u a b",
    "docker run -u 1000:1000 -p 8080:80 %",
    "ssh -p 2222 deploy@% uptime",
    "all tests pass and the % is green",
];

const WORDS: &[&str] = &[
    "required",
    "wrong",
    "missing",
    "optional",
    "hashed",
    "stored",
    "rotated",
    "expired",
    "empty",
    "documented",
    "checked",
    "redacted",
    "valid",
    "invalid",
    "shared",
    "unknown",
    "masked",
    "encrypted",
    "generated",
    "forgotten",
];

#[test]
fn passwords_in_sentences_and_commands_are_found() {
    let mut generator = Generator(0x5EED_0002);
    let mut missed = Vec::new();
    let mut count = 0;
    for _ in 0..20 {
        for around in AROUND {
            let secret = generator.alphanumeric(9) + "7q";
            let text = around.replace('%', &secret);
            count += 1;
            let found = scan(&json!([text]));
            if !found.iter().any(|hit| text[hit.start..hit.end].contains(&secret)) {
                missed.push(text);
            }
        }
    }
    assert!(count >= 200, "{count}");
    assert!(missed.is_empty(), "{} of {count} missed:\n{}", missed.len(), missed.join("\n"));
}

#[test]
fn credentials_are_found_although_ids_look_like_them() {
    let mut generator = Generator(0x5EED_0004);
    let mut missed = Vec::new();
    for word in CREDENTIALS {
        for length in [32, 36, 48, 64] {
            let text = format!("use {word}_{} for the build", generator.hex(length));
            if scan(&json!([text])).is_empty() {
                missed.push(text);
            }
        }
    }
    assert!(missed.is_empty(), "{} missed:\n{}", missed.len(), missed.join("\n"));
}

#[test]
fn ids_and_sentences_about_passwords_are_left_alone() {
    let mut generator = Generator(0x5EED_0003);
    let mut texts = Vec::new();
    for _ in 0..40 {
        for id in IDS {
            let ulid = generator.text("0123456789ABCDEFGHJKMNPQRSTVWXYZ", 26);
            let body = match generator.next() % 3 {
                0 => ulid,
                1 => generator.hex(40),
                _ => generator.alphanumeric(24),
            };
            texts.push(format!("resumed {} after the timeout", id.replace('%', &body)));
        }
    }
    for _ in 0..10 {
        for kind in KINDS {
            let ulid = generator.text("0123456789ABCDEFGHJKMNPQRSTVWXYZ", 24);
            texts.push(format!("resumed {kind}_01{ulid} after the timeout"));
            for length in [32, 48] {
                let hex = generator.hex(length);
                texts.push(format!("resumed {kind}_{hex} after the timeout"));
            }
        }
    }
    for word in WORDS {
        texts.extend(HARMLESS.iter().map(|text| text.replace('%', word)));
    }
    for number in 0..200_u32 {
        let sha = generator.hex(40);
        texts.push(format!("step {number}: commit {sha} builds in {number}.5 s"));
    }
    assert!(texts.len() >= 1_000, "{}", texts.len());
    let flagged: Vec<&String> =
        texts.iter().filter(|text| !scan(&json!([text])).is_empty()).collect();
    assert!(flagged.is_empty(), "{} of {} flagged: {flagged:#?}", flagged.len(), texts.len());
}
