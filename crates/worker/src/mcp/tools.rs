//! The tools: one for each capability, and those that help to use them.

use mediagate_core::schema::{self, Ids};
use mediagate_core::{CAPABILITIES, Capability, Field, Kind, find};
use serde_json::{Value, json};

use crate::identity::Scope;
use crate::settings::{Settings, UploadMode};

/// The argument with a create's idempotency key; no capability has a field of that name.
pub(super) const KEY: &str = "idempotency_key";

/// The arguments of `get_task`.
pub(super) static TASK_FIELDS: [Field; 2] = [
    Field::new("task_id", Kind::Text).required().doc("The id of a task, as a tool gave it."),
    Field::new("wait_seconds", Kind::Integer(0))
        .doc("Seconds to wait for the task to end; left out, the answer comes at once."),
];

/// A tool that an agent can call.
#[derive(Clone, Copy, Debug)]
pub(super) enum Tool {
    /// Creates a task.
    Create(&'static Capability),
    /// Requests an upload URL.
    RequestUpload,
    /// Reads a task.
    GetTask,
    /// Lists models and public assets.
    ListOptions,
    /// Estimates the credits of a task.
    EstimateCredits,
}

const HELPERS: [Tool; 4] = [Tool::RequestUpload, Tool::GetTask, Tool::ListOptions, Tool::EstimateCredits];

impl Tool {
    /// The tool with a name, prefix included.
    pub(super) fn named(name: &str, settings: &Settings) -> Option<Tool> {
        let name = name.strip_prefix(&settings.mcp.tool_prefix)?;
        let helper = HELPERS.into_iter().find(|it| it.name() == name);
        helper.or_else(|| find(name).map(Tool::Create)).filter(|it| it.is_enabled(settings))
    }

    fn name(self) -> &'static str {
        match self {
            Tool::Create(capability) => capability.name(),
            Tool::RequestUpload => "request_upload",
            Tool::GetTask => "get_task",
            Tool::ListOptions => "list_options",
            Tool::EstimateCredits => "estimate_credits",
        }
    }

    fn is_enabled(self, settings: &Settings) -> bool {
        !matches!(self, Tool::EstimateCredits) || !settings.estimate_path.is_empty()
    }

    fn is_allowed(self, scope: &Scope) -> bool {
        match self {
            Tool::EstimateCredits => CAPABILITIES.iter().any(|it| scope.allows(it)),
            _ => self.missing_scope(scope).is_none(),
        }
    }

    /// The word that the tool needs and the scope lacks.
    pub(super) fn missing_scope(self, scope: &Scope) -> Option<&'static str> {
        match self {
            Tool::Create(capability) => (!scope.allows(capability)).then(|| capability.name()),
            Tool::RequestUpload => (!scope.allows_upload()).then_some(Scope::UPLOAD),
            Tool::GetTask | Tool::ListOptions | Tool::EstimateCredits => None,
        }
    }

    fn describe(self, settings: &Settings, scope: &Scope) -> Value {
        let prefix = &settings.mcp.tool_prefix;
        let (title, description, input, output) = match self {
            Tool::Create(it) => (it.title, created(it, prefix), create_input(it), schema::created(it)),
            Tool::RequestUpload => ("Request an upload", upload(settings), schema::upload(), upload_output()),
            Tool::GetTask => ("Read a task", task(settings), task_input(), task_output()),
            Tool::ListOptions => ("List what can be used", OPTIONS.to_owned(), nothing(), options_output()),
            Tool::EstimateCredits => {
                let output = json!({
                    "type": "object", "description": "The service's own answer; one that is no object is in estimate.",
                });
                ("Estimate credits", ESTIMATE.to_owned(), estimate_input(scope), output)
            }
        };
        json!({
            "name": format!("{prefix}{}", self.name()), "title": title, "description": description,
            "inputSchema": input, "outputSchema": output, "annotations": self.annotations(title),
        })
    }

    fn annotations(self, title: &str) -> Value {
        let reads = matches!(self, Tool::GetTask | Tool::ListOptions | Tool::EstimateCredits);
        json!({
            "title": title, "readOnlyHint": reads, "destructiveHint": false, "idempotentHint": reads,
            "openWorldHint": true,
        })
    }
}

/// The tools that a scope allows, in the catalogue's order.
pub(super) fn list(settings: &Settings, scope: &Scope) -> Vec<Value> {
    let all = CAPABILITIES.iter().map(|it| Tool::Create(it)).chain(HELPERS);
    all.filter(|it| it.is_enabled(settings) && it.is_allowed(scope)).map(|it| it.describe(settings, scope)).collect()
}

/// How to use the tools together, for a model.
pub(super) fn instructions(prefix: &str) -> String {
    format!(
        "Makes and changes video, images, audio and PDF files. Files are given by id: call {prefix}request_upload, send \
         the bytes with PUT to the upload_url that it answers, and use its file_id. A tool that makes something answers \
         with a task, which costs credits and takes seconds to minutes: call {prefix}get_task with its id until its state \
         is SUCCEEDED (then outputs has the URLs), FAILED or EXPIRED. Never repeat a create whose answer was lost without \
         the same {KEY}. Ids are good for this caller alone."
    )
}

const OPTIONS: &str = "Lists what the other tools can be given: models with the values that each takes (model_id, \
    generation_options), and ids of avatars and voices that anyone may use.";

const ESTIMATE: &str = "Estimates the credits that a task would cost, without making it.";

fn created(capability: &Capability, prefix: &str) -> String {
    let is_file = |it: &Field| matches!(it.kind, Kind::File(_) | Kind::Files(_) | Kind::FileOrFiles(_));
    let files = match capability.fields().any(is_file) {
        true => format!(" Files are given by the file_id that {prefix}request_upload answered."),
        false => String::new(),
    };
    format!(
        "{}{files} Answers with a task, usually before it has ended: read it with {prefix}get_task. Costs credits.",
        capability.summary
    )
}

fn upload(settings: &Settings) -> String {
    let caller = match settings.upload_mode {
        UploadMode::Direct => "",
        UploadMode::Relay => ", and the Authorization header that this server is called with",
    };
    format!(
        "Asks for an address to send one file to. Then send the file's bytes, and nothing else, with PUT to upload_url, \
         with the same Content-Type{caller}, as `curl -T photo.png -H 'Content-Type: image/png' \"$upload_url\"` does. \
         After that file_id names the file in the other tools. At most {} bytes.",
        settings.max_upload_bytes
    )
}

fn task(settings: &Settings) -> String {
    let wait = match settings.mcp.wait_seconds {
        0 => String::new(),
        seconds => format!(" Give wait_seconds, at most {seconds}, rather than call it again and again."),
    };
    format!(
        "Reads a task. Its state is SUCCEEDED, FAILED or EXPIRED once it has ended, and anything else before.{wait} \
         outputs has the URLs of what it made, which may expire: load what you need."
    )
}

fn create_input(capability: &Capability) -> Value {
    let mut input = schema::input(capability, Ids::Sealed);
    input["properties"][KEY] = json!({
        "type": "string", "pattern": "^[!-~]+$", "maxLength": 255,
        "description": "A text of your choice, such as a UUID. A call that is repeated with the same one within a day is \
            answered with what the first one made; nothing is made twice.",
        "examples": ["0b8e5c1e-7d0f-4f8e-9a43-3a1c5b2f9d10"],
    });
    input
}

fn nothing() -> Value {
    json!({"type": "object", "properties": {}, "additionalProperties": false})
}

fn task_input() -> Value {
    let [id, wait] = TASK_FIELDS.each_ref().map(|it| it.doc);
    let mut task_id = schema::sealed_id();
    task_id["description"] = json!(id);
    json!({
        "type": "object", "required": ["task_id"], "additionalProperties": false,
        "properties": {
            "task_id": task_id,
            "wait_seconds": {"type": "integer", "minimum": 0, "maximum": i32::MAX, "description": wait},
        },
    })
}

fn task_output() -> Value {
    json!({"type": "object", "properties": {"task": schema::task()}, "required": ["task"]})
}

fn upload_output() -> Value {
    json!({
        "type": "object", "required": ["upload_url", "file_id"],
        "properties": {
            "upload_url": {"type": "string", "format": "uri", "description": "Where to send the bytes, with PUT."},
            "file_id": schema::sealed_id(),
        },
    })
}

fn options_output() -> Value {
    json!({
        "type": "object", "required": ["any_asset", "public_assets"],
        "properties": {
            "catalogue": {"description": "The service's model catalogue, as it answers it; absent where it has none."},
            "any_asset": {"type": "boolean", "description": "Whether every asset id of the service may be used."},
            "public_assets": {
                "type": "array", "items": {"type": "string"},
                "description": "Ids for avatar_asset_id and voice_asset_id that anyone may use, beside those that tasks \
                    of one's own produced.",
            },
        },
    })
}

fn estimate_input(scope: &Scope) -> Value {
    let names: Vec<_> = CAPABILITIES.iter().filter(|it| scope.allows(it)).map(|it| it.name()).collect();
    json!({
        "type": "object", "required": ["capability", "input"], "additionalProperties": false,
        "properties": {
            "capability": {"type": "string", "enum": names, "description": "The tool's name, without its prefix."},
            "input": {"type": "object", "description": "What that tool would be given."},
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(changes: &[(&str, &str)]) -> Settings {
        let secret = "0123456789abcdef0123456789abcdef";
        let value = |name: &str| match name {
            _ if changes.iter().any(|it| it.0 == name) => changes.iter().find(|it| it.0 == name).map(|it| it.1),
            "UPSTREAM_BASE_URL" => Some("https://api.example.com"),
            "UPSTREAM_API_KEY" | "SESSION_SECRET" | "SEAL_SECRET" => Some(secret),
            _ => None,
        };
        Settings::read(|name| value(name).map(str::to_owned)).expect("complete")
    }

    fn names(settings: &Settings, scope: &str) -> Vec<String> {
        let tools = list(settings, &Scope::new(scope));
        tools.iter().map(|it| it["name"].as_str().expect("a name").to_owned()).collect()
    }

    #[test]
    fn every_capability_is_a_tool_that_can_be_called_by_its_name() {
        let settings = settings(&[("MCP_TOOL_PREFIX", "x.")]);
        let all = names(&settings, Scope::ALL);
        assert_eq!(all.len(), CAPABILITIES.len() + HELPERS.len());
        for name in &all {
            let tool = Tool::named(name, &settings).expect(name);
            assert_eq!(Some(tool.name()), name.strip_prefix("x."));
            assert!(name.len() <= 64);
        }
        for unknown in ["image_to_video", "x.", "x.image", "x.x.image_to_video", "X.image_to_video"] {
            assert!(Tool::named(unknown, &settings).is_none(), "{unknown}");
        }
    }

    #[test]
    fn only_what_a_scope_allows_is_listed() {
        let settings = settings(&[]);
        assert_eq!(names(&settings, ""), ["mediagate_get_task", "mediagate_list_options"]);
        let some = ["image_to_video", "request_upload", "get_task", "list_options", "estimate_credits"];
        assert_eq!(names(&settings, "mcp upload image_to_video"), some.map(|it| format!("mediagate_{it}")));
    }

    #[test]
    fn no_tool_estimates_where_estimation_is_off() {
        let settings = settings(&[("UPSTREAM_ESTIMATE_PATH", "")]);
        assert!(!names(&settings, Scope::ALL).contains(&"mediagate_estimate_credits".to_owned()));
        assert!(Tool::named("mediagate_estimate_credits", &settings).is_none());
    }

    #[test]
    fn no_field_or_capability_has_the_name_of_a_helper() {
        assert!(CAPABILITIES.iter().all(|it| it.field(KEY).is_none()));
        assert!(HELPERS.iter().all(|it| find(it.name()).is_none()));
    }

    #[test]
    fn every_tool_says_what_an_agent_needs() {
        for tool in list(&settings(&[]), &Scope::new(Scope::ALL)) {
            let name = &tool["name"];
            assert!(tool["title"].as_str().is_some_and(|it| !it.is_empty()), "{name}");
            assert!(tool["description"].as_str().is_some_and(|it| it.len() > 40), "{name}");
            assert_eq!(
                (&tool["inputSchema"]["type"], &tool["outputSchema"]["type"]),
                (&json!("object"), &json!("object"))
            );
            assert_eq!(tool["inputSchema"]["additionalProperties"], false, "{name}");
            for keyword in ["anyOf", "oneOf", "allOf"] {
                assert!(tool["inputSchema"].get(keyword).is_none(), "{name}: agents refuse {keyword} at the top");
            }
        }
    }
}
