//! The tables of `docs/terms.md`.

use anyhow::{Context, Result, bail, ensure};
use regex::Regex;

/// The headings of the sections that hold the two tables.
const WORDS: &str = "## Words to replace";
const EXCEPTIONS: &str = "## Exceptions";

/// One pattern of the first column.
pub(super) struct Term {
    /// What must not occur in a line.
    pub(super) pattern: Regex,
    /// What to say instead, as the table words it.
    pub(super) instead: String,
}

/// A use that stays.
pub(super) struct Exception {
    /// What the file's path begins with, from the root of the checkout.
    pub(super) path: String,
    /// What a line must match for its hits to be excepted.
    pub(super) pattern: Regex,
}

/// The vocabulary.
pub(super) struct Table {
    /// Every pattern, in the table's order.
    pub(super) terms: Vec<Term>,
    /// Every exception, in the table's order.
    pub(super) exceptions: Vec<Exception>,
    /// All patterns in one, to pass over the lines that have none.
    pub(super) any: Regex,
}

impl Table {
    /// Reads the document: rows of three cells, of which the first has patterns in backticks.
    ///
    /// # Errors
    /// When a row is not like that, a pattern is no regular expression, or there is none.
    pub(super) fn parse(document: &str) -> Result<Self> {
        let (_, words) = document.split_once(WORDS).with_context(|| format!("it has no section `{WORDS}`"))?;
        let (terms, exceptions) = words.split_once(EXCEPTIONS).unwrap_or((words, ""));
        let terms = rows(terms).map(terms_of).collect::<Result<Vec<_>>>()?.into_iter().flatten().collect::<Vec<_>>();
        ensure!(!terms.is_empty(), "it has no pattern");
        let exceptions = rows(exceptions).map(exception).collect::<Result<_>>()?;
        let patterns: Vec<_> = terms.iter().map(|it| format!("(?:{})", it.pattern)).collect();
        Ok(Table { terms, exceptions, any: regex(&patterns.join("|"))? })
    }
}

/// The rows of every table, without their heads.
fn rows(text: &str) -> impl Iterator<Item = &str> {
    let is_ruler = |it: &&str| it.starts_with("|--") || it.starts_with("| --");
    let mut in_body = false;
    text.lines().filter(move |line| {
        let is_row = in_body && line.starts_with('|');
        in_body = is_row || is_ruler(line);
        is_row
    })
}

fn terms_of(row: &str) -> Result<Vec<Term>> {
    let [patterns, instead, _] = cells(row)?;
    let patterns = in_backticks(&patterns);
    ensure!(!patterns.is_empty(), "no pattern in backticks: {row}");
    patterns.into_iter().map(|it| Ok(Term { pattern: regex(it)?, instead: instead.clone() })).collect()
}

fn exception(row: &str) -> Result<Exception> {
    let [path, pattern, reason] = cells(row)?;
    ensure!(!reason.is_empty(), "an exception without a reason: {row}");
    match (in_backticks(&path).as_slice(), in_backticks(&pattern).as_slice()) {
        ([path], [pattern]) => Ok(Exception { path: (*path).to_owned(), pattern: regex(pattern)? }),
        _ => bail!("an exception has one path and one pattern, each in backticks: {row}"),
    }
}

/// The cells of a row. A `|` within one is written `\|`, in code too.
fn cells(row: &str) -> Result<[String; 3]> {
    let marked = row.replace(r"\|", "\0");
    let cells: Vec<_> = marked.trim().trim_matches('|').split('|').map(|it| it.trim().replace('\0', "|")).collect();
    cells.try_into().map_err(|_| anyhow::anyhow!("a row has three cells: {row}"))
}

fn in_backticks(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

fn regex(pattern: &str) -> Result<Regex> {
    Regex::new(pattern).with_context(|| format!("`{pattern}` is no regular expression"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENT: &str = r"# Vocabulary
| Word | Meaning |
|---|---|
| device | what is not in the table |

## Words to replace
| Not | But | Note |
|---|---|---|
| `\bgizmo\b`, `\bGadget(s\|ry)?\b` | device | a note |

## Exceptions
| Where | What | Why |
|---|---|---|
| `src/old` | `gizmo =` | it is stored |
";

    #[test]
    fn rows_become_terms_and_exceptions() {
        let table = Table::parse(DOCUMENT).unwrap();
        let terms: Vec<_> = table.terms.iter().map(|it| (it.pattern.as_str(), it.instead.as_str())).collect();
        assert_eq!(terms, [(r"\bgizmo\b", "device"), (r"\bGadget(s|ry)?\b", "device")]);
        assert_eq!(table.exceptions[0].path, "src/old");
        assert!(table.any.is_match("Gadgetry") && !table.any.is_match("gizmos"));
    }

    #[test]
    fn damage_is_an_error() {
        let errors = [
            ("", "no pattern"),
            ("|--|\n| `a` | b |", "three cells"),
            ("|--|\n| a | b | c |", "in backticks"),
            ("|--|\n| `(` | b | c |", "no regular expression"),
            ("|--|\n| `a` | b | c |\n## Exceptions\n|--|\n| `a` | `b` | |", "without a reason"),
        ];
        for (document, message) in errors {
            let document = format!("{WORDS}\n{document}");
            let error = format!("{:#}", Table::parse(&document).map(|_| ()).unwrap_err());
            assert!(error.contains(message), "{error}");
        }
    }
}
