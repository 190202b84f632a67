//! Types for the constants that Rust and the scripts both write down, so that TypeScript compares them.

use std::collections::BTreeSet;
use std::fs;

use anyhow::{Context, Result};
use mediagate_core::is_terminal;
use mediagate_worker::ledger::policy::RETENTION_MS;
use serde_json::Value;

use crate::checkout::Checkout;

/// States of tasks: those that the upstream document names (§3), and others that an upstream may send.
const STATES: [&str; 8] = ["CREATED", "QUEUED", "PENDING", "PROCESSING", "RUNNING", "SUCCEEDED", "FAILED", "EXPIRED"];

/// Writes `tests/types/dist/shared.d.ts`. The package must be built.
///
/// # Errors
/// When the catalogue cannot be read, or the file cannot be written.
pub(crate) fn write_types(checkout: &Checkout) -> Result<()> {
    const FOLDER: &str = "tests/types/dist";
    const CATALOGUE: &str = "pkg/dist/catalogue.json";
    let text = fs::read_to_string(checkout.path(CATALOGUE)).with_context(|| format!("{CATALOGUE} cannot be read"))?;
    let catalogue: Value = serde_json::from_str(&text).with_context(|| format!("{CATALOGUE} is damaged"))?;
    let text = declarations(&catalogue);
    fs::create_dir_all(checkout.path(FOLDER))
        .and_then(|()| fs::write(checkout.path(FOLDER).join("shared.d.ts"), text))
        .with_context(|| format!("{FOLDER} cannot be written"))
}

fn declarations(catalogue: &Value) -> String {
    let capabilities = catalogue["capabilities"].as_array().into_iter().flatten();
    let fields = capabilities.flat_map(|it| it["fields"].as_array().into_iter().flatten());
    let kinds: BTreeSet<_> = fields.filter_map(|it| it["kind"].as_str()).collect();
    let terminal = STATES.into_iter().filter(|it| is_terminal(it));
    format!(
        "export type FieldKind = {};\nexport type TerminalState = {};\nexport type RetentionMs = {RETENTION_MS};\n",
        union(kinds),
        union(terminal)
    )
}

/// Strings as a union of literal types.
fn union<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    names.into_iter().map(|it| format!("\"{it}\"")).collect::<Vec<_>>().join(" | ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn kinds_are_declared_once_and_states_where_they_are_terminal() {
        let field = |kind: &str| json!({"kind": kind});
        let catalogue =
            json!({"capabilities": [{"fields": [field("text"), field("file")]}, {"fields": [field("text")]}]});
        let text = declarations(&catalogue);
        assert!(text.contains("FieldKind = \"file\" | \"text\";"), "{text}");
        assert!(text.contains("TerminalState = \"SUCCEEDED\" | \"FAILED\" | \"EXPIRED\";"), "{text}");
    }
}
