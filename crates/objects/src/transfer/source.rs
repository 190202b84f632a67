//! Loads a file from its URL, within the operator's list of hosts.

use std::time::Duration;

use mediagate_access::byte_size::byte_size;
use mediagate_access::refusal::Refusal;
use mediagate_core::{FileKind, Reason};
use mediagate_ids::{MediumRef, ModuleFile};
use mediagate_messages::LedgerClient;
use mediagate_messages::ledger::StoredMedium;
use mediagate_messages::transfer::TransferSource;
use mediagate_platform::http::{request_init, send_within};
use mediagate_platform::peek;
use mediagate_settings::{Hosts, ResultsSettings, Settings, escaped};
use mediagate_upstream::shown_type;
use mediagate_upstream_client::Upstream;
use mediagate_upstream_client::media_type::{
    UNKNOWN, essence, is_markup_or_json, is_media, is_plain_text, is_unstated, judged_type,
};
use url::Url;
use web_sys::{ReadableStream, Request, Response};

use crate::file_name;

/// The most redirects that are followed, each within the list of hosts.
const MAX_REDIRECTS: u32 = 3;
const MAX_NAME_CHARS: usize = 100;
/// The number of first bytes of a file that show its media type.
const HEAD_BYTES: u32 = 512;
const PAGE: &str = "text/html";
/// The encodings that the platform decodes before the gateway reads a body. The length of a decoded
/// body is unknown.
const DECODED: [&str; 2] = ["gzip", "br"];

enum LoadError {
    HostNotAllowed,
    /// The server responds with another status than 200.
    Status(u16),
    /// The server responds with 403 and a page, as firewalls do.
    Firewall,
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
            LoadError::Firewall => Reason::UpstreamFirewall.into(),
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
            LoadError::Firewall => Reason::InputFirewall.into(),
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
    /// The announced length. `None` if it is unknown and the storage accepts that.
    pub(super) size: Option<u64>,
    pub(super) content_type: String,
    /// The last segment of the URL's path.
    pub(super) file_name: String,
    /// True if the file is a page, or an error as JSON, instead of a medium.
    is_page: bool,
}

impl Source {
    /// Requests an output of a task by its URL, within `OUTPUT_HOSTS`. `kind` is the kind of file
    /// that is needed. Fails with a 422 for a host that is not listed, also after a redirect, and
    /// for a file without a length, unless the storage accepts that; 502 without a response, for
    /// another status than 200, and for a body that can't be decoded; 504 if the response does not
    /// arrive in time; 400 for a file that is empty or too large.
    pub(super) async fn open(
        settings: &Settings,
        url: &str,
        kind: Option<FileKind>,
    ) -> Result<Self, Refusal> {
        let bucket = settings.results.as_ref();
        let own = bucket.filter(|bucket| bucket.is_signed(url));
        let own = own.map(ResultsSettings::hosts);
        let hosts = own.as_ref().unwrap_or(&settings.output_hosts);
        let source = Source::load(settings, hosts, url, kind).await;
        source.map_err(LoadError::of_output)
    }

    async fn load(
        settings: &Settings,
        hosts: &Hosts,
        url: &str,
        kind: Option<FileKind>,
    ) -> Result<Self, LoadError> {
        // A record may have a URL with unescaped characters, such as spaces.
        let url = escaped(url)
            .and_then(|url| hosts.allowed(&url))
            .ok_or(LoadError::HostNotAllowed)?;
        let (url, response) = follow(settings, hosts, url).await?;
        Source::of_response(settings, &url, &response, kind).await
    }

    /// Requests a file of the module. `kind` is the kind of file that is needed. Fails with a 422
    /// for a file without a length, unless the storage accepts that; 400 for a file that is empty
    /// or too large; otherwise as [`Upstream::open_file`] does.
    pub(super) async fn of_file(
        upstream: &Upstream,
        file: &ModuleFile,
        kind: Option<FileKind>,
    ) -> Result<Self, Refusal> {
        let settings = &upstream.settings;
        let response = upstream.open_file("GET", file, None).await?;
        let url = Url::parse(&[settings.service.base_url(), &file.path].concat());
        let url = url.map_err(|_| Reason::UnknownOutput)?;
        let source = Source::of_response(settings, &url, &response, kind).await;
        source.map_err(LoadError::of_output)
    }

    async fn of_response(
        settings: &Settings,
        url: &Url,
        response: &Response,
        kind: Option<FileKind>,
    ) -> Result<Self, LoadError> {
        let Some(body) = response.body() else {
            return Err(wrong_size(settings).into());
        };
        let source = Source::read(settings, url, response, body.clone());
        if source.is_err() {
            // Close the connection instead of leaving the unread body to the garbage collector.
            let _ = body.cancel();
        }
        source?.judged(settings, kind).await
    }

    /// Finds the media type of a file whose server states none, or one that no field for this kind
    /// of file takes. html`:/A page keeps the type that its server states, or becomes `text/html`
    /// if there is none:/html`: a server may respond with a page instead of the file, for example
    /// if a login is missing.
    async fn judged(self, settings: &Settings, kind: Option<FileKind>) -> Result<Self, LoadError> {
        if misfit(&self.content_type, kind).is_none() {
            return Ok(self);
        }
        let peeked = peek(&self.body, HEAD_BYTES, settings.read_timeout_ms).await;
        let peeked = peeked.map_err(|_| Refusal::from(Reason::TransferInterrupted))?;
        let peeked = peeked.ok_or_else(|| Refusal::from(Reason::TransferStalled))?;
        let head = peeked.head();
        let may_be_page = is_markup_or_json(&head)
            || is_plain_text(&self.content_type, &head)
            || self.content_type == PAGE;
        let is_page = may_be_page && shown_type(&head).is_none();
        let content_type = if is_page {
            is_unstated(&self.content_type).then_some(PAGE)
        } else {
            judged_type(&self.file_name, &head, |found| {
                misfit(found, kind).is_none()
            })
        };
        Ok(Source {
            body: peeked.body(),
            content_type: content_type.map_or(self.content_type, str::to_owned),
            is_page,
            ..self
        })
    }

    /// Requests a file that the caller named, within `INPUT_HOSTS`. `kind` is the kind of file that
    /// is needed. Fails with a 422 for a host that is not listed, also after a redirect, for a
    /// status below 500 other than 200, for a body that can't be decoded, and for a file without a
    /// length, unless the storage accepts that; 502 for a status from 500 on, and if no response
    /// arrives; 400 for a file that is empty or too large.
    pub(super) async fn open_file(
        settings: &Settings,
        url: &str,
        kind: Option<FileKind>,
    ) -> Result<Self, Refusal> {
        let loaded = Source::load(settings, &settings.input_hosts, url, kind).await;
        loaded.map_err(LoadError::of_input)
    }

    /// Checks the media type of a file, and fails as [`checked_type`] does.
    pub(super) fn checked(
        self,
        asked: &TransferSource,
        kind: Option<FileKind>,
    ) -> Result<Self, Refusal> {
        match checked_type(&self.content_type, self.is_page, asked, kind) {
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

    /// Opens a medium that the gateway serves. Fails with a 400 if the medium is larger than an
    /// upload may be; otherwise as [`LedgerClient::find_medium`] does.
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
            body: ledgers.stream_medium(medium, 0..size, None).await?,
            size: Some(size),
            content_type: media_type,
            file_name: "output".to_owned(),
            is_page: false,
        })
    }

    fn read(
        settings: &Settings,
        url: &Url,
        response: &Response,
        body: ReadableStream,
    ) -> Result<Self, LoadError> {
        let encoding = header(response, "content-encoding");
        let encoding = encoding.filter(|encoding| encoding != "identity");
        if let Some(encoding) = &encoding
            && !DECODED.contains(&encoding.as_str())
        {
            return Err(LoadError::Unreadable);
        }
        let length = header(response, "content-length").filter(|_| encoding.is_none());
        // Parsing would also accept a sign.
        let length = length.filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
        let size: Option<u64> = length.and_then(|text| text.parse().ok());
        match size {
            None if !settings.dialect.upload.send.without_length => {
                return Err(without_length().into());
            }
            Some(size) if size == 0 || size > settings.max_upload_bytes => {
                return Err(wrong_size(settings).into());
            }
            _ => {}
        }
        let content_type = header(response, "content-type")
            .map(|text| essence(&text))
            .filter(|essence| essence.contains('/'));
        let segment = url
            .path_segments()
            .and_then(|mut segments| segments.next_back())
            .unwrap_or_default();
        Ok(Source {
            body,
            size,
            content_type: content_type.unwrap_or_else(|| UNKNOWN.to_owned()),
            file_name: file_name::from_segment(segment, MAX_NAME_CHARS),
            is_page: false,
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
                let location = header(&response, "location").unwrap_or_default();
                let next = url.join(&location).map_err(|_| LoadError::Unreadable)?;
                url = hosts
                    .allowed(next.as_str())
                    .ok_or(LoadError::HostNotAllowed)?;
            }
            403 if is_page(&response) => return Err(LoadError::Firewall),
            status => return Err(LoadError::Status(status)),
        }
        let _ = response.body().map(|body| body.cancel());
    }
    Err(LoadError::Unreadable)
}

fn is_page(response: &Response) -> bool {
    header(response, "content-type").is_some_and(|text| essence(&text) == PAGE)
}

fn header(response: &Response, name: &str) -> Option<String> {
    response.headers().get(name).ok().flatten()
}

/// Sends one request, without credentials of the gateway or the caller.
async fn get(settings: &Settings, url: &Url) -> Result<Response, LoadError> {
    // The length of an encoded body is not the length of the file.
    let request = request_init("GET", &[("accept-encoding", "identity")])
        .and_then(|init| Request::new_with_str_and_init(url.as_str(), &init))
        .map_err(|_| Refusal::from(Reason::TransferFailed))?;
    let limit = Duration::from_millis(settings.read_timeout_ms.into());
    let response = send_within(limit, &request, None)
        .await
        .ok_or(LoadError::Deadline)?;
    response.ok_or(LoadError::NoResponse)
}

/// Returns the type that the caller states, or else the file's own. An output whose type stays
/// unknown passes unless `needs_type` is set, because the media service made it. Fails with a 400
/// if the file has another kind, or if no field accepts it, such as a page.
fn checked_type(
    own_type: &str,
    is_page: bool,
    asked: &TransferSource,
    kind: Option<FileKind>,
) -> Result<String, Refusal> {
    let (TransferSource::Output { content_type, .. } | TransferSource::File { content_type, .. }) =
        asked;
    let found = match content_type {
        // A page stays a page, whatever the caller says.
        Some(stated) if !is_page => stated,
        _ => own_type,
    };
    let may_be_unknown = matches!(
        asked,
        TransferSource::Output {
            needs_type: false,
            ..
        }
    );
    let passes = may_be_unknown && is_unstated(found);
    let Some(problem) = misfit(found, kind).filter(|_| !passes) else {
        return Ok(found.to_owned());
    };
    let message = match asked {
        TransferSource::File { .. } => format!(
            "the URL leads to {problem}; give the URL of the file itself, and content_type if its \
             server states none or a wrong one"
        ),
        TransferSource::Output { .. } => format!(
            "the output is {problem}; use another output, and give its URL with content_type if \
             its type is unknown"
        ),
    };
    Err(Refusal::new(Reason::InvalidFields, message))
}

/// Returns a phrase for the media type, if no field accepts it or it does not fit the expected
/// kind.
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

pub(super) fn wrong_size(settings: &Settings) -> Refusal {
    let limit = byte_size(settings.max_upload_bytes);
    Refusal::new(
        Reason::FileTooLarge,
        format!("the file can't be moved: it must have at least one byte, and at most {limit}"),
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
    use mediagate_core::Group;
    use mediagate_ids::{TaskName, TaskRef};

    use super::*;

    fn output(needs_type: bool, content_type: Option<&str>) -> TransferSource {
        TransferSource::Output {
            task: TaskName::Upstream(TaskRef::new(Group::Generate, "t")),
            output: 0,
            url: String::new(),
            content_type: content_type.map(str::to_owned),
            kind: None,
            needs_type,
        }
    }

    fn file(content_type: Option<&str>) -> TransferSource {
        TransferSource::File {
            url: String::new(),
            content_type: content_type.map(str::to_owned),
            kind: None,
        }
    }

    #[test]
    fn a_file_has_the_type_of_the_request_or_its_own() {
        let image = Some(FileKind::Image);
        let png = Some("image/png");
        let webp = Some("image/webp");
        for (own, asked, kind, expected) in [
            ("image/png", output(true, None), image, png),
            ("image/png", output(false, None), None, png),
            ("image/png", file(webp), image, webp),
            (UNKNOWN, output(true, png), image, png),
            ("text/plain", file(png), image, png),
            (UNKNOWN, output(false, None), image, Some(UNKNOWN)),
            (UNKNOWN, output(true, None), image, None),
            (UNKNOWN, file(None), None, None),
            ("text/html", output(false, None), None, None),
            ("video/mp4", output(false, None), image, None),
            ("image/png", file(Some("video/mp4")), image, None),
        ] {
            let checked = checked_type(own, false, &asked, kind);
            let remedy = match asked {
                TransferSource::File { .. } => "give the URL of the file itself",
                TransferSource::Output { .. } => "use another output",
            };
            let is_refused = checked.as_ref().is_err_and(|refusal| {
                refusal.is(Reason::InvalidFields) && refusal.message.contains(remedy)
            });
            assert_eq!(is_refused, expected.is_none(), "{own}");
            assert_eq!(checked.ok().as_deref(), expected, "{own}");
        }
        assert!(checked_type(PAGE, true, &file(png), image).is_err());
    }
}
