//! An OpenAPI 3.1 document and its operations.

use mediagate_core::object;
use serde_json::{Map, Value, json};

/// A document under construction.
#[derive(Debug)]
pub(crate) struct Document {
    info: Value,
    tags: Vec<Value>,
    paths: Map<String, Value>,
    components: Map<String, Value>,
}

/// One method at one path.
#[derive(Clone, Debug, Default)]
pub(crate) struct Operation {
    /// The unique name, for generated clients.
    pub(crate) id: String,
    /// The section of the document.
    pub(crate) tag: &'static str,
    /// A short title for lists.
    pub(crate) summary: String,
    /// The description, in Markdown.
    pub(crate) description: String,
    /// Parameter objects, or references to them.
    pub(crate) parameters: Vec<Value>,
    /// The body of a request, if there is one.
    pub(crate) body: Option<RequestBody>,
    /// Response objects, or references to them, by HTTP status.
    pub(crate) responses: Map<String, Value>,
    /// The security requirement, if it differs from the document's.
    pub(crate) security: Option<Value>,
}

/// The body of a request.
#[derive(Clone, Debug)]
pub(crate) struct RequestBody {
    /// The media type.
    pub(crate) media_type: &'static str,
    /// The schema.
    pub(crate) schema: Value,
    /// Valid bodies, by name.
    pub(crate) examples: Vec<(&'static str, Value)>,
}

impl RequestBody {
    /// Creates a JSON body.
    pub(crate) fn json(schema: Value, examples: Vec<(&'static str, Value)>) -> Self {
        RequestBody {
            media_type: "application/json",
            schema,
            examples,
        }
    }

    fn write(self) -> Value {
        let mut content = json!({"schema": self.schema});
        if !self.examples.is_empty() {
            let examples = self
                .examples
                .into_iter()
                .map(|(name, value)| (name.to_owned(), json!({"value": value})));
            content["examples"] = Value::Object(object(examples));
        }
        json!({"required": true, "content": {self.media_type: content}})
    }
}

impl Document {
    /// Creates a document without operations, with an `info` object and tags, each with a name and
    /// a description.
    pub(crate) fn new(info: Value, tags: &[(&str, &str)]) -> Self {
        let tags = tags
            .iter()
            .map(|(name, description)| json!({"name": name, "description": description}));
        Document {
            info,
            tags: tags.collect(),
            paths: Map::new(),
            components: Map::new(),
        }
    }

    /// Adds a shared component, such as `Task` of the kind `schemas`. Returns a reference to it.
    pub(crate) fn component(&mut self, kind: &str, name: &str, value: Value) -> Value {
        let of_kind = self.components.entry(kind).or_insert_with(|| json!({}));
        of_kind[name] = value;
        json!({"$ref": format!("#/components/{kind}/{name}")})
    }

    /// Adds an operation at a path such as `/tasks/{id}`.
    pub(crate) fn add(&mut self, method: &str, path: &str, operation: Operation) {
        // A path may have several methods.
        let at = self.paths.entry(path).or_insert_with(|| json!({}));
        at[method.to_ascii_lowercase()] = operation.write();
    }

    /// Returns the complete document. Operations without their own requirement require `security`.
    pub(crate) fn finish(self, servers: Value, security: Value) -> Value {
        json!({
            "openapi": "3.1.1",
            "info": self.info,
            "servers": servers,
            "tags": self.tags,
            "security": security,
            "paths": self.paths,
            "components": self.components,
        })
    }
}

impl Operation {
    fn write(self) -> Value {
        let mut operation = json!({
            "operationId": self.id,
            "tags": [self.tag],
            "summary": self.summary,
            "description": self.description,
            "responses": self.responses,
        });
        if !self.parameters.is_empty() {
            operation["parameters"] = json!(self.parameters);
        }
        if let Some(body) = self.body {
            operation["requestBody"] = body.write();
        }
        if let Some(security) = self.security {
            operation["security"] = security;
        }
        operation
    }
}
