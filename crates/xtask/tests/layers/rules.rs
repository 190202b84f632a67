//! The rules: which imports and dependencies are failures. Each failure is one line or a few.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::graph::{Graph, cycles, grouped, line};
use crate::tree::{Files, Module, Tree};
use crate::workspace::Package;

/// A crate with more top-level modules than this declares their layers.
const MAX_UNLAYERED_MODULES: usize = 5;

/// Which packages of the workspace each package may depend on.
const ALLOWED: [(&str, &[&str]); 15] = [
    ("mediagate-core", &[]),
    ("mediagate-clip", &[]),
    ("mediagate-features", &[]),
    ("wasm-tools-runner", &[]),
    ("mediagate-worker", &["mediagate-core"]),
    ("mediagate-client", &["mediagate-core"]),
    ("mediagate-browser", &["mediagate-client", "mediagate-core"]),
    ("mediagate", &["mediagate-client", "mediagate-core"]),
    ("media-cli", &["mediagate"]),
    ("media-page", &["mediagate"]),
    ("mediagate-emulator", &["mediagate-core", "mediagate-clip"]),
    ("mediagate-operator", &["mediagate-core", "mediagate-worker"]),
    ("mediagate-probe", &["mediagate-core", "mediagate-operator"]),
    ("embedded-gateway", &["mediagate-core", "mediagate-worker"]),
    ("xtask", &["mediagate-core", "mediagate-operator", "mediagate-worker"]),
];

/// Dependencies between packages of the workspace that are not allowed; those of tests are not checked.
pub(crate) fn dependencies(packages: &[Package]) -> Vec<String> {
    let members: BTreeSet<_> = packages.iter().map(|it| it.name.as_str()).collect();
    let allowed: BTreeMap<_, _> = ALLOWED.into_iter().collect();
    let mut failures = Vec::new();
    for package in packages {
        let Some(allowed) = allowed.get(package.name.as_str()) else {
            failures.push(format!("{}: not listed in ALLOWED of crates/xtask/tests/layers/rules.rs", package.name));
            continue;
        };
        let wrong = package.dependencies().filter(|it| members.contains(it) && !allowed.contains(it));
        failures.extend(wrong.map(|it| format!("{} depends on {it}, which ALLOWED does not list", package.name)));
    }
    failures
}

/// What is wrong with the imports of a package; paths are shown from `workspace`.
pub(crate) fn package(package: &Package, workspace: &Path) -> Vec<String> {
    let folder = package.manifest_path.parent().unwrap_or(workspace);
    let files = read(&folder.join("src"), workspace);
    let mut failures = Vec::new();
    let mut seen = BTreeSet::new();
    for root in package.roots() {
        let root = root.strip_prefix(workspace).unwrap_or(root);
        let tree = Tree::load(&files, root);
        let layers = if is_main_root(package, root) { package.layers() } else { None };
        failures.extend(crate_failures(&tree, layers.as_deref()));
        seen.extend(tree.seen);
    }
    failures
        .extend(files.keys().filter(|it| !seen.contains(*it)).map(|it| format!("no mod declares {}", it.display())));
    failures.into_iter().map(|it| format!("{}: {it}", package.name)).collect()
}

/// Whether a root is the one whose modules the package's layers list: the library, where there is one.
fn is_main_root(package: &Package, root: &Path) -> bool {
    root.ends_with("lib.rs") || !package.roots().any(|it| it.ends_with("lib.rs"))
}

/// What is wrong with the imports of one crate.
pub(crate) fn crate_failures(tree: &Tree, layers: Option<&[Vec<String>]>) -> Vec<String> {
    let edges = tree.imports();
    let file = |it: &usize| tree.modules[*it].file.display().to_string();
    let root = file(&0);
    let top = |it: &usize| tree.modules[*it].top.clone().unwrap_or_else(|| root.clone());
    let modules = grouped(&edges, top);
    let mut failures = tree.errors.clone();
    failures.extend(hidden(tree));
    for cycle in cycles(&grouped(&edges, file)) {
        failures.push(format!("files import each other:\n  {}", cycle.join("\n  ")));
    }
    for cycle in cycles(&modules) {
        failures.push(format!("top-level modules import each other:\n  {}", cycle.join("\n  ")));
    }
    let names: BTreeSet<&str> = tree.modules[0].children.iter().map(|it| it.0.as_str()).collect();
    match layers {
        Some(layers) => failures.extend(layer_failures(layers, &names, &modules, &root)),
        None if names.len() > MAX_UNLAYERED_MODULES => failures.push(format!(
            "{} top-level modules and no layers; list them in [package.metadata] layers, lowest first",
            names.len()
        )),
        None => {}
    }
    failures
}

/// What hides imports: constructs whose paths are not read, and methods that stand in another module than their type.
fn hidden(tree: &Tree) -> Vec<String> {
    let hiding = |module: &Module| {
        let file = module.file.display().to_string();
        let whats = module.scope.used.hiding.iter();
        whats.map(|it| format!("{file}: {it} hides imports from this test")).collect::<Vec<_>>()
    };
    let failure_of_impl = |(index, owner, name): (usize, usize, String)| {
        let (module, owner) = (&tree.modules[index], tree.modules[owner].file.display());
        format!("{}: has methods of {name}, which {owner} defines in another top-level module", module.file.display())
    };
    tree.modules.iter().flat_map(hiding).chain(tree.foreign_impls().into_iter().map(failure_of_impl)).collect()
}

/// What is wrong with the layers, and which imports go up. The crate's root is above all layers.
fn layer_failures(layers: &[Vec<String>], names: &BTreeSet<&str>, modules: &Graph<String>, root: &str) -> Vec<String> {
    let mut level = BTreeMap::from([(root, layers.len())]);
    let mut failures = Vec::new();
    for (number, name) in layers.iter().enumerate().flat_map(|(number, it)| it.iter().map(move |it| (number, it))) {
        if level.insert(name, number).is_some() {
            failures.push(format!("layers list {name} twice"));
        } else if !names.contains(name.as_str()) {
            failures.push(format!("layers list {name}, which is no top-level module"));
        }
    }
    failures.extend(names.iter().filter(|it| !level.contains_key(*it)).map(|it| format!("layers do not list {it}")));
    for ((from, to), names) in modules {
        if let (Some(own), Some(other)) = (level.get(from.as_str()), level.get(to.as_str()))
            && own < other
        {
            failures.push(format!("import from a higher layer: {}", line(from, to, names)));
        }
    }
    failures
}

/// Every Rust file below a folder, by its path from `workspace`.
fn read(folder: &Path, workspace: &Path) -> Files {
    let mut files = Files::new();
    for entry in walkdir::WalkDir::new(folder).into_iter().filter_map(Result::ok) {
        if entry.path().extension().is_some_and(|it| it == "rs") {
            let path = entry.path().strip_prefix(workspace).unwrap_or(entry.path()).to_owned();
            files.insert(path, fs::read_to_string(entry.path()).unwrap());
        }
    }
    files
}
