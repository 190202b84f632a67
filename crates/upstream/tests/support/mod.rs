//! Reads responses, and describes what was read in a line.

#![allow(dead_code, reason = "not every test binary uses every helper")]

use mediagate_core::Expects;
use mediagate_upstream::{Answer, Dialect, TaskRecord};
use serde_json::Value;

pub(crate) fn dialect(document: Value) -> Dialect {
    Dialect::parse(&document.to_string()).expect("a dialect")
}

pub(crate) fn expects(name: &str) -> Expects {
    match name {
        "Task" => Expects::Task,
        "Status" => Expects::Status,
        "TaskOrResult" => Expects::TaskOrResult,
        _ => Expects::Data,
    }
}

/// Reads a response. Returns the id, the state, the progress, the outputs and the error of a task,
/// with `-` for a part that is missing, or the kind of another response.
pub(crate) fn read(dialect: &Dialect, status: u16, body: Value, expects: Expects) -> String {
    let mut link = |medium: &mediagate_upstream::InlineMedium<'_>| {
        Some(format!("https://g/{}", medium.media_type))
    };
    match dialect.read(status, Some(body), expects, None, &mut link) {
        Answer::Task(task) => described(&task),
        Answer::Result(task) => {
            let urls = outputs(&task).into_iter();
            urls.fold("result".into(), |words, url| words + " " + &url)
        }
        Answer::Data(_) => "data".into(),
        Answer::Error(error) => format!("error {}", error.code.0),
        Answer::Gone => "gone".into(),
        Answer::Unreadable { defect, .. } => defect.name().into(),
    }
}

/// Returns the URLs of the outputs, or their ids if there is no URL.
fn outputs(task: &TaskRecord) -> Vec<String> {
    let listed = task.data["task"]["outputs"].as_array().expect("outputs");
    listed
        .iter()
        .map(|output| {
            let text = output["url"].as_str().or(output["asset_id"].as_str());
            text.expect("an output").to_owned()
        })
        .collect()
}

fn described(task: &TaskRecord) -> String {
    let record = &task.data["task"];
    let id = if task.id.is_empty() { "-" } else { &task.id };
    let state = record["state"].as_str().unwrap_or("-");
    let progress = record["progress"].as_f64();
    let progress = progress.map_or("-".into(), |progress| progress.to_string());
    let mut words = vec![id.to_owned(), state.to_owned(), progress];
    words.extend(outputs(task));
    if let Some(error) = record["error"].as_object() {
        let message = error.get("message").and_then(Value::as_str);
        let code = error.get("code").cloned().unwrap_or_default();
        words.push(format!("{:?} {code}", message.unwrap_or_default()));
    }
    words.join(" ")
}
