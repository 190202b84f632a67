use std::collections::BTreeMap;

use anyhow::{Context, Result, bail};
use toml::{Table, Value};

use crate::doctor::{Format, read_json};

fn vars_in(text: &str) -> Result<Table> {
    vars_of(toml::from_str(text).context("it is not valid TOML")?)
}

fn vars_of(mut document: Table) -> Result<Table> {
    match document.remove("vars") {
        Some(Value::Table(vars)) => Ok(vars),
        _ => bail!("it has no table [vars]"),
    }
}

/// Returns the settings under `[vars]`, each as the text that the environment would have. A table
/// becomes JSON. Fails if the text is not in this format, or has no table `[vars]`.
pub fn settings_in(text: &str, format: Format) -> Result<BTreeMap<String, String>> {
    let vars = match format {
        Format::Toml => vars_in(text)?,
        Format::Json => vars_of(read_json(text)?)?,
    };
    let mut settings = BTreeMap::new();
    for (name, value) in vars {
        let text = match value {
            Value::String(text) => text,
            other => serde_json::to_string(&other)
                .with_context(|| format!("{name} cannot be written as JSON"))?,
        };
        settings.insert(name, text);
    }
    Ok(settings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_as_the_environment_would_have_them() {
        let text =
            "a = 1\n[vars]\nX = \"text\"\nN = 5\nB = true\n[vars.D.states]\nFAILED = [\"no\"]\n";
        let settings = settings_in(text, Format::Toml).expect("settings");
        let expected = [
            ("B", "true"),
            ("D", r#"{"states":{"FAILED":["no"]}}"#),
            ("N", "5"),
            ("X", "text"),
        ];
        let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(settings, BTreeMap::from(expected));
        assert!(settings_in("[vars", Format::Toml).is_err());
        assert!(settings_in("a = 1", Format::Toml).is_err());
    }
}
