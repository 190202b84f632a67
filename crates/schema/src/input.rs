use serde_json::{Map, Value, json};

use super::ids::{Ids, SEALED_EXAMPLE, sealed_id};
use super::patterns;
use mediagate_core::{
    AssetCategory, Capability, Field, FileKind, Kind, MAX_SIZE, MAX_TYPE_BYTES, UPLOAD_FIELDS,
    object,
};

/// The schema of a create's body: only the capability's fields, each with its bounds, its
/// documented default and an example.
pub fn input(capability: &Capability, ids: Ids) -> Value {
    let fields = capability.fields();
    let mut schema = object_schema(fields.map(|field| (field, property(capability, field, ids))));
    schema["description"] = json!(capability.summary);
    if !capability.any_of.is_empty() {
        // `not` rather than `anyOf`, which the input schema of an agent's tool must not have at the
        // top.
        let empty = capability
            .any_of
            .iter()
            .map(|name| ((*name).to_owned(), json!({"maxItems": 0})));
        schema["not"] = json!({"properties": object(empty)});
        let names = capability.any_of.join(", ");
        schema["description"] = json!(format!(
            "{} One of {names} must not be empty.",
            capability.summary
        ));
    }
    schema
}

/// A valid body with all fields, or with only the required ones.
pub fn example(capability: &Capability, ids: Ids, all_fields: bool) -> Value {
    let is_required =
        |field: &Field| field.required || capability.any_of.first() == Some(&field.name);
    let fields = capability
        .fields()
        .filter(|field| all_fields || is_required(field))
        .map(|field| (field.name.to_owned(), example_of(capability, field, ids)));
    Value::Object(object(fields))
}

/// Returns the schema of a request for an upload URL.
pub fn upload() -> Value {
    let mut schema = object_schema(UPLOAD_FIELDS.iter().map(|field| {
        let mut property = match field.name {
            "size" => json!({
                "type": "integer",
                "format": "int64",
                "minimum": 1,
                "maximum": MAX_SIZE as u64,
            }),
            "content_type" => json!({
                "type": "string",
                "pattern": patterns::HEADER_VALUE,
                "maxLength": MAX_TYPE_BYTES,
            }),
            _ => of_kind(field.kind, Ids::Raw),
        };
        property["description"] = json!(field.doc);
        property["examples"] = json!([json_of(field.example_json())]);
        (field, property)
    }));
    schema["description"] = json!("The file to upload.");
    schema
}

/// Returns a valid body of a request for an upload URL.
pub fn upload_example() -> Value {
    let fields = UPLOAD_FIELDS
        .iter()
        .map(|field| (field.name.to_owned(), json_of(field.example_json())));
    Value::Object(object(fields))
}

fn object_schema<'a>(members: impl Iterator<Item = (&'a Field, Value)>) -> Value {
    let mut required = Vec::new();
    let mut properties = Map::new();
    for (field, mut schema) in members {
        if field.required {
            required.push(field.name)
        } else {
            allow_null(&mut schema)
        }
        properties.insert(field.name.to_owned(), schema);
    }
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

fn property(capability: &Capability, field: &Field, ids: Ids) -> Value {
    let mut schema = of_kind(field.kind, ids);
    // An optional list may be empty, which means the same as no list.
    if field.required && matches!(field.kind, Kind::Files(_) | Kind::TextList) {
        schema = filled(schema);
    }
    let model = capability
        .default_model
        .filter(|_| field.name == "model_id");
    let mut description = description(field);
    // Generators of clients treat a property with the keyword `default` as required.
    if let Some(default) = field.default.map(json_of).or(model.map(Value::from)) {
        description.push_str(&format!(" By default {default}."));
    }
    schema["description"] = json!(description);
    schema["examples"] = match field.values {
        [] => json!([example_of(capability, field, ids)]),
        values => json!(values),
    };
    schema
}

/// Describes the field's meaning, and the rules that its type does not express.
fn description(field: &Field) -> String {
    let more = match field.kind {
        Kind::File(media) => format!("The id of an uploaded {}.", word(media)),
        Kind::Files(media) => format!("Ids of uploaded files ({}).", word(media)),
        Kind::FileOrFiles(media) => {
            format!("The id of an uploaded {}, or a list of ids.", word(media))
        }
        Kind::Segments => "None ends before it starts.".into(),
        Kind::Text | Kind::Choice if !field.values.is_empty() => {
            "Other values are the model's own.".into()
        }
        _ => return field.doc.into(),
    };
    format!("{} {more}", field.doc)
}

fn of_kind(kind: Kind, ids: Ids) -> Value {
    match kind {
        Kind::Text | Kind::Choice => text(),
        Kind::FilledText | Kind::PageRange | Kind::Volume => filled_text(),
        Kind::File(media) => file(media, ids),
        Kind::Files(media) => list(file(media, ids)),
        Kind::FileOrFiles(media) => json!({"oneOf": [file(media, ids), list(file(media, ids))]}),
        Kind::Asset(category) => asset(category),
        Kind::Integer | Kind::PositiveInteger => json!({"type": "integer"}),
        Kind::Size => json!({"type": "integer", "minimum": 1}),
        Kind::Int32 | Kind::PositiveInt32 => {
            json!({"type": "integer", "format": "int32", "minimum": i32::MIN, "maximum": i32::MAX})
        }
        Kind::Number => json!({"type": "number", "format": "double"}),
        Kind::Boolean => json!({"type": "boolean"}),
        Kind::TextList => list(text()),
        Kind::Time => json!({
            "type": "string",
            "pattern": patterns::TIME,
            "maxLength": 8,
            "description": kind.expected(),
        }),
        Kind::Segment | Kind::Region => members(kind, ids),
        Kind::Segments => filled(list(members(kind, ids))),
        Kind::VideoSize => {
            let mut size = members(kind, ids);
            // The document names no members, so the gateway lets numbers pass.
            size["additionalProperties"] = match ids {
                Ids::Sealed => json!({"type": ["number", "null"]}),
                Ids::Raw => json!(true),
            };
            let mut sides = list(json!({"type": "integer"}));
            sides["minItems"] = json!(2);
            sides["maxItems"] = json!(2);
            json!({"oneOf": [sides, size]})
        }
    }
}

fn members(kind: Kind, ids: Ids) -> Value {
    object_schema(
        kind.members()
            .iter()
            .map(|field| (field, of_kind(field.kind, ids))),
    )
}

/// Allows `null` in an optional field, where it counts as absent.
fn allow_null(schema: &mut Value) {
    // A schema with `oneOf` has no type of its own, so `null` becomes another choice.
    match schema.get_mut("oneOf").and_then(Value::as_array_mut) {
        Some(choices) => choices.push(json!({"type": "null"})),
        None => schema["type"] = json!([schema["type"].take(), "null"]),
    }
}

fn text() -> Value {
    json!({"type": "string"})
}

fn filled_text() -> Value {
    json!({"type": "string", "pattern": patterns::FILLED})
}

fn list(items: Value) -> Value {
    json!({"type": "array", "items": items})
}

fn filled(mut list: Value) -> Value {
    list["minItems"] = json!(1);
    list
}

fn file(media: FileKind, ids: Ids) -> Value {
    let mut schema = match ids {
        Ids::Raw => filled_text(),
        Ids::Sealed => sealed_id(),
    };
    schema["format"] = json!(format!("{}-file-id", word(media).to_lowercase()));
    schema
}

fn asset(category: AssetCategory) -> Value {
    let mut schema = filled_text();
    schema["format"] = match category {
        AssetCategory::Avatar => json!("avatar-asset-id"),
        AssetCategory::Voice => json!("voice-asset-id"),
    };
    schema
}

const fn word(media: FileKind) -> &'static str {
    match media {
        FileKind::Image => "image",
        FileKind::Video => "video",
        FileKind::Audio => "audio",
        FileKind::Pdf => "PDF",
    }
}

fn example_of(capability: &Capability, field: &Field, ids: Ids) -> Value {
    let sealed = ids == Ids::Sealed;
    match field.kind {
        Kind::File(_) if sealed => json!(SEALED_EXAMPLE),
        Kind::Files(_) | Kind::FileOrFiles(_) if sealed => json!([SEALED_EXAMPLE]),
        Kind::Text if field.name == "model_id" => {
            json!(capability.documented_model.unwrap_or("a-model"))
        }
        Kind::Text if field.name == "title" => json!("My first task"),
        _ => json_of(
            field
                .values
                .first()
                .copied()
                .unwrap_or_else(|| field.example_json()),
        ),
    }
}

/// Parses a JSON constant of the catalogue. A test of the catalogue parses every constant.
fn json_of(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| json!(text))
}
