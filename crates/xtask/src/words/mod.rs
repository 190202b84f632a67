//! The step `words` of `cargo xtask lint`: checks paths and text files for words that the project's vocabulary replaces.
//!
//! `docs/terms.md` is the table: a pattern, and what to say instead. Its exceptions are in the same file.

mod scan;
mod table;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

use self::scan::Hit;
use self::table::Table;
use crate::checkout::Checkout;
use crate::process;

/// Where the table is.
const TERMS: &str = "docs/terms.md";

/// The files that are read, by how their names end.
const EXTENSIONS: [&str; 15] =
    ["rs", "js", "jsx", "mjs", "ts", "tsx", "md", "toml", "py", "css", "html", "json", "yml", "yaml", "sh"];

/// Files that are read though their names have no extension.
const NAMED: [&str; 1] = [".ci/run"];

/// What is not read: records of the past, what is generated, and the table itself.
const SKIPPED: [&str; 4] = ["docs/decisions/", "docs/api/", "CHANGELOG.md", TERMS];

/// The name of the files that npm generates.
const LOCK_FILE: &str = "package-lock.json";

/// Prints each word of the table that a file or its path uses, with its place and what to say instead.
///
/// # Errors
/// When there is one, when the table is damaged, or when one of its exceptions excepts nothing.
pub(crate) fn check(checkout: &Checkout) -> Result<()> {
    let text = fs::read_to_string(checkout.path(TERMS)).with_context(|| format!("{TERMS} cannot be read"))?;
    let table = Table::parse(&text).with_context(|| format!("{TERMS} is damaged"))?;
    let mut used = BTreeSet::new();
    let mut count = 0;
    for path in files(checkout)? {
        for hit in scan::scan(&table, &path, &path, &mut used) {
            println!("{path}: `{}` in the path; say {}", hit.word, hit.instead);
            count += 1;
        }
        if !is_read(&path) {
            continue;
        }
        let Ok(text) = fs::read_to_string(checkout.path(&path)) else { continue };
        for hit in scan::scan(&table, &path, &text, &mut used) {
            println!("{}", line(&path, &hit));
            count += 1;
        }
    }
    for exception in table.exceptions.iter().enumerate().filter(|it| !used.contains(&it.0)).map(|it| it.1) {
        println!("{TERMS}: the exception for `{}` in {} excepts nothing; remove it", exception.pattern, exception.path);
        count += 1;
    }
    if count > 0 {
        bail!("{count} places to change; {TERMS} has the vocabulary");
    }
    Ok(())
}

fn line(path: &str, hit: &Hit) -> String {
    format!("{path}:{}:{}: `{}`; say {}", hit.line, hit.column, hit.word, hit.instead)
}

/// The files that are checked: tracked ones, and new ones that git does not ignore.
fn files(checkout: &Checkout) -> Result<Vec<String>> {
    let mut git = std::process::Command::new("git");
    git.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]).current_dir(checkout.root());
    let listed = process::read("git ls-files", &mut git)?;
    let names: BTreeSet<&str> = listed.split('\0').filter(|it| is_checked(it)).collect();
    Ok(names.into_iter().map(str::to_owned).collect())
}

/// Whether a file's path is checked.
fn is_checked(path: &str) -> bool {
    !path.is_empty() && !SKIPPED.iter().any(|it| path.starts_with(it))
}

/// Whether the text of a file whose path is checked is read, too.
fn is_read(path: &str) -> bool {
    let extension = Path::new(path).extension().and_then(|it| it.to_str());
    let is_text = NAMED.contains(&path) || extension.is_some_and(|it| EXTENSIONS.contains(&it));
    is_text && !path.ends_with(LOCK_FILE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_this_checkout_is_read() {
        let checkout = Checkout::find().unwrap();
        let table = Table::parse(&fs::read_to_string(checkout.path(TERMS)).unwrap()).unwrap();
        assert!(table.terms.len() > 30, "{}", table.terms.len());
    }

    #[test]
    fn records_and_generated_files_are_skipped() {
        for path in ["docs/terms.md", "docs/decisions/0001.md", "docs/api/store.md", "CHANGELOG.md", ""] {
            assert!(!is_checked(path), "{path}");
        }
        for path in ["Cargo.lock", "tests/package-lock.json", "a.png"] {
            assert!(is_checked(path) && !is_read(path), "{path}");
        }
        for path in ["crates/core/src/lib.rs", "docs/deploy.md", "tests/a.json", ".github/workflows/ci.yml", ".ci/run"]
        {
            assert!(is_checked(path) && is_read(path), "{path}");
        }
    }

    #[test]
    fn a_hit_is_one_line_with_its_place_and_the_remedy() {
        let hit = Hit { line: 3, column: 7, word: "gizmo".to_owned(), instead: "device".to_owned() };
        assert_eq!(line("a/b.rs", &hit), "a/b.rs:3:7: `gizmo`; say device");
    }
}
