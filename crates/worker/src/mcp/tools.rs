//! The tools: one for each capability, and helpers around them.

use mediagate_access::identity::Scope;
use mediagate_core::models::Catalogue;
use mediagate_core::{CAPABILITIES, Capability, Field, find, scope};
use mediagate_settings::Settings;
use serde_json::{Value, json};

use super::tool_schemas as schemas;
use super::tool_texts as texts;
use crate::operations::URL_FIELDS;

#[derive(Clone, Copy, Debug)]
pub(super) enum Tool {
    Create(&'static Capability),
    RequestUpload,
    UseUrl,
    UseOutput,
    GetTask,
    ListTasks,
    RunPipeline,
    GetPipeline,
    ResumePipeline,
    CancelPipeline,
    ListOptions,
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
            Tool::UseOutput => settings.moves_outputs(),
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

    /// Returns a word that the tool requires and the scope lacks.
    pub(super) fn missing_scope(self, scope: &Scope) -> Option<&'static str> {
        match self {
            Tool::Create(capability) => (!scope.allows(capability)).then(|| capability.name()),
            Tool::RequestUpload | Tool::UseUrl | Tool::UseOutput => {
                (!scope.allows_upload()).then_some(scope::UPLOAD)
            }
            _ => None,
        }
    }

    /// Returns the arguments, if they are not those of an HTTP request.
    pub(super) fn fields(self) -> Option<&'static [Field]> {
        match self {
            Tool::GetTask => Some(&schemas::TASK_FIELDS),
            Tool::ListTasks => Some(&schemas::TASKS_FIELDS),
            Tool::GetPipeline => Some(&schemas::PIPELINE_FIELDS),
            Tool::ResumePipeline | Tool::CancelPipeline => Some(&schemas::PIPELINE_ID),
            Tool::ListOptions => Some(&schemas::OPTIONS_FIELDS),
            _ => None,
        }
    }

    fn describe(self, settings: &Settings, scope: &Scope, catalogue: Option<&Catalogue>) -> Value {
        let prefix = &settings.mcp.tool_prefix;
        let of_fields = || schemas::of_fields(self.fields().unwrap_or_default());
        use schemas::Output;
        let of_create;
        let (title, description, input, output) = match self {
            Tool::Create(capability) => {
                of_create = schemas::described(capability.name());
                let text = |name: &str| of_create[name].as_str().unwrap_or_default();
                (
                    text("title"),
                    texts::create(text("summary"), capability, settings),
                    schemas::create_input(capability, settings, catalogue),
                    schemas::created(capability, settings),
                )
            }
            Tool::RequestUpload => (
                "Request an upload URL",
                texts::request_upload(settings),
                schemas::described("request_upload"),
                Output::Upload.schema(),
            ),
            Tool::UseUrl => (
                "Use the file at a URL",
                texts::use_url(settings),
                schemas::of_fields(&URL_FIELDS),
                Output::File.schema(),
            ),
            Tool::UseOutput => (
                "Use an output as a file",
                texts::USE_OUTPUT.into(),
                schemas::described("use_output"),
                Output::File.schema(),
            ),
            Tool::GetTask => (
                "Read a task",
                texts::get_task(settings),
                of_fields(),
                Output::Task.schema(),
            ),
            Tool::ListTasks => (
                "List tasks",
                texts::LIST_TASKS.into(),
                of_fields(),
                Output::History.schema(),
            ),
            Tool::RunPipeline => (
                "Run a pipeline",
                texts::run_pipeline(settings),
                schemas::run_input(settings, scope),
                schemas::after_files(Output::Pipeline, settings),
            ),
            Tool::GetPipeline => (
                "Read a pipeline",
                texts::get_pipeline(settings),
                of_fields(),
                Output::Pipeline.schema(),
            ),
            Tool::ResumePipeline => (
                "Resume a pipeline",
                texts::RESUME_PIPELINE.into(),
                of_fields(),
                Output::Pipeline.schema(),
            ),
            Tool::CancelPipeline => (
                "Cancel a pipeline",
                texts::CANCEL_PIPELINE.into(),
                of_fields(),
                Output::Pipeline.schema(),
            ),
            Tool::ListOptions => (
                "List models and assets",
                texts::LIST_OPTIONS.into(),
                of_fields(),
                Output::Options.schema(),
            ),
            Tool::EstimateCredits => (
                "Estimate credits",
                texts::ESTIMATE_CREDITS.into(),
                schemas::estimate_input(settings, scope),
                Output::Estimate.schema(),
            ),
        };
        json!({
            "name": format!("{prefix}{}", self.name()), "title": title, "description": description,
            "inputSchema": input, "outputSchema": output,
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

/// The most bytes of all descriptions. An agent reads them before its first message.
const MAX_LIST_BYTES: usize = 60_000;

/// Returns the tools that a scope allows, in the order of the capabilities. The descriptions name
/// the models of the upstream's catalogue, if it is there and short enough. `list_options` returns
/// all models.
pub(super) fn list(
    settings: &Settings,
    scope: &Scope,
    catalogue: Option<&Catalogue>,
) -> Vec<Value> {
    // A call of another one by its name is refused with a reason, unless it repeats a create.
    let creates = settings.offers.all().map(Tool::Create);
    let tools: Vec<Tool> = creates
        .chain(HELPERS)
        .filter(|tool| tool.is_enabled(settings) && tool.is_allowed(scope))
        .collect();
    let describe = |catalogue: Option<&Catalogue>| -> Vec<Value> {
        let tools = tools.iter();
        tools
            .map(|tool| tool.describe(settings, scope, catalogue))
            .collect()
    };
    let described = describe(catalogue);
    let bytes: usize = described.iter().map(|tool| tool.to_string().len()).sum();
    if catalogue.is_some() && bytes > MAX_LIST_BYTES {
        describe(None)
    } else {
        described
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcp::tool_schemas::KEY;

    fn names(settings: &Settings, scope: &str) -> Vec<String> {
        let tools = list(settings, &Scope::new(scope), None);
        tools
            .iter()
            .map(|tool| tool["name"].as_str().expect("a name").to_owned())
            .collect()
    }

    #[test]
    fn every_capability_is_a_tool_that_can_be_called_by_its_name() {
        let settings = Settings::for_tests(&[
            ("MCP_TOOL_PREFIX", "x."),
            ("OUTPUT_HOSTS", "cdn.example.com"),
            ("INPUT_HOSTS", "cdn.example.com"),
        ]);
        let all = names(&settings, Scope::ALL);
        assert_eq!(all.len(), settings.offers.all().count() + HELPERS.len());
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
    fn only_offered_capabilities_are_tools_and_steps() {
        let settings = Settings::for_tests(&[("CAPABILITIES", "text_to_video, image_to_video")]);
        let all = names(&settings, Scope::ALL);
        assert_eq!(
            &all[..2],
            ["mediagate_image_to_video", "mediagate_text_to_video"]
        );
        assert!(
            all[2..]
                .iter()
                .all(|name| find(&name["mediagate_".len()..]).is_none())
        );
        let tool = Tool::RunPipeline.describe(&settings, &Scope::new(Scope::ALL), None);
        let step = &tool["inputSchema"]["properties"]["steps"]["items"]["properties"];
        let offered = json!(["image_to_video", "text_to_video"]);
        assert_eq!(step["capability"]["enum"], offered);
        let by_default = names(&Settings::for_tests(&[]), Scope::ALL);
        assert!(!by_default.contains(&"mediagate_text_to_video".to_owned()));
    }

    #[test]
    fn a_pipeline_has_the_steps_that_the_gateway_and_the_scope_allow() {
        let settings = Settings::for_tests(&[("PIPELINE_STEPS", "3")]);
        let scope = Scope::new("image_to_video text_to_image");
        let tool = Tool::RunPipeline.describe(&settings, &scope, None);
        let steps = &tool["inputSchema"]["properties"]["steps"];
        let step = &steps["items"]["properties"];
        let names = step["capability"]["enum"].as_array().expect("names");
        assert_eq!(names.len(), 2);
        let has = |name: &str| names.iter().any(|listed| listed == name);
        assert!(has("image_to_video") && has("text_to_image"));
        let description = steps["description"].as_str().unwrap_or_default();
        assert!(description.starts_with("1 to 3 steps."), "{description}");
        let input = &step["input"]["properties"];
        assert_eq!(input["file_id"], json!({"type": "string"}));
        assert!(input.get("segments").is_none(), "of another capability");
        assert!(tool["inputSchema"]["properties"][KEY]["description"].is_string());
    }

    #[test]
    fn a_tool_that_the_operator_disables_is_absent() {
        for (setting, value, name) in [
            ("PIPELINE_STEPS", "0", "get_pipeline"),
            ("INPUT_HOSTS", "", "use_url"),
            ("UPSTREAM_ESTIMATE_PATH", "", "estimate_credits"),
        ] {
            let settings = Settings::for_tests(&[(setting, value)]);
            let name = format!("mediagate_{name}");
            assert!(Tool::named(&name, &settings).is_none(), "{name}");
            assert!(!names(&settings, Scope::ALL).contains(&name), "{name}");
        }
    }

    #[test]
    fn the_list_of_tools_is_short_enough_to_be_read_before_the_first_message() {
        let hosts = "cdn.example.com";
        let settings = Settings::for_tests(&[("OUTPUT_HOSTS", hosts), ("INPUT_HOSTS", hosts)]);
        let tools = list(&settings, &Scope::new(Scope::ALL), None);
        for tool in &tools {
            let output = tool["outputSchema"].to_string();
            assert!(output.len() <= 300, "{} {}", tool["name"], output.len());
        }
        let by_default = format!("By default {}.", schemas::DEFAULT_TASKS);
        let tasks = schemas::of_fields(&schemas::TASKS_FIELDS);
        let limit = tasks["properties"]["limit"]["description"]
            .as_str()
            .expect("a text");
        assert!(limit.ends_with(&by_default));
        let bytes = Value::Array(tools).to_string().len();
        assert!(
            bytes <= 55_000,
            "{bytes}, and the names of models come in addition"
        );
    }

    #[test]
    fn a_tool_that_takes_urls_may_return_the_progress_instead() {
        let required = |hosts: &str, name: &str| {
            let settings = Settings::for_tests(&[("INPUT_HOSTS", hosts)]);
            let tool = Tool::named(&format!("mediagate_{name}"), &settings).expect("a tool");
            let tool = tool.describe(&settings, &Scope::new(Scope::ALL), None);
            let takes_urls = tool["description"].to_string().contains("https URL");
            (takes_urls, tool["outputSchema"]["required"].clone())
        };
        let host = "cdn.example.com";
        let pipeline = json!(["pipeline"]);
        assert_eq!(required("", "run_pipeline"), (false, pipeline));
        assert_eq!(required(host, "run_pipeline"), (true, Value::Null));
        // A create may return its key instead.
        assert_eq!(required("", "image_to_video"), (false, Value::Null));
        assert_eq!(required(host, "image_to_video"), (true, Value::Null));
    }

    #[test]
    fn no_field_or_capability_has_the_name_of_a_helper() {
        let has_key = |capability: &&Capability| capability.field(KEY).is_some();
        assert!(!CAPABILITIES.iter().any(has_key));
        assert!(HELPERS.iter().all(|tool| find(tool.name()).is_none()));
    }
}
