//! Results, as the protocol has them.

use mediagate_core::is_terminal;
use serde_json::{Value, json};

use super::era::Era;
use crate::refusal::Refusal;

/// Who answers.
pub(super) fn server() -> Value {
    json!({"name": "mediagate", "title": "Mediagate", "version": env!("CARGO_PKG_VERSION")})
}

/// A result with what its revision adds: from 2026-07-28 on its type, unless it has one, and who answers.
pub(super) fn complete(era: Era, mut result: Value) -> Value {
    if era != Era::Legacy
        && let Some(members) = result.as_object_mut()
    {
        members.entry("resultType").or_insert_with(|| json!("complete"));
        members.insert("_meta".to_owned(), json!({"io.modelcontextprotocol/serverInfo": server()}));
    }
    result
}

/// What a tool gives: for programs, the same as text, and what to do next.
pub(super) fn tool(structured: Value, next: Option<String>) -> Value {
    let texts = [Some(structured.to_string()), next].into_iter().flatten();
    let content: Vec<_> = texts.map(|it| json!({"type": "text", "text": it})).collect();
    json!({"content": content, "structuredContent": structured, "isError": false})
}

/// How a task is told of.
pub(super) struct Job {
    /// What the names of tools begin with.
    pub(super) prefix: String,
    /// Whether the call made the task: where that failed, the call did. Reading one that failed is no failure.
    pub(super) made: bool,
}

impl Job {
    /// What the tool gives, of `data` of an answer.
    pub(super) fn result(&self, data: Value) -> Value {
        let prefix = &self.prefix;
        let state = state(&data).unwrap_or_default();
        let failed = is_terminal(state) && state != "SUCCEEDED";
        let next = match is_running(&data) {
            true => Some(format!(
                "The task goes on. Call {prefix}get_task with its id as task_id, and with wait_seconds, until its state is \
                 SUCCEEDED, FAILED or EXPIRED; don't make it again."
            )),
            false if failed => Some("The job failed. To make it again may cost again: ask the user first.".to_owned()),
            false => None,
        };
        let mut result = tool(data, next);
        result["isError"] = json!(failed && self.made);
        result
    }
}

/// A refusal, for a model to read: everything that is wrong, and what would be right.
pub(super) fn refusal(refusal: &Refusal) -> Value {
    let Refusal { code, message, data, retry_after, .. } = refusal;
    let mut said = json!({"code": code.0, "name": code.name(), "message": message, "data": data});
    if let Some(seconds) = retry_after {
        said["data"]["retry_after"] = json!(seconds);
    }
    error(&said.to_string())
}

/// A call that failed, in these words.
pub(super) fn error(text: &str) -> Value {
    json!({"content": [{"type": "text", "text": text}], "isError": true})
}

/// Whether an answer's task has not ended yet.
pub(super) fn is_running(data: &Value) -> bool {
    data["task"].is_object() && !state(data).is_some_and(is_terminal)
}

/// The state of an answer's task.
pub(super) fn state(data: &Value) -> Option<&str> {
    data["task"]["state"].as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_that_failed_is_a_call_that_failed_and_one_that_runs_says_how_to_go_on() {
        let job = |made: bool| Job { prefix: "p_".into(), made };
        let of = |data: Value| job(true).result(data);
        for (state, failed, texts) in
            [("SUCCEEDED", false, 1), ("FAILED", true, 2), ("EXPIRED", true, 2), ("ODD", false, 2)]
        {
            let result = of(json!({"task": {"id": "t", "state": state, "outputs": []}}));
            assert_eq!(result["isError"], failed, "{state}");
            assert_eq!(result["content"].as_array().map(Vec::len), Some(texts), "{state}");
            assert_eq!(result["content"][0]["text"], result["structuredContent"].to_string());
        }
        let read = job(false).result(json!({"task": {"id": "t", "state": "FAILED", "outputs": []}}));
        assert_eq!(read["isError"], false);
        assert_eq!(of(json!({"result": {"outputs": []}}))["content"].as_array().map(Vec::len), Some(1));
        assert!(
            of(json!({"task": {"id": "t"}}))["content"][1]["text"].as_str().is_some_and(|it| it.contains("p_get_task"))
        );
    }

    #[test]
    fn a_refusal_lists_every_field() {
        let refused = Refusal::invalid("invalid_fields", "m").with("errors", json!([{"path": "a"}, {"path": "b"}]));
        let result = refusal(&Refusal { retry_after: Some(7), ..refused });
        let said: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
        assert_eq!((said["data"]["errors"].as_array().unwrap().len(), &said["data"]["retry_after"]), (2, &json!(7)));
        assert_eq!((said["name"].as_str(), result.get("structuredContent")), (Some("invalid_input"), None));
    }

    #[test]
    fn newer_results_say_what_they_are() {
        assert_eq!(complete(Era::Legacy, json!({})), json!({}));
        let result = complete(Era::Modern { tasks: false }, json!({}));
        assert_eq!((&result["resultType"], result["_meta"].is_object()), (&json!("complete"), true));
        assert_eq!(complete(Era::Modern { tasks: true }, json!({"resultType": "task"}))["resultType"], "task");
    }
}
