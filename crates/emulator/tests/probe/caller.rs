//! A client that writes requests and reads responses as the gateway does: by a dialect and five
//! paths.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use mediagate_core::outputs::{self, Output};
use mediagate_core::{Capability, Expects, FileKind, Group, Kind, PREFIX, find};
use mediagate_dialect::{Decoded, Dialect, Reading, status_path};
use reqwest::Method;
use serde_json::{Map, Value, json};

use crate::support::spoken::multipart;
use crate::support::{Api, Sent, sample, valid};

pub(super) struct Caller<'a> {
    api: &'a Api,
    dialect: Dialect,
    paths: BTreeMap<&'static str, String>,
    /// The ids of uploaded files, by their media type.
    files: BTreeMap<&'static str, String>,
}

/// A task that was created.
pub(super) struct Created {
    pub(super) capability: &'static Capability,
    id: String,
}

/// The last status of a task.
pub(super) struct End {
    pub(super) state: String,
    pub(super) has_outputs: bool,
    pub(super) response: Value,
}

impl<'a> Caller<'a> {
    pub(super) fn new(
        api: &'a Api,
        dialect: Dialect,
        paths: BTreeMap<&'static str, String>,
    ) -> Self {
        Caller {
            api,
            dialect,
            paths,
            files: BTreeMap::new(),
        }
    }

    async fn send(&self, method: Method, path: &str, body: Option<&Value>) -> (u16, Value) {
        let url = format!("{}{path}", self.api.base_url);
        let request = self.api.client.request(method, url);
        let mut request = request.bearer_auth(&self.api.key);
        if let Some(body) = body {
            request = request.json(body);
        }
        let response = request.sent().await;
        let status = response.status().as_u16();
        (status, response.json().await.unwrap_or_default())
    }

    /// Uploads a file of this kind, once.
    async fn file(&mut self, kind: FileKind) -> String {
        let (name, media_type) = match kind {
            FileKind::Image => ("a.png", "image/png"),
            FileKind::Video => ("a.mp4", "video/mp4"),
            FileKind::Audio => ("a.wav", "audio/wav"),
            FileKind::Pdf => ("a.pdf", "application/pdf"),
        };
        if let Some(id) = self.files.get(media_type) {
            return id.clone();
        }
        let bytes = sample(kind);
        let input = json!({ "file_name": name, "content_type": media_type, "size": bytes.len() });
        let body = self.dialect.upload.body(&input);
        let (_, response) = self
            .send(Method::POST, &format!("{PREFIX}upload_urls"), Some(&body))
            .await;
        let upload = self.dialect.upload.read(&response);
        let upload = upload.unwrap_or_else(|| panic!("no upload URL: {body} {response}"));
        let method = Method::from_bytes(upload.method().as_bytes()).unwrap();
        let mut request = self.api.client.request(method, &upload.url);
        for (name, value) in &upload.headers {
            request = request.header(name, value);
        }
        if self.dialect.upload.send.api_key {
            request = request.bearer_auth(&self.api.key);
        }
        let has_type = upload
            .headers
            .keys()
            .any(|name| name.eq_ignore_ascii_case("content-type"));
        let request = if !upload.fields.is_empty() {
            multipart(request, &upload.fields, &bytes)
        } else if has_type {
            request.body(bytes)
        } else {
            request.header("content-type", media_type).body(bytes)
        };
        let status = request.status().await;
        assert_eq!(status, 200, "the upload was refused");
        if let Some(confirm) = &self.dialect.upload.confirm {
            let path = confirm.path(&upload.file_id);
            let body = confirm.body(&upload.file_id);
            let (status, _) = self.send(Method::POST, &path, Some(&body)).await;
            assert_eq!(status, 200, "the file was not confirmed");
        }
        self.files.insert(media_type, upload.file_id.clone());
        upload.file_id
    }

    /// Uploads files, and returns a body that the capability takes in the dialect's shape.
    async fn body(&mut self, capability: &Capability) -> Value {
        let is_sent = |name: &str| {
            capability.any_of.contains(&name) || ["region", "video_size"].contains(&name)
        };
        let mut body = Map::new();
        for field in capability
            .own_fields
            .iter()
            .filter(|field| field.required || is_sent(field.name))
        {
            let value = match field.kind {
                Kind::File(kind) | Kind::Files(kind) | Kind::FileOrFiles(kind) => {
                    valid(field, json!(self.file(kind).await))
                }
                Kind::Region => json!({ "x": 1, "y": 1, "width": 8, "height": 8 }),
                Kind::VideoSize => json!([64, 64]),
                _ => valid(field, Value::Null),
            };
            body.insert(field.name.into(), value);
        }
        self.dialect.create.shape(capability, &mut body);
        body.into()
    }

    pub(super) async fn create(&mut self, capability: &'static Capability, title: &str) -> Created {
        let mut body = self.body(capability).await;
        body["title"] = json!(title);
        let (status, response) = self
            .send(
                Method::POST,
                &format!("{PREFIX}{}", capability.path),
                Some(&body),
            )
            .await;
        let Decoded::Task(Reading { id: Some(id), .. }) =
            self.dialect.decode(status, Some(&response), Expects::Task)
        else {
            panic!("no task of {}: {body} {response}", capability.name());
        };
        Created { capability, id }
    }

    pub(super) async fn follow(&self, Created { capability, id }: &Created) -> End {
        let path = match capability.group() {
            Group::Generate => "UPSTREAM_TASK_PATH_GENERATE",
            Group::Process => "UPSTREAM_TASK_PATH_PROCESS",
        };
        let path = status_path(&self.paths[path], capability.group(), Some(capability), id);
        let path = path.expect("a capability");
        let start = Instant::now();
        loop {
            let (status, response) = self.send(Method::GET, &path, None).await;
            let Decoded::Task(task) = self
                .dialect
                .decode(status, Some(&response), Expects::Status)
            else {
                panic!("no status of {}: {response}", capability.name());
            };
            if task.is_terminal {
                let has_outputs = self.has_url(&task.outputs).await;
                return End {
                    state: task.state.unwrap(),
                    has_outputs,
                    response,
                };
            }
            assert!(
                start.elapsed() < Duration::from_secs(300),
                "{} never ends: {response}",
                capability.name()
            );
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Returns true if one of these outputs has a URL, or is an asset with a URL.
    async fn has_url(&self, found: &[Output]) -> bool {
        if found.iter().any(|output| output.url.is_some()) {
            return true;
        }
        let Some(id) = found.iter().find_map(|output| output.asset_id.as_ref()) else {
            return false;
        };
        let path = self.paths["UPSTREAM_ASSET_PATH"].replace("{asset_id}", id);
        let (_, asset) = self.send(Method::GET, &path, None).await;
        outputs::find(&asset, &[])
            .iter()
            .any(|output| output.url.is_some())
    }

    /// Returns the number of models in the catalogue, or `None` if it cannot be read.
    pub(super) async fn models(&self) -> Option<usize> {
        let (_, response) = self
            .send(Method::GET, &self.paths["UPSTREAM_MODELS_PATH"], None)
            .await;
        Some(self.dialect.models.read(&response)?.records().len())
    }

    /// Returns true if the response to an estimate of an image has a price.
    pub(super) async fn estimates(&self) -> bool {
        let capability = find("text_to_image").unwrap();
        let path = format!("{PREFIX}{}", capability.path);
        let body =
            self.dialect
                .estimate
                .body(capability.name(), &path, &json!({ "prompt": "a boat" }));
        let (status, response) = self
            .send(
                Method::POST,
                &self.paths["UPSTREAM_ESTIMATE_PATH"],
                Some(&body),
            )
            .await;
        status == 200
            && response
                .to_string()
                .bytes()
                .any(|byte| byte.is_ascii_digit())
    }
}
