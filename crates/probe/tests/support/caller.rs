//! A caller that writes requests and reads responses as the gateway does: by a dialect and three paths.

use std::collections::BTreeMap;
use std::thread::sleep;
use std::time::{Duration, Instant};

use mediagate_core::dialect::{Decoded, Dialect, Reading};
use mediagate_core::{Capability, Expects, FileKind, Group, Kind, PREFIX, find};
use mediagate_emulator::DEV_API_KEY;
use serde_json::{Map, Value, json};
use ureq::Agent;
use ureq::unversioned::multipart::{Form, Part};

/// How the media service is spoken to.
pub struct Caller {
    pub base_url: String,
    pub dialect: Dialect,
    pub paths: BTreeMap<&'static str, String>,
    agent: Agent,
    /// Uploaded files by their kind.
    files: BTreeMap<&'static str, String>,
}

impl Caller {
    pub fn new(base_url: &str, dialect: Dialect, paths: BTreeMap<&'static str, String>) -> Self {
        let agent = Agent::config_builder().http_status_as_error(false).proxy(None).build().into();
        Caller { base_url: base_url.into(), dialect, paths, agent, files: BTreeMap::new() }
    }

    fn send(&self, method: &str, path: &str, body: Option<&Value>) -> (u16, Value) {
        let builder = ureq::http::Request::builder().method(method).uri(format!("{}{path}", self.base_url));
        let builder = builder.header("authorization", format!("Bearer {DEV_API_KEY}"));
        let sent = match body {
            Some(body) => {
                self.agent.run(builder.header("content-type", "application/json").body(body.to_string()).unwrap())
            }
            None => self.agent.run(builder.body(()).unwrap()),
        };
        let mut response = sent.unwrap();
        let status = response.status().as_u16();
        (status, serde_json::from_str(&response.body_mut().read_to_string().unwrap()).unwrap_or_default())
    }

    /// Uploads a file of this kind, once.
    fn file(&mut self, kind: FileKind) -> String {
        let (name, media_type, bytes) = sample(kind);
        if let Some(id) = self.files.get(name) {
            return id.clone();
        }
        let input = json!({ "file_name": name, "content_type": media_type, "size": bytes.len() });
        let body = self.dialect.upload.body(&input);
        let (_, response) = self.send("POST", &format!("{PREFIX}upload_urls"), Some(&body));
        let upload = self.dialect.upload.read(&response).unwrap_or_else(|| panic!("no upload URL: {body} {response}"));
        let key =
            self.dialect.upload.send.api_key.then(|| ("authorization".to_owned(), format!("Bearer {DEV_API_KEY}")));
        let mut headers: BTreeMap<_, _> = upload.headers.clone().into_iter().chain(key).collect();
        let sent = if upload.fields.is_empty() {
            headers.entry("content-type".into()).or_insert_with(|| media_type.into());
            let builder = ureq::http::Request::builder().method(upload.method()).uri(&upload.url);
            let builder = headers.iter().fold(builder, |it, (name, value)| it.header(name, value));
            self.agent.run(builder.body(bytes).unwrap())
        } else {
            headers.remove("content-type");
            let part = Part::bytes(&bytes).file_name(name).mime_str(media_type).unwrap();
            let form =
                upload.fields.iter().fold(Form::new(), |it, (name, value)| it.text(name, value)).part("file", part);
            headers.iter().fold(self.agent.post(&upload.url), |it, (name, value)| it.header(name, value)).send(form)
        };
        let status = sent.unwrap().status().as_u16();
        assert!((200..300).contains(&status), "the upload was refused with {status}");
        self.files.insert(name, upload.file_id.clone());
        upload.file_id
    }

    /// A body that the capability takes, in the dialect's shape, with its files uploaded.
    fn body(&mut self, capability: &Capability) -> Value {
        let is_sent = |name: &str| capability.any_of.contains(&name) || ["region", "video_size"].contains(&name);
        let fields = capability.own_fields.iter().filter(|it| it.required || is_sent(it.name));
        let mut body = Map::new();
        for field in fields {
            let value = match field.kind {
                Kind::File(kind) => json!(self.file(kind)),
                Kind::Files(kind) | Kind::FileOrFiles(kind) => json!([self.file(kind)]),
                Kind::Asset(_) => {
                    json!(if field.name.starts_with("avatar") { "avatar_public" } else { "voice_public" })
                }
                Kind::PageRange => json!("1"),
                Kind::Segments => json!([{ "start_time": "00:00:00", "end_time": "00:00:01" }]),
                Kind::Integer | Kind::PositiveInteger => json!(64),
                Kind::Region => json!({ "x": 1, "y": 1, "width": 8, "height": 8 }),
                Kind::VideoSize => json!([64, 64]),
                _ => serde_json::from_str(field.example_json()).unwrap(),
            };
            body.insert(field.name.into(), value);
        }
        self.dialect.create.shape(capability, &mut body);
        body.into()
    }

    /// Creates a task with this title.
    pub fn create(&mut self, capability: &'static Capability, title: &str) -> Created {
        let mut body = self.body(capability);
        body["title"] = json!(title);
        let (status, response) = self.send("POST", &format!("{PREFIX}{}", capability.path), Some(&body));
        let Decoded::Task(Reading { id: Some(id), .. }) = self.dialect.decode(status, Some(&response), Expects::Task)
        else {
            panic!("no task of {}: {body} {response}", capability.name());
        };
        Created { capability, id }
    }

    /// Follows a task to its end.
    pub fn follow(&self, Created { capability, id }: &Created) -> End {
        let path = match capability.group() {
            Group::Generate => "UPSTREAM_TASK_PATH_GENERATE",
            Group::Process => "UPSTREAM_TASK_PATH_PROCESS",
        };
        let path = self.paths[path].replace("{task_id}", id);
        let start = Instant::now();
        loop {
            let (status, response) = self.send("GET", &path, None);
            let Decoded::Task(task) = self.dialect.decode(status, Some(&response), Expects::Status) else {
                panic!("no status of {}: {response}", capability.name());
            };
            if task.is_terminal {
                let outputs = task.outputs.into_iter().filter_map(|it| it.url).collect();
                return End { state: task.state.unwrap(), outputs, response };
            }
            assert!(start.elapsed() < Duration::from_secs(300), "{} never ends: {response}", capability.name());
            sleep(Duration::from_millis(5));
        }
    }

    /// The models that the catalogue has; `None` where it can't be read.
    pub fn models(&self) -> Option<usize> {
        let path = &self.paths["UPSTREAM_MODELS_PATH"];
        let (_, response) = self.send("GET", path, None);
        Some(self.dialect.models.read(&response)?.records().len())
    }

    /// Whether an estimate of an image responds with a price.
    pub fn estimates(&self) -> bool {
        let capability = find("text_to_image").unwrap();
        let path = format!("{PREFIX}{}", capability.path);
        let body = self.dialect.estimate.body(capability.name(), &path, &json!({ "prompt": "a boat" }));
        let (status, response) = self.send("POST", &self.paths["UPSTREAM_ESTIMATE_PATH"], Some(&body));
        status == 200 && response.to_string().bytes().any(|it| it.is_ascii_digit())
    }
}

/// A task.
pub struct Created {
    pub capability: &'static Capability,
    id: String,
}

/// How a task ended.
pub struct End {
    pub state: String,
    pub outputs: Vec<String>,
    pub response: Value,
}

/// A small file: its name, its media type, and its bytes.
fn sample(kind: FileKind) -> (&'static str, &'static str, Vec<u8>) {
    match kind {
        FileKind::Image => ("a.png", "image/png", include_bytes!("../../../core/src/probe/sample.png").to_vec()),
        FileKind::Video => ("a.mp4", "video/mp4", b"\0\0\0\x18ftypisom\0\0\0\0isommp42\0\0\0\x08mdat".to_vec()),
        FileKind::Audio => (
            "a.wav",
            "audio/wav",
            b"RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x80\x3e\0\0\x02\0\x10\0data\0\0\0\0".to_vec(),
        ),
        FileKind::Pdf => ("a.pdf", "application/pdf", b"%PDF-1.5\n%%EOF\n".to_vec()),
    }
}
