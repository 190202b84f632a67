//! The requests that the engine sent, as the tests read them.

use mediagate_client::{Body, Id, Request, Response};
use serde_json::Value as Json;

use super::value::{Handle, SimValue};

/// A request that was sent.
#[derive(Clone, Debug)]
pub struct Sent {
    /// When, in milliseconds since 1970.
    pub at: f64,
    /// The id of its call.
    pub id: Id,
    /// Its method.
    pub method: &'static str,
    /// Its URL.
    pub url: String,
    /// Its headers.
    pub headers: Vec<(String, String)>,
    /// The token; empty for none.
    pub token: String,
    /// Its body, where that is JSON.
    pub body: Json,
    /// Its body, where that is a file.
    pub file: Option<SimValue>,
    /// Whether the file has a subscriber to its progress.
    pub has_progress: bool,
    /// The name of the capability; empty for none.
    pub capability: &'static str,
    /// Whether a stream of events is requested.
    pub events: bool,
    /// The name of the function in the place of `fetch`; empty for none.
    pub network: String,
}

impl Sent {
    /// A copy of a request. Its body is copied as it is at this time.
    ///
    /// # Panics
    /// Where a header's value, the URL or the token is not a string.
    pub fn new(at: f64, id: Id, request: &Request<Handle>) -> Self {
        let text = |it: SimValue| {
            it.as_text()
                .unwrap_or_else(|| panic!("{it:?} is not a string"))
                .to_owned()
        };
        let sent = request
            .headers
            .map_or_else(|| SimValue::object(&[]), Handle::value);
        let SimValue::Object(members) = &sent else {
            panic!("{sent:?} are no headers")
        };
        let mut headers: Vec<_> = members
            .borrow()
            .iter()
            .map(|it| (it.0.clone(), text(it.1.clone())))
            .collect();
        let (body, file, has_progress) = match request.body {
            Body::Empty => (Json::Null, None, false),
            Body::Json(it) => {
                headers.push(("content-type".into(), "application/json".into()));
                (it.value().json(), None, false)
            }
            Body::File(it, progress, upload) => {
                // Reading a handle that was swept fails.
                let _ = upload.value();
                (
                    Json::Null,
                    Some(it.value()),
                    progress.map(Handle::value).is_some(),
                )
            }
        };
        let network = match request.network.map(Handle::value) {
            Some(SimValue::Function(it)) => it.to_string(),
            _ => String::new(),
        };
        Sent {
            at,
            id,
            method: request.method,
            url: text(request.url.value()),
            headers,
            token: request
                .authorization
                .map(|it| text(it.value()))
                .unwrap_or_default(),
            body,
            file,
            has_progress,
            capability: request.capability,
            events: request.events,
            network,
        }
    }

    /// Such as `POST https://gateway.test/api/app/v1/upload_urls`.
    pub fn line(&self) -> String {
        format!("{} {}", self.method, self.url)
    }

    /// The value of a header; empty where it is not sent.
    pub fn header(&self, name: &str) -> &str {
        self.headers
            .iter()
            .find(|it| it.0 == name)
            .map_or("", |it| &it.1)
    }
}

/// A response of JSON.
pub fn json_response(status: u16, body: &Json) -> Response<SimValue> {
    Response {
        body: Some(body.clone().into()),
        ..plain_response(status)
    }
}

/// A response whose body is not JSON.
pub fn plain_response(status: u16) -> Response<SimValue> {
    Response {
        status,
        body: None,
        request_id: None,
        retry_after: None,
        is_stream: false,
    }
}

/// A response that opens a stream of events.
pub fn stream_response() -> Response<SimValue> {
    Response {
        is_stream: true,
        ..plain_response(200)
    }
}
