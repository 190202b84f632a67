//! The step `words` of `cargo xtask lint`: the project's vocabulary, held by every tracked text file.
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
const EXTENSIONS: [&str; 11] = ["rs", "js", "jsx", "mjs", "ts", "tsx", "md", "toml", "py", "css", "html"];

/// What is not read: records of the past, what is generated, and the table itself.
const SKIPPED: [&str; 4] = ["docs/decisions/", "docs/api/", "CHANGELOG.md", TERMS];

/// Prints each word of the table that a tracked file uses, with its place and what to say instead.
///
/// # Errors
/// When there is one, when the table is damaged, or when one of its exceptions excepts nothing.
pub(crate) fn check(checkout: &Checkout) -> Result<()> {
    let text = fs::read_to_string(checkout.path(TERMS)).with_context(|| format!("{TERMS} cannot be read"))?;
    let table = Table::parse(&text).with_context(|| format!("{TERMS} is damaged"))?;
    let mut used = BTreeSet::new();
    let mut count = 0;
    for path in files(checkout)? {
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
        bail!("{count} lines to change; {TERMS} has the vocabulary");
    }
    Ok(())
}

fn line(path: &str, hit: &Hit) -> String {
    format!("{path}:{}:{}: `{}`; say {}", hit.line, hit.column, hit.word, hit.instead)
}

/// The files to read: tracked ones, and new ones that git does not ignore.
fn files(checkout: &Checkout) -> Result<Vec<String>> {
    let mut git = std::process::Command::new("git");
    git.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]).current_dir(checkout.root());
    let listed = process::read("git ls-files", &mut git)?;
    let names: BTreeSet<&str> = listed.split('\0').filter(|it| is_read(it)).collect();
    Ok(names.into_iter().map(str::to_owned).collect())
}

fn is_read(path: &str) -> bool {
    let extension = Path::new(path).extension().and_then(|it| it.to_str());
    extension.is_some_and(|it| EXTENSIONS.contains(&it)) && !SKIPPED.iter().any(|it| path.starts_with(it))
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
    fn records_generated_files_and_binaries_are_skipped() {
        assert!(is_read("crates/core/src/lib.rs") && is_read("README.md") && is_read("docs/deploy.md"));
        for path in
            ["docs/terms.md", "docs/decisions/0001.md", "docs/api/store.md", "CHANGELOG.md", "Cargo.lock", "a.png"]
        {
            assert!(!is_read(path), "{path}");
        }
    }

    #[test]
    fn a_hit_is_one_line_with_its_place_and_the_remedy() {
        let hit = Hit { line: 3, column: 7, word: "gizmo".to_owned(), instead: "device".to_owned() };
        assert_eq!(line("a/b.rs", &hit), "a/b.rs:3:7: `gizmo`; say device");
    }
}
