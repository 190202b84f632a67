//! Helpers of the tests: a running emulator, an HTTP client, and real files.
#![allow(unreachable_pub, reason = "a module of the tests")]
pub mod ffmpeg;

use std::{io::Cursor, ops::Deref, time::Duration};

use image::{Rgb, RgbImage};
use mediagate_core::{AssetCategory, Capability, Field, FileKind, Kind};
use mediagate_emulator::{Config, DEV_API_KEY, Emulator, MediaError, Running};
use reqwest::{Client, Method, RequestBuilder, Response};
use serde_json::{Map, Value, json};

pub trait Sent: Sized {
    async fn sent(self) -> Response;

    async fn status(self) -> u16 {
        self.sent().await.status().as_u16()
    }

    async fn read(self) -> (u16, Value) {
        let response = self.sent().await;
        (response.status().as_u16(), response.json().await.unwrap())
    }

    async fn download(self) -> Vec<u8> {
        self.sent().await.bytes().await.unwrap().into()
    }
}

impl Sent for RequestBuilder {
    async fn sent(self) -> Response {
        self.send().await.unwrap()
    }
}

pub struct Service {
    pub base_url: String,
    pub client: Client,
    pub key: String,
}

pub struct Api {
    pub emulator: Running,
    pub service: Service,
}

impl Deref for Api {
    type Target = Service;

    fn deref(&self) -> &Service {
        &self.service
    }
}

/// Returns settings with short tasks.
pub fn quick() -> Config {
    Config {
        task_seconds: Duration::from_millis(50),
        ..Config::default()
    }
}

/// Returns a client that ignores a proxy of the environment, which could not reach this machine.
pub fn client() -> Client {
    Client::builder().no_proxy().build().unwrap()
}

pub async fn start(config: Config) -> Api {
    let emulator = Emulator::bind(config).await.unwrap().spawn();
    Api {
        service: Service::new(emulator.base_url()),
        emulator,
    }
}

/// Starts an emulator with a change of the [`quick`] settings.
pub async fn start_with(change: impl FnOnce(&mut Config)) -> Api {
    let mut config = quick();
    change(&mut config);
    start(config).await
}

impl Api {
    /// Sends a request to the admin interface, with `null` for no body.
    pub async fn admin(&self, method: Method, path: &str, body: Value) -> (u16, Value) {
        let url = format!("{}/{path}", self.emulator.admin_url());
        let request = self.client.request(method, url);
        match body {
            Value::Null => request.read().await,
            body => request.json(&body).read().await,
        }
    }

    pub async fn patch(&self, changes: Value) -> Value {
        self.admin(Method::PATCH, "scene", changes).await.1
    }
}

impl Service {
    pub fn new(base_url: &str) -> Self {
        Service {
            base_url: base_url.into(),
            client: client(),
            key: DEV_API_KEY.into(),
        }
    }

    pub fn url(&self, path: &str) -> String {
        format!("{}/api/app/v1/{path}", self.base_url)
    }

    pub fn request(&self, method: Method, path: &str, body: Option<&Value>) -> RequestBuilder {
        let request = self.client.request(method, self.url(path));
        let request = request.bearer_auth(&self.key);
        match body {
            Some(body) => request.json(body),
            None => request,
        }
    }

    pub async fn post(&self, path: &str, body: Value) -> (u16, Value) {
        self.request(Method::POST, path, Some(&body)).read().await
    }

    pub async fn get(&self, path: &str) -> (u16, Value) {
        self.request(Method::GET, path, None).read().await
    }

    /// Sends a POST, and returns the application code.
    pub async fn code(&self, path: &str, body: Value) -> i64 {
        self.post(path, body).await.1["code"].as_i64().unwrap()
    }

    pub async fn upload(&self, bytes: Vec<u8>) -> String {
        let (url, file_id) = self.upload_url(bytes.len()).await;
        assert_eq!(self.client.put(url).body(bytes).status().await, 200);
        file_id
    }

    /// Returns an upload URL for a file of this size, and the file's id.
    pub async fn upload_url(&self, size: usize) -> (String, String) {
        let body = json!({ "file_name": "a", "content_type": "image/png", "size": size });
        let (_, envelope) = self.post("upload_urls", body).await;
        let text = |name| envelope["data"][name].as_str().unwrap().to_owned();
        (text("upload_url"), text("file_id"))
    }

    /// Creates a task and returns its record once it has ended.
    pub async fn finished(&self, path: &str, body: Value) -> Value {
        let (status, envelope) = self.post(path, body).await;
        assert_eq!(status, 200, "{envelope}");
        let id = envelope["data"]["task"]["id"].as_str().unwrap();
        let group = path.split('/').next().unwrap();
        self.ended(&format!("{group}/tasks/{id}")).await
    }

    pub async fn ended(&self, path: &str) -> Value {
        for _ in 0..6000 {
            let (_, envelope) = self.get(path).await;
            let task = &envelope["data"]["task"];
            if ["SUCCEEDED", "FAILED", "EXPIRED"].contains(&task["status"].as_str().unwrap()) {
                return task.clone();
            }
            assert!(
                task.get("outputs").is_none(),
                "results before the end: {task}"
            );
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("the task never ended");
    }

    /// Creates a task, and returns the bytes of its first result.
    pub async fn result(&self, path: &str, body: Value) -> Vec<u8> {
        let task = self.finished(path, body).await;
        self.download(&task["output_url"]).await
    }

    pub async fn failure(&self, path: &str, body: Value) -> String {
        let task = self.finished(path, body).await;
        assert_eq!(task["status"], "FAILED", "{task}");
        task["error"]["message"].as_str().unwrap().into()
    }

    pub async fn download(&self, url: &Value) -> Vec<u8> {
        self.client.get(url.as_str().unwrap()).download().await
    }

    /// Uploads files, and returns a body that the capability accepts.
    pub async fn valid(&self, capability: &Capability) -> Value {
        let mut body = Map::new();
        for field in capability.own_fields {
            if field.required || capability.any_of.contains(&field.name) {
                let files = match field.kind {
                    Kind::File(kind) | Kind::Files(kind) | Kind::FileOrFiles(kind) => {
                        json!(self.upload(sample(kind)).await)
                    }
                    _ => Value::Null,
                };
                body.insert(field.name.into(), valid(field, files));
            }
        }
        body.into()
    }
}

/// Returns a value that a field accepts. A field for files has `file_id`.
pub fn valid(field: &Field, file_id: Value) -> Value {
    match field.kind {
        Kind::File(_) => file_id,
        Kind::Files(_) | Kind::FileOrFiles(_) => json!([file_id]),
        Kind::Asset(AssetCategory::Avatar) => json!("avatar_public"),
        Kind::Asset(AssetCategory::Voice) => json!("voice_public"),
        Kind::PageRange => json!("1"),
        Kind::Segments => json!([{ "start_time": "00:00:00", "end_time": "00:00:01" }]),
        Kind::Integer | Kind::PositiveInteger => json!(64),
        _ => serde_json::from_str(field.example_json()).unwrap(),
    }
}

/// Asserts that a task succeeded, or failed for a reason in its input.
pub fn assert_no_panic(task: &Value, what: &str) {
    assert_ne!(
        task["error"]["message"],
        MediaError::Panicked.to_string(),
        "{what}: a job panicked"
    );
    assert!(
        ["SUCCEEDED", "FAILED"].contains(&task["status"].as_str().unwrap()),
        "{what}: {task}"
    );
}

pub fn sample(media: FileKind) -> Vec<u8> {
    match media {
        FileKind::Image => png(48, 48, [10, 120, 200]),
        FileKind::Video => mp4(2),
        FileKind::Audio => wav(&[1000, -1000, 20000, -20000]),
        FileKind::Pdf => pdf(&["one", "two", "three"]),
    }
}

pub fn png(width: u32, height: u32, colour: [u8; 3]) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    RgbImage::from_pixel(width, height, Rgb(colour))
        .write_to(&mut bytes, image::ImageFormat::Png)
        .unwrap();
    bytes.into_inner()
}

pub fn mp4(seconds: u32) -> Vec<u8> {
    let clip = mediagate_clip::Clip {
        width: 32,
        height: 32,
        seconds,
    };
    clip.encode(|width, height, at| {
        RgbImage::from_pixel(width, height, Rgb([(at * 255.0) as u8, 0, 0]))
    })
    .unwrap()
}

/// Returns WAV audio of 16 bits with one channel and 1000 samples a second.
pub fn wav(samples: &[i16]) -> Vec<u8> {
    let spec = hound::WavSpec {
        channels: 1,
        sample_rate: 1000,
        bits_per_sample: 16,
        sample_format: hound::SampleFormat::Int,
    };
    let mut bytes = Cursor::new(Vec::new());
    let mut writer = hound::WavWriter::new(&mut bytes, spec).unwrap();
    samples
        .iter()
        .for_each(|sample| writer.write_sample(*sample).unwrap());
    writer.finalize().unwrap();
    bytes.into_inner()
}

/// Returns a PDF document with one page for each text. Size and font are inherited from the root,
/// as in the files of many programs.
pub fn pdf(texts: &[&str]) -> Vec<u8> {
    use lopdf::{Document, Object, Stream, dictionary};
    let mut document = Document::with_version("1.5");
    let root = document.new_object_id();
    let font = document.add_object(
        dictionary! { "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Courier" },
    );
    let mut kids = Vec::new();
    for text in texts {
        let content = format!("BT /F1 24 Tf 50 100 Td ({text}) Tj ET");
        let content = document.add_object(Stream::new(dictionary! {}, content.into_bytes()));
        let page = dictionary! { "Type" => "Page", "Parent" => root, "Contents" => content };
        kids.push(Object::Reference(document.add_object(page)));
    }
    let count = kids.len() as i64;
    let pages = dictionary! {
        "Type" => "Pages", "Kids" => kids, "Count" => count,
        "MediaBox" => vec![0.into(), 0.into(), 300.into(), 200.into()],
        "Resources" => dictionary! { "Font" => dictionary! { "F1" => font } },
    };
    document.objects.insert(root, pages.into());
    let catalog = document.add_object(dictionary! { "Type" => "Catalog", "Pages" => root });
    document.trailer.set("Root", catalog);
    let mut bytes = Vec::new();
    document.save_to(&mut bytes).unwrap();
    bytes
}

pub fn texts(pdf: &[u8]) -> Vec<String> {
    let document = lopdf::Document::load_mem(pdf).unwrap();
    document
        .get_pages()
        .into_keys()
        .map(|page| document.extract_text(&[page]).unwrap().trim().to_owned())
        .collect()
}
