//! One pass over the endpoints of a media service. For each response, it shows the parts that the
//! gateway reads, and settings that may read the rest. A person decides on the settings.

mod address;
mod details;
mod report;
mod request;
mod show;

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, anyhow, bail};
use mediagate_core::models::Catalogue;
use mediagate_core::{CAPABILITIES, Capability, Expects, Kind, PREFIX, find};
use mediagate_schema::{Ids, example};
use mediagate_settings::{Settings, UploadMode};
use mediagate_upstream::{
    Answer, Candidate, Dialect, EstimateDialect, Finding, TaskRecord, UploadTarget, parse_response,
    path_segment, refused_content, status_path,
};
use serde_json::{Map, Value, json};
use wasm_bindgen::prelude::wasm_bindgen;

use self::address::Address;
use self::details::{PathOutputs, details_of};
use self::request::Body;
use self::show::{printable, shown_response, shown_text};
use crate::settings::{MODULE, read_with_secrets, read_without_key};

pub use self::request::Request;

/// A small picture, for a check without a file of the person's.
pub const SAMPLE: &[u8] = include_bytes!("sample.png");

/// The rest of the error about a create without a file, if the service gets URLs.
const NEEDS_URL: &str = "needs a file that the service can load; give it with --input, as an \
    object {\"url\": \"https://…\", \"type\": \"image/png\", \"name\": \"a.png\", \"size\": 5}";

/// The number of reads after which a success without outputs counts, as for the gateway.
const READS_WITHOUT_OUTPUTS: u32 = 3;

/// A step of a check, in the order of the pass.
#[wasm_bindgen]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Requests an upload URL.
    UploadUrl,
    /// Uploads the file.
    Upload,
    /// Confirms the upload, if the settings have such a request.
    Confirm,
    /// Reads the catalogue of models.
    Models,
    /// Estimates the price of the create.
    Estimate,
    /// Creates one task, which may cost credits.
    Create,
    /// Reads the task.
    Status,
    /// Reads the asset that the task produced.
    Asset,
}

/// The file that a check uploads.
#[derive(Clone, Debug)]
pub struct File {
    /// The name with its extension.
    pub name: String,
    /// The media type.
    pub content_type: String,
    /// The size in bytes.
    pub size: usize,
}

#[derive(Debug, Default)]
struct End {
    /// The document's word for the end. Empty if the service does not know the task any more.
    state: String,
    has_outputs: bool,
}

/// A check, with what it has seen.
pub struct Check {
    settings: Settings,
    address: Address,
    /// True if the gateway reaches the service by the binding `UPSTREAM`.
    is_module: bool,
    capability: &'static Capability,
    /// The caller's input, which replaces members of the example.
    input: Map<String, Value>,
    file: File,
    upload: Option<UploadTarget>,
    is_uploaded: bool,
    task_id: Option<String>,
    asset_id: Option<String>,
    /// The reads in a row of a success without outputs.
    reads_without_outputs: u32,
    end: Option<End>,
    candidates: Vec<Candidate>,
    hosts: BTreeSet<String>,
    /// The capabilities of all models, if the gateway is not set to offer these.
    capabilities: Vec<&'static str>,
}

impl Check {
    /// Starts a check. `values` are the gateway's settings. With `UPSTREAM` among them, the address
    /// is that of the module, while it runs on its own. `input` replaces members of the
    /// capability's example. The error names the first wrong setting of the upstream, an unknown
    /// capability, or a wrong input.
    pub fn new(
        values: &BTreeMap<&str, String>,
        capability: &str,
        input: &Value,
        file: File,
    ) -> Result<Self> {
        let address = values.get("UPSTREAM_BASE_URL").map(String::as_str);
        let address = Address::parse(address.unwrap_or_default())?;
        let mut values = values.clone();
        let is_module = values.remove(MODULE).is_some();
        let reading = if is_module {
            read_without_key(&values)
        } else {
            read_with_secrets(&values)
        };
        for error in &reading.errors {
            if error.setting.starts_with("UPSTREAM_") || error.setting.starts_with("UPLOAD_") {
                bail!("{error}");
            }
        }
        let Some(capability) = find(capability) else {
            bail!("there is no capability {capability:?}; give a name such as text_to_image");
        };
        let Value::Object(input) = input else {
            bail!("the input is no JSON object");
        };
        let mut settings = reading
            .settings
            .ok_or_else(|| anyhow!("a setting is wrong; `doctor` names it"))?;
        if is_module {
            settings.dialect.estimate = EstimateDialect::of_module();
        }
        Ok(Check {
            settings,
            address,
            is_module,
            capability,
            input: input.clone(),
            file,
            upload: None,
            is_uploaded: false,
            task_id: None,
            asset_id: None,
            reads_without_outputs: 0,
            end: None,
            candidates: Vec::new(),
            hosts: BTreeSet::new(),
            capabilities: Vec::new(),
        })
    }

    /// Returns true if the service gets the URLs of files. Such a service has no uploads of its
    /// own.
    fn takes_urls(&self) -> bool {
        self.is_module || self.settings.upload_mode == UploadMode::Bucket
    }

    /// Returns true if the task has ended, or was not created.
    pub fn has_ended(&self) -> bool {
        self.end.is_some() || self.task_id.is_none()
    }

    /// Returns true if a URL has the scheme, the host and the port of the service. Only such a URL
    /// may receive the key.
    pub fn is_origin(&self, url: &str) -> bool {
        self.address.is_origin_of(url)
    }

    /// Returns the request of a step. `None` if the service has no such endpoint, or an earlier
    /// step has failed. Fails if the request can't be made, such as a create without a file that it
    /// needs.
    pub fn request(&self, step: Step) -> Result<Option<Request>> {
        let dialect = &self.settings.dialect;
        Ok(match step {
            Step::UploadUrl if self.takes_urls() => None,
            Step::UploadUrl => {
                let File {
                    name,
                    content_type,
                    size,
                } = &self.file;
                let input = json!({"file_name": name, "content_type": content_type, "size": size});
                let path = [PREFIX, "upload_urls"].concat();
                let body = dialect.upload.body(&input);
                Some(self.post("request an upload URL", &path, body))
            }
            Step::Upload => self.upload.as_ref().map(|upload| self.upload_of(upload)),
            Step::Confirm => match (&dialect.upload.confirm, &self.upload) {
                (Some(confirm), Some(upload)) if self.is_uploaded => {
                    let segment = path_segment(&upload.file_id)
                        .ok_or_else(|| anyhow!("the file's id can't be part of a path"))?;
                    let body = confirm.body(&upload.file_id);
                    Some(self.post("confirm the upload", &confirm.path(&segment), body))
                }
                _ => None,
            },
            Step::Models => {
                let path = self.settings.models_path.as_ref();
                path.map(|path| self.get("read the models", path))
            }
            Step::Estimate => match &self.settings.estimate_path {
                Some(path) => {
                    let capability = self.capability;
                    let create = [PREFIX, capability.path].concat();
                    let input = self.create_body()?;
                    let body = dialect.estimate.body(capability.name(), &create, &input);
                    Some(self.post("estimate the price", path, body))
                }
                None => None,
            },
            Step::Create => {
                let path = [PREFIX, self.capability.path].concat();
                Some(self.post("create a task", &path, self.create_body()?))
            }
            Step::Status => match &self.task_id {
                Some(id) => {
                    let segment = path_segment(id)
                        .ok_or_else(|| anyhow!("the task's id can't be part of a path"))?;
                    let group = self.capability.group();
                    let template = self.settings.task_path(group);
                    let path = status_path(template, group, Some(self.capability), &segment);
                    path.map(|path| self.get("read the task", &path))
                }
                None => None,
            },
            Step::Asset => match (&self.settings.asset_path, &self.asset_id) {
                (Some(path), Some(id)) => path_segment(id).map(|segment| {
                    self.get("read the asset", &path.replace("{asset_id}", &segment))
                }),
                _ => None,
            },
        })
    }

    fn get(&self, purpose: &'static str, path: &str) -> Request {
        self.to_service(purpose, "GET", path, Body::Empty)
    }

    fn post(&self, purpose: &'static str, path: &str, body: Value) -> Request {
        self.to_service(purpose, "POST", path, Body::Json(body))
    }

    fn to_service(
        &self,
        purpose: &'static str,
        method: &'static str,
        path: &str,
        body: Body,
    ) -> Request {
        Request {
            purpose,
            method,
            url: [self.address.as_str(), path].concat(),
            has_key: true,
            headers: BTreeMap::new(),
            body,
        }
    }

    fn upload_of(&self, upload: &UploadTarget) -> Request {
        let mut headers = upload.headers.clone();
        let size = self.file.size;
        let body = if upload.fields.is_empty() {
            let content_type = self.file.content_type.clone();
            headers
                .entry("content-type".to_owned())
                .or_insert(content_type);
            Body::File { size }
        } else {
            // The script sets the type of the form, with its boundary.
            headers.remove("content-type");
            Body::Form(upload.fields.clone(), size)
        };
        Request {
            purpose: "upload the file",
            method: upload.method(),
            url: upload.url.clone(),
            has_key: self.settings.dialect.upload.send.api_key && self.is_origin(&upload.url),
            headers,
            body,
        }
    }

    /// Returns the body of the create: the example's required fields, the file in each field that
    /// takes one, and the caller's input over both.
    fn create_body(&self) -> Result<Value> {
        let mut body = match example(self.capability, Ids::Raw, false) {
            Value::Object(members) => members,
            _ => Map::new(),
        };
        for field in self.capability.fields() {
            if self.input.contains_key(field.name) || !body.contains_key(field.name) {
                continue;
            }
            match field.kind {
                Kind::File(_) | Kind::Files(_) | Kind::FileOrFiles(_) if self.takes_urls() => {
                    bail!("{} {NEEDS_URL}", field.name)
                }
                Kind::File(_) | Kind::Files(_) | Kind::FileOrFiles(_) => {
                    let upload = self.upload.as_ref().filter(|_| self.is_uploaded);
                    let Some(upload) = upload else {
                        bail!("{} needs a file, and none was uploaded", field.name);
                    };
                    let id = Value::from(upload.file_id.as_str());
                    let value = if matches!(field.kind, Kind::File(_)) {
                        id
                    } else {
                        json!([id])
                    };
                    body.insert(field.name.to_owned(), value);
                }
                Kind::Asset(_) => bail!(
                    "{} needs the id of an asset; give it with --input '{{\"{}\": \"…\"}}'",
                    field.name,
                    field.name
                ),
                _ => {}
            }
        }
        body.extend(self.input.clone());
        // A model's name is the account's own, so the default is the best guess.
        if !self.input.contains_key("model_id") {
            body.remove("model_id");
        }
        self.settings
            .dialect
            .create
            .shape(self.capability, &mut body);
        Ok(Value::Object(body))
    }

    /// Reads the response of a step. Returns lines for a person.
    pub fn response(&mut self, step: Step, status: u16, text: &str) -> Vec<String> {
        let mut lines = vec![format!("← {}", shown_response(status, text))];
        let body = parse_response(text.as_bytes()).ok();
        match step {
            Step::Upload => {
                self.is_uploaded = (200..300).contains(&status);
                lines.push(if self.is_uploaded {
                    "  ✓ the storage took the file".to_owned()
                } else {
                    "  ✗ the upload was refused".to_owned()
                });
            }
            Step::Status | Step::Create => self.read_task(step, status, body, &mut lines),
            _ => self.read_data(step, status, body, &mut lines),
        }
        lines
    }

    fn read_data(&mut self, step: Step, status: u16, body: Option<Value>, lines: &mut Vec<String>) {
        let dialect = self.settings.dialect.clone();
        match dialect.read(status, body, Expects::Data, None, &mut |_| None) {
            Answer::Data(body) => match step {
                Step::UploadUrl => self.read_upload(&dialect, &body, lines),
                Step::Models => {
                    let catalogue = dialect.models.read(&body);
                    match catalogue {
                        Some(catalogue) => {
                            lines.push(format!("  ✓ models: {}", catalogue.records().len()));
                            self.note_capabilities(&catalogue, lines);
                        }
                        None => {
                            lines.push(unread("models.list", "no list of models"));
                            self.suggest(dialect.models_candidates(&body), lines);
                        }
                    }
                }
                Step::Asset => {
                    let found = mediagate_upstream::outputs_of(&body, &dialect.task.not_outputs);
                    lines.push(if found.iter().any(|output| output.url.is_some()) {
                        "  ✓ the asset has a URL".to_owned()
                    } else {
                        unread("UPSTREAM_ASSET_PATH", "no URL in the asset")
                    });
                }
                _ => lines.push("  ✓ it has data, which the gateway passes on".to_owned()),
            },
            other => lines.push(not_read(&other)),
        }
    }

    /// Notes the capabilities that the models of a catalogue serve. A model that names none may
    /// serve any, and an incomplete catalogue lacks some.
    fn note_capabilities(&mut self, catalogue: &Catalogue, lines: &mut Vec<String>) {
        let models = catalogue.models.iter();
        let served: Option<BTreeSet<&str>> = models.map(|model| model.capability).collect();
        let Some(served) = served else {
            return;
        };
        if !catalogue.is_complete {
            return;
        }
        let mut named: Vec<&str> = CAPABILITIES.iter().map(|known| known.name()).collect();
        named.retain(|name| served.contains(name));
        let offers = self.settings.offers.all();
        if offers.map(Capability::name).eq(named.iter().copied()) {
            return; // it is the setting already
        }
        lines.push(format!(
            "  ? CAPABILITIES = \"{}\"  (the models serve these; set it if the service has no others)",
            named.join(",")
        ));
        self.capabilities = named;
    }

    fn read_upload(&mut self, dialect: &Dialect, body: &Value, lines: &mut Vec<String>) {
        lines.extend(dialect.upload_findings(body).iter().map(found));
        let Some(upload) = dialect.upload.read(body) else {
            lines.push(unread("upload", "no upload URL, or no id of the file"));
            self.suggest(dialect.upload_candidates(body), lines);
            return;
        };
        let host = printable(upload.url.split('/').nth(2).unwrap_or_default());
        if self.settings.upload_hosts.allowed(&upload.url).is_none() {
            lines.push(format!(
                "  ? UPLOAD_HOSTS = \"{host}\"  (the gateway refuses upload URLs on other hosts)"
            ));
            self.hosts.insert(host);
        }
        // The file goes only over https, or to this machine from this machine.
        if Address::parse(upload.url.split('?').next().unwrap_or_default()).is_ok() {
            self.upload = Some(upload);
        } else {
            lines.push(unread("upload.url", "the URL is not https"));
        }
    }

    fn read_task(
        &mut self,
        step: Step,
        status: u16,
        mut body: Option<Value>,
        lines: &mut Vec<String>,
    ) {
        let paths = PathOutputs::resolve(body.as_mut(), self.address.as_str());
        let dialect = self.settings.dialect.clone();
        let expects = match step {
            Step::Status => Expects::Status,
            _ if self.capability.may_omit_task => Expects::TaskOrResult,
            _ => Expects::Task,
        };
        let known_id = self.task_id.clone().filter(|_| step == Step::Status);
        let seen = body.clone();
        if let Some(body) = &seen {
            lines.extend(dialect.findings(body).iter().map(found));
        }
        let answer = dialect.read(status, body, expects, known_id.as_deref(), &mut |medium| {
            Some(["https://media.invalid/", medium.media_type].concat())
        });
        let mut is_read = false;
        match answer {
            Answer::Task(task) => {
                is_read = self.note(&task, &paths, lines);
                self.task_id.get_or_insert(task.id);
            }
            Answer::Result(task) => {
                lines.push("  ✓ a finished result without a task".to_owned());
                is_read = self.note(&task, &paths, lines);
            }
            Answer::Gone => {
                lines.push("  ✗ the service has no such task".to_owned());
                self.end = Some(End::default());
            }
            other => lines.push(not_read(&other)),
        }
        if !is_read && let Some(body) = &seen {
            self.suggest(dialect.candidates(body, expects), lines);
        }
    }

    /// Notes the state and the outputs of a task. Returns true if the task has ended, and needs no
    /// further setting: it has outputs, or no success.
    fn note(&mut self, task: &TaskRecord, paths: &PathOutputs, lines: &mut Vec<String>) -> bool {
        let record = &task.data["task"];
        lines.extend(details_of(&task.data));
        let state = record["state"].as_str().unwrap_or_default().to_owned();
        let mut has_outputs = false;
        for output in record["outputs"].as_array().into_iter().flatten() {
            let url = output["url"].as_str();
            let path = url.and_then(|url| paths.path_of(url));
            if path.is_some() && !self.is_module {
                lines.push(
                    "  ✗ an output by a path: the gateway reads it only from a module, behind the \
                     binding UPSTREAM"
                        .to_owned(),
                );
                continue;
            }
            has_outputs = true;
            let kind = output["kind"].as_str().unwrap_or("of an unknown kind");
            let place = match (path, url) {
                (Some(path), _) => format!("{}, a path of the service", shown_text(path)),
                (None, Some(url)) => shown_text(url),
                (None, None) => "only the id of an asset".to_owned(),
            };
            lines.push(format!("  ✓ an output, {kind}: {place}"));
            if url.is_none() {
                self.asset_id = output["asset_id"].as_str().map(str::to_owned);
            }
        }
        if !task.is_terminal {
            if !state.is_empty() {
                lines.push(format!(
                    "  · the task goes on: {} ends no task (Ctrl-C ends the check)",
                    shown_text(&state)
                ));
            }
            self.reads_without_outputs = 0;
            return false;
        }
        lines.push(format!("  ✓ the end: {state}"));
        self.reads_without_outputs += u32::from(task.lacks_outputs);
        if !task.lacks_outputs || self.reads_without_outputs >= READS_WITHOUT_OUTPUTS {
            self.end = Some(End { state, has_outputs });
        }
        !task.lacks_outputs
    }

    fn suggest(&mut self, candidates: Vec<Candidate>, lines: &mut Vec<String>) {
        for candidate in candidates {
            let is_known = self
                .candidates
                .iter()
                .any(|known| known.part == candidate.part && known.value == candidate.value);
            if !is_known {
                let seen = shown_text(&candidate.seen);
                lines.push(format!(
                    "  ? {}  (seen: {seen})",
                    printable(&candidate.line())
                ));
                self.candidates.push(candidate);
            }
        }
    }
}

fn found(finding: &Finding) -> String {
    let Finding { part, place, value } = finding;
    format!("  ✓ {part} at {}: {}", shown_text(place), shown_text(value))
}

fn unread(part: &str, why: &str) -> String {
    format!("  ✗ {part}: {why}")
}

/// Describes a response that is no task and no data.
fn not_read(answer: &Answer) -> String {
    match answer {
        Answer::Error(error) => {
            let (code, message) = (error.code.0, shown_text(&error.message));
            let data = error.data.as_ref();
            let reason = data.and_then(refused_content).unwrap_or_default();
            format!("  ✗ an error: code {code} {message} {reason}")
                .trim_end()
                .to_owned()
        }
        Answer::Unreadable { defect, .. } => format!("  ✗ not read: {}", defect.name()),
        _ => "  ✗ not read".to_owned(),
    }
}
