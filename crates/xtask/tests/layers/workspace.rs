//! The workspace, from `cargo metadata`: its packages, their targets, dependencies and declared layers.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;
use serde_json::Value;

/// The workspace: its root folder and its packages.
pub(crate) struct Workspace {
    /// The folder of the workspace's `Cargo.toml`.
    pub(crate) root: PathBuf,
    /// Every member.
    pub(crate) packages: Vec<Package>,
}

/// A package, as `cargo metadata` lists it.
#[derive(Deserialize)]
pub(crate) struct Package {
    /// Its name, such as `mediagate-core`.
    pub(crate) name: String,
    /// The path of its `Cargo.toml`.
    pub(crate) manifest_path: PathBuf,
    dependencies: Vec<Dependency>,
    targets: Vec<Target>,
    metadata: Value,
}

#[derive(Deserialize)]
struct Dependency {
    name: String,
    /// `dev` or `build`; `None` for a normal one.
    kind: Option<String>,
}

#[derive(Deserialize)]
struct Target {
    kind: Vec<String>,
    src_path: PathBuf,
}

impl Workspace {
    /// Reads the workspace that holds this test.
    pub(crate) fn load() -> Self {
        let folder = env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
        let root = Path::new(&folder).ancestors().nth(2).unwrap().to_owned();
        let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        let output =
            cargo.args(["metadata", "--no-deps", "--format-version", "1"]).current_dir(&root).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
        Workspace { root, packages: Vec::deserialize(&metadata["packages"]).unwrap() }
    }
}

impl Package {
    /// The names of what it depends on, except in its tests.
    pub(crate) fn dependencies(&self) -> impl Iterator<Item = &str> {
        self.dependencies.iter().filter(|it| it.kind.as_deref() != Some("dev")).map(|it| it.name.as_str())
    }

    /// The root files of its library and its programs; examples, tests and benchmarks are left out.
    pub(crate) fn roots(&self) -> impl Iterator<Item = &Path> {
        let is_shipped = |it: &&Target| it.kind.iter().any(|kind| kind == "bin" || kind.ends_with("lib"));
        self.targets.iter().filter(is_shipped).map(|it| it.src_path.as_path())
    }

    /// `[package.metadata] layers`: the top-level modules, lowest layer first. `None` where none are declared.
    pub(crate) fn layers(&self) -> Option<Vec<Vec<String>>> {
        let layers = self.metadata.get("layers")?;
        Some(Vec::deserialize(layers).unwrap_or_else(|error| panic!("{}: layers: {error}", self.name)))
    }

    /// A package with these dependencies, for tests.
    pub(crate) fn sample(name: &str, dependencies: &[&str]) -> Self {
        let dependency = |it: &&str| Dependency { name: (*it).to_owned(), kind: None };
        Package {
            name: name.to_owned(),
            manifest_path: PathBuf::new(),
            dependencies: dependencies.iter().map(dependency).collect(),
            targets: Vec::new(),
            metadata: Value::Null,
        }
    }
}
