//! Fails if the modules of a crate import each other in a cycle.
//!
//! A module is a file or a folder in the crate's `src`. An import is a path through `crate::`, or
//! through as many `super::` as lead to the root of the crate. The test scans the text, so it
//! misses names that the root re-exports.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The modules that each module imports.
type Imports = BTreeMap<String, BTreeSet<String>>;

#[test]
fn no_crate_has_a_cycle_of_imports() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut count = 0;
    for folder in ["crates", "crates/emulator", "examples"] {
        for package in entries(&root.join(folder))
            .iter()
            .filter(|package| package.join("Cargo.toml").exists())
        {
            let imports = imports(&package.join("src"));
            count += imports.values().map(BTreeSet::len).sum::<usize>();
            let cycle = cycle(&imports).unwrap_or_default();
            assert!(
                cycle.is_empty(),
                "modules of {} import each other: {cycle}",
                package.display()
            );
        }
    }
    assert!(count > 200, "the imports are found: {count}");
}

/// Returns the imports between the modules of the crate with this `src`.
fn imports(source: &Path) -> Imports {
    let mut imports = Imports::new();
    for path in entries(source) {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        if !["lib", "main"].contains(&&*name) {
            read(&path, 1, imports.entry(name).or_default());
        }
    }
    let names: BTreeSet<_> = imports.keys().cloned().collect();
    for (name, imported) in &mut imports {
        imported.retain(|other| other != name && names.contains(other));
    }
    imports
}

/// Adds the names that the code at `path` imports from the root of the crate, which is `depth`
/// modules above.
fn read(path: &Path, depth: usize, imported: &mut BTreeSet<String>) {
    if path.is_dir() {
        for entry in entries(path) {
            let is_folders_own = entry.file_name().unwrap() == "mod.rs";
            read(
                &entry,
                if is_folders_own { depth } else { depth + 1 },
                imported,
            );
        }
        return;
    }
    if path.extension().is_none_or(|end| end != "rs") || path.file_stem().unwrap() == "tests" {
        return;
    }
    let text = fs::read_to_string(path).unwrap();
    // The tests of a file are its last module.
    let text = text
        .find("#[cfg(test)]\nmod tests")
        .map_or(&*text, |end| &text[..end]);
    let lines = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.starts_with("//"));
    let code = lines
        .collect::<Vec<_>>()
        .join(" ")
        .replace(&"super::".repeat(depth), "crate::");
    for rest in code.split("crate::").skip(1) {
        imported.extend(first_names(rest));
    }
}

/// Returns the names that follow `crate::`: a single name, or the names of a group in braces.
fn first_names(rest: &str) -> Vec<String> {
    let is_letter = |letter: &char| letter.is_alphanumeric() || *letter == '_';
    let name = |text: &str| text.trim().chars().take_while(is_letter).collect();
    let Some(group) = rest.strip_prefix('{') else {
        return vec![name(rest)];
    };
    let mut depth = 0;
    let mut names = Vec::new();
    for part in group.split_inclusive([',', '{', '}']) {
        if depth == 0 {
            names.push(name(part));
        }
        match part.chars().last() {
            Some('{') => depth += 1,
            Some('}') if depth == 0 => break,
            Some('}') => depth -= 1,
            _ => {}
        }
    }
    names
}

/// Returns a cycle such as `a -> b -> a`, or `None`.
fn cycle(imports: &Imports) -> Option<String> {
    let mut done = BTreeSet::new();
    imports
        .keys()
        .find_map(|name| visit(name, imports, &mut Vec::new(), &mut done))
}

/// Follows the imports of `name`. `path` has the modules that led to it.
fn visit<'a>(
    name: &'a str,
    imports: &'a Imports,
    path: &mut Vec<&'a str>,
    done: &mut BTreeSet<&'a str>,
) -> Option<String> {
    if let Some(start) = path.iter().position(|module| *module == name) {
        return Some([&path[start..], &[name]].concat().join(" -> "));
    }
    if !done.insert(name) {
        return None;
    }
    path.push(name);
    let found = imports[name]
        .iter()
        .find_map(|next| visit(next, imports, path, done));
    path.pop();
    found
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().path()).collect()
}
