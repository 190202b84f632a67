//! The content of results.

use mediagate_core::is_terminal;
use serde_json::{Value, json};

use super::version::ProtocolVersion;
use crate::refusal::Refusal;

/// The server's name and version.
pub(super) fn server() -> Value {
    json!({"name": "mediagate", "title": "Mediagate", "version": env!("CARGO_PKG_VERSION")})
}

/// Adds the members that a protocol version requires. From 2026-07-28 on these are the server and
/// the type of the result, unless it has one.
pub(super) fn complete(version: ProtocolVersion, mut result: Value) -> Value {
    if version != ProtocolVersion::Legacy
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

/// A tool's result: structured content, its JSON as text, and a sentence about the next step.
pub(super) fn tool(structured: Value, next: Option<String>) -> Value {
    // Older clients show a model only texts.
    let texts = [Some(structured.to_string()), next].into_iter().flatten();
    let content: Vec<_> = texts
        .map(|text| json!({"type": "text", "text": text}))
        .collect();
    json!({"content": content, "structuredContent": structured, "isError": false})
}

/// The way in which a tool reports a task.
pub(super) struct TaskReport {
    /// The prefix of the tools' names.
    pub(super) prefix: String,
    /// True if the call created the task. Such a call fails if the task fails. Reading a failed
    /// task is no error.
    pub(super) is_create: bool,
}

impl TaskReport {
    /// Returns the tool's result, from the `data` of a reply.
    pub(super) fn result(&self, data: Value) -> Value {
        let prefix = &self.prefix;
        let state = state(&data).unwrap_or_default();
        let failed = is_terminal(state) && state != "SUCCEEDED";
        let next = match is_running(&data) {
            true => Some(format!(
                "The task is still running. Call {prefix}get_task with its id as task_id, and with \
                 wait_seconds, until its state is SUCCEEDED, FAILED or EXPIRED; don't make it \
                 again."
            )),
            false if failed => Some(
                "The task failed. Creating it again may cost credits again: ask the user first."
                    .to_owned(),
            ),
            false => None,
        };
        let links = kept_outputs(&data["task"]);
        let mut result = tool(data, next);
        if let Some(content) = result["content"].as_array_mut() {
            content.extend(links);
        }
        result["isError"] = json!(failed && self.is_create);
        result
    }
}

/// Returns a link to each output of a task that the gateway keeps or is about to keep. The
/// addresses of other outputs may expire.
fn kept_outputs(task: &Value) -> Vec<Value> {
    let outputs = task["outputs"].as_array().into_iter().flatten();
    let link = |(position, output): (usize, &Value)| {
        // Absent if the gateway does not keep the output.
        output["kept"].as_bool()?;
        let name = output["file_name"].as_str().map(ToOwned::to_owned);
        let mut link = json!({
            "type": "resource_link",
            "uri": output["url"].as_str()?,
            "name": name.unwrap_or_else(|| format!("output {position}")),
        });
        for (member, field) in [("content_type", "mimeType"), ("size", "size")] {
            if let Some(value) = output.get(member) {
                link[field] = value.clone();
            }
        }
        Some(link)
    };
    outputs.enumerate().filter_map(link).collect()
}

/// A refusal as a tool's result, for a model: every issue, and how to fix it.
pub(super) fn refusal(refusal: &Refusal) -> Value {
    let Refusal {
        code,
        message,
        data,
        retry_after,
        ..
    } = refusal;
    let mut error = json!({"code": code.0, "name": code.name(), "message": message, "data": data});
    if let Some(seconds) = retry_after {
        error["data"]["retry_after"] = json!(seconds);
    }
    json!({"content": [{"type": "text", "text": error.to_string()}], "isError": true})
}

/// The upstream's data as an object, because a structured result must be one. Other data becomes
/// the member `name`.
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

/// Returns the state of the task in a reply's `data`.
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
    fn outputs_that_stay_are_linked() {
        let report = TaskReport {
            prefix: "m_".to_owned(),
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
    fn a_running_tasks_status_has_what_is_expected_of_it() {
        let status_of = |task: Value| status(&json!({ "task": task }));
        assert_eq!(status_of(json!({"state": "QUEUED"})), "QUEUED");
        assert_eq!(
            status_of(json!({"state": "RUNNING", "eta": {"seconds": 0.4, "low": 0.1, "high": 2}})),
            "RUNNING"
        );
        assert_eq!(
            status_of(json!({"eta": {"seconds": 41.6, "low": 1, "high": 90}})),
            "running, likely 42 s left"
        );
        assert_eq!(
            status_of(json!({"state": "RUNNING", "unfinished": true})),
            "RUNNING, has not ended in time; it may still run"
        );
    }

    #[test]
    fn a_failed_task_is_a_failed_call_and_the_result_of_a_running_one_has_the_next_step() {
        let report = |is_create: bool| TaskReport {
            prefix: "p_".into(),
            is_create,
        };
        let of = |data: Value| report(true).result(data);
        for (state, failed, texts) in [
            ("SUCCEEDED", false, 1),
            ("FAILED", true, 2),
            ("EXPIRED", true, 2),
            ("ODD", false, 2),
        ] {
            let result = of(json!({"task": {"id": "t", "state": state, "outputs": []}}));
            assert_eq!(result["isError"], failed, "{state}");
            assert_eq!(
                result["content"].as_array().map(Vec::len),
                Some(texts),
                "{state}"
            );
            assert_eq!(
                result["content"][0]["text"],
                result["structuredContent"].to_string()
            );
        }
        let read =
            report(false).result(json!({"task": {"id": "t", "state": "FAILED", "outputs": []}}));
        assert_eq!(read["isError"], false);
        assert_eq!(
            of(json!({"result": {"outputs": []}}))["content"]
                .as_array()
                .map(Vec::len),
            Some(1)
        );
        assert!(
            of(json!({"task": {"id": "t"}}))["content"][1]["text"]
                .as_str()
                .is_some_and(|text| text.contains("p_get_task"))
        );
    }

    #[test]
    fn a_refusal_lists_every_field() {
        let invalid = Refusal::new(mediagate_core::Reason::InvalidFields, "m")
            .with("errors", json!([{"path": "a"}, {"path": "b"}]));
        let result = refusal(&Refusal {
            retry_after: Some(7),
            ..invalid
        });
        let error: Value =
            serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
        assert_eq!(
            (
                error["data"]["errors"].as_array().unwrap().len(),
                &error["data"]["retry_after"]
            ),
            (2, &json!(7))
        );
        assert_eq!(
            (error["name"].as_str(), result.get("structuredContent")),
            (Some("invalid_input"), None)
        );
    }

    #[test]
    fn a_structured_result_is_an_object() {
        assert_eq!(
            object("estimate", json!({"credits": 4})),
            json!({"credits": 4})
        );
        for data in [json!(4), json!([1]), json!("4"), json!(null), json!(true)] {
            assert_eq!(object("estimate", data.clone()), json!({"estimate": data}));
        }
    }

    #[test]
    fn newer_results_have_a_type() {
        assert_eq!(complete(ProtocolVersion::Legacy, json!({})), json!({}));
        let result = complete(ProtocolVersion::Modern { tasks: false }, json!({}));
        assert_eq!(
            (&result["resultType"], result["_meta"].is_object()),
            (&json!("complete"), true)
        );
        assert_eq!(
            complete(
                ProtocolVersion::Modern { tasks: true },
                json!({"resultType": "task"})
            )["resultType"],
            "task"
        );
    }
}
