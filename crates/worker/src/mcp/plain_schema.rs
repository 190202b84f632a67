//! Reduces the input schemas of tools to what the APIs of all models take.

use mediagate_core::object;
use serde_json::{Map, Value, json};

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

/// Returns the types of a plain schema, without descriptions and required properties.
pub(super) fn types(plain: &Value) -> Value {
    let mut types = json!({"type": plain["type"]});
    if let Some(items) = plain.get("items") {
        types["items"] = self::types(items);
    }
    if let Some(properties) = plain["properties"].as_object() {
        let property = |(name, schema): (&String, &Value)| (name.clone(), self::types(schema));
        types["properties"] = Value::Object(object(properties.iter().map(property)));
    }
    types
}

#[cfg(test)]
mod tests {
    use mediagate_core::CAPABILITIES;
    use mediagate_schema::{Ids, input};

    use super::*;
    use crate::mcp::tools;
    use mediagate_access::identity::Scope;
    use mediagate_settings::Settings;

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
        let tools = tools::list(&settings, &Scope::new(Scope::ALL), None);
        assert!(tools.len() > CAPABILITIES.len());
        for tool in tools {
            let name = tool["name"].as_str().expect("a name");
            assert_eq!(tool["inputSchema"]["type"], "object", "{name}");
            check(&tool["inputSchema"], name);
        }
    }

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

    #[test]
    fn a_field_has_the_same_types_in_every_capability() {
        let mut seen = Map::new();
        for capability in CAPABILITIES {
            let schema = plain(&input(capability, Ids::Sealed));
            for (name, property) in schema["properties"].as_object().expect("properties") {
                let types = types(property);
                let first = seen.entry(name.clone()).or_insert_with(|| types.clone());
                assert_eq!(*first, types, "{name}");
            }
        }
    }
}
