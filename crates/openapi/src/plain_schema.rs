//! Reduces the input schemas of tools to what the APIs of all models take.

use mediagate_core::object;
use serde_json::{Map, Value};

/// Reduces a schema to the keywords that the function calling of OpenAI, Anthropic and Gemini has
/// in common, also in their strict modes. Some clients pass the schemas of tools on unchanged, and
/// an API refuses every message of the agent if it does not support a keyword.
///
/// Each schema has one type: the last type but `null`, or the type of the last schema of a `oneOf`.
/// Bounds are left out, because the gateway checks the arguments itself.
pub(super) fn plain(schema: &Value) -> Value {
    let is_present = |variant: &&Value| variant["type"] != "null";
    let variants = schema["oneOf"].as_array();
    let variant = variants
        .and_then(|all| all.iter().rfind(is_present))
        .unwrap_or(schema);
    let mut plain = Map::new();
    let mut set = |keyword: &str, value: Value| plain.insert(keyword.to_owned(), value);
    set("type", one_type(&variant["type"]));
    if let Some(description) = schema.get("description") {
        set("description", description.clone());
    }
    if let Some(values) = variant.get("enum") {
        set("enum", values.clone());
    }
    if let Some(items) = variant.get("items") {
        set("items", self::plain(items));
    }
    if let Some(properties) = variant["properties"].as_object() {
        let required = variant["required"].as_array().cloned().unwrap_or_default();
        let property = |(name, schema): (&String, &Value)| (name.clone(), self::plain(schema));
        let properties = object(properties.iter().map(property));
        set("properties", Value::Object(properties));
        if !required.is_empty() {
            set("required", Value::Array(required));
        }
    }
    Value::Object(plain)
}

fn one_type(stated: &Value) -> Value {
    let last = stated
        .as_array()
        .and_then(|types| types.iter().rfind(|name| *name != "null"));
    last.unwrap_or(stated).clone()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_plain_schema_has_one_type_and_says_the_rest_in_words() {
        let ids = json!({"type": "array", "items": {"type": "string", "format": "image-file-id"}});
        let schema = json!({
            "type": "object", "additionalProperties": false,
            "required": ["a"], "not": {"required": ["b"]},
            "description": "Text.",
            "properties": {
                "a": {"type": "integer", "description": "A number."},
                "c": {
                    "type": ["integer", "null"], "minimum": 1,
                    "description": "A number. By default 9.",
                },
                "b": {"oneOf": [{"type": "string"}, ids, {"type": "null"}], "description": "Ids."},
            },
        });
        assert_eq!(
            plain(&schema),
            json!({
                "type": "object", "required": ["a"], "description": "Text.",
                "properties": {
                    "a": {"type": "integer", "description": "A number."},
                    "c": {"type": "integer", "description": "A number. By default 9."},
                    "b": {"type": "array", "items": {"type": "string"}, "description": "Ids."},
                },
            })
        );
    }
}
