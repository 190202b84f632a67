//! The input and output schemas of the tools.

use mediagate_access::identity::Scope;
use mediagate_core::models::Catalogue;
use mediagate_core::{Capability, Field, Kind};
use mediagate_settings::Settings;
use serde_json::{Map, Value, json};

use crate::description::TOOLS;

/// The argument for a create's idempotency key. No capability has a field with this name.
pub(super) const KEY: &str = "idempotency_key";

/// The argument for the seconds that a call waits for an end.
pub(super) const WAIT_SECONDS: &str = "wait_seconds";

const PIPELINE: Field = Field::new("pipeline_id", Kind::FilledText).required();
const WAIT: Field = Field::new(WAIT_SECONDS, Kind::Int32);

pub(super) static TASK_FIELDS: [Field; 2] =
    [Field::new("task_id", Kind::FilledText).required(), WAIT];
pub(super) static TASKS_FIELDS: [Field; 2] = [
    Field::new("limit", Kind::Int32),
    Field::new("cursor", Kind::FilledText),
];
pub(super) static PIPELINE_FIELDS: [Field; 2] = [PIPELINE, WAIT];
pub(super) static PIPELINE_ID: [Field; 1] = [PIPELINE];
/// The tool has an argument because Gemini refuses a tool without one.
pub(super) static OPTIONS_FIELDS: [Field; 1] = [Field::new("catalogue", Kind::Boolean)];

/// The arguments of the tools that create nothing.
const ABOUT: [(&str, &str); 9] = [
    ("task_id", "The id of a task, as a tool returned it."),
    (
        "pipeline_id",
        "The id of a pipeline, as a tool returned it.",
    ),
    (
        WAIT_SECONDS,
        "Seconds to wait for its end; without it the tool returns at once.",
    ),
    (
        "limit",
        "The largest number of tasks in the result, 1 to 100. By default 10.",
    ),
    (
        "cursor",
        "The cursor of the previous result; without one, the newest tasks.",
    ),
    (
        "catalogue",
        "false: without the list of models, which may be long.",
    ),
    (
        "url",
        "The https URL of a picture, video, sound or PDF document, which is loaded without a \
            login.",
    ),
    (
        "content_type",
        "Its media type, if the server at that URL states none or a wrong one.",
    ),
    (
        "kind",
        "The medium that the file must hold, else it is refused: image, video, audio or pdf.",
    ),
];

/// Returns what describes a capability as a tool, with the members `title`, `summary` and `input`,
/// or the schema with another name, as `mediagate_openapi::tools` has made them.
pub(super) fn described(name: &str) -> Value {
    let text = TOOLS.iter().find(|(known, _)| *known == name);
    text.and_then(|(_, text)| serde_json::from_str(text).ok())
        .unwrap_or_default()
}

/// The fields and the idempotency key. The descriptions name the models of the capability and the
/// values that they take.
pub(super) fn create_input(
    capability: &Capability,
    settings: &Settings,
    catalogue: Option<&Catalogue>,
) -> Value {
    let mut input = described(capability.name())["input"].take();
    let properties = &mut input["properties"];
    if !settings.input_hosts.is_empty() {
        let fields = capability.fields();
        for field in fields.filter(|field| field.kind.media().is_some()) {
            add_text(properties, field.name, " Or the https URL of a file.");
        }
    }
    if let Some(catalogue) = catalogue {
        add_models(properties, capability, catalogue);
    }
    properties[KEY] = key(
        "A string of your choice, such as a UUID. A repeated call with the same key within 24 \
         hours returns what the first call created; nothing is created twice.",
    );
    input
}

/// An agent reads the schemas of all tools before its first message, so an output schema names only
/// the members that the next call needs. The OpenAPI document has all.
pub(super) enum Output {
    Task,
    Pipeline,
    File,
    Upload,
    History,
    Options,
    Estimate,
}

pub(super) fn created(capability: &Capability, settings: &Settings) -> Value {
    let takes_files = capability
        .fields()
        .any(|field| field.kind.media().is_some());
    let mut output = if takes_files {
        after_files(Output::Task, settings)
    } else {
        Output::Task.schema()
    };
    // A call that ends before the response returns its key, to be repeated.
    output["properties"][KEY] = json!({"type": "string"});
    if let Some(members) = output.as_object_mut() {
        members.remove("required");
    }
    output
}

/// Returns the result of a tool that creates something from files. While the gateway loads a file
/// from its URL, the result is the progress instead.
pub(super) fn after_files(output: Output, settings: &Settings) -> Value {
    let mut output = output.schema();
    if settings.input_hosts.is_empty() {
        return output;
    }
    output["properties"]["progress"] = json!({"type": "number"});
    // Neither the result nor the progress is always there.
    if let Some(members) = output.as_object_mut() {
        members.remove("required");
    }
    output
}

impl Output {
    pub(super) fn schema(self) -> Value {
        let text = json!({"type": "string"});
        let number = json!({"type": "number"});
        let record = || {
            json!({
                "type": "object", "required": ["id"],
                "properties": {"id": text, "state": text, "outputs": list("object")},
            })
        };
        match self {
            Output::Task => of(&["task"], json!({"task": record()})),
            Output::Pipeline => {
                let mut pipeline = record();
                pipeline["properties"]["steps"] = list("object");
                of(&["pipeline"], json!({"pipeline": pipeline}))
            }
            Output::File => of(
                &[],
                json!({"file_id": text, "size": number, "progress": number}),
            ),
            Output::Upload => of(
                &["upload_url", "file_id"],
                json!({"upload_url": text, "file_id": text, "method": text}),
            ),
            Output::History => of(
                &["tasks", "pipelines"],
                json!({"tasks": list("object"), "pipelines": list("object"), "cursor": text}),
            ),
            Output::Options => of(
                &["any_asset", "own_assets", "public_assets"],
                json!({
                    "any_asset": {"type": "boolean"},
                    "own_assets": list("object"),
                    "public_assets": list("string"),
                }),
            ),
            // Its members are the media service's.
            Output::Estimate => json!({"type": "object"}),
        }
    }
}

fn of(required: &[&str], properties: Value) -> Value {
    json!({"type": "object", "required": required, "properties": properties})
}

fn list(kind: &str) -> Value {
    json!({"type": "array", "items": {"type": kind}})
}

fn key(description: &str) -> Value {
    json!({"type": "string", "description": description})
}

/// Returns the arguments of `run_pipeline`, with the capabilities that the scope allows. The steps
/// are a list, and a reference is a text: model APIs take neither an object with names of the
/// caller's choice nor a value of several types.
pub(super) fn run_input(settings: &Settings, scope: &Scope) -> Value {
    let input = any_input(
        settings,
        scope,
        "The arguments of the capability's tool. Instead of a file id or an asset id, \
             step:NAME is the first output of the step NAME that fits, and step:NAME:1 its second \
             output.",
    );
    let step = json!({
        "type": "object", "required": ["name", "capability", "input"],
        "properties": {
            "name": {
                "type": "string",
                "description": "A name of your choice: 1 to 64 letters, digits, _ or -.",
            },
            "capability": {
                "type": "string", "enum": names(settings, scope),
                "description": "What the step creates.",
            },
            "input": input,
        },
    });
    let key = key(
        "A string of your choice, such as a UUID. A repeated call with the same key returns \
             the pipeline that the first call started; nothing is created twice.",
    );
    let max = settings.pipelines.steps;
    json!({
        "type": "object", "required": ["steps"],
        "properties": {
            "title": described("pipeline_title"),
            "steps": {
                "type": "array", "items": step,
                "description": format!(
                    "1 to {max} steps. Those that use no outputs of each other run side by side."
                ),
            },
            KEY: key,
        },
    })
}

/// Returns the arguments of a tool for any capability that the scope allows. A field's meaning and
/// bounds depend on the capability, so only its types are listed. An object without properties
/// would be shorter, but Gemini refuses it.
fn any_input(settings: &Settings, scope: &Scope, description: &str) -> Value {
    let mut properties = Map::new();
    for capability in allowed(settings, scope) {
        let input = described(capability.name())["input"].take();
        let fields = input["properties"].as_object().into_iter().flatten();
        properties.extend(fields.map(|(name, field)| (name.clone(), types(field))));
    }
    json!({"type": "object", "properties": properties, "description": description})
}

/// The most models, and values of one model, in a description. An agent reads all of it.
const MAX_NAMED: usize = 12;
const MAX_NAME_BYTES: usize = 64;

fn add_text(properties: &mut Value, name: &str, text: &str) {
    let property = properties.get_mut(name).and_then(Value::as_object_mut);
    let description = property.and_then(|members| members.get_mut("description"));
    if let Some(Value::String(description)) = description {
        description.push_str(text);
    }
}

fn add_models(properties: &mut Value, capability: &Capability, catalogue: &Catalogue) {
    let mut ids = Vec::new();
    let models = catalogue.models_of(capability);
    for (id, options) in models.filter(|(id, _)| is_plain(id)) {
        if ids.len() == MAX_NAMED {
            ids.push("…");
            break;
        }
        ids.push(id);
        for (field, values) in options {
            if !capability.field(field).is_some_and(is_choice) {
                continue;
            }
            let short = values
                .iter()
                .map(Value::to_string)
                .filter(|value| is_plain(value.trim_matches('"')));
            let listed: Vec<_> = short.take(MAX_NAMED).collect();
            // The ellipsis shows an agent that there are more values.
            let more = if values.len() > listed.len() {
                ", …"
            } else {
                ""
            };
            let text = format!(" {id} takes {}{more}.", listed.join(", "));
            add_text(properties, field, &text);
        }
    }
    if !ids.is_empty() {
        add_text(
            properties,
            "model_id",
            &format!(" One of {}.", ids.join(", ")),
        );
    }
}

/// Returns true if an id or a value may be in a description. An upstream must not write
/// instructions for an agent.
fn is_plain(id: &str) -> bool {
    let is_valid = |byte: u8| byte.is_ascii_alphanumeric() || b"._:/-".contains(&byte);
    id.len() <= MAX_NAME_BYTES && id.bytes().all(is_valid)
}

/// Returns true if the value is chosen from a list, and is neither an id nor prose.
fn is_choice(field: &Field) -> bool {
    let is_prose = field.required && matches!(field.kind, Kind::Text | Kind::FilledText);
    !field.kind.takes_id() && !is_prose
}

pub(super) const DEFAULT_TASKS: i64 = 10;

/// Returns the arguments of a tool with these fields, which are texts, whole numbers and switches.
pub(super) fn of_fields(fields: &[Field]) -> Value {
    let mut properties = json!({});
    let mut required = Vec::new();
    for field in fields {
        let kind = match field.kind {
            Kind::Int32 => "integer",
            Kind::Boolean => "boolean",
            _ => "string",
        };
        let about = ABOUT.iter().find(|(name, _)| *name == field.name);
        let about = about.map(|(_, about)| about);
        properties[field.name] = json!({"type": kind, "description": about});
        if field.required {
            required.push(field.name);
        }
    }
    let mut schema = json!({"type": "object", "properties": properties});
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

/// Returns the arguments of `estimate_credits`, with the capabilities that the scope allows.
pub(super) fn estimate_input(settings: &Settings, scope: &Scope) -> Value {
    json!({
        "type": "object", "required": ["capability", "input"],
        "properties": {
            "capability": {
                "type": "string", "enum": names(settings, scope),
                "description": "The tool's name, without its prefix.",
            },
            "input": any_input(settings, scope, "The arguments of that tool."),
        },
    })
}

/// Returns the types of a plain schema, without descriptions and required properties.
fn types(plain: &Value) -> Value {
    let mut types = json!({"type": plain["type"]});
    if let Some(items) = plain.get("items") {
        types["items"] = self::types(items);
    }
    if let Some(properties) = plain["properties"].as_object() {
        types["properties"] = json!({});
        for (name, schema) in properties {
            types["properties"][name] = self::types(schema);
        }
    }
    types
}

fn names(settings: &Settings, scope: &Scope) -> Vec<&'static str> {
    allowed(settings, scope).map(Capability::name).collect()
}

/// Returns the capabilities that the upstream offers and the scope allows.
fn allowed(settings: &Settings, scope: &Scope) -> impl Iterator<Item = &'static Capability> {
    let offered = settings.offers.all();
    offered.filter(|capability| scope.allows(capability))
}

#[cfg(test)]
mod tests {
    use mediagate_core::CAPABILITIES;

    use super::*;

    const ALLOWED: [&str; 6] = [
        "type",
        "description",
        "enum",
        "items",
        "properties",
        "required",
    ];

    /// Checks that a schema has only these keywords. Gemini's own SDK reads the schemas in
    /// `tests/mcp`. The strict modes of OpenAI and Anthropic take no bounds, `$ref`, `oneOf` and
    /// `pattern`.
    ///
    /// - <https://ai.google.dev/api/caching#Schema>
    /// - <https://platform.openai.com/docs/guides/structured-outputs#supported-schemas>
    /// - <https://platform.claude.com/docs/en/build-with-claude/structured-outputs>
    fn check(schema: &Value, path: &str) {
        for keyword in schema.as_object().expect(path).keys() {
            assert!(ALLOWED.contains(&keyword.as_str()), "{path}.{keyword}");
        }
        assert!(schema["type"].is_string(), "{path}");
        let description = schema.get("description");
        assert!(description.is_none_or(Value::is_string), "{path}");
        if let Some(items) = schema.get("items") {
            check(items, &format!("{path}.items"));
        }
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            check(property, &format!("{path}.{name}"));
        }
    }

    #[test]
    fn every_model_api_takes_the_input_schemas_of_all_tools() {
        let hosts = "cdn.example.com";
        let settings = Settings::for_tests(&[("OUTPUT_HOSTS", hosts), ("INPUT_HOSTS", hosts)]);
        let tools = crate::mcp::tools::list(&settings, &Scope::new(Scope::ALL), None);
        assert!(tools.len() > CAPABILITIES.len());
        for tool in tools {
            let name = tool["name"].as_str().expect("a name");
            assert_eq!(tool["inputSchema"]["type"], "object", "{name}");
            check(&tool["inputSchema"], name);
        }
    }

    #[test]
    fn a_field_has_the_same_types_in_every_capability() {
        let mut seen = Map::new();
        for capability in CAPABILITIES {
            let mut tool = described(capability.name());
            assert_eq!(tool["title"], capability.title);
            let summary = tool["summary"].as_str().expect("a text");
            assert!(summary.starts_with(capability.summary), "{summary}");
            let schema = tool["input"].take();
            for (name, property) in schema["properties"].as_object().expect("properties") {
                let types = types(property);
                let first = seen.entry(name.clone()).or_insert_with(|| types.clone());
                assert_eq!(*first, types, "{name}");
            }
        }
    }
}
