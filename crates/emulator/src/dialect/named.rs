//! Dialects with a name. Each has a form that public services use.

use super::document::Dialect;

/// A dialect with a name.
#[derive(Clone, Copy, Debug)]
pub struct NamedDialect {
    /// The name that `--dialect` takes.
    pub name: &'static str,
    /// A description in one line, for `--help`.
    pub summary: &'static str,
    /// The parts that differ from the default, as JSON.
    parts: &'static str,
}

impl NamedDialect {
    /// Returns the dialect.
    pub fn dialect(&self) -> Dialect {
        // A test parses each of them.
        serde_json::from_str(self.parts).unwrap_or_default()
    }
}

const fn named(name: &'static str, summary: &'static str, parts: &'static str) -> NamedDialect {
    NamedDialect {
        name,
        summary,
        parts,
    }
}

/// Every dialect with a name.
pub const NAMED: &[NamedDialect] = &[
    named("default", "the form that the README describes", "{}"),
    named(
        "presigned-put",
        "a PUT with signed headers, which the response names",
        r#"{"upload": {"send": "signed_put", "response": {
            "url": "/data/url", "method": "/data/method", "headers": "/data/headers",
            "expires": "/data/expires_at", "expiry": "date",
            "extra": {"/data/download_url": "download_url"}}}}"#,
    ),
    named(
        "post-form",
        "a POST of a form with a policy and a signature",
        r#"{"upload": {"send": "form", "response": {
            "url": "/data/url", "method": "/data/method", "fields": "/data/fields",
            "extra": {"/request_id": "random_id"}}}}"#,
    ),
    named(
        "nested-file",
        "nested file objects in the upload's request and response",
        r#"{"upload": {
            "request": {"file_name": "/file/name", "content_type": "/file/content_type",
                "size": "/file/size"},
            "response": {"url": "/data/upload/url", "file_id": "/data/file/id",
                "method": "/data/upload/method", "headers": "/data/upload/headers",
                "headers_as": "list", "expires": "/data/upload/expires",
                "expiry": "milliseconds", "extra": {"/data/upload/id": "random_id",
                    "/data/file/object": {"constant": "file"}}}}}"#,
    ),
    named(
        "camel-case",
        "names such as fileName, taskId, createdAt",
        r#"{"upload": {
            "request": {"file_name": "/fileName", "content_type": "/contentType",
                "size": "/fileSize"},
            "response": {"url": "/data/uploadUrl", "file_id": "/data/fileId",
                "expires": "/data/expiresIn"}},
            "task": {"camel_case": true, "id": "/taskId", "error_message": "/errorMessage",
                "error_code": "/errorCode", "output": "/outputUrl"},
            "models": {"id": "/modelId", "options": "/generationOptions"}}"#,
    ),
    named(
        "bare",
        "no envelope: the record is the whole body",
        r#"{"envelope": false, "task": {"created": "", "read": ""},
            "upload": {"response": {"url": "/upload_url", "file_id": "/file_id",
                "expires": "/expires_in"}},
            "models": {"list": "/models"}, "estimate": {"credits": "/credits"}}"#,
    ),
    named(
        "capital-envelope",
        "an envelope with Code, Message and Data",
        r#"{"capital_envelope": true, "task": {"created": "/Data/task", "read": "/Data/task"},
            "upload": {"response": {"url": "/Data/upload_url", "file_id": "/Data/file_id",
                "expires": "/Data/expires_in"}},
            "models": {"list": "/Data/models"}, "estimate": {"credits": "/Data/credits"}}"#,
    ),
    named(
        "percent",
        "progress from 0 to 100",
        r#"{"task": {"scale": "percent"}}"#,
    ),
    named(
        "text-percent",
        "progress such as \"45%\"",
        r#"{"task": {"scale": "text"}}"#,
    ),
    named(
        "other-words",
        "the states pending, processing, completed, error, timeout",
        r#"{"states": {"queued": "pending", "running": "processing", "succeeded": "completed",
            "failed": "error", "expired": "timeout"}}"#,
    ),
    named(
        "done-flag",
        "done: true or false as the state, with an error beside it",
        r#"{"task": {"done_flag": true, "state": "/done"}}"#,
    ),
    named(
        "failure-code",
        "a failed task's status comes under code 1404",
        r#"{"task": {"failure_code": 1404, "error_code": "/error/code"}}"#,
    ),
    named(
        "key-on-put",
        "the bytes need the API key too",
        r#"{"upload": {"requires_key": true}}"#,
    ),
    named(
        "dotted",
        "region.x and an object video_size, and no other shapes",
        r#"{"create": {"region": "dotted", "video_size": "object"}}"#,
    ),
    named(
        "one-task-path",
        "generation and processing tasks at one path",
        r#"{"paths": {"process_task": "/api/app/v1/generate/tasks/{task_id}"}}"#,
    ),
    named(
        "path-by-medium",
        "tasks at paths such as process/video/tasks/{task_id}",
        r#"{"paths": {"generate_task": "/api/app/v1/{group}/{medium}/tasks/{task_id}",
            "process_task": "/api/app/v1/{group}/{medium}/tasks/{task_id}"}}"#,
    ),
    named(
        "keyed-models",
        "models in an object by id, options as {field: {values}}",
        r#"{"models": {"keyed": true, "values": "values"}}"#,
    ),
    named(
        "record-in-data",
        "the task record is data itself",
        r#"{"task": {"created": "/data", "read": "/data", "id": "/task_id"}}"#,
    ),
    named(
        "record-in-list",
        "the task record is the first of data.tasks",
        r#"{"task": {"created": "/data/tasks/0", "read": "/data/tasks/0",
            "output": "/outputs/0/url"}}"#,
    ),
    named(
        "silent-refusals",
        "a strict upload request whose refusal names nothing",
        r#"{"upload": {"request": {"problems": "silent", "strict": true,
            "file_name": "/filename", "content_type": "/mime_type", "size": "/file_size"}}}"#,
    ),
    named(
        "links",
        "links such as status_url and cancel_url in the task record",
        r#"{"task": {"links": true}}"#,
    ),
    named(
        "confirmed",
        "a request confirms each file before a create uses it",
        r#"{"upload": {"confirm": "/api/app/v1/files/{file_id}/confirm"}}"#,
    ),
    named(
        "assets",
        "results are ids of assets, and a path has their URLs",
        r#"{"paths": {"asset": "/api/app/v1/assets/{asset_id}"}}"#,
    ),
    named(
        "no-catalogue",
        "neither models nor estimates",
        r#"{"paths": {"models": null, "estimate": null}}"#,
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_named_dialect_can_be_spoken_and_is_another() {
        let mut seen: Vec<Dialect> = Vec::new();
        for named in NAMED {
            let dialect = Dialect::from_json(named.parts.as_bytes()).unwrap();
            let text = serde_json::to_string(&dialect).unwrap();
            let read: Dialect = serde_json::from_str(&text).unwrap();
            assert_eq!(read, dialect, "{}", named.name);
            assert!(!seen.contains(&dialect), "{}", named.name);
            seen.push(dialect);
        }
        assert_eq!(seen[0], Dialect::default());
    }
}
