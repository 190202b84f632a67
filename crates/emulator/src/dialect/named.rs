use std::str::FromStr;

use serde_json::Value;

use super::document::Dialect;

/// A dialect with a name.
#[derive(Clone, Copy, Debug)]
pub struct NamedDialect {
    /// The name that `--dialect` takes.
    pub name: &'static str,
    /// A description in one line, for `--help`.
    pub summary: &'static str,
    /// The change of the default dialect, a JSON merge patch.
    change: &'static str,
}

const fn named(name: &'static str, summary: &'static str, change: &'static str) -> NamedDialect {
    NamedDialect {
        name,
        summary,
        change,
    }
}

/// Every dialect with a name.
pub const NAMED: &[NamedDialect] = &[
    named("default", "the form that the README describes", "{}"),
    named(
        "presigned-put",
        "a PUT with signed headers, which the response names",
        r#"{"upload": {"send": "signed_put", "response": {
            "upload_url": null, "url": "{upload_url}",
            "expires_in": null, "expires_at": "{expires_at}",
            "method": "{method}", "headers": "{headers}", "download_url": "{download_url}"}}}"#,
    ),
    named(
        "post-form",
        "a POST of a form with a policy and a signature",
        r#"{"envelope": {"request_id": "{request_id}"},
            "upload": {"send": "form", "response": {
                "upload_url": null, "url": "{upload_url}",
                "method": "{method}", "fields": "{fields}"}}}"#,
    ),
    named(
        "camel-case",
        "names such as fileName, taskId, createdAt",
        r#"{"upload": {
                "request": {"file_name": "fileName", "content_type": "contentType",
                    "size": "fileSize"},
                "response": {"upload_url": null, "uploadUrl": "{upload_url}",
                    "file_id": null, "fileId": "{file_id}",
                    "expires_in": null, "expiresIn": "{expires_in}"}},
            "record": {"id": null, "taskId": "{id}",
                "model_id": null, "modelId": "{model_id}",
                "created_at": null, "createdAt": "{created_at}",
                "error": null, "errorMessage": "{error/message}", "errorCode": "{error/code}",
                "asset_id": null, "assetId": "{asset_id}",
                "output_url": null, "outputUrl": "{output_url}"},
            "output": {"asset_id": null, "assetId": "{asset_id}",
                "b64_json": null, "b64Json": "{b64_json}",
                "content_type": null, "contentType": "{content_type}"},
            "model": {"model_id": null, "modelId": "{model_id}",
                "required_plan": null, "requiredPlan": "{required_plan}",
                "generation_options": null, "generationOptions": "{generation_options}"},
            "estimate": {"model_id": null, "modelId": "{model_id}"}}"#,
    ),
    named(
        "bare",
        "no envelope: the record is the whole body",
        r#"{"bare": true, "task": "{record}", "record": {"asset": "{asset}"}}"#,
    ),
    named(
        "other-words",
        "the states pending, processing, completed, error, timeout",
        r#"{"states": {"QUEUED": "pending", "RUNNING": "processing", "SUCCEEDED": "completed",
            "FAILED": "error", "EXPIRED": "timeout"}}"#,
    ),
    named(
        "done-flag",
        "done: true or false as the state, with an error beside it",
        r#"{"record": {"status": null, "done": "{done}"}}"#,
    ),
    named(
        "failure-code",
        "a failed task's status comes under code 1404",
        r#"{"failure_code": 1404, "record": {"error": {"code": "{error/code}"}}}"#,
    ),
    named(
        "key-on-put",
        "the bytes need the API key too",
        r#"{"upload": {"requires_key": true}}"#,
    ),
    named(
        "dotted",
        "region.x and an object video_size, and no other shapes",
        r#"{"dotted": true}"#,
    ),
    named(
        "path-by-medium",
        "tasks at paths such as process/video/tasks/{task_id}",
        r#"{"task_path": "/{group}/{medium}/tasks/{task_id}"}"#,
    ),
    named(
        "keyed-models",
        "models in an object by id, options as {field: {values}}",
        r#"{"keyed_models": true, "model": {"model_id": null}, "option": {"values": "{values}"}}"#,
    ),
    named(
        "confirmed",
        "a request confirms each file before a create uses it",
        r#"{"confirm_path": "/files/{file_id}/confirm"}"#,
    ),
    named(
        "assets",
        "results are ids of assets, and a path has their URLs",
        r#"{"asset_path": "/assets/{asset_id}"}"#,
    ),
    named(
        "no-progress",
        "records of tasks have no progress",
        r#"{"record": {"progress": null}}"#,
    ),
];

impl FromStr for Dialect {
    type Err = String;

    fn from_str(names: &str) -> Result<Self, Self::Err> {
        let parse = |text| serde_json::from_str::<Value>(text).map_err(|error| error.to_string());
        let mut document = parse(include_str!("default.json"))?;
        for name in names.split(',') {
            let named = NAMED.iter().find(|named| named.name == name);
            let named = named.ok_or_else(|| unknown(name))?;
            json_patch::merge(&mut document, &parse(named.change)?);
        }
        serde_json::from_value(document).map_err(|error| error.to_string())
    }
}

fn unknown(name: &str) -> String {
    let names: Vec<_> = NAMED.iter().map(|named| named.name).collect();
    format!(
        "no dialect has the name {name:?}; give one or more of {}, with commas between them",
        names.join(", ")
    )
}

pub(crate) fn help() -> String {
    let mut help = "The form of what the document leaves open: one of these names, or several \
        with commas between them"
        .to_owned();
    for named in NAMED {
        help += &format!("\n  {:<16} {}", named.name, named.summary);
    }
    help
}
