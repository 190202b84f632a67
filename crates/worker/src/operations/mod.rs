//! What the gateway does for a caller, one operation a file.

mod asset;
mod body;
mod catalogue;
mod create;
mod document;
mod prepare;
mod service;
mod session;
mod status;
mod upload;

pub(crate) use asset::asset;
pub(crate) use body::json as read_json;
pub(crate) use catalogue::{estimate, estimate_of, list_models, models};
pub(crate) use create::{create, make, submit};
pub(crate) use document::document;
pub(crate) use service::{Service, http_status};
pub(crate) use session::session;
pub(crate) use status::{events, listen, look, named, read, status};
pub(crate) use upload::{relay, request_upload, upload_url};

use worker::Env;

use crate::http::Incoming;
use crate::ledger::Desk;
use crate::session::Caller;

/// One call of one caller.
pub(crate) struct Call<'a> {
    /// The service, asked for this caller.
    pub(crate) service: Service<'a>,
    pub(crate) incoming: &'a Incoming,
    pub(crate) caller: &'a Caller,
    /// The Worker's bindings.
    pub(crate) env: &'a Env,
}

impl Call<'_> {
    /// Where creates are written down.
    fn desk(&self) -> Desk<'_> {
        self.service.gateway.desk(self.env)
    }
}

/// Percent-encodes one segment of a path. `None` for what a path would not take as a segment, however encoded.
fn path_segment(text: &str) -> Option<String> {
    if matches!(text, "" | "." | "..") {
        return None;
    }
    let mut segment = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => segment.push(char::from(byte)),
            _ => segment.push_str(&format!("%{byte:02X}")),
        }
    }
    Some(segment)
}
