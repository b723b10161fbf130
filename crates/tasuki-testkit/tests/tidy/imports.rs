//! Reads the imports between the modules of a crate from its sources.
//!
//! Imports are `use` declarations, and other paths that start with `crate` or `super`. Comments and
//! code under `#[cfg(test)]` are left out. Imports are counted between top-level modules: an import
//! of `crate::a::b::C` in `src/x/y.rs` leads from `x` to `a`. A name that the crate root re-exports
//! leads to the module it comes from.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::repository::{files, read};

/// The imports between the top-level modules of one crate.
#[derive(Debug, Default)]
pub(crate) struct Imports {
    /// The top-level modules, without those that exist for tests only.
    pub(crate) modules: BTreeSet<String>,
    /// The imports of every module by target module.
    edges: BTreeMap<String, BTreeMap<String, Vec<String>>>,
}

impl Imports {
    /// Reads the crate in a folder.
    pub(crate) fn of_crate(folder: &Path) -> Self {
        let source = folder.join("src");
        let sources = files(&source, "rs").into_iter().map(|path| {
            let name = path.strip_prefix(&source).expect("a file below").display().to_string();
            (name, read(&path))
        });
        Self::of_sources(&sources.collect::<Vec<_>>())
    }

    /// Reads a crate from these files: their paths below `src`, and their texts.
    pub(crate) fn of_sources(sources: &[(String, String)]) -> Self {
        let parsed: Vec<_> = sources
            .iter()
            .map(|(name, text)| (name, module_of(name), Parser::parse(&module_of(name), text)))
            .collect();
        let tests: Vec<_> = parsed.iter().flat_map(|(_, _, parsed)| &parsed.test_modules).collect();
        let is_test = |module: &[String]| tests.iter().any(|test| module.starts_with(test));
        let shipped: Vec<_> = parsed.iter().filter(|(_, module, _)| !is_test(module)).collect();
        let modules = shipped.iter().filter_map(|(_, module, _)| module.first().cloned()).collect();
        let mut imports = Self { modules, edges: BTreeMap::new() };
        let roots = shipped.iter().filter(|(_, module, _)| module.is_empty());
        let root_names: BTreeMap<&str, &[String]> = roots
            .flat_map(|(_, _, root)| &root.paths)
            .map(|found| (found.name.as_str(), found.path.as_slice()))
            .collect();
        for (name, module, parsed) in &shipped {
            let Some(from) = module.first() else { continue };
            for found in &parsed.paths {
                let Some(to) = imports.target(&found.path, &root_names) else { continue };
                let place = format!("src/{name}:{}: {}", found.line, found.path.join("::"));
                imports.add(from, &to, place);
            }
        }
        imports
    }

    /// Returns the top-level module that a path leads to.
    fn target(&self, path: &[String], root_names: &BTreeMap<&str, &[String]>) -> Option<String> {
        let first = path.first()?;
        let module = if self.modules.contains(first) {
            first
        } else {
            root_names.get(first.as_str())?.first()?
        };
        self.modules.get(module).cloned()
    }

    /// Adds an import, unless it stays within its module.
    pub(crate) fn add(&mut self, from: &str, to: &str, place: String) {
        self.modules.extend([from.to_owned(), to.to_owned()]);
        if from != to {
            let targets = self.edges.entry(from.to_owned()).or_default();
            targets.entry(to.to_owned()).or_default().push(place);
        }
    }

    /// Removes a module with its imports and all imports of it.
    pub(crate) fn remove(&mut self, module: &str) {
        self.modules.remove(module);
        self.edges.remove(module);
        self.edges.values_mut().for_each(|targets| _ = targets.remove(module));
    }

    /// Returns the modules that a module imports.
    pub(crate) fn of<'i>(&'i self, module: &str) -> impl Iterator<Item = &'i str> {
        self.edges.get(module).into_iter().flat_map(|targets| targets.keys().map(String::as_str))
    }

    /// Returns every pair of modules of which the first imports the second.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.edges.keys().flat_map(|from| self.of(from).map(move |to| (from.as_str(), to)))
    }

    /// Returns the first place where one module imports another, and the number of others.
    pub(crate) fn example(&self, from: &str, to: &str) -> String {
        let places = &self.edges[from][to];
        match places.len() - 1 {
            0 => places[0].clone(),
            more => format!("{} (and {more} more)", places[0]),
        }
    }
}

/// Returns the module of a file below `src`: none for the root of a crate.
fn module_of(name: &str) -> Vec<String> {
    let mut module: Vec<_> = name.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
    if module.last().is_some_and(|last| last == "mod") {
        module.pop();
    }
    match module.as_slice() {
        [only] if only == "lib" || only == "main" => Vec::new(),
        _ => module,
    }
}

/// The imports of one file.
#[derive(Debug, Default)]
struct Parsed {
    paths: Vec<Found>,
    test_modules: Vec<Vec<String>>,
}

/// A path in a file, counted from the root of its crate.
#[derive(Debug)]
struct Found {
    path: Vec<String>,
    /// The name it gets in the file.
    name: String,
    line: usize,
}

/// One pass over the tokens of a file.
struct Parser<'t> {
    tokens: &'t [Token],
    at: usize,
    /// The current module, and the number of open braces for each inline module.
    module: Vec<String>,
    inline: Vec<usize>,
    braces: usize,
    parsed: Parsed,
}

impl<'t> Parser<'t> {
    fn parse(module: &[String], text: &str) -> Parsed {
        let tokens = tokens(text);
        let mut parser = Parser {
            tokens: &tokens,
            at: 0,
            module: module.to_vec(),
            inline: Vec::new(),
            braces: 0,
            parsed: Parsed::default(),
        };
        while parser.at < tokens.len() {
            parser.next();
        }
        parser.parsed
    }

    fn peek(&self, ahead: usize) -> &'t str {
        self.tokens.get(self.at + ahead).map_or("", |token| token.text.as_str())
    }

    fn starts_with(&self, expected: &[&str]) -> bool {
        expected.iter().enumerate().all(|(ahead, text)| self.peek(ahead) == *text)
    }

    fn next(&mut self) {
        if self.starts_with(&["#", "[", "cfg", "(", "test", ")", "]"]) {
            return self.skip_test_item();
        }
        match (self.peek(0), self.peek(2)) {
            ("mod", "{") => return self.enter_module(),
            ("use", _) if self.peek(1) != "<" => return self.declaration(),
            ("crate" | "super", _) if self.peek(1) == "::" => return self.inline_path(),
            ("{", _) => self.braces += 1,
            ("}", _) => self.leave_brace(),
            _ => {}
        }
        self.at += 1;
    }

    fn enter_module(&mut self) {
        self.module.push(self.peek(1).to_owned());
        self.inline.push(self.braces);
        self.braces += 1;
        self.at += 3;
    }

    fn leave_brace(&mut self) {
        self.braces = self.braces.saturating_sub(1);
        if self.inline.last() == Some(&self.braces) {
            self.inline.pop();
            self.module.pop();
        }
    }

    /// Skips an item under `#[cfg(test)]` with its other attributes.
    fn skip_test_item(&mut self) {
        while self.peek(0) == "#" {
            self.at += 1;
            self.skip_group();
        }
        if self.peek(0) == "pub" {
            self.at += 1;
            if self.peek(0) == "(" {
                self.skip_group();
            }
        }
        if self.peek(0) == "mod" && self.peek(2) == ";" {
            let test_module = [self.module.as_slice(), &[self.peek(1).to_owned()]].concat();
            self.parsed.test_modules.push(test_module);
        }
        while !matches!(self.peek(0), "" | ";" | "{" | "}") {
            match self.peek(0) {
                "(" | "[" => self.skip_group(),
                _ => self.at += 1,
            }
        }
        match self.peek(0) {
            "{" => self.skip_group(),
            ";" => self.at += 1,
            _ => {}
        }
    }

    /// Skips brackets of any kind with everything between them.
    fn skip_group(&mut self) {
        let mut open = 0_usize;
        loop {
            match self.peek(0) {
                "(" | "[" | "{" => open += 1,
                ")" | "]" | "}" => open = open.saturating_sub(1),
                _ => {}
            }
            self.at += 1;
            if open == 0 || self.at >= self.tokens.len() {
                return;
            }
        }
    }

    fn inline_path(&mut self) {
        let line = self.tokens[self.at].line;
        let mut path = vec![self.peek(0).to_owned()];
        self.at += 1;
        while self.peek(0) == "::" && is_word(self.peek(1)) {
            path.push(self.peek(1).to_owned());
            self.at += 2;
        }
        self.found(UsePath { name: path[path.len() - 1].clone(), path }, line);
    }

    fn declaration(&mut self) {
        let line = self.tokens[self.at].line;
        self.at += 1;
        let mut paths = Vec::new();
        self.tree(&[], &mut paths);
        for path in paths {
            self.found(path, line);
        }
    }

    /// Reads one tree of a `use` declaration.
    fn tree(&mut self, parent: &[String], paths: &mut Vec<UsePath>) {
        let mut path = parent.to_vec();
        let mut name = None;
        loop {
            match self.peek(0) {
                "::" => self.at += 1,
                "{" => return self.group(&path, paths),
                "as" => {
                    name = Some(self.peek(1).to_owned());
                    self.at += 2;
                }
                "self" if !path.is_empty() => self.at += 1,
                text if is_word(text) || text == "*" => {
                    path.push(text.to_owned());
                    self.at += 1;
                }
                _ => break,
            }
        }
        if let Some(last) = path.last() {
            paths.push(UsePath { name: name.unwrap_or_else(|| last.clone()), path });
        }
    }

    fn group(&mut self, parent: &[String], paths: &mut Vec<UsePath>) {
        self.at += 1;
        while !matches!(self.peek(0), "" | "}") {
            self.tree(parent, paths);
            if self.peek(0) == "," {
                self.at += 1;
            }
        }
        self.at += 1;
    }

    /// Keeps a path into this crate. In the crate root, any path may be one.
    fn found(&mut self, UsePath { path, name }: UsePath, line: usize) {
        if let Some(path) = resolve(&self.module, &path) {
            self.parsed.paths.push(Found { path, name, line });
        }
    }
}

/// A path of a `use` declaration as written, and the name it gets.
#[derive(Debug, PartialEq, Eq)]
struct UsePath {
    path: Vec<String>,
    name: String,
}

/// Resolves a path in `module` from the root of the crate.
///
/// A path without `crate`, `self` and `super` leads into another crate or a child module; only in
/// the root can that be a top-level module.
fn resolve(module: &[String], path: &[String]) -> Option<Vec<String>> {
    let (first, mut rest) = path.split_first()?;
    let mut from = match first.as_str() {
        "crate" => &[],
        "self" => module,
        "super" => &module[..module.len().saturating_sub(1)],
        _ if module.is_empty() => return Some(path.to_vec()),
        _ => return None,
    };
    while let [first, behind @ ..] = rest
        && first == "super"
    {
        from = &from[..from.len().saturating_sub(1)];
        rest = behind;
    }
    Some([from, rest].concat())
}

/// A word, `::` or any other character that is not white space.
#[derive(Debug)]
struct Token {
    text: String,
    line: usize,
}

fn is_word(text: &str) -> bool {
    text.starts_with(|first: char| first.is_alphanumeric() || first == '_')
}

/// Returns the tokens of a source text without comments and literals.
fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = text;
    let mut line = 1;
    while let Some(first) = rest.chars().next() {
        let length = literal_length(rest).unwrap_or_else(|| {
            let length = match first {
                _ if is_word(rest) => word_length(rest),
                ':' if rest.starts_with("::") => 2,
                _ => first.len_utf8(),
            };
            if !first.is_whitespace() {
                tokens.push(Token { text: rest[..length].to_owned(), line });
            }
            length
        });
        line += rest[..length].matches('\n').count();
        rest = &rest[length..];
    }
    tokens
}

fn word_length(text: &str) -> usize {
    text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len())
}

/// Returns the length of the comment, text, character or lifetime at the start, if there is one.
fn literal_length(text: &str) -> Option<usize> {
    if text.starts_with("//") {
        return Some(text.find('\n').unwrap_or(text.len()));
    }
    if text.starts_with("/*") {
        return Some(text.find("*/").map_or(text.len(), |end| end + 2));
    }
    if text.starts_with('\'') {
        return Some(quote_length(text));
    }
    let prefix = if is_word(text) { word_length(text) } else { 0 };
    if !matches!(&text[..prefix], "" | "b" | "c" | "r" | "br" | "cr") {
        return None;
    }
    let behind = text[prefix..].trim_start_matches('#');
    let hashes = text.len() - prefix - behind.len();
    let is_raw = text[..prefix].ends_with('r');
    if !behind.starts_with('"') || hashes > 0 && !is_raw {
        return None;
    }
    let start = prefix + hashes + 1;
    if is_raw {
        let end = format!("\"{}", "#".repeat(hashes));
        return Some(text[start..].find(&end).map_or(text.len(), |at| start + at + end.len()));
    }
    Some(start + text_length(&text[start..]))
}

/// Returns the length of a text up to and with its closing quote.
fn text_length(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, character) in text.char_indices() {
        match character {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Returns the length of a character, or of the quote of a lifetime.
fn quote_length(text: &str) -> usize {
    let mut behind = text[1..].chars();
    match (behind.next(), behind.next()) {
        (Some('\\'), Some(escaped)) => {
            let start = 2 + escaped.len_utf8();
            text[start..].find('\'').map_or(text.len(), |end| start + end + 1)
        }
        (Some(character), Some('\'')) => 2 + character.len_utf8(),
        _ => 1,
    }
}

#[track_caller]
fn check_paths(module: &str, text: &str, expected: &[&str]) {
    let module: Vec<_> = module.split("::").map(str::to_owned).collect();
    let parsed = Parser::parse(&module, text);
    let found: Vec<_> = parsed.paths.iter().map(|found| found.path.join("::")).collect();
    assert_eq!(found, expected, "{text}");
}

#[test]
fn a_use_declaration_is_every_path_of_its_tree() {
    check_paths("m", "use crate::a::B;", &["a::B"]);
    check_paths("m", "pub(crate) use crate::a;", &["a"]);
    check_paths(
        "m",
        "use crate::{\n    a::{self, B as C, d::{E, F}},\n    g::*, // h::I\n};",
        &["a", "a::B", "a::d::E", "a::d::F", "g::*"],
    );
    check_paths("m", "use serde_json::{Value, json}; use std::fmt;", &[]);
    check_paths("m", "fn f() -> impl Iterator<Item = u8> + use<'_> { crate::a::f() }", &["a::f"]);
}

#[test]
fn self_and_super_count_from_the_module_of_the_file() {
    check_paths("a::b::c", "use super::{super::d::E, f::G};", &["a::d::E", "a::b::f::G"]);
    check_paths("a::b", "use super::super::c::D; use self::e::F;", &["c::D", "a::b::e::F"]);
    check_paths("a", "fn f() { super::b::g(crate::c::H::new()); }", &["b::g", "c::H::new"]);
    check_paths(
        "a",
        "mod inner { use super::super::b; fn f() { let x = S { y: 1 }; super::g() } } use super::c;",
        &["b", "a::g", "c"],
    );
}

#[test]
fn tests_comments_and_literals_import_nothing() {
    check_paths("a", "#[cfg(test)]\nmod tests { use crate::b; }\nuse crate::c;", &["c"]);
    check_paths("a", "#[cfg(test)]\npub(crate) use crate::b::{C, D};\nuse crate::e;", &["e"]);
    check_paths(
        "a",
        "#[cfg(test)] #[must_use] fn f(x: [u8; 2]) { crate::b() } use crate::c;",
        &["c"],
    );
    check_paths("a", "#[cfg(unix)]\nuse crate::b;", &["b"]);
    check_paths("a", "/// See crate::b.\n/* crate::c */ fn f<'a>() { crate::d() }", &["d"]);
    check_paths("a", r##"f("crate::b \" {", r#"crate::c " {"#, b"{"); use crate::d;"##, &["d"]);
    check_paths("a", r"m('{', '\'', '\u{7b}', 'é', b'{'); mod b { use super::super::c; }", &["c"]);
}

fn of(sources: &[(&str, &str)]) -> Vec<String> {
    let sources: Vec<_> =
        sources.iter().map(|(name, text)| ((*name).into(), (*text).into())).collect();
    let imports = Imports::of_sources(&sources);
    let pairs = imports.pairs();
    pairs.map(|(from, to)| format!("{from} -> {to}: {}", imports.example(from, to))).collect()
}

#[test]
fn imports_lead_from_module_to_module() {
    let found = of(&[
        ("lib.rs", "mod a; mod b; #[cfg(test)] mod testing; pub use b::Thing as Other;"),
        ("a/mod.rs", "mod inner; use crate::b;"),
        ("a/inner.rs", "use super::super::b;\nuse crate::{Other, a, testing};"),
        ("b.rs", "use crate::unknown;\nuse super::a::X;"),
        ("testing.rs", "use crate::a; use crate::b;"),
    ]);
    let expected = ["a -> b: src/a/mod.rs:1: b (and 2 more)", "b -> a: src/b.rs:2: a::X"];
    assert_eq!(found, expected);
}
