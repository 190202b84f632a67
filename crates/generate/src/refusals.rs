//! The refusals of the gateway: their TypeScript types, and their table in `docs/gateway.md`.

use std::fmt::Write;

use anyhow::{Context, Result};
use mediagate_core::{Code, IssueReason, MissingPart, OUTCOME_UNKNOWN, Reason};

use super::types::comment;

const START: &str = "<!-- refusals: written by `cargo xtask generate` -->\n";
const END: &str = "<!-- end of refusals -->\n";

/// Renders the unions of `data.reason` and of an issue's reason.
pub(super) fn render() -> String {
    let mut reasons: Vec<_> = Reason::ALL.iter().map(|reason| reason.name()).collect();
    // The first code is a success.
    reasons.extend(Code::ALL.iter().skip(1).map(|(code, ..)| code.name()));
    reasons.extend(MissingPart::ALL.iter().map(|part| part.name()));
    reasons.extend([OUTCOME_UNKNOWN, "unknown"]);
    reasons.sort_unstable();
    reasons.dedup();
    let doc = "A reason of the gateway for a refusal: for an error of the media service, \
        the name of its code.";
    let mut text = format!(
        "\n{}export type RefusalReason =",
        comment("", &[doc.to_owned()])
    );
    for name in reasons {
        // Writing to a string cannot fail.
        let _ = write!(text, "\n  | \"{name}\"");
    }
    // An older client may meet reasons of a newer gateway.
    text.push_str("\n  | (string & {});\n");
    text.push_str(&issue_reason());
    text
}

/// Renders the union of an issue's reason, with a table of meanings and remedies in its comment.
fn issue_reason() -> String {
    let mut text = "\n/**\n * The reason why a part of a request is not valid.\n *\n".to_owned();
    text.push_str(" * | Reason | Meaning | What to do |\n * | --- | --- | --- |\n");
    for reason in IssueReason::ALL {
        let _ = writeln!(
            text,
            " * | `{}` | {} | {} |",
            reason.name(),
            reason.meaning(),
            reason.remedy()
        );
    }
    text.push_str(
        " * | any other | A reason of a newer gateway. | Show `message`. |\n */\n\
         export type IssueReason =",
    );
    for reason in IssueReason::ALL {
        let _ = write!(text, "\n  | \"{}\"", reason.name());
    }
    text + "\n  | (string & {});\n"
}

/// Replaces the table in the text of `docs/gateway.md`. Fails if the text lacks the line before or
/// after the table.
pub(super) fn with_table(document: &str) -> Result<String> {
    let (before, rest) = document
        .split_once(START)
        .context("docs/gateway.md has no start of the table of refusals")?;
    let (_, after) = rest
        .split_once(END)
        .context("docs/gateway.md has no end of the table of refusals")?;
    Ok([before, START, &table(), END, after].concat())
}

fn table() -> String {
    let mut text =
        "\n| HTTP | code | `reason` | What is wrong | What to do |\n|---|---|---|---|---|\n"
            .to_owned();
    for reason in Reason::ALL {
        let _ = writeln!(
            text,
            "| {} | {} | `{}` | {} | {} |",
            reason.status(),
            reason.code().0,
            reason.name(),
            reason.message(),
            reason.remedy()
        );
    }
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_between_the_lines_is_replaced() {
        let text = with_table(&["before\n", START, "| a former row |\n", END, "after\n"].concat())
            .unwrap();
        assert!(
            text.starts_with("before\n") && text.ends_with("after\n"),
            "{text}"
        );
        assert!(
            !text.contains("former row") && text.contains("`no_token`"),
            "{text}"
        );
        assert!(with_table("no marks").is_err());
    }
}
