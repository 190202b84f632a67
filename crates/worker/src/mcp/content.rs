use mediagate_access::refusal::Refusal;
use mediagate_core::{Reason, SUCCEEDED, is_terminal};
use serde_json::{Value, json};

use super::version::ProtocolVersion;

pub(super) fn server() -> Value {
    json!({"name": "mediagate", "title": "Mediagate", "version": env!("CARGO_PKG_VERSION")})
}

/// Adds the members that a protocol version requires: from 2026-07-28 on the server, and the type
/// of the result unless it has one.
pub(super) fn complete(version: ProtocolVersion, mut result: Value) -> Value {
    if !version.has_initialize()
        && let Some(members) = result.as_object_mut()
    {
        members
            .entry("resultType")
            .or_insert_with(|| json!("complete"));
        members.insert(
            "_meta".to_owned(),
            json!({"io.modelcontextprotocol/serverInfo": server()}),
        );
    }
    result
}

/// Structured content, its JSON as text, and a sentence about the next step.
pub(super) fn tool(structured: Value, next: Option<String>) -> Value {
    // Older clients show a model only texts.
    let texts = [Some(structured.to_string()), next].into_iter().flatten();
    let content: Vec<_> = texts
        .map(|text| json!({"type": "text", "text": text}))
        .collect();
    json!({"content": content, "structuredContent": structured, "isError": false})
}

/// The members of an entry in the text of the history, in addition to the URLs of its outputs.
const BRIEF: [&str; 4] = ["id", "capability", "title", "state"];

/// A page of the history: structured content, and a text with the entries in brief. Some clients
/// show a model only the text, and many show both, which would show a long list twice.
pub(super) fn history(page: Value) -> Value {
    let mut brief = page.clone();
    for list in ["tasks", "pipelines"] {
        if let Some(entries) = page[list].as_array() {
            brief[list] = entries.iter().map(in_brief).collect();
        }
    }
    json!({
        "content": [{"type": "text", "text": brief.to_string()}],
        "structuredContent": page,
        "isError": false,
    })
}

fn in_brief(entry: &Value) -> Value {
    let outputs = entry["outputs"].as_array().into_iter().flatten();
    let urls: Vec<_> = outputs.map(|output| &output["url"]).collect();
    let mut brief = json!({ "outputs": urls });
    for name in BRIEF {
        if let Some(value) = entry.get(name) {
            brief[name] = value.clone();
        }
    }
    brief
}

pub(super) struct TaskReport {
    pub(super) prefix: String,
    /// True if the protocol version has links to resources.
    pub(super) has_links: bool,
    /// True if the call created the task. Such a call fails if the task fails. Reading a failed
    /// task is no error.
    pub(super) is_create: bool,
}

impl TaskReport {
    pub(super) fn result(&self, data: Value) -> Value {
        let prefix = &self.prefix;
        let state = state(&data).unwrap_or_default();
        let failed = is_terminal(state) && state != SUCCEEDED;
        let next = if is_running(&data) {
            Some(format!(
                "The task is still running. Call {prefix}get_task with its id as task_id, and with \
                 wait_seconds, until its state is SUCCEEDED, FAILED or EXPIRED; don't make it \
                 again."
            ))
        } else {
            let is_content = data["task"]["error"]["reason"] == Reason::ContentRefused.name();
            let text = if is_content {
                "The provider refuses this content, and would refuse it again: change the text or \
                 the files. Another create may cost credits: ask the user first."
            } else {
                "The task failed. Creating it again may cost credits again: ask the user first."
            };
            failed.then(|| text.to_owned())
        };
        let links = if self.has_links {
            kept_outputs(&data["task"])
        } else {
            Vec::new()
        };
        let mut result = tool(data, next);
        if let Some(content) = result["content"].as_array_mut() {
            content.extend(links);
        }
        result["isError"] = json!(failed && self.is_create);
        result
    }
}

/// Returns links to the outputs that the gateway keeps or is about to keep. The addresses of other
/// outputs may expire.
fn kept_outputs(task: &Value) -> Vec<Value> {
    let outputs = task["outputs"].as_array().into_iter().flatten();
    let mut links = Vec::new();
    for (position, output) in outputs.enumerate() {
        // `kept` is absent if the gateway does not keep the output.
        let (true, Some(url)) = (output["kept"].is_boolean(), output["url"].as_str()) else {
            continue;
        };
        let name = match output["file_name"].as_str() {
            Some(name) => name.to_owned(),
            None => format!("output {position}"),
        };
        let mut link = json!({"type": "resource_link", "uri": url, "name": name});
        for (member, field) in [("content_type", "mimeType"), ("size", "size")] {
            if let Some(value) = output.get(member) {
                link[field] = value.clone();
            }
        }
        links.push(link);
    }
    links
}

/// Returns a refusal as a tool's result for a model: every issue, and how to fix it.
pub(super) fn refusal(refusal: &Refusal) -> Value {
    let code = refusal.code;
    let mut error = json!({
        "code": code.0, "name": code.name(), "message": refusal.message, "data": refusal.data,
    });
    if let Some(seconds) = refusal.retry_after {
        error["data"]["retry_after"] = json!(seconds);
    }
    json!({"content": [{"type": "text", "text": error.to_string()}], "isError": true})
}

/// Returns data as an object, because a structured result must be one. Other data becomes the
/// member `name`.
pub(super) fn object(name: &str, data: Value) -> Value {
    if data.is_object() {
        data
    } else {
        json!({ name: data })
    }
}

/// Returns true if the task in a reply's `data` has not ended yet.
pub(super) fn is_running(data: &Value) -> bool {
    data["task"].is_object() && !state(data).is_some_and(is_terminal)
}

pub(super) fn state(data: &Value) -> Option<&str> {
    data["task"]["state"].as_str()
}

/// The shortest time left that a status mentions, in seconds.
const WORTH_SAYING: f64 = 3.0;

/// Describes a running task for a person: its state, and the seconds that are likely left.
pub(super) fn status(data: &Value) -> String {
    let state = state(data).unwrap_or("running");
    if data["task"]["unfinished"] == true {
        return format!("{state}, has not ended in time; it may still run");
    }
    match data["task"]["eta"]["seconds"].as_f64() {
        Some(seconds) if seconds >= WORTH_SAYING => {
            format!("{state}, likely {} s left", seconds.round())
        }
        _ => state.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_of_the_history_is_shown_in_full_once() {
        let page = json!({
            "tasks": [{
                "id": "a", "state": "SUCCEEDED", "created_at": "2026-11-29T00:00:00.000Z",
                "outputs": [{"url": "https://m.example", "kind": "image"}],
            }],
            "pipelines": [{"id": "b", "title": "Film", "state": "RUNNING", "steps": []}],
            "cursor": "7",
        });
        let result = history(page.clone());
        assert_eq!(result["structuredContent"], page);
        let text = result["content"][0]["text"].as_str().expect("a text");
        let brief: Value = serde_json::from_str(text).expect("JSON");
        assert_eq!(
            brief,
            json!({
                "tasks": [{"id": "a", "state": "SUCCEEDED", "outputs": ["https://m.example"]}],
                "pipelines": [{"id": "b", "title": "Film", "state": "RUNNING", "outputs": []}],
                "cursor": "7",
            })
        );
    }

    #[test]
    fn outputs_that_stay_are_linked() {
        let report = TaskReport {
            prefix: "m_".to_owned(),
            has_links: true,
            is_create: true,
        };
        let url = "https://g.example/api/app/v1/results/x";
        let kept = json!({
            "url": url, "kept": true, "size": 3, "content_type": "image/png", "file_name": "a.png",
        });
        let outputs = json!([kept, {"url": "https://m.example/1"}, {"url": url, "kept": false}]);
        let result = report.result(json!({"task": {"state": "SUCCEEDED", "outputs": outputs}}));
        let content = result["content"].as_array().expect("a list");
        assert_eq!(
            content[1..],
            [
                json!({
                    "type": "resource_link", "uri": url, "name": "a.png",
                    "mimeType": "image/png", "size": 3,
                }),
                json!({"type": "resource_link", "uri": url, "name": "output 2"}),
            ]
        );
    }

    #[test]
    fn a_failed_task_says_what_another_create_needs() {
        let report = TaskReport {
            prefix: "m_".to_owned(),
            has_links: true,
            is_create: false,
        };
        for (error, expected) in [
            (json!({"reason": "content_refused"}), "The provider refuses"),
            (json!({"message": "no"}), "The task failed."),
        ] {
            let task = json!({"state": "FAILED", "error": error, "warnings": ["w"]});
            let result = report.result(json!({ "task": task }));
            let next = result["content"][1]["text"].as_str().expect("a sentence");
            assert!(next.starts_with(expected), "{next}");
            assert_eq!(
                result["structuredContent"]["task"]["warnings"],
                json!(["w"])
            );
        }
    }

    #[test]
    fn a_running_tasks_status_has_what_is_expected_of_it() {
        let unfinished = "RUNNING, has not ended in time; it may still run";
        for (task, expected) in [
            (json!({"state": "QUEUED"}), "QUEUED"),
            (
                json!({"state": "RUNNING", "eta": {"seconds": 0.4}}),
                "RUNNING",
            ),
            (
                json!({"eta": {"seconds": 41.6}}),
                "running, likely 42 s left",
            ),
            (json!({"state": "RUNNING", "unfinished": true}), unfinished),
        ] {
            assert_eq!(status(&json!({ "task": task })), expected);
        }
    }

    #[test]
    fn a_structured_result_is_an_object() {
        let credits = json!({"credits": 4});
        assert_eq!(object("estimate", credits.clone()), credits);
        for data in [json!(4), json!([1]), json!("4"), json!(null), json!(true)] {
            assert_eq!(object("estimate", data.clone()), json!({"estimate": data}));
        }
    }
}
