//! The tools: one for each capability, and helpers around them.

use mediagate_core::{CAPABILITIES, Capability, find};
use mediagate_dialect::Catalogue;
use mediagate_schema as schema;
use serde_json::{Value, json};

use super::plain_schema::plain;
use super::tool_schemas as schemas;
use super::tool_texts as texts;
use crate::identity::Scope;
use crate::operations::URL_FIELDS;
use crate::settings::Settings;

/// A tool that an agent can call.
#[derive(Clone, Copy, Debug)]
pub(super) enum Tool {
    /// Creates a task.
    Create(&'static Capability),
    /// Requests an upload URL.
    RequestUpload,
    /// Makes a file of the file at a URL.
    UseUrl,
    /// Makes a file of an output.
    UseOutput,
    /// Reads a task.
    GetTask,
    /// Lists what the caller has created.
    ListTasks,
    /// Starts a pipeline.
    RunPipeline,
    /// Reads a pipeline.
    GetPipeline,
    /// Begins the steps of a pipeline again that failed, were skipped or were cancelled.
    ResumePipeline,
    /// Stops a pipeline.
    CancelPipeline,
    /// Lists models and public assets.
    ListOptions,
    /// Estimates the credits of a task.
    EstimateCredits,
}

const HELPERS: [Tool; 11] = [
    Tool::RequestUpload,
    Tool::UseUrl,
    Tool::UseOutput,
    Tool::GetTask,
    Tool::ListTasks,
    Tool::RunPipeline,
    Tool::GetPipeline,
    Tool::ResumePipeline,
    Tool::CancelPipeline,
    Tool::ListOptions,
    Tool::EstimateCredits,
];

impl Tool {
    /// Returns the enabled tool with a name, which includes the prefix.
    pub(super) fn named(name: &str, settings: &Settings) -> Option<Tool> {
        let name = name.strip_prefix(&settings.mcp.tool_prefix)?;
        let helper = HELPERS.into_iter().find(|tool| tool.name() == name);
        helper
            .or_else(|| find(name).map(Tool::Create))
            .filter(|tool| tool.is_enabled(settings))
    }

    fn name(self) -> &'static str {
        match self {
            Tool::Create(capability) => capability.name(),
            Tool::RequestUpload => "request_upload",
            Tool::UseUrl => "use_url",
            Tool::UseOutput => "use_output",
            Tool::GetTask => "get_task",
            Tool::ListTasks => "list_tasks",
            Tool::RunPipeline => "run_pipeline",
            Tool::GetPipeline => "get_pipeline",
            Tool::ResumePipeline => "resume_pipeline",
            Tool::CancelPipeline => "cancel_pipeline",
            Tool::ListOptions => "list_options",
            Tool::EstimateCredits => "estimate_credits",
        }
    }

    fn is_enabled(self, settings: &Settings) -> bool {
        match self {
            Tool::EstimateCredits => settings.estimate_path.is_some(),
            Tool::UseUrl => !settings.input_hosts.is_empty(),
            Tool::UseOutput => !settings.output_hosts.is_empty(),
            Tool::RunPipeline | Tool::GetPipeline | Tool::ResumePipeline | Tool::CancelPipeline => {
                settings.pipelines.steps > 0
            }
            _ => true,
        }
    }

    fn is_allowed(self, scope: &Scope) -> bool {
        match self {
            // The required word depends on the arguments, so the tool is listed if any call is
            // allowed.
            Tool::EstimateCredits | Tool::RunPipeline | Tool::ResumePipeline => CAPABILITIES
                .iter()
                .any(|capability| scope.allows(capability)),
            _ => self.missing_scope(scope).is_none(),
        }
    }

    /// Returns the scope word that the tool requires and the scope lacks.
    pub(super) fn missing_scope(self, scope: &Scope) -> Option<&'static str> {
        match self {
            Tool::Create(capability) => (!scope.allows(capability)).then(|| capability.name()),
            Tool::RequestUpload | Tool::UseUrl | Tool::UseOutput => {
                (!scope.allows_upload()).then_some(Scope::UPLOAD)
            }
            Tool::GetTask | Tool::ListTasks | Tool::ListOptions | Tool::EstimateCredits => None,
            Tool::RunPipeline | Tool::GetPipeline | Tool::ResumePipeline | Tool::CancelPipeline => {
                None
            }
        }
    }

    fn describe(self, settings: &Settings, scope: &Scope, catalogue: Option<&Catalogue>) -> Value {
        let prefix = &settings.mcp.tool_prefix;
        let pipeline = schema::pipeline_response;
        let (title, description, input, output) = match self {
            Tool::Create(capability) => (
                capability.title,
                texts::create(capability, settings),
                schemas::create_input(capability, catalogue),
                schemas::created(capability, settings),
            ),
            Tool::RequestUpload => (
                "Request an upload URL",
                texts::upload(settings),
                schema::upload(),
                schemas::upload_output(),
            ),
            Tool::UseUrl => (
                "Use the file at a URL",
                texts::use_url(settings),
                schemas::of_fields(&URL_FIELDS),
                schema::file_response(),
            ),
            Tool::UseOutput => (
                "Use an output as a file",
                texts::OUTPUT.into(),
                schema::output_request(),
                schema::file_response(),
            ),
            Tool::GetTask => (
                "Read a task",
                texts::task(settings),
                schemas::of_fields(&schemas::TASK_FIELDS),
                schemas::task_output(),
            ),
            Tool::ListTasks => (
                "List tasks",
                texts::TASKS.into(),
                schemas::tasks_input(),
                schema::history_page(),
            ),
            Tool::RunPipeline => (
                "Run a pipeline",
                texts::run_pipeline(settings),
                schemas::run_input(settings, scope),
                schemas::after_files(pipeline(), settings),
            ),
            Tool::GetPipeline => (
                "Read a pipeline",
                texts::pipeline(settings),
                schemas::of_fields(&schemas::PIPELINE_FIELDS),
                pipeline(),
            ),
            Tool::ResumePipeline => (
                "Resume a pipeline",
                texts::RESUME.into(),
                schemas::of_fields(&schemas::PIPELINE_ID),
                pipeline(),
            ),
            Tool::CancelPipeline => (
                "Cancel a pipeline",
                texts::CANCEL.into(),
                schemas::of_fields(&schemas::PIPELINE_ID),
                pipeline(),
            ),
            Tool::ListOptions => (
                "List models and assets",
                texts::OPTIONS.into(),
                schemas::of_fields(&schemas::OPTIONS_FIELDS),
                schemas::options_output(),
            ),
            Tool::EstimateCredits => (
                "Estimate credits",
                texts::ESTIMATE.into(),
                schemas::estimate_input(scope),
                schemas::estimate_output(),
            ),
        };
        json!({
            "name": format!("{prefix}{}", self.name()), "title": title, "description": description,
            "inputSchema": plain(&input), "outputSchema": output,
            "annotations": self.annotations(title),
        })
    }

    fn annotations(self, title: &str) -> Value {
        let reads = matches!(
            self,
            Tool::GetTask
                | Tool::ListTasks
                | Tool::GetPipeline
                | Tool::ListOptions
                | Tool::EstimateCredits
        );
        let is_idempotent = reads || matches!(self, Tool::CancelPipeline);
        json!({
            "title": title, "readOnlyHint": reads, "destructiveHint": false,
            "idempotentHint": is_idempotent, "openWorldHint": true,
        })
    }
}

/// Returns the descriptions of the tools that a scope allows, in the order of the capabilities.
/// They name the models of the upstream's catalogue, if it is there.
pub(super) fn list(
    settings: &Settings,
    scope: &Scope,
    catalogue: Option<&Catalogue>,
) -> Vec<Value> {
    let creates = CAPABILITIES
        .iter()
        .map(|capability| Tool::Create(capability));
    creates
        .chain(HELPERS)
        .filter(|tool| tool.is_enabled(settings) && tool.is_allowed(scope))
        .map(|tool| tool.describe(settings, scope, catalogue))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcp::tool_schemas::KEY;

    fn settings(changes: &[(&str, &str)]) -> Settings {
        let secret = "0123456789abcdef0123456789abcdef";
        let value = |name: &str| match name {
            _ if changes.iter().any(|change| change.0 == name) => changes
                .iter()
                .find(|change| change.0 == name)
                .map(|change| change.1),
            "UPSTREAM_BASE_URL" => Some("https://api.example.com"),
            "UPSTREAM_API_KEY" | "SESSION_SECRET" | "SEAL_SECRET" => Some(secret),
            _ => None,
        };
        Settings::read(|name| value(name).map(str::to_owned)).expect("complete")
    }

    fn names(settings: &Settings, scope: &str) -> Vec<String> {
        let tools = list(settings, &Scope::new(scope), None);
        tools
            .iter()
            .map(|tool| tool["name"].as_str().expect("a name").to_owned())
            .collect()
    }

    #[test]
    fn every_capability_is_a_tool_that_can_be_called_by_its_name() {
        let settings = settings(&[
            ("MCP_TOOL_PREFIX", "x."),
            ("OUTPUT_HOSTS", "cdn.example.com"),
            ("INPUT_HOSTS", "cdn.example.com"),
        ]);
        let all = names(&settings, Scope::ALL);
        assert_eq!(all.len(), CAPABILITIES.len() + HELPERS.len());
        for name in &all {
            let tool = Tool::named(name, &settings).expect(name);
            assert_eq!(Some(tool.name()), name.strip_prefix("x."));
            assert!(name.len() <= 64);
        }
        for unknown in [
            "image_to_video",
            "x.",
            "x.image",
            "x.x.image_to_video",
            "X.image_to_video",
        ] {
            assert!(Tool::named(unknown, &settings).is_none(), "{unknown}");
        }
    }

    #[test]
    fn only_tools_that_the_scope_allows_are_listed() {
        let settings = settings(&[]);
        assert_eq!(
            names(&settings, ""),
            [
                "get_task",
                "list_tasks",
                "get_pipeline",
                "cancel_pipeline",
                "list_options"
            ]
            .map(|name| format!("mediagate_{name}"))
        );
        let some = [
            "image_to_video",
            "request_upload",
            "get_task",
            "list_tasks",
            "run_pipeline",
            "get_pipeline",
            "resume_pipeline",
            "cancel_pipeline",
            "list_options",
            "estimate_credits",
        ];
        assert_eq!(
            names(&settings, "mcp upload image_to_video"),
            some.map(|name| format!("mediagate_{name}"))
        );
    }

    #[test]
    fn a_pipeline_has_the_steps_that_the_gateway_and_the_scope_allow() {
        let settings = settings(&[("PIPELINE_STEPS", "3")]);
        let tools = list(&settings, &Scope::new("image_to_video text_to_image"), None);
        let tool = tools
            .iter()
            .find(|tool| tool["name"] == "mediagate_run_pipeline")
            .expect("the tool");
        let steps = &tool["inputSchema"]["properties"]["steps"];
        let step = &steps["items"]["properties"];
        let capability = &step["capability"];
        let mut names: Vec<_> = capability["enum"]
            .as_array()
            .expect("names")
            .iter()
            .filter_map(Value::as_str)
            .collect();
        names.sort_unstable();
        assert_eq!(names, ["image_to_video", "text_to_image"]);
        let description = steps["description"].as_str().unwrap_or_default();
        assert!(description.starts_with("1 to 3 steps."), "{description}");
        let input = &step["input"]["properties"];
        assert_eq!(input["file_id"], json!({"type": "string"}));
        assert!(input.get("segments").is_none(), "of another capability");
        assert!(tool["inputSchema"]["properties"][KEY]["description"].is_string());
    }

    #[test]
    fn tools_for_pipelines_are_absent_if_pipelines_are_disabled() {
        let settings = settings(&[("PIPELINE_STEPS", "0")]);
        assert!(
            names(&settings, Scope::ALL)
                .iter()
                .all(|name| !name.contains("pipeline"))
        );
        assert!(Tool::named("mediagate_get_pipeline", &settings).is_none());
    }

    #[test]
    fn files_are_loaded_from_urls_only_if_hosts_are_allowed() {
        let settings = settings(&[]);
        assert!(Tool::named("mediagate_use_url", &settings).is_none());
        let all = names(&settings, Scope::ALL);
        assert!(!all.contains(&"mediagate_use_url".to_owned()));
    }

    #[test]
    fn a_tool_that_takes_urls_may_return_the_progress_instead() {
        let required = |changes: &[(&str, &str)], name: &str| {
            let settings = settings(changes);
            let tools = list(&settings, &Scope::new(Scope::ALL), None);
            let tool = tools
                .into_iter()
                .find(|tool| tool["name"] == format!("mediagate_{name}"))
                .expect("a tool");
            let takes_urls = tool["description"].to_string().contains("https URL");
            (takes_urls, tool["outputSchema"]["required"].clone())
        };
        let hosts = [("INPUT_HOSTS", "cdn.example.com")];
        for (name, result) in [("image_to_video", "task"), ("run_pipeline", "pipeline")] {
            assert_eq!(required(&[], name), (false, json!([result])), "{name}");
            assert_eq!(required(&hosts, name), (true, Value::Null), "{name}");
        }
        assert_eq!(
            required(&hosts, "text_to_image"),
            (false, json!(["task"])),
            "it takes no file"
        );
    }

    #[test]
    fn estimate_credits_is_absent_if_estimation_is_disabled() {
        let settings = settings(&[("UPSTREAM_ESTIMATE_PATH", "")]);
        assert!(!names(&settings, Scope::ALL).contains(&"mediagate_estimate_credits".to_owned()));
        assert!(Tool::named("mediagate_estimate_credits", &settings).is_none());
    }

    #[test]
    fn no_field_or_capability_has_the_name_of_a_helper() {
        assert!(
            CAPABILITIES
                .iter()
                .all(|capability| capability.field(KEY).is_none())
        );
        assert!(HELPERS.iter().all(|tool| find(tool.name()).is_none()));
    }

    #[test]
    fn every_tool_has_a_title_a_description_and_schemas() {
        for tool in list(&settings(&[]), &Scope::new(Scope::ALL), None) {
            let name = &tool["name"];
            assert!(
                tool["title"]
                    .as_str()
                    .is_some_and(|title| !title.is_empty()),
                "{name}"
            );
            assert!(
                tool["description"]
                    .as_str()
                    .is_some_and(|text| text.len() > 40),
                "{name}"
            );
            assert_eq!(
                (&tool["inputSchema"]["type"], &tool["outputSchema"]["type"]),
                (&json!("object"), &json!("object"))
            );
        }
    }
}
