//! Translates a dialect of the emulator into settings of the gateway, and names the parts that no
//! exchange shows.

use std::collections::BTreeSet;

use mediagate_emulator::dialect::{Dialect, PointerBuf, ProblemsForm, RegionForm, SizeForm};
use mediagate_probe::{CONTAINERS, CONVENTIONS, Known};
use serde_json::{Value, json};

/// Returns the path of a setting, if the dialect has one.
pub(super) fn path(dialect: &Dialect, setting: &str) -> Option<String> {
    match setting {
        "UPSTREAM_TASK_PATH_PROCESS" => Some(dialect.paths.process_task.clone()),
        "UPSTREAM_MODELS_PATH" => dialect.paths.models.clone(),
        "UPSTREAM_ESTIMATE_PATH" => dialect.paths.estimate.clone(),
        "UPSTREAM_ASSET_PATH" => dialect.paths.asset.clone(),
        _ => None,
    }
}

/// Returns a part of the gateway's dialect.
pub(super) fn part(dialect: &Dialect, part: &str) -> Option<Value> {
    let Dialect {
        upload,
        create,
        states,
        task,
        estimate,
        ..
    } = dialect;
    Some(match part {
        "states.FAILED" => json!([states.failed]),
        "states.EXPIRED" => json!([states.expired]),
        "task.error_message" => json!([task.error_message.as_str()]),
        "create.region" if create.region == RegionForm::Dotted => json!("dotted"),
        "create.region" => json!("nested"),
        "create.video_size" if create.video_size == SizeForm::Object => json!("object"),
        "create.video_size" => json!("list"),
        "upload.confirm" => json!({ "path": upload.confirm.as_ref()? }),
        "upload.request" => {
            let places = [
                (Some(&upload.request.file_name), "{file_name}"),
                (upload.request.content_type.as_ref(), "{content_type}"),
                (upload.request.size.as_ref(), "{size}"),
            ];
            template(&places)
        }
        "estimate.request" => {
            let input = estimate.input.as_ref();
            template(&[
                (input, "{input}"),
                (estimate.capability.as_ref(), "{capability}"),
            ])
        }
        _ => return None,
    })
}

/// Returns a body with placeholders at these places. The placeholder of the whole body is in its
/// member `...`, beside all further members.
fn template(places: &[(Option<&PointerBuf>, &str)]) -> Value {
    let mut body = json!({});
    for (place, placeholder) in places {
        let Some(place) = place else { continue };
        let place = if place.as_str().is_empty() {
            "/..."
        } else {
            place.as_str()
        };
        let mut at = &mut body;
        for name in place.split('/').skip(1) {
            at = &mut at[name];
        }
        *at = json!(placeholder);
    }
    body
}

/// Paths that a person would try.
const PROCESS_PATHS: &[&str] = &[
    "process/tasks/{task_id}",
    "generate/tasks/{task_id}",
    "tasks/{task_id}",
    "process/task/{task_id}",
    "process/{medium}/tasks/{task_id}",
];
const MODELS_PATHS: &[&str] = &[
    "models",
    "model_catalog",
    "generate/models",
    "models/catalog",
];
const ESTIMATE_PATHS: &[&str] = &["credits/estimate", "estimate", "credits/estimation"];
const ASSET_PATHS: &[&str] = &["assets/{asset_id}", "media/{asset_id}"];

/// Returns the parts that no exchange shows. The probe must name exactly these parts.
pub(super) fn unknown(dialect: &Dialect, known: &Known) -> BTreeSet<&'static str> {
    let is_likely = |path: &str, likely: &[&str]| {
        likely
            .iter()
            .any(|name| path == format!("/api/app/v1/{name}"))
    };
    let is_known = |part: &str| {
        known.paths.contains_key(part) && !known.paths[part].is_empty()
            || known
                .dialect
                .pointer(&format!("/{}", part.replace('.', "/")))
                .is_some()
    };
    // The probe's tasks succeed, so it sees no failure and no expiry. Its only file is a picture,
    // so it cannot create a task with a video.
    let mut unknown = BTreeSet::from([
        "states.FAILED",
        "states.EXPIRED",
        "task.error_message",
        "create.video_size",
    ]);
    let has_file = is_known("upload.request") || is_readable(dialect);
    if !has_file {
        unknown.insert("upload.request");
    }
    // The create with an unconfirmed file is refused, which does not show the path.
    let is_confirmed = dialect.upload.confirm.is_none() || is_known("upload.confirm");
    if has_file && !is_confirmed {
        unknown.insert("upload.confirm");
    }
    let process = &dialect.paths.process_task.replace("{group}", "process");
    let is_process_path =
        is_known("UPSTREAM_TASK_PATH_PROCESS") || is_likely(process, PROCESS_PATHS);
    if !has_file || !is_confirmed || !is_process_path {
        unknown.insert("UPSTREAM_TASK_PATH_PROCESS");
    }
    let is_found = |setting: &str, path: &Option<String>, likely: &[&str]| {
        path.as_ref()
            .is_some_and(|path| is_known(setting) || is_likely(path, likely))
    };
    if !is_found("UPSTREAM_MODELS_PATH", &dialect.paths.models, MODELS_PATHS) {
        unknown.insert("UPSTREAM_MODELS_PATH");
    }
    if dialect.paths.asset.is_some()
        && !is_found("UPSTREAM_ASSET_PATH", &dialect.paths.asset, ASSET_PATHS)
    {
        unknown.insert("UPSTREAM_ASSET_PATH");
    }
    let has_estimate = is_found(
        "UPSTREAM_ESTIMATE_PATH",
        &dialect.paths.estimate,
        ESTIMATE_PATHS,
    );
    let has_body = is_known("estimate.request") || is_estimate_readable(dialect);
    if !has_estimate {
        unknown.insert("UPSTREAM_ESTIMATE_PATH");
    } else if !has_body {
        unknown.insert("estimate.request");
    }
    if !has_estimate || !has_body || !has_file {
        unknown.insert("create.region");
    }
    unknown.retain(|part| !is_known(part));
    unknown
}

/// Returns true if the probe can find the names in a request for an upload URL: they are likely
/// ones, or refusals name them.
fn is_readable(dialect: &Dialect) -> bool {
    let request = &dialect.upload.request;
    if request.problems != ProblemsForm::Silent {
        return true;
    }
    let places = [
        Some(&request.file_name),
        request.content_type.as_ref(),
        request.size.as_ref(),
    ];
    // The container and the name of each place.
    let split: [Option<(&str, &str)>; 3] =
        places.map(|place| place.and_then(|place| place.as_str().rsplit_once('/')));
    let is_in_container = split
        .iter()
        .flatten()
        .all(|(container, _)| CONTAINERS.contains(container));
    let names = split.map(|place| place.map(|(_, name)| name));
    let is_readable = if request.strict {
        // A guess with a member too many is refused, so all names must be of one convention.
        CONVENTIONS
            .iter()
            .any(|convention| convention.map(Some) == names)
    } else {
        names.iter().enumerate().all(|(index, name)| {
            name.is_none_or(|name| {
                CONVENTIONS
                    .iter()
                    .any(|convention| convention[index] == name)
            })
        })
    };
    is_in_container && is_readable
}

/// Returns true if the probe can find the body of an estimate: the create's own body, or a usual
/// member of a body.
fn is_estimate_readable(dialect: &Dialect) -> bool {
    dialect
        .estimate
        .input
        .as_ref()
        .is_none_or(|place| ["", "/input", "/params"].contains(&place.as_str()))
}
