//! Fails if the files of a crate import each other in a cycle.
//!
//! An import is a path through `crate::` or `super::`. It leads to the deepest file that the path
//! names, or to the file from which a folder re-exports the name. The test scans the text, so it
//! misses names that the root re-exports.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The path of a module below its crate, such as `["ledger", "store"]`.
type Module = Vec<String>;

/// The modules that each module imports.
type Imports = BTreeMap<Module, BTreeSet<Module>>;

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
                "files of {} import each other: {cycle}",
                package.display()
            );
        }
    }
    assert!(count > 1_000, "the imports are found: {count}");
}

/// Returns the imports between the files of the crate with this `src`.
fn imports(source: &Path) -> Imports {
    let mut texts = BTreeMap::new();
    read(source, &mut Vec::new(), &mut texts);
    let files = Files::of(&texts);
    let of = |(module, text): (&Module, &String)| {
        let paths = paths(text, module).into_iter();
        let imported = paths.filter_map(|path| files.find(path));
        // What a file says of the files in its own folder are declarations and re-exports.
        let is_other = |other: &Module| other != module && !other.starts_with(module);
        (module.clone(), imported.filter(is_other).collect())
    };
    texts.iter().map(of).collect()
}

/// Reads the code of each file below `folder`, by its module.
fn read(folder: &Path, parent: &mut Module, texts: &mut BTreeMap<Module, String>) {
    for path in entries(folder) {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            parent.push(name);
            read(&path, parent, texts);
            parent.pop();
        } else if path.extension().is_some_and(|end| end == "rs") && name != "tests" {
            let is_of_folder = ["mod", "lib", "main"].contains(&&*name);
            let own = (!is_of_folder).then_some(name);
            let module = parent.iter().cloned().chain(own).collect();
            texts.insert(module, code_of(&path));
        }
    }
}

/// Returns the code of a file without its comments and without its tests, which are its last module.
fn code_of(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let text = text
        .find("#[cfg(test)]\nmod tests")
        .map_or(&*text, |end| &text[..end]);
    let lines = text.lines().map(str::trim);
    let code: Vec<_> = lines.filter(|line| !line.starts_with("//")).collect();
    code.join(" ")
}

/// Returns the paths below the crate that the code of a module names.
fn paths(code: &str, module: &Module) -> Vec<Module> {
    let mut paths = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        add_paths(&code[at + "crate::".len()..], &Vec::new(), &mut paths);
    }
    for (at, _) in code.match_indices("super::") {
        if code[..at].ends_with("super::") {
            continue; // a part of the path that was found before
        }
        let mut rest = &code[at..];
        let mut base = module.clone();
        while let Some(after) = rest.strip_prefix("super::") {
            rest = after;
            base.pop();
        }
        add_paths(rest, &base, &mut paths);
    }
    paths
}

/// Adds the path that `rest` begins with, or each of a group in braces, below `base`.
fn add_paths(rest: &str, base: &Module, paths: &mut Vec<Module>) {
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
    let path: Module = base
        .iter()
        .cloned()
        .chain([rest[..end].to_owned()])
        .collect();
    match rest[end..].strip_prefix("::") {
        Some(deeper) => add_paths(deeper, &path, paths),
        None => paths.push(path),
    }
}

/// The files of a crate, and the names that folders re-export from them.
struct Files {
    modules: BTreeSet<Module>,
    /// The file of each re-exported name, by its path in the folder.
    exported: BTreeMap<Module, Module>,
}

impl Files {
    fn of(texts: &BTreeMap<Module, String>) -> Self {
        let modules: BTreeSet<Module> = texts.keys().cloned().collect();
        let mut exported = BTreeMap::new();
        for (folder, code) in texts {
            for (at, _) in code.match_indices(" use ") {
                let mut paths = Vec::new();
                add_paths(&code[at + " use ".len()..], folder, &mut paths);
                for path in paths {
                    let file = path[..path.len() - 1].to_vec();
                    if file.len() > folder.len() && modules.contains(&file) {
                        let name = path[path.len() - 1].clone();
                        exported.insert(folder.iter().cloned().chain([name]).collect(), file);
                    }
                }
            }
        }
        Files { modules, exported }
    }

    /// Returns the file that a path leads to.
    fn find(&self, mut path: Module) -> Option<Module> {
        while !self.modules.contains(&path) {
            match self.exported.get(&path) {
                Some(file) => path.clone_from(file),
                None => _ = path.pop()?,
            }
        }
        // The root re-exports what other crates use.
        (!path.is_empty()).then_some(path)
    }
}

/// Returns a cycle such as `a -> b -> a`, or `None`.
fn cycle(imports: &Imports) -> Option<String> {
    let mut done = BTreeSet::new();
    imports
        .keys()
        .find_map(|name| visit(name, imports, &mut Vec::new(), &mut done))
}

/// Follows the imports of `module`. `path` has the modules that led to it.
fn visit<'a>(
    module: &'a Module,
    imports: &'a Imports,
    path: &mut Vec<&'a Module>,
    done: &mut BTreeSet<&'a Module>,
) -> Option<String> {
    if let Some(start) = path.iter().position(|other| *other == module) {
        let names = path[start..].iter().chain([&module]);
        let names: Vec<_> = names.map(|module| module.join("::")).collect();
        return Some(names.join(" -> "));
    }
    if !done.insert(module) {
        return None;
    }
    path.push(module);
    let found = imports[module]
        .iter()
        .find_map(|next| visit(next, imports, path, done));
    path.pop();
    found
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().path()).collect()
}
