//! Task records (§2, §3).

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{names::camel, placing::place, pointer::Pointer, states::StateWords};

/// Where task records are, and where they have their parts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TaskDialect {
    /// The record in the response to a create, from the outermost object.
    pub created: Pointer,
    /// The record in the response to a status request, from the outermost object.
    pub read: Pointer,
    /// The id in the record.
    pub id: Pointer,
    /// The state in the record.
    pub state: Pointer,
    /// The progress in the record; `None`: it has none.
    pub progress: Option<Pointer>,
    /// The message of a task that failed or expired, in the record.
    pub error_message: Pointer,
    /// The code of a task that failed or expired, in the record; `None`: it has none.
    pub error_code: Option<Pointer>,
    /// The URL of the first output in the record.
    pub output: Pointer,
    /// The list of all outputs in the record; `None`: it has none.
    pub outputs: Option<Pointer>,
    /// The URL's name in an item of that list.
    pub url_name: String,
    /// How progress is written.
    pub scale: Scale,
    /// Whether ids are JSON numbers.
    pub numeric_id: bool,
    /// Whether the names that the emulator adds to records are in camel case: `modelId`, `createdAt`, `contentType`. This
    /// includes models and estimates.
    pub camel_case: bool,
    /// Whether the record in the response to a status request has the id.
    pub status_record_has_id: bool,
    /// The status of a failed task is in an envelope with this code, its message and an HTTP status that fits; `None`:
    /// with code 0.
    pub failure_code: Option<i32>,
    /// True if the record has links that are no outputs, and that lead nowhere.
    pub links: bool,
    /// True if the state is a flag, which is `true` after a success and after a failure.
    pub done_flag: bool,
}

/// How progress is written.
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
            created: Pointer::new("/data/task"),
            read: Pointer::new("/data/task"),
            id: Pointer::new("/id"),
            state: Pointer::new("/status"),
            progress: Some(Pointer::new("/progress")),
            error_message: Pointer::new("/error/message"),
            error_code: None,
            output: Pointer::new("/output_url"),
            outputs: Some(Pointer::new("/outputs")),
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

/// The codes of a task that failed and of one that expired, where the record has a code: §7's provider error and timeout.
const ENDED_CODES: (i32, i32) = (1404, 1405);

/// The names of links that are no outputs.
pub(super) const LINKS: [&str; 4] = ["self", "status_url", "response_url", "cancel_url"];

/// Returns the id of the asset that a result is: the name of its file.
fn asset_id(url: &str) -> Option<&str> {
    url.rsplit_once('/').map(|(_, name)| name)
}

/// Returns an id, which may be a number, as text.
fn text_of(id: &Value) -> String {
    id.as_str()
        .map_or_else(|| id.to_string(), ToOwned::to_owned)
}

impl TaskDialect {
    /// The record of a task, from the default's.
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
                "progress" => self
                    .progress
                    .iter()
                    .for_each(|it| place(&mut record, it, self.progress(value))),
                "error" => self.error(&mut record, value, canonical["status"] == "FAILED"),
                "output_url" => place(&mut record, &self.output, value.clone()),
                "outputs" => self.outputs.iter().for_each(|it| {
                    place(&mut record, it, self.items(value));
                }),
                _ => record[self.name(name)] = value.clone(),
            }
        }
        if self.links {
            self.link(&mut record, text_of(&canonical["id"]));
        }
        record
    }

    /// Adds the links that services have in a task's record.
    fn link(&self, record: &mut Value, id: String) {
        for name in LINKS {
            let path = name.trim_end_matches("_url");
            record[self.name(name)] = format!("https://service.example/tasks/{id}/{path}").into();
        }
    }

    /// Puts ids of assets in place of a record's URLs.
    pub(super) fn with_assets(mut canonical: Value) -> Value {
        let replace = |record: &mut Value, name: &str| {
            let url = record.as_object_mut().and_then(|it| it.remove(name));
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

    /// A list of outputs, from the default's.
    pub(super) fn items(&self, outputs: &Value) -> Value {
        let name = |name: &str| {
            if name == "url" {
                self.url_name.clone()
            } else {
                self.name(name)
            }
        };
        let item = |it: &Value| -> Value {
            it.as_object()
                .into_iter()
                .flatten()
                .map(|(key, value)| (name(key), value.clone()))
                .collect()
        };
        outputs.as_array().into_iter().flatten().map(item).collect()
    }

    /// The dialect's form of a name that the emulator adds.
    pub(super) fn name(&self, name: &str) -> String {
        if self.camel_case {
            camel(name)
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
        if let Some(pointer) = &self.error_code {
            let code = if failed {
                self.failure_code.unwrap_or(ENDED_CODES.0)
            } else {
                ENDED_CODES.1
            };
            place(record, pointer, code.into());
        }
    }
}
