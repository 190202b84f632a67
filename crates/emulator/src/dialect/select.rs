//! Selects a dialect by its name, its seed, or its file.

use std::str::FromStr;

use super::{document::Dialect, named::NAMED};

impl FromStr for Dialect {
    type Err = String;

    /// Returns the dialect of a name, of `seed=N`, or of the path of a JSON file, as `--dialect`
    /// takes them.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if let Some(named) = NAMED.iter().find(|named| named.name == text) {
            return Ok(named.dialect());
        }
        if let Some(seed) = text.strip_prefix("seed=") {
            return seed.parse().map(Dialect::seeded).map_err(|_| {
                "the seed is invalid; give a whole number from 0, such as seed=7".into()
            });
        }
        let bytes = std::fs::read(text).map_err(|error| {
            let names: Vec<_> = NAMED.iter().map(|named| named.name).collect();
            format!(
                "no dialect has this name, and no such file can be read ({error}); \
                 give {}, seed=N or a file",
                names.join(", ")
            )
        })?;
        Dialect::from_json(&bytes)
    }
}

impl Dialect {
    /// Reads a dialect from JSON.
    ///
    /// # Errors
    /// A sentence that begins with the name of the first part that is malformed or does not fit.
    pub fn from_json(json: &[u8]) -> Result<Self, String> {
        let mut reader = serde_json::Deserializer::from_slice(json);
        let dialect: Dialect = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
            match error.path().to_string() {
                // The path of an error that concerns no part, such as malformed JSON.
                path if path == "." => format!("{}", error.inner()),
                path => format!("{path}: {}", error.inner()),
            }
        })?;
        // Without this, anything after the object would be ignored.
        reader.end().map_err(|error| error.to_string())?;
        dialect.check().map(|()| dialect)
    }
}

/// Returns the help of `--dialect`.
pub(crate) fn help() -> String {
    let mut help =
        "The form of what the document leaves open: one of these names, seed=N for a random \
         dialect, or a JSON file"
            .to_owned();
    for named in NAMED {
        help += &format!("\n  {:<16} {}", named.name, named.summary);
    }
    help
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dialect_has_a_name_a_seed_or_a_file() {
        assert_eq!("default".parse(), Ok(Dialect::default()));
        assert_eq!("seed=7".parse(), Ok(Dialect::seeded(7)));
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(&file, r#"{"task": {"scale": "percent"}}"#).unwrap();
        assert_eq!(
            file.path().to_str().unwrap().parse(),
            "percent".parse::<Dialect>()
        );
        let error = "beans".parse::<Dialect>().unwrap_err();
        assert!(
            NAMED.iter().all(|named| error.contains(named.name)),
            "{error}"
        );
        assert!("seed=-1".parse::<Dialect>().is_err());
    }

    #[test]
    fn a_malformed_part_is_named() {
        for (json, part) in [
            (r#"{"task": {"id": "id"}}"#, "task.id: "),
            (r#"{"task": {"scale": "lots"}}"#, "task.scale: "),
            (
                r#"{"upload": {"request": {"nmae": "/x"}}}"#,
                "upload.request.nmae: ",
            ),
            (r#"{"paths": {"models": 1}}"#, "paths.models: "),
            (
                r#"{"upload": {"send": "form"}}"#,
                "upload.response.fields: ",
            ),
            ("{} {}", "trailing"),
            ("[", "EOF"),
        ] {
            let error = Dialect::from_json(json.as_bytes()).unwrap_err();
            assert!(error.starts_with(part), "{json}: {error}");
        }
    }
}
