//! Whether a request can be served: its fields, its model, its assets and files, in this order.

use std::{collections::BTreeMap, sync::Arc};

use mediagate_core::{Capability, Code, Field, Kind, Media, validate};
use serde_json::{Map, Value};

use crate::{
    app::App,
    assets::{self, Asset},
    files::Stored,
    media::picture::LONGEST_SIDE,
    models::Model,
    refusal::Refusal,
    scene::Scene,
};

/// A request that can be served, with everything that its ids stand for.
#[derive(Debug)]
pub(crate) struct Order {
    pub(crate) capability: &'static Capability,
    pub(crate) input: Map<String, Value>,
    pub(crate) model: Model,
    pub(crate) assets: Vec<Asset>,
    /// The files by the field that names them.
    pub(crate) files: BTreeMap<&'static str, Vec<Stored>>,
    /// What it costs.
    pub(crate) credits: u64,
}

impl Order {
    /// A text field that holds something.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        filled(&self.input, name)
    }

    /// A field with a whole number.
    pub(crate) fn whole(&self, name: &str) -> Option<i64> {
        let number = self.input.get(name)?;
        number.as_i64().or_else(|| number.as_f64().map(|it| it as i64))
    }
}

/// Checks a request; nothing is charged yet.
pub(crate) async fn order(app: &Arc<App>, capability: &'static Capability, body: Value) -> Result<Order, Refusal> {
    let app = app.clone();
    // References are measured, which blocks.
    let checked = tokio::task::spawn_blocking(move || check(&app, capability, &body)).await;
    checked.unwrap_or_else(|_| Err(Refusal::new(Code::SERVER_ERROR)))
}

fn check(app: &App, capability: &'static Capability, body: &Value) -> Result<Order, Refusal> {
    let issues = validate(capability, &body);
    let input = match body {
        Value::Object(input) if issues.is_empty() => input.clone(),
        _ => return Err(Refusal::invalid(issues)),
    };
    let account = app.account();
    let model = model(&account.scene, capability, &input)?;
    account.allow(&model)?;
    options(&model, &input)?;
    limits(&account.scene, capability, &input)?;
    let assets = assets(&account.scene, capability, &input)?;
    let files = files(app, capability, &input)?;
    references(app, &model, &files)?;
    let credits = model.cost(&input);
    Ok(Order { capability, input, model, assets, files, credits })
}

fn filled<'a>(input: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    input.get(name)?.as_str().filter(|it| !it.trim().is_empty())
}

fn model(scene: &Scene, capability: &Capability, input: &Map<String, Value>) -> Result<Model, Refusal> {
    let asked = filled(input, "model_id");
    let mut models = scene.models.values().filter(|it| it.capability == capability.name());
    let found = models.find(|it| asked.map_or(it.default, |id| it.id == id));
    found.cloned().ok_or_else(|| {
        Refusal::field(
            Code::INVALID_MODEL,
            "model_id",
            "unknown_model",
            "no model of this capability; see the catalogue",
        )
    })
}

/// Rule 2 of §4.2, which §2 states for every model: only values that `generation_options` lists.
fn options(model: &Model, input: &Map<String, Value>) -> Result<(), Refusal> {
    for (name, allowed) in &model.generation_options {
        let Some(value) = input.get(name).filter(|it| it.as_str() != Some("")) else { continue };
        let listed = |it: &Value| it == value || it.as_f64().is_some_and(|it| value.as_f64() == Some(it));
        if !allowed.iter().any(listed) {
            let message = format!("not among the generation_options of {}", model.id);
            return Err(Refusal::field(Code::INVALID_INPUT, name, "not_in_generation_options", message));
        }
    }
    Ok(())
}

/// Limits of this emulator, and the values of `logo_type`.
fn limits(scene: &Scene, capability: &Capability, input: &Map<String, Value>) -> Result<(), Refusal> {
    for side in ["width", "height"] {
        if input.get(side).and_then(Value::as_f64).is_some_and(|it| it > f64::from(LONGEST_SIDE)) {
            let message = format!("larger than {LONGEST_SIDE} pixels");
            return Err(Refusal::field(Code::INVALID_INPUT, side, "out_of_range", message));
        }
    }
    let logo_type = capability.field("logo_type").and_then(|it| filled(input, it.name));
    if logo_type.is_some_and(|it| it != "default" && !scene.logo_types.iter().any(|known| known == it)) {
        let message = format!("not known; give default or one of {}", scene.logo_types.join(", "));
        return Err(Refusal::field(Code::INVALID_INPUT, "logo_type", "unknown_value", message));
    }
    Ok(())
}

fn assets(scene: &Scene, capability: &Capability, input: &Map<String, Value>) -> Result<Vec<Asset>, Refusal> {
    let mut found = Vec::new();
    for field in capability.fields() {
        if let (Kind::Asset(category), Some(id)) = (field.kind, filled(input, field.name)) {
            found.push(assets::usable(&scene.assets, field.name, id, category)?.clone());
        }
    }
    Ok(found)
}

type Named = BTreeMap<&'static str, Vec<Stored>>;

fn files(app: &App, capability: &Capability, input: &Map<String, Value>) -> Result<Named, Refusal> {
    let mut found = Named::new();
    for field in capability.fields() {
        let (Kind::File(media) | Kind::Files(media) | Kind::FileOrFiles(media)) = field.kind else { continue };
        for (path, id) in ids(field, input) {
            found.entry(field.name).or_default().push(file(app, capability, media, &path, id)?);
        }
    }
    Ok(found)
}

/// The ids that a field names, each with its path.
fn ids<'a>(field: &Field, input: &'a Map<String, Value>) -> Vec<(String, &'a str)> {
    match input.get(field.name) {
        Some(Value::String(id)) => vec![(field.name.into(), id)],
        Some(Value::Array(ids)) => {
            let named = |(at, id): (usize, &'a Value)| Some((format!("{}[{at}]", field.name), id.as_str()?));
            ids.iter().enumerate().filter_map(named).collect()
        }
        _ => Vec::new(),
    }
}

fn file(app: &App, capability: &Capability, media: Media, path: &str, id: &str) -> Result<Stored, Refusal> {
    let file = app
        .files
        .find(id)
        .ok_or_else(|| Refusal::field(Code::INVALID_INPUT, path, "unknown_file", "no such file; upload it first"))?;
    if file.content.media == Some(media) {
        return Ok(file);
    }
    // 1402 where the document lists it (§4.2, §7), and the general code elsewhere.
    let listed = capability.codes.contains(&Code::ASSET_CATEGORY_MISMATCH);
    let code = if listed { Code::ASSET_CATEGORY_MISMATCH } else { Code::INVALID_INPUT };
    let message = format!("its bytes are {}, not {}", file.content.mime, media.accept());
    Err(Refusal::field(code, path, "wrong_media", message))
}

/// Rule 3 of §4.2.
fn references(app: &App, model: &Model, files: &Named) -> Result<(), Refusal> {
    let refused = |field: &str, reason, message| Err(Refusal::field(Code::INVALID_INPUT, field, reason, message));
    let accepted = model.references.media.iter().flatten().map(String::as_str).collect::<Vec<_>>().join(", ");
    for (field, files) in files {
        if !files.iter().all(|it| model.references.accepts(it.content.media)) {
            return refused(field, "reference_media", format!("{} accepts only {accepted} as references", model.id));
        }
    }
    let moving = |it: &&Stored| it.content.media != Some(Media::Image);
    let first = files.iter().find(|(_, files)| files.iter().any(|it| moving(&it)));
    let (Some(most), Some((field, _))) = (model.references.max_media_seconds, first) else { return Ok(()) };
    let lengths = files.values().flatten().filter(moving).map(|it| app.tools.seconds(it));
    match lengths.sum::<Option<f64>>() {
        // Lengths are counted in frames and samples, which rarely add up to whole seconds.
        Some(total) if total <= most + 0.05 => Ok(()),
        Some(total) => {
            refused(field, "too_long", format!("{total:.1} s of video and audio; {} takes {most}", model.id))
        }
        None => refused(field, "unmeasurable", "the length of a file cannot be measured: is it damaged?".into()),
    }
}
