//! Where a crate's tests are one program, no file of them is left out.

use std::fs;
use std::path::{Path, PathBuf};

/// The files and folders in a folder.
fn entries(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).expect("a folder").map(|it| it.expect("an entry").path()).collect()
}

#[test]
fn every_file_of_tests_is_in_a_program() {
    let mut programs = 0;
    for package in entries(&Path::new(env!("CARGO_MANIFEST_DIR")).join("..")) {
        let tests = package.join("tests");
        let Ok(main) = fs::read_to_string(tests.join("main.rs")) else { continue };
        programs += 1;
        let manifest = fs::read_to_string(package.join("Cargo.toml")).expect("a manifest");
        for path in entries(&tests) {
            let is_module = path.join("mod.rs").is_file() || path.extension().is_some_and(|it| it == "rs");
            let name = path.file_stem().expect("a name").to_string_lossy();
            let is_listed = main.contains(&format!("mod {name};")) || manifest.contains(&format!("name = \"{name}\""));
            assert!(!is_module || name == "main" || is_listed, "{} is in no program of tests", path.display());
        }
    }
    assert!(programs > 3, "the programs are found");
}
