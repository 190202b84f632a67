//! Answers, as they leave the gateway.

use mediagate_core::Code;
use serde_json::{Map, Value, json};
use wasm_bindgen::JsValue;
use web_sys::{Headers, Response, ResponseInit};

use crate::Refusal;

/// An answer before it is written.
#[derive(Debug)]
pub(crate) struct Reply {
    status: u16,
    code: Code,
    /// The body's text.
    body: String,
    headers: Vec<(&'static str, String)>,
}

impl Reply {
    /// Success, in the envelope.
    pub(crate) fn ok(data: Value) -> Self {
        Reply { status: 200, code: Code::OK, body: envelope(Code::OK, "ok", data), headers: Vec::new() }
    }

    /// A bare JSON object, for what speaks no envelope.
    pub(crate) fn plain(body: Value) -> Self {
        Reply { status: 200, code: Code::OK, body: body.to_string(), headers: Vec::new() }
    }

    /// A refusal, in the envelope, with the request's id.
    pub(crate) fn refusal(refusal: Refusal, request_id: &str) -> Self {
        let Refusal { status, code, message, data, retry_after, mut headers } = refusal.with("request_id", request_id);
        headers.extend(retry_after.map(|it| ("retry-after", it.to_string())));
        Reply { status, code, body: envelope(code, &message, Value::Object(data)), headers }
    }

    pub(crate) fn status(&self) -> u16 {
        self.status
    }

    pub(crate) fn code(&self) -> Code {
        self.code
    }

    /// Adds a header.
    pub(crate) fn header(&mut self, name: &'static str, value: impl Into<String>) {
        self.headers.push((name, value.into()));
    }

    /// Writes it. The headers' values are our own words and numbers, so the platform takes them.
    pub(crate) fn write(&self) -> Result<Response, JsValue> {
        let headers = Headers::new()?;
        headers.set("content-type", "application/json")?;
        headers.set("cache-control", "no-store")?;
        headers.set("x-content-type-options", "nosniff")?;
        headers.set("content-security-policy", "default-src 'none'; frame-ancestors 'none'")?;
        for (name, value) in &self.headers {
            headers.set(name, value)?;
        }
        let init = ResponseInit::new();
        init.set_status(self.status);
        init.set_headers(&headers);
        Response::new_with_opt_str_and_init(Some(&self.body), &init)
    }
}

fn envelope(code: Code, message: &str, data: Value) -> String {
    let members = [("code", json!(code.0)), ("message", json!(message)), ("data", data)];
    Value::Object(Map::from_iter(members.map(|(name, it)| (name.to_owned(), it)))).to_string()
}
