//! Validates create requests (§4.2, §4.3): fields, model, plan, assets and files, in this order.

use std::collections::BTreeMap;

use mediagate_core::{Capability, Code, Field, FileKind, Kind};
use serde_json::{Map, Value};

use super::create_command::{CreateCommand, non_blank};
use super::rules;
use crate::{
    account::Account,
    http::Refusal,
    media::{Tools, picture::MAX_SIDE},
    scene::{Asset, Model, Scene, usable_asset},
    storage::{Files, StoredFile},
};

/// Validates the body of a create request, and charges nothing. May read and measure files, so it
/// must run on a thread that may block. Refuses with the first check that fails: 12 with every
/// problem of the fields, 1410, 1409, 12 for a value or a file, or the asset codes 1402, 1403, 1407
/// and 1408 (§7).
pub(crate) fn validate_create(
    account: &Account,
    stored: &Files,
    tools: &Tools,
    capability: &'static Capability,
    body: &Value,
) -> Result<CreateCommand, Refusal> {
    let input = rules::check(capability, body)?;
    let model = model(&account.scene, capability, &input)?;
    account.check_plan(&model)?;
    check_options(&model, &input)?;
    check_limits(&account.scene, capability, &input)?;
    let assets = assets(&account.scene, capability, &input)?;
    let files = files(stored, capability, &input)?;
    check_references(tools, &model, &files)?;
    let credits = model.cost(&input);
    Ok(CreateCommand {
        capability,
        input,
        model,
        assets,
        files,
        credits,
    })
}

/// Returns the model that `model_id` names, or else the capability's default. Refuses with 1410 if
/// this capability has no such model.
fn model(
    scene: &Scene,
    capability: &Capability,
    input: &Map<String, Value>,
) -> Result<Model, Refusal> {
    let model_id = non_blank(input, "model_id");
    for model in scene.models.values() {
        let is_chosen = match model_id {
            Some(id) => model.id == id,
            None => model.default,
        };
        if is_chosen && model.capability == capability.name() {
            return Ok(model.clone());
        }
    }
    Err(Refusal::field(
        Code::INVALID_MODEL,
        "model_id",
        "unknown_model",
        "no model of this capability; see the catalogue",
    ))
}

/// Checks that the model's `generation_options` list every value (§4.2, rule 2). §2 states this
/// rule for every model.
fn check_options(model: &Model, input: &Map<String, Value>) -> Result<(), Refusal> {
    for (name, allowed) in &model.generation_options {
        // An empty text counts as absent, as it does for `model_id`.
        let Some(value) = input.get(name).filter(|value| *value != "") else {
            continue;
        };
        if !allowed.iter().any(|listed| is_equal(listed, value)) {
            let message = format!("not among the generation_options of {}", model.id);
            return Err(Refusal::invalid_field(
                name,
                "not_in_generation_options",
                message,
            ));
        }
    }
    Ok(())
}

/// Returns true for equal values. Numbers are compared by value, since `5` and `5.0` differ as
/// JSON.
fn is_equal(listed: &Value, value: &Value) -> bool {
    listed == value || listed.is_number() && listed.as_f64() == value.as_f64()
}

/// Checks the emulator's own limit of sizes, and the values of `logo_type` (§4.3).
fn check_limits(
    scene: &Scene,
    capability: &Capability,
    input: &Map<String, Value>,
) -> Result<(), Refusal> {
    for side in ["width", "height"] {
        let length = input.get(side).and_then(Value::as_f64);
        if length > Some(f64::from(MAX_SIDE)) {
            let message = format!("larger than {MAX_SIDE} pixels");
            return Err(Refusal::invalid_field(side, "out_of_range", message));
        }
    }
    if capability.field("logo_type").is_some()
        && let Some(name) = non_blank(input, "logo_type")
        && name != "default"
        && !scene.logo_types.iter().any(|known| known == name)
    {
        let message = format!(
            "not known; give default or one of {}",
            scene.logo_types.join(", ")
        );
        return Err(Refusal::invalid_field(
            "logo_type",
            "unknown_value",
            message,
        ));
    }
    Ok(())
}

fn assets(
    scene: &Scene,
    capability: &Capability,
    input: &Map<String, Value>,
) -> Result<Vec<Asset>, Refusal> {
    let mut found = Vec::new();
    for field in capability.fields() {
        if let (Kind::Asset(category), Some(id)) = (field.kind, non_blank(input, field.name)) {
            found.push(usable_asset(&scene.assets, field.name, id, category)?.clone());
        }
    }
    Ok(found)
}

type FilesByField = BTreeMap<&'static str, Vec<StoredFile>>;

fn files(
    stored: &Files,
    capability: &Capability,
    input: &Map<String, Value>,
) -> Result<FilesByField, Refusal> {
    let mut found = FilesByField::new();
    for field in capability.fields() {
        let (Kind::File(media) | Kind::Files(media) | Kind::FileOrFiles(media)) = field.kind else {
            continue;
        };
        for (path, id) in ids(field, input) {
            found
                .entry(field.name)
                .or_default()
                .push(file(stored, capability, media, &path, id)?);
        }
    }
    Ok(found)
}

/// Returns the ids in a field, each with its JSON path.
fn ids<'a>(field: &Field, input: &'a Map<String, Value>) -> Vec<(String, &'a str)> {
    match input.get(field.name) {
        Some(Value::String(id)) => vec![(field.name.into(), id)],
        Some(Value::Array(ids)) => {
            let mut found = Vec::new();
            for (index, id) in ids.iter().enumerate() {
                if let Some(id) = id.as_str() {
                    found.push((format!("{}[{index}]", field.name), id));
                }
            }
            found
        }
        _ => Vec::new(),
    }
}

/// Returns a file whose bytes are of this kind. Refuses with 12 for an unknown file, and for a file
/// of another kind with 1402 or 12, depending on the capability (§7).
fn file(
    stored: &Files,
    capability: &Capability,
    media: FileKind,
    path: &str,
    id: &str,
) -> Result<StoredFile, Refusal> {
    let file = stored.find(id).ok_or_else(|| {
        Refusal::invalid_field(path, "unknown_file", "no such file; upload it first")
    })?;
    if file.content.media == Some(media) {
        return Ok(file);
    }
    // Only some endpoints list 1402 (§7). All others respond with 12.
    let listed = capability.codes.contains(&Code::ASSET_CATEGORY_MISMATCH);
    let code = if listed {
        Code::ASSET_CATEGORY_MISMATCH
    } else {
        Code::INVALID_INPUT
    };
    let message = format!(
        "has the bytes of {}, and the field takes {}",
        file.content.mime,
        media.described()
    );
    Err(Refusal::field(code, path, "wrong_media", message))
}

/// Checks the kinds of the references, and their combined length (§4.2, rule 3).
fn check_references(tools: &Tools, model: &Model, files: &FilesByField) -> Result<(), Refusal> {
    for (field, files) in files {
        if !files
            .iter()
            .all(|file| model.references.accepts(file.content.media))
        {
            let accepted: Vec<_> = model.references.media.iter().flatten().cloned().collect();
            let accepted = accepted.join(", ");
            let message = format!("{} accepts only {accepted} as references", model.id);
            return Err(Refusal::invalid_field(field, "reference_media", message));
        }
    }
    let Some(max_seconds) = model.references.max_media_seconds else {
        return Ok(());
    };
    let mut first_field = None;
    let mut total = 0.0;
    for (field, files) in files {
        for file in files {
            if !tools.measures || file.content.media == Some(FileKind::Image) {
                continue;
            }
            let field = *first_field.get_or_insert(field);
            let Some(seconds) = tools.seconds(&file.path) else {
                let message = "the length of a file cannot be measured: is it damaged?";
                return Err(Refusal::invalid_field(field, "unmeasurable", message));
            };
            total += seconds;
        }
    }
    match first_field {
        // Lengths are counted in frames and samples, so they rarely add up to whole seconds. The
        // tolerance is below the tenths to which they are rounded.
        Some(field) if total > max_seconds + 0.05 => {
            let id = &model.id;
            let message = format!("{total:.1} s of video and audio; {id} takes {max_seconds}");
            Err(Refusal::invalid_field(field, "too_long", message))
        }
        _ => Ok(()),
    }
}
