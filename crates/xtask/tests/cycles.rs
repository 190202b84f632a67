//! Fails if the files of a crate import each other in a cycle.
//!
//! An import is a path through `crate::` or `super::`. It leads to the deepest file that the path
//! names, or to the file from which a folder re-exports the name. The test scans the text, so it
//! misses names that the root re-exports.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use walkdir::{DirEntry, WalkDir};

/// Pairs of modules of which the first imports the second.
type Imports = BTreeSet<(String, String)>;

#[test]
fn no_crate_has_a_cycle_of_imports() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut count = 0;
    for folder in ["crates", "crates/emulator", "examples"] {
        for package in fs::read_dir(root.join(folder)).unwrap() {
            let package = package.unwrap().path();
            let files = Files::read(&package.join("src"));
            let mut imports = files.imports();
            count += imports.len();
            keep_cycles(&mut imports);
            let name = package.display();
            assert!(imports.is_empty(), "{name} has a cycle in {imports:?}");
        }
    }
    assert!(count > 1_000, "the imports are found: {count}");
}

/// Removes the imports that are part of no cycle: those of a module without imports, and those by a
/// module that no other imports.
fn keep_cycles(imports: &mut Imports) {
    let mut count = usize::MAX;
    while imports.len() < count {
        count = imports.len();
        let (from, to): (BTreeSet<_>, BTreeSet<_>) = imports.iter().cloned().unzip();
        imports.retain(|import| from.contains(&import.1) && to.contains(&import.0));
    }
}

/// The files of a crate. A module is its path below the crate, such as `ledger::store`.
struct Files {
    /// The code of each module.
    code: BTreeMap<String, String>,
    /// The module of each name that a folder re-exports, by its path in the folder.
    exported: BTreeMap<String, String>,
}

impl Files {
    fn read(source: &Path) -> Self {
        let code: BTreeMap<_, _> = WalkDir::new(source)
            .into_iter()
            .filter_map(Result::ok)
            .filter(|entry| entry.path().extension().is_some_and(|end| end == "rs"))
            .map(|entry| (module(source, &entry), code_of(&entry)))
            .collect();
        let mut exported = BTreeMap::new();
        for (folder, text) in &code {
            for (at, uses) in text.match_indices(" use ") {
                let mut paths = Vec::new();
                add_paths(&text[at + uses.len()..], folder, &mut paths);
                for path in paths {
                    let (file, name) = split(&path);
                    if file.len() > folder.len() && code.contains_key(file) {
                        exported.insert(join(folder, name), file.to_owned());
                    }
                }
            }
        }
        Self { code, exported }
    }

    fn imports(&self) -> Imports {
        let mut imports = Imports::new();
        for (module, code) in &self.code {
            for path in paths(code, module) {
                let Some(other) = self.find(&path) else {
                    continue; // the root, which re-exports what other crates use
                };
                // A file's paths into its own folder are declarations and re-exports.
                let is_below = other.starts_with(&join(module, "")) || module.is_empty();
                if other != module && !is_below {
                    imports.insert((module.clone(), other.to_owned()));
                }
            }
        }
        imports
    }

    /// Returns the module that a path leads to.
    fn find<'a>(&'a self, mut path: &'a str) -> Option<&'a str> {
        while !path.is_empty() && !self.code.contains_key(path) {
            path = self.exported.get(path).map_or(split(path).0, |file| file);
        }
        (!path.is_empty()).then_some(path)
    }
}

fn module(source: &Path, file: &DirEntry) -> String {
    let path = file.path().strip_prefix(source).unwrap().with_extension("");
    let names = path.iter().map(|name| name.to_str().unwrap());
    let names: Vec<_> = names
        .filter(|name| !["mod", "lib", "main"].contains(name))
        .collect();
    names.join("::")
}

/// Returns the code of a file without its comments and its tests, which are its last module.
fn code_of(file: &DirEntry) -> String {
    let text = fs::read_to_string(file.path()).unwrap();
    let text = text.split("#[cfg(test)]\nmod tests").next().unwrap();
    let lines = text.lines().map(str::trim);
    let code: Vec<_> = lines.filter(|line| !line.starts_with("//")).collect();
    code.join(" ")
}

/// Returns the paths below the crate that the code of a module names.
fn paths(code: &str, module: &str) -> Vec<String> {
    let mut paths = Vec::new();
    for (at, start) in code.match_indices("crate::") {
        add_paths(&code[at + start.len()..], "", &mut paths);
    }
    for (at, _) in code.match_indices("super::") {
        if code[..at].ends_with("super::") {
            continue; // a part of the path that was found before
        }
        let mut rest = &code[at..];
        let mut base = module;
        while let Some(after) = rest.strip_prefix("super::") {
            rest = after;
            base = split(base).0;
        }
        add_paths(rest, base, &mut paths);
    }
    paths
}

/// Adds the path that `rest` begins with, or each of a group in braces, below `base`.
fn add_paths(rest: &str, base: &str, paths: &mut Vec<String>) {
    let rest = rest.trim_start();
    if let Some(group) = rest.strip_prefix('{') {
        let mut depth = 0;
        let mut start = 0;
        for (at, letter) in group.char_indices() {
            match letter {
                '{' => depth += 1,
                ',' | '}' if depth == 0 => {
                    add_paths(&group[start..at], base, paths);
                    start = at + 1;
                    if letter == '}' {
                        return;
                    }
                }
                '}' => depth -= 1,
                _ => {}
            }
        }
        return;
    }
    let is_letter = |letter: char| letter.is_alphanumeric() || letter == '_';
    let end = rest.find(|letter| !is_letter(letter)).unwrap_or(rest.len());
    if end == 0 {
        return;
    }
    let path = join(base, &rest[..end]);
    match rest[end..].strip_prefix("::") {
        Some(deeper) => add_paths(deeper, &path, paths),
        None => paths.push(path),
    }
}

fn join(base: &str, name: &str) -> String {
    match base {
        "" => name.to_owned(),
        _ => format!("{base}::{name}"),
    }
}

/// Returns the module that a path is in, and its last name.
fn split(path: &str) -> (&str, &str) {
    path.rsplit_once("::").unwrap_or(("", path))
}
