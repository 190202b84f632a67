//! The paths that documents name exist. Records of decisions and the changelog are left out: they tell of their day.

use std::fs;
use std::path::{Path, PathBuf};

/// The folders of the root whose files documents name by their whole path.
const FOLDERS: [&str; 6] = ["crates/", "docs/", "examples/", "pkg/", "release/", "www/"];

fn documents(root: &Path) -> Vec<PathBuf> {
    let folders = [".", "docs", "crates/client", "crates/mediagate", "gateway", "pkg", "www"];
    let entries = folders.iter().filter_map(|it| fs::read_dir(root.join(it)).ok()).flatten();
    entries.map(|it| it.expect("an entry").path()).filter(|it| it.extension().is_some_and(|end| end == "md")).collect()
}

#[test]
fn every_path_that_a_document_names_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut count = 0;
    for document in documents(&root).iter().filter(|it| !it.ends_with("CHANGELOG.md")) {
        let text = fs::read_to_string(document).unwrap();
        // What is between backquotes is every second part.
        for path in text.split('`').skip(1).step_by(2).filter(|it| FOLDERS.iter().any(|folder| it.starts_with(folder)))
        {
            // A pattern, or a command that begins with a path.
            if path.contains(['*', '{', '<', '…']) || path.contains(char::is_whitespace) {
                continue;
            }
            count += 1;
            assert!(root.join(path).exists(), "{} names {path}, which does not exist", document.display());
        }
    }
    assert!(count > 100, "the documents are read: {count}");
}
