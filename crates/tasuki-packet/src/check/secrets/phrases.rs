//! Finds passwords in sentences and in short options of commands: `the password is …`,
//! `curl -u user:…`, `mysql -p…`.

use super::false_positives::is_placeholder;
use super::hit::Hit;
use super::names::is_typed_password;

const KIND: &str = "password";

/// LIMIT: words between `password` and the verb: `the password for the staging database is …`.
const WORDS_BETWEEN_MAX: usize = 6;

/// LIMIT: the part of a sentence that is examined. It bounds the search from every `password`.
const SENTENCE_BYTES_MAX: usize = 256;

/// Words after `password` that make it the name of something else.
const OTHER_THINGS: &[&str] = &[
    "field", "fields", "hash", "hashes", "hashing", "length", "policy", "policies", "reset",
    "prompt", "manager", "check", "file", "input", "variable", "type", "rule", "rules", "form",
    "page", "flow", "grant", "strength", "rotation", "column", "store", "handler", "version",
];

/// Starts of values that name a method and not a password.
const METHODS: &[&str] =
    &["sha", "md5", "aes", "argon", "bcrypt", "scrypt", "pbkdf", "utf", "base64", "rfc", "hmac"];

/// Verbs between `password` and its value.
const VERBS: &[&str] = &["is", "was", "are", "were"];

/// The short options of curl without a value, which may precede another one: `-sSu`.
const CURL_FLAGS: &[u8] = b"012346aBfgGiIjJkLlMnNOpqRsSvVZ#";

pub(super) fn find(text: &str) -> Vec<Hit> {
    let mut hits = sentences(text);
    hits.extend(options(text));
    hits
}

/// Matches `password is value` and the like.
fn sentences(text: &str) -> Vec<Hit> {
    let lower = text.to_ascii_lowercase();
    let starts = lower.match_indices("pass").map(|(at, _)| at);
    starts.filter_map(|at| sentence(text, &lower, at)).collect()
}

fn sentence(text: &str, lower: &str, at: usize) -> Option<Hit> {
    let names = ["password", "passwd", "passcode", "passphrase"];
    let name = names.iter().find(|name| lower[at..].starts_with(**name))?;
    let from = at + name.len();
    // A name that goes on is none, and neither is the end of a clause.
    if !text[from..].starts_with(char::is_whitespace) {
        return None;
    }
    let end = text.floor_char_boundary(from.saturating_add(SENTENCE_BYTES_MAX));
    let mut words = words_from(&text[..end], from);
    let mut is_first = true;
    for _ in 0..=WORDS_BETWEEN_MAX {
        let (start, word) = words.next()?;
        if let Some(rest) = after_verb(word) {
            let glued = (start + word.len() - rest.len(), rest);
            return value(Some(glued).filter(|_| !rest.is_empty()).into_iter().chain(words));
        }
        let plain = word.trim_matches(['`', '"', '\'', '*']).to_ascii_lowercase();
        match plain.as_str() {
            other if is_first && OTHER_THINGS.contains(&other) => return None,
            _ if word.ends_with(['.', ';', ':', ',', '=', '?', '!']) => return None,
            _ => is_first = false,
        }
    }
    None
}

/// Returns the part of a word after a verb and its sign: nothing for `is` and `is:`, the value for
/// `is:value`.
fn after_verb(word: &str) -> Option<&str> {
    let marks = ['`', '"', '\'', '*'];
    let plain = word.trim_start_matches(marks);
    let letters = plain.bytes().take_while(u8::is_ascii_alphabetic).count();
    let (verb, rest) = plain.split_at(letters);
    let is_verb = VERBS.iter().any(|known| verb.eq_ignore_ascii_case(known));
    let rest = rest.trim_start_matches(marks);
    // Without a sign, this is the end of a clause or another word.
    let is_complete = rest.is_empty() || rest.starts_with([':', '=']);
    let value = rest.trim_start_matches([':', '=']).trim_start_matches(marks);
    (is_verb && is_complete).then_some(value)
}

/// Returns the value after the verb, which may follow a few words such as `now` or `set to`.
fn value<'t>(words: impl Iterator<Item = (usize, &'t str)>) -> Option<Hit> {
    let is_between = |word: &str| {
        ["now", "still", "currently", "just", "set", "to", "simply", "always", ":", "="]
            .contains(&word)
    };
    let (start, word) = words.take(4).find(|(_, word)| !is_between(word))?;
    let value = word.trim_end_matches(['.', ',', ';', ':', ')', '?']);
    let inner = value.trim_matches(['`', '"', '\'', '*']);
    let start = start + value.find(inner)?;
    let lower = inner.to_ascii_lowercase();
    let is_method = METHODS.iter().any(|method| lower.starts_with(method));
    let is_secret = is_typed_password(inner) && !is_method;
    is_secret.then(|| Hit { kind: KIND, start, end: start + inner.len() })
}

/// Matches passwords in the short options of a few commands.
fn options(text: &str) -> Vec<Hit> {
    let mut hits = Vec::new();
    let mut program = "";
    let mut words = words_from(text, 0).peekable();
    while let Some((start, word)) = words.next() {
        let plain = word.trim_matches(['`', '"', '\'', '(']);
        if matches!(plain, "|" | "||" | "&&" | ";") {
            program = "";
        } else if let Some(known) = program_named(plain) {
            program = known;
        }
        let next = words.peek().copied();
        hits.extend(option(program, (start, word), next));
        if word.ends_with(';') {
            program = "";
        }
    }
    hits
}

fn program_named(word: &str) -> Option<&'static str> {
    let name = word.rsplit('/').next().unwrap_or(word);
    Some(match name {
        "curl" | "wget" | "http" | "https" | "xh" => "curl",
        "mysql" | "mysqldump" | "mysqladmin" | "mysqlimport" | "mariadb" | "mariadb-dump" => {
            "mysql"
        }
        "sshpass" => "sshpass",
        "redis-cli" => "redis-cli",
        _ => return None,
    })
}

fn option(program: &str, word: (usize, &str), next: Option<(usize, &str)>) -> Option<Hit> {
    let (start, text) = word;
    let glued = |prefix: &str| {
        let rest = text.strip_prefix(prefix).filter(|rest| !rest.is_empty())?;
        Some((start + prefix.len(), rest))
    };
    match program {
        "curl" => {
            let rest = user_option(text);
            let after = if rest == Some("") || text == "--user" { next } else { None };
            let short = || Some((start + text.len() - rest?.len(), rest?));
            pair(after.or_else(|| glued("--user=")).or_else(short)?)
        }
        "mysql" => password(glued("-p")?),
        "sshpass" => password(if text == "-p" { next? } else { glued("-p")? }),
        "redis-cli" => password(next.filter(|_| text == "-a")?),
        _ => None,
    }
}

/// Returns the part of a word after curl's `-u`, which other short options may precede.
fn user_option(word: &str) -> Option<&str> {
    let options = word.strip_prefix('-')?;
    let (flags, value) = options.split_at(options.find('u')?);
    flags.bytes().all(|flag| CURL_FLAGS.contains(&flag)).then_some(&value[1..])
}

/// Returns the password of `user:password`.
fn pair((start, word): (usize, &str)) -> Option<Hit> {
    let (start, word) = unquoted(start, word);
    let at = word.find(':')?;
    if word[..at].is_empty() || word[at + 1..].contains("//") {
        return None;
    }
    password((start + at + 1, &word[at + 1..]))
}

fn password((start, word): (usize, &str)) -> Option<Hit> {
    let (start, word) = unquoted(start, word);
    let is_secret = word.len() >= 4 && !word.starts_with(['-', '$', '<']) && !is_placeholder(word);
    is_secret.then(|| Hit { kind: KIND, start, end: start + word.len() })
}

fn unquoted(start: usize, word: &str) -> (usize, &str) {
    let inner = word.trim_start_matches(['"', '\'', '`']);
    let start = start + word.len() - inner.len();
    (start, inner.trim_end_matches(['"', '\'', '`', ',', ';', ')', '.']))
}

/// Returns the words of a text from a position on, each with its position.
fn words_from(text: &str, from: usize) -> impl Iterator<Item = (usize, &str)> {
    let rest = &text[from..];
    rest.split_whitespace().map(move |word| {
        // A word is a part of the text, so its position is the distance of their addresses.
        let start = word.as_ptr().addr() - rest.as_ptr().addr();
        (from + start, word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        find(text).iter().map(|hit| &text[hit.start..hit.end]).collect()
    }

    #[test]
    fn a_password_in_a_sentence_is_found() {
        for (text, secret) in [
            ("the password is hunter22", "hunter22"),
            ("Password for the staging database is `Tr0ub4dor&3`.", "Tr0ub4dor&3"),
            ("admin passwd was S3cretPass99, rotate it", "S3cretPass99"),
            ("its password is now set to zX81kkQ", "zX81kkQ"),
            ("the password is: hunter2x9", "hunter2x9"),
            ("the password for ana **is:** `hunter2x9`", "hunter2x9"),
            ("the password is:hunter2x9.", "hunter2x9"),
            ("the password was = hunter2x9", "hunter2x9"),
        ] {
            assert_eq!(found(text), [secret], "{text}");
        }
    }

    #[test]
    fn a_password_in_an_option_is_found() {
        for (text, secret) in [
            ("curl -u admin:hunter22 https://api.example/v1", "hunter22"),
            ("run `/usr/bin/curl -s --user 'deploy:9fK2mQ8z' https://x`", "9fK2mQ8z"),
            ("curl -sSu bob:IfEpSfZB9 http://x", "IfEpSfZB9"),
            ("curl -ksubob:IfEpSfZB9 http://x", "IfEpSfZB9"),
            ("mysql -u root -phunter22 app", "hunter22"),
            ("mysqldump -p'S3cr3tPw' db > dump.sql", "S3cr3tPw"),
            ("sshpass -p hunter22 ssh host", "hunter22"),
        ] {
            assert_eq!(found(text), [secret], "{text}");
        }
    }

    #[test]
    fn sentences_and_options_without_a_password_are_left_alone() {
        for text in [
            "the password is required",
            "the password is: required",
            "the password is:",
            "the password isn't hunter22, ask ana",
            "curl -sSo output:file12345 https://x",
            "curl -sSu \"$USER:$PASS\" https://x",
            "the password is stored in the vault",
            "the password is SHA-256 hashed",
            "the password field is input2",
            "the tests pass; what is v2.1.0",
            "curl -u \"$USER:$PASS\" https://x",
            "curl -u user:<password> https://x",
            "curl -u user https://x",
            "mysql -p app",
            "mysql -p$MYSQL_PWD app",
            "mkdir -p build/output && docker run -p 8080:80 nginx",
            "mysql app | ssh -p2222 host",
        ] {
            assert_eq!(found(text), Vec::<&str>::new(), "{text}");
        }
    }
}
