//! Task records (§2, §3).

use heck::ToLowerCamelCase;
use json_patch::jsonptr::PointerBuf;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    place::{at, place, place_optional},
    states::StateWords,
};

/// The places of task records, and the places of their parts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TaskDialect {
    /// The place of the record in the response to a create, from the outermost object.
    pub created: PointerBuf,
    /// The place of the record in the response to a status request, from the outermost object.
    pub read: PointerBuf,
    /// The place of the id in the record.
    pub id: PointerBuf,
    /// The place of the state in the record.
    pub state: PointerBuf,
    /// The place of the progress in the record, or `None` if records have no progress.
    pub progress: Option<PointerBuf>,
    /// The place of the message in the record of a task that failed or expired.
    pub error_message: PointerBuf,
    /// The place of the code in the record of a task that failed or expired, or `None` if such
    /// records have no code.
    pub error_code: Option<PointerBuf>,
    /// The place of the first output's URL in the record.
    pub output: PointerBuf,
    /// The place of the list of all outputs in the record, or `None` if records have no list.
    pub outputs: Option<PointerBuf>,
    /// The name of the URL in an item of `outputs`.
    pub url_name: String,
    /// The form of the progress.
    pub scale: Scale,
    /// True if ids are JSON numbers.
    pub numeric_id: bool,
    /// True if the names that the emulator adds to tasks, models and estimates are in camel case:
    /// `modelId`, `createdAt`, `contentType`.
    pub camel_case: bool,
    /// True if the record in the response to a status request has the id.
    pub status_record_has_id: bool,
    /// The code of the envelope with the status of a failed task. The envelope has the code's
    /// message and HTTP status. `None` is code 0.
    pub failure_code: Option<i32>,
    /// True if the record has links that are no outputs. The links are not served.
    pub links: bool,
    /// True if the state is a flag that is `true` after a success and after a failure.
    pub done_flag: bool,
}

/// The form of the progress.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scale {
    /// `0.45`.
    #[default]
    Fraction,
    /// `45`.
    Percent,
    /// `"45%"`.
    Text,
}

impl Default for TaskDialect {
    fn default() -> Self {
        TaskDialect {
            created: at("/data/task"),
            read: at("/data/task"),
            id: at("/id"),
            state: at("/status"),
            progress: Some(at("/progress")),
            error_message: at("/error/message"),
            error_code: None,
            output: at("/output_url"),
            outputs: Some(at("/outputs")),
            url_name: "url".into(),
            scale: Scale::Fraction,
            numeric_id: false,
            camel_case: false,
            status_record_has_id: true,
            failure_code: None,
            links: false,
            done_flag: false,
        }
    }
}

/// The code in the record of a task that failed: §7's provider error.
const FAILED_CODE: i32 = 1404;

/// The code in the record of a task that expired: §7's provider timeout.
const EXPIRED_CODE: i32 = 1405;

/// The names of links that are no outputs.
pub(super) const LINKS: [&str; 4] = ["self", "status_url", "response_url", "cancel_url"];

/// Returns the id of the asset for a result's URL: the name of the file.
fn asset_id(url: &str) -> Option<&str> {
    url.rsplit_once('/').map(|(_, name)| name)
}

/// Returns the text of an id, which may be a JSON number.
fn text_of(id: &Value) -> String {
    id.as_str()
        .map_or_else(|| id.to_string(), ToOwned::to_owned)
}

impl TaskDialect {
    /// Returns the record of a task in this dialect, from the `canonical` record in the default
    /// form.
    pub(super) fn record(&self, canonical: &Value, states: &StateWords, with_id: bool) -> Value {
        let mut record = json!({});
        for (name, value) in canonical.as_object().into_iter().flatten() {
            match name.as_str() {
                "id" if with_id => place(&mut record, &self.id, value.clone()),
                "id" => {}
                "status" => {
                    let word = value.as_str().unwrap_or_default();
                    let state = if self.done_flag {
                        mediagate_core::is_terminal(word).into()
                    } else {
                        states.word(word).into()
                    };
                    place(&mut record, &self.state, state);
                }
                "progress" => place_optional(&mut record, &self.progress, self.progress(value)),
                "error" => self.error(&mut record, value, canonical["status"] == "FAILED"),
                "output_url" => place(&mut record, &self.output, value.clone()),
                "outputs" => place_optional(&mut record, &self.outputs, self.items(value)),
                _ => record[self.name(name)] = value.clone(),
            }
        }
        if self.links {
            self.link(&mut record, text_of(&canonical["id"]));
        }
        record
    }

    /// Adds links that many services have in a task's record. A reader must not take them for
    /// outputs.
    fn link(&self, record: &mut Value, id: String) {
        for name in LINKS {
            let path = name.trim_end_matches("_url");
            record[self.name(name)] = format!("https://service.example/tasks/{id}/{path}").into();
        }
    }

    /// Replaces the URLs in a record by ids of assets.
    pub(super) fn with_assets(mut canonical: Value) -> Value {
        let replace = |record: &mut Value, name: &str| {
            let url = record
                .as_object_mut()
                .and_then(|record| record.remove(name));
            if let Some(url) = url {
                record["asset_id"] = url.as_str().and_then(asset_id).into();
            }
        };
        replace(&mut canonical, "output_url");
        let outputs = canonical["outputs"].as_array_mut();
        for output in outputs.into_iter().flatten() {
            replace(output, "url");
        }
        canonical
    }

    /// Returns a list of outputs in this dialect, from a list in the default form.
    pub(super) fn items(&self, outputs: &Value) -> Value {
        let name = |name: &str| {
            if name == "url" {
                self.url_name.clone()
            } else {
                self.name(name)
            }
        };
        let item = |output: &Value| -> Value {
            output
                .as_object()
                .into_iter()
                .flatten()
                .map(|(key, value)| (name(key), value.clone()))
                .collect()
        };
        outputs.as_array().into_iter().flatten().map(item).collect()
    }

    /// Returns the dialect's form of a name that the emulator adds.
    pub(super) fn name(&self, name: &str) -> String {
        if self.camel_case {
            name.to_lower_camel_case()
        } else {
            name.into()
        }
    }

    fn progress(&self, fraction: &Value) -> Value {
        let percent = (fraction.as_f64().unwrap_or_default() * 100.0).round() as i64;
        match self.scale {
            Scale::Fraction => fraction.clone(),
            Scale::Percent => percent.into(),
            Scale::Text => format!("{percent}%").into(),
        }
    }

    fn error(&self, record: &mut Value, error: &Value, failed: bool) {
        place(record, &self.error_message, error["message"].clone());
        let code = if failed {
            self.failure_code.unwrap_or(FAILED_CODE)
        } else {
            EXPIRED_CODE
        };
        place_optional(record, &self.error_code, code.into());
    }
}
