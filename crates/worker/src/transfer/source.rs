//! Loads a file from its URL, within the operator's list of hosts.

use std::time::Duration;

use mediagate_core::{FileKind, Reason};
use url::Url;
use web_sys::{Headers, ReadableStream, Request, RequestInit, RequestRedirect, Response};

use crate::ids::MediumRef;
use crate::media_type::{essence, is_media, is_unstated, safe_type};
use crate::objects::{LedgerClient, StoredMedium};
use crate::platform::http::{send, within};
use crate::refusal::Refusal;
use crate::settings::{Hosts, ResultsSettings, Settings, escaped};

/// The most redirects that are followed, each within the list of hosts.
const MAX_REDIRECTS: u32 = 3;
const MAX_NAME_CHARS: usize = 100;
/// The encodings that the platform decodes before the gateway reads a body. The length of a decoded
/// body is unknown.
const DECODED: [&str; 2] = ["gzip", "br"];

enum LoadError {
    HostNotAllowed,
    /// The server responds with another status than 200.
    Status(u16),
    /// The redirects can't be followed, or the encoding can't be decoded.
    Unreadable,
    NoResponse,
    Deadline,
    /// A refusal that applies to outputs and to files of the caller.
    Refused(Refusal),
}

impl From<Refusal> for LoadError {
    fn from(refusal: Refusal) -> Self {
        LoadError::Refused(refusal)
    }
}

impl LoadError {
    fn of_output(self) -> Refusal {
        match self {
            LoadError::HostNotAllowed => Reason::OutputHostNotAllowed.into(),
            LoadError::Deadline => Reason::Deadline.into(),
            LoadError::Status(_) | LoadError::Unreadable | LoadError::NoResponse => {
                Reason::OutputUnavailable.into()
            }
            LoadError::Refused(refusal) => refusal,
        }
    }

    /// Returns the refusal of a file that the caller named.
    fn of_input(self) -> Refusal {
        match self {
            LoadError::HostNotAllowed => Reason::InputHostNotAllowed.into(),
            LoadError::Status(401 | 403) => Reason::InputNeedsLogin.into(),
            LoadError::Status(500..) | LoadError::NoResponse | LoadError::Deadline => {
                Reason::InputUnreachable.into()
            }
            LoadError::Status(_) | LoadError::Unreadable => Reason::InputUnavailable.into(),
            LoadError::Refused(refusal) => refusal,
        }
    }
}

/// A file whose bytes are about to arrive.
pub(super) struct Source {
    pub(super) body: ReadableStream,
    /// The announced length in bytes. `None` if it is unknown and the storage accepts that.
    pub(super) size: Option<u64>,
    pub(super) content_type: String,
    /// The last segment of the URL's path.
    pub(super) file_name: String,
}

impl Source {
    /// Requests an output of a task by its URL, within `OUTPUT_HOSTS`.
    ///
    /// # Errors
    /// 422 for a host that is not listed, also after a redirect, and for a file without a length,
    /// unless the storage accepts that; 502 without a response, for another status than 200, and
    /// for a body that can't be decoded; 504 if the response does not arrive in time; 400 for an
    /// empty file, and for a file that is larger than an upload may be.
    pub(super) async fn open(settings: &Settings, url: &str) -> Result<Self, Refusal> {
        let bucket = settings.results.as_ref();
        let own = bucket.filter(|bucket| bucket.is_signed(url));
        let own = own.map(ResultsSettings::hosts);
        let hosts = own.as_ref().unwrap_or(&settings.output_hosts);
        let source = Source::load(settings, hosts, url).await;
        source.map_err(LoadError::of_output)
    }

    async fn load(settings: &Settings, hosts: &Hosts, url: &str) -> Result<Self, LoadError> {
        // A record may have a URL with unescaped characters, such as spaces.
        let url = escaped(url)
            .and_then(|url| hosts.allowed(&url))
            .ok_or(LoadError::HostNotAllowed)?;
        let (url, response) = follow(settings, hosts, url).await?;
        let Some(body) = response.body() else {
            return Err(wrong_size(settings).into());
        };
        let source = Source::read(settings, &url, &response, body.clone());
        if source.is_err() {
            // Close the connection instead of leaving the unread body to the garbage collector.
            let _ = body.cancel();
        }
        source
    }

    /// Requests a file that the caller named, within `INPUT_HOSTS`. `content_type` is used if the
    /// server states no type.
    ///
    /// # Errors
    /// 422 for a host that is not listed, also after a redirect, for a status below 500 other than
    /// 200, for a body that can't be decoded, and for a file without a length, unless the storage
    /// accepts that; 502 for a status from 500 on, and if no response arrives; 400 for a file that
    /// is empty or too large, that has another kind, or that no field accepts, such as a page.
    pub(super) async fn open_file(
        settings: &Settings,
        url: &str,
        content_type: Option<&str>,
        kind: Option<FileKind>,
    ) -> Result<Self, Refusal> {
        let loaded = Source::load(settings, &settings.input_hosts, url).await;
        let mut source = loaded.map_err(LoadError::of_input)?;
        if let Some(content_type) = content_type.filter(|_| is_unstated(&source.content_type)) {
            content_type.clone_into(&mut source.content_type);
        }
        match of_another_kind(&source.content_type, kind) {
            Some(refusal) => {
                source.discard();
                Err(refusal)
            }
            None => Ok(source),
        }
    }

    /// Checks the media type of an output ([`checked_type`]).
    ///
    /// # Errors
    /// Those of [`checked_type`].
    pub(super) fn checked_output(
        self,
        content_type: Option<&str>,
        kind: Option<FileKind>,
        needs_type: bool,
    ) -> Result<Self, Refusal> {
        let stated = (self.content_type.as_str(), self.file_name.as_str());
        match checked_type(stated, content_type, kind, needs_type) {
            Ok(content_type) => Ok(Source {
                content_type,
                ..self
            }),
            Err(refusal) => {
                self.discard();
                Err(refusal)
            }
        }
    }

    pub(super) fn discard(&self) {
        // A locked body is being moved, which ends it.
        if !self.body.locked() {
            let _ = self.body.cancel();
        }
    }

    /// Opens a medium that the gateway serves.
    ///
    /// # Errors
    /// 400 if it is larger than an upload may be; otherwise those of [`LedgerClient::find_medium`].
    pub(super) async fn of_medium(
        settings: &Settings,
        ledgers: &LedgerClient<'_>,
        medium: &MediumRef,
    ) -> Result<Self, Refusal> {
        let StoredMedium { media_type, size } = ledgers.find_medium(medium).await?;
        if size > settings.max_upload_bytes {
            return Err(wrong_size(settings));
        }
        Ok(Source {
            body: ledgers.stream_medium(medium, None).await?,
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
    ) -> Result<Self, LoadError> {
        let header = |name: &str| response.headers().get(name).ok().flatten();
        let encoding = header("content-encoding").filter(|encoding| encoding != "identity");
        let is_decoded = |encoding: &str| DECODED.contains(&encoding);
        if encoding
            .as_deref()
            .is_some_and(|encoding| !is_decoded(encoding))
        {
            return Err(LoadError::Unreadable);
        }
        let length = header("content-length").filter(|_| encoding.is_none());
        // Parsing would also accept a sign.
        let is_number = |text: &String| text.bytes().all(|byte| byte.is_ascii_digit());
        let size: Option<u64> = length.filter(is_number).and_then(|text| text.parse().ok());
        match size {
            None if !settings.dialect.upload.send.without_length => {
                return Err(without_length().into());
            }
            Some(size) if size == 0 || size > settings.max_upload_bytes => {
                return Err(wrong_size(settings).into());
            }
            _ => {}
        }
        let content_type = header("content-type")
            .map(|text| essence(&text))
            .filter(|essence| essence.contains('/'));
        let segment = url
            .path_segments()
            .and_then(|mut segments| segments.next_back())
            .unwrap_or_default();
        let is_plain = |letter: &char| letter.is_ascii_alphanumeric() || "-_.".contains(*letter);
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

/// Follows redirects to a response with the status 200, and returns it with its URL.
async fn follow(
    settings: &Settings,
    hosts: &Hosts,
    first: Url,
) -> Result<(Url, Response), LoadError> {
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
                let next = url.join(&location).map_err(|_| LoadError::Unreadable)?;
                url = hosts
                    .allowed(next.as_str())
                    .ok_or(LoadError::HostNotAllowed)?;
            }
            status => return Err(LoadError::Status(status)),
        }
        let _ = response.body().map(|body| body.cancel());
    }
    Err(LoadError::Unreadable)
}

/// Sends one request, without credentials of the gateway or the caller.
async fn get(settings: &Settings, url: &Url) -> Result<Response, LoadError> {
    let init = RequestInit::new();
    init.set_redirect(RequestRedirect::Manual);
    let headers = Headers::new().map_err(|_| Refusal::from(Reason::TransferFailed))?;
    // The length of an encoded body is not the length of the file.
    headers
        .set("accept-encoding", "identity")
        .map_err(|_| Refusal::from(Reason::TransferFailed))?;
    init.set_headers(&headers);
    let request = Request::new_with_str_and_init(url.as_str(), &init)
        .map_err(|_| Refusal::from(Reason::TransferFailed))?;
    let limit = Duration::from_millis(settings.upstream_timeout_ms.into());
    let response = within(limit, send(&request))
        .await
        .ok_or(LoadError::Deadline)?;
    response.ok_or(LoadError::NoResponse)
}

/// Refuses the file at a URL if no field accepts its media type, or if it does not fit the expected
/// kind.
fn of_another_kind(content_type: &str, kind: Option<FileKind>) -> Option<Refusal> {
    let problem = misfit(content_type, kind)?;
    let message = format!(
        "the URL leads to {problem}; give the URL of the file itself, and content_type if its \
         server does not state one"
    );
    Some(Refusal::new(Reason::InvalidFields, message))
}

/// Returns the media type of an output: that of its server, or else of its name, or else
/// `content_type`. An output whose type stays unknown passes unless `needs_type` is set, because the
/// media service made it.
///
/// # Errors
/// 400 if the output has another kind, or if no field accepts it, such as a page.
fn checked_type(
    (stated_type, file_name): (&str, &str),
    content_type: Option<&str>,
    kind: Option<FileKind>,
    needs_type: bool,
) -> Result<String, Refusal> {
    let mut own_type = stated_type.to_owned();
    if is_unstated(&own_type) {
        own_type = safe_type(&own_type, file_name);
    }
    if let Some(content_type) = content_type.filter(|_| is_unstated(&own_type)) {
        content_type.clone_into(&mut own_type);
    }
    let passes = is_unstated(&own_type) && !needs_type;
    match output_of_another_kind(&own_type, kind).filter(|_| !passes) {
        Some(refusal) => Err(refusal),
        None => Ok(own_type),
    }
}

/// Like [`of_another_kind`], for an output of a task.
fn output_of_another_kind(content_type: &str, kind: Option<FileKind>) -> Option<Refusal> {
    let problem = misfit(content_type, kind)?;
    let message = format!(
        "the output is {problem}; use another output, and give its URL with content_type if its \
         type is unknown"
    );
    Some(Refusal::new(Reason::InvalidFields, message))
}

/// Returns a phrase for the media type of a file that no field accepts, or that does not fit the
/// expected kind.
fn misfit(content_type: &str, kind: Option<FileKind>) -> Option<String> {
    match kind {
        _ if !is_media(content_type) => Some("no picture, video, sound or PDF document".to_owned()),
        Some(kind) if !kind.fits(content_type) => {
            let kind = kind.name();
            Some(format!(
                "a file of the type {content_type}, which is no {kind}"
            ))
        }
        _ => None,
    }
}

/// Returns the refusal of a file that is empty, or larger than an upload may be.
pub(super) fn wrong_size(settings: &Settings) -> Refusal {
    let limit = settings.max_upload_bytes;
    Refusal::new(
        Reason::FileTooLarge,
        format!("the file can't be moved: it must have 1 to {limit} bytes"),
    )
}

fn without_length() -> Refusal {
    let message = "the file comes without a length; download it and upload the file. \
                   If the storage accepts files without a length, the gateway's operator can set \
                   upload.send.without_length of UPSTREAM_DIALECT";
    Refusal::new(Reason::OutputWithoutLength, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_output_has_the_type_of_its_server_its_name_or_the_request() {
        const UNKNOWN: &str = "application/octet-stream";
        let image = Some(FileKind::Image);
        for (stated, given, kind, needs_type, expected) in [
            (("image/png", "a"), None, image, true, Some("image/png")),
            (("image/png", "a"), None, None, false, Some("image/png")),
            ((UNKNOWN, "a.png"), None, image, true, Some("image/png")),
            (
                (UNKNOWN, "a"),
                Some("image/png"),
                image,
                true,
                Some("image/png"),
            ),
            ((UNKNOWN, "a"), None, image, false, Some(UNKNOWN)),
            ((UNKNOWN, "a"), None, image, true, None),
            (("text/html", "a.png"), Some("image/png"), image, true, None),
            (("text/html", "a"), None, None, false, None),
            (("video/mp4", "a"), None, image, false, None),
            ((UNKNOWN, "a.mp4"), Some("image/png"), image, false, None),
        ] {
            let checked = checked_type(stated, given, kind, needs_type);
            let is_refused = checked.as_ref().is_err_and(|refusal| {
                refusal.is(Reason::InvalidFields) && refusal.message.contains("use another output")
            });
            assert_eq!(is_refused, expected.is_none(), "{stated:?} {given:?}");
            assert_eq!(checked.ok().as_deref(), expected, "{stated:?} {given:?}");
        }
    }
}
