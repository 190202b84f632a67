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

/// Validates the body of a create request and charges nothing.
///
/// This may read and measure files, so it must run on a thread that may block.
///
/// # Errors
/// The first check that fails: 12 with every problem of the fields, 1410, 1409, 12 for a value or a
/// file, or the asset codes 1402, 1403, 1407 and 1408 (§7).
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

/// Returns the model that `model_id` names, or else the capability's default model.
///
/// # Errors
/// 1410 if this capability has no such model.
fn model(
    scene: &Scene,
    capability: &Capability,
    input: &Map<String, Value>,
) -> Result<Model, Refusal> {
    let model_id = non_blank(input, "model_id");
    let mut models = scene
        .models
        .values()
        .filter(|model| model.capability == capability.name());
    let found = models.find(|model| model_id.map_or(model.default, |id| model.id == id));
    found.cloned().ok_or_else(|| {
        Refusal::field(
            Code::INVALID_MODEL,
            "model_id",
            "unknown_model",
            "no model of this capability; see the catalogue",
        )
    })
}

/// Checks that the model's `generation_options` list every value (§4.2, rule 2). §2 states this
/// rule for every model.
fn check_options(model: &Model, input: &Map<String, Value>) -> Result<(), Refusal> {
    for (name, allowed) in &model.generation_options {
        // An empty text counts as absent, as it does for `model_id`.
        let Some(value) = input.get(name).filter(|value| value.as_str() != Some("")) else {
            continue;
        };
        // `5` and `5.0` differ as JSON values.
        let is_equal = |listed: &Value| {
            listed == value || listed.is_number() && listed.as_f64() == value.as_f64()
        };
        if !allowed.iter().any(is_equal) {
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

/// Checks the emulator's own limit of sizes, and the values of `logo_type` (§4.3).
fn check_limits(
    scene: &Scene,
    capability: &Capability,
    input: &Map<String, Value>,
) -> Result<(), Refusal> {
    for side in ["width", "height"] {
        if input
            .get(side)
            .and_then(Value::as_f64)
            .is_some_and(|length| length > f64::from(MAX_SIDE))
        {
            let message = format!("larger than {MAX_SIDE} pixels");
            return Err(Refusal::invalid_field(side, "out_of_range", message));
        }
    }
    let logo_type = capability
        .field("logo_type")
        .and_then(|field| non_blank(input, field.name));
    if logo_type.is_some_and(|name| {
        name != "default" && !scene.logo_types.iter().any(|known| known == name)
    }) {
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

/// Looks up and checks the assets that the body names.
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

/// Files by the field that names them.
type FilesByField = BTreeMap<&'static str, Vec<StoredFile>>;

/// Looks up and checks the files that the body names.
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
            let with_path = |(index, id): (usize, &'a Value)| {
                Some((format!("{}[{index}]", field.name), id.as_str()?))
            };
            ids.iter().enumerate().filter_map(with_path).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns the file with this id, if its bytes are of this kind.
///
/// # Errors
/// 12 for an unknown file. For a file of another kind 1402 or 12, depending on the capability (§7).
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
        media.accept()
    );
    Err(Refusal::field(code, path, "wrong_media", message))
}

/// Checks the kinds of the references, and their combined length (§4.2, rule 3).
fn check_references(tools: &Tools, model: &Model, files: &FilesByField) -> Result<(), Refusal> {
    let refuse = |field: &str, reason, message| Err(Refusal::invalid_field(field, reason, message));
    let is_accepted = |file: &StoredFile| model.references.accepts(file.content.media);
    if let Some((field, _)) = files
        .iter()
        .find(|(_, files)| !files.iter().all(is_accepted))
    {
        let accepted: Vec<_> = model.references.media.iter().flatten().cloned().collect();
        let accepted = accepted.join(", ");
        let message = format!("{} accepts only {accepted} as references", model.id);
        return refuse(field, "reference_media", message);
    }
    let is_timed = |file: &&StoredFile| file.content.media != Some(FileKind::Image);
    let first = files
        .iter()
        .find(|(_, files)| files.iter().any(|file| is_timed(&file)));
    let max_seconds = model
        .references
        .max_media_seconds
        .filter(|_| tools.measures);
    let (Some(max_seconds), Some((field, _))) = (max_seconds, first) else {
        // The model has no limit, or there is nothing to measure.
        return Ok(());
    };
    let lengths = files
        .values()
        .flatten()
        .filter(is_timed)
        .map(|file| tools.seconds(&file.path));
    match lengths.sum::<Option<f64>>() {
        // Lengths are counted in frames and samples, so they rarely add up to whole seconds. The
        // tolerance is below the tenths to which they are rounded.
        Some(total) if total <= max_seconds + 0.05 => Ok(()),
        Some(total) => refuse(
            field,
            "too_long",
            format!(
                "{total:.1} s of video and audio; {} takes {max_seconds}",
                model.id
            ),
        ),
        None => refuse(
            field,
            "unmeasurable",
            "the length of a file cannot be measured: is it damaged?".into(),
        ),
    }
}
