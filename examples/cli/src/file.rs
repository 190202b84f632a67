//! The JSON file with a request.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use mediagate::File;
use serde_json::{Map, Value};

/// The fields of a request, and the files to upload for it.
pub(crate) struct Request {
    /// The fields without files.
    pub(crate) fields: Value,
    /// The files, by the names of their fields.
    pub(crate) files: BTreeMap<String, Files>,
}

/// The files of one field.
pub(crate) struct Files {
    /// The files, in their order.
    pub(crate) items: Vec<File>,
    /// True if the field is a list.
    pub(crate) is_list: bool,
}

impl Request {
    /// Reads the request at a path, whose files are beside it.
    ///
    /// # Errors
    /// If the file is missing or not a JSON object, or if a file that it names can't be read.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let text = fs::read_to_string(path)
            .with_context(|| format!("{} cannot be read", path.display()))?;
        let value = serde_json::from_str(&text)
            .with_context(|| format!("{} is not JSON", path.display()))?;
        let Value::Object(all) = value else {
            bail!(
                "{} is not a JSON object; write {{\"prompt\": …}}",
                path.display()
            )
        };
        let folder = path.parent().unwrap_or(Path::new(""));
        let mut fields = Map::new();
        let mut files = BTreeMap::new();
        for (name, value) in all {
            match files_of(&value, folder).with_context(|| format!("the field {name}"))? {
                Some(found) => drop(files.insert(name, found)),
                None => drop(fields.insert(name, unescaped(value))),
            }
        }
        Ok(Request {
            fields: Value::Object(fields),
            files,
        })
    }
}

/// Opens the files that a value names. Returns `None` if the value names none.
fn files_of(value: &Value, folder: &Path) -> Result<Option<Files>> {
    let (items, is_list) = match value {
        Value::Array(items) => (items.iter().collect(), true),
        one => (vec![one], false),
    };
    let paths: Vec<_> = items.iter().filter_map(|item| path_of(item)).collect();
    if paths.is_empty() {
        return Ok(None);
    }
    if paths.len() < items.len() {
        bail!("its list has files and other values; make all of them files, or all of them ids");
    }
    let open = |path: &str| {
        File::open(folder.join(path)).with_context(|| format!("{path} cannot be read"))
    };
    Ok(Some(Files {
        items: paths.into_iter().map(open).collect::<Result<_>>()?,
        is_list,
    }))
}

/// Returns the path in a string such as `@photo.png`.
fn path_of(value: &Value) -> Option<&str> {
    value
        .as_str()?
        .strip_prefix('@')
        .filter(|path| !path.starts_with('@'))
}

/// Removes the first `@` of a text that begins with two, which escape a text that is no file.
fn unescaped(value: Value) -> Value {
    match value {
        Value::String(text) if text.starts_with("@@") => Value::String(text[1..].to_owned()),
        other => other,
    }
}
