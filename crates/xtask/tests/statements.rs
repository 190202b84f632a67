//! Every test that docs/statements.md names exists.

use std::fs;
use std::path::Path;

#[test]
fn every_statement_names_a_test_that_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = fs::read_to_string(root.join("docs/statements.md")).expect("the page");
    let rows: Vec<_> =
        text.lines().filter(|it| it.starts_with("| ") && it.contains(".rs`: ") | it.contains(".mjs`: ")).collect();
    assert!(rows.len() > 40, "the page is read");
    for row in rows {
        let cell = row.trim_end_matches(" |").rsplit(" | ").next().expect("a cell");
        let (file, test) = cell.trim_start_matches('`').split_once("`: ").expect("a file and a test");
        let source = fs::read_to_string(root.join(file)).unwrap_or_else(|_| panic!("no file {file}"));
        let declared = match file.ends_with(".rs") {
            true => source.contains(&format!("fn {test}()")),
            false => source.contains(&format!("test(\"{test}")) || source.contains(&format!("test(`{test}")),
        };
        assert!(declared, "{file} has no test {test:?}");
    }
}
