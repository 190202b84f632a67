//! The machines that the client runs on: programs and pages. Both send the same requests.

mod files;
#[cfg(not(target_family = "wasm"))]
mod native;
mod utf8;
#[cfg(target_family = "wasm")]
mod web;

#[cfg(not(target_family = "wasm"))]
pub(crate) use native::Native as Host;
#[cfg(target_family = "wasm")]
pub(crate) use web::Web as Host;

use std::error::Error as StdError;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use mediagate_client::{
    self as client, Body, FileInfo, Hint, Request, Response, ResponseBody, hints,
};
use mediagate_core::lifetime;
use serde_json::Value as Json;

use crate::file::{File, WeakFile};
use crate::session::SessionStore;
use crate::value::Value;

/// An error of the machine, or of a function of the caller.
pub(crate) type Cause = Arc<dyn StdError + Send + Sync>;

pub(crate) struct NotStarted {
    pub(crate) cause: Cause,
    pub(crate) hint: &'static str,
}

pub(crate) type NoResponse = client::NoResponse<Cause>;
/// Receives the number of bytes that were sent.
pub(crate) type OnSent = client::Progress;

pub(crate) struct Outgoing {
    pub(crate) method: &'static str,
    pub(crate) url: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) content: Content,
}

pub(crate) enum Content {
    Empty,
    Bytes(Vec<u8>),
    File(OutgoingFile),
    /// A form with fields, and then the file as its field `file`.
    Form {
        fields: Vec<(String, String)>,
        upload: OutgoingFile,
        name: String,
        media_type: String,
    },
}

pub(crate) struct OutgoingFile {
    pub(crate) file: File,
    pub(crate) on_sent: OnSent,
    /// True if the caller subscribes to the progress. In that case, a page sends a form in another
    /// way.
    #[cfg(target_family = "wasm")]
    pub(crate) has_subscriber: bool,
}

impl Outgoing {
    fn new(request: Request<Value>) -> Self {
        let Request {
            mut method,
            url,
            headers,
            token,
            body,
            ..
        } = request;
        let mut headers: Vec<(String, String)> = headers
            .into_iter()
            .map(|(name, value)| (name.into(), value))
            .collect();
        headers.extend(token.map(|token| ("authorization".into(), format!("Bearer {token}"))));
        let content = match body {
            Body::Empty => Content::Empty,
            Body::Json(body) => {
                headers.push(("content-type".into(), "application/json".into()));
                Content::Bytes(Json::from(&body).to_string().into_bytes())
            }
            Body::File(client::FileBody {
                file: Value::File(file),
                target,
                on_sent,
                #[cfg(target_family = "wasm")]
                has_subscriber,
                ..
            }) => {
                let upload = OutgoingFile {
                    file,
                    on_sent,
                    #[cfg(target_family = "wasm")]
                    has_subscriber,
                };
                let content;
                (method, content) = files::sending(upload, &target, &mut headers);
                content
            }
            // The client uploads only files, so it makes no such body.
            Body::File(_) => Content::Empty,
        };
        Outgoing {
            method,
            url,
            headers,
            content,
        }
    }
}

struct Head {
    status: u16,
    content_type: Option<String>,
    request_id: Option<String>,
    retry_after: Option<String>,
}

impl Head {
    fn is_stream(&self) -> bool {
        // The refusal of a stream is JSON, and a proxy's is HTML.
        let content_type = self.content_type.as_deref().unwrap_or_default();
        self.status == 200 && content_type.starts_with("text/event-stream")
    }

    /// Makes the response with its body. `now` is in milliseconds since 1970.
    fn response<S>(self, body: ResponseBody<Value, S>, now: f64) -> Response<Value, S> {
        Response {
            status: self.status,
            request_id: self.request_id,
            retry_after: self.retry_after.and_then(|text| seconds(&text, now)),
            body,
        }
    }
}

fn parse<S>(body: &[u8]) -> ResponseBody<Value, S> {
    match serde_json::from_slice::<Json>(body) {
        Ok(json) => ResponseBody::Json(json.into()),
        Err(_) => ResponseBody::Other,
    }
}

/// Returns the seconds from a `Retry-After`: a number or a date. `now` is in milliseconds since
/// 1970.
fn seconds(text: &str, now: f64) -> Option<f64> {
    let text = text.trim();
    // A date begins with the name of a day.
    if text.starts_with(|first: char| first.is_ascii_digit()) {
        return text.parse().ok();
    }
    let time: SystemTime = httpdate::parse_http_date(text).ok()?;
    let since_1970 = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    Some((since_1970.as_secs_f64() - now / 1000.0).max(0.0))
}

/// The time for which the id of a file is used again.
const FILE_LIFETIME_MS: f64 = lifetime::SURELY_KNOWN_MS as f64;

pub(crate) struct Kept {
    store: Arc<dyn SessionStore>,
    files: Mutex<Vec<KnownFile>>,
}

struct KnownFile {
    file: WeakFile,
    id: String,
    /// In milliseconds since 1970.
    uploaded_at: f64,
}

impl Kept {
    fn new(store: Arc<dyn SessionStore>) -> Self {
        Kept {
            store,
            files: Mutex::default(),
        }
    }

    /// Returns the id of a file. `now` is in milliseconds since 1970.
    fn file_id(&self, file: &Value, now: f64) -> Option<String> {
        // The client uploads only files, so no other value has an id.
        let Value::File(file) = file else { return None };
        let files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let is_known = |known: &KnownFile| {
            let is_same = known
                .file
                .upgrade()
                .is_some_and(|known| known.is_same(file));
            is_same && now - known.uploaded_at < FILE_LIFETIME_MS
        };
        let known = files.iter().find(|known| is_known(known));
        known.map(|known| known.id.clone())
    }

    /// Stores the id of a file that was uploaded at `now`, in milliseconds since 1970.
    fn remember_file(&self, file: &Value, id: &str, now: f64) {
        let Value::File(file) = file else { return };
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        // An id is stored only as long as the caller has the file, so the list stays short.
        files.retain(|known| {
            known
                .file
                .upgrade()
                .is_some_and(|known| !known.is_same(file))
        });
        files.push(KnownFile {
            file: file.downgrade(),
            id: id.into(),
            uploaded_at: now,
        });
    }
}

fn file_info(file: &Value) -> FileInfo {
    match file {
        Value::File(file) => FileInfo {
            name: files::name(file),
            media_type: files::media_type(file).into(),
            size: file.size(),
        },
        _ => FileInfo {
            name: String::new(),
            media_type: String::new(),
            size: 0,
        },
    }
}

fn hint(hint: Hint) -> &'static str {
    match hint {
        Hint::CheckConnection => {
            "check that the gateway runs at the url, and the connection; the cause says more"
        }
        Hint::AllowOrigin => {
            "CORS does not allow it: check the url and the gateway's ALLOWED_ORIGINS"
        }
        Hint::AllowConnection => hints::ALLOW_CONNECTION,
        Hint::AllowLocalNetwork => {
            "the gateway is on this machine or in a private network, and the page is not: allow \
             the site to access the local network"
        }
        Hint::RaiseBodyLimit => hints::RAISE_BODY_LIMIT,
        Hint::CheckStorage => "check the connection; the cause says more",
        Hint::AllowStorage => hints::ALLOW_STORAGE,
        Hint::ChooseAgain => "open the file again; the cause says more",
        Hint::ReadStorageResponse => "the status says more",
        Hint::CheckUrl => hints::CHECK_URL,
        Hint::RepeatCreate => {
            "before creating it again, repeat it with the report's idempotency_key, which makes \
             no second task"
        }
        Hint::ChangeContent => hints::CHANGE_CONTENT,
        Hint::ReadTask => {
            "raw of the report's task is the whole record; the task can be created again"
        }
        Hint::ReadTaskLater => "read the task later with refresh()",
        Hint::ReadSteps => "the record of the pipeline has each step",
    }
}

#[cfg(all(test, not(target_family = "wasm")))]
mod tests {
    use super::*;

    #[test]
    fn retry_after_is_a_number_or_a_date() {
        let now = 1_445_412_480_000.0; // Wed, 21 Oct 2015 07:28:00 GMT
        assert_eq!(seconds("7", now), Some(7.0));
        assert_eq!(seconds(" 1.5 ", now), Some(1.5));
        assert_eq!(seconds("soon", now), None);
        assert_eq!(seconds("Wed, 21 Oct 2015 07:27:00 GMT", now), Some(0.0));
        assert_eq!(seconds("Wed, 21 Oct 2015 07:29:00 GMT", now), Some(60.0));
    }
}
