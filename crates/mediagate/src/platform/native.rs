//! The platform of programs: reqwest, and a Tokio runtime that all clients of the process share.
//! Callers may use any executor.

use std::future::poll_fn;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use futures_core::Stream;
use futures_util::future::{FutureExt, ready};
use futures_util::{StreamExt, stream};
use mediagate_client::{
    Block, BoxFuture, Exchange, FileInfo, Hint, Obstacle, Platform, Request, ResponseBody, Wake,
};
use reqwest::header::{
    CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER,
};
use reqwest::multipart::{Form, Part};
use reqwest::redirect::Policy;
use reqwest::{Method, RequestBuilder};
use tokio::io::AsyncReadExt;
use tokio::runtime::{Builder, Runtime};
use tokio_util::io::ReaderStream;

use super::utf8::Decoder;
use super::{
    Cause, Content, Head, Kept, NoResponse, NotStarted, Outgoing, OutgoingFile, file_info, hint,
    parse,
};
use crate::file::{File, Source};
use crate::session::{InMemory, SessionStore};
use crate::value::Value;

/// The bytes of a file that are sent at once.
const CHUNK: usize = 64 << 10;
/// The usual remedy if the HTTP client can't be built.
const NO_CERTIFICATES: &str = "install the machine's root certificates, such as the package \
                               ca-certificates, or name a file of them in SSL_CERT_FILE";
const USER_AGENT: &str = concat!("mediagate-rust/", env!("CARGO_PKG_VERSION"));

/// Returns the one runtime for all clients of the process. Fails if the machine has no thread left.
fn runtime() -> io::Result<&'static Runtime> {
    static RUNTIME: Mutex<Option<&'static Runtime>> = Mutex::new(None);
    let mut runtime = RUNTIME.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(runtime) = *runtime {
        return Ok(runtime);
    }
    let new = Builder::new_multi_thread()
        .worker_threads(1)
        .thread_name("mediagate")
        .enable_all()
        .build()?;
    // Leaked on purpose: the runtime lives as long as the process.
    Ok(runtime.insert(Box::leak(Box::new(new))))
}

pub(crate) struct Native {
    http: reqwest::Client,
    runtime: &'static Runtime,
    kept: Kept,
}

impl Native {
    /// Makes a platform. Fails if the machine lacks something, such as its root certificates.
    pub(crate) fn new(store: Arc<dyn SessionStore>) -> Result<Self, NotStarted> {
        let runtime = runtime().map_err(|cause| NotStarted {
            cause: Arc::new(cause),
            hint: "the machine has no thread left for it",
        })?;
        let http = reqwest::Client::builder()
            .user_agent(USER_AGENT)
            // A redirect would pass the input and the idempotency key to another server.
            .redirect(Policy::none())
            .build()
            .map_err(|cause| NotStarted {
                cause: Arc::new(cause),
                hint: NO_CERTIFICATES,
            })?;
        Ok(Native {
            http,
            runtime,
            kept: Kept::new(store),
        })
    }

    pub(crate) fn session_store() -> Arc<dyn SessionStore> {
        Arc::new(InMemory::default())
    }

    /// Polls a future within the runtime, on any executor.
    fn within<'a, T>(&self, work: impl Future<Output = T> + Send + 'a) -> BoxFuture<'a, T> {
        let runtime = self.runtime;
        let mut work = Box::pin(work);
        Box::pin(poll_fn(move |context| {
            // reqwest and Tokio's timers need a runtime, and the caller's executor may have none.
            let _entered = runtime.enter();
            work.poll_unpin(context)
        }))
    }
}

impl Platform for Native {
    type Value = Value;
    type Cause = Cause;
    type Stream = TextStream;

    fn now(&self) -> f64 {
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        now.as_secs_f64() * 1000.0
    }

    fn random(&self) -> f64 {
        fastrand::f64()
    }

    // A program has no report of its connection.
    fn is_offline(&self) -> bool {
        false
    }

    // A program is never hidden.
    fn is_hidden(&self) -> bool {
        false
    }

    // reqwest has no limit of connections to a host. A browser opens six.
    fn is_multiplexed(&self, _base: &str) -> bool {
        true
    }

    fn hint(remedy: Hint) -> &'static str {
        hint(remedy)
    }

    fn message(cause: &Cause) -> Option<String> {
        Some(cause.to_string())
    }

    fn spawn(&self, work: BoxFuture<'static, ()>) {
        self.runtime.spawn(work);
    }

    fn sleep(&self, milliseconds: u32, _wake: Wake) -> BoxFuture<'static, ()> {
        let time = Duration::from_millis(milliseconds.into());
        self.within(async move { tokio::time::sleep(time).await })
    }

    fn request(&self, request: Request<Value>) -> BoxFuture<'static, Exchange<Self>> {
        let http = self.http.clone();
        let is_stream = request.is_stream;
        let now = self.now();
        self.within(async move {
            let response = send(&http, Outgoing::new(request)).await?;
            let header = |name| Some(response.headers().get(name)?.to_str().ok()?.to_owned());
            let head = Head {
                status: response.status().as_u16(),
                content_type: header(CONTENT_TYPE),
                request_id: header(HeaderName::from_static("x-request-id")),
                retry_after: header(RETRY_AFTER),
            };
            let body = if is_stream && head.is_stream() {
                ResponseBody::Stream(TextStream {
                    response,
                    decoder: Decoder::default(),
                })
            } else {
                parse(&response.bytes().await.map_err(no_response)?)
            };
            Ok(head.response(body, now))
        })
    }

    // Only a browser blocks requests. A program has the error of the request.
    fn diagnose(&self, _request: Request<Value>) -> BoxFuture<'static, Option<Block>> {
        Box::pin(ready(None))
    }

    fn read<'a>(&self, stream: &'a mut TextStream) -> BoxFuture<'a, Option<String>> {
        self.within(async move {
            let bytes = stream.response.chunk().await.ok()??;
            Some(stream.decoder.decode(&bytes))
        })
    }

    fn parse(&self, json: &str) -> Option<Value> {
        serde_json::from_str::<serde_json::Value>(json)
            .ok()
            .map(Value::from)
    }

    fn load(&self, name: &str) -> Option<String> {
        self.kept.store.load(name)
    }

    fn store(&self, name: &str, text: &str) {
        self.kept.store.store(name, text);
    }

    fn file_info(&self, file: &Value) -> FileInfo {
        file_info(file)
    }

    fn file_id(&self, file: &Value) -> Option<String> {
        self.kept.file_id(file, self.now())
    }

    fn remember_file(&self, file: &Value, id: &str) {
        self.kept.remember_file(file, id, self.now());
    }
}

pub(crate) struct TextStream {
    response: reqwest::Response,
    decoder: Decoder,
}

async fn send(http: &reqwest::Client, request: Outgoing) -> Result<reqwest::Response, NoResponse> {
    let Outgoing {
        method,
        url,
        headers,
        content,
    } = request;
    let method = Method::from_bytes(method.as_bytes()).unwrap_or_default();
    let request = http.request(method, url).headers(header_map(headers));
    let file = match &content {
        Content::File(upload) | Content::Form { upload, .. } => Some(upload.file.clone()),
        Content::Empty | Content::Bytes(_) => None,
    };
    let request = with_content(request, content).await?;
    let mut result = request.send().await.map_err(no_response);
    // The error of reqwest does not tell if its body or the network failed.
    if let (Err(failure), Some(file)) = (&mut result, file)
        && !is_readable(&file).await
    {
        failure.obstacle = Some(Obstacle::Unreadable);
    }
    result
}

/// Returns true if a file still has at least its first size.
async fn is_readable(file: &File) -> bool {
    match file.source() {
        Source::Bytes(_) => true,
        Source::Path(path) => tokio::fs::metadata(path)
            .await
            .is_ok_and(|metadata| metadata.len() >= file.size()),
    }
}

/// Returns the headers. A header that HTTP does not allow is left out.
fn header_map(headers: Vec<(String, String)>) -> HeaderMap {
    let parsed = headers.into_iter().filter_map(|(name, value)| {
        Some((
            HeaderName::try_from(name).ok()?,
            HeaderValue::try_from(value).ok()?,
        ))
    });
    parsed.collect()
}

async fn with_content(
    request: RequestBuilder,
    content: Content,
) -> Result<RequestBuilder, NoResponse> {
    Ok(match content {
        Content::Empty => request,
        Content::Bytes(bytes) => request.body(bytes),
        Content::File(upload) => {
            let size = upload.file.size();
            // A presigned URL does not accept a body of unknown length.
            request
                .header(CONTENT_LENGTH, size)
                .body(reqwest::Body::wrap_stream(chunks(upload).await?))
        }
        Content::Form {
            fields,
            upload,
            name,
            media_type,
        } => {
            let size = upload.file.size();
            let part =
                Part::stream_with_length(reqwest::Body::wrap_stream(chunks(upload).await?), size)
                    .file_name(name);
            let part = part.mime_str(&media_type).map_err(no_response)?;
            let form = fields
                .into_iter()
                .fold(Form::new(), |form, (name, value)| form.text(name, value));
            request.multipart(form.part("file", part))
        }
    })
}

type Chunk = io::Result<Bytes>;

/// Returns the bytes of a file in parts. A part counts as sent when the HTTP client takes it.
async fn chunks(
    upload: OutgoingFile,
) -> Result<impl Stream<Item = Chunk> + Send + 'static, NoResponse> {
    let OutgoingFile { file, on_sent, .. } = upload;
    let parts = match file.source() {
        Source::Bytes(bytes) => stream::iter(split(bytes.clone()).map(Ok)).boxed(),
        Source::Path(path) => {
            let opened = tokio::fs::File::open(path).await;
            let opened = opened.map_err(|error| NoResponse {
                cause: Arc::new(error),
                obstacle: Some(Obstacle::Unreadable),
            })?;
            // The upload URL is for the announced size. The file may have grown.
            ReaderStream::with_capacity(opened.take(file.size()), CHUNK).boxed()
        }
    };
    let mut loaded = 0;
    Ok(parts.inspect(move |part| {
        loaded += part.as_ref().map_or(0, |bytes| bytes.len() as u64);
        on_sent(loaded);
    }))
}

fn split(mut bytes: Bytes) -> impl Iterator<Item = Bytes> {
    std::iter::from_fn(move || (!bytes.is_empty()).then(|| bytes.split_to(bytes.len().min(CHUNK))))
}

/// Makes the failure of a request, without the URL, which is a secret for an upload.
fn no_response(error: reqwest::Error) -> NoResponse {
    let obstacle = error.is_connect().then_some(Obstacle::Refused);
    NoResponse {
        cause: Arc::new(error.without_url()),
        obstacle,
    }
}
