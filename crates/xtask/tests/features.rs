//! Programs and tests use their dependencies with the same features, so that each dependency is compiled once.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// The dependencies of the whole workspace by these kinds: a line for each has its version and its features.
fn dependencies(kinds: &str) -> BTreeSet<String> {
    let mut tree = Command::new(env!("CARGO"));
    tree.args(["tree", "--locked", "--workspace", "--prefix", "none", "--no-dedupe", "--format", "{p} with {f}"]);
    tree.args(["--edges", kinds]).current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."));
    let output = tree.output().expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text").lines().map(|it| it.replace(" (proc-macro)", "")).collect()
}

#[test]
fn programs_and_tests_use_the_same_features() {
    let (of_programs, of_tests) = (dependencies("normal,build"), dependencies("normal,build,dev"));
    assert!(of_programs.len() > 300, "the dependencies are found");
    let others: Vec<_> = of_programs.difference(&of_tests).collect();
    assert!(
        others.is_empty(),
        "tests add features to these, which are therefore compiled twice; list them in crates/features/Cargo.toml: {others:#?}"
    );
}
