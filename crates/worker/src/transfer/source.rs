//! Loads an output from where its URL says, within the operator's list of hosts.

use std::time::Duration;

use js_sys::Uint8Array;
use mediagate_core::Reason;
use url::Url;
use web_sys::{Headers, ReadableStream, Request, RequestInit, RequestRedirect, Response};

use crate::platform::http::{send, within};
use crate::refusal::Refusal;
use crate::settings::{Settings, escaped};
use crate::upstream::Medium;

/// The most redirects that are followed, each within the list of hosts.
const MAX_REDIRECTS: u32 = 5;
/// Longest name of a file, in characters.
const MAX_NAME_CHARS: usize = 100;
/// The encodings that the platform decodes before the gateway reads a body, whose length is then another.
const DECODED: [&str; 2] = ["gzip", "br"];

/// An output whose bytes are about to arrive.
pub(super) struct Source {
    pub(super) body: ReadableStream,
    /// Its announced length in bytes; `None` for one without a length, where the storage takes it.
    pub(super) size: Option<u64>,
    /// The announced media type.
    pub(super) content_type: String,
    /// The last segment of the URL's path.
    pub(super) file_name: String,
}

impl Source {
    /// Requests an output by its URL.
    ///
    /// # Errors
    /// 422 for a host that is not listed, also after a redirect, and for an output without a length, unless the storage takes
    /// it; 502 for a response other than 200, and for one that can't be decoded; 504 where none arrives; 400 for an output that
    /// is larger than an upload may be.
    pub(super) async fn open(settings: &Settings, url: &str) -> Result<Self, Refusal> {
        // A record may have a URL as a person would write it.
        let url = escaped(url)
            .and_then(|it| settings.output_hosts.allowed(&it))
            .ok_or_else(host_not_allowed)?;
        let (url, response) = follow(settings, url).await?;
        let Some(body) = response.body() else {
            return Err(wrong_size(settings));
        };
        let source = Source::read(settings, &url, &response, body.clone());
        if source.is_err() {
            // The bytes are not wanted.
            let _ = body.cancel();
        }
        source
    }

    /// A medium that the gateway serves.
    ///
    /// # Errors
    /// 400 if it is larger than an upload may be.
    pub(super) fn of_medium(settings: &Settings, medium: Medium) -> Result<Self, Refusal> {
        let Medium { media_type, bytes } = medium;
        let size = bytes.len() as u64;
        if size > settings.max_upload_bytes {
            return Err(wrong_size(settings));
        }
        let bytes = Uint8Array::from(bytes.as_slice());
        let response = Response::new_with_opt_js_u8_array(Some(&bytes));
        let body = response.ok().and_then(|response| response.body());
        Ok(Source {
            body: body.ok_or_else(|| Refusal::from(Reason::TransferFailed))?,
            size: Some(size),
            content_type: media_type,
            file_name: "output".to_owned(),
        })
    }

    fn read(
        settings: &Settings,
        url: &Url,
        response: &Response,
        body: ReadableStream,
    ) -> Result<Self, Refusal> {
        let header = |name: &str| response.headers().get(name).ok().flatten();
        let encoding = header("content-encoding").filter(|it| it != "identity");
        if encoding.as_deref().is_some_and(|it| !DECODED.contains(&it)) {
            return Err(unavailable());
        }
        let length = header("content-length").filter(|_| encoding.is_none());
        let is_number = |it: &String| !it.is_empty() && it.bytes().all(|it| it.is_ascii_digit());
        let size: Option<u64> = length.filter(is_number).and_then(|it| it.parse().ok());
        match size {
            None if !settings.dialect.upload.send.without_length => return Err(without_length()),
            Some(it) if it == 0 || it > settings.max_upload_bytes => {
                return Err(wrong_size(settings));
            }
            _ => {}
        }
        let essence = |it: String| {
            it.split(';')
                .next()
                .unwrap_or_default()
                .trim()
                .to_ascii_lowercase()
        };
        let content_type = header("content-type")
            .map(essence)
            .filter(|it| it.contains('/'));
        let segment = url
            .path_segments()
            .and_then(|mut it| it.next_back())
            .unwrap_or_default();
        let is_plain = |it: &char| it.is_ascii_alphanumeric() || "-_.".contains(*it);
        let name: String = segment
            .chars()
            .filter(is_plain)
            .take(MAX_NAME_CHARS)
            .collect();
        Ok(Source {
            body,
            size,
            content_type: content_type.unwrap_or_else(|| "application/octet-stream".to_owned()),
            file_name: if name.is_empty() {
                "output".to_owned()
            } else {
                name
            },
        })
    }
}

/// The response of 200, and where it came from.
async fn follow(settings: &Settings, first: Url) -> Result<(Url, Response), Refusal> {
    let mut url = first;
    for _ in 0..=MAX_REDIRECTS {
        let response = get(settings, &url).await?;
        match response.status() {
            200 => return Ok((url, response)),
            301 | 302 | 303 | 307 | 308 => {
                let location = response
                    .headers()
                    .get("location")
                    .ok()
                    .flatten()
                    .unwrap_or_default();
                let next = url.join(&location).map_err(|_| unavailable())?;
                url = settings
                    .output_hosts
                    .allowed(next.as_str())
                    .ok_or_else(host_not_allowed)?;
            }
            _ => return Err(unavailable()),
        }
        let _ = response.body().map(|it| it.cancel());
    }
    Err(unavailable())
}

/// One request, which carries nothing of the gateway's or the caller's.
async fn get(settings: &Settings, url: &Url) -> Result<Response, Refusal> {
    let init = RequestInit::new();
    init.set_redirect(RequestRedirect::Manual);
    let headers = Headers::new().map_err(|_| Refusal::from(Reason::TransferFailed))?;
    // A coded body has another length than the file.
    headers
        .set("accept-encoding", "identity")
        .map_err(|_| Refusal::from(Reason::TransferFailed))?;
    init.set_headers(&headers);
    let request = Request::new_with_str_and_init(url.as_str(), &init)
        .map_err(|_| Refusal::from(Reason::TransferFailed))?;
    let limit = Duration::from_millis(settings.upstream_timeout_ms.into());
    let response = within(limit, send(&request))
        .await
        .ok_or(Reason::Deadline)?;
    response.ok_or_else(unavailable)
}

fn host_not_allowed() -> Refusal {
    Refusal::from(Reason::OutputHostNotAllowed)
}

fn unavailable() -> Refusal {
    Refusal::from(Reason::OutputUnavailable)
}

/// An empty file, or one that is larger than an upload may be.
pub(super) fn wrong_size(settings: &Settings) -> Refusal {
    let limit = settings.max_upload_bytes;
    Refusal::new(
        Reason::FileTooLarge,
        format!("the output is no file of 1 to {limit} bytes, which can be moved"),
    )
}

fn without_length() -> Refusal {
    let message = "the output comes without a length; download it and upload the file. Where the storage takes files without a \
        length, the gateway's operator can set upload.send.without_length of UPSTREAM_DIALECT";
    Refusal::new(Reason::OutputWithoutLength, message)
}
