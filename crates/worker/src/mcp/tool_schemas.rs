//! The input and output schemas of the tools.

use mediagate_core::{CAPABILITIES, Capability, Field, Kind};
use mediagate_dialect::Catalogue;
use mediagate_schema::{self as schema, Ids};
use serde_json::{Map, Value, json};

use crate::identity::Scope;
use crate::settings::Settings;

/// The argument with a create's idempotency key; no capability has a field of that name.
pub(super) const KEY: &str = "idempotency_key";

/// The arguments of `get_task`.
pub(super) static TASK_FIELDS: [Field; 2] = [
    Field::new("task_id", Kind::FilledText)
        .required()
        .doc("The id of a task, as a tool returned it."),
    WAIT_SECONDS,
];

/// The arguments of `get_pipeline`.
pub(super) static PIPELINE_FIELDS: [Field; 2] = [PIPELINE, WAIT_SECONDS];
/// The argument of `resume_pipeline` and `cancel_pipeline`.
pub(super) static PIPELINE_ID: [Field; 1] = [PIPELINE];

const PIPELINE: Field = Field::new("pipeline_id", Kind::FilledText)
    .required()
    .doc("The id of a pipeline, as a tool returned it.");
const WAIT_SECONDS: Field = Field::new("wait_seconds", Kind::Int32)
    .doc("Seconds to wait for its end; without it the tool returns at once.");

/// The arguments of a capability's tool: its fields, with the models that serve it and the values that they take, and the
/// idempotency key.
pub(super) fn create_input(capability: &Capability, catalogue: Option<&Catalogue>) -> Value {
    let mut input = schema::input(capability, Ids::Sealed);
    if let Some(catalogue) = catalogue {
        add_models(&mut input["properties"], capability, catalogue);
    }
    input["properties"][KEY] = key(
        "A string of your choice, such as a UUID. A repeated call with the same key within 24 hours returns what the first \
         call created; nothing is created twice.",
    );
    input
}

fn key(description: &str) -> Value {
    json!({
        "type": "string", "pattern": "^[!-~]+$", "maxLength": 255, "description": description,
        "examples": ["0b8e5c1e-7d0f-4f8e-9a43-3a1c5b2f9d10"],
    })
}

/// The arguments of `run_pipeline`: a pipeline of the capabilities that the scope allows, and the idempotency key.
pub(super) fn run_input(settings: &Settings, scope: &Scope) -> Value {
    let mut input = schema::pipeline_request();
    let steps = &mut input["properties"]["steps"];
    steps["maxProperties"] = json!(settings.pipelines.steps);
    steps["additionalProperties"]["properties"]["capability"]["enum"] = json!(allowed(scope));
    input["properties"][KEY] = key(
        "A string of your choice, such as a UUID. A repeated call with the same key returns the pipeline that the first call \
         started; nothing is created twice.",
    );
    input
}

/// The most models, and values of one of them, that a description names: an agent reads all of it.
const MAX_NAMED: usize = 12;
/// The longest name or value in a description.
const MAX_NAME_BYTES: usize = 64;

fn add_models(properties: &mut Value, capability: &Capability, catalogue: &Catalogue) {
    let mut add = |field: &str, text: String| {
        if let Some(Value::String(description)) = properties
            .get_mut(field)
            .and_then(|it| it.get_mut("description"))
        {
            description.push_str(&text);
        }
    };
    let mut ids = Vec::new();
    for (id, options) in catalogue.models_of(capability).filter(|it| is_plain(it.0)) {
        if ids.len() == MAX_NAMED {
            ids.push("…");
            break;
        }
        ids.push(id);
        for (field, values) in options.filter(|it| capability.field(it.0).is_some_and(is_choice)) {
            let short = values
                .iter()
                .map(Value::to_string)
                .filter(|it| is_plain(it.trim_matches('"')));
            let listed: Vec<_> = short.take(MAX_NAMED).collect();
            let more = if values.len() > listed.len() {
                ", …"
            } else {
                ""
            };
            add(field, format!(" {id} takes {}{more}.", listed.join(", ")));
        }
    }
    if !ids.is_empty() {
        add("model_id", format!(" One of {}.", ids.join(", ")));
    }
}

/// Whether an id can stand in a description: an upstream must not write an agent's instructions.
fn is_plain(id: &str) -> bool {
    let is_valid = |it: u8| it.is_ascii_alphanumeric() || b"._:/-".contains(&it);
    id.len() <= MAX_NAME_BYTES && id.bytes().all(is_valid)
}

/// Whether a field's value is chosen, and is no id and no prose.
fn is_choice(field: &Field) -> bool {
    let is_id = field.kind.media().is_some() || matches!(field.kind, Kind::Asset(_));
    let is_prose = field.required && matches!(field.kind, Kind::Text | Kind::FilledText);
    !is_id && !is_prose
}

pub(super) fn no_input() -> Value {
    json!({"type": "object", "properties": {}, "additionalProperties": false})
}

/// The arguments of `list_tasks`.
pub(super) static TASKS_FIELDS: [Field; 2] = [
    Field::new("limit", Kind::Int32),
    Field::new("cursor", Kind::FilledText),
];

pub(super) fn tasks_input() -> Value {
    let properties: Map<String, Value> = schema::history_selection()
        .into_iter()
        .map(|(name, it)| (name.to_owned(), it))
        .collect();
    json!({"type": "object", "properties": properties, "additionalProperties": false})
}

pub(super) fn task_input() -> Value {
    of_one(&TASK_FIELDS)
}

pub(super) fn pipeline_input() -> Value {
    of_one(&PIPELINE_FIELDS)
}

pub(super) fn pipeline_id() -> Value {
    of_one(&PIPELINE_ID)
}

/// The arguments of a tool for one task or pipeline: its id, and how long to wait for its end.
fn of_one(fields: &[Field]) -> Value {
    let property = |field: &Field| {
        let mut property = match field.kind {
            Kind::Int32 => json!({"type": "integer", "minimum": 0, "maximum": i32::MAX}),
            _ => schema::sealed_id(),
        };
        property["description"] = json!(field.doc);
        (field.name.to_owned(), property)
    };
    let required: Vec<_> = fields
        .iter()
        .filter(|it| it.required)
        .map(|it| it.name)
        .collect();
    json!({
        "type": "object", "required": required, "additionalProperties": false,
        "properties": fields.iter().map(property).collect::<Map<_, _>>(),
    })
}

pub(super) fn task_output() -> Value {
    json!({"type": "object", "properties": {"task": schema::task()}, "required": ["task"]})
}

pub(super) fn upload_output() -> Value {
    json!({
        "type": "object", "required": schema::upload_response()["required"],
        "properties": schema::upload_response()["properties"],
    })
}

pub(super) fn options_output() -> Value {
    json!({
        "type": "object", "required": ["any_asset", "public_assets", "own_assets"],
        "properties": {
            "catalogue": {"description": "The media service's model catalogue; absent if it has none."},
            "any_asset": {"type": "boolean", "description": "Whether every asset id of the media service may be used."},
            "own_assets": {
                "type": "array",
                "items": {
                    "type": "object", "required": ["id"],
                    "properties": {"id": {"type": "string"}, "category": {"enum": ["avatar", "voice"]}},
                },
                "description": "Ids for avatar_asset_id and voice_asset_id that this caller may use.",
            },
            "public_assets": {
                "type": "array", "items": {"type": "string"},
                "description": "Ids for avatar_asset_id and voice_asset_id that any caller may use, in addition to those that \
                    the caller's own tasks produced.",
            },
        },
    })
}

/// The arguments of `estimate_credits`: the capabilities are those that the scope allows.
pub(super) fn estimate_input(scope: &Scope) -> Value {
    json!({
        "type": "object", "required": ["capability", "input"], "additionalProperties": false,
        "properties": {
            "capability": {"type": "string", "enum": allowed(scope), "description": "The tool's name, without its prefix."},
            "input": {"type": "object", "description": "The arguments of that tool."},
        },
    })
}

/// The names of the capabilities that a scope allows.
fn allowed(scope: &Scope) -> Vec<&'static str> {
    CAPABILITIES
        .iter()
        .filter(|it| scope.allows(it))
        .map(|it| it.name())
        .collect()
}

pub(super) fn estimate_output() -> Value {
    json!({
        "type": "object",
        "description": "The media service's own estimate; one that is not an object is in estimate.",
    })
}
