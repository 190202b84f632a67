//! Dialects with a name. Each has a form that public services use.

use super::{
    create::{RegionForm, SizeForm},
    document::Dialect,
    models::ValuesForm,
    pointer::Pointer,
    states::StateWords,
    task::Scale,
    upload::Transfer,
    upload_request::ProblemsForm,
    upload_response::{Expiry, Extra, HeadersForm},
};

/// A dialect with a name.
#[derive(Clone, Copy, Debug)]
pub struct NamedDialect {
    /// The name that `--dialect` takes.
    pub name: &'static str,
    /// A description in one line, for `--help`.
    pub summary: &'static str,
    /// Turns the default into this dialect.
    change: fn(&mut Dialect),
}

impl NamedDialect {
    /// Returns the dialect.
    pub fn dialect(&self) -> Dialect {
        let mut dialect = Dialect::default();
        (self.change)(&mut dialect);
        dialect
    }
}

const fn named(
    name: &'static str,
    summary: &'static str,
    change: fn(&mut Dialect),
) -> NamedDialect {
    NamedDialect {
        name,
        summary,
        change,
    }
}

/// Every dialect with a name.
pub const NAMED: &[NamedDialect] = &[
    named("default", "the form that the README describes", |_| {}),
    named(
        "presigned-put",
        "a PUT with signed headers, which the response names",
        presigned_put,
    ),
    named(
        "post-form",
        "a POST of a form with a policy and a signature",
        post_form,
    ),
    named(
        "nested-file",
        "nested file objects in the upload's request and response",
        nested_file,
    ),
    named(
        "camel-case",
        "names such as fileName, taskId, createdAt",
        camel_case,
    ),
    named("bare", "no envelope: the record is the whole body", bare),
    named(
        "capital-envelope",
        "an envelope with Code, Message and Data",
        |dialect| *dialect = dialect.clone().in_capitals(),
    ),
    named("percent", "progress from 0 to 100", |dialect| {
        dialect.task.scale = Scale::Percent
    }),
    named("text-percent", "progress such as \"45%\"", |dialect| {
        dialect.task.scale = Scale::Text
    }),
    named(
        "other-words",
        "the states pending, processing, completed, error, timeout",
        other_words,
    ),
    named(
        "done-flag",
        "done: true or false as the state, with an error beside it",
        done_flag,
    ),
    named(
        "failure-code",
        "a failed task's status comes under code 1404",
        failure_code,
    ),
    named("key-on-put", "the bytes need the API key too", |dialect| {
        dialect.upload.requires_key = true
    }),
    named(
        "dotted",
        "region.x and an object video_size, and no other shapes",
        dotted,
    ),
    named(
        "one-task-path",
        "generation and processing tasks at one path",
        one_task_path,
    ),
    named(
        "path-by-medium",
        "tasks at paths such as process/video/tasks/{task_id}",
        path_by_medium,
    ),
    named(
        "keyed-models",
        "models in an object by id, options as {field: {values}}",
        keyed_models,
    ),
    named(
        "record-in-data",
        "the task record is data itself",
        record_in_data,
    ),
    named(
        "record-in-list",
        "the task record is the first of data.tasks",
        record_in_list,
    ),
    named(
        "silent-refusals",
        "a strict upload request whose refusal names nothing",
        silent_refusals,
    ),
    named(
        "links",
        "links such as status_url and cancel_url in the task record",
        |dialect| dialect.task.links = true,
    ),
    named(
        "confirmed",
        "a request confirms each file before a create uses it",
        confirmed,
    ),
    named(
        "assets",
        "results are ids of assets, and a path has their URLs",
        assets,
    ),
    named("no-catalogue", "neither models nor estimates", no_catalogue),
];

fn pointer(text: &str) -> Pointer {
    Pointer::new(text)
}

fn some(text: &str) -> Option<Pointer> {
    Some(Pointer::new(text))
}

fn presigned_put(dialect: &mut Dialect) {
    let upload = &mut dialect.upload;
    upload.send = Transfer::SignedPut;
    upload.response.url = pointer("/data/url");
    upload.response.method = some("/data/method");
    upload.response.headers = some("/data/headers");
    upload.response.expires = some("/data/expires_at");
    upload.response.expiry = Expiry::Date;
    upload
        .response
        .extra
        .insert(pointer("/data/download_url"), Extra::DownloadUrl);
}

fn post_form(dialect: &mut Dialect) {
    let upload = &mut dialect.upload;
    upload.send = Transfer::Form;
    upload.response.url = pointer("/data/url");
    upload.response.method = some("/data/method");
    upload.response.fields = some("/data/fields");
    upload
        .response
        .extra
        .insert(pointer("/request_id"), Extra::RandomId);
}

fn nested_file(dialect: &mut Dialect) {
    let upload = &mut dialect.upload;
    upload.request.file_name = pointer("/file/name");
    upload.request.content_type = some("/file/content_type");
    upload.request.size = some("/file/size");
    upload.response.url = pointer("/data/upload/url");
    upload.response.file_id = pointer("/data/file/id");
    upload.response.method = some("/data/upload/method");
    upload.response.headers = some("/data/upload/headers");
    upload.response.headers_as = HeadersForm::List;
    upload.response.expires = some("/data/upload/expires");
    upload.response.expiry = Expiry::Milliseconds;
    upload
        .response
        .extra
        .insert(pointer("/data/upload/id"), Extra::RandomId);
    upload
        .response
        .extra
        .insert(pointer("/data/file/object"), Extra::Constant("file".into()));
}

fn camel_case(dialect: &mut Dialect) {
    let upload = &mut dialect.upload;
    upload.request.file_name = pointer("/fileName");
    upload.request.content_type = some("/contentType");
    upload.request.size = some("/fileSize");
    upload.response.url = pointer("/data/uploadUrl");
    upload.response.file_id = pointer("/data/fileId");
    upload.response.expires = some("/data/expiresIn");
    let task = &mut dialect.task;
    task.camel_case = true;
    task.id = pointer("/taskId");
    task.error_message = pointer("/errorMessage");
    task.error_code = some("/errorCode");
    task.output = pointer("/outputUrl");
    dialect.models.id = pointer("/modelId");
    dialect.models.options = some("/generationOptions");
}

fn bare(dialect: &mut Dialect) {
    dialect.envelope = false;
    dialect.task.created = pointer("");
    dialect.task.read = pointer("");
    dialect.upload.response.url = pointer("/upload_url");
    dialect.upload.response.file_id = pointer("/file_id");
    dialect.upload.response.expires = some("/expires_in");
    dialect.models.list = pointer("/models");
    dialect.estimate.credits = pointer("/credits");
}

fn other_words(dialect: &mut Dialect) {
    let [queued, running, succeeded, failed, expired] =
        ["pending", "processing", "completed", "error", "timeout"].map(Into::into);
    dialect.states = StateWords {
        queued,
        running,
        succeeded,
        failed,
        expired,
    };
}

fn done_flag(dialect: &mut Dialect) {
    dialect.task.done_flag = true;
    dialect.task.state = pointer("/done");
}

fn failure_code(dialect: &mut Dialect) {
    dialect.task.failure_code = Some(1404);
    dialect.task.error_code = some("/error/code");
}

fn dotted(dialect: &mut Dialect) {
    dialect.create.region = RegionForm::Dotted;
    dialect.create.video_size = SizeForm::Object;
}

fn one_task_path(dialect: &mut Dialect) {
    dialect.paths.process_task = dialect.paths.generate_task.clone();
}

fn path_by_medium(dialect: &mut Dialect) {
    let path = "/api/app/v1/{group}/{medium}/tasks/{task_id}";
    dialect.paths.generate_task = path.into();
    dialect.paths.process_task = path.into();
}

fn keyed_models(dialect: &mut Dialect) {
    dialect.models.keyed = true;
    dialect.models.values = ValuesForm::Values;
}

fn record_in_data(dialect: &mut Dialect) {
    dialect.task.created = pointer("/data");
    dialect.task.read = pointer("/data");
    dialect.task.id = pointer("/task_id");
}

fn record_in_list(dialect: &mut Dialect) {
    dialect.task.created = pointer("/data/tasks/0");
    dialect.task.read = pointer("/data/tasks/0");
    dialect.task.output = pointer("/outputs/0/url");
}

fn silent_refusals(dialect: &mut Dialect) {
    let request = &mut dialect.upload.request;
    request.problems = ProblemsForm::Silent;
    request.strict = true;
    request.file_name = pointer("/filename");
    request.content_type = some("/mime_type");
    request.size = some("/file_size");
}

fn confirmed(dialect: &mut Dialect) {
    dialect.upload.confirm = Some("/api/app/v1/files/{file_id}/confirm".into());
}

fn assets(dialect: &mut Dialect) {
    dialect.paths.asset = Some("/api/app/v1/assets/{asset_id}".into());
}

fn no_catalogue(dialect: &mut Dialect) {
    dialect.paths.models = None;
    dialect.paths.estimate = None;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_named_dialect_can_be_spoken_and_is_another() {
        let mut seen: Vec<Dialect> = Vec::new();
        for named in NAMED {
            let dialect = named.dialect();
            assert_eq!(dialect.check(), Ok(()), "{}", named.name);
            let text = serde_json::to_string(&dialect).unwrap();
            assert_eq!(
                serde_json::from_str::<Dialect>(&text).unwrap(),
                dialect,
                "{}",
                named.name
            );
            assert!(!seen.contains(&dialect), "{}", named.name);
            seen.push(dialect);
        }
        assert_eq!(seen[0], Dialect::default());
    }
}
