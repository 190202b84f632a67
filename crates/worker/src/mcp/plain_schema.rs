//! Reduces the input schemas of tools to what the APIs of all models take.

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
        set("properties", properties.iter().map(property).collect());
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
        let properties = properties.iter();
        types["properties"] = properties
            .map(|(name, schema)| (name.clone(), self::types(schema)))
            .collect();
    }
    types
}

#[cfg(test)]
mod tests {
    use mediagate_core::CAPABILITIES;
    use mediagate_schema::{Ids, input};

    use super::*;
    use crate::identity::Scope;
    use crate::mcp::tools;
    use crate::settings::Settings;

    /// Every keyword that may be in a schema.
    const ALLOWED: [&str; 6] = [
        "type",
        "description",
        "enum",
        "items",
        "properties",
        "required",
    ];

    /// Returns what OpenAI, Anthropic or Gemini refuses of a tool's input schema.
    ///
    /// Gemini, `parameters` (<https://ai.google.dev/api/caching#Schema>): an unknown keyword is an
    /// error, such as `additionalProperties`, `const`, `examples`, `exclusiveMinimum`, `not`,
    /// `oneOf`, `propertyNames` or `uniqueItems`. `type` is one name. `enum` is a list of texts,
    /// for a string. `format` of a string is `enum` or `date-time`. An array has `items`, an object
    /// at least one property. `required` names properties. Names begin with a letter or `_`, and
    /// have at most 64 letters, digits and `_`.
    ///
    /// OpenAI (<https://platform.openai.com/docs/guides/structured-outputs#supported-schemas>): an
    /// object has `properties`, an array `items`. Each `pattern` is compiled, and Unicode escapes
    /// are refused. In strict mode, older models take no `default` and no bounds.
    ///
    /// Anthropic (<https://platform.claude.com/docs/en/build-with-claude/structured-outputs>): the
    /// root is an object without `oneOf`, `anyOf` and `allOf`. There is no `$ref`. Names have at
    /// most 64 letters, digits, `_`, `.` and `-`. Strict mode takes no bounds.
    fn refused(schema: &Value, path: &str) -> Vec<String> {
        let mut found = Vec::new();
        let Some(members) = schema.as_object() else {
            return vec![format!("{path} is no object")];
        };
        for keyword in members.keys() {
            if !ALLOWED.contains(&keyword.as_str()) {
                found.push(format!("{path}.{keyword} is unknown"));
            }
        }
        if let Some(values) = schema.get("enum") {
            let is_text = |value: &Value| value.as_str().is_some_and(|text| !text.is_empty());
            let is_list = values
                .as_array()
                .is_some_and(|all| !all.is_empty() && all.iter().all(is_text));
            if !is_list || schema["type"] != "string" {
                found.push(format!("{path}.enum is no list of texts for a string"));
            }
        }
        let no_properties = Map::new();
        let properties = schema["properties"].as_object().unwrap_or(&no_properties);
        match schema["type"].as_str() {
            Some("string" | "number" | "integer" | "boolean") => {}
            Some("array") => found.extend(refused(&schema["items"], &format!("{path}.items"))),
            Some("object") if properties.is_empty() => {
                found.push(format!("{path} has no properties"));
            }
            Some("object") => {
                let required = schema["required"].as_array().into_iter().flatten();
                let unknown = required
                    .filter(|name| !properties.contains_key(name.as_str().unwrap_or_default()));
                found.extend(unknown.map(|name| format!("{path} has no property {name}")));
            }
            _ => found.push(format!("{path}.type is not one type")),
        }
        for (name, property) in properties {
            let path = format!("{path}.{name}");
            let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
            let is_name = name.len() <= 64
                && name.bytes().all(is_word)
                && !name.starts_with(|first: char| first.is_ascii_digit());
            if !is_name {
                found.push(format!("{path} is no name"));
            }
            found.extend(refused(property, &path));
        }
        found
    }

    fn all_tools() -> Vec<Value> {
        let settings = Settings::read(|name| {
            let value = match name {
                "UPSTREAM_BASE_URL" => "https://api.example.com",
                "UPSTREAM_API_KEY" | "SESSION_SECRET" | "SEAL_SECRET" => {
                    "0123456789abcdef0123456789abcdef"
                }
                "OUTPUT_HOSTS" | "INPUT_HOSTS" => "cdn.example.com",
                _ => return None,
            };
            Some(value.to_owned())
        });
        tools::list(&settings.expect("complete"), &Scope::new(Scope::ALL), None)
    }

    #[test]
    fn every_model_api_takes_the_input_schemas_of_all_tools() {
        let tools = all_tools();
        assert!(tools.len() > CAPABILITIES.len());
        for tool in tools {
            let name = tool["name"].as_str().expect("a name");
            assert_eq!(tool["inputSchema"]["type"], "object", "{name}");
            assert_eq!(
                refused(&tool["inputSchema"], name),
                Vec::<String>::new(),
                "{name}"
            );
        }
    }

    #[test]
    fn the_schemas_of_requests_say_more_than_a_model_api_takes() {
        for capability in CAPABILITIES {
            let schema = input(capability, Ids::Sealed);
            assert!(!refused(&schema, "").is_empty(), "{}", capability.name());
        }
        for schema in [
            json!({"type": ["string", "null"]}),
            json!({"type": "string", "format": "image-file-id"}),
            json!({"type": "string", "const": "a"}),
            json!({"type": "string", "default": null}),
            json!({"type": "string", "enum": [""]}),
            json!({"type": "integer", "enum": [1]}),
            json!({"type": "array"}),
            json!({"type": "object"}),
            json!({"type": "object", "properties": {}}),
            json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["b"]}),
            json!({"type": "object", "properties": {"region.x": {"type": "integer"}}}),
            json!({"description": "Anything."}),
        ] {
            assert!(!refused(&schema, "").is_empty(), "{schema}");
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
