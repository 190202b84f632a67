//! Sends one request.

use std::io::Read as _;
use std::time::Duration;

use mediagate_core::probe::{Body, Request, Response, SAMPLE_NAME, SAMPLE_TYPE};
use mediagate_operator::probe::Address;
use ureq::Agent;
use ureq::http::header::{ACCESS_CONTROL_ALLOW_ORIGIN, AUTHORIZATION};
use ureq::unversioned::multipart::{Form, Part};

/// The longest time for one request, and its response.
const TIMEOUT: Duration = Duration::from_secs(30);
/// The most of a response that is read.
const MAX_RESPONSE_BYTES: u64 = 1 << 20;

/// The API key, and the address that it is for. It has no `Debug`.
pub struct Key(String, Address);

impl Key {
    /// The key; see [`check_key`](mediagate_operator::probe::check_key).
    pub fn new(key: impl Into<String>, address: &Address) -> Self {
        Key(key.into(), address.clone())
    }

    /// The text with the key replaced, in case that a service repeats it.
    pub(crate) fn hidden_in(&self, text: &str) -> String {
        text.replace(&self.0, "(the key)")
    }
}

/// A client that follows no redirect: it would carry the key elsewhere.
pub(crate) fn agent(address: &Address) -> Agent {
    let config = Agent::config_builder();
    // A proxy would read what goes to this machine without encryption.
    let config = if address.is_local() { config.proxy(None) } else { config };
    config
        .max_redirects(0)
        .max_redirects_will_error(false)
        .http_status_as_error(false)
        .timeout_global(Some(TIMEOUT))
        .user_agent(concat!("mediagate-probe/", env!("CARGO_PKG_VERSION")))
        .build()
        .into()
}

/// Sends a request.
///
/// # Errors
/// Why there is no response, in words.
pub(crate) fn send(agent: &Agent, request: &Request, key: &Key) -> Result<Response, String> {
    let mut builder = ureq::http::Request::builder().method(request.method).uri(&request.url);
    if request.has_key && !key.1.is_origin_of(&request.url) {
        return Err("the key is for another host".into());
    }
    let bearer = request.has_key.then(|| (AUTHORIZATION.to_string(), format!("Bearer {}", key.0)));
    let headers: Vec<(String, String)> = request.headers.clone().into_iter().chain(bearer).collect();
    for (name, value) in &headers {
        builder = builder.header(name, value);
    }
    let sent = match &request.body {
        Body::Empty => agent.run(builder.body(()).map_err(words)?),
        Body::Json(value) => {
            let builder = builder.header("content-type", "application/json");
            agent.run(builder.body(value.to_string()).map_err(words)?)
        }
        Body::Bytes(bytes) => agent.run(builder.body(*bytes).map_err(words)?),
        Body::Form(fields, bytes) => {
            let part = Part::bytes(bytes).file_name(SAMPLE_NAME).mime_str(SAMPLE_TYPE).map_err(words)?;
            let form = fields.iter().fold(Form::new(), |form, (name, value)| form.text(name, value)).part("file", part);
            let builder = if request.method == "PUT" { agent.put(&request.url) } else { agent.post(&request.url) };
            headers.iter().fold(builder, |builder, (name, value)| builder.header(name, value)).send(form)
        }
    };
    let mut response = sent.map_err(words)?;
    let status = response.status().as_u16();
    let allow_origin = response.headers().get(ACCESS_CONTROL_ALLOW_ORIGIN).and_then(|it| it.to_str().ok());
    let allow_origin = allow_origin.map(str::to_owned);
    let mut bytes = Vec::new();
    response.body_mut().as_reader().take(MAX_RESPONSE_BYTES).read_to_end(&mut bytes).map_err(words)?;
    // Where a service repeats the key, no one after this reads it.
    let text = key.hidden_in(&String::from_utf8_lossy(&bytes));
    Ok(Response { status, text, allow_origin })
}

fn words(error: impl std::fmt::Display) -> String {
    error.to_string()
}
