//! The descriptions of the tools, for a model.

use mediagate_core::Capability;
use mediagate_settings::Settings;
use serde_json::Value;

use super::tool_schemas::KEY;

pub(super) const LIST_OPTIONS: &str = "Lists values for the arguments of the other tools: models \
    with the values that each accepts (model_id, generation_options); ids of avatars and \
    voices that any caller may use; and the limits of this session on values, if there are any.";

pub(super) const USE_OUTPUT: &str = "Makes a file of an output of a task, so that it can be an \
    argument of another tool, without a download. Returns file_id once the file is there; before \
    that, progress: call it again with the same arguments.";

pub(super) fn use_url(settings: &Settings) -> String {
    format!(
        "Makes a file of the picture, video, sound or PDF document that an https URL leads to, so \
         that it can be an argument of several other tools, without an upload; an argument for a \
         file also takes the URL itself. Returns file_id once the file is there; before that, \
         progress: call it again with the same arguments. At most {} bytes.",
        settings.max_upload_bytes
    )
}

pub(super) const LIST_TASKS: &str = "Lists the tasks and pipelines that this caller has created, \
    newest first, also those of other conversations, with their states and outputs as they were \
    last seen. If there are more, cursor is an argument of the next call.";

pub(super) const ESTIMATE_CREDITS: &str =
    "Estimates the credits that a task would cost, without creating it.";

pub(super) const RESUME_PIPELINE: &str = "Resumes a pipeline that has ended and has resumable: \
    creates the steps again that failed, were skipped or were cancelled, with the input that they \
    had. Steps that succeeded are not repeated. A step in the state UNKNOWN may have created a \
    task, so it is not repeated either, nor is any step that uses it. Each step that is created \
    costs credits.";

pub(super) const CANCEL_PIPELINE: &str = "Cancels a pipeline: creates nothing more. Tasks that \
    were created continue, and cost credits; the pipeline ends once they have ended. Nothing \
    changes for a pipeline that has ended.";

pub(super) fn instructions(prefix: &str) -> String {
    format!(
        "Creates and processes video, images, audio and PDF files. Files are passed by id: call \
         {prefix}request_upload, send the bytes with PUT to the upload_url that it returns, and \
         use its file_id; if there is {prefix}use_url, the https URL of a file can replace its id. \
         A tool that creates media returns a task, which costs credits and takes seconds to \
         minutes: call {prefix}get_task with its id until its state is SUCCEEDED (then outputs has \
         the URLs), FAILED or EXPIRED. If the response to a create is lost, repeat it only with \
         the same {KEY}. To pass an output of a task on as a file, call {prefix}use_output, if it \
         is there. To create several tasks, some of which use outputs of others, call \
         {prefix}run_pipeline, if it is there. Ids are valid for this caller only."
    )
}

/// `summary` says what the capability does.
pub(super) fn create(summary: &str, capability: &Capability, settings: &Settings) -> String {
    let prefix = &settings.mcp.tool_prefix;
    let mut text = summary.to_owned();
    if capability
        .fields()
        .any(|field| field.kind.media().is_some())
    {
        text += &format!(" Files are passed by the file_id that {prefix}request_upload returns");
        if settings.moves_outputs() {
            text += &format!(", or {prefix}use_output for an output of a task");
        }
        if !settings.input_hosts.is_empty() {
            text += ", or by the https URL of a file that is loaded without a login";
        }
        text += ".";
    }
    text += &format!(
        " Returns a task, usually before it has ended: read it with {prefix}get_task. Costs \
         credits."
    );
    text
}

pub(super) fn request_upload(settings: &Settings) -> String {
    let authorization = if settings.relays_uploads() {
        " and the same Authorization header as requests to this server"
    } else {
        ""
    };
    format!(
        "Requests an upload URL for one file. Then send the file's bytes, and nothing else, with \
         PUT to upload_url, with the same Content-Type{authorization}, as `curl -T photo.png -H \
         'Content-Type: image/png' \"$upload_url\"` does. If the result has method, headers or \
         fields, they describe the request instead. After that, file_id identifies the file in the \
         other tools. At most {} bytes.",
        settings.max_upload_bytes
    )
}

/// Returns a sentence about sending the file to the upload URL.
pub(super) fn next_of_upload(settings: &Settings, upload: &Value) -> String {
    let has = |name: &str| upload.get(name).is_some();
    let authorization = if settings.relays_uploads() {
        " and this server's Authorization header"
    } else {
        ""
    };
    let method = upload["method"].as_str().unwrap_or("PUT");
    let headers = if has("headers") {
        ", and each of headers"
    } else {
        ""
    };
    if has("fields") {
        return format!(
            "Send a multipart/form-data form with {method} to upload_url: each of fields, and last \
             the file as `file`{headers}."
        );
    }
    format!(
        "Send the file's bytes with {method} to upload_url, with the file's \
         Content-Type{authorization}{headers}."
    )
}

pub(super) fn get_task(settings: &Settings) -> String {
    format!(
        "Reads a task. Its state is SUCCEEDED, FAILED or EXPIRED once it has ended; with any other \
         state it is still running.{} outputs has the URLs of the results, which may expire: \
         download what you need.",
        wait(settings)
    )
}

/// Returns a sentence about `wait_seconds`. Empty if the operator allows no wait.
fn wait(settings: &Settings) -> String {
    match settings.mcp.wait_seconds {
        0 => String::new(),
        seconds => {
            format!(" Set wait_seconds, at most {seconds}, instead of calling it repeatedly.")
        }
    }
}

pub(super) fn run_pipeline(settings: &Settings) -> String {
    let prefix = &settings.mcp.tool_prefix;
    let url = if settings.input_hosts.is_empty() {
        ""
    } else {
        " The https URL of a file can replace its id, too."
    };
    format!(
        "Runs a pipeline: several steps, each of which creates a task, and can use outputs of \
         other steps. Each step has a name of your choice, a capability, which is the name of \
         another tool without its prefix, and as its input the arguments of that tool. Instead of \
         a file id or asset id, step:NAME is the first output of the step NAME that fits, and \
         step:NAME:1 its second output.{url} All steps are checked before anything is created; \
         then each step begins as soon as the steps that it uses have succeeded, without further \
         calls. Returns the pipeline as it starts: its states and outputs are in \
         {prefix}get_pipeline. Each step costs credits."
    )
}

pub(super) fn get_pipeline(settings: &Settings) -> String {
    let prefix = &settings.mcp.tool_prefix;
    format!(
        "Reads a pipeline. Its state is RUNNING until no step can do anything more, then \
         SUCCEEDED, FAILED or CANCELLED.{} outputs has the outputs of the steps that no other step \
         uses; each of steps has its own state, outputs and error. URLs are as they were when the \
         step's task ended, and may expire: {prefix}get_task has newer ones for its task_id. If a \
         step failed, {prefix}resume_pipeline creates it again. A step in the state UNKNOWN may \
         have created a task, and is never sent again.",
        wait(settings)
    )
}
