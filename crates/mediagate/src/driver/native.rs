//! The driver for programs: reqwest, and Tokio on a thread of the client's own, so that callers may use any executor.

use std::future::ready;
use std::io;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use futures_core::Stream;
use futures_util::{StreamExt, stream};
use mediagate_client::{Block, Wake};
use reqwest::header::{
    CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER,
};
use reqwest::multipart::{Form, Part};
use reqwest::{Body, Client, Method, RequestBuilder, Response};
use tokio::io::AsyncReadExt;
use tokio::runtime::Builder;
use tokio_util::io::ReaderStream;

use super::{Content, Driver, Incoming, NoResponse, Outgoing, Upload};
use crate::error::Error;
use crate::file::Source;
use crate::session::{InMemory, SessionStore};

/// The bytes of a file that are sent at once.
const CHUNK: usize = 64 << 10;
/// What is usually missing where the HTTP client can't be built.
const NO_CERTIFICATES: &str = "install the machine's root certificates, such as the package ca-certificates, or name a file of them in SSL_CERT_FILE";
const USER_AGENT: &str = concat!("mediagate-rust/", env!("CARGO_PKG_VERSION"));

/// Runs a future on a thread of its own.
///
/// # Errors
/// `crashed` where the machine has no thread left.
pub(crate) fn run<F: Future<Output = ()>>(
    make: impl FnOnce() -> F + Send + 'static,
) -> Result<(), Error> {
    let failed =
        |it: io::Error| Error::not_started(Arc::new(it), "the machine has no thread left for it");
    let runtime = Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(failed)?;
    let work = move || runtime.block_on(make());
    thread::Builder::new()
        .name("mediagate".into())
        .spawn(work)
        .map_err(failed)?;
    Ok(())
}

/// Performs operations by reqwest and Tokio.
pub(crate) struct Native {
    http: Client,
}

impl Driver for Native {
    const IS_PAGE: bool = false;

    type Body = Response;

    fn new() -> Result<Self, Error> {
        let http = Client::builder().user_agent(USER_AGENT).build();
        Ok(Native {
            http: http.map_err(|it| Error::not_started(Arc::new(it), NO_CERTIFICATES))?,
        })
    }

    fn now(&self) -> f64 {
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        now.as_secs_f64() * 1000.0
    }

    fn random(&self) -> f64 {
        fastrand::f64()
    }

    // A program is not notified of a connection, and never hidden.
    fn is_offline(&self) -> bool {
        false
    }

    fn is_hidden(&self) -> bool {
        false
    }

    // A browser opens six connections to a host, and this client as many as it needs.
    fn is_multiplexed(&self, _base: &str) -> bool {
        true
    }

    fn session_store() -> Arc<dyn SessionStore> {
        Arc::new(InMemory::default())
    }

    fn sleep(&self, milliseconds: u32, _wake: Wake) -> impl Future<Output = ()> + 'static {
        let time = Duration::from_millis(milliseconds.into());
        async move { tokio::time::sleep(time).await }
    }

    fn send(
        &self,
        request: Outgoing,
    ) -> impl Future<Output = Result<Incoming<Response>, NoResponse>> + 'static {
        let http = self.http.clone();
        async move {
            let Outgoing {
                method,
                url,
                headers,
                content,
            } = request;
            let method = Method::from_bytes(method.as_bytes()).unwrap_or_default();
            let request = http.request(method, url).headers(header_map(headers));
            let response = with_content(request, content)
                .await?
                .send()
                .await
                .map_err(no_response)?;
            let header = |name| Some(response.headers().get(name)?.to_str().ok()?.to_owned());
            Ok(Incoming {
                status: response.status().as_u16(),
                content_type: header(CONTENT_TYPE).unwrap_or_default(),
                request_id: header(HeaderName::from_static("x-request-id")),
                retry_after: header(RETRY_AFTER),
                body: response,
            })
        }
    }

    // Nothing keeps a program from a gateway but what the request's own error says.
    fn diagnose(&self, _request: Outgoing) -> impl Future<Output = Option<Block>> + 'static {
        ready(None)
    }

    async fn read(body: &mut Response) -> Result<Option<Bytes>, NoResponse> {
        body.chunk().await.map_err(no_response)
    }
}

/// The headers; one that HTTP does not allow is left out.
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
            // A presigned URL takes no body of unknown length.
            request
                .header(CONTENT_LENGTH, size)
                .body(Body::wrap_stream(chunks(upload).await?))
        }
        Content::Form {
            fields,
            upload,
            name,
            media_type,
        } => {
            let size = upload.file.size();
            let part = Part::stream_with_length(Body::wrap_stream(chunks(upload).await?), size)
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

/// The bytes of a file in parts, of which each is reported when the one after it is wanted: it is sent by then.
async fn chunks(upload: Upload) -> Result<impl Stream<Item = Chunk> + Send + 'static, NoResponse> {
    let Upload { file, on_sent } = upload;
    let parts = match file.source() {
        Source::Bytes(bytes) => stream::iter(split(bytes.clone()).map(Ok)).boxed(),
        Source::Path(path) => {
            let opened = tokio::fs::File::open(path).await;
            let opened = opened.map_err(|it| NoResponse {
                cause: Arc::new(it),
                is_refused: true,
            })?;
            // Not more than was announced, if the file has grown.
            ReaderStream::with_capacity(opened.take(file.size()), CHUNK).boxed()
        }
    };
    let mut loaded = 0;
    Ok(parts.inspect(move |part| {
        if let Some(on_sent) = &on_sent {
            on_sent(loaded);
        }
        loaded += part.as_ref().map_or(0, |it| it.len() as u64);
    }))
}

fn split(mut bytes: Bytes) -> impl Iterator<Item = Bytes> {
    std::iter::from_fn(move || (!bytes.is_empty()).then(|| bytes.split_to(bytes.len().min(CHUNK))))
}

/// The cause without its URL: that of an upload is a secret.
fn no_response(error: reqwest::Error) -> NoResponse {
    let is_refused = error.is_connect();
    NoResponse {
        cause: Arc::new(error.without_url()),
        is_refused,
    }
}
