//! Finding the table's words in a file.

use std::collections::BTreeSet;

use super::table::Table;

/// One word that is found.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Hit {
    /// The line, from 1.
    pub(super) line: usize,
    /// The column, from 1, in characters.
    pub(super) column: usize,
    /// What stands there.
    pub(super) word: String,
    /// What to say instead.
    pub(super) instead: String,
}

/// Every hit in a file, in order. The indices of the exceptions that applied are added to `used`.
pub(super) fn scan(table: &Table, path: &str, text: &str, used: &mut BTreeSet<usize>) -> Vec<Hit> {
    let here: Vec<_> = table.exceptions.iter().enumerate().filter(|it| path.starts_with(&it.1.path)).collect();
    let mut hits = Vec::new();
    for (index, line) in text.lines().enumerate().filter(|it| table.any.is_match(it.1)) {
        let excepted: Vec<_> = here.iter().filter(|it| it.1.pattern.is_match(line)).map(|it| it.0).collect();
        if excepted.is_empty() {
            hits.extend(in_line(table, index + 1, line));
        }
        used.extend(excepted);
    }
    hits
}

fn in_line(table: &Table, number: usize, line: &str) -> Vec<Hit> {
    let mut hits = Vec::new();
    for term in &table.terms {
        for found in term.pattern.find_iter(line) {
            let column = line[..found.start()].chars().count() + 1;
            hits.push(Hit { line: number, column, word: found.as_str().to_owned(), instead: term.instead.clone() });
        }
    }
    hits.sort_by_key(|it| it.column);
    hits
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let rows =
            "## Words to replace\n|---|---|---|\n| `\\bgizmos?\\b` | device | |\n| `\\bWidget\\b` | component | |\n";
        let exceptions = "## Exceptions\n|---|---|---|\n| `old/` | `gizmo:` | stored |\n| `new/` | `x` | unused |\n";
        Table::parse(&format!("{rows}{exceptions}")).unwrap()
    }

    fn found(path: &str, text: &str) -> Vec<(usize, usize, String)> {
        scan(&table(), path, text, &mut BTreeSet::new()).into_iter().map(|it| (it.line, it.column, it.word)).collect()
    }

    #[test]
    fn words_are_found_where_they_stand() {
        let text = "no gizmology\n// ü Widget, gizmos\n";
        assert_eq!(found("a.rs", text), [(2, 6, "Widget".to_owned()), (2, 14, "gizmos".to_owned())]);
        assert_eq!(found("a.rs", "a widget\n"), []);
    }

    #[test]
    fn each_hit_says_what_to_write_instead() {
        let hits = scan(&table(), "a.rs", "gizmo Widget", &mut BTreeSet::new());
        assert_eq!(hits.iter().map(|it| it.instead.as_str()).collect::<Vec<_>>(), ["device", "component"]);
    }

    #[test]
    fn an_exception_holds_in_its_files_and_lines_alone() {
        let mut used = BTreeSet::new();
        assert_eq!(scan(&table(), "old/a.rs", "gizmo: 1", &mut used), []);
        assert_eq!(used, BTreeSet::from([0]));
        assert_eq!(found("old/a.rs", "a gizmo").len(), 1);
        assert_eq!(found("a.rs", "gizmo: 1").len(), 1);
    }
}
