//! What a dialect of the emulator is in the words of the gateway's settings, and what of it no exchange shows.

use std::collections::BTreeSet;

use mediagate_emulator::dialect::{Dialect, Pointer, ProblemsForm, RegionForm, SizeForm};
use mediagate_probe::{CONTAINERS, CONVENTIONS, Known};
use serde_json::{Value, json};

/// The path of a setting, where there is one.
pub(super) fn path(dialect: &Dialect, setting: &str) -> Option<String> {
    match setting {
        "UPSTREAM_TASK_PATH_PROCESS" => Some(dialect.paths.process_task.clone()),
        "UPSTREAM_MODELS_PATH" => dialect.paths.models.clone(),
        "UPSTREAM_ESTIMATE_PATH" => dialect.paths.estimate.clone(),
        "UPSTREAM_ASSET_PATH" => dialect.paths.asset.clone(),
        _ => None,
    }
}

/// A part of the gateway's dialect.
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
        "create.region" => json!(if create.region == RegionForm::Dotted {
            "dotted"
        } else {
            "nested"
        }),
        "create.video_size" => json!(if create.video_size == SizeForm::Object {
            "object"
        } else {
            "list"
        }),
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

/// A body with placeholders at these places; what is at the whole body has its members beside the others.
fn template(places: &[(Option<&Pointer>, &str)]) -> Value {
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
const PROCESS_PATHS: [&str; 5] = [
    "process/tasks/{task_id}",
    "generate/tasks/{task_id}",
    "tasks/{task_id}",
    "process/task/{task_id}",
    "process/{medium}/tasks/{task_id}",
];
const MODELS_PATHS: [&str; 4] = [
    "models",
    "model_catalog",
    "generate/models",
    "models/catalog",
];
const ESTIMATE_PATHS: [&str; 3] = ["credits/estimate", "estimate", "credits/estimation"];

const ASSET_PATHS: [&str; 2] = ["assets/{asset_id}", "media/{asset_id}"];

/// The parts that no exchange shows: what the probe must name, and nothing else.
pub(super) fn unknown(dialect: &Dialect, known: &Known) -> BTreeSet<&'static str> {
    let is_likely =
        |path: &str, likely: &[&str]| likely.iter().any(|it| path == format!("/api/app/v1/{it}"));
    let is_known = |part: &str| {
        known.paths.contains_key(part) && !known.paths[part].is_empty()
            || known
                .dialect
                .pointer(&format!("/{}", part.replace('.', "/")))
                .is_some()
    };
    // Both tasks succeed, and a picture is no video.
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
    // The create with a file is refused.
    let is_confirmed = dialect.upload.confirm.is_none() || is_known("upload.confirm");
    if has_file && !is_confirmed {
        unknown.insert("upload.confirm");
    }
    let process = &dialect.paths.process_task.replace("{group}", "process");
    let is_process_path =
        is_known("UPSTREAM_TASK_PATH_PROCESS") || is_likely(process, &PROCESS_PATHS);
    if !has_file || !is_confirmed || !is_process_path {
        unknown.insert("UPSTREAM_TASK_PATH_PROCESS");
    }
    let is_found = |setting: &str, path: &Option<String>, likely: &[&str]| {
        path.as_ref()
            .is_some_and(|it| is_known(setting) || is_likely(it, likely))
    };
    if !is_found("UPSTREAM_MODELS_PATH", &dialect.paths.models, &MODELS_PATHS) {
        unknown.insert("UPSTREAM_MODELS_PATH");
    }
    if dialect.paths.asset.is_some()
        && !is_found("UPSTREAM_ASSET_PATH", &dialect.paths.asset, &ASSET_PATHS)
    {
        unknown.insert("UPSTREAM_ASSET_PATH");
    }
    let has_estimate = is_found(
        "UPSTREAM_ESTIMATE_PATH",
        &dialect.paths.estimate,
        &ESTIMATE_PATHS,
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
    unknown.retain(|it| !is_known(it));
    unknown
}

/// Whether the names that a request for an upload URL needs are likely ones, or its refusals name them.
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
    let split = |it: &Pointer| {
        it.as_str()
            .rsplit_once('/')
            .map(|it| (it.0.to_owned(), it.1.to_owned()))
    };
    let (containers, names): (Vec<_>, Vec<_>) = places
        .iter()
        .map(|it| it.and_then(split))
        .map(|it| match it {
            Some((container, name)) => (Some(container), Some(name)),
            None => (None, None),
        })
        .unzip();
    let is_in_container = containers
        .iter()
        .flatten()
        .all(|it| CONTAINERS.contains(&it.as_str()));
    let is_name = |index: usize, names: &Option<String>| {
        names
            .as_ref()
            .is_none_or(|name| CONVENTIONS.iter().any(|it| it[index] == name))
    };
    let is_convention = CONVENTIONS.iter().any(|it| {
        it.iter()
            .zip(&names)
            .all(|(one, name)| name.as_deref() == Some(one))
    });
    is_in_container
        && if request.strict {
            is_convention
        } else {
            (0..3).all(|index| is_name(index, &names[index]))
        }
}

/// Whether the estimate takes the create's own body, or its refusals name what it needs.
fn is_estimate_readable(dialect: &Dialect) -> bool {
    dialect
        .estimate
        .input
        .as_ref()
        .is_none_or(|it| it.as_str().is_empty() || ["/input", "/params"].contains(&it.as_str()))
}
