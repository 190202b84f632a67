//! The schemas of the tools for agents, as far as they depend on the catalogue alone.

use mediagate_core::{CAPABILITIES, Capability, EXTENSION_NOTE};
use mediagate_schema::{self as schema, Ids};
use serde_json::{Value, json};

use crate::plain_schema::plain;

/// Returns what describes each capability as a tool, by its name: `title`, `summary`, and in
/// `input` the schema of its arguments; and in the same way the schemas that other tools have from
/// HTTP requests.
pub fn tools() -> Vec<(&'static str, Value)> {
    let capabilities = CAPABILITIES
        .iter()
        .map(|capability| (capability.name(), tool(capability)));
    let others = [
        ("request_upload", schema::upload()),
        ("use_output", schema::output_request()),
        ("pipeline_title", schema::pipeline_title()),
    ];
    let others = others.map(|(name, schema)| (name, plain(&schema)));
    capabilities.chain(others).collect()
}

fn tool(capability: &Capability) -> Value {
    let mut input = plain(&schema::input(capability, Ids::Sealed));
    for field in capability.fields().filter(|field| !field.values.is_empty()) {
        let description = &mut input["properties"][field.name]["description"];
        let stated = description.as_str().unwrap_or_default();
        *description = format!("{stated} Known values: {}.", field.values.join(", ")).into();
    }
    let mut summary = capability.summary.to_owned();
    if capability.is_extension {
        summary += &format!(" {EXTENSION_NOTE}");
    }
    json!({"title": capability.title, "summary": summary, "input": input})
}
